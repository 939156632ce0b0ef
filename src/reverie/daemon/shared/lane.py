"""The lane of a workspace that several daemons serve: only the one that holds its lease works in it.

Rules
- Before the first task the lane is claimed; when nothing is left it is given back, for any daemon.
- While something runs, the lease is renewed. Once it is lost nothing more is written: the permit is
  taken back, and every write asks the database whether the lease is still there.
- A task that found the memory locked, the pool taken, the server away or its disk full is put back, and
  tried again after a pause that grows: it was accepted, so it is done or somebody takes it back.
- What the last holder left running is settled first: completed from the journal, or begun again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from reverie.daemon.work.lane import Lane, Value
from reverie.errors import (
    DiskFull,
    LaneLost,
    Locked,
    ReadOnly,
    ReverieError,
    StoreError,
    TaskNotFound,
    TaskOver,
    TenantMoving,
    Unavailable,
)
from reverie.postgres.tasks import Claim
from reverie.types import TaskFailure
from reverie.types.tasks import Signal

if TYPE_CHECKING:
    from reverie.daemon.shared.hosted import SharedHosted
    from reverie.daemon.work.permit import Permit
    from reverie.daemon.work.results import TaskResult
    from reverie.postgres.tasks import PgTasks
    from reverie.types import Task

_log = logging.getLogger(__name__)
_IN_THE_WAY = (LaneLost, Unavailable, Locked, DiskFull, ReadOnly)
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_LOST = TaskFailure("lane_lost", "another daemon has this lane now; it runs the task again")


class SharedLane(Lane):
    """Works when it may."""

    def __init__(self, hosted: SharedHosted, queue: PgTasks, *, seconds: float) -> None:
        super().__init__(hosted, seconds=seconds)
        self._queue = queue
        self._in_the_way = 0
        self.takeovers = 0
        """How often the lane was taken from a daemon that gave no more sign of life."""

    async def start(self) -> None:
        """Begin to work; what others left is settled when the lane is claimed."""
        self._wake.set()
        self._loop = asyncio.create_task(self._work(), name="lane")

    async def _work(self) -> None:
        try:
            await self._work_on()
        except LaneLost as error:
            _log.info("the lane ends here: %s", error)

    async def _work_on(self) -> None:
        while True:
            self._wake.clear()
            if self.draining:
                await self._let_go()
                return
            claim = await self._surely(self._queue.claim)
            if claim is Claim.TAKEN:
                await self._rest()
                continue
            if claim is Claim.FRESH:
                await self._settle_left()
            task = await self._surely(self._queue.start_next)
            if task is not None:
                await self._while_held(self._run(task))
                await self._pause()
            elif self._waiting_work:
                await self._while_held(self._run_background(self._waiting_work.popleft()))
            elif not self._wake.is_set():
                await self._let_go()
                await self._wake.wait()

    async def _rest(self) -> None:
        """Wait for a call, or as long as a lease lasts when somebody waits for background work."""
        patience = self._queue.lease_seconds if self._waiting_work else None
        try:
            await asyncio.wait_for(self._wake.wait(), patience)
        except TimeoutError:
            return

    async def _settle_left(self) -> None:
        left = [task for task in await self._surely(self._left) if task]
        if left:
            self.takeovers += 1
            try:
                await self._workers.run(self._recover)
            except ReverieError as error:
                _log.warning("what another daemon left cannot be settled yet: %s", error)

    def _left(self) -> list[str]:
        waiting = self._queue.tasks(waiting=True)
        return [task.id for task in waiting if task.status.value == "running"]

    async def _settle(self, task: Task, permit: Permit, work: asyncio.Future[TaskResult]) -> None:
        error = None if work.cancelled() else work.exception()
        lost = permit.revoked is _LOST or isinstance(error, _IN_THE_WAY)
        if error is None or not lost:
            self._in_the_way = 0
            await super()._settle(task, permit, work)
            return
        # Neither the task's fault nor anybody's wish: it is begun again, here or elsewhere.
        _log.info("%s is put back: %s", task.id, error)
        self._in_the_way += 1
        try:
            put_back = await self._surely(partial(self._queue.settle, task.id, Signal.POSTPONE))
        except (TaskOver, TaskNotFound):  # the lane is another daemon's now, and so is the task
            return
        self._announce(put_back)

    async def _pause(self) -> None:
        """Wait before a task that was put back is begun again, longer each time."""
        if self._in_the_way and not self.draining:
            seconds = min(_FIRST_PAUSE * 2 ** (self._in_the_way - 1), _LONGEST_PAUSE)
            await asyncio.sleep(seconds)

    async def _put_back(self) -> bool:
        try:
            return await super()._put_back()
        except (
            StoreError,
            Unavailable,
        ) as error:  # its lease ends, then another daemon begins it again
            _log.info("the running task is left as it is: %s", error)
            return True

    async def _surely(self, work: Callable[[], Value]) -> Value:
        def once() -> Value:
            try:
                return work()
            except TenantMoving as error:
                if (
                    self.draining
                ):  # closed because its tenant went: nothing is recorded here any more
                    raise LaneLost("this lane is on another server now") from error
                raise

        return await super()._surely(once)

    async def _let_go(self) -> None:
        try:
            if await self._hosted.bookkeeping.run(self._queue.release):
                self._wake.set()  # something came between the look and the release
        except ReverieError as error:
            _log.info("the lane is not given back, its lease will end: %s", error)

    async def _while_held(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something and keep the lease meanwhile."""
        heart = asyncio.create_task(self._beat(), name="lease")
        try:
            await work
        finally:
            heart.cancel()

    async def _beat(self) -> None:
        every = self._queue.lease_seconds / 3
        while True:
            await asyncio.sleep(every)
            try:
                held = await self._hosted.bookkeeping.run(self._queue.renew)
            except ReverieError as error:
                _log.warning("the lease cannot be renewed: %s", error)
                continue
            if not held:
                _log.warning("the lane was lost to another daemon")
                if self._current is not None:
                    self._current[1].revoke(_LOST)
                    self._revoked.set()
                if self._current_work is not None:
                    self._current_work.stop()
                return
