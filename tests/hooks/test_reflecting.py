"""The agent looks back before compaction and at the end, once for what was said, if it is switched on."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from reverie.core.agents.reflection import REFLECTION
from reverie.hooks import work
from reverie.memory import Memory
from tests.models.agents.fakes import FakeAgents
from tests.models.agents.test_reflecting import PLAIN


@pytest.fixture
def agents(tmp_path: Path, monkeypatch) -> FakeAgents:
    (tmp_path / "lab").mkdir()
    made = FakeAgents(tmp_path / "lab")
    monkeypatch.setenv("PATH", f"{made.folder}:{os.environ['PATH']}")
    made.put("claude", body=PLAIN["claude"])
    return made


@pytest.fixture
def on(monkeypatch) -> None:
    monkeypatch.setenv("REVERIE_HOOKS__REFLECT", "true")


@pytest.fixture
def hook(monkeypatch, project, tmp_path):
    transcript = tmp_path / "talk.jsonl"

    def hook(event: str, *said: str) -> None:
        lines = [
            {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": words}}
            for words in said
        ]
        transcript.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        told = {"session_id": "s1", "transcript_path": str(transcript), "cwd": str(project)}
        given = io.TextIOWrapper(io.BytesIO(json.dumps(told).encode()))
        monkeypatch.setattr(sys, "stdin", given)
        assert work.main([event, "--agent", "claude-code"]) == 0

    return hook


@pytest.mark.parametrize("event", ["pre-compact", "session-end"])
def test_the_agent_looks_back_before_compaction_and_at_the_end(agents, on, hook, project, event):
    hook(event, "The invoices are archived on the volume called magpie.")
    (call,) = agents.calls
    assert REFLECTION in call["given"]
    with Memory.open(project) as memory:
        assert [(row.verb, row.calls) for row in memory.usage()] == [("reflect", 1)]
        assert "agent:claude-code may be asked now" in memory.about_model()


def test_it_is_off_unless_switched_on(agents, hook):
    hook("session-end", "The invoices are archived on the volume called magpie.")
    assert agents.calls == []


def test_a_turn_is_no_end(agents, on, hook):
    hook("stop", "The invoices are archived on the volume called magpie.")
    assert agents.calls == []


def test_it_looks_back_again_only_when_the_person_said_something_since(agents, on, hook):
    first, second = "The invoices are on magpie.", "From March on, they are on heron."
    hook("pre-compact", first)
    hook("session-end", first)
    hook("session-end", first, "ok, thanks")
    assert len(agents.calls) == 1
    hook("session-end", first, "ok, thanks", second)
    assert len(agents.calls) == 2


def test_nothing_said_is_nothing_to_look_back_on(agents, on, hook):
    hook("session-end", "ok", "/clear")
    assert agents.calls == []


def test_one_that_failed_is_told_and_left_alone_after_two(agents, on, hook, project):
    agents.put("claude", body="sys.exit(3)")
    for number in range(4):
        hook("session-end", *[f"Fact number {at} is here to stay." for at in range(number + 1)])
    assert len(agents.calls) == 2
    with Memory.open(project) as memory:
        assert "it failed twice in a row" in memory.about_model()
        assert not [item for item in memory.doctor() if item.code == "hook_failed"]
