"""A queue above whatever tables keep it: what every engine decides alike about tasks and clients.

Rules
- A task is kept before it is acknowledged; the rules of the lane decide, the engine records.
- An idempotency key gives the task it made the first time; for another request it is an error.
- When a client was last seen is noted at most once an hour: a write at every request would cost too much.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from reverie.core.tasks import lane_rules
from reverie.core.tasks.rows import fingerprint, known_moment, stamp
from reverie.errors import KeyReused, TaskNotFound
from reverie.types import Task, TaskKind, TaskStatus
from reverie.types.tasks import Session, Signal

if TYPE_CHECKING:
    from reverie.core.tasks.lane_rules import TaskHead
    from reverie.types import TaskFailure
    from reverie.types.tasks import LaneLimits

_SEEN_EVERY: Final = timedelta(hours=1)

Db = TypeVar("Db")
"""The connection of an engine, inside a transaction where something is written."""


class RowQueue(ABC, Generic[Db]):
    """The tasks and clients of one workspace; an engine adds its statements."""

    def __init__(
        self,
        *,
        clock: Callable[[], datetime],
        limits: LaneLimits,
        unique: Callable[[], str],
    ) -> None:
        self.limits = limits
        self._clock = clock
        self._unique = unique
        """Makes names that nobody had before and nobody can guess."""

    # --- what an engine does ----------------------------------------------------------------------

    @abstractmethod
    def _using(self, *, writing: bool = False) -> AbstractContextManager[Db]:
        """Give the connection; what is written is there at the end of the block, or not at all."""

    def _hold(self, db: Db) -> None:
        """Keep others from adding tasks until the block ends, where writing alone does not."""

    def _check_lane(self, db: Db, task: str) -> None:
        """Raise `TaskOver` when another daemon has the task by now; one machine's queue has only one."""

    def _check_unwritten(self, db: Db, task: str) -> None:
        """Raise `TaskOver` when a task has written its result and just does not say so yet."""

    @abstractmethod
    def _by_key(self, db: Db, client: str, key: str) -> tuple[str, Task | None] | None:
        """Return the fingerprint and the task of a key, if it was used."""

    @abstractmethod
    def _heads(self, db: Db) -> Iterable[TaskHead]:
        """Return every task in the order of acceptance."""

    @abstractmethod
    def _insert(self, db: Db, task: Task, *, key: str, fingerprint: str) -> None: ...

    @abstractmethod
    def _delete(self, db: Db, task: str) -> None: ...

    @abstractmethod
    def _save(self, db: Db, task: Task) -> Task:
        """Replace a task."""

    @abstractmethod
    def _task(self, db: Db, task: str, *, hold: bool = False) -> Task | None:
        """Return a task; `hold` keeps others from changing it."""

    @abstractmethod
    def _listed(self, db: Db, *, limit: int | None = None, waiting: bool = False) -> list[Task]: ...

    @abstractmethod
    def _by_status(self, db: Db) -> Iterable[tuple[str, int]]: ...

    @abstractmethod
    def _insert_session(self, db: Db, session: Session, when: str) -> None: ...

    @abstractmethod
    def _drop_sessions(self, db: Db, *, but: str, kept: int) -> None:
        """Forget all sessions but one and those of the others that were seen last."""

    @abstractmethod
    def _session(self, db: Db, session: str) -> tuple[str, str, str] | None:
        """Return a session's id, its client, and since when it is open."""

    @abstractmethod
    def _seen(self, db: Db, client: str) -> str | None:
        """Return when a client was last seen."""

    @abstractmethod
    def _note_seen(self, db: Db, client: str, when: str) -> None: ...

    # --- tasks ------------------------------------------------------------------------------------

    def accept(
        self, kind: TaskKind, payload: Mapping[str, Any], *, client: str = "", key: str = ""
    ) -> tuple[Task, bool]:
        """Queue a task durably; return it, and whether it is new (False: the key's earlier task)."""
        wanted = json.dumps({"kind": kind.value, **payload}, ensure_ascii=True, sort_keys=True)
        with self._using(writing=True) as db:
            self._hold(db)
            earlier = self._earlier(db, client, key, wanted) if key else None
            if earlier is not None:
                return earlier, False
            for gone in lane_rules.admit(kind, self._heads(db), self.limits):
                self._delete(db, gone)
            now = self._clock()
            task = Task(
                f"{kind.value}-{self._unique()}",
                kind,
                TaskStatus.QUEUED,
                now,
                now,
                client=client,
                payload=payload,
            )
            salted = fingerprint(wanted, salt=self._unique()) if key else ""
            self._insert(db, task, key=key, fingerprint=salted)
        return task, True

    def _earlier(self, db: Db, client: str, key: str, wanted: str) -> Task | None:
        found = self._by_key(db, client, key)
        if found is None:
            return None
        if found[0] != fingerprint(wanted, salt=found[0]):
            raise KeyReused(
                f"the idempotency key {key!r} was used for another request; use a new key"
            )
        return found[1]

    def get(self, task: str) -> Task | None:
        """Return one task of this workspace."""
        with self._using() as db:
            return self._task(db, task)

    def tasks(self, *, limit: int | None = None, waiting: bool = False) -> list[Task]:
        """Return the newest `limit` tasks (or only those that are not over), oldest first."""
        with self._using() as db:
            return self._listed(db, limit=limit, waiting=waiting)

    def counts(self) -> dict[str, int]:
        """Return how many tasks there are in each state."""
        with self._using() as db:
            found = dict(self._by_status(db))
        return {status.value: found.get(status.value, 0) for status in TaskStatus}

    def start_next(self) -> Task | None:
        """Mark the next task as running and return it, or None when none may start."""
        started = self.start_together(1)
        return started[0] if started else None

    @abstractmethod
    def start_together(self, most: int) -> list[Task]:
        """Mark the next task as running, and those that may run with it; return them in order."""

    def _begin(self, db: Db, waiting: Sequence[Task], *, most: int = 1) -> list[Task]:
        """Mark the next of the tasks that wait as running, if one may be."""
        now = self._clock()
        return [
            self._save(db, lane_rules.step(task, Signal.START, now=now))
            for task in lane_rules.next_together(waiting, most=most)
        ]

    def settle(
        self,
        task: str,
        signal: Signal,
        *,
        result: Mapping[str, Any] | None = None,
        failure: TaskFailure | None = None,
    ) -> Task:
        """Record what became of a task."""
        with self._using(writing=True) as db:
            self._check_lane(db, task)
            return self._step(db, task, signal, result=result, failure=failure)

    def cancel(self, task: str, why: TaskFailure) -> Task:
        """Take a task back, or raise `TaskOver` when it is over."""
        with self._using(writing=True) as db:
            self._check_unwritten(db, task)
            return self._step(db, task, Signal.FAIL, failure=why)

    def _step(
        self,
        db: Db,
        task: str,
        signal: Signal,
        *,
        result: Mapping[str, Any] | None = None,
        failure: TaskFailure | None = None,
    ) -> Task:
        known = self._task(db, task, hold=True)
        if known is None:
            raise TaskNotFound(f"there is no task {task!r}", task=task)
        after = lane_rules.step(known, signal, now=self._clock(), result=result, failure=failure)
        return self._save(db, after)

    # --- clients ----------------------------------------------------------------------------------

    def open_session(self, client: str = "") -> Session:
        """Open an event channel; its client id is the given one, or a new one."""
        now = self._clock()
        with self._using(writing=True) as db:
            attached = bool(client) and self._seen(db, client) is not None
            session = Session(self._unique(), client or f"client-{self._unique()}", now, attached)
            self._insert_session(db, session, stamp(now))
            self._drop_sessions(db, but=session.id, kept=self.limits.sessions - 1)
        return session

    def session(self, session: str) -> Session | None:
        """Return an open session."""
        with self._using() as db:
            found = self._session(db, session)
        created = known_moment(found[2]) if found else None
        return Session(found[0], found[1], created) if found and created else None

    def knows(self, client: str) -> bool:
        """Say whether a client id is registered, and note that it was seen."""
        now = self._clock()
        with self._using() as db:
            when = self._seen(db, client)
        if when is None:
            return False
        seen = known_moment(when)
        if seen is None or now - seen > _SEEN_EVERY:
            with self._using(writing=True) as db:
                self._note_seen(db, client, stamp(now))
        return True
