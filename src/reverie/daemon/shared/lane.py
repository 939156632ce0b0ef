"""The lane of a workspace that several daemons serve: only the one that holds its lease works in it.

Rules
- Before the first task the lane is claimed; when nothing is left it is given back, for any daemon: with
  the write itself, where that is all there was to do. Where callers of several daemons wait for the same
  lane, they take turns.
- What writes once does not take a lane that was free at the last look: its write holds the lane's row.
  Where the lane is not free any more, nothing was written, and it is begun anew in the usual way.
- While something runs, the lease is renewed. Once it is lost nothing more is written: the permit is
  taken back, and every write asks the database whether the lease is still there.
- A task that found the memory locked, the pool taken, the server away or its disk full is put back, and
  tried again after a pause that grows: it was accepted, so it is done or somebody takes it back.
- What the last holder left running is settled first: completed from the journal, or begun again. So is a task
  of ours whose write was made while its answer was lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from reverie.daemon.work.lane import Lane, Value
from reverie.daemon.work.questions import waits_for_others
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
from reverie.postgres.tasks import Claim, LaneNotFree, Taken
from reverie.types import TaskFailure

if TYPE_CHECKING:
    from reverie.daemon.http.presence import Presence
    from reverie.daemon.shared.hosted import SharedHosted
    from reverie.daemon.work.background import BackgroundWork, Stopped
    from reverie.daemon.work.permit import Permit
    from reverie.daemon.work.results import TaskResult
    from reverie.memory import Memory
    from reverie.postgres.tasks import PgTasks
    from reverie.types import Task, TaskKind
    from reverie.types.tasks import News

_log = logging.getLogger(__name__)
_IN_THE_WAY = (LaneLost, Unavailable, Locked, DiskFull, ReadOnly)
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_LOOK_SECONDS = 0.05
_MOST_LOOKS = 100
"""As many looks that soon; whoever waits longer than they last looks once in a lease."""
_TURN_SECONDS = 0.2
"""How long a daemon has a lane that another one wants, too."""
_LOST = TaskFailure("lane_lost", "another daemon has this lane now; it runs the task again")


class SharedLane(Lane):
    """Works when it may."""

    def __init__(self, hosted: SharedHosted, queue: PgTasks, *, seconds: float) -> None:
        super().__init__(hosted, seconds=seconds)
        self._shared = hosted
        self._queue = queue
        self._in_the_way = 0
        """How often in a row what was begun had to be put back."""
        self._hindered = False
        """Whether something that runs now is put back."""
        self._looks = 0
        """How often in a row another daemon was seen to have the lane."""
        self._turn_ends = 0.0
        self._free = False
        """Whether nobody had the lane, and nothing waited in it, at the last look."""
        self._calls = 0
        """How often somebody said that work waits, which a look that was under way may have missed."""
        self._passing: BackgroundWork[Any] | None = None
        """What writes without taking the lane."""
        self.takeovers = 0
        """How often the lane was taken from a daemon that gave no more sign of life."""

    async def accept(
        self, kind: TaskKind, payload: Mapping[str, Any], *, client: str, key: str
    ) -> Task:
        """Queue a task; when this returns, it is on the disk, and no secret with it."""
        task = await super().accept(kind, payload, client=client, key=key)
        self._note_call()
        return task

    def wake(self) -> None:
        """Look for work, which somebody else may have queued."""
        self._note_call()
        super().wake()

    def _note_call(self) -> None:
        self._free = False
        self._calls += 1

    async def between(
        self,
        work: Callable[[Memory, Stopped], Value],
        *,
        patience: float | None = None,
        caller: Presence | None = None,
        news: News | None = None,
    ) -> Value:
        """Do something when no task waits, and return what it returns; see `Lane.between`."""
        begun = partial(super().between, work, patience=patience, caller=caller)
        try:
            return await begun(news=news)
        except LaneNotFree:  # so it is taken now
            return await begun(news=news and replace(news, in_passing=False))

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
            if self._free and self._waiting_work and self._waiting_work[0].in_passing:
                await self._pass_by(self._waiting_work.popleft())
                continue
            if self._free and not self._waiting_work:
                await self._wake.wait()
                continue
            calls = self._calls
            taken = await self._surely(partial(self._take, busy=bool(self._waiting_work)))
            if taken.claim is Claim.TAKEN:
                await self._rest()
                continue
            self._looks = 0
            if taken.claim is Claim.FRESH:
                self._turn_ends = asyncio.get_running_loop().time() + _TURN_SECONDS
            if taken.left:
                await self._settle_left()
            elif taken.tasks:
                self._hindered = False
                await self._while_held(self._run(taken.tasks))
                self._in_the_way = self._in_the_way + 1 if self._hindered else 0
                await self._pause()
            elif taken.claim is Claim.NOTHING:
                self._free = calls == self._calls
            elif self._waiting_work and self._is_turn_over():
                await self._let_go()
                await asyncio.sleep(_LOOK_SECONDS * 2)
            elif self._waiting_work:
                job = self._waiting_work.popleft()
                await self._while_held(self._run_background(job))
                # Given back with the write, unless tasks waited: so nothing is left to look for either.
                self._free = job.done and self._queue.is_left and calls == self._calls
            elif not self._wake.is_set():  # what was left could not be settled yet
                await self._let_go()
                await asyncio.sleep(self.pause)

    def _take(self, *, busy: bool) -> Taken:
        """Take the lane; what was in the way of several tasks is met again by the first alone."""
        most = self.most if not self._in_the_way and self._hosted.writes_alone() else 1
        try:
            return self._queue.take(busy=busy, most=most)
        except ReadOnly as error:
            if busy or isinstance(error, TenantMoving):
                raise
            # A replica: others work at the primary. Should this become it, the patrol sees what is due.
            return Taken(Claim.TAKEN)

    async def _pass_by(self, job: BackgroundWork[Any]) -> None:
        """Do what writes once, without taking the lane."""
        self._passing = job
        try:
            await self._run_background(job)
        finally:
            self._passing = None
            self._free = self._free and job.done

    def _perform_background(self, job: BackgroundWork[Value]) -> Value:
        if job is not self._passing:
            return super()._perform_background(job)
        with self._hosted.own.lend() as memory:
            if waits_for_others(memory.settings):  # a model is not asked twice
                raise LaneNotFree
            self._shared.pass_by(memory, news=job.news)
            memory.store.endorse = lambda run: job.endorse(self._hosted.sign(run))
            return job.perform(memory)

    def _is_turn_over(self) -> bool:
        """Say whether another daemon wants the lane, which was ours for long enough."""
        return self._queue.due and asyncio.get_running_loop().time() > self._turn_ends

    async def _rest(self) -> None:
        """Wait for a call; where somebody waits for background work, look again soon."""
        soon = self._looks < _MOST_LOOKS
        patience = _LOOK_SECONDS if soon else self._queue.lease_seconds
        self._looks += 1
        try:
            await asyncio.wait_for(self._wake.wait(), patience if self._waiting_work else None)
            self._looks = 0
        except TimeoutError:
            return

    async def _settle_left(self) -> None:
        """Settle what the last holder left running."""
        self.takeovers += 1
        try:
            await self._workers.run(self._recover)
        except ReverieError as error:
            _log.warning("what another daemon left cannot be settled yet: %s", error)

    async def _settle(
        self, task: Task, permit: Permit, outcome: TaskResult | BaseException
    ) -> None:
        error = outcome if isinstance(outcome, Exception) else None
        lost = permit.revoked is _LOST or isinstance(error, _IN_THE_WAY)
        if error is None or not lost:
            await super()._settle(task, permit, outcome)
            return
        # Neither the task's fault nor anybody's wish: it is begun again, here or elsewhere.
        _log.info("%s is put back: %s", task.id, error)
        self._hindered = True
        try:
            put_back = await self._surely(partial(self._queue.put_back, task.id))
        except (TaskOver, TaskNotFound):  # the lane is another daemon's now, and so is the task
            return
        if put_back is not None:
            self._announce(put_back)
        else:  # it was written, and only the answer was lost
            await self._settle_written(task.id)

    async def _settle_written(self, task: str) -> None:
        """Complete a task from the journal, however long that takes; others do it when we stop."""
        while not self.draining:
            try:
                over = await self._workers.run(partial(self._completed, task))
            except (LaneLost, TaskOver, TaskNotFound):  # another daemon's now
                return
            except (*_IN_THE_WAY, StoreError) as error:
                _log.info("%s is written, but cannot be settled yet: %s", task, error)
                await asyncio.sleep(self.pause)
                continue
            if over is not None and over.result is not None:
                self._finish(over, tuple(over.result.get("touchedScopes", ())))
            return

    def _completed(self, task: str) -> Task | None:
        with self._hosted.own.lend() as memory:
            self._recover_with(memory)
        return self._queue.get(task)

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
                for permit in self._current.values():
                    permit.revoke(_LOST)
                self._revoked.set()
                if self._current_work is not None:
                    self._current_work.stop()
                return
