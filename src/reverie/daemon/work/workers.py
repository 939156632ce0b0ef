"""Worker threads for the synchronous verbs.

Rules
- They are daemon threads: a verb that hangs on a model cannot keep the process from ending.
- Work whose caller leaves before a thread took it is dropped; work that began is finished.
- A line says how much of one kind may be inside; beyond that the caller is told to come back. The
  owner's calls through the Unix socket are counted apart: a crowd elsewhere does not refuse them.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from reverie.daemon.http.presence import CallerGone, Presence
from reverie.errors import Overloaded

Value = TypeVar("Value")


@dataclass(slots=True, eq=False)
class Line:
    """Work of one kind: how much may wait for a thread, and how much is there now."""

    name: str
    most: int
    """How many may wait beyond those that a thread works for."""
    inside: int = 0
    inside_local: int = 0
    """The same, for callers of the Unix socket."""
    refused: int = 0
    dropped: int = 0
    """How often nobody waited any more when a turn came, so nothing was done."""

    def full(self, threads: int, *, local: bool) -> bool:
        """Say whether one more would be too many."""
        return (self.inside_local if local else self.inside) >= self.most + threads

    def count(self, number: int, *, local: bool) -> None:
        """Note that somebody came or went."""
        if local:
            self.inside_local += number
        else:
            self.inside += number


@dataclass(slots=True, eq=False)
class Job:
    """Work that somebody waits for."""

    work: Callable[[], Any]
    future: asyncio.Future[Any]
    caller: Presence | None


class Workers:
    """At most `size` threads, started when first needed."""

    def __init__(self, name: str, *, size: int) -> None:
        self.name = name
        self._size = size
        self._jobs: deque[Job] = deque()
        self._ready = threading.Condition()
        self._stopping = False
        self._started = 0
        self._busy = 0

    async def run(
        self,
        work: Callable[[], Value],
        *,
        line: Line | None = None,
        caller: Presence | None = None,
    ) -> Value:
        """Run a function in one of the threads and return what it returns.

        Raises:
            Overloaded: The line is full; nothing was done.
            CallerGone: The caller left before a thread took it; nothing was done.
        """
        if line is None:
            return await self._run(work, caller)
        local = caller is not None and caller.local
        if line.full(self._size, local=local):
            self.sweep()
            await asyncio.sleep(0)  # those that were dropped step out
        if line.full(self._size, local=local):
            line.refused += 1
            raise Overloaded(
                f"{line.most + self._size} {line.name} are already running or waiting; nothing was done,"
                " try again in a moment",
            )
        line.count(1, local=local)
        try:
            return await self._run(work, caller)
        except CallerGone:
            line.dropped += 1
            raise
        finally:
            line.count(-1, local=local)

    async def _run(self, work: Callable[[], Value], caller: Presence | None) -> Value:
        future: asyncio.Future[Value] = asyncio.get_running_loop().create_future()
        job = Job(work, future, caller)
        with caller.watched(lambda: self._drop(job)) if caller else nullcontext():
            self._busy += 1
            if self._busy > self._started < self._size:
                self._start_thread()
            with self._ready:
                self._jobs.append(job)
                self._ready.notify()
            try:
                return await future
            except asyncio.CancelledError:
                self._withdraw(job)
                raise
            finally:
                self._busy -= 1

    def stop(self) -> None:
        """Let idle threads end; one that hangs is left behind."""
        with self._ready:
            self._stopping = True
            self._ready.notify_all()

    def _start_thread(self) -> None:
        self._started += 1
        name = f"{self.name}-{self._started}"
        threading.Thread(target=self._loop, name=name, daemon=True).start()

    def _withdraw(self, job: Job) -> bool:
        """Take a job back; False when a thread has it already."""
        with self._ready:
            try:
                self._jobs.remove(job)
            except ValueError:
                return False
            return True

    def sweep(self) -> None:
        """Drop what waits for callers who hung up, though the loop has not come to that yet."""
        with self._ready:
            waiting = list(self._jobs)
        for job in waiting:
            if job.caller is not None and job.caller.left():
                self._drop(job)

    def _drop(self, job: Job) -> None:
        if self._withdraw(job) and not job.future.done():
            job.future.set_exception(CallerGone())

    def _next(self) -> Job | None:
        with self._ready:
            while (job := self._take()) is None:
                if self._stopping and not self._jobs:
                    return None
                self._ready.wait()
            return job

    def _take(self) -> Job | None:
        """Take what is done next; None when nothing may be done now."""
        return self._jobs.popleft() if self._jobs else None

    def _finished(self, job: Job) -> None:
        """Note that what was taken is over, whatever came of it."""

    def _loop(self) -> None:
        while (job := self._next()) is not None:
            result: Any = None
            failure: BaseException | None = None
            try:
                if job.caller is not None and job.caller.left():
                    raise CallerGone  # delivered as whatever else went wrong
                result = job.work()
            except BaseException as error:  # noqa: BLE001  # whatever it is belongs to who asked
                failure = error
            self._finished(job)
            with suppress(RuntimeError):  # the loop is gone: nobody waits for this any more
                job.future.get_loop().call_soon_threadsafe(_deliver, job.future, result, failure)


def _deliver(future: asyncio.Future[Any], result: object, failure: BaseException | None) -> None:
    if future.done():  # the caller went away
        return
    if failure is None:
        future.set_result(result)
    else:
        future.set_exception(failure)
