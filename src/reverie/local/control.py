"""Small JSON files that steer the layers: the head, checkpoints, job states, run records.

Rules
- A file that cannot be read is kept aside under a name with the time, and its defaults are used.
- Keys we do not know stay where they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reverie.errors import FileTooLarge, NotText
from reverie.local.disk import read_text, sync_folder, write_atomic
from reverie.local.oserrors import explained
from reverie.types import Problem

_MAX_BYTES = 4 * 1024 * 1024


def read_json(path: Path, *, now: datetime, problems: list[Problem]) -> dict[str, Any]:
    """Read a JSON object; nothing there gives an empty one, and so does a file kept aside."""
    try:
        text = read_text(path, limit=_MAX_BYTES)
        if text is None:
            return {}
        value = json.loads(text.removeprefix("\ufeff"))
        if isinstance(value, dict):
            return value
    except (ValueError, RecursionError, NotText, FileTooLarge):
        pass
    kept = set_aside(path, now=now)
    problems.append(
        Problem(
            "control_file_corrupt",
            f"{path.name} could not be read; it was kept as {kept.name} and begun anew",
            path=str(kept),
        )
    )
    return {}


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Replace a JSON file, whole or not at all."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    write_atomic(path, text.encode("utf-8", "backslashreplace"))


def set_aside(path: Path, *, now: datetime) -> Path:
    """Move a file to a free name beside it that carries the time."""
    return move_to_free_name(path, path.with_name(f"{path.name}.corrupt"), now=now, always=True)


def move_to_free_name(source: Path, target: Path, *, now: datetime, always: bool = False) -> Path:
    """Move a file; the name gets a timestamp when it is taken (or always), and then a counter."""
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    stamped = target.with_name(f"{target.stem}-{stamp}{target.suffix}")
    chosen = stamped if always or _taken(target) else target
    count = 1
    while _taken(chosen):
        count += 1
        chosen = stamped.with_name(f"{stamped.stem}-{count}{stamped.suffix}")
    with explained(source):
        source.rename(chosen)
        sync_folder(chosen.parent)
        if chosen.parent != source.parent:
            sync_folder(source.parent)
    return chosen


def _taken(path: Path) -> bool:
    return path.exists() or path.is_symlink()
