"""HTTP connections with a bound: how many, how long a request may take to begin, who is local.

Rules
- At the limit, the connection that has been idle longest makes room for a new one; if none is idle,
  the new one is told to come back. So a crowd that connects and says nothing shuts nobody out.
- A connection on which a request's head does not arrive in full within some seconds is closed, and
  so is one that does not take its answer: it would be busy for ever.
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
        self._stalled: asyncio.TimerHandle | None = None
        self._refused = False
        self.leaving = False
        """It was cut to make room, and is about to be forgotten."""
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

    def pause_writing(self) -> None:
        """Give a reader that does not read some seconds to go on."""
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(self.host.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on with a reader that reads again."""
        self._reads_again()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._head_is_here()
        self._reads_again()
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

    def _reads_again(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _give_up(self) -> None:
        self._waiting = None
        if self.idle and not self.transport.is_closing():
            self.transport.abort()

    def _make_room(self) -> bool:
        """Cut the connection that has been idle longest, or waits for its last bytes to be taken."""
        others = [
            item
            for item in self.connections
            if isinstance(item, BoundedProtocol)
            and item is not self
            and item.idle
            and not item.leaving
        ]
        oldest = min(others, key=lambda item: item.idle_since, default=None)
        if oldest is None:
            return False
        self.host.metrics.refused += 1
        oldest.leaving = True
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
