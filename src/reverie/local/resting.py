"""What a process that stays does without while nothing is asked: it is read again when somebody asks.

Whoever keeps much in memory says so here when it is opened. It is named while it is in use elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from threading import Lock
from typing import Final
from weakref import WeakSet


class Resting(ABC):
    """Something that can let go of what it has in memory."""

    @abstractmethod
    def rest(self) -> None:
        """Keep only what is written nowhere else."""


_opened: Final[tuple[WeakSet[Resting], WeakSet[Resting]]] = (WeakSet(), WeakSet())
_opening: Final = Lock()
"""Held while one is added, or all are listed: threads open memories at any time."""


def rests(part: Resting, *, last: bool = False) -> None:
    """Name a part that can rest; `last` is what others read from when they do."""
    with _opening:
        _opened[last].add(part)


def opened() -> list[Resting]:
    """Return all that can rest now, in the order in which it should."""
    with _opening:
        return [part for named in _opened for part in named]
