"""AsyncMemory: the verbs of `Memory`, run in worker threads.

Everything below is synchronous, as files, SQLite and ranking are. Several verbs run at once, each in a
thread; what they write is put in order by the locks that keep threads and processes apart anyway.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial, wraps
from threading import Event, Lock
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from reverie.memory import Memory
from reverie.types import Indexed

Given = ParamSpec("Given")
Value = TypeVar("Value")
_THREADS = 8


def _opening(
    build: Callable[Given, Memory],
) -> Callable[Given, AsyncMemory]:
    @wraps(build)
    def method(*args: Given.args, **kwargs: Given.kwargs) -> AsyncMemory:
        return AsyncMemory(partial(build, *args, **kwargs))

    return method


def _threaded(
    verb: Callable[Concatenate[Memory, Given], Value],
) -> Callable[Concatenate[AsyncMemory, Given], Coroutine[Any, Any, Value]]:
    @wraps(verb)
    async def method(shell: AsyncMemory, /, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        return await shell.run(lambda memory: verb(memory, *args, **kwargs))

    return method


class AsyncMemory:
    """A memory whose verbs are awaited. Use it as an asynchronous context manager, or close it.

    A verb that has begun is finished also when its caller is cancelled, so nothing is half written;
    one that still waits for a thread does nothing.
    """

    open = staticmethod(_opening(Memory.open))

    context = _threaded(Memory.context)
    save = _threaded(Memory.save)
    write_context = _threaded(Memory.write_context)
    archive_context = _threaded(Memory.archive_context)
    trust = _threaded(Memory.trust)
    trusted = _threaded(Memory.trusted)

    initialise = _threaded(Memory.initialise)
    prepare = _threaded(Memory.prepare)
    prompt = _threaded(Memory.prompt)
    remember = _threaded(Memory.remember)
    recall = _threaded(Memory.recall)
    forget = _threaded(Memory.forget)
    extract = _threaded(Memory.extract)
    heard = _threaded(Memory.heard)
    keep_heard = _threaded(Memory.keep_heard)
    drop_heard = _threaded(Memory.drop_heard)
    dream = _threaded(Memory.dream)
    doctor = _threaded(Memory.doctor)
    about_model = _threaded(Memory.about_model)
    asks_an_agent = _threaded(Memory.asks_an_agent)
    usage = _threaded(Memory.usage)

    search = _threaded(Memory.search)
    get = _threaded(Memory.get)
    stats = _threaded(Memory.stats)
    index = _threaded(Memory.index)

    topic = _threaded(Memory.topic)
    edit = _threaded(Memory.edit)
    update = _threaded(Memory.update)
    move = _threaded(Memory.move)
    pin = _threaded(Memory.pin)
    topic_history = _threaded(Memory.topic_history)
    growth = _threaded(Memory.growth)

    log = _threaded(Memory.log)
    events = _threaded(Memory.events)
    diff = _threaded(Memory.diff)
    blame = _threaded(Memory.blame)
    undo = _threaded(Memory.undo)
    verify = _threaded(Memory.verify)
    verify_forgotten = _threaded(Memory.verify_forgotten)

    export = _threaded(Memory.export)
    import_ = _threaded(Memory.import_)
    pending = _threaded(Memory.pending)
    approve = _threaded(Memory.approve)
    discard = _threaded(Memory.discard)

    def __init__(self, opener: Callable[[], Memory]) -> None:
        self._opener = opener
        self._memory: Memory | None = None
        self._guard = Lock()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="reverie-memory")
        self._watching: set[Event] = set()

    async def run(self, work: Callable[[Memory], Value]) -> Value:
        """Run a function over the memory in a worker thread: `run(lambda memory: memory.store.topics())`."""
        ready = partial(copy_context().run, lambda: work(self._opened()))
        return await asyncio.get_running_loop().run_in_executor(self._threads, ready)

    async def watch(self, on_sync: Callable[[Indexed], None] = lambda _: None) -> None:
        """Keep the search index up to date until this is cancelled, or the memory closed.

        Args:
            on_sync: Called in the worker thread, not in the event loop.
        """
        stop = Event()
        self._watching.add(stop)
        try:
            await self.run(lambda memory: memory.watch(on_sync, stop=stop))
        finally:
            stop.set()
            self._watching.discard(stop)

    async def close(self) -> None:
        """Wait for the verbs that have begun, and close the memory."""
        for stop in tuple(self._watching):
            stop.set()
        await asyncio.to_thread(self._end)

    async def __aenter__(self) -> Self:
        await self.run(lambda _: None)  # what is wrong with the settings is said here
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _opened(self) -> Memory:
        with self._guard:
            if self._memory is None:
                self._memory = self._opener()
            return self._memory

    def _end(self) -> None:
        self._threads.shutdown(wait=True)
        with self._guard:
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()
