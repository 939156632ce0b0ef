"""The server over streamable HTTP, as an ASGI application that starts itself at its first request.

Who may call is decided before: the daemon checks Host, Origin and token. The SDK's sessions live in
one task of their own, because what they start has to be ended by whoever started it. Where several
daemons serve one memory there are no sessions: each request stands on its own, whoever answers it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers

from reverie.mcp.announcing import IDLE_SECONDS
from reverie.mcp.server import SESSION_HEADER, MemoryServer, Runner

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

_log = logging.getLogger(__name__)
_MAX_SESSIONS = 256
UNREAD_SECONDS = 30.0
"""How long a stream of events may go unread before it is ended."""


class HttpServer:
    """One memory, one surface, any number of clients."""

    def __init__(
        self, runner: Runner, *, surface: str, max_body_bytes: int, keeps_sessions: bool = True
    ) -> None:
        self._keeps_sessions = keeps_sessions
        self._own = MemoryServer(runner, surface=surface)
        self._manager = StreamableHTTPSessionManager(
            self._own.server,
            max_request_body_size=max_body_bytes,
            session_idle_timeout=IDLE_SECONDS if keeps_sessions else None,
            max_sessions=_MAX_SESSIONS,
            stateless=not keeps_sessions,
        )
        self._ready = asyncio.Event()
        self._end = asyncio.Event()
        self._task = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        try:
            async with self._manager.run():
                self._ready.set()
                await self._end.wait()
        finally:
            self._ready.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._ready.wait()
        name = Headers(scope=scope).get(SESSION_HEADER, "")
        if not self._keeps_sessions:
            # What another daemon may have called a session is nobody's here.
            unnamed = [pair for pair in scope["headers"] if pair[0] != SESSION_HEADER.encode()]
            scope, name = {**scope, "headers": unnamed}, ""
        if scope["method"] == "GET":
            send = _impatient(send)
        with self._own.announcer.request(name):
            await self._manager.asgi_app(scope, receive, send)
        if scope["method"] == "DELETE":
            self._own.announcer.forget(name)

    def end(self) -> None:
        """End all streams and sessions; `wait` tells when they are over."""
        self._own.close()
        self._end.set()

    async def wait(self) -> None:
        """Wait until everything that was started has ended."""
        await self._task


def _impatient(send: Send) -> Send:
    """End a stream whose client does not read: what waits in it would hold up its own answers."""

    async def bounded(message: Message) -> None:
        with anyio.move_on_after(UNREAD_SECONDS) as waiting:
            await send(message)
        if waiting.cancelled_caught:
            _log.warning(
                "a client did not read its event stream for %s s, so it was closed; the client"
                " may open it again",
                UNREAD_SECONDS,
            )
            raise OSError("the client does not read its event stream")

    return bounded
