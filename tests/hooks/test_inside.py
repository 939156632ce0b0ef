"""A hook that the running server answers: the same answer as the command's, and one of the two."""

from __future__ import annotations

import io
import json
import sys

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
        {"event": "stop"},
        {"event": "nonsense"},
        {"agent": "nobody"},
        {"prompt": "ok"},
        {"agent_id": "sub-1"},
    ],
)
def test_everything_else_changes_nothing(given, change):
    assert answer({**given, **change}) == {}


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
