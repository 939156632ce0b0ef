"""Which folders are trusted: one small file in our own state, read at every load.

Rules
- The nearest folder at or above the asked one that has a record decides. Without a record the folder is
  unknown, or with `context.folder_trust` off untrusted.
- A file that cannot be read trusts nothing: failing open would be the attacker's wish.
- A person is asked once about a folder; an answer that decides nothing is remembered as well.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import ConfigUnreadable, NotAFile, PathNotFound, ReverieError
from reverie.local.disk.files import read_text, write_atomic
from reverie.local.disk.locks import file_lock
from reverie.types import Trust

if TYPE_CHECKING:
    from reverie.types import Workspace

_LIMIT = 4 * 1024 * 1024
_SETTING = "context.folder_trust"


def trust_file(workspace: Workspace) -> Path:
    """Return where the records are kept."""
    return records_in(workspace.state)


def records_in(state: Path | str) -> Path:
    """Return where the records are kept in a state folder."""
    return Path(state) / "trust.json"


def read_records(path: Path) -> dict[str, bool]:
    """Return each folder that was decided about; raise `ConfigUnreadable` if the file is broken."""
    return _read(path)[0]


def was_asked(path: Path, folder: str) -> bool:
    """Say whether a person was asked about a folder."""
    return os.path.realpath(folder) in _read(path)[1]


def _read(path: Path) -> tuple[dict[str, bool], list[str]]:
    try:
        text = read_text(path, limit=_LIMIT)
        if text is None:
            return {}, []
        kept = json.loads(text)
        folders, asked = kept["folders"], kept.get("asked", [])
        if all(isinstance(value, bool) for value in folders.values()):
            return {str(folder): value for folder, value in folders.items()}, list(map(str, asked))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ReverieError):
        pass
    raise ConfigUnreadable(
        f"{path} is not a list of trusted folders. Correct it or move it aside; until then only your"
        " own context files are loaded.",
        path=str(path),
    )


def decide(folder: str, records: Mapping[str, bool], *, default: bool) -> Trust:
    """Say what may be used of a folder, and who says so."""
    real = Path(os.path.realpath(folder))
    for place in (real, *real.parents) if records else ():
        if str(place) in records:
            trusted = records[str(place)]
            return Trust(str(real), trusted, str(place), "trusted" if trusted else "untrusted")
    return Trust(str(real), default, _SETTING, "unknown" if default else "untrusted")


def checked(folder: Path, records: Mapping[str, bool]) -> str:
    """Return the real path of a folder that is there, or that was when it was recorded."""
    real = os.path.realpath(folder)
    if os.path.isdir(real) or real in records:
        return real
    if os.path.exists(real):
        raise NotAFile(f"{folder} is not a folder; name the folder to trust", path=str(folder))
    raise PathNotFound(f"there is no folder {folder}; name the folder to trust", path=str(folder))


def record(
    workspace: Workspace, folder: Path, *, trusted: bool | None, wait: float, default: bool = True
) -> Trust:
    """Mark a folder and all below it; None takes its record away."""
    path = trust_file(workspace)
    real = record_in(path, folder, trusted=trusted, wait=wait)
    return decide(real, read_records(path), default=default)


def record_in(path: Path, folder: Path, *, trusted: bool | None, wait: float) -> str:
    """Mark a folder in a file of records, or take its record away; return its real path."""
    with file_lock(path.with_suffix(".lock"), wait=wait, purpose="trust"):
        records, asked = _read(path)
        real = checked(folder, records)
        if trusted is None:
            records.pop(real, None)
        else:
            records[real] = trusted
        _write(path, records, [place for place in asked if place != real])
    return real


def note_asked(path: Path, folder: str, *, wait: float) -> None:
    """Remember that a person was asked about a folder and decided nothing."""
    with file_lock(path.with_suffix(".lock"), wait=wait, purpose="trust"):
        records, asked = _read(path)
        _write(path, records, [*asked, os.path.realpath(folder)])


def _write(path: Path, records: Mapping[str, bool], asked: Sequence[str]) -> None:
    kept: dict[str, object] = {"folders": dict(sorted(records.items()))}
    if asked:
        kept["asked"] = sorted(set(asked))
    write_atomic(path, f"{json.dumps(kept, ensure_ascii=True, indent=2)}\n".encode())
