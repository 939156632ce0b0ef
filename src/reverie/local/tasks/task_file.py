"""The file behind the daemon's queue: its tables, its rows, and taking texts out of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.tasks.rows import COLUMNS, read_row, without_words
from reverie.errors import StoreError
from reverie.local.disk.os_errors import explained
from reverie.local.disk.sqlite_file import as_text, check_tables, open_reading, open_writing

if TYPE_CHECKING:
    from reverie.core.erasing.occurrences import WordsToErase

_SCHEMA_VERSION = 1
_TABLES = frozenset({"task", "session"})
_SCHEMA = (
    """CREATE TABLE task (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL,
  client TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL,
  payload TEXT NOT NULL, result TEXT, failure TEXT, attempts INTEGER NOT NULL,
  key TEXT NOT NULL, fingerprint TEXT NOT NULL)""",
    "CREATE INDEX task_order ON task (workspace, seq)",
    "CREATE UNIQUE INDEX task_key ON task (workspace, client, key) WHERE key <> ''",
    """CREATE TABLE session (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, client TEXT NOT NULL,
  created TEXT NOT NULL, seen TEXT NOT NULL) WITHOUT ROWID""",
    "CREATE INDEX session_client ON session (workspace, client)",
)


def open_file(path: Path, wait: float) -> sqlite3.Connection:
    """Open the file, making it and its tables when they are not there."""
    db = open_writing(path, wait)
    try:
        if check_tables(db, _TABLES) != _SCHEMA_VERSION:
            _create(db, path)
    except BaseException:
        db.close()
        raise
    return db


def open_as_it_stands(path: Path) -> sqlite3.Connection:
    """Open the file where nothing can be written; what cannot be read counts as no tasks."""
    try:
        db = open_reading(path)
        if check_tables(db, _TABLES) == _SCHEMA_VERSION:
            return db
    except (OSError, sqlite3.DatabaseError):
        pass
    db = open_reading(path.with_name("nothing"))
    _create(db, path)
    return db


def _create(db: sqlite3.Connection, path: Path) -> None:
    db.execute("BEGIN IMMEDIATE")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > _SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer Reverie (schema {version}); upgrade this one"
        )
    if version == 0:
        for statement in _SCHEMA:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
    db.execute("COMMIT")


# --- erasing ---------------------------------------------------------------------------------------


def erase(path: Path, to_erase: WordsToErase) -> int:
    """Take texts out of every task of every workspace; return how many tasks held one.

    A waiting task that holds one is failed: it would bring the text back.
    """
    if not path.exists():
        return 0
    touched = 0
    with explained(path):
        db = open_file(path, 10.0)
        try:
            db.execute("BEGIN IMMEDIATE")
            for row in db.execute(f"SELECT {COLUMNS} FROM task").fetchall():
                if read_row(row) is None:  # damaged: it cannot be run, and may hold anything
                    db.execute("DELETE FROM task WHERE id IS ?", (row[0],))
                    touched += 1
                elif clean := without_words(row, to_erase):
                    touched += 1
                    db.execute(
                        "UPDATE task SET status = ?, payload = ?, result = ?, failure = ?,"
                        " key = '', fingerprint = '' WHERE id = ?",
                        (clean[0], *clean[1], row[0]),
                    )
            db.execute("COMMIT")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            db.close()
    return touched


def holding(path: Path, found_in: Callable[[str], bool]) -> list[str]:
    """Return the ids of tasks of which a column of JSON satisfies the predicate."""
    if not path.exists():
        return []
    with explained(path):
        db = open_file(path, 10.0)
        try:
            rows = db.execute("SELECT id, payload, result, failure FROM task").fetchall()
        finally:
            db.close()
    return [as_text(row[0]) for row in rows if any(found_in(as_text(item)) for item in row[1:])]
