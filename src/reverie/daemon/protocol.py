"""HTTP connections with a bound: how many, how long a request may take to begin, who is local.

Rules
- At the limit, the connection that has been idle longest makes room for a new one; if none is idle,
  the new one is told to come back. So a crowd that connects and says nothing shuts nobody out.
- A connection on which a request's head does not arrive in full within some seconds is closed.
"""

from __future__ import annotations

import asyncio
import json
import socket
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from reverie.errors import TooManyConnections

if TYPE_CHECKING:
    from reverie.daemon.host import Host


class BoundedProtocol(H11Protocol):
    """One connection. Subclasses name the host whose limits count."""

    host: Host

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._waiting: asyncio.TimerHandle | None = None
        self._refused = False
        self.idle_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count a connection, make room for it, and mark one of the Unix socket as local."""
        super().connection_made(transport)
        peer: socket.socket | None = transport.get_extra_info("socket")
        local = peer is not None and peer.family == socket.AF_UNIX
        self.app_state = {**self.app_state, "local": local, "abort": transport.abort}
        self.host.metrics.connections = len(self.connections)
        if len(self.connections) > self.host.max_connections and not self._make_room():
            self._refuse()
            return
        self.idle_since = self.loop.time()
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Read, unless the connection was refused."""
        if self._refused:
            return
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._expect_head()
        else:
            self._head_is_here()

    def on_response_complete(self) -> None:
        """Wait for the next request; the server's keep-alive timer bounds that."""
        self.idle_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._head_is_here()
        super().connection_lost(exc)
        self.host.metrics.connections = len(self.connections)

    @property
    def idle(self) -> bool:
        """True while no request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _expect_head(self) -> None:
        if self._waiting is None and not self.transport.is_closing():
            self._waiting = self.loop.call_later(self.host.head_seconds, self._give_up)

    def _head_is_here(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self.idle and not self.transport.is_closing():
            self.transport.abort()

    def _make_room(self) -> bool:
        """Close the connection that has been idle longest."""
        others = [
            item
            for item in self.connections
            if isinstance(item, BoundedProtocol)
            and item is not self
            and item.idle
            and not item.transport.is_closing()
        ]
        oldest = min(others, key=lambda item: item.idle_since, default=None)
        if oldest is None:
            return False
        self.host.metrics.refused += 1
        oldest.transport.abort()
        return True

    def _refuse(self) -> None:
        self._refused = True
        self.host.metrics.refused += 1
        error = TooManyConnections(
            f"{self.host.max_connections} connections are open; try again soon"
        )
        body = json.dumps({"error": str(error), "code": error.code, "requestId": ""}).encode()
        head = (
            f"HTTP/1.1 {error.status} Service Unavailable\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
