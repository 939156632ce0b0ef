"""The queue on the disk: what was accepted is there after anything."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest

from reverie.core.erasing.occurrences import WordsToErase
from reverie.errors import KeyReused, QueueFull, TaskNotFound, TaskOver
from reverie.local.tasks import task_file
from reverie.local.tasks.queue_file import TaskDb
from reverie.types import TaskFailure, TaskKind, TaskStatus
from reverie.types.tasks import LaneLimits, Signal


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "tasks.db"


@pytest.fixture
def opened(path, clock):
    made = []

    def opener(workspace="project", limits=None):
        limits = limits or LaneLimits()
        tasks = TaskDb(path, workspace=workspace, clock=clock, limits=limits)
        made.append(tasks)
        return tasks

    yield opener
    for tasks in made:
        tasks.close()


def remember(tasks, content="dark mode", **more):
    task, _ = tasks.accept(
        TaskKind.REMEMBER, {"content": content, "contextMode": "workspace"}, **more
    )
    return task


def test_an_accepted_task_is_there_for_the_next_process(opened, clock):
    accepted = remember(opened(), client="settings")
    assert accepted.id.startswith("remember-")
    assert opened().get(accepted.id) == accepted


def test_the_file_is_for_its_owner_alone(opened, path):
    opened()
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_tasks_start_in_order_one_at_a_time(opened):
    tasks = opened()
    first, second = remember(tasks, "one"), remember(tasks, "two")
    started = tasks.start_next()
    assert started.id == first.id
    assert started.attempts == 1
    assert tasks.start_next() is None
    tasks.settle(first.id, Signal.COMPLETE, result={"summary": "done"})
    assert tasks.start_next().id == second.id


def test_results_and_failures_are_kept_and_the_text_is_not(opened, path, clock):
    tasks = opened()
    good, bad = remember(tasks, "the launch code"), remember(tasks, "another code")
    tasks.start_next()
    clock.advance(seconds=5)
    tasks.settle(good.id, Signal.COMPLETE, result={"summary": "ok", "filesTouched": ["/a"]})
    tasks.start_next()
    tasks.settle(bad.id, Signal.FAIL, failure=TaskFailure("remember_failed", "no", "disk_full"))
    again = opened()
    assert again.get(good.id).result == {"summary": "ok", "filesTouched": ["/a"]}
    assert (again.get(good.id).updated - again.get(good.id).created).seconds == 5
    assert again.get(bad.id).failure == TaskFailure("remember_failed", "no", "disk_full")
    assert again.get(good.id).payload == {"contextMode": "workspace"}
    with closing(sqlite3.connect(path)) as db:
        assert "code" not in str(db.execute("SELECT payload FROM task").fetchall())


def test_a_task_that_is_over_takes_no_further_signal(opened):
    tasks = opened()
    task = remember(tasks)
    tasks.start_next()
    tasks.settle(task.id, Signal.COMPLETE, result={})
    with pytest.raises(TaskOver):
        tasks.settle(task.id, Signal.FAIL)
    with pytest.raises(TaskNotFound):
        tasks.settle("remember-none", Signal.FAIL)


def test_a_full_queue_takes_nothing_and_changes_nothing(opened):
    tasks = opened(limits=LaneLimits(pending=2))
    remember(tasks), remember(tasks)
    with pytest.raises(QueueFull):
        remember(tasks)
    assert tasks.counts() == {"queued": 2, "running": 0, "completed": 0, "failed": 0}


def test_old_records_make_room_for_new_ones(opened):
    tasks = opened(limits=LaneLimits(records=3))
    ids = []
    for number in range(5):
        ids.append(remember(tasks, f"fact {number}").id)
        tasks.start_next()
        tasks.settle(ids[-1], Signal.COMPLETE, result={})
    assert [task.id for task in tasks.tasks()] == ids[2:]
    assert tasks.get(ids[0]) is None
    assert [task.id for task in tasks.tasks(limit=2)] == ids[3:]


def test_the_same_key_gives_the_same_task_also_after_a_restart(opened):
    tasks = opened()
    first = remember(tasks, "once", key="k1", client="a")
    again, new = opened().accept(
        TaskKind.REMEMBER, {"content": "once", "contextMode": "workspace"}, key="k1", client="a"
    )
    assert (again.id, new) == (first.id, False)
    assert remember(tasks, "once", key="k1", client="b").id != first.id
    assert remember(tasks, "once", key="k2", client="a").id != first.id


def test_a_key_used_for_something_else_is_refused_also_when_the_first_task_is_over(opened):
    tasks = opened()
    first = remember(tasks, "once", key="k1")
    with pytest.raises(KeyReused):
        remember(tasks, "twice", key="k1")
    tasks.start_next()
    tasks.settle(first.id, Signal.COMPLETE, result={})
    with pytest.raises(KeyReused):
        tasks.accept(TaskKind.DREAM, {}, key="k1")
    assert remember(tasks, "once", key="k1").status is TaskStatus.COMPLETED


def test_workspaces_share_the_file_and_nothing_else(opened):
    here, there = opened("here"), opened("there")
    task = remember(here, key="k")
    assert there.get(task.id) is None
    assert there.start_next() is None
    assert remember(there, key="k").id != task.id
    session = here.open_session()
    assert not there.knows(session.client)
    assert there.session(session.id) is None


def test_many_threads_accept_at_once_and_every_task_is_there(opened):
    tasks = opened(limits=LaneLimits(pending=1000, records=1000))
    made, guard = [], threading.Lock()

    def work(name):
        for number in range(10):
            task = remember(tasks, f"{name} {number}")
            with guard:
                made.append(task.id)

    threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {task.id for task in tasks.tasks()} == set(made)
    assert len(made) == 80


def test_a_client_is_known_from_its_session_until_its_last_session_closes(opened):
    tasks = opened()
    assert not tasks.knows("nobody")
    first = tasks.open_session()
    assert first.client.startswith("client-")
    assert not first.attached
    second = tasks.open_session(first.client)
    assert (second.client, second.attached) == (first.client, True)
    assert opened().knows(first.client)
    assert tasks.close_session(first.id)
    assert tasks.knows(first.client)
    assert tasks.close_session(second.id)
    assert not tasks.close_session(second.id)
    assert not tasks.knows(first.client)


def test_a_client_may_bring_its_own_id(opened):
    tasks = opened()
    session = tasks.open_session("settings-page")
    assert (session.client, session.attached) == ("settings-page", False)
    assert tasks.session(session.id).client == "settings-page"


def test_sessions_are_bounded_and_those_seen_last_stay(opened, clock):
    tasks = opened(limits=LaneLimits(sessions=3))
    sessions = []
    for number in range(3):
        sessions.append(tasks.open_session(f"c{number}"))
        clock.advance(hours=2)
    assert tasks.knows("c0")  # seen again just now
    sessions.append(tasks.open_session("c3"))
    assert [tasks.knows(f"c{n}") for n in range(4)] == [True, False, True, True]


def test_an_unreadable_file_is_kept_aside_and_a_new_one_begun(opened, path):
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database, and it never was one " * 100)
    tasks = opened()
    assert tasks.set_aside is not None
    assert tasks.set_aside.read_bytes().startswith(b"this is no database")
    assert remember(tasks).status is TaskStatus.QUEUED


def test_erasing_takes_a_text_out_of_every_task_and_fails_those_that_would_bring_it_back(
    opened, path
):
    tasks = opened()
    other = opened("other")
    waiting = remember(tasks, "the vault code is quokka")
    bystander = remember(tasks, "harmless")
    done = remember(other, "x")
    other.start_next()
    other.settle(done.id, Signal.COMPLETE, result={"summary": "kept the vault code is quokka"})
    assert set(task_file.holding(path, lambda text: "quokka" in text)) == {waiting.id, done.id}
    assert task_file.erase(path, WordsToErase(exact=("the vault code is quokka",))) == 2
    assert task_file.holding(path, lambda text: "quokka" in text) == []
    assert tasks.get(waiting.id).failure.code == "erased"
    assert tasks.get(bystander.id).payload["content"] == "harmless"
    assert other.get(done.id).result == {"summary": "kept [erased]"}
    for file in path.parent.iterdir():
        assert b"quokka" not in file.read_bytes()


def test_erasing_where_there_is_no_queue_does_nothing(path):
    assert task_file.erase(path, WordsToErase(exact=("x",))) == 0
    assert task_file.holding(path, bool) == []
    assert not path.exists()
