"""The file behind the daemon's queue: its tables, its rows, and taking texts out of it.

Rules
- Every row has a checksum. A row that does not agree with its own is passed over wherever rows are read, and
  taken out of the table when the file is next opened: kept beside it, for a person to see.
- Of a file that is damaged beyond that, the rows that are whole go into the new one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reverie.core.tasks.rows import COLUMNS, read_row, without_words
from reverie.errors import StoreError
from reverie.local.disk.files import write_atomic
from reverie.local.disk.os_errors import explained
from reverie.local.disk.row_sums import RowSums, register, row_sum
from reverie.local.disk.sqlite_file import (
    as_text,
    aside_name,
    check_tables,
    one_step,
    open_reading,
    open_writing,
)
from reverie.types import Problem

if TYPE_CHECKING:
    from reverie.core.erasing.occurrences import WordsToErase

_SCHEMA_VERSION = 2
_TABLES = frozenset({"task", "session"})
_SCHEMA = (
    """CREATE TABLE task (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL,
  client TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL,
  payload TEXT NOT NULL, result TEXT, failure TEXT, attempts INTEGER NOT NULL,
  key TEXT NOT NULL, fingerprint TEXT NOT NULL, sum INTEGER)""",
    "CREATE INDEX task_order ON task (workspace, seq)",
    "CREATE UNIQUE INDEX task_key ON task (workspace, client, key) WHERE key <> ''",
    """CREATE TABLE session (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, client TEXT NOT NULL,
  created TEXT NOT NULL, seen TEXT NOT NULL, sum INTEGER) WITHOUT ROWID""",
    "CREATE INDEX session_client ON session (workspace, client)",
)


ROWS: Final = RowSums(
    {
        "task": ("seq", "id", "workspace", "kind", "status", "client", "created", "updated", "payload",
                 "result", "failure", "attempts", "key", "fingerprint"),
        "session": ("id", "workspace", "client", "created", "seen"),
    },
    {"task": ("seq",), "session": ("id",)},
)  # fmt: skip
Rows = Mapping[str, Sequence[Mapping[str, object]]]
"""Rows of each table, by the names of their columns."""


def open_file(path: Path, wait: float) -> sqlite3.Connection:
    """Open the file, making it and its tables when they are not there."""
    db = open_writing(path, wait)
    try:
        register(db)
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
        register(db)
        if check_tables(db, _TABLES):
            _create(db, path)  # this copy, in memory, gets what came with later versions
            return db
    except (OSError, sqlite3.DatabaseError):
        pass
    db = open_reading(path.with_name("nothing"))
    register(db)
    _create(db, path)
    return db


def _create(db: sqlite3.Connection, path: Path) -> None:
    with one_step(db):
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > _SCHEMA_VERSION:
            raise StoreError(
                f"{path} was written by a newer Reverie (schema {version}); upgrade this one"
            )
        if version == 0:
            for statement in _SCHEMA:
                db.execute(statement)
        elif version < 2:
            ROWS.add(db)
        db.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")


# --- damage ---------------------------------------------------------------------------------------


def mend(db: sqlite3.Connection, path: Path, now: datetime) -> Path | None:
    """Make what rows are looked up by anew where it is damaged, and take damaged rows out of the tables.

    Returns:
        Where the rows are kept, if there were any.

    Raises:
        sqlite3.DatabaseError: The tables themselves are damaged.
    """
    if _whole(db) and not any(ROWS.damaged(db)):
        return None
    with one_step(db):
        if not _whole(db):
            db.execute("REINDEX")
            if not _whole(db):
                raise sqlite3.DatabaseError("its tables are damaged")
        return take_out_damaged(db, path, now)


def take_out_damaged(db: sqlite3.Connection, path: Path, now: datetime) -> Path | None:
    """Keep damaged rows beside the file instead of in it; return where, if there were any."""
    spoilt = list(ROWS.damaged(db))
    if not spoilt:
        return None
    kept = aside_name(path, now)
    lines = (json.dumps({"table": table, **row}, default=repr) for table, row in spoilt)
    write_atomic(kept, "".join(f"{line}\n" for line in lines).encode())
    for table in ROWS.columns:
        db.execute(f"DELETE FROM {table} WHERE NOT ({ROWS.intact(table)})")
    return kept


def _whole(db: sqlite3.Connection) -> bool:
    return [row[0] for row in db.execute("PRAGMA integrity_check(1)")] == ["ok"]


def salvaged(path: Path) -> Rows:
    """Return every row of a damaged file that can be reached and is as it was written."""
    found: dict[str, list[dict[str, object]]] = {table: [] for table in ROWS.columns}
    try:
        db = open_reading(path)
    except (OSError, sqlite3.DatabaseError):
        return found
    try:
        for table, names in ROWS.columns.items():
            rows: dict[object, tuple[Any, ...]] = {}
            for order in ("ASC", "DESC"):  # from both ends, as far as it can be read
                try:
                    for row in db.execute(
                        f"SELECT {', '.join(names)}, sum FROM {table} ORDER BY {names[0]} {order}"
                    ):
                        rows.setdefault(row[0], row)
                except (sqlite3.DatabaseError, OverflowError):
                    continue
            found[table] = [
                dict(zip(names, row[:-1], strict=True))
                for row in rows.values()
                if row_sum(*row[:-1]) == row[-1]
            ]
    finally:
        db.close()
    return found


def put_back(db: sqlite3.Connection, rows: Rows) -> None:
    """Write salvaged rows into a new file."""
    with one_step(db):
        for table, items in rows.items():
            for row in items:
                ROWS.insert(db, table, row, how="INSERT OR IGNORE")


def kept_aside(state: Path) -> list[Problem]:
    """Tell of what was taken out of queues because it could not be read or believed."""
    return [
        Problem(
            "queue_set_aside",
            "part of the daemon's queue could not be read or believed. Tasks that were waiting there have to"
            f" be sent again. It was kept as {path}; remove it when you have looked at it.",
            str(path),
        )
        for path in sorted(state.glob("tasks.db.corrupt-*"))
        if not path.name.endswith(("-wal", "-shm"))
    ]


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
            for seq, whole, *row in db.execute(
                f"SELECT seq, {ROWS.intact('task')}, {COLUMNS} FROM task"
            ).fetchall():
                if not whole or read_row(row) is None:  # it cannot be run, and may hold anything
                    db.execute("DELETE FROM task WHERE seq = ?", (seq,))
                    touched += 1
                elif clean := without_words(row, to_erase):
                    touched += 1
                    ROWS.change(
                        db,
                        "task",
                        "status = ?, payload = ?, result = ?, failure = ?, key = '', fingerprint = ''",
                        "seq = ?",
                        (clean[0], *clean[1], seq),
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
