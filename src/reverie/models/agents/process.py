"""Running an agent's command line: a group of processes with a deadline, ended as a group.

Rules
- The agent leads a session of its own: what it starts is ended with it, also when it is ended itself.
- A prompt goes through standard input, never over a command line that others can read.
- Output beyond a limit is thrown away: an agent that prints without end fills no memory.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Final

MAX_OUTPUT: Final = 8 * 1024 * 1024
_GRACE: Final = 2.0
"""Seconds between asking a group to end and ending it."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of one run."""

    code: int
    out: str
    err: str
    seconds: float
    late: bool = False
    """Whether it was ended because its time was over."""


def run_group(
    words: Sequence[str], *, cwd: str, env: Mapping[str, str], given: str = "", seconds: float
) -> Ran:
    """Run a command to its end, or to the end of its time."""
    started = time.monotonic()
    process = subprocess.Popen(
        list(words),
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    out, err = _Reader(process.stdout), _Reader(process.stderr)
    threading.Thread(target=_write, args=(process.stdin, given), daemon=True).start()
    late = False
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        late = True
    finally:
        end_group(process)
    for part in (out, err):
        part.join(_GRACE)
    code = process.returncode
    return Ran(code, out.text, err.text, time.monotonic() - started, late)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a group; its leader may be gone already while others run on."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)


def _write(pipe: IO[bytes] | None, text: str) -> None:
    if pipe is None:
        return
    with suppress(OSError), pipe:  # it may end before it has read everything
        pipe.write(text.encode())


class _Reader(threading.Thread):
    """Reads a pipe to its end, and keeps its beginning."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._parts: list[bytes] = []
        self.start()

    @property
    def text(self) -> str:
        return b"".join(self._parts).decode("utf-8", "replace")

    def run(self) -> None:
        kept = 0
        if self._pipe is None:
            return
        with suppress(OSError, ValueError), self._pipe:
            while part := self._pipe.read1(1 << 16):  # type: ignore[attr-defined]
                if kept < MAX_OUTPUT:
                    self._parts.append(part[: MAX_OUTPUT - kept])
                    kept += len(part)
