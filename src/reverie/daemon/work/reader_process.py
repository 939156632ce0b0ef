"""A reader: a process that answers one question after the other, and ends when the daemon does.

Rules
- It holds its own opened memories, which look for changes as every process does: what was written before
  a question was asked is in its answer.
- It ends when its end of the line is closed, however the daemon ended. Ctrl-C in the daemon's terminal is
  the daemon's business.
- Where memory is short, the system takes a reader before the daemon.
"""

from __future__ import annotations

import logging
import signal
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from reverie.daemon.work import reader_frames as frames
from reverie.daemon.work.open_memory import OpenMemory
from reverie.daemon.work.questions import Question
from reverie.daemon.work.tidying import TIDY_SECONDS, bounded_heap, tidy
from reverie.errors import ReverieError
from reverie.memory import Memory

_log = logging.getLogger(__name__)
MOST_OPEN: Final = 64
_TAKE_ME_FIRST: Final = "500"
UNKNOWN: Final = "unknown"
"""The answer to a question about a memory that is not open here: send how to open it."""


def main() -> None:
    """Answer on the socket whose number is the only argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_TAKE_ME_FIRST, encoding="ascii")
    with socket.socket(fileno=int(sys.argv[1])) as line, suppress(EOFError, BrokenPipeError):
        Reader().answer_all(line)


class Reader:
    """The memories that are open here, and the answering of questions."""

    def __init__(self) -> None:
        self._open: dict[str, OpenMemory] = {}
        self._trim = bounded_heap()
        self._tidied = time.monotonic()

    def answer_all(self, line: socket.socket) -> None:
        """Answer until the line is closed."""
        while True:
            asked, _ = frames.receive(line)
            head, body = self._answer(
                asked["key"], asked["opening"], Question.of(asked["question"])
            )
            frames.send(line, head, body)
            if time.monotonic() - self._tidied > TIDY_SECONDS:
                tidy(self._trim)
                self._tidied = time.monotonic()

    def _answer(
        self, key: str, opening: Mapping[str, Any] | None, question: Question
    ) -> tuple[dict[str, Any], bytes]:
        if opening is not None:
            self._know(key, opening)
        if key not in self._open:
            return {"kind": UNKNOWN}, b""
        self._open[key] = memory = self._open.pop(key)  # the longest unused stand first
        try:
            with memory.lend() as lent:
                return {"kind": "answer"}, question.ask(lent)
        except ReverieError as error:
            return {"kind": "error", "error": frames.plain_error(error)}, b""
        except Exception as error:  # noqa: BLE001  # the daemon answers for it
            _log.exception("a question failed")
            return {"kind": "mistake", "text": f"{type(error).__name__}: {error}"}, b""

    def _know(self, key: str, opening: Mapping[str, Any]) -> None:
        while len(self._open) >= MOST_OPEN:
            self._open.pop(next(iter(self._open))).close()
        self._open[key] = OpenMemory(partial(Memory.open, **opening))


if __name__ == "__main__":
    main()
