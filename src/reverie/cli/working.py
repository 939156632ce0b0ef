"""One line on the terminal while a command takes its time: what it does, how far it is, how long still.

Rules
- Only where standard error is a terminal (whoever starts it looks), only after a second, and never beside
  other output: whatever is printed takes the line away first, for good.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final, Self

from reverie.cli.terminal import before_printing, overwrite
from reverie.progress import Pace, heard_by

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["Working"]

PATIENCE: Final = 1.0
_EVERY: Final = 0.25


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
