"""A model on this machine that answers from a script and keeps every request it gets.

Rules
- It listens on the loopback address alone, and only while it is used as a context.
- A path tells which wire is spoken; what is no question to a model gets an empty answer.
- Whatever the script does wrong becomes an answer with status 500 that says so, never a hung agent.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import urlsplit

from reverie.lab.wires import Asked, Reply, read_request, stream, whole

if TYPE_CHECKING:
    from types import TracebackType

    from reverie.lab.wires import Wire

Script: TypeAlias = Callable[[Asked], Reply | int]
"""Says what is answered to a request; a number is the status of a refusal."""

_MAX_BODY: Final = 64 * 1024 * 1024


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: agents hang up whenever they like."""


class Loopback:
    """The running server."""

    def __init__(self, script: Script = lambda _asked: Reply("OK.")) -> None:
        self.script = script
        self.asked: list[Asked] = []
        """Every question so far, in the order they came."""
        self.other: list[str] = []
        """Requests that were no question: a method and a path."""
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Loopback:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: Asked) -> Reply | int:
        """Note a question and return what the script says to it."""
        with self._lock:
            self.asked.append(asked)
            said = self.script(asked)
            return said if isinstance(said, int) else replace(said, number=len(self.asked))


def wire_of(path: str) -> Wire | None:
    """Tell which wire a path belongs to."""
    route = urlsplit(path).path.rstrip("/")
    if route.endswith("/messages"):
        return "anthropic"
    if route.endswith("/responses"):
        return "responses"
    if route.endswith("/chat/completions"):
        return "chat"
    if route.endswith((":generateContent", ":streamGenerateContent")):
        return "gemini"
    return None


def _handler(server: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

        def do_HEAD(self) -> None:
            self._send(b"")

        def do_GET(self) -> None:
            server.other.append(f"GET {self.path}")
            self._json({"object": "list", "data": [], "models": []})

        def do_CONNECT(self) -> None:
            """Refuse the way to anywhere else: we are set as the proxy, too."""
            server.other.append(f"CONNECT {self.path}")
            self._refuse(403, "there is no way out")

        def do_POST(self) -> None:
            body = self._body()
            wire = wire_of(self.path)
            if wire is None or not isinstance(body, dict):
                server.other.append(f"POST {self.path}")
                # What counts tokens wants a number, under one name or the other.
                self._json({"input_tokens": 1, "totalTokens": 1})
                return
            try:
                reply = server.answer(read_request(wire, body))
            except Exception as error:  # noqa: BLE001  # whatever a script raises, the agent must not hang
                self._refuse(500, f"the script failed: {type(error).__name__}: {error}")
                return
            if isinstance(reply, int):
                self._refuse(reply, "refused by the script")
            elif body.get("stream") or ":stream" in self.path:
                self._stream(wire, reply)
            else:
                self._json(whole(wire, reply))

        def _body(self) -> Any:
            length = min(int(self.headers.get("content-length") or 0), _MAX_BODY)
            raw = self.rfile.read(length) if length else self._chunks()
            if self.headers.get("content-encoding") == "gzip":
                import gzip

                raw = gzip.decompress(raw)
            with suppress(ValueError, RecursionError):
                return json.loads(raw or b"{}")
            return None

        def _chunks(self) -> bytes:
            found = b""
            if "chunked" in self.headers.get("transfer-encoding", ""):
                while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
                    found += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            return found

        def _refuse(self, status: int, words: str) -> None:
            error = {"type": "error", "message": words, "code": status}
            self._json({"type": "error", "error": error}, status)

        def _json(self, value: object, status: int = 200) -> None:
            self._send(json.dumps(value).encode(), status)

        def _stream(self, wire: Wire, reply: Reply) -> None:
            lines = []
            for name, data in stream(wire, reply):
                told = data if isinstance(data, str) else json.dumps(data)
                lines.append((f"event: {name}\n" if name else "") + f"data: {told}\n\n")
            self._send("".join(lines).encode(), kind="text/event-stream")

        def _send(self, data: bytes, status: int = 200, kind: str = "application/json") -> None:
            with suppress(OSError):  # the agent may have gone away
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

    return Handler
