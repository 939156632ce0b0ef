"""A database in a file of the state folder: what stands in it is read as data and as nothing else."""

from __future__ import annotations

import marshal
from contextlib import closing

import pytest

from reverie.errors import StoreError
from reverie.local.disk.snapshot import SnapshotDb
from reverie.local.disk.throwaway import IndexFile

ROW = (1, 2.5, "é \u2028 text", b"\x00\xff bytes", None, 2**60)


class Kept(SnapshotDb):
    """One table."""

    def begin(self):
        """Make it."""
        self.make("CREATE TABLE t (a, b, c, d, e, f)", 1)


def filled(path):
    with closing(Kept(path)) as db:
        with db.transaction():
            db.change("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", [ROW])
        with db.transaction():  # the first commit is an image, the next a record
            db.change("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", [ROW])
    return path


def test_what_was_committed_is_read_as_it_was(tmp_path):
    with closing(Kept(filled(tmp_path / "x.db"))) as db:
        assert db.db.execute("SELECT * FROM t").fetchall() == [ROW, ROW]


@pytest.mark.parametrize(
    "record",
    [
        marshal.dumps([("INSERT INTO t (a) VALUES (?)", [(1,)])]),
        b"[" * 100_000,
        b'[["INSERT INTO t (a) VALUES (?)", [[[]]]]]',
        b'[["INSERT INTO t (a) VALUES (?)", [[["zz"]]]]]',
        b'[["INSERT INTO t (a) VALUES (?)", [[{}]]]]',
        b"[1]",
        b"{}x",
        b"\xff",
    ],
)
def test_a_record_of_anything_else_is_damage(tmp_path, record):
    path = filled(tmp_path / "x.db")
    file = IndexFile(path, StoreError)
    file.all()
    assert file.append(record)
    with pytest.raises(StoreError, match="damaged"):
        Kept(path)


@pytest.mark.parametrize("rows", [1, 2, 50])
def test_another_file_with_the_number_of_the_one_before_is_read_anew(tmp_path, rows):
    path = filled(tmp_path / "x.db")
    reader = Kept(path)
    other = tmp_path / "other.db"
    with closing(Kept(other)) as writer:
        for row in range(rows):
            with writer.transaction():
                writer.change("INSERT INTO t (a) VALUES (?)", [(f"other {row}",)])
    path.write_bytes(
        other.read_bytes()
    )  # in place: the number stays, as when the kernel gives it again
    reader.refresh()
    assert [text for (text,) in reader.db.execute("SELECT a FROM t")] == [
        f"other {row}" for row in range(rows)
    ]
