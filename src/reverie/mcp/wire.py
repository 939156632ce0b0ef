"""The pipes between a server and the client that started it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator


class Wire:
    """The pipes to the client; nobody else in this process reads or writes them."""

    def __init__(self) -> None:
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.dup(1)
        self._lock = threading.Lock()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    def lines(self) -> Iterator[bytes]:
        """Yield what the client says, until it hangs up."""
        yield from self._in

    def line(self) -> bytes:
        """Return the next line; empty when the client has hung up."""
        return self._in.readline()

    def say(self, line: bytes) -> None:
        """Send one line, whole."""
        with self._lock:
            data = memoryview(line + b"\n")
            while data:
                data = data[os.write(self._out, data) :]
