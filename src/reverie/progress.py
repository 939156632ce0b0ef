"""How far a long piece of work is: told by who does it, heard by who shows it, and by nobody otherwise.

It costs nothing where nobody listens, and whoever works knows nothing of terminals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

__all__ = ["Step", "heard_by", "tell"]


class Step(NamedTuple):
    """So much of something is done."""

    what: str
    """What is being done, for a person: `reading memories`."""
    done: int
    total: int
    """0 when nobody knows."""


_listener: ContextVar[Callable[[Step], None] | None] = ContextVar("progress", default=None)


def tell(what: str, done: int, total: int = 0) -> None:
    """Say how far something is."""
    listener = _listener.get()
    if listener is not None:
        listener(Step(what, done, total))


@contextmanager
def heard_by(listener: Callable[[Step], None]) -> Iterator[None]:
    """Hear what is told by whatever the block calls."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
