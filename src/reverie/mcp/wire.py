"""The pipes between a server and the client that started it, and pieces of what is said there.

An agent waits for the process that imports this: no `typing`, `json`, `pathlib` or `logging`, which take
longer than Python itself to start.
"""

from __future__ import annotations

import os
import threading
import time
from functools import cache

from reverie import __version__
from reverie.client import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    from reverie.progress import Step

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
_LISTS = os.path.join(os.path.dirname(__file__), "lists.json")  # noqa: PTH118, PTH120


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


@cache
def lists_of(surface: str) -> JSON:
    """Return what a server lists, as it was made beforehand."""
    with open(_LISTS, "rb") as file:  # noqa: PTH123
        found = plainjson.loads(file.read())
    return {**found, "tools": found["tools"][surface]}


class Beat:
    """Reports the progress of a call: how far it is where that is known, else that it goes on."""

    def __init__(self, token: str | int, title: str) -> None:
        from reverie.progress import Pace

        self._token = token
        self._title = title
        self._pace = Pace()

    def heard(self, step: Step) -> None:
        """Take in how far the call is."""
        self._pace.heard(step, time.monotonic())

    def hearing(
        self, elsewhere: Callable[[], object] | None = None
    ) -> AbstractContextManager[object]:
        """Listen to what this thread tells of its progress, and a daemon that does the work."""
        from contextlib import ExitStack

        from reverie.progress import Following, heard_by

        listening = ExitStack()
        listening.enter_context(heard_by(self.heard))
        if elsewhere is not None:
            listening.enter_context(Following(elsewhere))
        return listening

    def __call__(self, beats: int) -> JSON:
        """Say it, once a second."""
        told = self._pace.line(time.monotonic(), time.monotonic() - beats)
        said = {
            "progressToken": self._token,
            "progress": beats,
            "message": f"{self._title}: {told}",
        }
        return {"method": "notifications/progress", "params": said}


def progress_of(method: str, params: JSON) -> Beat | None:
    """Return what reports the progress of a call, if its client wants to hear of it."""
    token = params.get("_meta", {}).get("progressToken")
    if method != "tools/call" or not isinstance(token, str | int) or isinstance(token, bool):
        return None
    title = lists_of("full")["slow"].get(params.get("name"))
    return None if title is None else Beat(token, title)
