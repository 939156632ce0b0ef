"""A process that stays gives back what it does not need: remembered texts, cycles, free pages, weights.

Rules
- The weights of the embedders, most of a daemon's memory, the topics and their lists, the stored words and
  the search indexes are let go when nothing was asked for minutes, and read again with the next question that
  needs them. A quiet process is tidied once, and then sleeps until something is asked: it never wakes the
  machine for nothing. While vectors are made for an index, the weights would only be read again.
- Nothing is thrown away that would be missed: what is remembered of texts is read again when it is needed.
- Threads share one heap of the C library instead of having one each: a heap keeps the most that its
  threads ever needed at once, and many of them keep it many times.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from reverie.core.text.remembered import forget_remembered
from reverie.daemon.work.activity import Activity
from reverie.errors import ReverieError
from reverie.memory.filling import anything_fills

_log = logging.getLogger(__name__)
TIDY_SECONDS: Final = 60.0
REST_SECONDS: Final = 300.0
"""After so long without a request a daemon counts as idle."""
_HEAPS: Final = 1
_M_ARENA_MAX: Final = -8  # of the GNU C library's <malloc.h>


@asynccontextmanager
async def tidying(
    every: float = TIDY_SECONDS,
    *,
    rest_after: float = REST_SECONDS,
    activity: Activity,
) -> AsyncIterator[None]:
    """Keep the process tidy for as long as this lasts."""
    trim = bounded_heap()
    task = asyncio.create_task(_tidy(trim, every, rest_after, activity), name="tidying")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _tidy(
    trim: Callable[[], None], every: float, rest_after: float, activity: Activity
) -> None:
    before, quiet = activity.count, 0.0
    while True:
        await asyncio.sleep(every)
        now = activity.count
        quiet = quiet + every if now == before else 0.0
        before = now
        if quiet >= rest_after and not anything_fills():
            await asyncio.to_thread(_rest, trim)
            if activity.count == before:
                await activity.next()
            quiet = 0.0
        elif quiet <= every:
            await asyncio.to_thread(tidy, trim)


def _rest(trim: Callable[[], None]) -> None:
    from reverie.local.resting import opened
    from reverie.models.embedders import let_go_of_weights

    let_go_of_weights()
    for part in opened():
        try:
            part.rest()
        except (
            ReverieError,
            OSError,
            sqlite3.Error,
        ) as error:  # it is being closed, or its disk is full
            _log.debug("something is kept in memory: %s", error)
    tidy(trim)


def tidy(trim: Callable[[], None]) -> None:
    """Give back what is not needed now."""
    texts = forget_remembered()
    cycles = gc.collect()
    trim()
    _log.debug("gave up what was remembered of %d texts, and %d objects", texts, cycles)


def bounded_heap() -> Callable[[], None]:
    """Bound the heaps of the C library; return what gives free pages of them back to the system."""
    import ctypes

    try:
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, _HEAPS)
        give_back = library.malloc_trim
    except (OSError, AttributeError):  # another C library, which has ways of its own
        return lambda: None
    return lambda: give_back(0)
