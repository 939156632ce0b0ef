"""Manager: learning in the background, for hosts that embed the library.

Not the daemon's lane: nothing here is promised to a client, so nothing is written down (ADR 7).

Rules
- One extraction and one dream run at a time. While an extraction runs, a session's next request
  waits in one place: a newer one takes it, because it holds everything the older one held.
- A task is `pending`, `running`, and then `completed`, `failed`, `cancelled` or `skipped` with a
  reason. Records are bounded: the oldest finished ones go.
- Listeners are told after the state has changed and outside of the lock, one record after the other
  in the order of the changes; one that raises harms neither the work nor the others.
- `drain` waits for the listeners too: what a task did is told before nothing is left to do.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, Literal, TypeAlias

from reverie.core.tasks.lane_rules import surplus
from reverie.errors import ReverieError, TaskNotFound
from reverie.ports import Learner
from reverie.types import Dreamed, Extracted, Skipped
from reverie.types.tasks import LaneLimits

JobKind: TypeAlias = Literal["extract", "dream"]
JobStatus: TypeAlias = Literal["pending", "running", "completed", "failed", "cancelled", "skipped"]
Outcome: TypeAlias = Extracted | Dreamed | Skipped

MAX_WAITING = LaneLimits().pending
"""Sessions that may wait for one extraction."""
_OVER: frozenset[JobStatus] = frozenset({"completed", "failed", "cancelled", "skipped"})


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One background task as it stands."""

    id: str
    kind: JobKind
    session: str
    status: JobStatus
    created: datetime
    updated: datetime
    reason: str = ""
    """Why it was skipped, or waits."""
    error: str = ""
    notice: str = ""
    """A few words that a host can show."""
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class ManagerStatus:
    """What is going on."""

    extracting: bool
    waiting: int
    dreaming: bool
    counts: Mapping[str, int]
    """How many records are kept in each state."""


Listener: TypeAlias = Callable[[TaskRecord], None]


@dataclass(slots=True)
class _Job:
    """What a task needs to run."""

    record: str
    kind: JobKind
    run: Callable[[Callable[[], bool]], Outcome]
    stop: threading.Event = field(default_factory=threading.Event)


class Manager:
    """Runs a memory's extract and dream in background threads."""

    def __init__(
        self, learner: Learner, *, clock: Callable[[], datetime], max_records: int = 200
    ) -> None:
        self._learner = learner
        self._clock = clock
        self._max_records = max(max_records, 1)
        self._numbers = itertools.count(1)
        self._state = threading.Condition()
        self._records: dict[str, TaskRecord] = {}
        self._running: dict[JobKind, _Job] = {}
        self._waiting: dict[str, _Job] = {}
        self._listeners: dict[int, tuple[Listener, JobKind | None]] = {}
        self._steps: deque[Callable[[], None]] = deque()
        """Records to tell of and threads to start, in the order in which they came up."""
        self._teller: int | None = None
        """The thread that does these steps now."""
        self._closed = False

    # --- asking -----------------------------------------------------------------------------------

    def schedule_extract(self, messages: Sequence[object], *, session: str) -> TaskRecord:
        """Learn from a conversation in the background; while one is read, the request waits."""
        told = tuple(messages)

        def run(cancelled: Callable[[], bool]) -> Outcome:
            return self._learner.extract(told, session=session, cancelled=cancelled, moment="turn")

        with self._state:
            if self._closed:
                return self._refused("extract", session, "closed")
            if "extract" not in self._running:
                record = self._begin(_Job("", "extract", run), session)
            elif session in self._waiting:
                waiting = self._waiting[session]
                self._waiting[session] = replace(waiting, run=run)
                return self._update(waiting.record, reason="queued")
            elif len(self._waiting) >= MAX_WAITING:
                return self._refused("extract", session, "already_running")
            else:
                record = self._record("extract", session, "pending", reason="queued")
                self._waiting[session] = _Job(record.id, "extract", run)
                self._steps.append(partial(self._tell, record))
        self._go_on()
        return record

    def schedule_dream(self, *, session: str = "", force: bool = False) -> TaskRecord:
        """Dream in the background if it is due; a dream that runs already is returned."""

        def run(cancelled: Callable[[], bool]) -> Outcome:
            return self._learner.dream(session=session, force=force, cancelled=cancelled)

        with self._state:
            if self._closed:
                return self._refused("dream", session, "closed")
            if "dream" in self._running:
                return replace(self._records[self._running["dream"].record], reason="running")
            record = self._begin(_Job("", "dream", run), session)
        self._go_on()
        return record

    def cancel(self, task: str) -> bool:
        """Call a task off; False when it is over. A running one stops before it writes."""
        with self._state:
            if task not in self._records:
                raise TaskNotFound(f"there is no task {task!r}")
            waiting = next((s for s, job in self._waiting.items() if job.record == task), None)
            if waiting is None:
                job = next((job for job in self._running.values() if job.record == task), None)
                if job is not None:
                    job.stop.set()
                return job is not None
            del self._waiting[waiting]
            record = self._update(task, status="cancelled", reason="cancelled")
            self._steps.append(partial(self._tell, record))
        self._go_on()
        return True

    # --- looking ----------------------------------------------------------------------------------

    def tasks(self, kind: JobKind | None = None) -> list[TaskRecord]:
        """Return the kept records, newest first."""
        with self._state:
            found = [item for item in self._records.values() if kind in (None, item.kind)]
        return found[::-1]

    def task(self, task: str) -> TaskRecord:
        """Return one record."""
        with self._state:
            if task not in self._records:
                raise TaskNotFound(f"there is no task {task!r}")
            return self._records[task]

    def status(self) -> ManagerStatus:
        """Say what is going on."""
        with self._state:
            counts: dict[str, int] = {}
            for record in self._records.values():
                counts[record.status] = counts.get(record.status, 0) + 1
            return ManagerStatus(
                extracting="extract" in self._running,
                waiting=len(self._waiting),
                dreaming="dream" in self._running,
                counts=counts,
            )

    def subscribe(self, listener: Listener, *, kind: JobKind | None = None) -> Callable[[], None]:
        """Call `listener` with each record that changes; return the way to stop that."""
        with self._state:
            number = next(self._numbers)
            self._listeners[number] = (listener, kind)

        def unsubscribe() -> None:
            with self._state:
                self._listeners.pop(number, None)

        return unsubscribe

    def drain(self, timeout: float) -> bool:
        """Wait until nothing runs or waits and all is told; False when `timeout` was not enough."""
        deadline = time.monotonic() + timeout
        with self._state:
            return self._state.wait_for(self._at_rest, max(0.0, deadline - time.monotonic()))

    def close(self, timeout: float = 0.0) -> bool:
        """Take no more work, call off what waits, and wait for what runs."""
        with self._state:
            self._closed = True
            for job in self._waiting.values():
                record = self._update(job.record, status="cancelled", reason="cancelled")
                self._steps.append(partial(self._tell, record))
            self._waiting.clear()
        self._go_on()
        return self.drain(timeout)

    # --- working ----------------------------------------------------------------------------------

    def _begin(self, job: _Job, session: str) -> TaskRecord:
        """Note that a job runs; the lock is held, and its thread starts when that was told."""
        notice = "dreaming" if job.kind == "dream" else ""
        if not job.record:
            job = replace(job, record=self._record(job.kind, session, "running").id)
        record = self._update(job.record, status="running", notice=notice)
        self._running[job.kind] = job
        name = f"reverie-{job.kind}"
        thread = threading.Thread(target=self._work, args=(job,), name=name, daemon=True)
        self._steps += (partial(self._tell, record), thread.start)
        return record

    def _go_on(self) -> None:
        """Do the steps that came up, unless a thread is at it: that one does ours in their turn."""
        with self._state:
            if self._teller is not None:
                return
            self._teller = threading.get_ident()
        self._do_steps()

    def _do_steps(self) -> None:
        try:
            while (step := self._next_step()) is not None:
                step()
        except BaseException:
            self._do_steps()  # a listener that raises harms no other
            raise

    def _next_step(self) -> Callable[[], None] | None:
        with self._state:
            if self._steps:
                return self._steps.popleft()
            self._teller = None
            self._state.notify_all()
            return None

    def _at_rest(self) -> bool:
        """Say whether nothing is left to do; the lock is held. A listener does not wait for itself."""
        telling = self._teller not in (None, threading.get_ident())
        return not (self._running or self._waiting or telling)

    def _work(self, job: _Job) -> None:
        try:
            outcome = job.run(job.stop.is_set)
        except ReverieError as error:
            self._finish(job, status="failed", reason=error.code, error=str(error))
        except BaseException as error:
            self._finish(
                job, status="failed", reason="error", error=f"{type(error).__name__}: {error}"
            )
            raise
        else:
            status, reason = _ending(outcome)
            self._finish(
                job, status=status, reason=reason, notice=notice_of(outcome), outcome=outcome
            )

    def _finish(self, job: _Job, **changes: Any) -> None:
        with self._state:
            record = self._update(job.record, **changes)
            self._steps.append(partial(self._tell, record))
            del self._running[job.kind]
            if job.kind == "extract" and self._waiting:
                session = next(iter(self._waiting))
                self._begin(self._waiting.pop(session), session)
        self._go_on()

    def _refused(self, kind: JobKind, session: str, reason: str) -> TaskRecord:
        return self._record(kind, session, "skipped", reason=reason)

    def _record(
        self, kind: JobKind, session: str, status: JobStatus, *, reason: str = ""
    ) -> TaskRecord:
        now = self._clock()
        record = TaskRecord(
            f"{kind}-{next(self._numbers)}", kind, session, status, now, now, reason
        )
        self._records[record.id] = record
        over = [item.id for item in self._records.values() if item.status in _OVER]
        for name in surplus(over, kept=len(self._records), most=self._max_records):
            del self._records[name]
        return record

    def _update(self, task: str, **changes: Any) -> TaskRecord:
        """Replace a record; what was said of its last state is not said of the new one."""
        silent = {"reason": "", "error": "", "notice": "", "outcome": None}
        record = replace(self._records[task], updated=self._clock(), **{**silent, **changes})
        self._records[task] = record
        return record

    def _tell(self, record: TaskRecord) -> None:
        with self._state:
            listeners = list(self._listeners.values())
        with ExitStack() as stack:  # runs them all, and lets the last error through
            for listener, kind in reversed(listeners):
                if kind in (None, record.kind):
                    stack.callback(listener, record)


def notice_of(outcome: Outcome) -> str:
    """Say in a few words what a task did, for a host to show; nothing when it did nothing."""
    match outcome:
        case Extracted():
            changed = sum(patch.action in ("added", "superseded") for patch in outcome.patches)
            return f"saved {_memories(changed)}" if changed and not outcome.dry_run else ""
        case Dreamed():
            return f"tidied {_memories(len(outcome.ops))}" if outcome.run else ""
        case Skipped():
            return ""


def _memories(count: int) -> str:
    return f"{count} {'memory' if count == 1 else 'memories'}"


def _ending(outcome: Outcome) -> tuple[JobStatus, str]:
    if not isinstance(outcome, Skipped):
        return "completed", ""
    return ("cancelled" if outcome.reason == "cancelled" else "skipped"), outcome.reason
