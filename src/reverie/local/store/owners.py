"""Whose folder it is: agents that name a project's folder after its path can name two alike.

Qwen Code and Claude Code write every character but ASCII letters and digits as a dash, so `a-b` and
`a/b`, or two names in another script, give one folder. We use their name, so that we work in place,
and keep our own record of whose it is.

Rules
- The first project opened has the agent's own name; the record is one small file in our state.
- Where the agent's own transcripts in a folder name another project, it is that one's.
- A second project gets a name with a hash of its real path. A record that cannot be read protects
  the folder: nobody else's memory is shown.
- A name over 200 characters is cut there and gets the hash, because names of files are bounded.
- Where the record cannot be written, as on a read-only disk, the decision stands without it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from reverie.errors import Conflict, ReverieError, StoreError
from reverie.local.disk.files import read_text, write_atomic
from reverie.local.disk.locks import file_lock

MAX_NAME = 200
_RECORD_BYTES = 64 * 1024
_TRANSCRIPTS = 16
_TRANSCRIPT_BYTES = 256 * 1024
_WAIT_SECONDS = 10.0


def project_folder(identity: Path, *, projects: Path, state: Path) -> str:
    """Choose the name of a project's folder below `projects`, and record that it is this project's."""
    real = os.path.realpath(identity)
    names = _candidates(real)
    for name in names:
        if _owner(state, name) == real:
            return name
    for name in names:
        if _take(name, real, projects=projects, state=state):
            return name
    raise Conflict(f"every folder for the memory of {real} below {projects} is another project's")


def shared_with(identity: Path, name: str, *, projects: Path, state: Path) -> str:
    """Return whose the agent's own folder is, when this project had to get another; else nothing."""
    real = os.path.realpath(identity)
    plain = _candidates(real)[0]
    if name == plain or len(dashed(real)) > MAX_NAME:
        return ""
    return _owner(state, plain) or next(iter(_said(projects / plain)), "another project")


def dashed(real: str) -> str:
    """Write a path as Qwen Code and Claude Code do."""
    return re.sub(r"[^A-Za-z0-9]", "-", real)


def _candidates(real: str) -> list[str]:
    """Return the names a project may have, the agent's own first."""
    plain, key = dashed(real), hashlib.sha256(os.fsencode(real)).hexdigest()
    short = plain[:MAX_NAME]
    names = [f"{short}-{key[:10]}", f"{short[: MAX_NAME - 54]}-{key}"]
    return names if len(plain) > MAX_NAME else [plain, *names]


def _take(name: str, real: str, *, projects: Path, state: Path) -> bool:
    """Record a free folder as this project's; say whether it is."""
    if not _is_free(name, real, projects=projects, state=state):
        return False
    try:
        with file_lock(state / "owners.lock", wait=_WAIT_SECONDS, purpose="naming a folder"):
            if not _is_free(name, real, projects=projects, state=state):
                return _owner(state, name) == real  # somebody was faster, perhaps for us
            data = json.dumps({"project": real}) + "\n"
            write_atomic(_record(state, name), data.encode("utf-8", "backslashreplace"))
    except StoreError:  # a disk that is full or read-only must not stop the reading
        return True
    return True


def _is_free(name: str, real: str, *, projects: Path, state: Path) -> bool:
    if os.path.lexists(_record(state, name)):
        return False
    said = _said(projects / name)
    ours = any(cwd == real or cwd.startswith(f"{real}/") for cwd in said)
    return ours or not any(dashed(cwd) == name for cwd in said)


def _owner(state: Path, name: str) -> str | None:
    try:
        text = read_text(_record(state, name), limit=_RECORD_BYTES)
        found = json.loads(text) if text else None
    except (ValueError, RecursionError, ReverieError):
        return None
    owner = found.get("project") if isinstance(found, dict) else None
    return owner if isinstance(owner, str) else None


def _record(state: Path, name: str) -> Path:
    return state / "owners" / f"{name}.json"


# --- what the agent's own transcripts say ---------------------------------------------------------


def _said(folder: Path) -> set[str]:
    """Return the folders that transcripts in a project's folder were held in."""
    return {cwd for path in islice(_transcripts(folder), _TRANSCRIPTS) for cwd in _folders_in(path)}


def _transcripts(folder: Path) -> Iterator[Path]:
    for place in (folder, folder / "chats"):
        try:
            names = sorted(os.listdir(place))
        except OSError:
            continue
        yield from (place / name for name in names if name.endswith(".jsonl"))


def _folders_in(path: Path) -> Iterator[str]:
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags), "rb") as file:
            data = file.read(_TRANSCRIPT_BYTES)
    except OSError:
        return
    for line in data.split(b"\n"):
        if b'"cwd"' not in line:
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        cwd = found.get("cwd") if isinstance(found, dict) else None
        if isinstance(cwd, str) and cwd.startswith("/"):
            yield cwd
