"""Handing tool calls to a daemon of the same home, which has everything open already.

Rules
- None means: do it here. Nobody is there, it does not serve this folder, or it refused and did nothing.
- While a daemon opens the memory, a call waits a moment for it: to open it here takes as long.
- A write whose answer never came is not done again: the journal tells whether it was done.
- Light: an agent waits for the process that imports this.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from reverie.client import quick, resident

JSON = dict[str, Any]
PATH = "/workspace/mcp/call"
_READ_SECONDS = 10.0
_WRITE_SECONDS = 310.0
_OPENING_SECONDS = 3.0
_ALIVE_SECONDS = 1.0
_OPENING = 425
_OTHER = 421
_NOTHING_DONE = (400, 403, 404, 405, 413, _OTHER, _OPENING, 429, 503)
_LOST = (
    "The daemon went away before it answered, so it may be done or not. [daemon_unreachable]\n"
    "Call `memory_search` to see whether it was done, before you call this again."
)


class Daemon:
    """The daemon of a home, as a server on standard input and output sees it."""

    def __init__(self, *, home: str | None, dialect: str | None, workspace: str | None) -> None:
        self._home = home
        self._dialect = dialect
        self._folder = workspace or "."
        self._woke = False

    def call(
        self, asked: JSON, *, writes: bool, cancelled: Callable[[], bool]
    ) -> tuple[JSON, str] | None:
        """Let a running daemon carry out a tool call; return its answer and the run that it made."""
        place = quick.socket_of(self._home, dialect=self._dialect, env=os.environ)
        if place is None:
            self.wake()
            return None
        until = monotonic() + _OPENING_SECONDS
        while True:
            status, told = self._exchange(place, asked, writes=writes, cancelled=cancelled)
            if status != _OPENING or monotonic() > until or cancelled():
                break
        if status < 400 and isinstance(told, dict):
            return told["answer"], str(told["run"])
        if status in (0, _OTHER):
            self.wake(gone=True)
        if not writes or status in (0, *_NOTHING_DONE):
            return None
        return {"content": [{"type": "text", "text": _LOST}], "isError": True}, ""

    def wake_once(self) -> None:
        """Start a daemon when this is first said."""
        if not self._woke:
            self._woke = True
            self.wake()

    def wake(self, *, gone: bool = False) -> None:
        """Start a daemon for the next call, if there is to be one."""
        process = resident.wake(self._home, dialect=self._dialect, gone=gone)
        if process is not None:  # it leaves us at once; somebody has to take note of that
            threading.Thread(target=os.waitpid, args=(process, 0), daemon=True).start()

    def _exchange(
        self, place: str, asked: JSON, *, writes: bool, cancelled: Callable[[], bool]
    ) -> tuple[int, object]:
        """Return status and answer; status 0: nobody was there; 599: nobody knows what was done."""
        try:
            if writes:  # it may take long, so it has to be clear that somebody is there
                quick.exchange(place, "", "/health", None, timeout=_ALIVE_SECONDS)
        except OSError:
            return 0, None
        try:
            return quick.exchange(
                place,
                quick.project_of(self._folder),
                PATH,
                asked,
                timeout=_WRITE_SECONDS if writes else _READ_SECONDS,
                cancelled=cancelled,
            )
        except quick.Unanswered as error:
            return 599 if error.sent and writes else 0, None
