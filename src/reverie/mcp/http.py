"""The server over streamable HTTP, as an ASGI application that starts itself at its first request.

Who may call is decided before: the daemon checks Host, Origin and token. The SDK's sessions live in
one task of their own, because what they start has to be ended by whoever started it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from reverie.mcp.server import Desk, MemoryServer

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_MAX_SESSIONS = 256
_IDLE_SECONDS = 30 * 60.0


class HttpServer:
    """One memory, one surface, any number of clients."""

    def __init__(self, desk: Desk, *, surface: str, max_body_bytes: int) -> None:
        self._own = MemoryServer(desk, surface=surface)
        self._manager = StreamableHTTPSessionManager(
            self._own.server,
            max_request_body_size=max_body_bytes,
            session_idle_timeout=_IDLE_SECONDS,
            max_sessions=_MAX_SESSIONS,
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
        await self._manager.asgi_app(scope, receive, send)

    def end(self) -> None:
        """End all streams and sessions; `wait` tells when they are over."""
        self._own.close()
        self._end.set()

    async def wait(self) -> None:
        """Wait until everything that was started has ended."""
        await self._task
