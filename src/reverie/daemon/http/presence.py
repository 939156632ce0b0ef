"""Whether whoever asked is still there.

A presence belongs to one connection and to the event loop's thread; `left` may be called from any
thread.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_HUNG_UP = getattr(select, "POLLRDHUP", 0)
"""Where the system tells that the other side hung up, though what it sent was not read yet."""


class CallerGone(Exception):
    """Whoever asked hung up before it was begun, so it was not done."""


class Presence:
    """The caller at the other end of a connection."""

    def __init__(self, *, local: bool = False, handle: int = -1) -> None:
        self.local = local
        """It came through the Unix socket, so it is the owner."""
        self.known = local
        """It showed that it may be here."""
        self._handle = handle
        self._gone = False
        self._watchers: list[Callable[[], None]] = []

    def leave(self) -> None:
        """Tell everybody who works for this caller that nobody waits any more."""
        self._gone = True
        for tell in list(self._watchers):
            tell()

    def left(self) -> bool:
        """Say whether the caller hung up; asks the system, for the loop may not have come to it yet.

        The handle may be another connection's by now; but then this caller is gone, and what is said
        of the other one only means that its work is done or dropped.
        """
        if self._gone or self._handle < 0 or not _HUNG_UP:
            return self._gone
        poll = select.poll()
        poll.register(self._handle, _HUNG_UP)
        return bool(poll.poll(0))

    @contextmanager
    def watched(self, tell: Callable[[], None]) -> Iterator[None]:
        """Call `tell` when the caller leaves while this is open; raise `CallerGone` if it has left."""
        if self._gone:
            raise CallerGone
        self._watchers.append(tell)
        try:
            yield
        finally:
            self._watchers.remove(tell)
