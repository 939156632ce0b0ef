"""Further paths to search that were named for one project with `reverie index PATH`.

They are kept in our own state, not in the project: a cloned repository must not name files to read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.errors import PathNotFound
from reverie.local.disk.locks import file_lock
from reverie.local.store.control import read_json, write_json
from reverie.local.store.paths import expand, usable

if TYPE_CHECKING:
    from reverie.types import Workspace

__all__ = ["add_paths", "named_paths", "remove_paths"]

_NAME = "search-paths.json"


def named_paths(workspace: Workspace, *, now: datetime) -> list[str]:
    """Return the paths that were named for this project."""
    found = _read(workspace, now).get(workspace.project_id, [])
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


def add_paths(
    workspace: Workspace, paths: Sequence[str], *, env: Mapping[str, str], now: datetime
) -> list[str]:
    """Name further paths, which must exist; return all of them."""
    fresh = [_absolute(workspace, path, env) for path in paths]
    for path in fresh:
        if not os.path.exists(path):
            raise PathNotFound(f"there is no file or folder {path}, so it cannot be searched")
    return _change(workspace, now, lambda known: [*known, *fresh])


def remove_paths(
    workspace: Workspace, paths: Sequence[str], *, env: Mapping[str, str], now: datetime
) -> list[str]:
    """Take paths back, which must have been named; return what is left."""
    gone = [_absolute(workspace, path, env) for path in paths]

    def without(known: list[str]) -> list[str]:
        for path in gone:
            if path not in known:
                listed = f"; these are: {', '.join(known)}" if known else "; no path is"
                raise PathNotFound(f"{path} was not named with `reverie index`{listed}")
        return [path for path in known if path not in gone]

    return _change(workspace, now, without)


def _change(
    workspace: Workspace, now: datetime, change: Callable[[list[str]], list[str]]
) -> list[str]:
    path = Path(workspace.state) / _NAME
    with file_lock(path.with_suffix(".lock"), wait=10.0, purpose="naming paths to search"):
        kept = list(dict.fromkeys(change(named_paths(workspace, now=now))))
        write_json(path, {**_read(workspace, now), workspace.project_id: kept})
    return kept


def _read(workspace: Workspace, now: datetime) -> dict[str, Any]:
    return read_json(Path(workspace.state) / _NAME, now=now, problems=[])


def _absolute(workspace: Workspace, path: str, env: Mapping[str, str]) -> str:
    return os.path.realpath(Path(workspace.cwd) / expand(usable(path), env))
