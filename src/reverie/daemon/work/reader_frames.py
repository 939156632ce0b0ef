"""What the daemon and its readers say to each other: plain values as JSON, with their length before them.

Plain values only: what is read from a line can neither run anything nor be anything but data.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping
from typing import Any

from reverie.errors import ReverieError, all_errors

_LENGTHS = struct.Struct("!QQ")


def send(line: socket.socket, head: Mapping[str, Any], body: bytes = b"") -> None:
    """Send plain values, and bytes that are passed on as they are."""
    data = json.dumps(head).encode("ascii")  # half a character of a name arrives as such
    line.sendall(_LENGTHS.pack(len(data), len(body)) + data + body)


def receive(line: socket.socket) -> tuple[dict[str, Any], bytes]:
    """Wait for values and bytes; raise `EOFError` when the other end is gone."""
    head, body = _LENGTHS.unpack(_exactly(line, _LENGTHS.size))
    return json.loads(_exactly(line, head)), _exactly(line, body)


def plain_error(error: ReverieError) -> dict[str, Any]:
    """Return what an error says, as far as an answer tells it."""
    told = {
        name: value
        for name, value in error.evidence.items()
        if isinstance(value, str | int | float | list)
    }
    return {"type": type(error).__name__, "text": str(error), "code": error.code, "evidence": told}


def error_from(plain: Mapping[str, Any]) -> ReverieError:
    """Make the error again."""
    kind = next(kind for kind in all_errors() if kind.__name__ == plain["type"])
    error = kind(plain["text"])
    error.code, error.evidence = plain["code"], dict(plain["evidence"])
    return error


def _exactly(line: socket.socket, size: int) -> bytes:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        try:
            count = line.recv_into(view)
        except ConnectionError:
            count = 0
        if not count:
            raise EOFError
        view = view[count:]
    return bytes(data)
