"""Which turn lies where: a small SQLite file that can be thrown away.

Rules
- The turn files are the truth; this only saves walking them. Missing, corrupt, or made for another
  folder: it is begun anew and filled from the files.
- A folder is looked into again when its modification time is not the one noted here.
- A number is reserved here before its file is written, so that whoever comes after a killed process
  knows where to look.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.errors import HistoryIndexBroken
from reverie.local.disk import make_folder
from reverie.local.oserrors import explained

_VERSION = 1
_SCHEMA = """
CREATE TABLE turn (
  seq INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL,
  pending INTEGER NOT NULL, session TEXT NOT NULL, source TEXT NOT NULL
);
CREATE INDEX turn_folder ON turn (folder);
CREATE INDEX turn_source ON turn (source) WHERE source != '';
CREATE INDEX turn_pending ON turn (pending) WHERE pending = 1;
CREATE INDEX turn_own ON turn (seq) WHERE source = '';
CREATE TABLE folder (path TEXT PRIMARY KEY, parent TEXT NOT NULL, changed INTEGER NOT NULL);
CREATE INDEX folder_parent ON folder (parent);
CREATE TABLE root (path TEXT NOT NULL);
"""


@contextmanager
def _checked(path: Path) -> Iterator[None]:
    try:
        with explained(path):
            yield
    except sqlite3.DatabaseError as error:
        raise HistoryIndexBroken(f"{path}: {error}; it is made anew from the turns") from error


@dataclass(frozen=True, slots=True)
class Row:
    """One turn as the index knows it; `path` is relative to `turns/`."""

    seq: int
    path: str
    session: str = ""
    source: str = ""


class TurnIndex:
    """The open index of one history."""

    def __init__(self, path: Path, *, root: Path, wait: float = 10.0) -> None:
        self.path = path
        self._root = os.path.realpath(root)
        self._wait = wait
        self._turn = threading.RLock()  # one connection for all threads, one at a time
        self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        make_folder(self.path.parent, private=True)
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                with explained(self.path):
                    raise
            self._discard()
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        with explained(self.path):
            if not self.path.exists():
                self.path.touch(mode=0o600)
        db = sqlite3.connect(
            self.path, timeout=self._wait, isolation_level=None, check_same_thread=False
        )
        try:
            db.execute("PRAGMA journal_mode = WAL")
            # A lost commit costs one look into one folder, so no wait for the disk here.
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("BEGIN IMMEDIATE")
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in _SCHEMA.split(";"):
                    if statement.strip():
                        db.execute(statement)
                db.execute(f"PRAGMA user_version = {_VERSION}")
                db.execute("INSERT INTO root VALUES (?)", (self._root,))
            elif version != _VERSION or db.execute("SELECT path FROM root").fetchall() != [
                (self._root,)
            ]:
                raise sqlite3.DatabaseError("the index was made for another history")
            db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        self._inode = os.stat(self.path).st_ino
        return db

    def _discard(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def replaced(self) -> bool:
        """Say whether somebody threw the file away or began another one in its place."""
        try:
            return os.stat(self.path).st_ino != self._inode
        except FileNotFoundError:
            return True

    def reopen(self, *, discard: bool = False) -> None:
        """Open the file that stands there now, or begin a new one."""
        with self._turn:
            self._db.close()
            if discard:
                self._discard()
            self._db = self._open()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make several changes one."""
        with self._turn, _checked(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                with suppress(sqlite3.Error):  # a broken file has nothing to take back
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    # --- turns ------------------------------------------------------------------------------------

    def put(self, rows: Iterable[Row], *, pending: bool = False) -> None:
        """Note turns."""
        self._db.executemany(
            "INSERT OR REPLACE INTO turn VALUES (?, ?, ?, ?, ?, ?)",
            [
                (row.seq, row.path, _parent(row.path), int(pending), row.session, row.source)
                for row in rows
            ],
        )

    def pending(self) -> list[Row]:
        """Return the turns whose writer did not finish."""
        return self._rows("WHERE pending = 1 ORDER BY seq", ())

    def settle(self, seqs: Iterable[int]) -> None:
        """Note that the files of these turns are written."""
        self._db.executemany("UPDATE turn SET pending = 0 WHERE seq = ?", [(n,) for n in seqs])

    def drop(self, seqs: Iterable[int]) -> None:
        """Forget turns."""
        self._db.executemany("DELETE FROM turn WHERE seq = ?", [(n,) for n in seqs])

    def last(self) -> int:
        """Return the highest number, 0 when there is none."""
        return self._query("SELECT max(seq) FROM turn")[0][0] or 0

    def count(self) -> int:
        """Count the turns."""
        return int(self._query("SELECT count(*) FROM turn WHERE pending = 0")[0][0])

    def at(self, seq: int) -> Row | None:
        """Return one turn."""
        return next(iter(self._rows("WHERE seq = ?", (seq,))), None)

    def newest(self, limit: int, *, above: int, below: int, own: bool) -> list[Row]:
        """Return turns between two numbers (both left out), newest first."""
        only = "AND source = ''" if own else ""
        return self._rows(
            f"WHERE seq > ? AND seq < ? {only} AND pending = 0 ORDER BY seq DESC LIMIT ?",
            (above, below, limit),
        )

    def oldest(self, limit: int, *, above: int, own: bool = False) -> list[Row]:
        """Return turns above a number, oldest first."""
        only = "AND source = ''" if own else ""
        return self._rows(
            f"WHERE seq > ? {only} AND pending = 0 ORDER BY seq LIMIT ?", (above, limit)
        )

    def known_sources(self, sources: Sequence[str]) -> set[str]:
        """Return which of these imported turns are there already."""
        found: set[str] = set()
        for start in range(0, len(sources), 500):
            some = sources[start : start + 500]
            marks = ",".join("?" * len(some))
            rows = self._query(f"SELECT source FROM turn WHERE source IN ({marks})", some)
            found.update(source for (source,) in rows)
        return found

    def _rows(self, where: str, values: tuple[object, ...]) -> list[Row]:
        return [
            Row(*row)
            for row in self._query(f"SELECT seq, path, session, source FROM turn {where}", values)
        ]

    def _query(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._turn, _checked(self.path):
            return self._db.execute(statement, values).fetchall()

    # --- folders ----------------------------------------------------------------------------------

    def folder_time(self, folder: str) -> int | None:
        """Return the modification time noted for a folder."""
        found = self._query("SELECT changed FROM folder WHERE path = ?", (folder,))
        return int(found[0][0]) if found else None

    def folder_times(self) -> dict[str, int]:
        """Return the modification times of all folders noted."""
        return dict(self._query("SELECT path, changed FROM folder"))

    def note_folder(self, folder: str, changed: int) -> None:
        """Note that everything in a folder is known as of this modification time."""
        self._db.execute(
            "INSERT OR REPLACE INTO folder VALUES (?, ?, ?)", (folder, _parent(folder), changed)
        )

    def subfolders(self, folder: str) -> list[str]:
        """Return the folders noted directly below a folder."""
        rows = self._query("SELECT path FROM folder WHERE parent = ? AND path != ''", (folder,))
        return [path for (path,) in rows]

    def in_folder(self, folder: str) -> dict[str, Row]:
        """Return the settled turns of one folder, by file name."""
        rows = self._rows("WHERE folder = ? AND pending = 0", (folder,))
        return {row.path.rpartition("/")[2]: row for row in rows}

    def forget_folder(self, folder: str) -> None:
        """Forget a folder that is gone, and everything below it."""
        for below in self.subfolders(folder):
            self.forget_folder(below)
        self._db.execute("DELETE FROM turn WHERE folder = ? AND pending = 0", (folder,))
        self._db.execute("DELETE FROM folder WHERE path = ?", (folder,))


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
