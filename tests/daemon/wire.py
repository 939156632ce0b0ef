"""Raw connections to a daemon, for tests of what no HTTP library would send."""

from __future__ import annotations

import json
import socket
import time

from tests.daemon.conftest import TOKEN, WAIT

PATH = "/workspace/memory/remember"


def waited(daemon, condition):
    """Wait until something is true of the daemon; its own thread looks."""
    until = time.monotonic() + WAIT
    while not daemon.on_loop(condition):
        assert time.monotonic() < until


class Wire:
    """A raw connection."""

    def __init__(self, daemon, *, room=None):
        """Connect; `room` is how many bytes the system keeps for us that we did not read."""
        self.socket = socket.socket()
        if room is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self.socket.settimeout(WAIT)
        self.socket.connect(("127.0.0.1", daemon.port))
        self.port = daemon.port
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def head(self, length=None, method="POST", path=PATH, extra="", token=TOKEN):
        size = "" if length is None else f"Content-Length: {length}\r\n"
        known = f"Authorization: Bearer {token}\r\n" if token else ""
        return (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{known}{size}{extra}\r\n"
        ).encode()

    def ask(self, path, body=None, *, token=TOKEN):
        """Send one request, and do not wait."""
        data = b"" if body is None else json.dumps(body).encode()
        method = "GET" if body is None else "POST"
        self.send(self.head(len(data), method, path, token=token) + data)

    def send(self, data):
        self.socket.sendall(data)

    def answer(self):
        """Read until the end of one response; return its status and JSON."""
        data = self.rest
        while b"\r\n\r\n" not in data:
            piece = self.socket.recv(65536)
            if not piece:
                return None, None
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        fields = dict(
            line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line
        )
        length = int(fields.get(b"content-length", 0))
        while len(body) < length:
            body += self.socket.recv(65536)
        body, self.rest = body[:length], body[length:]
        return int(head.split()[1]), json.loads(body) if body.startswith(b"{") else None

    def get(self, path, *, token=TOKEN):
        """Ask, and return status and JSON."""
        self.ask(path, token=token)
        return self.answer()

    def closed(self):
        """Wait for the other side to hang up."""
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionError:
            pass
        return True


class LocalWire(Wire):
    """A raw connection through the Unix socket, which needs no token."""

    def __init__(self, daemon):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT)
        self.socket.connect(daemon.local)
        self.port = daemon.port
        self.rest = b""

    def get(self, path, *, token=None):
        """Ask, and return status and JSON."""
        return super().get(path, token=token)
