"""The rules of the lane, and a model of it that hypothesis drives."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from reverie.core.tasks import lane_rules
from reverie.core.tasks.lane_rules import TRANSITIONS, TaskHead
from reverie.errors import DiskFull, PathEscape, QueueFull, SecretRefused, TaskOver, TaskStopped
from reverie.types import Task, TaskFailure, TaskKind, TaskStatus
from reverie.types.tasks import LaneLimits, Signal

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
WHY = TaskFailure("remember_failed", "because")


def task(status=TaskStatus.QUEUED, kind=TaskKind.REMEMBER, **more) -> Task:
    given = {"payload": {"content": "secret words", "contextMode": "clean"}, **more}
    return Task(f"{kind.value}-1", kind, status, NOON, NOON, **given)


def heads(*kinds: TaskKind, status=TaskStatus.QUEUED, start=0) -> list[TaskHead]:
    return [TaskHead(f"t{start + n}", kind, status) for n, kind in enumerate(kinds)]


def test_sixteen_tasks_may_wait_and_the_seventeenth_is_refused():
    limits = LaneLimits()
    waiting = heads(*[TaskKind.REMEMBER] * 15)
    assert lane_rules.admit(TaskKind.REMEMBER, waiting, limits) == ()
    waiting.append(TaskHead("running", TaskKind.DREAM, TaskStatus.RUNNING))
    with pytest.raises(QueueFull) as caught:
        lane_rules.admit(TaskKind.REMEMBER, waiting, limits)
    assert caught.value.code == "remember_queue_full"
    assert caught.value.status == 429


def test_forget_and_dream_together_take_half_of_the_queue_so_remember_is_never_starved():
    limits = LaneLimits()
    waiting = heads(*[TaskKind.FORGET, TaskKind.DREAM] * 4)
    for kind in (TaskKind.FORGET, TaskKind.DREAM):
        with pytest.raises(QueueFull):
            lane_rules.admit(kind, waiting, limits)
    assert lane_rules.admit(TaskKind.REMEMBER, waiting, limits) == ()


def test_remember_tasks_in_a_row_may_start_together_but_not_one_that_was_interrupted():
    first, second = task(), task()
    other, again = task(kind=TaskKind.FORGET), task(attempts=1)
    assert lane_rules.next_together([first, second, other, task()], most=8) == [first, second]
    assert lane_rules.next_together([first, second], most=1) == [first]
    assert lane_rules.next_together([first, again], most=8) == [first]
    assert lane_rules.next_together([again, first], most=8) == [again]
    assert lane_rules.next_together([other, first], most=8) == [other]
    assert lane_rules.next_together([task(TaskStatus.RUNNING), first], most=8) == []


def test_tasks_that_are_over_do_not_count_as_waiting():
    over = heads(*[TaskKind.DREAM] * 50, status=TaskStatus.COMPLETED)
    assert lane_rules.admit(TaskKind.DREAM, over, LaneLimits()) == ()


def test_the_oldest_finished_records_make_room_and_pending_ones_never_do():
    limits = LaneLimits(records=4)
    known = [
        TaskHead("waiting", TaskKind.REMEMBER, TaskStatus.QUEUED),
        TaskHead("old", TaskKind.REMEMBER, TaskStatus.FAILED),
        TaskHead("newer", TaskKind.REMEMBER, TaskStatus.COMPLETED),
        TaskHead("running", TaskKind.REMEMBER, TaskStatus.RUNNING),
    ]
    assert lane_rules.admit(TaskKind.REMEMBER, known, limits) == ("old",)
    assert lane_rules.admit(TaskKind.REMEMBER, known, replace(limits, records=3)) == (
        "old",
        "newer",
    )
    assert lane_rules.admit(TaskKind.REMEMBER, known, replace(limits, records=1)) == (
        "old",
        "newer",
    )


def test_the_first_waiting_task_is_next_and_none_while_one_runs():
    first, second = task(), replace(task(), id="remember-2")
    assert lane_rules.next_up([first, second]) == first
    assert lane_rules.next_up([replace(first, status=TaskStatus.RUNNING), second]) is None
    assert lane_rules.next_up([]) is None


@pytest.mark.parametrize("status", TaskStatus)
@pytest.mark.parametrize("signal", Signal)
def test_states_change_along_the_table_and_nowhere_else(status, signal):
    before = task(status)
    if (status, signal) in TRANSITIONS:
        after = lane_rules.step(before, signal, now=NOON, result={"a": 1}, failure=WHY)
        assert after.status is TRANSITIONS[status, signal]
        assert (after.result is not None) == (after.status is TaskStatus.COMPLETED)
        assert (after.failure is not None) == (after.status is TaskStatus.FAILED)
    else:
        with pytest.raises(TaskOver):
            lane_rules.step(before, signal, now=NOON)


def test_a_task_that_is_over_keeps_its_modes_but_not_its_text():
    running = lane_rules.step(task(), Signal.START, now=NOON)
    assert running.payload["content"] == "secret words"
    over = lane_rules.step(running, Signal.COMPLETE, now=NOON, result={})
    assert over.payload == {"contextMode": "clean"}


def test_time_never_runs_backwards_in_a_record():
    later = lane_rules.step(task(), Signal.START, now=NOON - timedelta(hours=1))
    assert later.updated == NOON


def test_after_a_crash_a_written_task_is_complete_another_runs_again_and_a_killer_is_given_up():
    limits = LaneLimits(attempts=3)
    running = task(TaskStatus.RUNNING, attempts=1)
    assert lane_rules.after_crash(running, applied=True, limits=limits) is Signal.COMPLETE
    assert lane_rules.after_crash(running, applied=False, limits=limits) is Signal.REQUEUE
    killer = replace(running, attempts=3)
    assert lane_rules.after_crash(killer, applied=False, limits=limits) is Signal.FAIL
    assert lane_rules.after_crash(killer, applied=True, limits=limits) is Signal.COMPLETE
    assert "3 times" in lane_rules.interrupted(killer).message


@pytest.mark.parametrize(
    ("owner", "caller", "seen"),
    [("", "", True), ("", "x", True), ("x", "x", True), ("x", "", False), ("x", "y", False)],
)
def test_a_task_with_a_client_is_that_clients_own_and_one_without_is_everyones(owner, caller, seen):
    assert lane_rules.visible(task(client=owner), client=caller) is seen


@pytest.mark.parametrize(
    ("kind", "error", "code", "details"),
    [
        (TaskKind.REMEMBER, PathEscape("x"), "remember_path_escape", ""),
        (TaskKind.FORGET, PathEscape("x"), "path_escape", ""),
        (TaskKind.REMEMBER, SecretRefused("x"), "secret_refused", ""),
        (TaskKind.DREAM, DiskFull("x"), "dream_failed", "disk_full"),
        (TaskKind.FORGET, TaskStopped("too late"), "forget_failed", ""),
        (TaskKind.REMEMBER, KeyError("the user's words"), "remember_failed", "KeyError"),
    ],
)
def test_failures_have_the_documents_codes_and_ours_where_they_say_more(kind, error, code, details):
    failure = lane_rules.failure_of(kind, error)
    assert (failure.code, failure.details) == (code, details)
    assert "the user's words" not in failure.message


def test_the_reasons_of_the_lane_itself_name_the_kind():
    assert lane_rules.cancelled(TaskKind.DREAM).code == "dream_cancelled"
    assert lane_rules.timed_out(TaskKind.FORGET, 295).code == "forget_failed"
    assert "295 s" in lane_rules.timed_out(TaskKind.FORGET, 295).message


class LaneMachine(RuleBasedStateMachine):
    """Any order of requests, starts, ends and crashes keeps the promises of the lane."""

    limits = LaneLimits(pending=4, pending_other=2, records=8, attempts=2)

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[Task] = []
        self.accepted: list[str] = []
        self.started: list[str] = []
        self.ended: set[str] = set()

    @rule(kind=st.sampled_from(TaskKind))
    def accept(self, kind: TaskKind) -> None:
        known = [TaskHead(item.id, item.kind, item.status) for item in self.tasks]
        waiting = [item for item in self.tasks if not item.over]
        try:
            gone = lane_rules.admit(kind, known, self.limits)
        except QueueFull:
            others = [item for item in waiting if item.kind is not TaskKind.REMEMBER]
            assert len(waiting) == 4 or (kind is not TaskKind.REMEMBER and len(others) == 2)
            return
        assert not {item.id for item in waiting} & set(gone)
        self.tasks = [item for item in self.tasks if item.id not in gone]
        new = f"{kind.value}-{len(self.accepted)}"
        self.accepted.append(new)
        self.tasks.append(Task(new, kind, TaskStatus.QUEUED, NOON, NOON))

    @rule()
    def start(self) -> None:
        chosen = lane_rules.next_up(self.tasks)
        if chosen is not None:
            self.change(chosen, Signal.START)
            if chosen.id not in self.started:
                self.started.append(chosen.id)

    @precondition(lambda self: self.running())
    @rule(good=st.booleans())
    def end(self, good: bool) -> None:
        chosen = self.running()
        self.change(chosen, Signal.COMPLETE if good else Signal.FAIL)
        self.ended.add(chosen.id)

    @precondition(lambda self: self.running())
    @rule(applied=st.booleans())
    def crash(self, applied: bool) -> None:
        chosen = self.running()
        signal = lane_rules.after_crash(chosen, applied=applied, limits=self.limits)
        self.change(chosen, signal)
        if signal is not Signal.REQUEUE:
            self.ended.add(chosen.id)

    @precondition(lambda self: self.running())
    @rule()
    def find_something_in_the_way(self) -> None:
        chosen = self.running()
        self.change(chosen, Signal.POSTPONE)
        again = next(item for item in self.tasks if item.id == chosen.id)
        assert (again.status, again.attempts) == (TaskStatus.QUEUED, chosen.attempts - 1)

    def running(self) -> Task | None:
        return next((item for item in self.tasks if item.status is TaskStatus.RUNNING), None)

    def change(self, chosen: Task, signal: Signal) -> None:
        place = self.tasks.index(chosen)
        self.tasks[place] = lane_rules.step(chosen, signal, now=NOON, result={}, failure=WHY)

    @invariant()
    def at_most_one_runs(self) -> None:
        assert sum(item.status is TaskStatus.RUNNING for item in self.tasks) <= 1

    @invariant()
    def they_start_in_the_order_in_which_they_came(self) -> None:
        assert self.started == self.accepted[: len(self.started)]

    @invariant()
    def nothing_accepted_is_lost(self) -> None:
        waiting = {item.id for item in self.tasks if not item.over}
        assert waiting | self.ended == set(self.accepted)

    @invariant()
    def the_lane_is_bounded(self) -> None:
        assert len(self.tasks) <= self.limits.records
        assert sum(not item.over for item in self.tasks) <= self.limits.pending


TestLaneMachine = LaneMachine.TestCase


@given(st.lists(st.sampled_from(TaskStatus), max_size=30), st.sampled_from(TaskKind))
def test_admission_never_drops_more_than_needed(states, kind):
    limits = LaneLimits(pending=100, pending_other=100, records=10)
    known = [TaskHead(str(n), TaskKind.REMEMBER, status) for n, status in enumerate(states)]
    over = [head.id for head in known if head.status in (TaskStatus.COMPLETED, TaskStatus.FAILED)]
    gone = lane_rules.admit(kind, known, limits)
    assert list(gone) == over[: max(0, len(known) + 1 - 10)]
