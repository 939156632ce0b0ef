"""Background work: what the lane does between two tasks, such as what is due in the background.

Unlike a task it may write several times, and nobody waits for a record of it. So it can always be
stopped: a write that began is finished, the next one is refused.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeAlias, TypeVar

from reverie.daemon.http.presence import CallerGone, Presence
from reverie.errors import LaneBusy, ReverieError, TaskStopped
from reverie.memory import Memory
from reverie.types import RunInfo
from reverie.types.tasks import News

Value = TypeVar("Value")
Stopped: TypeAlias = Callable[[], bool]
_WHY = "the daemon stopped this before it was done; it will be done later"


class BackgroundWork(Generic[Value]):
    """One piece of work, and what came of it."""

    def __init__(
        self,
        work: Callable[[Memory, Stopped], Value],
        caller: Presence | None = None,
        *,
        news: News | None = None,
    ) -> None:
        self.news = news
        """Told of what it writes. It writes no more than once, so the lane may go with the write."""
        self._work = work
        self._caller = caller
        self._stopped = threading.Event()
        self.begun = asyncio.Event()
        self.outcome: asyncio.Future[Value] = asyncio.get_running_loop().create_future()

    async def begin_within(
        self, seconds: float, hindrance: Callable[[], ReverieError | None]
    ) -> None:
        """Wait until it has begun, or raise what is in its way: it is not done then, ever."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.begun.wait(), seconds)
        if not self.begun.is_set() and not self.outcome.done():
            self.outcome.cancel()
            if (why := hindrance()) is not None:
                raise why
            raise LaneBusy(f"other tasks are at work; this was not started within {seconds:g} s")

    @property
    def in_passing(self) -> bool:
        """Whether a lane that is free need not be taken for it."""
        return self.news is not None and self.news.in_passing

    @property
    def done(self) -> bool:
        """Whether it has been done, and without an error."""
        outcome = self.outcome
        return outcome.done() and not outcome.cancelled() and outcome.exception() is None

    def unwanted(self) -> bool:
        """Say whether nobody waits for it any more, so that it is not begun."""
        if self._caller is not None and self._caller.left():
            self.drop()
        return self.outcome.done()

    def drop(self) -> None:
        """Do not begin it: nobody waits for it any more."""
        if not self.begun.is_set() and not self.outcome.done():
            self.outcome.set_exception(CallerGone())

    def stop(self) -> None:
        """Let it write no more."""
        self._stopped.set()

    def endorse(self, run: RunInfo) -> RunInfo:
        """Let a run be recorded, or raise `TaskStopped`."""
        if self._stopped.is_set():
            raise TaskStopped(_WHY)
        return run

    def perform(self, memory: Memory) -> Value:
        """Do it, in the worker's thread."""
        return self._work(memory, self._stopped.is_set)

    def give_up(self) -> None:
        """Tell whoever waits for it that it was not done."""
        self.stop()
        if not self.outcome.done():
            self.outcome.set_exception(TaskStopped(_WHY))

    def settle(self, work: asyncio.Future[Value]) -> None:
        """Tell whoever waits for it."""
        if self.outcome.done():
            return
        if work.cancelled() or not work.done():
            self.give_up()
        elif (error := work.exception()) is not None:
            self.outcome.set_exception(error)
        else:
            self.outcome.set_result(work.result())
