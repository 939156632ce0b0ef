"""The pipes between a server and the client that started it, and pieces of what is said there."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

JSON = dict[str, Any]


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


def capabilities(*, announced: bool) -> JSON:
    """Say what the server offers; `announced`: changes of lists can be listened to."""
    return {
        "completions": {},
        "prompts": {"listChanged": announced},
        "resources": {"listChanged": True, "subscribe": True},
        "tools": {"listChanged": announced},
    }


def key_of(name: object) -> object:
    """Tell 1 from "1" and from true, as JSON does."""
    return type(name).__name__, str(name)


def error_of(code: int, message: str, data: JSON | None = None) -> JSON:
    """Say that a request failed."""
    return {"error": {"code": code, "message": message, **({"data": data} if data else {})}}
