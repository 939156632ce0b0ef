"""SQLite files that are kept: opened for writing, or read as they stand where nothing can be written.

Rules
- Reading needs no writing. SQLite wants to write beside a file with a write-ahead log even to read it;
  where it cannot, the file and its log are read into memory.
- What the log says counts up to the last commit that is whole, by the log's own checksums.
"""

from __future__ import annotations

import secrets
import sqlite3
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from reverie.errors import Locked, StoreError
from reverie.local.disk.files import make_folder
from reverie.local.disk.os_errors import explained, translate, translate_sqlite
from reverie.local.disk.regular import regular_bytes

__all__ = [
    "as_text",
    "aside_name",
    "cannot_write",
    "check_tables",
    "damage_told",
    "move_aside",
    "one_step",
    "open_reading",
    "open_writing",
]

_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_BIG, _LITTLE = 0x377F0683, 0x377F0682
_MOST_VERSIONS: Final = 1_000  # a higher one was not written by any Reverie
_PAGES_KIB: Final = 256
"""Pages that a connection keeps. Every thread has its own, and the system's cache has all of them anyway."""
_PAUSE: Final = 0.005
_MODES: Final = slice(18, 20)  # of the file's header: how it is written and read


def open_writing(path: Path, wait: float) -> sqlite3.Connection:
    """Open a file, making it when it is not there; what is committed is on the disk."""
    make_folder(path.parent, private=True)
    if not path.exists():
        path.touch(mode=0o600)
    db = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
    db.text_factory = as_text
    try:
        _log_ahead(db, wait)
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA secure_delete = ON")
        db.execute(f"PRAGMA cache_size = -{_PAGES_KIB}")
        db.execute("PRAGMA user_version").fetchone()
    except UnicodeDecodeError as error:  # SQLite's complaint quotes what damage made of a name
        db.close()
        raise sqlite3.DatabaseError("malformed database schema") from error
    except BaseException:
        db.close()
        raise
    return db


def _log_ahead(db: sqlite3.Connection, wait: float) -> None:
    """Write a log ahead. SQLite does not wait by itself for others who are switching a new file to that."""
    until = time.monotonic() + wait
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
            time.sleep(_PAUSE)
        else:
            return


@contextmanager
def one_step(db: sqlite3.Connection) -> Iterator[None]:
    """Write as one step, or not at all; other writers wait."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # a broken file has nothing to take back
            db.execute("ROLLBACK")
        raise


@contextmanager
def damage_told(path: Path, begin_anew: Callable[[Exception], Exception]) -> Iterator[None]:
    """Name errors; of a file that turns out to be damaged, raise what `begin_anew` says it did."""
    try:
        with explained(path):
            yield
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError):
            raise
        raise begin_anew(error) from error


def aside_name(path: Path, now: datetime) -> Path:
    """Name a file for what is kept aside of another."""
    when = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return path.with_name(f"{path.name}.corrupt-{when}-{secrets.token_hex(3)}")


def move_aside(path: Path, now: datetime) -> Path:
    """Keep an unreadable file under another name, with what SQLite put beside it."""
    kept = aside_name(path, now)
    path.rename(kept)
    for suffix in ("-wal", "-shm"):
        extra = path.with_name(path.name + suffix)
        if extra.exists():
            extra.rename(kept.with_name(kept.name + suffix))
    return kept


def cannot_write(error: Exception, path: Path) -> StoreError | None:
    """Say why a file cannot be written; None when the error is about something else."""
    if isinstance(error, OSError):
        return translate(error, path)
    if isinstance(error, sqlite3.OperationalError) and "locked" not in str(error):
        return translate_sqlite(error, path)
    return error if isinstance(error, StoreError) and not isinstance(error, Locked) else None


def check_tables(db: sqlite3.Connection, wanted: frozenset[str]) -> int:
    """Return the version of a file; raise DatabaseError where it cannot be what it should be."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    found = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not 0 <= version <= _MOST_VERSIONS or (found if version == 0 else not wanted <= found):
        raise sqlite3.DatabaseError("it is another file, or damaged")
    return int(version)


def as_text(value: object) -> str:
    """Read a column of text, whatever damage has made of it."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def open_reading(path: Path) -> sqlite3.Connection:
    """Read a file and its log into memory; an empty database where there is none."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.text_factory = as_text
    try:
        data = _stored(path)
        if data:
            db.deserialize(data)
            db.execute("PRAGMA user_version").fetchone()
    except UnicodeDecodeError as error:
        db.close()
        raise sqlite3.DatabaseError("malformed database schema") from error
    except BaseException:
        db.close()
        raise
    return db


def _stored(path: Path) -> bytes:
    try:
        data = bytearray(regular_bytes(path))
    except FileNotFoundError:
        return b""
    try:
        log = regular_bytes(path.with_name(f"{path.name}-wal"))
    except FileNotFoundError:
        log = b""
    _replay(data, log)
    if len(data) >= _MODES.stop:
        data[_MODES] = b"\1\1"  # in memory there is no log
    return bytes(data)


def _replay(data: bytearray, log: bytes) -> None:
    """Put the committed pages of a write-ahead log where they belong."""
    if len(log) < _HEADER.size:
        return
    magic, _, page, _, salt, more, *_ = _HEADER.unpack_from(log)
    if magic not in (_BIG, _LITTLE) or not 512 <= page <= 65536:
        return
    order = ">" if magic == _BIG else "<"
    sums = _checksum(log[:24], order, (0, 0))
    if sums != struct.unpack_from(">2I", log, 24):
        return
    waiting: dict[int, int] = {}
    for at in range(_HEADER.size, len(log) - _FRAME.size - page + 1, _FRAME.size + page):
        number, size, *rest = _FRAME.unpack_from(log, at)
        body = at + _FRAME.size
        sums = _checksum(log[at : at + 8], order, sums)
        sums = _checksum(log[body : body + page], order, sums)
        if rest != [salt, more, *sums] or not number:
            return
        waiting[number] = body
        if size:
            for place, start in waiting.items():
                end = place * page
                data.extend(bytes(max(end - len(data), 0)))
                data[end - page : end] = log[start : start + page]
            del data[size * page :]
            waiting.clear()


def _checksum(data: bytes, order: str, before: tuple[int, int]) -> tuple[int, int]:
    one, two = before
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
