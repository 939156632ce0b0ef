"""Work in the background: the queue of a workspace, and who learns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from reverie.types import (
        Dreamed,
        Extracted,
        Moment,
        Skipped,
        Task,
        TaskFailure,
        TaskKind,
    )
    from reverie.types.tasks import LaneLimits, Session, Signal


class Queue(Protocol):
    """The tasks and clients of one workspace; the rules of the lane decide what it records."""

    limits: LaneLimits

    def accept(
        self, kind: TaskKind, payload: Mapping[str, Any], *, client: str = "", key: str = ""
    ) -> tuple[Task, bool]:
        """Queue a task durably; return it, and whether it is new (False: the key's earlier task)."""
        ...

    def get(self, task: str) -> Task | None: ...

    def tasks(self, *, limit: int | None = None, waiting: bool = False) -> list[Task]:
        """Return the newest tasks, oldest first."""
        ...

    def start_next(self) -> Task | None:
        """Mark the next task as running and return it, or None when none may start."""
        ...

    def start_together(self, most: int) -> list[Task]:
        """Mark the next task as running, and those that may run with it; return them in order."""
        ...

    def settle(
        self,
        task: str,
        signal: Signal,
        *,
        result: Mapping[str, Any] | None = None,
        failure: TaskFailure | None = None,
    ) -> Task:
        """Record what became of a task."""
        ...

    def cancel(self, task: str, why: TaskFailure) -> Task:
        """Take a task back, or raise `TaskOver`."""
        ...

    def counts(self) -> dict[str, int]: ...

    def open_session(self, client: str = "") -> Session: ...

    def session(self, session: str) -> Session | None: ...

    def knows(self, client: str) -> bool: ...

    def close_session(self, session: str) -> bool: ...

    def close(self) -> None: ...


class Learner(Protocol):
    """What the manager runs: a `Memory`."""

    def extract(
        self,
        messages: Sequence[object],
        *,
        session: str,
        cancelled: Callable[[], bool],
        moment: Moment,
    ) -> Extracted | Skipped: ...

    def dream(
        self, *, session: str, force: bool, cancelled: Callable[[], bool]
    ) -> Dreamed | Skipped: ...
