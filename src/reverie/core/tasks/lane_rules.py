"""The lane: what may be queued, what runs next, what becomes of a task, and who may see it.

Rules
- One task runs at a time; the others wait in the order in which they were accepted. Remember tasks that wait
  behind one another may be started together and are still done in their order. One that was interrupted
  before runs alone, so that no other is taken for what kills the process.
- States change only along `TRANSITIONS`; whatever is not in that table is a mistake of the caller.
- At most `pending` tasks wait or run, and at most `pending_other` of them may be forget or dream, so
  that remembering is never starved.
- At most `records` are kept; only tasks that are over are dropped, the oldest first.
- A task that was running when the process died is completed from the journal if its run is there,
  else started again: a run is written whole or not at all, so nothing was done yet. A task that was
  interrupted `attempts` times is failed, for it may be what kills the process.
- Waiting for a lock, a connection, room on a disk or an orderly restart is no interruption: the task
  is put back as if it had not begun.
- A task is written down before it runs, so no secret is in what is queued.
- A task with a client id is visible to that client only, one without to everyone with the token.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.core.runs.planning import without_secrets
from reverie.core.secrets.scanner import redact
from reverie.errors import (
    Conflict,
    NotAllowed,
    PathEscape,
    QueueFull,
    ReverieError,
    SecretRefused,
    TaskOver,
    TaskStopped,
)
from reverie.types import TaskFailure, TaskKind, TaskStatus
from reverie.types.tasks import LaneLimits, Signal

if TYPE_CHECKING:
    from reverie.config import SecretSettings
    from reverie.types import Task

MAX_TEXT_BYTES = 65_536
"""Largest content or query, in UTF-8 bytes after trimming; the limit itself is allowed."""
BACKSTOP_SECONDS = 5.0
"""How much later than a task's own deadline the lane stops waiting for it."""
_DETAIL_CHARS = 1000
_TEXTS = ("content", "query")
"""The parts of a task that somebody worded."""


TRANSITIONS: Mapping[tuple[TaskStatus, Signal], TaskStatus] = {
    (TaskStatus.QUEUED, Signal.START): TaskStatus.RUNNING,
    (TaskStatus.QUEUED, Signal.FAIL): TaskStatus.FAILED,
    (TaskStatus.RUNNING, Signal.COMPLETE): TaskStatus.COMPLETED,
    (TaskStatus.RUNNING, Signal.FAIL): TaskStatus.FAILED,
    (TaskStatus.RUNNING, Signal.REQUEUE): TaskStatus.QUEUED,
    (TaskStatus.RUNNING, Signal.POSTPONE): TaskStatus.QUEUED,
}


_COUNTED: Mapping[Signal, int] = {Signal.START: 1, Signal.POSTPONE: -1}
"""How a signal changes the count of attempts: one that was cut short by others was none."""


class TaskHead(NamedTuple):
    """As much of a record as the rules of admission need."""

    id: str
    kind: TaskKind
    status: TaskStatus


def admit(kind: TaskKind, heads: Iterable[TaskHead], limits: LaneLimits) -> tuple[str, ...]:
    """Return the ids to drop so that a new task fits, or raise `QueueFull`.

    `heads` are all records in the order in which they were accepted.
    """
    known = list(heads)
    waiting = [head for head in known if not _over(head.status)]
    if len(waiting) >= limits.pending:
        raise QueueFull(
            f"{len(waiting)} tasks are waiting already, the limit is {limits.pending}; try again when"
            " one is over",
            pending=len(waiting),
            limit=limits.pending,
        )
    if kind is not TaskKind.REMEMBER:
        others = sum(head.kind is not TaskKind.REMEMBER for head in waiting)
        if others >= limits.pending_other:
            raise QueueFull(
                f"{others} forget and dream tasks are waiting already, the limit is"
                f" {limits.pending_other}; try again when one is over",
                pending=others,
                limit=limits.pending_other,
            )
    over = [head.id for head in known if _over(head.status)]
    return surplus(over, kept=len(known) + 1, most=limits.records)


def surplus(over: Sequence[str], *, kept: int, most: int) -> tuple[str, ...]:
    """Return which records go when so many are kept: those that are over, the oldest first."""
    return tuple(over[: max(0, kept - most)])


def storable(
    kind: TaskKind, payload: Mapping[str, Any], policy: SecretSettings
) -> Mapping[str, Any]:
    """Return what a task says as it may be written down, or raise `SecretRefused`."""
    try:
        clean = {key: without_secrets(payload[key], policy)[0] for key in _TEXTS if key in payload}
    except SecretRefused as refused:
        if kind is not TaskKind.FORGET:
            raise
        # Whoever forgets a secret has it at hand; the advice is another one.
        raise SecretRefused(
            f"the query holds what looks like a secret ({refused.evidence['rules'][0]}), and a"
            " queued query is written down, so it was not taken. Describe the memory without the"
            " secret, or forget at once: `POST /workspace/forget` and `reverie forget` write no"
            " query down.",
            **refused.evidence,
        ) from None
    return {**payload, **clean}


def next_up(tasks: Sequence[Task]) -> Task | None:
    """Return the task to start now, if any; `tasks` are in the order of acceptance."""
    if any(task.status is TaskStatus.RUNNING for task in tasks):
        return None
    return next((task for task in tasks if task.status is TaskStatus.QUEUED), None)


def next_together(tasks: Sequence[Task], *, most: int) -> list[Task]:
    """Return the tasks to start now, at most so many; `tasks` are in the order of acceptance."""
    first = next_up(tasks)
    if first is None:
        return []
    queued = (task for task in tasks if task.status is TaskStatus.QUEUED)
    together = list(islice(takewhile(_may_share, queued), most))
    return together or [first]


def _may_share(task: Task) -> bool:
    return task.kind is TaskKind.REMEMBER and not task.attempts


def step(
    task: Task,
    signal: Signal,
    *,
    now: datetime,
    result: Mapping[str, Any] | None = None,
    failure: TaskFailure | None = None,
) -> Task:
    """Return the task after a signal, or raise `TaskOver` when it cannot take it."""
    after = TRANSITIONS.get((task.status, signal))
    if after is None:
        raise TaskOver(
            f"task {task.id} is {task.status.value}, so it cannot {signal.value}", task=task.id
        )
    return replace(
        task,
        status=after,
        updated=max(now, task.updated),
        attempts=task.attempts + _COUNTED.get(signal, 0),
        result=result if after is TaskStatus.COMPLETED else None,
        failure=failure if after is TaskStatus.FAILED else None,
        payload=_without_text(task.payload) if _over(after) else task.payload,
    )


def after_crash(task: Task, *, applied: bool, limits: LaneLimits) -> Signal:
    """Say what becomes of a task that was running when the process died."""
    if applied:
        return Signal.COMPLETE
    return Signal.FAIL if task.attempts >= limits.attempts else Signal.REQUEUE


def visible(task: Task, *, client: str) -> bool:
    """Say whether a caller may know of a task."""
    return not task.client or task.client == client


def failure_of(kind: TaskKind, error: BaseException) -> TaskFailure:
    """Name a task's failure: the document's codes, and our own where they say more."""
    failure = _failure(kind, error)
    # It is written down, and an error may quote what it was given.
    return replace(failure, message=redact(failure.message)[0])


def _failure(kind: TaskKind, error: BaseException) -> TaskFailure:
    if isinstance(error, PathEscape) and kind is TaskKind.REMEMBER:
        return TaskFailure(
            "remember_path_escape", "Remember agent touched a path outside managed memory."
        )
    if isinstance(error, TaskStopped):
        return TaskFailure(f"{kind.value}_failed", str(error))
    if isinstance(error, NotAllowed | Conflict):
        return TaskFailure(error.code, str(error))
    if isinstance(error, ReverieError):
        return TaskFailure(f"{kind.value}_failed", str(error)[:_DETAIL_CHARS], error.code)
    # A mistake of ours: its text may hold the user's words, so only its name is told.
    return TaskFailure(
        f"{kind.value}_failed", f"the {kind.value} task failed unexpectedly", type(error).__name__
    )


def interrupted(task: Task) -> TaskFailure:
    """Say why a task is given up after several crashes."""
    return TaskFailure(
        f"{task.kind.value}_failed",
        f"the daemon stopped {task.attempts} times while this task ran, so it is not tried again;"
        " nothing was written by it",
        "interrupted",
    )


def cancelled(kind: TaskKind) -> TaskFailure:
    """Say that a client took its task back."""
    return TaskFailure(f"{kind.value}_cancelled", "the task was cancelled; nothing was written")


def timed_out(kind: TaskKind, seconds: float) -> TaskFailure:
    """Say that a task took too long."""
    return TaskFailure(
        f"{kind.value}_failed",
        f"the task did not finish within {seconds:g} s; nothing was written",
        "timeout",
    )


def _over(status: TaskStatus) -> bool:
    return status in (TaskStatus.COMPLETED, TaskStatus.FAILED)


def _without_text(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key not in _TEXTS}
