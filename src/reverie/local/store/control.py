"""Small JSON files that steer the layers: the head, checkpoints, job states, run records.

Rules
- A file that cannot be read is kept aside under a name with the time, and its defaults are used.
- Keys we do not know stay where they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reverie.errors import FileTooLarge, NotAFile, NotText, StoreError
from reverie.local.disk.files import write_atomic
from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import Folders, folder_below, names_below
from reverie.types import Problem

_MAX_BYTES = 4 * 1024 * 1024


def read_json(
    path: Path, root: Path | None = None, *, now: datetime, problems: list[Problem]
) -> dict[str, Any]:
    """Read a JSON object; nothing there gives an empty one, and so does a file kept aside."""
    try:
        with folder_below(root or path.parent, path.parent) as folder:
            text = folder.read_text(path.name, limit=_MAX_BYTES)
        if text is None:
            return {}
        value = json.loads(text.removeprefix("\ufeff"))
        if isinstance(value, dict):
            return value
    except (ValueError, RecursionError, NotText, NotAFile, FileTooLarge):
        pass
    try:
        kept = set_aside(path, root, now=now)
        told = f"{path.name} could not be read; it was kept as {kept.name} and started afresh"
    except StoreError as error:  # where nothing can be written it stays, and its defaults are used
        kept, told = path, f"{path.name} could be neither read nor set aside ({error})"
    problems.append(Problem("control_file_corrupt", told, path=str(kept)))
    return {}


def write_json(path: Path, value: Mapping[str, Any], root: Path | None = None) -> None:
    """Replace a JSON file, whole or not at all."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    write_atomic(path, text.encode("utf-8", "backslashreplace"), root)


def set_aside(path: Path, root: Path | None = None, *, now: datetime) -> Path:
    """Move a file to a free name beside it that carries the time."""
    target = path.with_name(f"{path.name}.corrupt")
    return move_to_free_name(path, target, root, now=now, always=True)


def move_to_free_name(
    source: Path, target: Path, root: Path | None = None, *, now: datetime, always: bool = False
) -> Path:
    """Move a file; the name gets a timestamp when it is taken (or always), and then a counter."""
    with Folders() as folders, explained(source):
        here, there = (
            folders.below(os.path.realpath(root or parent), names_below(root or parent, parent))
            for parent in (source.parent, target.parent)
        )
        taken = set(there.names())
        free = target.name not in taken and not always
        name = target.name if free else free_name(target.name, now=now, taken=taken.__contains__)
        here.move(source.name, there, name)
    return target.with_name(name)


def free_name(name: str, *, now: datetime, taken: Callable[[str], bool]) -> str:
    """Put a timestamp into a name, and then a counter, until it is free."""
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    stem, dot, suffix = name.rpartition(".")
    stem, suffix = (stem, dot + suffix) if stem else (name, "")
    count, chosen = 1, f"{stem}-{stamp}{suffix}"
    while taken(chosen):
        count += 1
        chosen = f"{stem}-{stamp}-{count}{suffix}"
    return chosen
