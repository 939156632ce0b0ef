"""Handing what a client asks to a daemon of the same home, which has everything open already.

Rules
- None means: do it here. Nobody is there, it does not serve this folder, or it refused and did nothing.
- While a daemon opens the memory, a call waits a moment for it: to open it here takes as long.
- A write whose answer never came is not done again: the journal tells whether it was done.
- A daemon that does not say at once that it is there is left alone for a while: an agent waits.
- Light: an agent waits for the process that imports this.
"""

from __future__ import annotations

import os
import threading
from time import monotonic

from reverie.client import quick, resident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    JSON = dict[str, Any]

PATH = "/workspace/mcp/call"
READ_PATH = "/workspace/mcp/read"
_READ_SECONDS = 10.0
_WRITE_SECONDS = 310.0
_OPENING_SECONDS = 3.0
_ALIVE_SECONDS = 0.6
_HUNG_SECONDS = 60.0
"""How long a daemon that did not answer is not asked again."""
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
        self._rests_until = 0.0

    def call(
        self, asked: JSON, *, writes: bool, cancelled: Callable[[], bool]
    ) -> tuple[JSON, str] | None:
        """Let a running daemon carry out a tool call; return its answer and the run that it made."""
        place = self._place()
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

    def read(self, method: str, params: JSON) -> JSON | None:
        """Let a running daemon answer what only reads and what an agent waits for."""
        place = self._place()
        if place is None:
            return None
        asked = {"method": method, "params": params}
        status, told = self._exchange(
            place, asked, writes=False, cancelled=lambda: False, path=READ_PATH
        )
        return told if status < 400 and isinstance(told, dict) else None

    def progress(self) -> object:
        """Ask how far a daemon is with what takes long; None where nobody can say that."""
        place = self._place()
        return None if place is None else quick.progress(place, quick.project_of(self._folder))

    @property
    def stored(self) -> tuple[str, str]:
        """The state folder and the project; ValueError when there is no such dialect."""
        state = quick.state_of(self._home, dialect=self._dialect, env=os.environ)
        return state, quick.project_of(self._folder)

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

    def _place(self) -> str | None:
        """Return where a daemon listens; None when there is none, or when it did not answer lately."""
        if monotonic() < self._rests_until:
            return None
        return quick.socket_of(self._home, dialect=self._dialect, env=os.environ)

    def _exchange(
        self,
        place: str,
        asked: JSON,
        *,
        writes: bool,
        cancelled: Callable[[], bool],
        path: str = PATH,
    ) -> tuple[int, object]:
        """Return status and answer; status 0: nobody was there; 599: nobody knows what was done."""
        began = monotonic()
        try:  # the rest may take long, so it has to be clear that somebody is there
            quick.exchange(place, "", "/health", None, timeout=_ALIVE_SECONDS)
        except OSError:
            if monotonic() - began >= _ALIVE_SECONDS:
                self._rests_until = monotonic() + _HUNG_SECONDS
            return 0, None
        try:
            return quick.exchange(
                place,
                quick.project_of(self._folder),
                path,
                asked,
                timeout=_WRITE_SECONDS if writes else _READ_SECONDS,
                cancelled=cancelled,
            )
        except quick.Unanswered as error:
            return 599 if error.sent and writes else 0, None
