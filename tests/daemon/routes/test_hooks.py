"""What a daemon does for the hooks of agents after a conversation."""

from __future__ import annotations

import pytest

MESSAGES = [
    {
        "type": "user",
        "sessionId": "s",
        "uuid": "1",
        "message": {"role": "user", "content": "Please remember: we always deploy on Thursdays."},
    },
    {
        "type": "assistant",
        "sessionId": "s",
        "uuid": "2",
        "message": {"role": "assistant", "content": "Noted."},
    },
]
BODY = {"session": "s", "agent": "claude-code", "messages": MESSAGES}


def learn(daemon, **parts):
    return daemon.post("/workspace/hooks/learn", {**BODY, **parts}).json()


def turns(daemon) -> int:
    return daemon.get("/workspace/layers").json()["turns"]


def test_a_conversation_is_learned_from_and_kept_once(daemon):
    for _ in range(2):
        told = learn(daemon, extracts=True, keeps=True)
        assert told == {
            "done": True,
            "remaining": False,
            "asks": False,
            "reflects": False,
            "idleSeconds": 300.0,
        }
    assert turns(daemon) == 1
    recalled = daemon.post("/workspace/recall", {"query": "when do we deploy?"}).json()
    assert "Thursdays" in recalled["block"]


def test_an_event_is_an_occasion_only_for_what_it_names(daemon):
    learn(daemon, keeps=True)
    assert not daemon.post("/workspace/recall", {"query": "when do we deploy?"}).json()["block"]
    assert turns(daemon) == 1


def test_settings_of_hooks_count_in_a_daemon_too(start):
    daemon = start(settings={"hooks.learn": False, "hooks.history": False, "hooks.reflect": True})
    assert learn(daemon, extracts=True, keeps=True)["reflects"] is False
    assert turns(daemon) == 0
    assert not daemon.post("/workspace/recall", {"query": "when do we deploy?"}).json()["block"]


def test_what_needs_a_process_of_the_person_is_named_and_left_to_it(start):
    daemon = start(settings={"hooks.reflect": True, "hooks.idle_seconds": 7})
    told = learn(daemon, extracts=True, keeps=True)
    assert (told["done"], told["reflects"], told["idleSeconds"]) == (True, True, 7.0)


@pytest.mark.parametrize("dialect", ["claude", "qwen"])
def test_folders_shared_with_an_agent_are_left_to_the_process_that_knows_its_environment(
    start, dialect
):
    daemon = start(dialect=dialect)
    assert learn(daemon, extracts=True, keeps=True)["done"] is False
    assert turns(daemon) == 0
    assert not daemon.post("/workspace/recall", {"query": "when do we deploy?"}).json()["block"]
