"""Worker threads for the synchronous verbs.

They are daemon threads: a verb that hangs on a model cannot keep the process from ending.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

Value = TypeVar("Value")


class Workers:
    """At most `size` threads, started when first needed."""

    def __init__(self, name: str, *, size: int) -> None:
        self.name = name
        self._size = size
        self._jobs: SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = (
            SimpleQueue()
        )
        self._started = 0
        self._busy = 0

    async def run(self, work: Callable[[], Value]) -> Value:
        """Run a function in one of the threads and return what it returns."""
        future: asyncio.Future[Value] = asyncio.get_running_loop().create_future()
        self._busy += 1
        if self._busy > self._started < self._size:
            self._started += 1
            thread = threading.Thread(
                target=self._loop, name=f"{self.name}-{self._started}", daemon=True
            )
            thread.start()
        self._jobs.put((work, future))
        try:
            return await future
        finally:
            self._busy -= 1

    def stop(self) -> None:
        """Let idle threads end; one that hangs is left behind."""
        for _ in range(self._started):
            self._jobs.put(None)

    def _loop(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, future = job
            result: Any = None
            failure: BaseException | None = None
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001  # whatever it is belongs to who asked
                failure = error
            with suppress(RuntimeError):  # the loop is gone: nobody waits for this any more
                future.get_loop().call_soon_threadsafe(_deliver, future, result, failure)


def _deliver(future: asyncio.Future[Any], result: object, failure: BaseException | None) -> None:
    if future.done():  # the caller went away
        return
    if failure is None:
        future.set_result(result)
    else:
        future.set_exception(failure)
