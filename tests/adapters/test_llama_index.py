"""LlamaIndex: its memory interface, its chat engine and its memory blocks over this memory."""

from __future__ import annotations

import asyncio

import pytest
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import BaseMemory
from llama_index.core.memory import Memory as LlamaMemory

from reverie.adapters.llama_index import ReverieMemory, ReverieMemoryBlock
from reverie.errors import InvalidArgument

pytestmark = pytest.mark.slow


def message(text, role=MessageRole.USER):
    return ChatMessage(role=role, content=text)


@pytest.fixture
def chat(memory):
    return ReverieMemory(memory, "c1")


def test_it_is_a_memory_of_the_framework(chat, memory):
    assert isinstance(chat, BaseMemory)
    assert isinstance(ReverieMemory.from_defaults(memory=memory, session_id="x"), ReverieMemory)


def test_messages_come_back_exactly(chat):
    rich = ChatMessage(
        role=MessageRole.USER,
        blocks=[
            TextBlock(text="see ```json\n{}\n```"),
            ImageBlock(url="https://example.com/a.png"),
        ],
        additional_kwargs={"tool_calls": [{"id": "1"}]},
    )
    chat.put(rich)
    chat.put_messages([message("hi"), message("hello", MessageRole.ASSISTANT)])
    assert chat.get_all() == [rich, message("hi"), message("hello", MessageRole.ASSISTANT)]


def test_set_replaces_and_reset_removes(chat, memory):
    other = ReverieMemory(memory, "c2")
    other.put(message("mine"))
    chat.put(message("one"))
    chat.set([message("two"), message("three")])
    assert [item.content for item in chat.get_all()] == ["two", "three"]
    chat.reset()
    assert chat.get_all() == []
    assert [item.content for item in other.get_all()] == ["mine"]


def test_get_brings_back_memories_before_the_conversation(chat, memory):
    memory.remember("The user's cat is called Miso.")
    chat.put(message("hello"))
    first, second = chat.get("what is my cat called?")
    assert first.role == MessageRole.SYSTEM
    assert "Miso" in first.content
    assert "<reverie-memory:" in first.content
    assert second.content == "hello"
    assert [item.content for item in chat.get()] == ["hello"]
    assert [item.content for item in ReverieMemory(memory, "c1", recall=False).get("my cat?")] == [
        "hello"
    ]


def test_get_keeps_the_newest_that_fit_and_never_begins_with_an_answer(memory):
    chat = ReverieMemory(memory, "c1", token_limit=60)
    for number in range(20):
        role = MessageRole.ASSISTANT if number % 2 else MessageRole.USER
        chat.put(message(f"message number {number} with some words", role))
    kept = chat.get()
    assert kept[-1].content.startswith("message number 19")
    assert kept[0].role == MessageRole.USER
    assert 0 < len(kept) < 20
    assert len(chat.get_all()) == 20


@pytest.mark.parametrize("name", ["../../x", "a/b", "名前" * 300, "\x00"])
def test_hostile_ids_stay_inside(memory, name):
    chat = ReverieMemory(memory, name)
    chat.put(message("hi"))
    assert [item.content for item in chat.get_all()] == ["hi"]
    assert all("/stores/llama-index/" in path for run in memory.log() for path in run.paths)


def test_an_id_is_needed(memory):
    with pytest.raises(InvalidArgument):
        ReverieMemory(memory, "")


def test_a_chat_engine_talks_through_it(chat, memory):
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=chat)
    engine.chat("hello there")
    engine.chat("and again")
    roles = [item.role for item in ReverieMemory(memory, "c1").get_all()]
    assert roles == [MessageRole.USER, MessageRole.ASSISTANT] * 2


def test_the_asynchronous_methods_do_the_same(chat):
    async def work():
        await chat.aput(message("one"))
        await chat.aput_messages([message("two")])
        return [item.content for item in await chat.aget()]

    assert asyncio.run(work()) == ["one", "two"]


def test_a_block_recalls_and_learns(memory):
    block = ReverieMemoryBlock(memory)

    async def work():
        await block.aput([message("Please remember that I always prefer trains over planes.")])
        return await block.aget([message("Should I book trains or planes?")])

    assert "trains" in asyncio.run(work())
    assert asyncio.run(block.aget([])) == ""


def test_a_block_works_inside_the_frameworks_memory(memory):
    memory.remember("The user's cat is called Miso.")
    whole = LlamaMemory.from_defaults(session_id="s", memory_blocks=[ReverieMemoryBlock(memory)])

    async def work():
        await whole.aput(message("what is my cat called?"))
        found = await whole.aget()
        await whole.sql_store._async_engine.dispose()  # the framework leaves its database open
        return found

    assert any("Miso" in (item.content or "") for item in asyncio.run(work()))
