"""The work behind a hook: learning and history from the transcripts of every agent."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reverie.hooks import quick, shapes, work
from reverie.memory import Memory

DATA = Path(__file__).parents[1] / "data" / "agents"


@pytest.fixture
def run(monkeypatch, project, tmp_path):
    def run(agent, event, *, text=None):
        transcript = tmp_path / f"{agent}.jsonl"
        transcript.write_text(text or (DATA / agent / "transcript.jsonl").read_text())
        payload = (DATA / agent / f"{event}.in.json").read_text()
        payload = payload.replace("{project}", str(project))
        payload = payload.replace("{transcript}", str(transcript))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(payload.encode())))
        assert work.main([event, "--agent", agent]) == 0

    return run


def everything(folder: Path) -> str:
    """Return all texts below a folder, also those inside databases."""
    return "\n".join(
        path.read_bytes().decode("utf-8", "ignore") for path in folder.rglob("*") if path.is_file()
    )


@pytest.mark.parametrize("agent", shapes.AGENTS)
def test_a_stop_learns_from_the_transcript_once_and_never_from_what_is_private(
    run, project, private_home, agent
):
    run(agent, "stop")
    run(agent, "stop")
    with Memory.open(project) as memory:
        [topic] = memory.store.topics()
        assert "Tuesdays" in topic.text
        assert not [item for item in memory.doctor() if item.code == "hook_failed"]
        assert [item.client for item in memory.log() if item.verb == "extract"] == [agent]
    kept = everything(private_home / ".reverie")
    assert "quokka" not in kept  # digits alone stand in some random id or time sooner or later
    assert "staging cluster" not in kept  # said by a sub-agent


@pytest.mark.parametrize(
    ("agent", "event"),
    [(agent, "pre-compact") for agent in shapes.AGENTS]
    + [(agent, "session-end") for agent in shapes.AGENTS if agent != "codex"],
)
def test_compaction_and_end_keep_the_conversation_once(run, project, private_home, agent, event):
    run(agent, event)
    run(agent, event)
    with Memory.open(project) as memory:
        turns = memory.layers.replay(10, everything=True).turns
        assert len(turns) == 1
        assert bool(memory.store.topics()) == (event == "session-end")
    assert "quokka" not in everything(private_home / ".reverie")


@pytest.mark.parametrize("agent", shapes.ENDLESS)
def test_an_agent_without_an_end_keeps_its_history_at_every_stop(run, project, agent):
    run(agent, "stop")
    run(agent, "stop")
    with Memory.open(project) as memory:
        assert len(memory.layers.replay(10, everything=True).turns) == 1


def test_what_recall_injected_is_neither_learned_nor_kept(run, project, private_home):
    with Memory.open(project) as memory:
        memory.remember("I always drink jasmine tea at four")
        block = memory.recall("jasmine tea").block
        memory.undo(memory.log()[0].id)
    escaped = block.replace("<", "&lt;").replace(">", "&gt;")
    records = (DATA / "qwen" / "transcript.jsonl").read_text().splitlines()
    first = json.loads(records[0])
    first["message"]["parts"].append({"text": escaped})
    run("qwen", "session-end", text="\n".join([json.dumps(first), *records[1:]]))
    with Memory.open(project) as memory:
        assert not any("jasmine" in item.text for item in memory.store.topics())
        turns = memory.layers.replay(10, everything=True).turns
        assert "jasmine" not in repr(turns)


RECORDED = sorted(DATA.glob("*/recorded-*"))


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: folder.parent.name)
def test_of_a_real_transcript_only_what_was_said_is_kept(run, project, folder):
    agent = folder.parent.name
    run(agent, "stop", text=(folder / "transcript.jsonl").read_text())
    run(agent, "pre-compact", text=(folder / "transcript.jsonl").read_text())
    with Memory.open(project) as memory:
        [topic] = memory.store.topics()
        assert "Tuesdays" in topic.text
        turns = memory.layers.replay(10, everything=True).turns
    said = [(message.role, part.text) for turn in turns for message in turn.messages
            for part in message.parts]  # fmt: skip
    one = [("user", "Remember that we deploy the billing gateway only on Tuesdays."),
           ("assistant", "Noted, thank you.")]  # fmt: skip
    two = [("user", "What did I say about deploying?"), ("assistant", "Noted, thank you.")]
    assert said in (one, one + two)


def test_learning_can_be_switched_off(run, project, private_home):
    (private_home / ".reverie").mkdir()
    (private_home / ".reverie" / "config.toml").write_text("[hooks]\nlearn = false\n")
    run("claude-code", "session-end")
    with Memory.open(project) as memory:
        assert not memory.store.topics()
        assert len(memory.layers.replay(10, everything=True).turns) == 1


def test_a_transcript_that_is_not_there_is_reported(run, project, monkeypatch):
    payload = {"session_id": "s", "cwd": str(project), "transcript_path": str(project / "none")}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(payload).encode())))
    assert work.main(["stop"]) == 0
    with Memory.open(project) as memory:
        [told] = [item.message for item in memory.doctor() if item.code == "hook_failed"]
    assert "none" in told


@pytest.mark.slow
def test_the_agent_does_not_wait_and_the_work_outlives_the_hook(project, tmp_path, private_home):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text((DATA / "claude-code" / "transcript.jsonl").read_text())
    payload = json.dumps(
        {"session_id": "s", "cwd": str(project), "transcript_path": str(transcript)}
    )
    done = subprocess.run(
        [sys.executable, "-m", "reverie", "hook", "stop", "--agent", "claude-code"],
        input=payload.encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout) == {}
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if list((private_home / ".reverie").rglob("memory/**/*.md")):
            break
        os.sched_yield()
    found = [path.read_text() for path in (private_home / ".reverie").rglob("*.md")]
    assert any("Tuesdays" in text for text in found)


def test_the_limits_of_the_fast_way_are_those_of_the_settings():
    from reverie.config import HookSettings

    usual = HookSettings()
    assert usual.prompt_seconds == quick.PROMPT_SECONDS
    assert usual.start_seconds == quick.OTHER_SECONDS
    assert usual.context_chars == quick.CONTEXT_CHARS
