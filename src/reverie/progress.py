"""How far a long piece of work is: told by who does it, heard by who shows it, and by nobody otherwise.

It costs nothing where nobody listens, and whoever works knows nothing of terminals. How long still is what
the pace so far says; before anything is known, it is said how long it took.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, NamedTuple, Self

__all__ = ["Board", "Following", "Pace", "Step", "heard_by", "tell"]

_SURE = 2.0  # seconds at a pace before it is believed
_PATIENCE = 0.8
_EVERY = 0.25


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


class Pace:
    """How far the work is, and how fast it goes."""

    def __init__(self) -> None:
        self._step: Step | None = None
        self._since = 0.0
        self._from = 0

    def heard(self, step: Step, now: float) -> None:
        """Take in how far it is."""
        if self._step is None or step.what != self._step.what or step.done < self._step.done:
            self._since, self._from = now, step.done
        self._step = step

    @property
    def step(self) -> Step | None:
        """How far it is; None where nothing was told yet."""
        return self._step

    def left(self, now: float) -> float | None:
        """Return how many seconds are left; None while nobody can know."""
        step = self._step
        if step is None or not step.total:
            return None
        gone, done = now - self._since, step.done - self._from
        return None if gone < _SURE or done <= 0 else (step.total - step.done) * gone / done

    def line(self, now: float, began: float) -> str:
        """Say where the work stands."""
        step = self._step
        if step is None:
            return f"working, {max(0, round(now - began))} s"
        if not step.total:
            return f"{step.what}: {step.done:,}"
        told = f"{step.what}: {step.done:,} of {step.total:,}"
        left = self.left(now)
        return told if left is None else f"{told}, about {_long(left)} left"


class Board:
    """What is at work in a process that stays, for whoever asks from outside."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._paces: list[Pace] = []

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show what the block tells, as long as it runs."""
        pace = Pace()
        with self._guard:
            self._paces.append(pace)
        try:
            with heard_by(lambda step: pace.heard(step, self._clock())):
                yield
        finally:
            with self._guard:
                self._paces.remove(pace)

    def working(self) -> list[tuple[Step, float | None]]:
        """Return how far each piece of work is that told something, and how many seconds are left."""
        with self._guard:
            paces = list(self._paces)
        now = self._clock()
        return [(pace.step, pace.left(now)) for pace in paces if pace.step is not None]


class Following:
    """Tells how far a daemon is with what it was asked, as if the work were done here.

    Only where somebody listens, and only after a moment: most answers are there before. A daemon that cannot
    say it, or not in time, is not asked again; its answer is waited for all the same.
    """

    def __init__(self, ask: Callable[[], Any]) -> None:
        """Follow what `ask` tells: the answer of `GET /workspace/progress`; None where there is none."""
        self._ask = ask
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        if _listener.get() is not None:
            run = copy_context().run  # the thread tells whoever listens here
            self._thread = threading.Thread(target=run, args=(self._run,), daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()

    def _run(self) -> None:
        wait = _PATIENCE
        while not self._over.wait(wait):
            wait = _EVERY
            wire = self._ask()
            if not isinstance(wire, dict) or self._over.is_set():
                return
            for step in wire["working"][:1]:
                tell(step["what"], step["done"], step.get("total", 0))


def _long(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min"
