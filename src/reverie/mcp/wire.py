"""The pipes between a server and the client that started it, and pieces of what is said there."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from reverie import __version__

JSON = dict[str, Any]
SERVER = {"name": "reverie", "title": "Reverie", "version": __version__}
FRESH = {"cacheScope": "private", "ttlMs": 0}
"""What is said with a list that may change at any time."""
NEWS = frozenset({"toolsListChanged", "promptsListChanged", "resourcesListChanged"})
METHOD_LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/templates/list": "resourceTemplates",
}
ENVELOPE = "io.modelcontextprotocol/"
SUBSCRIPTION = f"{ENVELOPE}subscriptionId"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_LISTS = Path(__file__).with_name("lists.json")


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


def lists_of(surface: str) -> JSON:
    """Return what a server lists, as it was made beforehand."""
    found = json.loads(_LISTS.read_bytes())
    return {**found, "tools": found["tools"][surface]}


def progress_of(method: str, params: JSON) -> Callable[[int], JSON] | None:
    """Return what reports the progress of a call, if its client wants to hear of it."""
    token = params.get("_meta", {}).get("progressToken")
    if method != "tools/call" or not isinstance(token, str | int) or isinstance(token, bool):
        return None
    title = lists_of("full")["slow"].get(params.get("name"))
    if title is None:
        return None

    def made(beats: int) -> JSON:
        said = {
            "progressToken": token,
            "progress": beats,
            "message": f"{title}: working, {beats} s",
        }
        return {"method": "notifications/progress", "params": said}

    return made
