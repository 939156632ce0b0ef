"""The manager: background learning, one at a time, with bounded records and short notices."""

from __future__ import annotations

import threading

import pytest

from reverie.errors import ReadOnly, TaskNotFound
from reverie.manager import MAX_WAITING, Manager
from reverie.types import Dreamed, Extracted, Kind, MergeOp, Patch, Skipped

WAIT = 20.0


class Learner:
    """A memory whose work takes as long as the test wants."""

    def __init__(self):
        self.go = threading.Semaphore(0)
        self.begun = threading.Semaphore(0)
        self.read: list[tuple[str, tuple[object, ...]]] = []
        self.outcome = Extracted(patches=(Patch(Kind.USER, "x", action="added"),))
        self.dreamt = Dreamed()
        self.error: BaseException | None = None

    def _work(self, cancelled):
        self.begun.release()
        assert self.go.acquire(timeout=WAIT)
        if self.error is not None:
            raise self.error
        return Skipped("cancelled") if cancelled() else None

    def extract(self, messages, *, session, cancelled, moment):
        assert moment == "turn"
        self.read.append((session, tuple(messages)))
        return self._work(cancelled) or self.outcome

    def dream(self, *, cancelled, **_):
        return self._work(cancelled) or self.dreamt

    def allow(self, times=1):
        self.go.release(times)

    def wait_begun(self):
        assert self.begun.acquire(timeout=WAIT)


def join_threads():
    """Wait for what a manager started; other tests may have left threads of their own behind."""
    for thread in threading.enumerate():
        if thread.name in ("reverie-extract", "reverie-dream"):
            thread.join(WAIT)


@pytest.fixture
def learner():
    return Learner()


@pytest.fixture
def manager(learner, clock):
    made = Manager(learner, clock=clock, max_records=10)
    yield made
    learner.allow(100)
    assert made.close(WAIT)
    join_threads()


def test_an_extraction_runs_in_the_background_and_tells_what_it_saved(manager, learner):
    record = manager.schedule_extract(["m1"], session="s1")
    assert record.status == "running"
    assert manager.status().extracting
    learner.allow()
    assert manager.drain(WAIT)
    done = manager.task(record.id)
    assert (done.status, done.notice, done.outcome) == (
        "completed",
        "saved 1 memory",
        learner.outcome,
    )
    assert not manager.status().extracting


def test_one_request_waits_and_a_newer_one_takes_its_place(manager, learner):
    manager.schedule_extract(["m1"], session="s1")
    learner.wait_begun()
    second = manager.schedule_extract(["m1", "m2"], session="s1")
    third = manager.schedule_extract(["m1", "m2", "m3"], session="s1")
    assert (second.status, second.reason) == ("pending", "queued")
    assert third.id == second.id, "no second place"
    assert manager.status().waiting == 1
    learner.allow(2)
    assert manager.drain(WAIT)
    assert learner.read == [("s1", ("m1",)), ("s1", ("m1", "m2", "m3"))]


def test_sessions_do_not_push_each_other_out(manager, learner):
    manager.schedule_extract(["a"], session="s1")
    learner.wait_begun()
    manager.schedule_extract(["b"], session="s2")
    manager.schedule_extract(["c"], session="s3")
    learner.allow(3)
    assert manager.drain(WAIT)
    assert [session for session, _ in learner.read] == ["s1", "s2", "s3"]


def test_when_too_many_wait_the_next_is_skipped(manager, learner):
    manager.schedule_extract(["a"], session="first")
    learner.wait_begun()
    for number in range(MAX_WAITING):
        manager.schedule_extract(["b"], session=f"s{number}")
    over = manager.schedule_extract(["c"], session="late")
    assert (over.status, over.reason) == ("skipped", "already_running")
    learner.allow(MAX_WAITING + 1)
    assert manager.drain(WAIT)


def test_a_dream_that_runs_is_returned_instead_of_a_second(manager, learner):
    first = manager.schedule_dream(session="s1")
    assert first.notice == "dreaming"
    assert manager.status().dreaming
    second = manager.schedule_dream(session="s2")
    assert (second.id, second.reason) == (first.id, "running")
    learner.dreamt = Dreamed(ops=(MergeOp(None, ()), MergeOp(None, ())), run="r1", paths=("/a",))
    learner.allow()
    assert manager.drain(WAIT)
    assert manager.task(first.id).notice == "tidied 2 memories"
    assert len(manager.tasks("dream")) == 1


def test_a_dream_that_is_not_due_is_a_skipped_task_with_its_reason(manager, learner):
    learner.dreamt = Skipped("min_hours")
    record = manager.schedule_dream()
    learner.allow()
    assert manager.drain(WAIT)
    done = manager.task(record.id)
    assert (done.status, done.reason, done.notice) == ("skipped", "min_hours", "")


def test_extract_and_dream_run_side_by_side(manager, learner):
    manager.schedule_extract(["a"], session="s1")
    manager.schedule_dream(session="s1")
    learner.wait_begun()
    learner.wait_begun()
    status = manager.status()
    assert (status.extracting, status.dreaming) == (True, True)


def test_a_failure_is_a_failed_task_and_the_next_one_runs(manager, learner):
    learner.error = ReadOnly("the folder cannot be written")
    first = manager.schedule_extract(["a"], session="s1")
    learner.wait_begun()
    manager.schedule_extract(["b"], session="s2")
    learner.allow()
    learner.wait_begun()
    learner.error = None
    learner.allow()
    assert manager.drain(WAIT)
    failed = manager.task(first.id)
    assert (failed.status, failed.reason) == ("failed", "read_only")
    assert "cannot be written" in failed.error
    assert [task.status for task in manager.tasks()] == ["completed", "failed"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_that_nobody_named_also_ends_the_task(manager, learner):
    learner.error = ZeroDivisionError("odd")
    record = manager.schedule_dream()
    learner.allow()
    assert manager.drain(WAIT)
    join_threads()  # its traceback is shown by the thread itself
    assert manager.task(record.id).error == "ZeroDivisionError: odd"


def test_a_waiting_task_can_be_cancelled_and_a_running_one_is_asked_to_stop(manager, learner):
    running = manager.schedule_extract(["a"], session="s1")
    learner.wait_begun()
    waiting = manager.schedule_extract(["b"], session="s2")
    assert manager.cancel(waiting.id)
    assert manager.cancel(running.id)
    learner.allow()
    assert manager.drain(WAIT)
    assert [manager.task(item.id).status for item in (running, waiting)] == ["cancelled"] * 2
    assert not manager.cancel(running.id), "it is over"
    assert [session for session, _ in learner.read] == ["s1"]
    with pytest.raises(TaskNotFound):
        manager.cancel("extract-99")
    with pytest.raises(TaskNotFound):
        manager.task("extract-99")


def test_drain_says_when_time_was_not_enough(manager, learner):
    manager.schedule_dream()
    assert not manager.drain(0.0)
    learner.allow()
    assert manager.drain(WAIT)


def test_drain_waits_for_the_listeners_too(manager, learner):
    telling, go = threading.Event(), threading.Event()
    heard = []

    def slow(record):
        if record.status == "completed":
            telling.set()
            assert go.wait(WAIT)
            heard.append(record.status)

    manager.subscribe(slow)
    manager.schedule_extract(["a"], session="s1")
    learner.allow()
    assert telling.wait(WAIT)
    assert not manager.status().extracting
    assert not manager.drain(0.0), "somebody is being told"
    go.set()
    assert manager.drain(WAIT)
    assert heard == ["completed"]


def test_a_listener_may_ask_for_more_and_drain_without_waiting_for_itself(manager, learner):
    order, drained = [], []

    def greedy(record):
        order.append((record.kind, record.status))
        if (record.kind, record.status) == ("extract", "completed"):
            drained.append(manager.drain(0.0))
            manager.schedule_dream()

    manager.subscribe(greedy)
    learner.allow(2)
    manager.schedule_extract(["a"], session="s1")
    join_threads()
    assert manager.drain(WAIT)
    assert drained == [True]
    assert order == [
        ("extract", "running"), ("extract", "completed"), ("dream", "running"), ("dream", "completed")
    ]  # fmt: skip


def test_states_are_told_in_their_order_whoever_tells_them(manager, learner):
    order = []
    first_told, go = threading.Event(), threading.Event()

    def slow(record):
        order.append((record.session, record.status))
        if record.status == "pending":
            first_told.set()
            assert go.wait(WAIT)

    manager.subscribe(slow)
    manager.schedule_extract(["a"], session="s1")
    learner.wait_begun()
    asking = threading.Thread(
        target=manager.schedule_extract, args=(["b"],), kwargs={"session": "s2"}
    )
    asking.start()
    assert first_told.wait(WAIT)
    learner.allow(2)
    go.set()
    asking.join(WAIT)
    assert manager.drain(WAIT)
    assert order == [
        ("s1", "running"), ("s2", "pending"), ("s1", "completed"), ("s2", "running"),
        ("s2", "completed"),
    ]  # fmt: skip


def test_closing_tells_what_it_called_off_even_when_records_are_few(learner, clock):
    manager = Manager(learner, clock=clock, max_records=1)
    heard = []
    manager.subscribe(lambda record: heard.append((record.session, record.status)))
    manager.schedule_extract(["a"], session="s1")
    learner.wait_begun()
    for session in ("s2", "s3"):
        manager.schedule_extract(["b"], session=session)
    learner.allow()
    assert manager.close(WAIT)
    assert ("s2", "cancelled") in heard
    assert ("s3", "cancelled") in heard


def test_records_are_bounded_oldest_finished_first(manager, learner):
    learner.allow(100)
    for number in range(25):
        manager.schedule_extract([number], session=f"s{number}")
        assert manager.drain(WAIT)
    kept = manager.tasks()
    assert len(kept) == 10
    assert kept[0].session == "s24"


def test_listeners_hear_every_change_of_their_kind_until_they_leave(manager, learner):
    heard, all_heard = [], []
    leave = manager.subscribe(lambda record: heard.append(record.status), kind="extract")
    manager.subscribe(lambda record: all_heard.append((record.kind, record.status)))
    learner.allow(3)
    manager.schedule_extract(["a"], session="s1")
    join_threads()
    manager.schedule_dream()
    join_threads()
    leave()
    manager.schedule_extract(["b"], session="s1")
    assert manager.drain(WAIT)
    join_threads()
    assert heard == ["running", "completed"]
    assert all_heard == [
        ("extract", "running"), ("extract", "completed"), ("dream", "running"), ("dream", "completed"),
        ("extract", "running"), ("extract", "completed"),
    ]  # fmt: skip


def test_a_listener_that_raises_harms_neither_the_work_nor_the_others(manager, learner):
    heard = threading.Event()

    def broken(record):
        if record.status == "running":
            raise RuntimeError("broken listener")

    manager.subscribe(broken)
    manager.subscribe(lambda _: heard.set())
    with pytest.raises(RuntimeError, match="broken listener"):
        manager.schedule_extract(["a"], session="s1")
    assert heard.is_set()
    learner.allow()
    assert manager.drain(WAIT)
    assert manager.tasks()[0].status == "completed"


def test_a_closed_manager_takes_no_work_and_calls_off_what_waits(learner, clock):
    manager = Manager(learner, clock=clock)
    manager.schedule_extract(["a"], session="s1")
    learner.wait_begun()
    waiting = manager.schedule_extract(["b"], session="s2")
    learner.allow()
    assert manager.close(WAIT)
    assert manager.task(waiting.id).status == "cancelled"
    assert manager.schedule_dream().reason == "closed"
    assert manager.schedule_extract(["c"], session="s3").reason == "closed"


def test_a_real_memory_learns_in_the_background(memory, clock):
    manager = Manager(memory, clock=clock)
    said = {"role": "user", "content": "I prefer tabs over spaces in Go code."}
    record = manager.schedule_extract([said], session="s1")
    dream = manager.schedule_dream(session="s1", force=True)
    assert manager.drain(WAIT)
    assert manager.task(record.id).notice == "saved 1 memory"
    assert manager.task(dream.id).status == "completed"
    assert len(memory.store.topics()) == 1
