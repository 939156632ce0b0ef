"""What every queue does."""

from __future__ import annotations

import pytest

from reverie.errors import KeyReused, QueueFull, TaskNotFound, TaskOver
from reverie.local.tasks.queue_file import TaskDb
from reverie.postgres.tasks import PgTasks
from reverie.types import TaskFailure, TaskKind, TaskStatus
from reverie.types.tasks import Signal
from tests.conftest import FakeClock

Queue = TaskDb | PgTasks
WHY = TaskFailure("remember_cancelled", "taken back")


def test_tasks_run_one_after_the_other_in_the_order_they_came(queue: Queue):
    ids = [queue.accept(TaskKind.REMEMBER, {"content": str(n)})[0].id for n in range(3)]
    for wanted in ids:
        task = queue.start_next()
        assert task is not None
        assert task.id == wanted
        assert queue.start_next() is None
        done = queue.settle(task.id, Signal.COMPLETE, result={"n": 1})
        assert done.status is TaskStatus.COMPLETED
    assert queue.start_next() is None


def test_the_text_of_a_task_is_kept_until_it_is_over(queue: Queue):
    task, _ = queue.accept(
        TaskKind.REMEMBER, {"content": "a secret plan \x00 \ud800", "scope": "user"}
    )
    known = queue.get(task.id)
    assert known is not None
    assert known.payload["content"] == "a secret plan \x00 \ud800"
    queue.start_next()
    over = queue.settle(task.id, Signal.COMPLETE, result={})
    assert over.payload == {"scope": "user"}
    kept = queue.get(task.id)
    assert kept is not None
    assert kept.payload == {"scope": "user"}


def test_a_key_gives_the_same_task_and_no_other_request(queue: Queue):
    first, new = queue.accept(TaskKind.REMEMBER, {"content": "a"}, client="c", key="k")
    again, newer = queue.accept(TaskKind.REMEMBER, {"content": "a"}, client="c", key="k")
    assert (new, newer, again.id) == (True, False, first.id)
    with pytest.raises(KeyReused):
        queue.accept(TaskKind.REMEMBER, {"content": "b"}, client="c", key="k")
    assert queue.accept(TaskKind.REMEMBER, {"content": "b"}, client="other", key="k")[1]


def test_a_full_queue_says_so(queue: Queue):
    queue.accept(TaskKind.DREAM, {})
    queue.accept(TaskKind.FORGET, {"query": "x"})
    with pytest.raises(QueueFull):
        queue.accept(TaskKind.DREAM, {})
    queue.accept(TaskKind.REMEMBER, {"content": "x"})
    queue.accept(TaskKind.REMEMBER, {"content": "x"})
    with pytest.raises(QueueFull):
        queue.accept(TaskKind.REMEMBER, {"content": "x"})
    assert queue.counts() == {"queued": 4, "running": 0, "completed": 0, "failed": 0}


def test_old_records_make_room(queue: Queue):
    for number in range(8):
        task, _ = queue.accept(TaskKind.REMEMBER, {"content": str(number)})
        queue.start_next()
        queue.settle(task.id, Signal.COMPLETE, result={})
    assert len(queue.tasks()) == 6
    assert len(queue.tasks(limit=2)) == 2
    assert queue.tasks(waiting=True) == []


def test_a_task_can_be_taken_back_until_it_is_over(queue: Queue):
    task, _ = queue.accept(TaskKind.REMEMBER, {"content": "a"})
    assert queue.cancel(task.id, WHY).status is TaskStatus.FAILED
    with pytest.raises(TaskOver):
        queue.cancel(task.id, WHY)
    with pytest.raises(TaskNotFound):
        queue.cancel("remember-nope", WHY)
    assert queue.start_next() is None


def test_a_task_put_back_runs_again(queue: Queue):
    task, _ = queue.accept(TaskKind.REMEMBER, {"content": "a"})
    queue.start_next()
    queue.settle(task.id, Signal.REQUEUE)
    again = queue.start_next()
    assert again is not None
    assert (again.id, again.attempts) == (task.id, 2)


def test_a_task_of_nobody_is_none(queue: Queue):
    assert queue.get("' OR 1=1 --") is None
    assert queue.get("\x00") is None


def test_sessions_register_clients_and_the_oldest_make_room(queue: Queue, clock: FakeClock):
    first = queue.open_session()
    assert queue.knows(first.client)
    assert not first.attached
    assert queue.open_session(first.client).attached
    assert not queue.knows("client-nobody")
    for _ in range(4):
        clock.advance(hours=2)
        last = queue.open_session()
    assert queue.session(first.id) is None
    kept = queue.session(last.id)
    assert kept is not None
    assert kept.client == last.client
    assert queue.close_session(last.id)
    assert not queue.close_session(last.id)
