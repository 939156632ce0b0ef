"""AsyncMemory: the same verbs, awaited; real files, real threads."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import subprocess
import sys
import threading
from datetime import UTC, datetime

import pytest

from reverie import AsyncMemory, Memory
from reverie.errors import BadSetting, InvalidInput
from reverie.once import once

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
WAIT = 30.0
PARTS = {"layers", "model", "search_index"}
"""What a memory opens when it is first used; no verbs."""


class Gate:
    """A clock that can be held, so that a verb stands still in the middle."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()
        self.open.set()

    def __call__(self) -> datetime:
        self.reached.set()
        assert self.open.wait(WAIT)
        return NOW

    def hold(self) -> None:
        self.reached.clear()
        self.open.clear()


async def reached(gate: Gate) -> None:
    assert await asyncio.to_thread(gate.reached.wait, WAIT)


def verbs(kind: type) -> set[str]:
    named = (name for name in dir(kind) if not name.startswith("_"))
    return {name for name in named if inspect.isroutine(getattr(kind, name))} - PARTS


def test_every_verb_is_there_with_its_signature_and_its_words():
    assert verbs(AsyncMemory) == verbs(Memory) | {"run"}
    for name in verbs(Memory) - {"open", "close", "watch"}:
        verb, awaited = getattr(Memory, name), getattr(AsyncMemory, name)
        assert inspect.signature(awaited) == inspect.signature(verb)
        assert awaited.__doc__ == verb.__doc__
        assert inspect.iscoroutinefunction(awaited)


def test_a_memory_goes_round(project):
    async def story():
        async with AsyncMemory.open(project) as memory:
            kept = await memory.remember("The beekeeper lives in Ghent", scope="project")
            recalled = await memory.recall("where does the beekeeper live?")
            assert [item.path for item in recalled.topics] == [kept.path]
            assert (await memory.search("beekeeper")).results
            assert await memory.run(lambda inside: len(inside.store.topics())) == 1
            (run, *_) = await memory.log()
            await memory.undo(run.id)
            assert not (await memory.recall("beekeeper")).topics
            assert (await memory.verify()).ok

    asyncio.run(story())


def test_what_many_write_at_once_is_all_kept_while_others_read(project):
    facts = [f"Fact number {number} is kept" for number in range(30)]

    async def story():
        async with AsyncMemory.open(project) as memory:
            await asyncio.gather(
                *(memory.save(fact, scope="project") for fact in facts),
                *(memory.remember(f"The boat {number} is green") for number in range(10)),
                *(memory.search("fact number") for _ in range(5)),
                *(memory.prompt("boat") for _ in range(5)),
            )
            assert (await memory.verify()).ok
            return await memory.context(), await memory.run(lambda inside: inside.store.topics())

    context, topics = asyncio.run(story())
    assert all(f"- {fact}\n" in context.text + "\n" for fact in facts)
    assert sorted(item.name for item in topics) == [f"The boat {n} is green" for n in range(10)]


def test_a_write_that_began_is_finished_when_its_caller_is_cancelled(project):
    gate = Gate()

    async def story():
        async with AsyncMemory.open(project, clock=gate) as memory:
            gate.hold()
            writing = asyncio.create_task(memory.remember("The otter sleeps under the bridge"))
            await reached(gate)
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            gate.open.set()
        # Closing waited for it.
        with Memory.open(project) as after:
            assert [run.verb for run in after.log()] == ["remember"]
            assert after.recall("otter").topics
            assert after.verify().ok

    asyncio.run(story())


def test_a_write_that_still_waits_for_a_thread_is_not_done_when_its_caller_is_cancelled(project):
    gate = Gate()

    async def story():
        async with AsyncMemory.open(project, clock=gate) as memory:
            gate.hold()
            busy = [asyncio.create_task(memory.recall("anything")) for _ in range(50)]
            await reached(gate)
            late = asyncio.create_task(memory.save("never said", scope="project"))
            await asyncio.sleep(0)
            late.cancel()
            with pytest.raises(asyncio.CancelledError):
                await late
            gate.open.set()
            await asyncio.gather(*busy)
            assert await memory.log() == []

    asyncio.run(story())


def test_opening_says_what_is_wrong_when_the_memory_is_entered(project):
    async def story():
        async with AsyncMemory.open(project, settings={"recall.limit": "many"}):
            raise AssertionError("opened")

    with pytest.raises(BadSetting):
        asyncio.run(story())


def test_an_error_of_a_verb_comes_back_as_it_is(project):
    async def story():
        async with AsyncMemory.open(project) as memory:
            with pytest.raises(InvalidInput):
                await memory.remember("x", scope="nowhere")

    asyncio.run(story())


def test_without_a_block_the_memory_opens_at_the_first_verb_and_is_closed_by_hand(project):
    async def story():
        memory = AsyncMemory.open(project)
        await memory.save("A fact", scope="project")
        await memory.close()
        await memory.close()
        with pytest.raises(RuntimeError):
            await memory.recall("fact")

    asyncio.run(story())


@pytest.mark.parametrize("ended", ["cancelled", "closed"])
def test_watching_ends_when_it_is_cancelled_and_when_the_memory_is_closed(project, ended):
    async def story():
        memory = AsyncMemory.open(project)
        loop, synced = asyncio.get_running_loop(), asyncio.Event()
        watching = asyncio.create_task(
            memory.watch(lambda _: loop.call_soon_threadsafe(synced.set))
        )
        await asyncio.wait_for(synced.wait(), WAIT)
        if ended == "cancelled":
            watching.cancel()
        await asyncio.wait_for(memory.close(), WAIT)
        if ended == "cancelled":
            with pytest.raises(asyncio.CancelledError):
                await watching
        else:
            await watching

    asyncio.run(story())


def test_a_verb_sees_the_context_of_its_caller(project):
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")

    async def story():
        async with AsyncMemory.open(project) as memory:
            who.set("me")
            assert await memory.run(lambda _: who.get()) == "me"

    asyncio.run(story())


def test_a_part_is_opened_once_when_many_threads_ask_first():
    class House:
        def __init__(self) -> None:
            self.opened = 0

        @once
        def door(self) -> object:
            self.opened += 1
            waiting.wait(WAIT)
            return object()

    house, waiting, found = House(), threading.Event(), []
    threads = [threading.Thread(target=lambda: found.append(house.door)) for _ in range(8)]
    for thread in threads:
        thread.start()
    waiting.set()
    for thread in threads:
        thread.join(WAIT)
    assert (house.opened, len(found), len(set(found))) == (1, 8, 1)


def test_a_memory_that_is_not_awaited_imports_no_event_loop():
    code = "import sys, reverie.memory; assert 'asyncio' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
