"""A real HTTP server on loopback that speaks as OpenAI, Anthropic and Google do, well or badly."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Endpoint:
    """What the server was asked, and what it will do next; the last thing is done again and again."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.script: list[Callable[[Handler], None]] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.release = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoint: Endpoint

    def do_POST(self) -> None:
        point = self.endpoint
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        point.requests.append(json.loads(body))
        point.headers.append({name.lower(): value for name, value in self.headers.items()})
        point.paths.append(self.path)
        act = point.script.pop(0) if len(point.script) > 1 else point.script[0]
        act(self)

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
def serving() -> Iterator[Endpoint]:
    """Serve on a free port until the block ends."""
    made: dict[str, Endpoint] = {}

    class Bound(Handler):
        @property
        def endpoint(self) -> Endpoint:  # type: ignore[override]
            return made["it"]

    server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
    server.daemon_threads = True
    made["it"] = Endpoint(server.server_port)
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
