"""The event log: what happened and how long it took, in numbers and names, never in memory text.

A line per event in `events.jsonl`. Appending is one write of one line, so several processes can do
it at once, and a recall at every prompt costs no database transaction.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reverie.local.disk.appending import ROTATE_BYTES as _ROTATE_BYTES
from reverie.local.disk.appending import append_record, unsealed
from reverie.local.disk.files import make_folder
from reverie.local.disk.os_errors import explained
from reverie.local.disk.regular import regular_bytes

_BEGIN = '{"at":'


class EventLog:
    """Append-only events beside the journal; the previous file is kept when one grows full."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        """How many lines the last reading could not use."""

    def add(self, name: str, data: Mapping[str, Any], *, at: datetime) -> None:
        """Append one event."""
        record = {"at": at.astimezone(UTC).isoformat(), "name": name, **data}
        line = json.dumps(record, ensure_ascii=False, default=str)
        with explained(self.path):
            try:
                append_record(os.fspath(self.path), line, limit=_ROTATE_BYTES)
            except FileNotFoundError:  # the first event of a home
                make_folder(self.path.parent, private=True)
                append_record(os.fspath(self.path), line, limit=_ROTATE_BYTES)

    def read(self, *, limit: int = 50, name: str | None = None) -> list[dict[str, Any]]:
        """Return the newest events first; a line that was cut off or changed is passed over."""
        newest: deque[dict[str, Any]] = deque(maxlen=limit)
        damaged = 0
        for path in (self._previous, self.path):
            for line in _lines(path):
                record = _record(line)
                if record is None:
                    damaged += 1
                elif name in (None, record.get("name")):
                    newest.append(record)
        self.damaged = damaged
        return list(reversed(newest))

    @property
    def _previous(self) -> Path:
        return self.path.with_name(self.path.name + ".1")


def _lines(path: Path) -> list[str]:
    try:
        text = regular_bytes(path).decode("utf-8", "replace")
    except OSError:  # a log that cannot be read stops nothing
        return []
    return [line for line in text.split("\n") if line.strip()]


def _record(line: str) -> dict[str, Any] | None:
    """Read a line; where one was cut off and another went on behind it, the other."""
    for start in dict.fromkeys((0, line.rfind(_BEGIN))):
        text = unsealed(line[start:]) if start >= 0 else None
        try:
            found = json.loads(text) if text else None
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return None
