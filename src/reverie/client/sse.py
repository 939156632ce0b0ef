"""Server-sent events: bytes in, events out, and the document's reading of an event.

Rules
- Pure: whatever pieces the bytes come in, the events are the same.
- A stream that never ends a frame is not ours; past a bound it is an error, not a full memory.
- An event that is malformed becomes a debug event; reading never raises.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reverie.errors import DaemonUnreachable

MAX_BUFFER = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class DaemonEvent:
    """One event of the daemon."""

    type: str
    data: Mapping[str, Any]
    id: int | None = None
    """None for a frame about the stream itself; such a frame is no resume point."""
    originator: str = ""
    """Client id of who caused it."""
    timestamp: int = 0
    """When the daemon sent it, in milliseconds."""


@dataclass(slots=True)
class SseReader:
    """Cuts a stream of bytes into events."""

    _parts: list[str] = field(default_factory=list)
    """The frame that is not complete yet, in pieces: to join them each time would take for ever."""
    _size: int = 0
    _held: str = ""
    """A line end that may be the first half of something."""
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )

    def feed(self, data: bytes) -> Iterator[DaemonEvent]:
        """Take bytes and yield the events that are complete with them."""
        text = self._held + self._decoder.decode(data)
        # A lone CR at the end may be half of a CRLF: it waits for the next piece.
        held = "\r" if text.endswith("\r") else ""
        text = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        *frames, rest = text.split("\n\n")
        if frames:
            frames[0] = "".join(self._parts) + frames[0]
            self._parts, self._size = [], 0
        # And a line end may be half of an empty line.
        self._held = ("\n" if rest.endswith("\n") else "") + held
        self._parts.append(rest.removesuffix("\n"))
        self._size += len(rest)
        if self._size > MAX_BUFFER:
            raise DaemonUnreachable("the stream does not look like server-sent events")
        for frame in frames:
            event = _event(frame)
            if event is not None:
                yield event


def _event(frame: str) -> DaemonEvent | None:
    """Read one frame; comments and frames without data give nothing."""
    kind, data = "message", []
    for line in frame.split("\n"):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            kind = value
        elif name == "data":
            data.append(value)
    if not data:
        return None
    try:
        envelope = json.loads("\n".join(data))
    except (ValueError, RecursionError):
        return DaemonEvent("debug", {"text": f"{kind}: the data is not JSON"})
    if not isinstance(envelope, dict):
        return DaemonEvent("debug", {"text": f"{kind}: the data is no envelope"})
    return event_of(envelope, kind)


def event_of(envelope: Mapping[str, Any], kind: str = "message") -> DaemonEvent:
    """Read an envelope."""
    data, meta, number = envelope.get("data"), envelope.get("_meta"), envelope.get("id")
    stamp = meta.get("serverTimestamp") if isinstance(meta, Mapping) else None
    return DaemonEvent(
        type=str(envelope.get("type") or kind),
        data=data if isinstance(data, Mapping) else {"value": data},
        id=number if isinstance(number, int) and not isinstance(number, bool) else None,
        originator=str(envelope.get("originatorClientId") or ""),
        timestamp=stamp if isinstance(stamp, int) and not isinstance(stamp, bool) else 0,
    )


def normalise(event: DaemonEvent | Mapping[str, Any]) -> dict[str, Any]:
    """Turn a raw event into the shape a user interface works with.

    >>> normalise({"type": "memory_changed", "data": {"scope": "managed", "source":
    ...     "workspace_memory_dream", "taskId": "dream-1", "touchedScopes": ["user"]}})["type"]
    'workspace.memory.changed'
    """
    raw = event if isinstance(event, DaemonEvent) else event_of(event)
    base: dict[str, Any] = {} if raw.id is None else {"eventId": raw.id}
    if raw.timestamp:
        base["serverTimestamp"] = raw.timestamp
    if raw.originator:
        base["originatorClientId"] = raw.originator
    data = raw.data
    if raw.type == "memory_changed":
        shown = _memory_changed(data)
        if shown is None:
            why = "malformed memory_changed payload"
            return {"type": "debug", "debugReason": "malformed_payload", "text": why, **base}
        return {"type": "workspace.memory.changed", **shown, **base}
    if raw.type == "task_updated":
        known = {key: data[key] for key in ("taskId", "kind", "status", "error") if key in data}
        return {"type": "workspace.memory.task.updated", **known, **base}
    if raw.type in ("replay_complete", "state_resync_required"):
        return {"type": f"session.{raw.type}", **data, **base}
    return {"type": "debug", "text": raw.type, **base}


def _memory_changed(data: Mapping[str, Any]) -> dict[str, Any] | None:
    scope = data.get("scope")
    if scope == "managed":
        source, task, scopes = (data.get(key) for key in ("source", "taskId", "touchedScopes"))
        if not (isinstance(source, str) and source and isinstance(task, str) and task):
            return None
        if not isinstance(scopes, list) or any(item not in ("user", "project") for item in scopes):
            return None
        return {"scope": scope, "source": source, "taskId": task, "touchedScopes": scopes}
    path, mode, size = (data.get(key) for key in ("filePath", "mode", "bytesWritten"))
    if scope not in ("workspace", "global") or mode not in ("append", "replace"):
        return None
    if not isinstance(path, str) or not path or isinstance(size, bool):
        return None
    if not isinstance(size, int):
        return None
    return {"scope": scope, "filePath": path, "mode": mode, "bytesWritten": size}
