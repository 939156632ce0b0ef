"""Tasks of the daemon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class TaskKind(StrEnum):
    """What a queued task does."""

    REMEMBER = "remember"
    FORGET = "forget"
    DREAM = "dream"


class TaskStatus(StrEnum):
    """Where a task stands; the last two are final."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TaskFailure:
    """Why a task failed: a stable code, a sentence, and more for whoever looks closer."""

    code: str
    message: str
    details: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One accepted request of the daemon's lane."""

    id: str
    kind: TaskKind
    status: TaskStatus
    created: datetime
    updated: datetime
    client: str = ""
    """Who may see it; empty means everyone with the token."""
    payload: Mapping[str, Any] = field(default_factory=dict)
    """What was asked; its text is dropped when the task is over."""
    result: Mapping[str, Any] | None = None
    failure: TaskFailure | None = None
    attempts: int = 0
    """How often it was started; more than once only after a crash."""

    @property
    def over(self) -> bool:
        """True when nothing will change any more."""
        return self.status in (TaskStatus.COMPLETED, TaskStatus.FAILED)


@dataclass(frozen=True, slots=True)
class News:
    """What readers of events are told of a write, beside what it touched."""

    source: str
    client: str
    """Who asked for it."""
    in_passing: bool = True
    """Whether it may be written without taking a lane that nobody has."""


class Signal(StrEnum):
    """What can happen to a task."""

    START = "start"
    COMPLETE = "complete"
    FAIL = "fail"
    REQUEUE = "requeue"
    """It runs again after a crash; that counts, for it may be what kills the process."""
    POSTPONE = "postpone"
    """It runs again because something else was in its way; that does not count."""


@dataclass(frozen=True, slots=True)
class LaneLimits:
    """How much a lane holds."""

    pending: int = 16
    pending_other: int = 8
    records: int = 1000
    attempts: int = 3
    sessions: int = 1000
    """Event channels that are remembered; those seen last stay."""


@dataclass(frozen=True, slots=True)
class Session:
    """An event channel and the client id that came with it."""

    id: str
    client: str
    created: datetime
    attached: bool = False
    """True when the client id was known before."""
