"""Hooks that are answered inside the server which an agent has running: no process is started for them.

Rules
- An agent sends an event as the call of a tool that stands in no list. It is answered on the line itself,
  whoever serves behind it: the light server, or the SDK later on.
- The answer is the text that `reverie hook` would have printed; it is never an error. The same marks keep
  two of them from answering one event.
- An event that runs when the client hangs up is finished.
"""

from __future__ import annotations

import os
import threading

from reverie.client import plainjson
from reverie.core.agents.naming import HOOK_TOOL
from reverie.mcp.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reverie.mcp.wire import JSON

_NAME = f'"{HOOK_TOOL}"'.encode()
_MODERN = "io.modelcontextprotocol/protocolVersion"
_GRACE_SECONDS = 10.0
EVENTS = ("prompt", "stop", "pre-compact")
"""Those of a session in its middle: at its start the server is not there yet, and at its end no longer."""


class HookedWire(Wire):
    """The pipes to a client that may send events."""

    def __init__(self, *, home: str | None, dialect: str | None) -> None:
        super().__init__()
        self._home, self._dialect = home, dialect
        self._running: list[threading.Thread] = []
        if threading.current_thread() is threading.main_thread():
            import _signal as signal  # type: ignore[import-not-found]  # the rest is enumerations

            # A hook sets a timer, which would end the process; here the agent has the limit.
            signal.signal(signal.SIGALRM, signal.SIG_IGN)

    def lines(self) -> Iterator[bytes]:
        """Yield what the client says, without the events."""
        while line := self.line():
            yield line

    def line(self) -> bytes:
        """Return the next line that is no event; empty when the client has hung up."""
        while line := super().line():
            event = event_in(line)
            if event is None:
                return line
            thread = threading.Thread(target=self._answer, args=event, daemon=True)
            thread.start()
            self._running = [item for item in self._running if item.is_alive()] + [thread]
        for thread in self._running:
            thread.join(_GRACE_SECONDS)
        return b""

    def _answer(self, name: object, params: JSON) -> None:
        given = params.get("arguments")
        said = (
            answer(given, home=self._home, dialect=self._dialect) if isinstance(given, dict) else {}
        )
        result: JSON = {"content": [{"type": "text", "text": plainjson.dumps(said)}]}
        if _MODERN in (params.get("_meta") or {}):
            result["resultType"] = "complete"
        try:
            self.say(plainjson.dumps({"jsonrpc": "2.0", "id": name, "result": result}).encode())
        except OSError:
            return  # the client is gone


def event_in(line: bytes) -> tuple[object, JSON] | None:
    """Read a line as an event: its id and parameters; None when it is none."""
    if _NAME not in line:
        return None
    try:
        message = plainjson.loads(line)
        name, params = message["id"], message["params"]
        is_event = message["method"] == "tools/call" and params["name"] == HOOK_TOOL
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    return (name, params) if is_event and isinstance(params, dict) else None


def answer(given: dict[str, Any], *, home: str | None, dialect: str | None) -> dict[str, Any]:
    """Answer one event; what an agent did not know to say is not there."""
    from reverie.hooks import quick, shapes

    call = quick.Call()
    call.event = shapes.event_named(str(given.get("event", "")))
    call.agent = str(given.get("agent", ""))
    call.home, call.dialect = home, dialect
    call.payload = {name: value for name, value in given.items() if value not in ("", None)}
    if call.event not in EVENTS or call.agent not in shapes.AGENTS:
        return {}
    said = quick.answered_inside(call)
    if call.work:  # it goes on by itself; somebody has to take note of its end
        threading.Thread(target=os.waitpid, args=(call.work, 0), daemon=True).start()
    return said
