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

from reverie.local.appending import ROTATE_BYTES as _ROTATE_BYTES
from reverie.local.appending import append_line
from reverie.local.disk import make_folder
from reverie.local.oserrors import explained


class EventLog:
    """Append-only events beside the journal; the previous file is kept when one grows full."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, name: str, data: Mapping[str, Any], *, at: datetime) -> None:
        """Append one event."""
        record = {"at": at.astimezone(UTC).isoformat(), "name": name, **data}
        line = json.dumps(record, ensure_ascii=False, default=str) + "\n"
        make_folder(self.path.parent, private=True)
        with explained(self.path):
            append_line(os.fspath(self.path), line, limit=_ROTATE_BYTES)

    def read(self, *, limit: int = 50, name: str | None = None) -> list[dict[str, Any]]:
        """Return the newest events first; a line cut off by a crash is passed over."""
        newest: deque[dict[str, Any]] = deque(maxlen=limit)
        for path in (self._previous, self.path):
            try:
                lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            except FileNotFoundError:
                continue
            for line in lines:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if isinstance(record, dict) and name in (None, record.get("name")):
                    newest.append(record)
        return list(reversed(newest))

    @property
    def _previous(self) -> Path:
        return self.path.with_name(self.path.name + ".1")
