"""What is deleted from a database is not left in its free pages, however SQLite was built."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from reverie.local.disk.snapshot import SnapshotDb
from reverie.local.disk.sqlite_file import open_writing

WORDS = "the lighthouse keeper is Ida"
SCHEMA = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT) STRICT"


class Plain(sqlite3.Connection):
    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.execute("PRAGMA secure_delete = OFF")

    def deserialize(self, *args: Any, **more: Any) -> None:
        """Read a state, which begins with what was built in."""
        super().deserialize(*args, **more)
        self.execute("PRAGMA secure_delete = OFF")


@pytest.fixture(autouse=True)
def built_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some builds of SQLite overwrite what is deleted by themselves, most do not."""
    monkeypatch.setattr(sqlite3, "connect", Plain)


def test_a_row_deleted_from_a_file_is_not_in_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "state" / "kept.db"
    db = open_writing(path, 1.0)
    db.execute(SCHEMA)
    db.execute("INSERT INTO notes (text) VALUES (?)", (WORDS,))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert WORDS.encode() in path.read_bytes()

    db.execute("DELETE FROM notes")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()

    assert WORDS.encode() not in path.read_bytes()


class Notes(SnapshotDb):
    def begin(self) -> None:
        self.make(SCHEMA, 1)


def holds(path: Path, words: str) -> bool:
    return words.encode() in path.read_bytes()


def test_a_row_deleted_from_a_new_snapshot_is_not_in_its_image(tmp_path: Path) -> None:
    made = Notes(tmp_path / "index")
    with made.transaction():
        made.change("INSERT INTO notes (text) VALUES (?)", [(WORDS,)])
    with made.transaction():
        made.change("DELETE FROM notes WHERE id = ?", [(1,)])
    assert WORDS.encode() not in made.db.serialize()
    made.close()


def test_a_row_deleted_from_a_snapshot_that_was_read_is_not_in_its_image(tmp_path: Path) -> None:
    path = tmp_path / "index"
    made = Notes(path)
    with made.transaction():
        made.change("INSERT INTO notes (text) VALUES (?)", [(WORDS,)])
    made.rewrite()
    made.close()
    assert holds(path, WORDS)

    read = Notes(path)
    assert read.loads == 1
    with read.transaction():
        read.change("DELETE FROM notes WHERE id = ?", [(1,)])
    assert WORDS.encode() not in read.db.serialize()
    read.rewrite()
    read.close()
    assert not holds(path, WORDS)
