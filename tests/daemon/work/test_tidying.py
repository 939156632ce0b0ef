"""The daemon gives back what it does not need."""

from __future__ import annotations

import asyncio
import gc
import weakref

from reverie.core.text.remembered import forget_remembered, remembered
from reverie.core.text.values import value_signature
from reverie.daemon.work.tidying import tidy, tidying


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
        async with tidying(every=0.001):
            while len(calls) < 3:  # each time it was forgotten in between
                length("harbour")
                await asyncio.sleep(0)
        return [task.get_name() for task in asyncio.all_tasks()]

    assert "tidying" not in asyncio.run(live())
