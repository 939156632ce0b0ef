"""The lane at work: deadlines, permits, crashes, stopping."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from pathlib import Path

import pytest

from reverie.daemon.work.permit import Permit
from reverie.errors import DiskFull, Locked, TaskStopped
from reverie.local.tasks.queue_file import TaskDb
from reverie.memory import Memory
from reverie.types import RunInfo, Scope, TaskFailure, TaskKind, TaskStatus
from reverie.types.tasks import LaneLimits, Signal
from tests.daemon.routes.test_tasks import slow_memory

WHY = TaskFailure("stopped", "no more")


@pytest.fixture
def queue(project, tmp_path, clock):
    """The queue of the project before any daemon runs, and its memory."""
    with Memory.open(project, home=tmp_path / "base") as memory:
        tasks = TaskDb(
            Path(memory.workspace.state) / "tasks.db",
            workspace=memory.workspace.project_id,
            clock=memory.clock,
            limits=LaneLimits(),
        )
        yield tasks, memory
        tasks.close()


def accept(tasks, kind=TaskKind.REMEMBER, **payload):
    task, _ = tasks.accept(kind, payload or {"content": "The lighthouse keeper is Ida"})
    return task


def test_a_permit_signs_the_run_and_can_be_taken_back_only_before_the_write(queue):
    tasks, _ = queue
    task = accept(tasks)
    permit = Permit(task)
    signed = permit.endorse(RunInfo(verb="remember", detail={"a": 1}))
    assert signed.detail == {"a": 1, "task": task.id}
    assert not permit.revoke(WHY)
    stopped = Permit(task)
    assert stopped.revoke(WHY)
    assert stopped.revoke(TaskFailure("later", "another reason"))
    with pytest.raises(TaskStopped, match="no more"):
        stopped.endorse(RunInfo(verb="remember"))


def test_a_task_that_waited_when_the_daemon_died_runs_in_the_next(start, queue):
    tasks, _ = queue
    first, second = accept(tasks), accept(tasks, content="The lighthouse is red")
    daemon = start()
    with daemon.client() as client:
        assert client.wait(first.id).status is TaskStatus.COMPLETED
        assert client.wait(second.id).status is TaskStatus.COMPLETED
    assert daemon.post("/workspace/recall", {"query": "lighthouse keeper"}).json()["topics"]


def test_a_task_that_ran_but_had_not_written_runs_again(start, queue):
    tasks, _ = queue
    task = accept(tasks)
    tasks.start_next()
    daemon = start()
    with daemon.client() as client:
        assert client.wait(task.id).result["filesTouched"]
    assert tasks.get(task.id).attempts == 2


def interrupted_after_writing(tasks, memory, kind, verb, **payload):
    """Leave a task as a daemon leaves it that is killed between its write and its result."""
    task = accept(tasks, kind, **payload)
    tasks.start_next()
    memory.store.endorse = Permit(task).endorse
    outcome = verb()
    memory.store.endorse = lambda run: run
    return task, outcome


def test_a_remember_task_that_had_written_is_completed_from_the_journal_and_not_done_twice(
    start, queue
):
    tasks, memory = queue
    remember = partial(memory.remember, "The lighthouse keeper is Ida", scope=Scope.USER)
    task, outcome = interrupted_after_writing(
        tasks, memory, TaskKind.REMEMBER, remember, content="The lighthouse keeper is Ida"
    )
    for number in range(40):  # others wrote meanwhile: the run is not among the newest
        memory.write_context(f"line {number}", scope="project")
    daemon = start()
    done = daemon.get(f"/workspace/memory/remember/{task.id}").json()
    assert done["status"] == "completed"
    assert done["result"] == {
        "summary": "Remembered.",
        "filesTouched": list(outcome.files_touched),
        "touchedScopes": ["user"],
    }
    runs = daemon.get("/workspace/log?limit=1000").json()["runs"]
    assert [run["verb"] for run in runs].count("remember") == 1


def test_a_forget_task_that_had_written_says_what_it_removed(start, queue):
    tasks, memory = queue
    kept = memory.remember("The ferry sails at nine", scope=Scope.PROJECT)
    memory.remember("The lighthouse keeper is Ida", scope=Scope.PROJECT)
    forget = partial(memory.forget, "lighthouse keeper Ida")
    task, outcome = interrupted_after_writing(tasks, memory, TaskKind.FORGET, forget, query="x")
    assert len(outcome.removed_entries) == 1
    daemon = start()
    result = daemon.get(f"/workspace/memory/forget/{task.id}").json()["result"]
    removed = outcome.removed_entries[0]
    assert result == {
        "summary": "Forgot 1 memory entry.",
        "removedEntries": [
            {
                "topic": removed.topic.value,
                "summary": removed.summary,
                "filePath": removed.file_path,
            }
        ],
        "touchedTopics": [removed.topic.value],
        "touchedScopes": ["project"],
    }
    assert Path(kept.path).exists()


def test_a_dream_task_that_had_written_counts_what_it_merged(start, queue):
    tasks, memory = queue
    for _ in range(2):
        memory.remember("Backups run every night at two", scope=Scope.PROJECT, clean=True)
    dream = partial(memory.dream, force=True)
    task, outcome = interrupted_after_writing(tasks, memory, TaskKind.DREAM, dream)
    assert outcome.deduped_entries == 1
    result = start().get(f"/workspace/memory/dream/{task.id}").json()["result"]
    assert result["dedupedEntries"] == 1
    assert result["touchedTopics"] == [kind.value for kind in outcome.touched_topics]


def test_a_task_that_killed_the_daemon_three_times_is_given_up(start, queue):
    tasks, _ = queue
    task, next_one = accept(tasks), accept(tasks, content="The next one still runs")
    for _ in range(2):
        tasks.start_next()
        tasks.settle(task.id, Signal.REQUEUE)
    tasks.start_next()
    daemon = start()
    failed = daemon.get(f"/workspace/memory/remember/{task.id}").json()
    assert failed["error"]["code"] == "remember_failed"
    assert failed["error"]["details"] == "interrupted"
    assert "3 times" in failed["error"]["message"]
    with daemon.client() as client:
        assert client.wait(next_one.id).status is TaskStatus.COMPLETED


def test_a_task_out_of_time_fails_writes_nothing_and_the_next_one_runs(start, tmp_path):
    gate, begun, stopped = threading.Event(), threading.Event(), threading.Event()

    def hasty(host):
        host.primary.lane.backstop = 0.05

    daemon = start(
        opener=slow_memory(gate, begun, stopped=stopped),
        settings={"daemon.task_seconds": 0.05},
        before=hasty,
    )
    late = daemon.post("/workspace/memory/remember", {"content": "too late to be kept"})
    assert begun.wait(30)
    assert daemon.host.primary.lane.abandoned == 0
    failed = daemon.over(late)
    assert failed["error"] == {
        "code": "remember_failed",
        "message": "the task did not finish within 0.05 s; nothing was written",
        "details": "timeout",
    }
    assert daemon.host.primary.lane.abandoned == 1
    gate.set()  # the thread that was left behind goes on, and may not write any more
    assert stopped.wait(30)
    texts = [path.read_text() for path in (tmp_path / "base").rglob("*.md")]
    assert not any("too late" in text for text in texts)


def test_stopping_finishes_the_running_task_and_leaves_the_others_for_later(start, queue):
    tasks, _ = queue
    gate, begun = threading.Event(), threading.Event()
    daemon = start(opener=slow_memory(gate, begun))
    first = daemon.post("/workspace/memory/remember", {"content": "finish this one"}).json()
    assert begun.wait(30)
    second = daemon.post("/workspace/memory/remember", {"content": "later is soon enough"}).json()
    daemon.on_loop(daemon.host.end_streams)
    refused = daemon.post("/workspace/memory/remember", {"content": "x"})
    assert daemon.code(refused) == (503, "workspace_draining")
    assert refused.headers["retry-after"] == "1"
    assert daemon.get("/health").json() == {"status": "draining"}
    gate.set()
    daemon.stop()
    assert tasks.get(first["taskId"]).status is TaskStatus.COMPLETED
    assert tasks.get(second["taskId"]).status is TaskStatus.QUEUED


def test_a_task_that_does_not_end_in_time_is_put_back_when_the_daemon_stops(start, queue, tmp_path):
    tasks, _ = queue
    gate, begun = threading.Event(), threading.Event()

    def impatient(host):
        host.grace_seconds = 0.0

    daemon = start(opener=slow_memory(gate, begun), before=impatient)
    task = daemon.post("/workspace/memory/remember", {"content": "put me back"}).json()["taskId"]
    assert begun.wait(30)
    daemon.stop()
    assert tasks.get(task).status is TaskStatus.QUEUED
    assert tasks.get(task).payload["content"] == "put me back"
    gate.set()
    again = start()
    with again.client() as client:
        assert client.wait(task).status is TaskStatus.COMPLETED


def test_a_mistake_in_the_lane_itself_leaves_no_task_waiting(daemon, caplog):
    lane, tasks = daemon.host.primary.lane, daemon.host.primary.tasks
    settle, broken = tasks.settle, []

    def once(task, signal, **more):
        if not broken:
            broken.append(task)
            raise KeyError("a mistake of ours")
        return settle(task, signal, **more)

    lane.pause = 0.0
    tasks.settle = once
    done = daemon.remember("Written before the mistake")
    assert broken == [done["taskId"]]
    assert done["status"] == "completed", "settled from the journal"
    assert daemon.remember("And this after it")["status"] == "completed"
    assert lane.restarts == 1
    assert len(daemon.get("/workspace/log").json()["runs"]) == 2
    assert "the lane failed" in caplog.text


def test_a_task_cancelled_between_the_queue_and_its_thread_is_never_done(daemon):
    lane, tasks = daemon.host.primary.lane, daemon.host.primary.tasks
    start, cancelled = tasks.start_together, []

    def slowly(most):
        """Take a task, and hold it until somebody has cancelled it."""
        taken = start(most)
        if taken and not cancelled:
            cancelled.append(asyncio.run_coroutine_threadsafe(lane.cancel(taken[0]), daemon.loop))
            daemon.on_loop(lambda: None)  # the loop has begun with it when this comes back
        return taken

    tasks.start_together = slowly
    answer = daemon.post("/workspace/memory/remember", {"content": "Taken back in time"})
    over = daemon.over(answer)
    assert (over["status"], over["error"]["code"]) == ("failed", "remember_cancelled")
    assert cancelled[0].result(30).id == over["taskId"]

    assert daemon.remember("And this one stays")["status"] == "completed"
    runs = daemon.get("/workspace/log").json()["runs"]
    assert len(runs) == 1
    assert lane.finished == {("remember", "failed"): 1, ("remember", "completed"): 1}


def accepted(tasks, *contents):
    return [accept(tasks, content=content, contextMode="clean").id for content in contents]


def test_remember_tasks_that_wait_run_together_and_each_is_a_run_of_its_own(start, queue):
    tasks, memory = queue
    gate, begun = threading.Event(), threading.Event()
    first = accepted(tasks, "The ferry sails at nine", "breaks", "The lighthouse is red")
    forget = accept(tasks, TaskKind.FORGET, query="nothing like this").id
    last = accepted(tasks, "The keeper is Ida")
    daemon = start(opener=slow_memory(gate, begun, fail=("breaks",)))
    assert begun.wait(30)
    waiting = {task.id: task.status for task in tasks.tasks(waiting=True)}
    assert [waiting[task] for task in first] == [TaskStatus.RUNNING] * 3
    assert [waiting[task] for task in (forget, *last)] == [TaskStatus.QUEUED] * 2
    gate.set()
    with daemon.client() as client:
        done = [client.wait(task) for task in (*first, forget, *last)]
    assert [task.status.value for task in done] == [
        "completed", "failed", "completed", "completed", "completed",
    ]  # fmt: skip
    remembered = [run for run in memory.log() if run.verb == "remember"]
    assert [run.detail["task"] for run in reversed(remembered)] == [first[0], first[2], *last]
    catalog = Path(memory.workspace.project_memory, "MEMORY.md")
    user = Path(memory.workspace.memory_root(Scope.USER), "MEMORY.md")
    listed = "".join(path.read_text() for path in (catalog, user) if path.exists())
    assert all(word in listed for word in ("ferry", "lighthouse", "Ida"))
    memory.undo(remembered[1].id)
    assert not Path(done[2].result["filesTouched"][0]).exists()
    assert Path(done[0].result["filesTouched"][0]).exists()


def test_one_of_the_tasks_that_run_together_can_be_taken_back(start, queue):
    tasks, memory = queue
    gate, begun = threading.Event(), threading.Event()
    ids = accepted(tasks, "The ferry sails at nine", "Taken back in time", "The lighthouse is red")
    daemon = start(opener=slow_memory(gate, begun))
    assert begun.wait(30)
    lane = daemon.host.primary.lane
    asyncio.run_coroutine_threadsafe(lane.cancel(tasks.get(ids[1])), daemon.loop).result(30)
    gate.set()
    with daemon.client() as client:
        done = [client.wait(task) for task in ids]
    assert [task.status.value for task in done] == ["completed", "failed", "completed"]
    assert done[1].failure.code == "remember_cancelled"
    assert [run.detail["task"] for run in memory.log()] == [ids[2], ids[0]]


def test_tasks_that_run_together_and_wrote_nothing_are_put_back_when_the_daemon_stops(start, queue):
    tasks, memory = queue
    gate, begun = threading.Event(), threading.Event()

    def impatient(host):
        host.grace_seconds = 0.0

    ids = accepted(tasks, "The ferry sails at nine", "The lighthouse is red")
    daemon = start(opener=slow_memory(gate, begun), before=impatient)
    assert begun.wait(30)
    daemon.stop()
    assert [tasks.get(task).status for task in ids] == [TaskStatus.QUEUED] * 2
    assert [tasks.get(task).attempts for task in ids] == [0, 0]
    gate.set()
    again = start()
    with again.client() as client:
        assert [client.wait(task).status for task in ids] == [TaskStatus.COMPLETED] * 2
    assert len(memory.log()) == 2


def test_of_tasks_that_ran_together_when_the_daemon_died_none_is_done_twice(start, queue):
    tasks, memory = queue
    ids = accepted(tasks, "The ferry sails at nine", "The lighthouse is red", "The keeper is Ida")
    first, *_ = tasks.start_together(8)
    memory.store.endorse = Permit(first).endorse  # and then the daemon was killed
    memory.remember("The ferry sails at nine", clean=True)
    memory.store.endorse = lambda run: run
    daemon = start()
    with daemon.client() as client:
        assert [client.wait(task).status for task in ids] == [TaskStatus.COMPLETED] * 3
    assert [run.detail["task"] for run in memory.log()] == ids[::-1]
    assert [tasks.get(task).attempts for task in ids] == [1, 2, 2]


def test_where_a_model_is_asked_each_task_runs_alone(start, queue):
    tasks, _ = queue
    gate, begun = threading.Event(), threading.Event()
    ids = accepted(tasks, "The ferry sails at nine", "The lighthouse is red")
    settings = {"model.name": "ollama:none-such", "model.url": "http://127.0.0.1:9"}
    start(opener=slow_memory(gate, begun), settings=settings)
    assert begun.wait(30)
    assert [tasks.get(task).status.value for task in ids] == ["running", "queued"]
    gate.set()


def test_tasks_that_cannot_hold_the_lock_of_writers_together_each_say_so(start, queue):
    tasks, memory = queue
    ids = accepted(tasks, "The ferry sails at nine", "The lighthouse is red")
    with memory.store.writing("something long"):
        daemon = start(settings={"memory.lock_wait_seconds": 0.01})
        with daemon.client() as client:
            done = [client.wait(task) for task in ids]
    assert [task.failure.code for task in done] == [Locked.code] * 2
    with daemon.client() as client:
        again = client.remember("The keeper is Ida")
        assert client.wait(again.id).status is TaskStatus.COMPLETED


def test_where_the_memory_cannot_be_opened_each_task_is_told_by_itself(daemon, monkeypatch):
    def full():
        raise DiskFull("the disk is full")

    hosted = daemon.host.primary
    assert hosted.writes_alone()
    monkeypatch.setattr(hosted.shared, "lend", full)
    assert not hosted.writes_alone()
