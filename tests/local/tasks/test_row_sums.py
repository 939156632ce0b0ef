"""A row of the queue that is not as it was written is never believed; what is whole stays."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from reverie.core.erasing.occurrences import WordsToErase
from reverie.errors import ReverieError, StoreError
from reverie.local.tasks import task_file
from reverie.local.tasks.queue_file import TaskDb
from reverie.types import TaskFailure, TaskKind
from reverie.types.tasks import LaneLimits, Signal
from tests.torture.amount import SEED, rounds

FLIPS = rounds(60, share=10.0)
WORKSPACES = ("project", "other")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "tasks.db"


@pytest.fixture
def opened(path, clock):
    made = []

    def opener(workspace="project"):
        tasks = TaskDb(path, workspace=workspace, clock=clock, limits=LaneLimits())
        made.append(tasks)
        return tasks

    yield opener
    for tasks in made:
        tasks.close()


def remember(tasks, content, **more):
    return tasks.accept(TaskKind.REMEMBER, {"content": content}, **more)[0]


def filled(opened, path):
    """Return every task of a closed queue, by its id, and a client that it knows; all of it in one file."""
    client = ""
    for workspace in WORKSPACES:
        tasks = opened(workspace)
        client = tasks.open_session("settings").client
        for number in range(6):
            remember(tasks, f"done {number}", key=f"k{number}", client=client)
            started = tasks.start_next()
            failure = TaskFailure("remember_failed", "no", "disk_full") if number % 2 else None
            signal = Signal.FAIL if number % 2 else Signal.COMPLETE
            tasks.settle(started.id, signal, result={"summary": f"kept {number}"}, failure=failure)
        for number in range(4):
            remember(tasks, f"The otter {number} waits in harbour {number * 7}", client=client)
        tasks.close()
    known = {task.id: task for task in listed(opened)}
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    return known


def listed(opened):
    found = []
    for workspace in WORKSPACES:
        tasks = opened(workspace)
        found += tasks.tasks()
        tasks.close()
    return found


def change_row(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(statement, values)


@pytest.mark.parametrize(
    "column",
    ["id", "workspace", "kind", "status", "client", "created", "updated", "payload", "result",
     "failure", "attempts", "key", "fingerprint", "seq"],
)  # fmt: skip
def test_a_changed_value_is_kept_aside_and_told_and_the_others_stay(opened, path, column):
    known = filled(opened, path)
    spoilt = next(task for task in known if known[task].payload.get("content", "").endswith("7"))
    change = {
        "seq": "seq + 100", "attempts": "attempts + 1", "kind": "'forget'", "status": "'running'",
        "workspace": "'other'", "result": "'{}'", "failure": "'[\"a\", \"b\", \"c\"]'",
        "payload": "replace(payload, 'otter', 'eagle')",
        "created": "replace(created, '2026', '2025')", "updated": "replace(updated, '2026', '2025')",
    }.get(column, f"{column} || 'x'")  # fmt: skip
    change_row(path, f"UPDATE task SET {column} = {change} WHERE id = ?", spoilt)  # noqa: S608
    assert {task.id: task for task in listed(opened)} == {
        task: known[task] for task in known if task != spoilt
    }
    [problem] = task_file.kept_aside(path.parent)
    assert problem.code == "queue_set_aside"
    assert "The otter" in Path(problem.path).read_text() or column == "payload"
    assert opened().set_aside is None  # once is enough


def test_a_row_that_is_damaged_under_a_running_daemon_is_not_started(opened, path):
    tasks = opened()
    first = remember(tasks, "The otter sleeps", key="k", client="c")
    second = remember(tasks, "The heron sleeps")
    change_row(path, "UPDATE task SET payload = replace(payload, 'otter', 'eagle')")
    assert tasks.get(first.id) is None
    assert [task.id for task in tasks.tasks(waiting=True)] == [second.id]
    assert tasks.start_next().id == second.id
    # Its key is free again: the caller who repeats the request is heard.
    again = remember(tasks, "The otter sleeps", key="k", client="c")
    assert tasks.get(again.id) == again
    assert task_file.kept_aside(path.parent)


def test_a_change_does_not_make_damage_look_whole_and_an_erasure_takes_it(opened, path):
    tasks = opened()
    spoilt = remember(tasks, "The otter sleeps")
    whole = remember(tasks, "The otter wakes")
    change_row(path, "UPDATE task SET attempts = 2 WHERE id = ?", spoilt.id)
    assert task_file.erase(path, WordsToErase(exact=("otter",))) == 2
    assert [task.id for task in tasks.tasks()] == [whole.id]
    assert tasks.get(whole.id).failure.code == "erased"
    tasks.close()
    assert not any(b"otter" in file.read_bytes() for file in path.parent.iterdir())


def test_a_damaged_session_is_unknown_until_it_is_opened_anew(opened, path):
    tasks = opened()
    session = tasks.open_session("settings")
    change_row(path, "UPDATE session SET client = 'somebody'")
    assert not tasks.knows("somebody")
    assert not tasks.knows("settings")
    assert tasks.session(session.id) is None
    assert tasks.open_session("settings").attached is False


def test_a_queue_without_checksums_gets_them_and_tells_the_same(opened, path):
    known = filled(opened, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for table in task_file.ROWS.columns:
            db.execute(f"ALTER TABLE {table} DROP COLUMN sum")
        db.execute("PRAGMA user_version = 1")
    with closing(task_file.open_as_it_stands(path)) as db:  # where it cannot be written
        whole = f"SELECT count(*) FROM task WHERE {task_file.ROWS.intact('task')}"  # noqa: S608
        assert db.execute(whole).fetchone() == (len(known),)
    assert {task.id: task for task in listed(opened)} == known
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM task WHERE sum IS NULL").fetchone() == (0,)
        assert db.execute("PRAGMA user_version").fetchone() == (2,)
    assert not task_file.kept_aside(path.parent)


def test_what_rows_are_looked_up_by_is_made_anew(opened, path):
    known = filled(opened, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        ((page,),) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'task_order'")
        ((size,),) = db.execute("PRAGMA page_size")
    data = bytearray(path.read_bytes())
    at = data.rindex(b"project", (page - 1) * size, page * size)
    data[at] ^= 1
    path.write_bytes(data)
    assert {task.id: task for task in listed(opened)} == known
    assert not task_file.kept_aside(path.parent)  # nothing was lost


def test_another_process_that_kept_the_file_aside_is_followed(opened, path):
    here, there = opened(), opened("other")
    waiting = remember(here, "The otter waits")
    here.close()
    there.close()
    data = bytearray(path.read_bytes())
    here, there = opened(), opened("other")
    path.rename(path.with_name("tasks.db.corrupt-by-hand"))
    path.write_bytes(data)
    assert here.get(waiting.id) == waiting
    later = remember(there, "The heron waits")
    here.close()
    there.close()
    assert opened("other").get(later.id) == later


@pytest.mark.slow
def test_no_flipped_bit_in_the_queue_is_believed_and_no_other_task_is_lost(opened, path):
    known = filled(opened, path)
    whole = path.read_bytes()
    rng = random.Random(SEED)
    lost = 0
    for trial in range(FLIPS):
        data = bytearray(whole)
        at = rng.randrange(len(data))
        data[at] ^= 1 << rng.randrange(8)
        for file in path.parent.glob("tasks.db*"):
            file.unlink()
        path.write_bytes(data)
        found = {}
        for _ in range(2):  # the first who comes upon it may be told
            try:
                found = {task.id: task for task in listed(opened)}
            except StoreError as error:
                assert str(error), (SEED, trial, at)
        assert found.items() <= known.items(), (SEED, trial, at)
        if found != known:
            lost += len(known) - len(found)
            assert task_file.kept_aside(path.parent) or "newer" in refusal(opened), (
                SEED,
                trial,
                at,
            )
        for workspace in WORKSPACES:
            with suppress(ReverieError):
                tasks = opened(workspace)
                task = remember(tasks, "The stork lands")
                assert tasks.get(task.id) == task, (SEED, trial, at)
                tasks.close()
    print(f"seed {SEED}: {FLIPS} flips, {lost} of {FLIPS * len(known)} tasks not listed any more")


def refusal(opened):
    try:
        opened().close()
    except StoreError as error:
        return str(error)
    return ""
