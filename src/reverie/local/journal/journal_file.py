"""The SQLite file of the journal: opened, set aside when it is damaged, read where it cannot be written.

Rules
- A journal that cannot be read is kept aside with a timestamp, whenever that shows, and a new one is
  begun; memory itself is in the files.
- Where nothing can be written it is read all the same, and only writing says why it cannot.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from reverie.errors import JournalCorrupt, StoreError
from reverie.local.disk.os_errors import explained, translate
from reverie.local.disk.sqlite_file import (
    cannot_write,
    check_tables,
    damage_told,
    move_aside,
    one_step,
    open_reading,
    open_writing,
)
from reverie.local.journal import row_sums, texts
from reverie.local.journal.arrivals import Imports

_SCHEMA_VERSION = 3
_SCHEMA = """
CREATE TABLE run (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at TEXT NOT NULL,
  verb TEXT NOT NULL,
  status TEXT NOT NULL,
  session TEXT NOT NULL, turn TEXT NOT NULL, origin TEXT NOT NULL, client TEXT NOT NULL,
  note TEXT NOT NULL, undoes TEXT NOT NULL, detail TEXT NOT NULL,
  catalogs TEXT NOT NULL, sum INTEGER
);
CREATE INDEX run_pending ON run (status) WHERE status = 'pending';
CREATE TABLE change (
  run TEXT NOT NULL, position INTEGER NOT NULL, path TEXT NOT NULL,
  before TEXT, after TEXT, private INTEGER NOT NULL, sum INTEGER,
  PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE INDEX change_path ON change (path, run);
CREATE TABLE file_state (
  path TEXT PRIMARY KEY, hash TEXT NOT NULL, at TEXT NOT NULL, signature TEXT NOT NULL,
  sum INTEGER
) WITHOUT ROWID;
CREATE TABLE version (path TEXT NOT NULL, hash TEXT NOT NULL, at TEXT NOT NULL, sum INTEGER,
  PRIMARY KEY (path, hash)) WITHOUT ROWID;
"""
_TABLES = frozenset({"run", "change", "file_state", "version", "text"})
_ASK_AGAIN_SECONDS = 1.0  # a disk that was full may have room again
_SINCE_1 = "CREATE INDEX IF NOT EXISTS run_undoes ON run (undoes) WHERE undoes <> ''"


class JournalFile:
    """The open file, for any number of threads."""

    def __init__(self, path: Path, *, clock: Callable[[], datetime], wait: float = 10.0) -> None:
        self.path = path
        self.clock = clock
        self.set_aside: Path | None = None
        """Where a corrupt journal was moved to, if one was."""
        self.on_set_aside: Callable[[Path], None] = lambda _: None
        """Told when one turns out to be corrupt after it was opened."""
        self.unwritable: StoreError | None = None
        """Why nothing can be written now; None while it can."""
        self._asked = 0.0
        self._wait = wait
        self._mine = threading.local()
        self._connections: list[sqlite3.Connection] = []
        try:
            with explained(path):
                self._prepare()
        except sqlite3.DatabaseError:
            with explained(path):
                self._begin_anew()

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection: the transactions of two threads must not mix."""
        if self.unwritable and time.monotonic() - self._asked > _ASK_AGAIN_SECONDS:
            self._mine = threading.local()  # perhaps it can be written by now, or has changed
        found: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if found is None:
            found = self._mine.connection = self._connect()
            self._connections.append(found)
        return found

    def _connect(self) -> sqlite3.Connection:
        self._asked = time.monotonic()
        try:
            db = open_writing(self.path, self._wait)
        except (OSError, StoreError, sqlite3.OperationalError) as error:
            why = cannot_write(error, self.path)
            if why is None:
                raise
            self.unwritable = why
            return self._read_as_it_stands()
        self.unwritable = None
        row_sums.register(db)
        return db

    def _read_as_it_stands(self) -> sqlite3.Connection:
        try:
            db = open_reading(self.path)
            row_sums.register(db)
            if version := check_tables(db, _TABLES):
                _bring_up_to_date(db, version)  # this copy, in memory
                return db
        except (OSError, sqlite3.DatabaseError):
            db = open_reading(self.path.with_name("nothing"))
            row_sums.register(db)
        _make_tables(db)
        return db

    def checked(self) -> AbstractContextManager[None]:
        """Name errors; a journal that turns out to be damaged is kept aside, and a new one begun."""
        return damage_told(self.path, self._replaced)

    def has_imports(self) -> bool:
        """Say whether anything was imported at all; where nothing was, no file need be asked about."""
        with self.checked():
            db = self.db
            known: Imports | None = getattr(self._mine, "imports", None)
            if known is None or known.db is not db:
                known = self._mine.imports = Imports(db)
            return known.has_any()

    def _replaced(self, error: Exception) -> JournalCorrupt:
        self._begin_anew()
        return JournalCorrupt(
            f"{self.path} was damaged ({error}). It was kept as {self.set_aside} and a new one"
            " was started; your memories are untouched, older runs can no longer be undone. Try again.",
            path=str(self.set_aside or self.path),
        )

    def _begin_anew(self) -> None:
        self.close()
        try:
            self.set_aside = move_aside(self.path, self.clock())
            self.on_set_aside(self.set_aside)
        except OSError as error:  # it stays where it is; what is read is as if there were none
            self.unwritable = translate(error, self.path)
        self._prepare()

    def examine(self) -> list[str]:
        """Look at every page of the file, and at what rows are looked up by; return what is wrong with it.

        Nothing is repaired: what does not fit may be all that still tells of a row that is gone.
        """
        found = [str(row[0]) for row in self.ask("PRAGMA integrity_check(1)")]
        return [] if found == ["ok"] else found

    def ask(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Read rows; from a journal that turns out to be damaged, none."""
        try:
            with self.checked():
                return self.db.execute(statement, values).fetchall()
        except JournalCorrupt:
            with self.checked():
                return self.db.execute(statement, values).fetchall()

    def _prepare(self) -> None:
        """Make the tables unless they are there; opening an existing journal takes no lock."""
        if self._version() == _SCHEMA_VERSION or self.unwritable:
            return
        with self.transaction() as db:
            version = self._version()
            if version > _SCHEMA_VERSION:
                raise JournalCorrupt(
                    f"{self.path} was written by a newer Reverie (schema {version}); upgrade this one"
                )
            if version == 0:
                _make_tables(db)
            else:
                _bring_up_to_date(db, version)

    def _version(self) -> int:
        return check_tables(self.db, _TABLES)

    def close(self) -> None:
        """Close the connections of every thread."""
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        self._mine = threading.local()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write as one step, or not at all."""
        if self.unwritable:
            self._mine = threading.local()
        db = self.db
        if self.unwritable:
            raise self.unwritable
        with self.checked(), one_step(db):
            yield db


def _make_tables(db: sqlite3.Connection) -> None:
    for statement in (*_SCHEMA.split(";")[:-1], texts.SCHEMA, _SINCE_1):
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")


def _bring_up_to_date(db: sqlite3.Connection, version: int) -> None:
    """Add what came with later versions; what is there already is not made again, whatever its number."""
    if version < 2:
        db.execute(_SINCE_1)
    if version < 3:
        row_sums.add(db)
        db.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
