"""When background jobs are due, and what they remember."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.layers import jobs
from reverie.core.layers.jobs import JobState, after_run, due
from reverie.types import Problem

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
CONSOLIDATE, EXTRACT, VERIFY = jobs.JOBS
FRESH = JobState(looked_at=NOW)


def test_the_documents_jobs_have_their_numbers() -> None:
    assert [(j.name, j.min_dirty, j.schedule, j.max_turns) for j in jobs.JOBS] == [
        ("working_memory.consolidate", 6, ("0 4 * * *",), 16),
        ("semantic_memory.extract", 12, ("0 5 * * *",), 32),
        ("verification_review", 8, ("0 3 * * *", "0 15 * * *"), 24),
    ]


@pytest.mark.parametrize(("head", "cause"), [(0, None), (5, None), (6, "state"), (60, "state")])
def test_enough_new_turns_make_a_job_due(head: int, cause: str | None) -> None:
    assert due(CONSOLIDATE, FRESH, head=head, now=NOW) == cause


def test_at_the_start_the_same_rule_counts_and_names_its_cause() -> None:
    assert due(CONSOLIDATE, FRESH, head=6, now=NOW, startup=True) == "startup"
    assert due(CONSOLIDATE, FRESH, head=5, now=NOW, startup=True) is None
    assert due(EXTRACT, FRESH, head=12, now=NOW, startup=True) == "state"


def test_a_failed_job_waits_until_the_history_moves_on() -> None:
    failed = after_run(FRESH, outcome="failed", cause="state", reached=6, head=6, now=NOW)

    assert (failed.checkpoint, failed.failures, failed.last_status) == (0, 1, "failed")
    assert due(CONSOLIDATE, failed, head=6, now=NOW) is None
    assert due(CONSOLIDATE, failed, head=7, now=NOW) == "state"


def test_success_advances_the_checkpoint_and_forgets_failures() -> None:
    done = after_run(
        replace(FRESH, failures=3), outcome="done", cause="state", reached=6, head=6, now=NOW
    )

    assert (done.checkpoint, done.failures) == (6, 0)
    assert due(CONSOLIDATE, done, head=11, now=NOW) is None
    assert due(CONSOLIDATE, done, head=12, now=NOW) == "state"


def test_a_checkpoint_never_goes_back() -> None:
    """A run that read old turns again, or one that another process overtook."""
    ahead = replace(FRESH, checkpoint=12)
    done = after_run(ahead, outcome="done", cause="manual", reached=6, head=12, now=NOW)

    assert done.checkpoint == 12
    assert (
        after_run(ahead, outcome="noop", cause="manual", reached=0, head=12, now=NOW).checkpoint
        == 12
    )


def test_a_bounded_run_that_left_turns_unread_is_due_again_at_once() -> None:
    part = after_run(FRESH, outcome="done", cause="state", reached=16, head=40, now=NOW)

    assert due(CONSOLIDATE, part, head=40, now=NOW) == "state"


def test_a_missed_schedule_is_due_once() -> None:
    late = NOW + timedelta(days=9)
    assert due(VERIFY, FRESH, head=0, now=NOW + timedelta(hours=2)) is None
    assert due(VERIFY, FRESH, head=0, now=NOW + timedelta(hours=3)) == "schedule"
    assert due(VERIFY, FRESH, head=0, now=late) == "schedule"

    ran = after_run(FRESH, outcome="noop", cause="schedule", reached=0, head=0, now=late)
    assert due(VERIFY, ran, head=0, now=late + timedelta(minutes=1)) is None
    assert due(VERIFY, ran, head=0, now=late + timedelta(hours=3)) == "schedule"


def test_a_run_for_another_reason_does_not_put_the_schedule_off() -> None:
    ran = after_run(
        FRESH, outcome="done", cause="manual", reached=3, head=3, now=NOW + timedelta(hours=2)
    )

    assert due(VERIFY, ran, head=3, now=NOW + timedelta(hours=3)) == "schedule"


def test_nothing_is_overdue_at_the_first_look_or_after_a_wrong_clock() -> None:
    assert jobs.first_look(JobState(), NOW).looked_at == NOW
    assert jobs.first_look(JobState(looked_at=NOW - timedelta(days=400)), NOW).looked_at < NOW  # type: ignore[operator]
    assert jobs.first_look(JobState(looked_at=NOW + timedelta(days=400)), NOW).looked_at == NOW


def test_a_job_that_is_switched_off_is_never_due() -> None:
    off = replace(CONSOLIDATE, enabled=False)

    assert due(off, FRESH, head=99, now=NOW + timedelta(days=9)) is None
    assert jobs.next_time(off, NOW) is None


def test_the_next_time_is_the_earliest_of_the_schedule() -> None:
    assert jobs.next_time(VERIFY, NOW) == datetime(2026, 5, 1, 15, tzinfo=UTC)
    assert jobs.next_time(CONSOLIDATE, NOW) == datetime(2026, 5, 2, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "good"),
    [("0 4 * * *", True), ("*/15 0-6,12 1,15 * 1-5", True), ("0 4 * *", False), ("99 4 * * *", False),
     ("@daily", False), ("0 0 30 2 *", False), ("", False)],
)  # fmt: skip
def test_schedules_are_cron_expressions_of_five_fields(line: str, good: bool) -> None:
    assert jobs.is_schedule(line) == good


def test_the_owner_changes_rules_in_a_file_and_mistakes_are_reported() -> None:
    problems: list[Problem] = []
    record: dict[str, Any] = {
        "min_dirty": 2, "max_turns": "many", "schedule": "0 1 * * *", "enabled": False, "note": 1,
    }  # fmt: skip

    job = jobs.with_triggers(EXTRACT, record, problems)

    assert (job.min_dirty, job.max_turns, job.schedule, job.enabled) == (
        2,
        32,
        ("0 1 * * *",),
        False,
    )
    assert len(problems) == 1
    assert "'many'" in problems[0].message
    bad = {"min_dirty": 0, "schedule": ["0 1 * * *", "soon"], "enabled": "no"}
    assert jobs.with_triggers(EXTRACT, bad, problems) == EXTRACT
    assert len(problems) == 4


states = st.builds(
    JobState,
    checkpoint=st.integers(0, 10**6),
    seen_head=st.integers(0, 10**6),
    looked_at=st.none() | st.datetimes(datetime(2000, 1, 1), timezones=st.just(UTC)),
    last_run_at=st.none() | st.datetimes(datetime(2000, 1, 1), timezones=st.just(UTC)),
    last_status=st.sampled_from(["", "done", "failed"]),
    failures=st.integers(0, 9),
)


@given(states, st.integers(0, 10**6))
def test_a_state_survives_its_file(state: JobState, head: int) -> None:
    record = jobs.write_state({"mine": 1}, state, head=head)

    assert jobs.read_state(record) == state
    assert record["mine"] == 1
    assert (record["dirty_since_seq"] is None) == (head <= state.checkpoint)


def test_an_odd_state_file_gives_defaults() -> None:
    assert (
        jobs.read_state({"checkpoint_seq": "x", "failures": -1, "looked_at": 3.5e300}) == JobState()
    )


def test_run_records_lie_by_day_and_time() -> None:
    at = datetime(2026, 5, 1, 4, 0, 3, 7000, tzinfo=UTC)

    assert (
        jobs.run_file(jobs.EXTRACT, at)
        == "cognition/runs/2026/05/01/040003.007-semantic_memory_extract.json"
    )


def test_summaries_are_cut_visibly() -> None:
    assert jobs.short("a\nb") == "a b"
    assert len(jobs.short("x" * 500)) == 200
    assert jobs.short("x" * 500).endswith("…")
