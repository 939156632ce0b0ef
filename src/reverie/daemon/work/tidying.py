"""A process that stays gives back what it does not need: remembered texts, cycles, free pages.

Rules
- Nothing is thrown away that would be missed: what is remembered of texts is read again when it is needed.
- Threads share two heaps of the C library instead of having one each: a heap keeps the most that its
  threads ever needed at once, and many of them keep it many times.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from reverie.core.text.remembered import forget_remembered

_log = logging.getLogger(__name__)
TIDY_SECONDS: Final = 60.0
_HEAPS: Final = 2
_M_ARENA_MAX: Final = -8  # of the GNU C library's <malloc.h>


@asynccontextmanager
async def tidying(every: float = TIDY_SECONDS) -> AsyncIterator[None]:
    """Keep the process tidy for as long as this lasts."""
    trim = _heap()
    task = asyncio.create_task(_tidy(trim, every), name="tidying")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _tidy(trim: Callable[[], None], every: float) -> None:
    while True:
        await asyncio.sleep(every)
        await asyncio.to_thread(tidy, trim)


def tidy(trim: Callable[[], None]) -> None:
    """Give back what is not needed now."""
    texts = forget_remembered()
    cycles = gc.collect()
    trim()
    _log.debug("gave up what was remembered of %d texts, and %d objects", texts, cycles)


def _heap() -> Callable[[], None]:
    """Bound the heaps of the C library; return what gives free pages of them back to the system."""
    import ctypes

    try:
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, _HEAPS)
        give_back = library.malloc_trim
    except (OSError, AttributeError):  # another C library, which has ways of its own
        return lambda: None
    return lambda: give_back(0)
