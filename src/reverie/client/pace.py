"""How often to ask: pauses between polls, and between attempts to connect again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reverie.errors import RequestTimeout
from reverie.types import Task

_FIRST_POLL = 0.05
_LONGEST_POLL = 1.0


@dataclass(slots=True)
class Backoff:
    """Pauses that grow from attempt to attempt."""

    pause: float = 0.25
    longest: float = 10.0

    def next(self) -> float:
        """Return how long to pause now."""
        current = self.pause
        self.pause = min(self.longest, self.pause * 2)
        return current


def polling(task: Task | str, *, timeout: float, now: Callable[[], float]) -> Iterator[float]:
    """Yield the pause after each poll, short ones first; raise `RequestTimeout` at the end."""
    until = now() + timeout
    pause = _FIRST_POLL
    while True:
        yield max(0.0, min(pause, until - now()))
        if now() >= until:
            name = task.id if isinstance(task, Task) else task
            raise RequestTimeout(f"task {name} had not ended after {timeout:g} s; ask again later")
        pause = min(_LONGEST_POLL, pause * 1.5)
