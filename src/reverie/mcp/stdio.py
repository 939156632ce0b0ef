"""The server on standard input and output, for an agent that starts it as its child.

Standard output carries the protocol and nothing else; logs go to standard error.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TypeVar

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from reverie.mcp.caller import sign_all
from reverie.mcp.server import MemoryServer
from reverie.memory import Memory

Value = TypeVar("Value")
_log = logging.getLogger(__name__)
_GRACE_SECONDS = 30.0
_SIGNAL_SECONDS = 5.0
_ENDLESS = frozenset({"subscriptions/listen"})
_CANCELLED = "notifications/cancelled"


class OwnRunner:
    """A memory of this process, and the SDK's worker threads."""

    def __init__(self, memory: Memory) -> None:
        self.session = f"mcp-{secrets.token_hex(8)}"
        self._memory = memory
        self._busy = 0
        self._idle = threading.Condition()
        sign_all(memory.store)

    async def run(self, work: Callable[[Memory], Value], *, writes: bool) -> Value:  # noqa: ARG002
        """Run a function over the memory in a worker thread."""

        def lent() -> Value:
            self._count(+1)
            try:
                return work(self._memory)
            finally:
                self._count(-1)

        return await anyio.to_thread.run_sync(lent, abandon_on_cancel=True)

    def _count(self, change: int) -> None:
        with self._idle:
            self._busy += change
            self._idle.notify_all()

    def settle(self, seconds: float = _GRACE_SECONDS) -> None:
        """Wait for threads whose client is gone: a write that began is finished."""
        with self._idle:
            self._idle.wait_for(lambda: self._busy <= 0, timeout=seconds)


class _Unanswered:
    """Which requests still wait for their answer."""

    def __init__(self) -> None:
        self._ids: set[object] = set()
        self._changed = anyio.Event()

    def came(self, message: SessionMessage | Exception) -> None:
        """Note a request, or that its client gave it up."""
        inner = message.message if isinstance(message, SessionMessage) else None
        if isinstance(inner, types.JSONRPCRequest) and inner.method not in _ENDLESS:
            self._ids.add(inner.id)
        if isinstance(inner, types.JSONRPCNotification) and inner.method == _CANCELLED:
            self._gone((inner.params or {}).get("requestId"))

    def went(self, message: SessionMessage) -> None:
        """Note an answer."""
        if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
            self._gone(message.message.id)

    def _gone(self, key: object) -> None:
        self._ids.discard(key)
        self._changed.set()

    async def none_left(self) -> None:
        """Wait until every request was answered."""
        while self._ids:
            self._changed = anyio.Event()
            await self._changed.wait()


def serve(memory: Memory, *, surface: str = "default") -> None:
    """Serve until the client closes standard input and what it asked before is answered."""
    runner = OwnRunner(memory)

    def leave(number: int, _: FrameType | None) -> None:
        # The thread that reads standard input cannot be woken, so nothing else ends the process.
        runner.settle(_SIGNAL_SECONDS)
        os._exit(128 + number)

    with suppress(ValueError):  # not the main thread: somebody else ends us
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, leave)
    try:
        anyio.run(_serve, runner, surface)
    except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        _log.info("the client is gone")
    finally:
        runner.settle()


async def _serve(runner: OwnRunner, surface: str) -> None:
    own = MemoryServer(runner, surface=surface)
    options = own.server.create_initialization_options()
    waiting = _Unanswered()
    into, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, out_of = anyio.create_memory_object_stream[SessionMessage]()

    async def hear() -> None:
        # The SDK drops what runs when its input ends; who pipes requests in still wants the answers.
        async with into:
            async for message in lines_in:
                waiting.came(message)
                await into.send(message)
            with anyio.move_on_after(_GRACE_SECONDS):
                await waiting.none_left()

    async def tell() -> None:
        async with out_of, lines_out:
            async for message in out_of:
                await lines_out.send(message)
                waiting.went(message)

    async with stdio_server() as (lines_in, lines_out), anyio.create_task_group() as tasks:
        tasks.start_soon(hear)
        tasks.start_soon(tell)
        await own.server.run(incoming, outgoing, options)
