"""The daemon's queue on the disk: an accepted task survives a crash, and so do its clients.

Rules
- A task is on the disk before it is acknowledged; the rules of the lane decide, this file records.
- The text of a task is kept only until the task is over, and is overwritten then.
- An idempotency key gives the task it made the first time; for another request it is an error.
- A file that cannot be read is kept aside with the time, and a new one begun.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from reverie.core.tasks import lane_rules
from reverie.core.tasks.lane_rules import TaskHead
from reverie.core.tasks.rows import COLUMNS, fingerprint, known_moment, read_row, stamp, to_row
from reverie.errors import DiskFull, KeyReused, ReadOnly, StoreError, TaskNotFound
from reverie.local.disk.os_errors import explained
from reverie.local.disk.sqlite_file import as_text
from reverie.local.tasks.task_file import move_aside, open_as_it_stands, open_file
from reverie.types import Task, TaskKind, TaskStatus
from reverie.types.tasks import Session, Signal

if TYPE_CHECKING:
    from reverie.types import TaskFailure
    from reverie.types.tasks import LaneLimits

_SEEN_EVERY = timedelta(hours=1)
_KINDS = frozenset(kind.value for kind in TaskKind)
_STATES = frozenset(state.value for state in TaskStatus)
"""How stale the last-seen time of a session may be; a write at every request would cost too much."""


class TaskDb:
    """The tasks and clients of one workspace, in a file shared by all workspaces of a base folder."""

    def __init__(
        self,
        path: Path,
        *,
        workspace: str,
        clock: Callable[[], datetime],
        limits: LaneLimits,
        wait: float = 10.0,
    ) -> None:
        self.path = path
        self.workspace = workspace
        self.limits = limits
        self.set_aside: Path | None = None
        """Where an unreadable file was moved to, if it was."""
        self._clock = clock
        self._guard = threading.RLock()
        self._wait = wait
        self._unwritable: StoreError | None = None
        self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        """Open the file; where it cannot be written, as it stands, so that tasks can be looked at."""
        self._unwritable = None
        try:
            try:
                with explained(self.path):
                    return open_file(self.path, self._wait)
            except sqlite3.DatabaseError:
                with explained(self.path):
                    self.set_aside = move_aside(self.path, self._clock())
                    return open_file(self.path, self._wait)
        except (ReadOnly, DiskFull) as error:
            self._unwritable = error
            return open_as_it_stands(self.path)

    def close(self) -> None:
        with self._guard:
            self._db.close()

    @contextmanager
    def _using(self, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        # One connection, one user at a time: the calls are short, the transactions never mix.
        with self._guard, self._checked():
            if not writing:
                yield self._db
                return
            if self._unwritable:  # perhaps it can be written by now
                self._db.close()
                self._db = self._open()
            if self._unwritable:
                raise self._unwritable
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # a broken file has nothing to take back
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Name errors; a file that turns out to be damaged is kept aside, and a new one begun."""
        try:
            with explained(self.path):
                yield
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError):
                raise
            self._db.close()
            self.set_aside = move_aside(self.path, self._clock())
            self._db = self._open()
            raise StoreError(
                f"{self.path} was damaged ({error}). It was kept as {self.set_aside} and a new one"
                " was started; tasks that were waiting have to be sent again.",
                path=str(self.set_aside),
            ) from error

    # --- tasks ------------------------------------------------------------------------------------

    def accept(
        self, kind: TaskKind, payload: Mapping[str, Any], *, client: str = "", key: str = ""
    ) -> tuple[Task, bool]:
        """Queue a task durably; return it, and whether it is new (False: the key's earlier task)."""
        wanted = json.dumps({"kind": kind.value, **payload}, ensure_ascii=True, sort_keys=True)
        with self._using(writing=True) as db:
            if key:
                earlier = self._by_key(db, client, key, wanted)
                if earlier is not None:
                    return earlier, False
            heads = [
                TaskHead(task, TaskKind(what), TaskStatus(status))
                for task, what, status in db.execute(
                    "SELECT id, kind, status FROM task WHERE workspace = ? ORDER BY seq",
                    (self.workspace,),
                )
                if what in _KINDS and status in _STATES
            ]
            for gone in lane_rules.admit(kind, heads, self.limits):
                db.execute("DELETE FROM task WHERE id = ?", (gone,))
            now = self._clock()
            task = Task(
                f"{kind.value}-{uuid4()}",
                kind,
                TaskStatus.QUEUED,
                now,
                now,
                client=client,
                payload=payload,
            )
            db.execute(
                f"INSERT INTO task (workspace, key, fingerprint, {COLUMNS})"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self.workspace,
                    key,
                    fingerprint(wanted, salt=secrets.token_hex(8)) if key else "",
                    *to_row(task),
                ),
            )
        return task, True

    def _by_key(self, db: sqlite3.Connection, client: str, key: str, wanted: str) -> Task | None:
        row = db.execute(
            f"SELECT fingerprint, {COLUMNS} FROM task"
            " WHERE workspace = ? AND client = ? AND key = ?",
            (self.workspace, client, key),
        ).fetchone()
        if row is None:
            return None
        if row[0] != fingerprint(wanted, salt=str(row[0])):
            raise KeyReused(
                f"the idempotency key {key!r} was used for another request; use a new key"
            )
        return read_row(row[1:])

    def get(self, task: str) -> Task | None:
        """Return one task of this workspace."""
        with self._using() as db:
            row = db.execute(
                f"SELECT {COLUMNS} FROM task WHERE workspace = ? AND id = ?",
                (self.workspace, task),
            ).fetchone()
        return read_row(row) if row else None

    def tasks(self, *, limit: int | None = None, waiting: bool = False) -> list[Task]:
        """Return the newest `limit` tasks (or only those that are not over), oldest first."""
        only = " AND status IN ('queued', 'running')" if waiting else ""
        with self._using() as db:
            rows = db.execute(
                f"SELECT * FROM (SELECT seq, {COLUMNS} FROM task WHERE workspace = ?{only}"
                " ORDER BY seq DESC LIMIT ?) ORDER BY seq",
                (self.workspace, -1 if limit is None else limit),
            ).fetchall()
        return [task for row in rows if (task := read_row(row[1:]))]

    def start_next(self) -> Task | None:
        """Mark the next task as running and return it, or None when none may start."""
        if lane_rules.next_up(self.tasks(waiting=True)) is None:
            return None  # found out without writing, which may not be possible
        with self._using(writing=True) as db:
            chosen = lane_rules.next_up(self.tasks(waiting=True))
            if chosen is None:
                return None
            return self._save(db, lane_rules.step(chosen, Signal.START, now=self._clock()))

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
            known = self.get(task)
            if known is None:
                raise TaskNotFound(f"there is no task {task!r}", task=task)
            after = lane_rules.step(
                known, signal, now=self._clock(), result=result, failure=failure
            )
            return self._save(db, after)

    def cancel(self, task: str, why: TaskFailure) -> Task:
        """Take a task back, or raise `TaskOver` when it is over."""
        return self.settle(task, Signal.FAIL, failure=why)

    def counts(self) -> dict[str, int]:
        """Return how many tasks there are in each state."""
        with self._using() as db:
            rows = db.execute(
                "SELECT status, count(*) FROM task WHERE workspace = ? GROUP BY status",
                (self.workspace,),
            ).fetchall()
        return {status.value: dict(rows).get(status.value, 0) for status in TaskStatus}

    def _save(self, db: sqlite3.Connection, task: Task) -> Task:
        db.execute(
            "UPDATE task SET status = ?, updated = ?, payload = ?, result = ?, failure = ?,"
            " attempts = ? WHERE id = ?",
            (*to_row(task)[2:3], *to_row(task)[5:], task.id),
        )
        return task

    # --- clients ----------------------------------------------------------------------------------

    def open_session(self, client: str = "") -> Session:
        """Open an event channel; its client id is the given one, or a new one."""
        now = self._clock()
        with self._using(writing=True) as db:
            attached = bool(client) and self._known(db, client)
            session = Session(str(uuid4()), client or f"client-{uuid4()}", now, attached)
            when = stamp(now)
            db.execute(
                "INSERT INTO session (id, workspace, client, created, seen) VALUES (?, ?, ?, ?, ?)",
                (session.id, self.workspace, session.client, when, when),
            )
            db.execute(
                "DELETE FROM session WHERE workspace = ? AND id IN (SELECT id FROM session"
                " WHERE workspace = ? AND id <> ? ORDER BY seen DESC LIMIT -1 OFFSET ?)",
                (self.workspace, self.workspace, session.id, self.limits.sessions - 1),
            )
        return session

    def session(self, session: str) -> Session | None:
        """Return an open session."""
        with self._using() as db:
            row = db.execute(
                "SELECT id, client, created FROM session WHERE workspace = ? AND id = ?",
                (self.workspace, session),
            ).fetchone()
        created = known_moment(row[2]) if row else None
        return Session(row[0], as_text(row[1]), created) if created else None

    def knows(self, client: str) -> bool:
        """Say whether a client id is registered, and note that it was seen."""
        now = self._clock()
        with self._using() as db:
            row = db.execute(
                "SELECT max(seen) FROM session WHERE workspace = ? AND client = ?",
                (self.workspace, client),
            ).fetchone()
        if row[0] is None:
            return False
        seen = known_moment(row[0])
        if seen is None or now - seen > _SEEN_EVERY:
            with self._using(writing=True) as db:
                db.execute(
                    "UPDATE session SET seen = ? WHERE workspace = ? AND client = ?",
                    (stamp(now), self.workspace, client),
                )
        return True

    def close_session(self, session: str) -> bool:
        """Close a session; say whether there was one."""
        with self._using(writing=True) as db:
            done = db.execute(
                "DELETE FROM session WHERE workspace = ? AND id = ?", (self.workspace, session)
            )
            return done.rowcount > 0

    def _known(self, db: sqlite3.Connection, client: str) -> bool:
        row = db.execute(
            "SELECT 1 FROM session WHERE workspace = ? AND client = ? LIMIT 1",
            (self.workspace, client),
        ).fetchone()
        return row is not None
