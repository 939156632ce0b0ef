"""A real HTTP server on loopback that speaks as OpenAI, Anthropic and Google do, well or badly."""

from __future__ import annotations

import functools
import gzip
import itertools
import json
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Endpoint:
    """What the server was asked, and what it will do next; the last thing is done again and again."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.host = host
        self.port = port
        self.script: list[Callable[[Handler], None]] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connects: list[str] = []
        self.sent = 0
        self.release = threading.Event()

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def seen(self) -> str:
        """Everything that anybody said to it."""
        return repr((self.requests, self.headers, self.paths, self.connects))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoint: Endpoint

    def do_POST(self) -> None:
        point = self.endpoint
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        point.requests.append(json.loads(body))
        point.headers.append({name.lower(): value for name, value in self.headers.items()})
        point.paths.append(self.path)
        self._act()

    def _act(self) -> None:
        script = self.endpoint.script
        (script.pop(0) if len(script) > 1 else script[0])(self)

    def do_CONNECT(self) -> None:
        """Take the place of a proxy, and let nobody through."""
        self.endpoint.connects.append(f"{self.path} {dict(self.headers.items())}")
        self.send(502, b"")
        self.close_connection = True

    def do_GET(self) -> None:
        self.endpoint.paths.append(self.path)
        self.endpoint.headers.append({name.lower(): v for name, v in self.headers.items()})
        self._act()

    def pour(self, pieces: Iterable[bytes]) -> None:
        """Write until all is written or the other side has had enough."""
        try:
            for piece in pieces:
                self.wfile.write(piece)
                self.endpoint.sent += len(piece)
        except OSError:
            pass
        self.close_connection = True

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        if "content-length" not in (headers or {}):
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(host: str = "127.0.0.1", *, tls: ssl.SSLContext | None = None) -> Iterator[Endpoint]:
    """Serve on a free port until the block ends."""
    made: dict[str, Endpoint] = {}

    class Bound(Handler):
        @property
        def endpoint(self) -> Endpoint:  # type: ignore[override]
            return made["it"]

    server = ThreadingHTTPServer((host, 0), Bound)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    made["it"] = Endpoint(server.server_port, host)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield made["it"]
    finally:
        made["it"].release.set()
        server.shutdown()
        thread.join()
        server.server_close()


def openai(
    text: str | None = None, calls: list[tuple[str, str]] | None = None
) -> Callable[[Handler], None]:
    """Answer as an OpenAI-compatible endpoint does."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": args}}
            for n, (name, args) in enumerate(calls)
        ]
    body = {
        "id": "x", "object": "chat.completion", "created": 1, "model": "tiny",
        "choices": [{"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17},
    }  # fmt: skip
    return lambda handler: handler.send(200, json.dumps(body).encode())


def anthropic(
    text: str = "", calls: list[tuple[str, dict[str, Any]]] | None = None
) -> Callable[[Handler], None]:
    """Answer as Anthropic does."""
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": given}
        for n, (name, given) in enumerate(calls or [])
    ]
    body = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-tiny", "content": content,
        "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 20, "output_tokens": 7},
    }  # fmt: skip
    return lambda handler: handler.send(200, json.dumps(body).encode())


def google(
    text: str = "", calls: list[tuple[str, dict[str, Any]]] | None = None
) -> Callable[[Handler], None]:
    """Answer as Google does."""
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    parts += [{"functionCall": {"name": name, "args": given}} for name, given in calls or []]
    body = {
        "candidates": [
            {"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 30, "candidatesTokenCount": 9, "totalTokenCount": 39},
        "modelVersion": "gemini-tiny", "responseId": "r-1",
    }  # fmt: skip
    return lambda handler: handler.send(200, json.dumps(body).encode())


def google_busy(delay: str) -> Callable[[Handler], None]:
    """Refuse as Google does, which says in the body when to come again."""
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}
    error = {"code": 429, "message": "no", "status": "RESOURCE_EXHAUSTED", "details": [detail]}
    return lambda handler: handler.send(429, json.dumps({"error": error}).encode())


def status(code: int, **headers: str) -> Callable[[Handler], None]:
    """Refuse with a status, and say when to come again."""
    body = json.dumps({"error": {"message": "no", "type": "x"}, "type": "error"}).encode()
    given = {"retry-after-ms": "5", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return lambda handler: handler.send(code, body, given)


def raw(body: bytes, **headers: str) -> Callable[[Handler], None]:
    """Answer with bytes as they are."""
    given = {k.replace("_", "-"): v for k, v in headers.items()}

    def act(handler: Handler) -> None:
        handler.send(200, body, given)
        handler.close_connection = True

    return act


def hang(handler: Handler) -> None:
    """Take the request and say nothing."""
    handler.endpoint.release.wait(30)
    handler.close_connection = True


def drop(handler: Handler) -> None:
    """Take the request and hang up."""
    handler.close_connection = True
    handler.connection.close()


def redirect(location: str, code: int = 307) -> Callable[[Handler], None]:
    """Send the client elsewhere."""
    return lambda handler: handler.send(code, b"", {"location": location})


def flood(handler: Handler) -> None:
    """Answer without an end."""
    handler.pour([b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"])
    handler.pour(itertools.repeat(b" " * 65536))


def flood_of_headers(handler: Handler) -> None:
    """Answer with headers without an end."""
    handler.pour([b"HTTP/1.1 200 OK\r\n"])
    handler.pour(b"x-%d: " % n + b"a" * 1000 + b"\r\n" for n in itertools.count())


def flood_of_hints(handler: Handler) -> None:
    """Announce an answer for ever."""
    handler.pour(_until(handler, b"HTTP/1.1 103 Early Hints\r\n\r\n"))


def dribble(handler: Handler) -> None:
    """Answer so slowly that each read succeeds and nothing ever ends."""
    handler.pour([b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"])
    handler.pour(_until(handler, b" "))


def dribble_headers(handler: Handler) -> None:
    """The same, in the headers."""
    handler.pour([b"HTTP/1.1 200 OK\r\nx-slow: "])
    handler.pour(_until(handler, b"a"))


def bomb(layers: int = 1, size: int = 64 * 1024 * 1024) -> Callable[[Handler], None]:
    """Answer with little that unpacks to much."""

    def act(handler: Handler) -> None:
        raw(_packed(layers, size), content_encoding=", ".join(["gzip"] * layers))(handler)

    return act


@functools.cache  # and not where a test is named: that would be paid whenever tests are listed
def _packed(layers: int, size: int) -> bytes:
    body = gzip.compress(b" " * size, 9)
    for _ in range(layers - 1):
        body = gzip.compress(body, 9)
    return body


def _until(handler: Handler, piece: bytes) -> Iterator[bytes]:
    while not handler.endpoint.release.wait(0.02):
        yield piece
