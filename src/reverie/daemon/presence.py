"""Whether whoever asked is still there.

A presence belongs to one connection and to the event loop's thread; `gone` alone may be read from any
thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class CallerGone(Exception):
    """Whoever asked hung up before it was begun, so it was not done."""


class Presence:
    """The caller at the other end of a connection."""

    def __init__(self) -> None:
        self.gone = False
        self._watchers: list[Callable[[], None]] = []

    def leave(self) -> None:
        """Tell everybody who works for this caller that nobody waits any more."""
        self.gone = True
        for tell in list(self._watchers):
            tell()

    def check(self) -> None:
        """Raise `CallerGone` unless the caller is there."""
        if self.gone:
            raise CallerGone

    @contextmanager
    def watched(self, tell: Callable[[], None]) -> Iterator[None]:
        """Call `tell` when the caller leaves while this is open."""
        self.check()
        self._watchers.append(tell)
        try:
            yield
        finally:
            self._watchers.remove(tell)
