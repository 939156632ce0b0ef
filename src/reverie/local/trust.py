"""Which folders are trusted: one small file in our own state, read at every load.

Rules
- The nearest folder at or above the asked one that has a record decides; else the setting does.
- A file that cannot be read trusts nothing: failing open would be the attacker's wish.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import ConfigUnreadable, NotAFile, PathNotFound
from reverie.local.disk import read_text, write_atomic
from reverie.local.locks import file_lock
from reverie.types import Trust

if TYPE_CHECKING:
    from reverie.types import Workspace

_LIMIT = 4 * 1024 * 1024
_SETTING = "context.folder_trust"


def trust_file(workspace: Workspace) -> Path:
    """Return where the records are kept."""
    return Path(workspace.state) / "trust.json"


def read_records(path: Path) -> dict[str, bool]:
    """Return each folder that was decided about; raise `ConfigUnreadable` if the file is broken."""
    text = read_text(path, limit=_LIMIT)
    if text is None:
        return {}
    try:
        folders = json.loads(text)["folders"]
        if all(isinstance(value, bool) for value in folders.values()):
            return {str(folder): value for folder, value in folders.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise ConfigUnreadable(
        f"{path} is not a list of trusted folders. Correct it or move it aside; until then only your"
        " own context files are loaded.",
        path=str(path),
    )


def decide(folder: str, records: Mapping[str, bool], *, default: bool) -> Trust:
    """Say whether a folder is trusted, and who says so."""
    real = Path(os.path.realpath(folder))
    for place in (real, *real.parents):
        if str(place) in records:
            return Trust(str(real), records[str(place)], str(place))
    return Trust(str(real), default, _SETTING)


def checked(folder: Path, records: Mapping[str, bool]) -> str:
    """Return the real path of a folder that is there, or that was when it was recorded."""
    real = os.path.realpath(folder)
    if os.path.isdir(real) or real in records:
        return real
    if os.path.exists(real):
        raise NotAFile(f"{folder} is not a folder; name the folder to trust", path=str(folder))
    raise PathNotFound(f"there is no folder {folder}; name the folder to trust", path=str(folder))


def record(workspace: Workspace, folder: Path, *, trusted: bool | None, wait: float) -> Trust:
    """Mark a folder and all below it; None takes its record away."""
    path = trust_file(workspace)
    with file_lock(path.with_suffix(".lock"), wait=wait, purpose="trust"):
        records = read_records(path)
        real = checked(folder, records)
        if trusted is None:
            records.pop(real, None)
        else:
            records[real] = trusted
        data = json.dumps({"folders": dict(sorted(records.items()))}, ensure_ascii=True, indent=2)
        write_atomic(path, f"{data}\n".encode())
    return Trust(real, bool(trusted), real if trusted is not None else _SETTING)
