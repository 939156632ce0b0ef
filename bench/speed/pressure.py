"""Many callers at once from one thread, on plain sockets that stay open: they take little from who answers.

Each caller sends its next request as soon as its last one is answered.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_PATIENCE = 60.0
_PIECE = 65_536


@dataclass(slots=True)
class Caller:
    """Somebody who asks the same route again and again."""

    url: str
    token: str
    path: str
    body: Callable[[], bytes]
    """Makes the body of the next request."""
    statuses: Counter[int] = field(default_factory=Counter)
    """How often it was answered how."""
    _line: socket.socket = field(init=False)
    _answer: bytearray = field(default_factory=bytearray)

    def connect(self) -> socket.socket:
        """Open the line that every request goes over."""
        address = urlsplit(self.url)
        self._line = socket.create_connection((address.hostname, address.port), _PATIENCE)
        self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._line

    def ask(self) -> None:
        """Send a request."""
        body = self.body()
        head = (
            f"POST {self.path} HTTP/1.1\r\nHost: {urlsplit(self.url).netloc}\r\n"
            f"Authorization: Bearer {self.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._line.sendall(head.encode() + body)

    def hear(self) -> bool:
        """Take what has come; say whether the answer is whole."""
        piece = self._line.recv(_PIECE)
        if not piece:
            raise RuntimeError("the daemon hung up")
        self._answer += piece
        head, end, rest = bytes(self._answer).partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        sizes = [line for line in lines if line.startswith(b"content-length:")]
        if not end or len(rest) < int(sizes[0].partition(b":")[2]):
            return False
        self.statuses[int(lines[0].split()[1])] += 1
        self._answer.clear()
        return True

    def close(self) -> None:
        """Hang up."""
        self._line.close()


def press(callers: Sequence[Caller], seconds: float) -> None:
    """Let callers ask for so long; what was asked by then is waited for."""
    end = time.monotonic() + seconds
    with selectors.DefaultSelector() as lines:
        for caller in callers:
            lines.register(caller.connect(), selectors.EVENT_READ, caller)
        try:
            for caller in callers:
                caller.ask()
            while lines.get_map():
                ready = lines.select(_PATIENCE)
                if not ready:
                    raise RuntimeError(f"no answer within {_PATIENCE:.0f} seconds")
                for key, _ in ready:
                    if not key.data.hear():
                        continue
                    if time.monotonic() < end:
                        key.data.ask()
                    else:
                        lines.unregister(key.fileobj)
        finally:
            for caller in callers:
                caller.close()
