"""Background jobs: which there are, when each is due, and what is known about its last run.

Rules
- A job is due when enough turns are new (its state rule), or when a time of its schedule has passed.
  A schedule that was missed for days is due once, not once per day.
- The state rule fires again only after the history has moved past what the last run saw, so a job
  that fails does not spin.
- The checkpoint advances only when a run succeeds.
- Schedules are cron expressions in UTC, read by a library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from reverie.core.history.turns import read_time, write_time
from reverie.types import Problem

Cause: TypeAlias = Literal["startup", "schedule", "state", "manual"]
RunOutcome: TypeAlias = Literal["done", "noop", "failed"]

CONSOLIDATE: Final = "working_memory.consolidate"
EXTRACT: Final = "semantic_memory.extract"
VERIFY: Final = "verification_review"

SUMMARY_CHARS: Final = 200
_KEPT_RUNS: Final = 1000


@dataclass(frozen=True, slots=True)
class Job:
    """One background job and its rules."""

    name: str
    about: str
    min_dirty: int
    """So many new turns make it due."""
    schedule: tuple[str, ...]
    max_turns: int
    """So many turns are read by one run; the rest waits for the next."""
    at_startup: bool = False
    enabled: bool = True


JOBS: Final = (
    Job(CONSOLIDATE, "bring working memory up to date", 6, ("0 4 * * *",), 16, at_startup=True),
    Job(EXTRACT, "keep what was learnt for good", 12, ("0 5 * * *",), 32),
    Job(VERIFY, "look for what no longer fits", 8, ("0 3 * * *", "0 15 * * *"), 24),
)


@dataclass(frozen=True, slots=True)
class JobState:
    """What a job remembers between runs."""

    checkpoint: int = 0
    """The last turn a successful run covered."""
    seen_head: int = 0
    """The head of the history when it last ran, however that went."""
    looked_at: datetime | None = None
    """From when on its schedule counts: when it was first looked at, or last ran by schedule."""
    last_run_at: datetime | None = None
    last_status: str = ""
    failures: int = 0
    """Failed runs since the last success."""
    read_again: tuple[str, ...] = ()
    """Undone runs whose turns were read again because somebody asked for it."""


def file_name(job: str) -> str:
    """Return the name of a job's files."""
    return job.replace(".", "_") + ".json"


def state_file(job: str) -> str:
    """Return where a job's state lies in the tree."""
    return f"cognition/state/{file_name(job)}"


def trigger_file(job: str) -> str:
    """Return where the owner may change a job's rules."""
    return f"cognition/triggers/jobs/{file_name(job)}"


def run_file(job: str, started: datetime) -> str:
    """Return where the record of a run lies."""
    at = started.astimezone(UTC)
    day = f"{at.year:04d}/{at:%m/%d}"
    return f"cognition/runs/{day}/{at:%H%M%S}.{at.microsecond // 1000:03d}-{file_name(job)}"


def read_state(record: Mapping[str, Any]) -> JobState:
    """Read a state file; what is missing or odd has its default."""

    def number(key: str) -> int:
        value = record.get(key)
        return value if type(value) is int and value > 0 else 0

    status, again = record.get("last_status"), record.get("read_again")
    return JobState(
        checkpoint=number("checkpoint_seq"),
        seen_head=number("seen_head_seq"),
        looked_at=read_time(record.get("looked_at")),
        last_run_at=read_time(record.get("last_run_at")),
        last_status=status if isinstance(status, str) else "",
        failures=number("failures"),
        read_again=tuple(map(str, again)) if isinstance(again, list) else (),
    )


def write_state(record: Mapping[str, Any], state: JobState, *, head: int) -> dict[str, Any]:
    """Write a state over what the file held; unknown keys stay."""
    dirty = state.checkpoint + 1 if head > state.checkpoint else None
    return {
        **record,
        "checkpoint_seq": state.checkpoint,
        "seen_head_seq": state.seen_head,
        "dirty_since_seq": dirty,
        "looked_at": write_time(state.looked_at) if state.looked_at else None,
        "last_run_at": write_time(state.last_run_at) if state.last_run_at else None,
        "last_status": state.last_status,
        "failures": state.failures,
        **({"read_again": list(state.read_again[-_KEPT_RUNS:])} if state.read_again else {}),
    }


def with_triggers(job: Job, record: Mapping[str, Any], problems: list[Problem]) -> Job:
    """Apply the owner's changes to a job's rules; what cannot be used is reported."""

    def bad(key: str) -> None:
        what = f"{trigger_file(job.name)}: {key} is {record[key]!r}, so the default applies"
        problems.append(Problem("bad_trigger", what, path=trigger_file(job.name)))

    for key in ("min_dirty", "max_turns"):
        value = record.get(key, 1)
        if type(value) is not int or not 1 <= value <= 1000:
            bad(key)
        elif key in record:
            job = (
                replace(job, min_dirty=value)
                if key == "min_dirty"
                else replace(job, max_turns=value)
            )
    if "enabled" in record:
        if isinstance(record["enabled"], bool):
            job = replace(job, enabled=record["enabled"])
        else:
            bad("enabled")
    if "schedule" in record:
        given = record["schedule"]
        lines = [given] if isinstance(given, str) else given
        if isinstance(lines, list) and all(isinstance(x, str) and is_schedule(x) for x in lines):
            job = replace(job, schedule=tuple(lines))
        else:
            bad("schedule")
    return job


# --- when -----------------------------------------------------------------------------------------


def due(
    job: Job, state: JobState, *, head: int, now: datetime, startup: bool = False
) -> Cause | None:
    """Return why a job is due now, or None."""
    if not job.enabled:
        return None
    if state.looked_at and any(_next(line, state.looked_at) <= now for line in job.schedule):
        return "schedule"
    moved = head > max(state.seen_head, state.checkpoint)
    if moved and head - state.checkpoint >= job.min_dirty:
        return "startup" if startup and job.at_startup else "state"
    return None


def first_look(state: JobState, now: datetime) -> JobState:
    """Begin the schedule of a job that was never looked at; nothing is overdue then."""
    if state.looked_at and state.looked_at <= now + timedelta(days=1):
        return state
    return replace(state, looked_at=now)  # also when a clock was wrong by more than a day


def next_time(job: Job, now: datetime) -> datetime | None:
    """Return the next time of a job's schedule."""
    return min((_next(line, now) for line in job.schedule), default=None) if job.enabled else None


def is_schedule(line: str) -> bool:
    """Say whether a line is a cron expression of five fields."""
    from cronsim import CronSim, CronSimError

    if len(line.split()) != 5:
        return False
    try:
        next(CronSim(line, datetime(2026, 1, 1)))
    except (CronSimError, StopIteration):
        return False
    return True


def _next(line: str, after: datetime) -> datetime:
    from cronsim import CronSim

    moment = after.astimezone(UTC).replace(tzinfo=None)
    found = next(CronSim(line, moment), datetime.max)
    return found.replace(tzinfo=UTC)


# --- after a run ----------------------------------------------------------------------------------


def after_run(
    state: JobState, *, outcome: RunOutcome, cause: Cause, reached: int, head: int, now: datetime
) -> JobState:
    """Return the state after a run that read turns up to `reached`."""
    ok = outcome != "failed"
    return replace(
        state,
        checkpoint=max(state.checkpoint, reached) if ok else state.checkpoint,
        # A run that left turns unread because it is bounded is due again without a new turn.
        seen_head=head if not ok or reached >= head else min(head, reached),
        looked_at=now if cause == "schedule" else state.looked_at,
        last_run_at=now,
        last_status=outcome,
        failures=0 if ok else state.failures + 1,
    )


def short(text: str) -> str:
    """Cut a summary to the length that a run record keeps."""
    line = " ".join(text.split())
    return line if len(line) <= SUMMARY_CHARS else line[: SUMMARY_CHARS - 1] + "…"
