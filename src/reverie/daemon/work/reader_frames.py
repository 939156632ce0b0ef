"""What the daemon and its readers say to each other: pickled values with their length before them.

Both ends are processes of the same person, joined by a pair of sockets that nobody else can reach.
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("!Q")


def send(line: socket.socket, value: object) -> None:
    """Send a value."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    line.sendall(_LENGTH.pack(len(data)) + data)


def receive(line: socket.socket) -> Any:
    """Wait for a value; raise `EOFError` when the other end is gone."""
    (length,) = _LENGTH.unpack(_exactly(line, _LENGTH.size))
    return pickle.loads(_exactly(line, length))  # noqa: S301  # from our own process alone


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
