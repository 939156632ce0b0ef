"""Which sessions there were: told by the records inside chat logs, not by the times of the files.

Copying or checking out a folder of chats makes files look new; what was said in them is not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from reverie.core.history.turns import read_time
from reverie.local.disk.regular import regular

_TAIL_BYTES = 64 * 1024  # the last records of a log; one record is rarely longer
_LONG_TAIL_BYTES = 8 * 1024 * 1024


def sessions_since(folders: list[Path], since: datetime | None) -> set[str]:
    """Return the ids of sessions with something said after a moment (ever, when there is none)."""
    found: set[str] = set()
    for path in _logs(folders):
        # A log ends with its newest record, so a file last written before needs no reading.
        if since is not None and _modified(path) < since.timestamp():
            continue
        for session, at in _last_records(path):
            if since is None or (at is not None and at > since):
                found.add(session)
                break
    return found


def _logs(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            continue
        yield from (folder / name for name in names if name.endswith(".jsonl"))


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _last_records(path: Path) -> Iterator[tuple[str, datetime | None]]:
    """Yield session and moment of the records at the end of a log, newest first."""
    for size in (_TAIL_BYTES, _LONG_TAIL_BYTES):
        found = list(_records(_tail(path, size)))
        if found:
            yield from found
            return


def _tail(path: Path, size: int) -> bytes:
    try:
        with open(path, "rb", opener=regular) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - size))
            return file.read()
    except OSError:
        return b""


def _records(data: bytes) -> Iterator[tuple[str, datetime | None]]:
    for line in reversed(data.split(b"\n")):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):  # the head of the tail, or a torn last line
            continue
        if isinstance(record, dict) and isinstance(record.get("sessionId"), str):
            yield record["sessionId"], read_time(record.get("timestamp"))
