"""A new embedder whose vectors are still being made: another index answers meanwhile.

Rules
- A large memory takes minutes to embed. A search does not wait for that: it goes on with the embedder that is
  always there, whose vectors take seconds, and says so.
- The vectors are made in a thread of a process that stays. One that ends leaves the rest to the next.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from reverie.errors import ReverieError

if TYPE_CHECKING:
    from reverie.memory.engine import Index

__all__ = ["Filling", "anything_fills"]

_STEP_SECONDS: Final = 1.0
_WAIT_SECONDS: Final = 30.0
_at_work: Final[set[Filling]] = set()


def anything_fills() -> bool:
    """Say whether vectors are being made in this process behind the back of those who search."""
    return bool(_at_work)


class Filling:
    """Fills one index behind the back of those who search, and has another that answers meanwhile."""

    def __init__(self, index: Index, stand_in: Callable[[], Index]) -> None:
        self._index = index
        self._open = stand_in
        self._stand_in: Index | None = None
        self._stop = threading.Event()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def instead(self) -> Index:
        """Return the index that answers meanwhile, and see to it that the other one is filled."""
        with self._guard:
            if self._stand_in is None:
                self._stand_in = self._open()
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._fill, name="filling", daemon=True)
                _at_work.add(self)
                self._thread.start()
            return self._stand_in

    @property
    def at_work(self) -> bool:
        """Whether it goes on now."""
        return self in _at_work

    def _fill(self) -> None:
        try:
            with suppress(ReverieError):  # the next search meets the same, and tells it
                while not self._stop.is_set() and self._index.is_filling():
                    self._index.sync(wait=_WAIT_SECONDS, seconds=_STEP_SECONDS)
        finally:
            _at_work.discard(self)

    def close(self) -> None:
        """Stop after the files that are being taken in."""
        self._stop.set()
        with self._guard:
            if self._thread:
                self._thread.join()
            if self._stand_in:
                self._stand_in.close()
