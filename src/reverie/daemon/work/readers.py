"""The readers of a daemon: started when questions crowd, ended when none came for a while.

Rules
- An idle daemon has no readers, and one caller who asks one thing after the other never starts any. While
  none is ready, questions are answered in the daemon's own threads, as ever.
- A reader answers one question at a time, so that it never waits for another's lock. A question whose
  caller hung up while it waited for a free reader is dropped.
- Nothing but time is lost with a reader: a question only reads, so it is asked again. One that two
  readers did not survive is refused, for it may be what ended them.
- Readers that end before they answered are not started for ever: after a few, the daemon goes on alone.
"""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from reverie.daemon.http.presence import CallerGone
from reverie.daemon.work import reader_frames as frames
from reverie.daemon.work.questions import plain_opening
from reverie.daemon.work.reader_process import UNKNOWN
from reverie.errors import ReaderLost

if TYPE_CHECKING:
    from reverie.daemon.http.presence import Presence
    from reverie.daemon.work.questions import Question
    from reverie.memory import Memory

_log = logging.getLogger(__name__)
_CROWD: Final = 3
"""So many questions at once are a crowd."""
_PRESSURE: Final = 32
"""So many more questions in a crowd than alone ask for one more reader."""
_IDLE_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 5.0
_MOST_FAILURES: Final = 3
_PROGRAM: Final = (
    *(sys.executable, "-P", "-c"),
    "from reverie.daemon.work.reader_process import main; main()",
)


def wanted_readers(setting: int) -> int:
    """Return how many readers there may be: no more than processors, and none where there is only one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(setting, cores) if cores and cores > 1 else 0


class Shelf:
    """A memory that readers may open: its name, and how to open it in another process."""

    def __init__(self, key: str, opener: Callable[[], Memory]) -> None:
        self.key = key
        self.opening = plain_opening(opener)
        """None where it cannot be opened elsewhere, because it holds parts of this process."""


class _Lost(Exception):
    """A reader ended while it was asked."""


class _Reader:
    """One process, and our end of the line to it."""

    def __init__(self, program: Sequence[str]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [*program, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self._line = ours
        self._known: set[str] = set()

    def ask(self, shelf: Shelf, question: Question) -> bytes:
        try:
            opening = None if shelf.key in self._known else shelf.opening
            head, body = self._exchange(shelf.key, opening, question)
            if head["kind"] == UNKNOWN:  # it was open for long, and others took its place
                head, body = self._exchange(shelf.key, shelf.opening, question)
        except (EOFError, OSError) as error:
            raise _Lost from error
        self._known.add(shelf.key)
        if head["kind"] == "answer":
            return body
        if head["kind"] == "error":
            raise frames.error_from(head["error"])
        raise RuntimeError(f"a reader made a mistake: {head['text']}")

    def _exchange(
        self, key: str, opening: Mapping[str, Any] | None, question: Question
    ) -> tuple[dict[str, Any], bytes]:
        frames.send(self._line, {"key": key, "opening": opening, "question": question.plain()})
        return frames.receive(self._line)

    def close(self) -> None:
        """Let it end; it notices that the line is closed, and so does whoever waits for its answer."""
        with suppress(OSError):  # it is gone already
            self._line.shutdown(socket.SHUT_RDWR)
        self._line.close()

    def wait(self) -> None:
        """Wait until it has ended; it is killed when that takes long."""
        try:
            self.process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Readers:
    """All readers of a daemon. Every method may be called from any thread."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.program: Sequence[str] = _PROGRAM
        self.crowd = _CROWD
        self.pressure_limit = _PRESSURE
        self.idle_seconds = _IDLE_SECONDS
        self.answered = 0
        self.lost = 0
        self._free: list[_Reader] = []
        self._all: set[_Reader] = set()
        self._inside = 0
        self._starting = False
        self._failures = 0
        self._pressure = 0
        self._last_asked = 0.0
        self._stopped = False
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return len(self._all)

    @property
    def given_up(self) -> bool:
        """True when readers could not be started so often that it is not tried again."""
        return self._failures >= _MOST_FAILURES

    @property
    def processes(self) -> list[int]:
        """The process ids of the readers."""
        with self._changed:
            return [reader.process.pid for reader in self._all]

    def answer(
        self,
        shelf: Shelf,
        question: Question,
        *,
        here: Callable[[], bytes],
        caller: Presence | None,
    ) -> bytes:
        """Let a reader answer, or answer here when there is none.

        Raises:
            CallerGone: The caller hung up while all readers were busy.
            ReaderLost: Two readers ended while they were asked this.
        """
        if not self.most or shelf.opening is None:
            return here()
        with self._changed:
            self._inside += 1
            start = self._crowded()
        try:
            if start:
                threading.Thread(
                    target=self._start, args=(shelf, question), name="reader-start", daemon=True
                ).start()
            return self._answer(shelf, question, here, caller)
        finally:
            with self._changed:
                self._inside -= 1

    def _answer(
        self, shelf: Shelf, question: Question, here: Callable[[], bytes], caller: Presence | None
    ) -> bytes:
        for _ in range(2):
            reader = self._take(caller)
            if reader is None:
                return here()
            try:
                return reader.ask(shelf, question)
            except _Lost:
                self._drop(reader)
            finally:
                self._give_back(reader)
        raise ReaderLost("two readers ended while they were asked this; try again in a moment")

    # --- who is free ------------------------------------------------------------------------------

    def _take(self, caller: Presence | None) -> _Reader | None:
        with self._changed:
            while not self._free:
                if not self._all or self._stopped:
                    return None
                self._changed.wait()
            if caller is not None and caller.left():
                self._changed.notify()
                raise CallerGone
            return self._free.pop()

    def _give_back(self, reader: _Reader) -> None:
        with self._changed:
            if reader in self._all:
                self.answered += 1
                self._last_asked = time.monotonic()
                self._free.append(reader)
                self._changed.notify()

    def _drop(self, reader: _Reader) -> None:
        with self._changed:
            ours = reader not in self._all  # we ended it ourselves
            self._all.discard(reader)
            self._changed.notify_all()
        if ours:
            return
        self.lost += 1
        reader.close()
        reader.wait()
        _log.warning("a reader ended (status %s); others go on", reader.process.returncode)

    # --- when to start and to end -----------------------------------------------------------------

    def _crowded(self) -> bool:
        """Say whether one more reader is to be started, because questions crowd for a while."""
        if self._inside >= self.crowd:
            self._pressure += 1
        elif self._inside == 1 and self._pressure:
            self._pressure -= 1
        if (
            self._pressure < self.pressure_limit
            or self._starting
            or self._free
            or len(self._all) >= self.most
            or self.given_up
            or self._stopped
        ):
            return False
        self._pressure = 0
        self._starting = True
        return True

    def _start(self, shelf: Shelf, question: Question) -> None:
        """Start a reader and let it answer a question that was asked before, so that it is warm."""
        try:
            reader = _Reader(self.program)
        except OSError as error:
            _log.warning("no reader can be started: %s", error)
            with self._changed:
                self._starting = False
                self._failures += 1
            return
        warm = True
        try:
            reader.ask(shelf, question)
        except _Lost:
            warm = False
        except Exception as error:  # noqa: BLE001  # whoever asked it was told already
            _log.debug("the question a reader began with failed: %s", error)
        with self._changed:
            self._starting = False
            kept = warm and not self._stopped
            self._failures = 0 if warm else self._failures + 1
            if kept:
                self._all.add(reader)
                self._free.append(reader)
                self._last_asked = time.monotonic()
                watch = len(self._all) == 1
                self._changed.notify_all()
        if not kept:
            reader.close()
            reader.wait()
            if not warm:
                _log.warning("a reader ended while it started (%s)", reader.process.returncode)
        elif watch:
            threading.Thread(target=self._end_when_idle, name="reader-idle", daemon=True).start()

    def _end_when_idle(self) -> None:
        """Wait until nobody has asked for a while, then let all readers end."""
        while True:
            with self._changed:
                if self._stopped or not self._all:
                    return
                quiet = time.monotonic() - self._last_asked
                if quiet >= self.idle_seconds and len(self._free) == len(self._all):
                    ended = self._let_go()
                    break
            # Not woken by every answer: whoever asks has no time to wake others up.
            time.sleep(max(self.idle_seconds - quiet, self.idle_seconds / 10))
        _end(ended)

    def stop(self) -> None:
        """End all readers, and start no more."""
        with self._changed:
            self._stopped = True
            ended = self._let_go()
        _end(ended)

    def _let_go(self) -> set[_Reader]:
        ended, self._all, self._free = self._all, set(), []
        self._pressure = 0
        self._changed.notify_all()
        return ended


def _end(readers: set[_Reader]) -> None:
    for reader in readers:
        reader.close()
    for reader in readers:
        reader.wait()
