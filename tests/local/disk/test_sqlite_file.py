"""SQLite files that are kept."""

from __future__ import annotations

from contextlib import closing

from reverie.local.disk.sqlite_file import open_writing


def test_a_connection_keeps_few_pages_for_every_thread_has_its_own(tmp_path):
    with closing(open_writing(tmp_path / "x.db", 1.0)) as db:
        assert db.execute("PRAGMA cache_size").fetchone() == (-256,)
