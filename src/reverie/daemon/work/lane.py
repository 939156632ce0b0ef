"""The lane at work: takes tasks from the queue and runs their verbs in a thread, one after the other.

Rules
- Remember tasks that wait behind one another are taken together (`performing`), unless a model is asked.
- A task may write only with its permit. Taking the permit back (cancelled, out of time, stopping)
  succeeds only before the write began; a write that began is finished, and the task completes.
- The permit signs the run with the task's id: after a crash the journal says whether the task was
  done, so it is never done twice and never lost.
- A thread that does not come back after its permit was taken is left behind; it can no longer write.
- The lane itself does not end before the daemon: whatever stops it, it settles what was running as
  after a crash, and goes on.
- Background work, such as jobs that are due, runs when no task waits, and never beside one.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from reverie.core.runs.planning import check_name
from reverie.core.tasks import lane_rules as rules
from reverie.core.tasks.lane_rules import BACKSTOP_SECONDS
from reverie.daemon.work import results
from reverie.daemon.work.background import BackgroundWork, Stopped
from reverie.daemon.work.performing import Given, perform, run_of
from reverie.daemon.work.permit import Permit
from reverie.daemon.work.results import TaskResult
from reverie.daemon.work.workers import Workers
from reverie.errors import (
    DiskFull,
    Draining,
    ReadOnly,
    ReverieError,
    StoreError,
    TaskNotFound,
    TaskOver,
    Unavailable,
)
from reverie.memory import Memory
from reverie.types import (
    Task,
    TaskFailure,
    TaskKind,
    TaskStatus,
)
from reverie.types.tasks import News, Signal

if TYPE_CHECKING:
    from reverie.daemon.hosted import Hosted
    from reverie.daemon.http.presence import Presence

_log = logging.getLogger(__name__)
_RETRY_SECONDS = 1.0
_TOGETHER = 8
_STOPPED = TaskFailure("stopped", "the daemon stopped before this task was done")

Value = TypeVar("Value")


class Lane:
    """The serial worker of one workspace."""

    def __init__(self, hosted: Hosted, *, seconds: float) -> None:
        self._hosted = hosted
        self._seconds = seconds
        self.backstop = BACKSTOP_SECONDS
        self.pause = _RETRY_SECONDS
        self.most = _TOGETHER
        """How many tasks are run in one turn of the thread."""
        self._workers = Workers("lane", size=1)
        self._wake = asyncio.Event()
        self._revoked = asyncio.Event()
        self._current: dict[str, Permit] = {}
        """The permits of the tasks that run now, by their ids."""
        self._waiting_work: deque[BackgroundWork[Any]] = deque()
        self._current_work: BackgroundWork[Any] | None = None
        self._hindrance: ReverieError | None = None
        """Why the queue cannot be written now."""
        self._taken_back: set[str] = set()
        self._loop: asyncio.Task[None] | None = None
        self.draining = False
        self.finished: dict[tuple[str, str], int] = {}
        """How many tasks ended, by kind and status."""
        self.abandoned = 0
        self.restarts = 0

    # --- what clients do --------------------------------------------------------------------------

    async def accept(
        self, kind: TaskKind, payload: Mapping[str, Any], *, client: str, key: str
    ) -> Task:
        """Queue a task; when this returns, it is on the disk, and no secret with it."""
        if self.draining:
            raise Draining("the daemon is stopping; send this again when it is back")
        accept = partial(self._accept, kind, payload, client=client, key=key)
        task, new = await self._hosted.bookkeeping.run(accept)
        if new:
            self._announce(task)
            self._wake.set()
        return task

    def _accept(
        self, kind: TaskKind, payload: Mapping[str, Any], *, client: str, key: str
    ) -> tuple[Task, bool]:
        policy = self._hosted.secrets()
        check_name(key, policy)
        storable = rules.storable(kind, payload, policy)
        return self._hosted.tasks.accept(kind, storable, client=client, key=key)

    async def cancel(self, task: Task) -> Task:
        """Take a task back, or raise `TaskOver` when it is over or about to be."""
        why = rules.cancelled(task.kind)
        running = self._current.get(task.id)
        if running is not None and not running.revoke(why):
            raise TaskOver(f"task {task.id} is writing its result and can no longer be cancelled")
        self._taken_back.add(task.id)  # it may be between the queue and its thread right now
        try:
            over = await self._hosted.bookkeeping.run(
                partial(self._hosted.tasks.cancel, task.id, why)
            )
        except TaskOver:
            self._taken_back.discard(task.id)
            raise
        if not over.attempts:  # it never started, so nobody will look
            self._taken_back.discard(task.id)
        if running is not None:
            self._revoked.set()
        self._finish(over, ())
        return over

    async def between(
        self,
        work: Callable[[Memory, Stopped], Value],
        *,
        patience: float | None = None,
        caller: Presence | None = None,
        news: News | None = None,
    ) -> Value:
        """Do something when no task waits, and return what it returns.

        With `patience`, raise `LaneBusy` when it could not begin within so many seconds, or what keeps
        the queue from being written, such as a full disk; with a `caller`, raise `CallerGone` when
        nobody waits any more. It is not done then, ever. `news` says that it writes no more than once, and
        what readers of events are told of it; they are, where that is a part of the write.
        """
        if self.draining:
            raise Draining("the daemon is stopping; send this again when it is back")
        job = BackgroundWork(work, caller, news=news)
        with caller.watched(job.drop) if caller else nullcontext():
            self._waiting_work.append(job)
            self._wake.set()
            try:
                if patience is not None:
                    await job.begin_within(patience, lambda: self._hindrance)
                return await job.outcome
            finally:
                if not job.begun.is_set():
                    with suppress(ValueError):  # taken a moment ago, and passed over
                        self._waiting_work.remove(job)

    @property
    def idle(self) -> bool:
        """True when nothing runs and nobody waits for background work."""
        return not self._current and self._current_work is None and not self._waiting_work

    @property
    def is_wanted(self) -> bool:
        """True when somebody waits for background work to begin."""
        return bool(self._waiting_work)

    # --- life -------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Look for work, which somebody else may have queued."""
        self._wake.set()

    async def start(self) -> None:
        """Settle what was running when the last daemon died, then work."""
        await self._workers.run(self._recover)
        self._loop = asyncio.create_task(self._work(), name="lane")
        self._loop.add_done_callback(self._ended)

    def _ended(self, loop: asyncio.Task[None]) -> None:
        """Start again after a mistake of ours, which must not leave tasks waiting for ever."""
        error = None if loop.cancelled() else loop.exception()
        if error is None or self.draining:
            return
        _log.critical("the lane failed and is restarted", exc_info=error)
        self.restarts += 1
        self._loop = asyncio.create_task(self._again(), name="lane")
        self._loop.add_done_callback(self._ended)

    async def _again(self) -> None:
        await asyncio.sleep(self.pause)
        await self._workers.run(self._recover)
        await self._work()

    async def stop(self, *, grace: float) -> None:
        """Stop after the running task, or put it back into the queue after `grace` seconds."""
        self.draining = True
        self._wake.set()
        for job in (*self._waiting_work, *filter(None, (self._current_work,))):
            job.stop()
        if self._loop is None:
            return
        await asyncio.wait({self._loop}, timeout=grace)
        if not self._loop.done() and await self._put_back():
            self._loop.cancel()
        await asyncio.wait({self._loop})
        for job in self._waiting_work:
            job.give_up()
            job.begun.set()
        self._workers.stop()

    async def _put_back(self) -> bool:
        """Let what runs run again in the daemon's next life; False when something was written of it."""
        current = dict(self._current)
        unwritten = [task for task, permit in current.items() if permit.revoke(_STOPPED)]
        if len(unwritten) < len(current):
            return False  # the thread comes back soon, and then the others are put back
        for task in unwritten:
            _log.info("%s is put back; it runs when the daemon is back", task)
            with suppress(TaskOver):  # cancelled a moment ago
                await self._hosted.bookkeeping.run(
                    partial(self._hosted.tasks.settle, task, Signal.POSTPONE)
                )
        return True

    async def _work(self) -> None:
        while True:
            self._wake.clear()
            if self.draining:
                return
            tasks = await self._surely(self._start)
            if tasks:
                await self._run(tasks)
            elif self._waiting_work:
                await self._run_background(self._waiting_work.popleft())
            else:
                await self._wake.wait()

    def _start(self) -> list[Task]:
        return self._hosted.tasks.start_together(self.most if self._hosted.writes_alone() else 1)

    async def _run(self, tasks: Sequence[Task]) -> None:
        """Run tasks in their order, in one turn of the thread, and settle all of them."""
        given = [(task, Permit(task)) for task in tasks if task.id not in self._taken_back]
        self._taken_back.difference_update(task.id for task in tasks)
        if not given:
            return
        self._revoked.clear()
        self._current = {task.id: permit for task, permit in given}
        for task, _ in given:
            self._announce(task)
        work = asyncio.ensure_future(self._workers.run(partial(self._perform, given)))
        try:
            await self._wait_for(work, given)
        finally:
            self._current = {}
        error = asyncio.CancelledError() if work.cancelled() else work.exception()
        outcomes = work.result() if error is None else [error] * len(given)
        await asyncio.gather(
            *(
                self._settle(task, permit, outcome)
                for (task, permit), outcome in zip(given, outcomes, strict=True)
            )
        )

    async def _wait_for(self, work: asyncio.Future[Any], given: Sequence[Given]) -> None:
        """Wait for the thread; leave it behind when it may not write any more and does not come back."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._seconds
        while not work.done() and not all(permit.revoked for _, permit in given):
            stop = asyncio.ensure_future(self._revoked.wait())
            left = max(until - loop.time(), 0.0)
            try:
                await asyncio.wait({work, stop}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            finally:
                stop.cancel()
            self._revoked.clear()
            if loop.time() >= until:
                late = [
                    permit.revoke(rules.timed_out(task.kind, self._seconds))
                    for task, permit in given
                ]
                if not all(late):  # one is writing, or wrote already
                    break
        if not work.done() and all(permit.revoked for _, permit in given):
            await asyncio.wait({work}, timeout=self.backstop)
            if not work.done():
                self._leave_behind(", ".join(task.id for task, _ in given))
                work.cancel()
        await asyncio.wait({work})

    async def _settle(
        self, task: Task, permit: Permit, outcome: TaskResult | BaseException
    ) -> None:
        tasks = self._hosted.tasks
        scopes: tuple[str, ...] = ()
        if isinstance(outcome, TaskResult):
            scopes = outcome.scopes
            settle = partial(tasks.settle, task.id, Signal.COMPLETE, result=outcome.wire)
        elif permit.revoked is _STOPPED:
            settle = partial(tasks.settle, task.id, Signal.POSTPONE)
        else:
            failure = permit.revoked or rules.failure_of(task.kind, outcome)
            if permit.revoked is None:
                trace = None if isinstance(outcome, ReverieError) else outcome
                _log.warning("%s failed: %s", task.id, failure.message, exc_info=trace)
            settle = partial(tasks.settle, task.id, Signal.FAIL, failure=failure)
        try:
            over = await self._surely(settle)
        except (TaskOver, TaskNotFound):  # cancelled, or erased while it ran: settled already
            return
        if over.status is not TaskStatus.QUEUED:
            self._finish(over, scopes)

    async def _run_background(self, job: BackgroundWork[Any]) -> None:
        if job.unwanted():
            return
        self._current_work = job
        job.begun.set()
        work = asyncio.ensure_future(self._workers.run(partial(self._perform_background, job)))
        try:
            await asyncio.wait({work}, timeout=self._seconds)
            if not work.done():
                job.stop()
                await asyncio.wait({work}, timeout=self.backstop)
            if not work.done():
                self._leave_behind("background work")
                work.cancel()
                await asyncio.wait({work})
        finally:
            self._current_work = None
            job.stop()
            job.settle(work)

    def _leave_behind(self, name: str) -> None:
        self.abandoned += 1
        _log.error("%s does not come back; its thread is left behind, it cannot write", name)
        self._workers.stop()
        self._workers = Workers("lane", size=1)
        self._hosted.renew_own()

    # --- in the worker's thread -------------------------------------------------------------------

    def _perform(self, given: Sequence[Given]) -> list[TaskResult | BaseException]:
        with self._hosted.board.shown(), self._hosted.own.lend() as memory:
            return perform(memory, given, ready=partial(self._ready, memory))

    def _ready(self, memory: Memory, task: Task, permit: Permit) -> None:
        self._hosted.fence(memory, task.id)
        memory.store.endorse = lambda run: permit.endorse(self._hosted.sign(run))

    def _perform_background(self, job: BackgroundWork[Value]) -> Value:
        with self._hosted.board.shown(), self._hosted.own.lend() as memory:
            self._hosted.fence(memory, "", news=job.news)
            memory.store.endorse = lambda run: job.endorse(self._hosted.sign(run))
            return job.perform(memory)

    def _recover(self) -> None:
        try:
            with self._hosted.own.lend() as memory:
                self._recover_with(memory)
        except (ReadOnly, DiskFull) as error:  # reading goes on; the next start settles it
            _log.warning("interrupted tasks are left as they are: %s", error)

    def _recover_with(self, memory: Memory) -> None:
        tasks = self._hosted.tasks
        for task in tasks.tasks(waiting=True):
            if task.status is not TaskStatus.RUNNING:
                continue
            run = run_of(memory, task)
            signal = rules.after_crash(task, applied=run is not None, limits=tasks.limits)
            _log.info("%s was interrupted: %s", task.id, signal.value)
            if run is not None:
                deltas = memory.journal.deltas(run.id)
                done = results.of_run(task.kind, run, deltas, memory.workspace)
                tasks.settle(task.id, signal, result=done.wire)
            elif signal is Signal.FAIL:
                tasks.settle(task.id, signal, failure=rules.interrupted(task))
            else:
                tasks.settle(task.id, signal)

    # --- telling others ---------------------------------------------------------------------------

    def _finish(self, task: Task, scopes: tuple[str, ...]) -> None:
        key = (task.kind.value, task.status.value)
        self.finished[key] = self.finished.get(key, 0) + 1
        self._announce(task)
        if scopes:
            self._hosted.bus.publish(
                "memory_changed",
                {
                    "scope": "managed",
                    "source": f"workspace_memory_{task.kind.value}",
                    "taskId": task.id,
                    "touchedScopes": list(scopes),
                },
                client=task.client,
            )

    def _announce(self, task: Task) -> None:
        data: dict[str, Any] = {
            "taskId": task.id,
            "kind": task.kind.value,
            "status": task.status.value,
        }
        if task.failure is not None:
            data["error"] = {"code": task.failure.code, "message": task.failure.message}
        self._hosted.bus.publish(
            "task_updated", data, client=task.client, private=bool(task.client)
        )

    async def _surely(self, work: Callable[[], Value]) -> Value:
        """Record something, however long the disk is full or locked: the lane must not die of it."""
        while True:
            try:
                done = await self._hosted.bookkeeping.run(work)
            except (StoreError, Unavailable) as error:
                self._hindrance = error
                _log.error("the queue cannot be written, trying again: %s", error)
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                self._hindrance = None
                return done
