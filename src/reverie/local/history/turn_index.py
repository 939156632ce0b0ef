"""Which turn lies where: a small database that can be thrown away.

Rules
- The turn files are the truth; this only saves walking them. Missing, corrupt, or made for another
  folder: it is begun anew and filled from the files.
- A folder is looked into again when its modification time is not the one noted here.
- A number is reserved here before its file is written, so that whoever comes after a killed process
  knows where to look.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.errors import HistoryIndexBroken
from reverie.local.disk.snapshot import SnapshotDb

_VERSION = 2
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


@dataclass(frozen=True, slots=True)
class Row:
    """One turn as the index knows it; `path` is relative to `turns/`."""

    seq: int
    path: str
    session: str = ""
    source: str = ""


class _Turns(SnapshotDb):
    """The tables, made for one history."""

    def __init__(self, path: Path, *, root: str, kept: bool) -> None:
        self._root = root
        super().__init__(path, error=HistoryIndexBroken, kept=kept)

    def begin(self) -> None:
        self.make(_SCHEMA, _VERSION)
        self.db.execute("INSERT INTO root VALUES (?)", (self._root,))

    def fits(self) -> bool:
        made = self.db.execute("SELECT path FROM root").fetchall()
        return self.version() == _VERSION and made == [(self._root,)]


class TurnIndex:
    """The open index of one history. Whoever writes holds the history's lock."""

    def __init__(self, path: Path, *, root: Path) -> None:
        self.path = path
        self._root = os.path.realpath(root)
        self._turn = threading.RLock()  # one database for all threads, one at a time
        self._kept = True
        self._db = self._open()
        self._loads = self._db.loads

    def _open(self) -> _Turns:
        try:
            return _Turns(self.path, root=self._root, kept=self._kept)
        except HistoryIndexBroken:
            return self._anew()

    def _anew(self) -> _Turns:
        """Begin a new one, in memory where the broken one cannot be thrown away."""
        try:
            for suffix in ("", "-wal", "-shm"):  # what older versions kept beside it
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        except OSError:
            self._kept = False
        path = self.path if self._kept else self.path.with_name("nothing")
        return _Turns(path, root=self._root, kept=self._kept)

    def hold(self) -> None:
        """Write to memory only from now on: the disk is full or may not be written."""
        self._kept = self._db.kept = False

    def keep(self) -> None:
        """Write to the disk again, which has turned out to be possible."""
        if not self._kept:
            self._kept = True
            self.reopen()

    def close(self) -> None:
        self._db.close()

    def replaced(self) -> bool:
        """Say whether somebody threw the file away."""
        return self._db.replaced()

    def another(self) -> bool:
        """Say once whether another file stands there, which may know less than the one before."""
        with self._turn:
            self._refresh()
            before, self._loads = self._loads, self._db.loads
            return before != self._loads

    def reopen(self, *, discard: bool = False) -> None:
        """Open the file that stands there now, or begin a new one."""
        with self._turn:
            self._db.close()
            self._db = self._anew() if discard else self._open()
            self._loads = self._db.loads

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make several changes one."""
        with self._turn:
            self._refresh()
            with self._db.transaction():
                yield
            self._db.settle()

    def _refresh(self) -> None:
        if self.replaced():
            return  # the next look at the turns begins it anew
        if not self._db.db.in_transaction and self.path.exists():
            self._db.refresh()

    # --- turns ------------------------------------------------------------------------------------

    def put(self, rows: Iterable[Row], *, pending: bool = False) -> None:
        """Note turns."""
        self._db.change(
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
        self._db.change("UPDATE turn SET pending = 0 WHERE seq = ?", [(n,) for n in seqs])

    def drop(self, seqs: Iterable[int]) -> None:
        """Forget turns."""
        self._db.change("DELETE FROM turn WHERE seq = ?", [(n,) for n in seqs])

    def last(self) -> int:
        """Return the highest number, 0 when there is none."""
        return self._query("SELECT max(seq) FROM turn")[0][0] or 0

    def count(self) -> int:
        return int(self._query("SELECT count(*) FROM turn WHERE pending = 0")[0][0])

    def at(self, seq: int) -> Row | None:
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
        with self._turn, self._db.checked():
            self._refresh()
            return self._db.db.execute(statement, values).fetchall()

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
        row = (folder, _parent(folder), changed)
        self._db.change("INSERT OR REPLACE INTO folder VALUES (?, ?, ?)", [row])

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
        self._db.change("DELETE FROM turn WHERE folder = ? AND pending = 0", [(folder,)])
        self._db.change("DELETE FROM folder WHERE path = ?", [(folder,)])


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
