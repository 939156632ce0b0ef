"""A row of the journal that is not as it was written is passed over and told, never believed."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reverie.errors import JournalCorrupt, ReverieError
from reverie.local.journal import row_sums
from tests.torture.amount import SEED, rounds

FLIPS = rounds(40, share=10.0)


def journal_of(memory) -> Path:
    return Path(memory.workspace.state) / "journal.db"


def change_row(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(statement, values)


def filled(open_memory):
    """Return what a closed memory's log told, and where its journal is, all of it in one file."""
    memory = open_memory()
    for number in range(8):
        memory.remember(f"The otter {number} sleeps in harbour {number * 7}", kind="project")
    memory.undo(memory.remember("The heron waits").run)
    memory.close()
    path = journal_of(memory)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    return {run.id: run for run in told(open_memory)}, path


def told(open_memory):
    with open_memory() as memory:
        return memory.log(limit=1000)


@pytest.mark.parametrize(
    "column", ["at", "verb", "note", "client", "session", "turn", "undoes", "detail", "catalogs"]
)
def test_a_changed_letter_in_a_run_is_told_and_its_run_is_not_listed(open_memory, column):
    known, path = filled(open_memory)
    spoilt = sorted(known)[3]
    change_row(path, f"UPDATE run SET {column} = {column} || 'x' WHERE id = ?", spoilt)  # noqa: S608
    with open_memory() as memory:
        assert {run.id for run in memory.log(limit=1000)} == known.keys() - {spoilt}
        problems = memory.verify().problems
        assert [item.code for item in problems] == ["journal_row_damaged"]
        assert spoilt in problems[0].message
        with pytest.raises(ReverieError):
            memory.undo(spoilt)
        memory.remember("The stork sleeps", kind="project")
    with closing(sqlite3.connect(path)) as db:  # kept, for a person to see
        assert db.execute("SELECT count(*) FROM run WHERE id = ?", (spoilt,)).fetchone() == (1,)


@pytest.mark.parametrize("column", ["id", "at", "note", "path"])
def test_a_letter_that_is_none_any_more_is_passed_over(open_memory, column):
    known, path = filled(open_memory)
    table = "change" if column == "path" else "run"
    where = "rowid = 4" if table == "run" else "position = 0 AND path LIKE '%otter-3%'"
    change_row(path, f"UPDATE {table} SET {column} = CAST(x'61ff62' AS TEXT) WHERE {where}")  # noqa: S608
    assert len(told(open_memory)) >= len(known) - 1
    with open_memory() as memory:
        assert "journal_row_damaged" in {item.code for item in memory.verify().problems}


def test_a_run_that_lost_a_file_is_not_undone(open_memory):
    known, path = filled(open_memory)
    spoilt = sorted(known)[3]
    change_row(path, "UPDATE change SET path = path || 'x' WHERE run = ?", spoilt)
    with open_memory() as memory:
        assert memory.journal.record(spoilt).paths == ()
        with pytest.raises(JournalCorrupt, match="lost part of run"):
            memory.undo(spoilt)
        assert "journal_row_damaged" in {item.code for item in memory.verify().problems}


def test_what_is_known_of_a_file_is_noted_anew(open_memory):
    _, path = filled(open_memory)
    for table in ("file_state", "version"):
        change_row(path, f"UPDATE {table} SET at = '1999-01-01T00:00:00+00:00'")  # noqa: S608
    with open_memory() as memory:
        assert all(topic.updated.year > 1999 for topic in memory.store.topics())
        [topic, *_] = memory.store.topics()
        assert memory.journal.file_state(topic.path) is None
        memory.forget("otter")
        memory.remember("The otter 1 sleeps in harbour 7", kind="project")
        assert all(topic.updated.year > 1999 for topic in memory.store.topics())


def test_a_change_does_not_make_damage_look_whole(open_memory):
    known, path = filled(open_memory)
    spoilt = sorted(known)[3]
    change_row(path, "UPDATE run SET note = 'otter, and more' WHERE id = ?", spoilt)
    with open_memory() as memory:
        memory.forget("otter", erase=True, everywhere=True)
        assert spoilt not in {run.id for run in memory.log(limit=1000)}
    with closing(sqlite3.connect(path)) as db:  # and an erasure finds it
        ((note,),) = db.execute("SELECT note FROM run WHERE id = ?", (spoilt,)).fetchall()
    assert "otter" not in note


def test_a_journal_without_checksums_gets_them_and_tells_the_same(open_memory):
    known, path = filled(open_memory)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for table in row_sums.COLUMNS:
            db.execute(f"ALTER TABLE {table} DROP COLUMN sum")
        db.execute("PRAGMA user_version = 2")
    assert {run.id: run for run in told(open_memory)} == known
    with open_memory() as memory:
        assert not memory.verify().problems
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM run WHERE sum IS NULL").fetchone() == (0,)


def test_damage_to_what_rows_are_looked_up_by_is_told_and_costs_no_run(open_memory):
    known, path = filled(open_memory)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema = ON")
        ((page,),) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'change_path'")
        ((size,),) = db.execute("PRAGMA page_size")
    data = bytearray(path.read_bytes())
    at = data.rindex(b"otter-0", (page - 1) * size, page * size)
    data[at] ^= 1
    path.write_bytes(data)
    with open_memory() as memory:
        assert [item.code for item in memory.verify().problems] == ["journal_damaged"]
        assert {run.id: run for run in memory.log(limit=1000)} == known


@pytest.mark.slow
def test_no_flipped_bit_in_the_journal_is_believed(open_memory):
    known, path = filled(open_memory)
    whole = path.read_bytes()
    rng = random.Random(SEED)
    for trial in range(FLIPS):
        data = bytearray(whole)
        at = rng.randrange(len(data))
        data[at] ^= 1 << rng.randrange(8)
        for file in path.parent.glob("journal.db*"):
            file.unlink()
        path.write_bytes(data)
        try:
            runs = told(open_memory)
            with open_memory() as memory:
                problems = memory.verify().problems
        except JournalCorrupt as error:  # the file itself is no database any more
            assert str(error), (SEED, trial, at)
            continue
        wrong = [run for run in runs if known.get(run.id) != run and not _only_less(known, run)]
        assert not wrong, (SEED, trial, at)
        aside = list(path.parent.glob("journal.db.corrupt-*"))
        assert {run.id: run for run in runs} == known or problems or aside, (SEED, trial, at)


def _only_less(known, run):
    """Of a run whose other rows are damaged, less is told: files, or the run that undid it."""
    whole = known.get(run.id)
    if whole is None or not set(run.paths) <= set(whole.paths):
        return False
    return replace(run, paths=whole.paths, undone_by=run.undone_by or whole.undone_by) == whole
