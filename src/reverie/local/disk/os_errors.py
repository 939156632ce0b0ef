"""One translation from the operating system's errors to ours, with what to do next."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import DiskFull, FileFailed, NotAFile, ReadOnly

if TYPE_CHECKING:
    from reverie.errors import StoreError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_LITTLE_ROOM = 64 * 1024  # less than SQLite needs to begin
# Our statements are right, so the tables are not ours any more: that is damage, not a passing trouble.
_OTHER_TABLES = ("no such column", "no such table", "has no column", "malformed database schema")
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextmanager
def explained(path: Path | str) -> Iterator[None]:
    """Turn an `OSError` about `path` into the matching `StoreError`."""
    try:
        yield
    except OSError as error:
        raise translate(error, Path(path)) from error
    except sqlite3.OperationalError as error:
        if any(words in str(error) for words in _OTHER_TABLES):
            raise sqlite3.DatabaseError(str(error)) from error
        raise translate_sqlite(error, Path(path)) from error


def translate(error: OSError, path: Path) -> StoreError:
    """Name an operating system's error."""
    where = error.filename or path
    if error.errno in _FULL:
        return DiskFull(f"the disk is full, so {where} was not written; nothing was lost. Free some"
                        " space and try again.", path=str(where))  # fmt: skip
    if error.errno in _READ_ONLY:
        return ReadOnly(f"{where} may not be accessed ({error.strerror}). Check its owner and its"
                        " permissions, or choose another folder with --home.", path=str(where))  # fmt: skip
    if error.errno in {errno.EISDIR, errno.ENOTDIR}:
        return NotAFile(f"{where} is in the way: there is a folder where a file was expected, or"
                        " the other way round. Move it aside.", path=str(where))  # fmt: skip
    if error.errno == errno.ELOOP:
        return NotAFile(f"{where} is in the way: it is a link, or leads through one, that goes in a"
                        " circle. Move it aside.", path=str(where))  # fmt: skip
    return FileFailed(f"{where}: {error.strerror or error}", path=str(where), os_code=error.errno)


def unfinished(error: StoreError, run: str) -> StoreError:
    """Say of an error that it came when a run was recorded already, so that it is done all the same."""
    why = "the disk is full." if isinstance(error, DiskFull) else str(error)
    return type(error)(
        f"{why} The change is recorded as run {run} and is completed by the next command that can"
        " write; do not repeat it.",
        **{**error.evidence, "run": run},
    )


def _has_room(folder: Path) -> bool:
    """Say whether a file could grow; SQLite does not always say that this was the trouble."""
    try:
        facts = os.statvfs(folder)
    except OSError:
        return True
    return facts.f_bavail * facts.f_frsize > _LITTLE_ROOM


def translate_sqlite(error: sqlite3.OperationalError, path: Path) -> StoreError:
    """Name an error of SQLite, which hides the operating system's own."""
    text = str(error)
    if "full" in text or ("I/O" in text and not _has_room(path.parent)):
        return DiskFull(f"the disk is full, so {path} was not written; nothing was lost. Free some"
                        " space and try again.", path=str(path))  # fmt: skip
    if "readonly" in text or "unable to open" in text:
        return ReadOnly(f"{path} may not be written ({text}). Check its owner and its permissions,"
                        " or choose another folder with --home.", path=str(path))  # fmt: skip
    return FileFailed(f"{path}: {text}", path=str(path))
