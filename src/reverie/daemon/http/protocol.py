"""HTTP connections with a bound: how many, how long anything may take, who is local, who is a stranger.

Rules
- The Unix socket and the network are counted apart, so no crowd from elsewhere takes the owner's place.
- A connection is a stranger until a request on it showed a good token. At the limit the oldest stranger
  makes room, whatever it is doing; then the connection of a known caller that has been idle longest.
- When all are known and busy, a new connection may ask one thing: whether the daemon lives. Anything
  else is told to come back. A few may do so at a time; the next one takes the oldest's place.
- Nothing waits for ever: a request's head, a body (also one that nobody reads), an answer that is not
  taken, and the silence between two requests all have their time.
- A connection that ended is freed at once: nothing that belongs to it holds it.
- A stranger who sends many requests ahead, without waiting for answers, is hung up on. A known caller's
  are answered one after the other, and no more is read than fits into one buffer.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import ref

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from reverie.daemon.http.presence import Presence

if TYPE_CHECKING:
    from reverie.daemon.host import Host

_MOST_CROWDED = 8
"""How many connections above the limit may ask whether the daemon lives."""
_PEER = struct.Struct("iII")
"""Process, user and group of whoever is at the other end."""
_MOST_AHEAD = 16
"""How many requests a stranger may send ahead."""


class _Timer:
    """Cuts a connection unless it is called off in time."""

    def __init__(self, protocol: BoundedProtocol) -> None:
        self._protocol = ref(protocol)
        self._handle: asyncio.TimerHandle | None = None

    def start(self, seconds: float) -> None:
        """Begin to wait, unless it waits already."""
        if self._handle is None:
            self._handle = asyncio.get_running_loop().call_later(seconds, self._cut)

    def stop(self) -> None:
        """Call it off."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _cut(self) -> None:
        self._handle = None
        protocol = self._protocol()
        if protocol is not None:
            protocol.transport.abort()


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
        self._head = _Timer(self)
        self._unread = _Timer(self)
        self._stalled = _Timer(self)
        self._ahead = 0
        self.presence = Presence()
        self.local = False
        """It came through the Unix socket, so it is the owner."""
        self.crowded = False
        """It is one too many, and may only ask whether the daemon lives."""
        self.leaving = False
        """It was cut to make room, and is about to be forgotten."""
        self.since = 0.0
        self.idle_since = 0.0

    # --- what happens to a connection -------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count a connection, make room for it, and mark one of the Unix socket as local."""
        super().connection_made(transport)
        peer: socket.socket | None = transport.get_extra_info("socket")
        self.local = peer is not None and peer.family == socket.AF_UNIX
        if self.local and peer is not None and not _is_the_owner(peer):
            transport.abort()
        handle = -1 if peer is None else peer.fileno()
        self.presence = Presence(local=self.local, handle=handle)
        self.since = self.idle_since = self.loop.time()
        self._find_room()
        self.app_state = {
            **self.app_state,
            "local": self.local,
            "abort": transport.abort,
            "presence": self.presence,
            "crowded": self.crowded,
        }
        self.host.metrics.connections = len(self.connections)
        self._head.start(self.host.head_seconds)

    def data_received(self, data: bytes) -> None:
        """Read, and hold whoever sends to its time."""
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self.conn.their_state is not h11.SEND_BODY:
            self._unread.stop()
        if self.conn.their_state is h11.IDLE:
            self._head.start(self.host.head_seconds)
        else:
            self._head.stop()

    def on_response_complete(self) -> None:
        """Wait for the next request; the server's keep-alive timer bounds that."""
        self.idle_since = self.loop.time()
        if self.conn.their_state is h11.SEND_BODY:
            # Whoever answers before it read everything must not listen for ever to the rest.
            self._unread.start(self.host.body_seconds)
        if self._sends_too_far_ahead():
            self.transport.close()
        super().on_response_complete()
        self._linger()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that was silent for too long."""
        super().timeout_keep_alive_handler()
        self._linger()

    def pause_writing(self) -> None:
        """Give a reader that does not read some seconds to go on."""
        super().pause_writing()
        self._stalled.start(self.host.stall_seconds)

    def resume_writing(self) -> None:
        """Go on with a reader that reads again."""
        if not self.transport.is_closing():
            self._stalled.stop()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection, and let whoever works for it know."""
        for timer in (self._head, self._unread, self._stalled):
            timer.stop()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        self.presence.leave()
        self.host.metrics.connections = len(self.connections)

    @property
    def known(self) -> bool:
        """Whether it showed that it may be here."""
        return self.presence.known

    @property
    def idle(self) -> bool:
        """True while no request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _linger(self) -> None:
        """Give a connection that is being closed some seconds to take its last bytes."""
        if self.transport.is_closing() and self.transport.get_write_buffer_size():
            self._stalled.start(self.host.stall_seconds)

    def _sends_too_far_ahead(self) -> bool:
        if self.known or not self.conn.trailing_data[0]:
            self._ahead = 0
            return False
        self._ahead += 1
        return self._ahead > _MOST_AHEAD

    # --- room -------------------------------------------------------------------------------------

    def _find_room(self) -> None:
        """Make room when there are too many; a connection nobody makes room for is crowded."""
        others = [item for item in self._beside() if not item.crowded]
        most = self.host.socket_connections if self.local else self.host.max_connections
        if len(others) < most:
            return
        self.host.metrics.refused += 1
        if _cut_oldest(item for item in others if not item.known):
            return
        idle = (item for item in others if item.idle)
        if _cut_oldest(sorted(idle, key=lambda item: item.idle_since)[:1]):
            return
        self.crowded = True
        crowd = [item for item in self._beside() if item.crowded]
        if len(crowd) >= _MOST_CROWDED:
            _cut_oldest(crowd)

    def _beside(self) -> list[BoundedProtocol]:
        """Return the other connections of the same kind."""
        return [
            item
            for item in self.connections
            if isinstance(item, BoundedProtocol)
            and item is not self
            and item.local == self.local
            and not item.leaving
        ]


def _is_the_owner(peer: socket.socket) -> bool:
    """Say whether the other end of a Unix socket is of the same person, where the system tells."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the socket's own mode keeps others out
    facts = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return _PEER.unpack(facts)[1] in (os.geteuid(), 0)


def _cut_oldest(choice: Iterable[BoundedProtocol]) -> bool:
    """Cut the connection that came first, if there is any."""
    oldest = min(choice, key=lambda item: item.since, default=None)
    if oldest is None:
        return False
    oldest.leaving = True
    oldest.transport.abort()
    return True
