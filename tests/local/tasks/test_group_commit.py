"""Many steps, one flush."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest

from reverie.errors import QueueFull, StoreError
from reverie.local.disk import sqlite_file
from reverie.local.tasks.group_commit import GroupCommit
from reverie.local.tasks.queue_file import TaskDb
from reverie.types import TaskKind
from reverie.types.tasks import LaneLimits

PAYLOAD = {"content": "dark mode", "contextMode": "workspace"}


@pytest.fixture
def db(tmp_path):
    path = tmp_path / "steps.db"
    with closing(sqlite_file.open_writing(path, 1.0)) as opened:
        opened.execute("CREATE TABLE step (name TEXT UNIQUE)")
        yield opened, path


def write(group, db, name, entered=None, go=None):
    with group.turn(), group.step(db):
        if entered:
            entered.set()
            go.wait(30)
        db.execute("INSERT INTO step VALUES (?)", (name,))


def crowd(group, db, names, act=write):
    """Let threads wait for one that has the connection, then let all go; return what each raised."""
    entered, go, raised = threading.Event(), threading.Event(), {}

    def run(name, *more):
        try:
            act(group, db, name, *more)
        except Exception as error:  # noqa: BLE001  # looked at by the test
            raised[name] = error

    first = threading.Thread(target=run, args=(names[0], entered, go))
    first.start()
    assert entered.wait(30)
    others = [threading.Thread(target=run, args=(name,)) for name in names[1:]]
    for thread in others:
        thread.start()
    while group._waiting < len(others):
        pass
    go.set()
    for thread in (first, *others):
        thread.join(30)
    return raised


def stored(path):
    with closing(sqlite3.connect(path)) as other:
        return {name for (name,) in other.execute("SELECT name FROM step")}


def test_steps_that_waited_share_one_commit(db):
    opened, path = db
    group = GroupCommit()
    names = [str(number) for number in range(20)]
    assert crowd(group, opened, names) == {}
    assert stored(path) == set(names)
    assert group.steps == 20
    assert group.commits == 1


def test_a_step_that_fails_takes_only_itself_back(db):
    opened, path = db
    group = GroupCommit()
    assert crowd(group, opened, ["a", "b", "c"]) == {}
    raised = crowd(group, opened, ["d", "b", "e"])
    assert {name: type(error) for name, error in raised.items()} == {"b": sqlite3.IntegrityError}
    assert stored(path) == {"a", "b", "c", "d", "e"}


def test_a_commit_that_fails_is_told_to_everybody_in_it(db):
    opened, path = db
    group = GroupCommit()

    class Full:
        def execute(self, statement, *more):
            if statement == "COMMIT":
                raise sqlite3.OperationalError("database or disk is full")
            return opened.execute(statement, *more)

    raised = crowd(group, Full(), ["a", "b", "c"])
    assert {type(error) for error in raised.values()} == {sqlite3.OperationalError}
    assert len(raised) == 3
    assert stored(path) == set()
    write(group, opened, "again")
    assert stored(path) == {"again"}


def test_one_that_comes_to_no_step_commits_for_the_others(db):
    opened, path = db
    group = GroupCommit()

    def act(group, db, name, *more):
        if name == "nothing":
            with group.turn():
                raise QueueFull("no")
        write(group, db, name, *more)

    raised = crowd(group, opened, ["a", "nothing"], act)
    assert [*raised] == ["nothing"]
    assert stored(path) == {"a"}


def test_accepted_tasks_are_flushed_together_and_each_is_there(tmp_path, clock):
    path = tmp_path / "tasks.db"
    limits = LaneLimits(1000, 1000, 1000)
    tasks = TaskDb(path, workspace="project", clock=clock, limits=limits)
    found = []

    def accept():
        found.append(tasks.accept(TaskKind.REMEMBER, PAYLOAD)[0])
        other = TaskDb(path, workspace="project", clock=clock, limits=limits)
        assert other.get(found[-1].id)
        other.close()

    threads = [threading.Thread(target=accept) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({task.id for task in tasks.tasks()}) == 8
    tasks.close()


def test_a_file_that_is_damaged_under_a_crowd_is_replaced_once(tmp_path, clock):
    path = tmp_path / "tasks.db"
    tasks = TaskDb(path, workspace="project", clock=clock, limits=LaneLimits(1000, 1000, 1000))
    real = tasks._db

    class Damaged:
        def execute(self, statement, *more):
            if statement == "COMMIT":
                raise sqlite3.DatabaseError("database disk image is malformed")
            return real.execute(statement, *more)

        def close(self):
            real.close()

    tasks._db = Damaged()
    raised = []

    def accept():
        try:
            tasks.accept(TaskKind.REMEMBER, PAYLOAD)
        except StoreError as error:
            raised.append(str(error))

    threads = [threading.Thread(target=accept) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert raised
    assert len([*tmp_path.glob("tasks.db.*")]) <= 3  # one set of files kept aside, not one for each
    assert len(tasks.tasks()) == 6 - len(raised)
    tasks.close()
