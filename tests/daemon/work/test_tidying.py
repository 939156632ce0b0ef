"""The daemon gives back what it does not need."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from reverie.core.text.remembered import forget_remembered, remembered
from reverie.core.text.values import value_signature
from reverie.daemon.work import tidying as tidying_module
from reverie.daemon.work.activity import Activity
from reverie.daemon.work.tidying import tidy, tidying
from reverie.models.embedded import EmbeddedEmbedder
from reverie.types import Scope, Topic


class Knot:
    """Something that only the collector of cycles can free."""

    def __init__(self):
        self.itself = self


def test_what_is_remembered_of_texts_is_given_up_and_read_again():
    before = value_signature("the harbour has 12 cranes")
    assert value_signature.cache_info().currsize
    assert forget_remembered()
    assert not value_signature.cache_info().currsize
    assert value_signature("the harbour has 12 cranes") == before


def test_tidying_frees_cycles_and_gives_pages_back():
    gc.disable()
    try:
        knot = weakref.ref(Knot())
        trimmed = []
        tidy(lambda: trimmed.append(True))
    finally:
        gc.enable()
    assert knot() is None
    assert trimmed == [True]


def test_a_daemon_tidies_again_and_again_and_stops_with_it():
    calls = []

    @remembered(4)
    def length(text):
        calls.append(text)
        return len(text)

    async def live():
        activity = Activity()
        async with tidying(every=0.001, activity=activity):
            while len(calls) < 3:  # each time it was forgotten in between
                length("harbour")
                activity.note()
                await asyncio.sleep(0)
        return [task.get_name() for task in asyncio.all_tasks()]

    assert "tidying" not in asyncio.run(live())


@pytest.mark.slow
def test_a_daemon_that_is_idle_lets_the_weights_go_once_and_reads_them_again(monkeypatch):
    from reverie.models import embedders

    rests, trims, activity = [], [], Activity()
    monkeypatch.setattr(embedders, "let_go_of_weights", lambda: rests.append(True))
    monkeypatch.setattr(tidying_module, "bounded_heap", lambda: lambda: trims.append(True))

    async def rested(times):
        while len(rests) < times:  # noqa: ASYNC110  # the task under test has no event to wait for
            await asyncio.sleep(0)

    async def live():
        loop = asyncio.get_running_loop()
        async with tidying(every=0.001, rest_after=0.003, activity=activity):
            await rested(1)
            while not activity._news._waiters:  # noqa: ASYNC110  # until it sleeps
                await asyncio.sleep(0)
            assert len(rests) == 1
            assert not [
                item for item in loop._scheduled if not item.cancelled()
            ]  # no timer is left
            activity.note()
            await rested(2)

    asyncio.run(live())


def test_a_daemon_that_is_idle_lets_go_of_topics_that_were_read_whole(open_memory):
    memory = open_memory()
    memory.remember("The harbour has 12 cranes", scope="user")
    folder = memory.store.folders[Scope.USER]
    assert len(folder.topics()) == 1
    assert [isinstance(there, Topic) for there in folder._read.values()] == [True]
    tidying_module._rest(lambda: None)
    assert not folder._read
    assert [topic.entries[0].summary for topic in folder.topics()] == ["The harbour has 12 cranes"]


def test_weights_are_kept_while_vectors_are_made_and_let_go_after_that(monkeypatch):
    from reverie.models import embedders

    rests, looks, activity = [], [], Activity()
    monkeypatch.setattr(embedders, "let_go_of_weights", lambda: rests.append(len(looks)))
    monkeypatch.setattr(tidying_module, "bounded_heap", lambda: lambda: None)

    def fills():
        looks.append(True)
        return len(looks) < 3

    monkeypatch.setattr(tidying_module, "anything_fills", fills)

    async def live():
        async with tidying(every=0.001, rest_after=0.003, activity=activity):
            while not rests:  # noqa: ASYNC110  # the task under test has no event to wait for
                await asyncio.sleep(0)

    asyncio.run(live())
    assert rests == [3]


def test_weights_that_were_let_go_say_the_same_again():
    embedder = EmbeddedEmbedder()
    before = embedder.embed(["the harbour has 12 cranes"])
    embedder.let_go()
    assert list(embedder.embed(["the harbour has 12 cranes"])[0]) == list(before[0])
