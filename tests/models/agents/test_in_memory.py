"""An agent as the model of a whole memory: when it is asked, for what, and what is told of it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reverie.core.agents.naming import JAIL, MARK
from reverie.local.disk.locks import file_lock
from reverie.types import Extracted
from tests.models.agents.fakes import FakeAgents

SAID = "By the way, whenever you touch the parser, the snapshot tests have to be renewed by hand."
MESSAGES = [
    {"role": "user", "content": SAID},
    {"role": "assistant", "content": "Noted."},
]


@pytest.fixture
def agents(tmp_path: Path) -> FakeAgents:
    (tmp_path / "lab").mkdir()
    return FakeAgents(tmp_path / "lab")


@pytest.fixture
def memory(open_memory, agents, monkeypatch):
    monkeypatch.setenv("PATH", str(agents.folder))
    monkeypatch.setenv("REVERIE_MODEL__NAME", "agent:claude-code")
    return open_memory()


def proposed(turn: str = "0", quote: str = SAID) -> dict:
    summary = "The snapshot tests of the parser are renewed by hand"
    fields = {"kind": "project", "summary": summary, "why": "", "how": ""}
    return {"memories": [{**fields, "turn": turn, "quote": quote}]}


def turn_of(memory, agents) -> str:
    """Return the id under which the person's message is offered to a model."""
    words = agents.calls[-1]["words"]
    schema = json.loads(words[words.index("--json-schema") + 1])
    return schema["properties"]["memories"]["items"]["properties"]["turn"]["enum"][0]


def test_an_agent_is_not_asked_after_a_turn_but_at_the_end_once(memory, agents):
    agents.put("claude", answer={"memories": []})
    memory.extract(MESSAGES, session="s", moment="turn")
    assert agents.calls == []
    memory.extract(MESSAGES, session="s", moment="end")
    memory.extract(MESSAGES, session="s", moment="end")
    assert len(agents.calls) == 1
    turn = turn_of(memory, agents)
    agents.put("claude", answer=proposed(turn))
    later = [*MESSAGES, {"role": "user", "content": f"{SAID} Really."}]
    memory.extract(later, session="s", moment="turn")
    assert len(agents.calls) == 1


def test_what_an_agent_proposes_is_kept_and_vetted_like_that_of_any_model(memory, agents):
    agents.put("claude", answer={"memories": []})
    memory.extract(MESSAGES, session="first", moment="end")
    turn = turn_of(memory, agents)
    agents.put("claude", answer=proposed(turn))
    outcome = memory.extract(MESSAGES, session="second", moment="end")
    assert isinstance(outcome, Extracted)
    assert outcome.strategy == "model"
    assert "renewed by hand" in outcome.patches[0].summary
    agents.put("claude", answer=proposed(turn, quote="the tests cost 400 dollars"))
    made_up = memory.extract(MESSAGES, session="third", moment="end")
    assert isinstance(made_up, Extracted)
    assert made_up.usage.fallback == "bad_answer"


def test_recall_and_remember_never_ask_an_agent(memory, agents):
    agents.put("claude", answer={"ids": []})
    memory.remember("The staging server is called heron")
    memory.recall("Which staging server is it?", wait=True, strategy="model")
    assert agents.calls == []


def test_an_agent_that_is_busy_is_left_alone_and_that_is_no_failure(memory, agents):
    agents.put("claude", answer={"memories": []})
    lock = Path(memory.workspace.state) / "locks" / "agent-model.lock"
    with file_lock(lock, wait=0):
        for session in "abc":
            outcome = memory.extract(MESSAGES, session=session)
            assert outcome.usage.fallback == "agent_busy"
    assert memory.extract(MESSAGES, session="d").usage.fallback == ""
    assert len(agents.calls) == 1


def test_after_two_failures_it_rests_for_an_hour_and_everybody_can_see_it(memory, agents, clock):
    agents.put("claude", body="sys.exit(1)")
    for session in "abcd":
        memory.extract(MESSAGES, session=session)
    assert len(agents.calls) == 2
    assert "left alone until 13:00 UTC: it failed twice in a row" in memory.about_model()
    (row,) = memory.usage()
    assert (row.model, row.verb, row.calls, row.failed) == ("agent:claude-code", "extract", 2, 2)
    clock.advance(minutes=61)
    agents.put("claude", answer={"memories": []})
    memory.extract(MESSAGES, session="e")
    assert len(agents.calls) == 3
    assert "It may be asked now" in memory.about_model()


def test_a_login_that_says_no_rests_it_at_once(memory, agents):
    agents.put("claude", body="print('Not logged in')\nsys.exit(1)")
    for session in "abc":
        memory.extract(MESSAGES, session=session)
    assert len(agents.calls) == 1
    assert "login or its quota said no" in memory.about_model()


def test_there_is_a_cap_a_day(open_memory, agents, monkeypatch, clock):
    monkeypatch.setenv("PATH", str(agents.folder))
    monkeypatch.setenv("REVERIE_MODEL__NAME", "agent:claude-code")
    monkeypatch.setenv("REVERIE_MODEL__AGENT_CALLS_A_DAY", "2")
    memory = open_memory()
    agents.put("claude", answer={"memories": []})
    outcomes = [memory.extract(MESSAGES, session=name) for name in "abc"]
    assert len(agents.calls) == 2
    assert outcomes[2].usage.fallback == "budget_spent"
    clock.advance(days=1)
    memory.extract(MESSAGES, session="d")
    assert len(agents.calls) == 3


@pytest.mark.slow
@pytest.mark.parametrize("how", ["mark", "jail", "transcript"])
def test_no_hook_does_anything_below_an_agent_that_reverie_asks(
    memory, agents, project, tmp_path, private_home, how
):
    memory.remember("The staging server is called heron and runs on port 8471")
    jail = tmp_path / JAIL
    jail.mkdir()
    transcript = (jail if how == "transcript" else tmp_path) / "chat.jsonl"
    line = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": SAID}}
    transcript.write_text(json.dumps(line) + "\n", encoding="utf-8")
    payload = {
        "session_id": "s",
        "transcript_path": str(transcript),
        "cwd": str(jail if how == "jail" else project),
        "prompt": "Which port does the staging server use?",
    }
    env = {"HOME": str(private_home), "PATH": "/usr/bin:/bin"}
    env |= {MARK: "1"} if how == "mark" else {}
    started = time.time()
    for event in ("session-start", "prompt", "stop", "pre-compact", "session-end"):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "reverie", "hook", event, "--agent", "claude-code"],
            input=json.dumps(payload),
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "{}\n", "")
    lock = Path(memory.workspace.state) / "locks" / "hooks.lock"
    assert not lock.exists() or lock.stat().st_mtime < started


@pytest.mark.slow
@pytest.mark.parametrize(("goes_on", "calls"), [(False, 1), (True, 0)])
def test_a_session_that_never_ends_is_read_when_it_is_silent(
    open_memory, agents, monkeypatch, project, tmp_path, goes_on, calls
):
    from reverie.hooks import quick, work

    agents.put("claude", answer={"memories": []})
    monkeypatch.setenv("PATH", str(agents.folder))
    monkeypatch.setenv("REVERIE_MODEL__NAME", "agent:claude-code")
    transcript = tmp_path / "rollout.jsonl"
    lines = [{"type": item["role"], "sessionId": "s", "message": item} for item in MESSAGES]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    slept = []

    def silence(seconds: float) -> None:
        slept.append(seconds)
        if goes_on:
            transcript.write_text("", encoding="utf-8")

    monkeypatch.setattr(work, "sleep", silence)
    call = quick.Call()
    call.event, call.agent, call.workspace = "stop", "codex", str(project)
    call.payload = {"session_id": "s", "transcript_path": str(transcript), "cwd": str(project)}
    work.learn(call)
    assert slept == [300.0]
    assert len(agents.calls) == calls


def test_reading_a_session_again_at_its_end_is_not_hearing_it_again(memory, agents):
    agents.put("claude", body="sys.exit(1)")
    first = memory.extract(MESSAGES, session="s", moment="turn")
    before = [topic.text for topic in memory.store.topics()]
    memory.extract(MESSAGES, session="s", moment="end")
    assert isinstance(first, Extracted)
    assert len(agents.calls) == 1
    assert [topic.text for topic in memory.store.topics()] == before
