"""A hook that the running server answers: the same answer as the command's, and one of the two."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from reverie.core.agents.naming import MARK
from reverie.hooks import inside, quick
from reverie.memory import Memory

FACT = "The invoices are archived on the volume called magpie"


@pytest.fixture
def given(project):
    with Memory.open(project) as memory:
        memory.remember(FACT)
    return {
        "event": "prompt",
        "agent": "claude-code",
        "prompt": "Where are the invoices archived?",
        "session_id": "s1",
        "cwd": str(project),
        "prompt_id": "",
        "agent_id": "",
        "hook_event_name": "UserPromptSubmit",
    }


def answer(given: dict) -> dict:
    return inside.answer(given, home=None, dialect=None)


def test_the_answer_is_the_one_of_the_command(given, monkeypatch, capfd):
    told = answer(given)
    assert "magpie" in told["hookSpecificOutput"]["additionalContext"]
    other = json.dumps({**given, "session_id": "s2"}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(other)))
    assert quick.main(["prompt", "--agent", "claude-code"]) == 0
    assert json.loads(capfd.readouterr().out) == told


def test_what_was_shown_is_not_shown_again_in_the_session(given):
    assert answer({**given, "prompt_id": "p1"}) != {}
    assert answer({**given, "prompt_id": "p2", "prompt": "And the invoices archived?"}) == {}


def test_a_plugin_beside_it_leaves_the_answer_to_the_first(given, monkeypatch, capfd):
    """The command began before the server had answered, so it is the same event."""
    call = quick.Call()
    assert answer(given) != {}
    call.agent, call.event, call.payload = "claude-code", "prompt", given
    assert quick.answered_inside(call) == {}


@pytest.mark.parametrize(
    "change",
    [
        {"event": "session-start"},
        {"event": "session-end"},
        {"event": "nonsense"},
        {"agent": "nobody"},
        {"prompt": "ok"},
        {"agent_id": "sub-1"},
    ],
)
def test_everything_else_changes_nothing(given, change):
    assert answer({**given, **change}) == {}


@pytest.mark.slow
@pytest.mark.parametrize("event", ["stop", "pre-compact"])
def test_what_was_said_is_learned_by_a_process_of_its_own_that_leaves_nothing(
    given, event, project, tmp_path
):
    said = [("user", "We always deploy the gateway on Thursdays."), ("assistant", "Understood.")]
    lines = (
        {"type": role, "message": {"role": role, "content": text}, "sessionId": "s1"}
        for role, text in said
    )
    talk = tmp_path / "talk.jsonl"
    talk.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = children()
    assert answer({**given, "event": event, "transcript_path": str(talk)}) == {}
    assert until(lambda: kept(project, event))
    assert until(lambda: children() <= before)


def kept(project, event):
    with Memory.open(project) as memory:
        if event == "stop":
            return any("Thursdays" in topic.text for topic in memory.store.topics())
        turns = memory.layers.replay(50, everything=True).turns
        return "Thursdays" in str([turn.messages for turn in turns])


def children():
    """Return the processes below this one, also those that ended and that nobody took note of."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    found = set(listed)
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            found |= set((thread / "children").read_text().split())
    return found


def until(found):
    deadline = time.monotonic() + 120
    while not (value := found()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return value


def test_an_agent_that_reverie_asks_gets_nothing(given, monkeypatch):
    monkeypatch.setenv(MARK, "1")
    assert answer(given) == {}


def test_an_error_is_told_and_changes_nothing(given, project, private_home, monkeypatch):
    def broken(*_args, **_more):
        raise OSError(5, "Input/output error", "somewhere")

    monkeypatch.setattr("reverie.local.recall.quick.quick_recall", broken)
    monkeypatch.setattr("reverie.hooks.work.recalled", broken)
    assert answer(given) == {}
    with Memory.open(project) as memory:
        assert [item.code for item in memory.doctor() if item.code == "hook_failed"]
