"""The names and shapes that agents use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reverie.core.agents import known
from reverie.hooks import shapes

DATA = Path(__file__).parents[1] / "data" / "agents"


def test_both_tables_know_the_same_agents_and_events():
    assert set(shapes.AGENTS) == set(known.AGENTS)
    assert shapes.EVENTS == known.EVENTS
    for agent in known.AGENTS.values():
        for event, name in agent.events.items():
            assert shapes.event_named(name) == event


@pytest.mark.parametrize("name", [*shapes.EVENTS, "SessionStart", "session_start", "PRE-COMPACT"])
def test_an_event_is_known_by_any_of_its_names(name):
    assert shapes.event_named(name) in shapes.EVENTS


@pytest.mark.parametrize(
    "payload",
    [
        {"hook_event_name": "SubagentStop"},
        {"hook_event_name": "Stop", "agent_id": "a1", "agent_type": "Explore"},
        {"conversation_id": "c", "parent_conversation_id": "p"},
    ],
)
def test_a_sub_agent_is_recognised(payload):
    assert shapes.is_subagent(payload)


def test_a_session_started_with_an_agent_type_is_the_persons_own():
    assert not shapes.is_subagent({"hook_event_name": "SessionStart", "agent_type": "reviewer"})


@pytest.mark.parametrize("agent", shapes.AGENTS)
def test_what_each_agent_says_is_read(agent):
    payload = json.loads((DATA / agent / "prompt.in.json").read_text())
    assert shapes.prompt_of(payload) == "when may I deploy the billing gateway?"
    assert shapes.session_of(payload)
    assert shapes.folder_of(payload) == "{project}"
    assert (shapes.agent_of(payload) == "cursor") == (agent == "cursor")
