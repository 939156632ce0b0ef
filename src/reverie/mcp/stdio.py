"""The SDK's server behind the front: it takes a conversation over where the front does not go on."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from reverie.mcp.runner import OwnRunner as OwnRunner
from reverie.mcp.server import MemoryServer
from reverie.mcp.wire import ACKNOWLEDGED, SUBSCRIPTION

if TYPE_CHECKING:
    from reverie.mcp.runner import LateRunner
    from reverie.mcp.wire import Wire

_log = logging.getLogger(__name__)
_GRACE_SECONDS = 30.0
_ENDLESS = frozenset({"subscriptions/listen"})
_CANCELLED = "notifications/cancelled"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation that has begun."""

    wire: Wire
    before: Sequence[bytes]
    """Lines to hear first."""
    silent: list[object]
    """Ids of requests among them that were answered already."""
    heard: list[object]
    """Ids of requests to listen among them that were acknowledged already."""
    aside: Callable[[bytes], bool]
    """Takes a line that is about something the front still does."""


class _Incoming:
    """What the client says, as the SDK reads a file."""

    def __init__(self, talk: Conversation) -> None:
        self._talk = talk

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in self._talk.before:
            yield line.decode("utf-8", "replace")
        while line := await anyio.to_thread.run_sync(self._talk.wire.line, abandon_on_cancel=True):
            if not self._talk.aside(line):
                yield line.decode("utf-8", "replace")


class _Outgoing:
    """What the client is told, as the SDK writes a file."""

    def __init__(self, talk: Conversation) -> None:
        self._talk = talk

    async def write(self, text: str) -> None:
        """Send one message, unless the client has it already."""
        if (self._talk.silent or self._talk.heard) and self._is_known(json.loads(text)):
            return
        line = text.rstrip("\n").encode()
        await anyio.to_thread.run_sync(self._talk.wire.say, line, abandon_on_cancel=True)

    def _is_known(self, message: dict[str, Any]) -> bool:
        """Tell whether the front has said this; each such thing is said once."""
        known, name = self._talk.silent, message.get("id")
        if message.get("method") == ACKNOWLEDGED:
            known, name = self._talk.heard, message["params"]["_meta"][SUBSCRIPTION]
        elif "method" in message:
            return False
        if name not in known:
            return False
        known.remove(name)
        return True

    async def flush(self) -> None:
        """Do nothing: every message is sent at once."""


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


def take_over(talk: Conversation, runner: LateRunner, *, surface: str) -> None:
    """Serve until the client hangs up and what it asked before is answered."""
    try:
        anyio.run(_serve, talk, runner, surface)
    except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        _log.info("the client is gone")


async def _serve(talk: Conversation, runner: LateRunner, surface: str) -> None:
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

    files = cast("tuple[Any, Any]", (_Incoming(talk), _Outgoing(talk)))
    async with stdio_server(*files) as (lines_in, lines_out), anyio.create_task_group() as tasks:
        tasks.start_soon(hear)
        tasks.start_soon(tell)
        await own.server.run(incoming, outgoing, options)
