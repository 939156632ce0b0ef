"""SQLite files that are kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from reverie.local.disk import sqlite_file
from reverie.local.disk.sqlite_file import open_writing


def test_a_connection_keeps_few_pages_for_every_thread_has_its_own(tmp_path):
    with closing(open_writing(tmp_path / "x.db", 1.0)) as db:
        assert db.execute("PRAGMA cache_size").fetchone() == (-256,)


@pytest.fixture
def refused(monkeypatch):
    """Refuse to switch a file, as SQLite does at once while others are switching it; count how often."""
    times = []
    connect = sqlite3.connect

    class Refusing(sqlite3.Connection):
        def execute(self, statement, *given):
            if "journal_mode = WAL" in statement and len(times) < 2:
                times.append(statement)
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error
            return super().execute(statement, *given)

    monkeypatch.setattr(
        sqlite_file.sqlite3,
        "connect",
        lambda *given, **more: connect(*given, **more, factory=Refusing),
    )
    return times


def test_who_opens_a_new_file_waits_for_others_that_open_it_too(tmp_path, refused):
    with closing(open_writing(tmp_path / "x.db", 60.0)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert len(refused) == 2


def test_who_opens_a_new_file_does_not_wait_longer_than_it_was_told(tmp_path, refused):
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        open_writing(tmp_path / "x.db", 0.0)
    assert len(refused) == 1
