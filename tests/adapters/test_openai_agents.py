"""The session protocol of OpenAI Agents, and a run of its own runner over it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from agents.items import ModelResponse
from agents.memory import Session, SessionSettings
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from agents import Agent, RunConfig, Runner
from reverie.adapters.openai_agents import ReverieSession
from reverie.errors import InvalidArgument, StoreError

pytestmark = pytest.mark.slow

ITEMS = [
    {"role": "user", "content": "What is the capital of France?"},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"x": "\\u00e9"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "Paris\r\n```json\n{}\n```"},
    {
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Paris 🗼", "annotations": []}],
    },
]


def done(coroutine):
    return asyncio.run(coroutine)


@pytest.fixture
def session(memory):
    return ReverieSession("s1", memory)


def test_it_is_a_session(session):
    assert isinstance(session, Session)


def test_items_come_back_exactly_and_in_order(session):
    done(session.add_items(ITEMS[:1]))
    done(session.add_items(ITEMS[1:]))
    assert done(session.get_items()) == ITEMS


def test_a_limit_gives_the_latest_in_order(session):
    for item in ITEMS:
        done(session.add_items([item]))
    assert done(session.get_items(2)) == ITEMS[-2:]
    assert done(session.get_items(99)) == ITEMS
    assert done(session.get_items(0)) == []


def test_the_settings_of_a_session_limit_it(memory):
    session = ReverieSession("s1", memory, session_settings=SessionSettings(limit=1))
    done(session.add_items(ITEMS))
    assert done(session.get_items()) == ITEMS[-1:]
    assert done(session.get_items(3)) == ITEMS[-3:]


def test_pop_takes_the_latest_until_nothing_is_left(session):
    done(session.add_items(ITEMS[:3]))
    done(session.add_items(ITEMS[3:]))
    assert [done(session.pop_item()) for _ in range(5)] == [*reversed(ITEMS), None]
    assert done(session.get_items()) == []
    done(session.add_items(ITEMS[:1]))
    assert done(session.get_items()) == ITEMS[:1]


def test_clear_removes_this_session_only_and_can_be_undone(session, memory):
    other = ReverieSession("s2", memory)
    done(session.add_items(ITEMS))
    done(other.add_items(ITEMS[:1]))
    done(session.clear_session())
    assert done(session.get_items()) == []
    assert done(other.get_items()) == ITEMS[:1]
    memory.undo(memory.log()[0].id)
    assert done(session.get_items()) == ITEMS
    done(session.clear_session())
    done(session.clear_session())


def test_adding_nothing_writes_nothing(session, memory):
    done(session.add_items([]))
    assert memory.log() == []


@pytest.mark.parametrize(
    "name", ["../../x", "/etc", "a/b", "..", "ключ" * 200, "s1 ", "S1", "\x00"]
)
def test_sessions_of_any_name_are_apart_and_inside(memory, name):
    plain, odd = ReverieSession("s1", memory), ReverieSession(name, memory)
    done(plain.add_items(ITEMS[:1]))
    done(odd.add_items(ITEMS[1:2]))
    assert done(plain.get_items()) == ITEMS[:1]
    assert done(odd.get_items()) == ITEMS[1:2]
    assert all("/stores/openai-agents/" in path for run in memory.log() for path in run.paths)


def test_a_session_needs_a_name(memory):
    with pytest.raises(InvalidArgument):
        ReverieSession("", memory)


def test_additions_at_once_are_all_kept(session):
    async def work():
        await asyncio.gather(
            *(session.add_items([{"role": "user", "content": str(n)}]) for n in range(12))
        )
        return await session.get_items()

    assert sorted(int(item["content"]) for item in done(work())) == list(range(12))


def test_a_file_that_a_person_broke_is_named(session, memory):
    done(session.add_items(ITEMS))
    Path(memory.log()[0].paths[0]).write_text("oops")
    with pytest.raises(StoreError, match=r"00000001\.md"):
        done(session.get_items())


class Echo(Model):
    """A model that says how many items it was given."""

    async def get_response(self, system_instructions, input, *_, **__):  # noqa: ARG002
        text = f"I was given {len(input)}"
        part = ResponseOutputText(annotations=[], text=text, type="output_text")
        message = ResponseOutputMessage(
            id="m", content=[part], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


def test_the_runner_of_the_framework_remembers_through_it(session, memory):
    agent = Agent(name="a", model=Echo())
    config = RunConfig(tracing_disabled=True)
    first = done(Runner.run(agent, "hello", session=session, run_config=config))
    again = ReverieSession("s1", memory)
    second = done(Runner.run(agent, "and now?", session=again, run_config=config))
    assert first.final_output == "I was given 1"
    assert second.final_output == "I was given 3"
    assert len(done(again.get_items())) == 4
