"""One line on the terminal while a command takes its time: what it does, how far it is, how long still.

Rules
- Only where standard error is a terminal (whoever starts it looks), only after a second, and never beside
  other output: whatever is printed takes the line away first, for good.
- How long still is what the pace so far says; before anything is known, the line says how long it took.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final, Self

from reverie.cli.terminal import before_printing, overwrite
from reverie.progress import heard_by

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from reverie.progress import Step

__all__ = ["Pace", "Working"]

PATIENCE: Final = 1.0
_EVERY: Final = 0.25
_SURE: Final = 2.0  # seconds at a pace before it is believed


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

    def line(self, now: float, began: float) -> str:
        """Say where the work stands."""
        step = self._step
        if step is None:
            return f"working, {now - began:.0f} s"
        if not step.total:
            return f"{step.what}: {step.done:,}"
        told = f"{step.what}: {step.done:,} of {step.total:,}"
        gone, done = now - self._since, step.done - self._from
        if gone < _SURE or done <= 0:
            return told
        return f"{told}, about {_long((step.total - step.done) * gone / done)} left"


def _long(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min"


class Working:
    """Shows the line while a block runs."""

    def __init__(self) -> None:
        self._pace = Pace()
        self._began = time.monotonic()
        self._over = threading.Event()
        self._writing = threading.Lock()
        self._width = 0
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
        self._hearing: AbstractContextManager[None] = heard_by(
            lambda step: self._pace.heard(step, time.monotonic())
        )

    def __enter__(self) -> Self:
        self._hearing.__enter__()
        before_printing(self.stop)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        self._hearing.__exit__(None, None, None)

    def stop(self) -> None:
        """Take the line away, and show no other."""
        before_printing(None)
        with self._writing:
            self._over.set()
            if self._width:
                overwrite("", self._width)
                self._width = 0

    def _run(self) -> None:
        wait = PATIENCE
        while not self._over.wait(wait):
            wait = _EVERY
            with self._writing:
                if not self._over.is_set():
                    line = self._pace.line(time.monotonic(), self._began)
                    overwrite(line, self._width)
                    self._width = len(line)
