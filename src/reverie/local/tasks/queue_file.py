"""The daemon's queue on the disk: an accepted task survives a crash, and so do its clients.

Rules
- A task is on the disk before it is acknowledged; `RowQueue` decides, this file records.
- The text of a task is kept only until the task is over, and is overwritten then.
- A file that cannot be read is kept aside with the time, and a new one begun.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from reverie.core.tasks import lane_rules
from reverie.core.tasks.lane_rules import TaskHead
from reverie.core.tasks.row_queue import RowQueue
from reverie.core.tasks.rows import COLUMNS, read_row, to_row
from reverie.errors import DiskFull, ReadOnly, StoreError
from reverie.local.disk.os_errors import explained
from reverie.local.disk.sqlite_file import as_text, damage_told, move_aside, one_step
from reverie.local.tasks.task_file import open_as_it_stands, open_file
from reverie.types import Task, TaskKind, TaskStatus

if TYPE_CHECKING:
    from reverie.types.tasks import LaneLimits, Session

_KINDS = frozenset(kind.value for kind in TaskKind)
_STATES = frozenset(state.value for state in TaskStatus)


class TaskDb(RowQueue[sqlite3.Connection]):
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
        super().__init__(clock=clock, limits=limits, unique=lambda: str(uuid4()))
        self.path = path
        self.workspace = workspace
        self.set_aside: Path | None = None
        """Where an unreadable file was moved to, if it was."""
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
        with self._guard, damage_told(self.path, self._replaced):
            if not writing:
                yield self._db
                return
            if self._unwritable:  # perhaps it can be written by now
                self._db.close()
                self._db = self._open()
            if self._unwritable:
                raise self._unwritable
            with one_step(self._db):
                yield self._db

    def _replaced(self, error: Exception) -> StoreError:
        """Keep a damaged file aside and begin a new one; say so."""
        self._db.close()
        self.set_aside = move_aside(self.path, self._clock())
        self._db = self._open()
        return StoreError(
            f"{self.path} was damaged ({error}). It was kept as {self.set_aside} and a new one"
            " was started; tasks that were waiting have to be sent again.",
            path=str(self.set_aside),
        )

    # --- tasks ------------------------------------------------------------------------------------

    def _heads(self, db: sqlite3.Connection) -> list[TaskHead]:
        rows = db.execute(
            "SELECT id, kind, status FROM task WHERE workspace = ? ORDER BY seq", (self.workspace,)
        )
        return [
            TaskHead(task, TaskKind(what), TaskStatus(status))
            for task, what, status in rows
            if what in _KINDS and status in _STATES
        ]

    def _insert(self, db: sqlite3.Connection, task: Task, *, key: str, fingerprint: str) -> None:
        db.execute(
            f"INSERT INTO task (workspace, key, fingerprint, {COLUMNS})"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self.workspace, key, fingerprint, *to_row(task)),
        )

    def _delete(self, db: sqlite3.Connection, task: str) -> None:
        db.execute("DELETE FROM task WHERE id = ?", (task,))

    def _by_key(
        self, db: sqlite3.Connection, client: str, key: str
    ) -> tuple[str, Task | None] | None:
        row = db.execute(
            f"SELECT fingerprint, {COLUMNS} FROM task"
            " WHERE workspace = ? AND client = ? AND key = ?",
            (self.workspace, client, key),
        ).fetchone()
        return (str(row[0]), read_row(row[1:])) if row else None

    def _task(self, db: sqlite3.Connection, task: str, *, hold: bool = False) -> Task | None:  # noqa: ARG002  # a writer holds all
        row = db.execute(
            f"SELECT {COLUMNS} FROM task WHERE workspace = ? AND id = ?", (self.workspace, task)
        ).fetchone()
        return read_row(row) if row else None

    def _listed(
        self, db: sqlite3.Connection, *, limit: int | None = None, waiting: bool = False
    ) -> list[Task]:
        only = " AND status IN ('queued', 'running')" if waiting else ""
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
            return self._start(db)

    def _by_status(self, db: sqlite3.Connection) -> list[tuple[str, int]]:
        return db.execute(
            "SELECT status, count(*) FROM task WHERE workspace = ? GROUP BY status",
            (self.workspace,),
        ).fetchall()

    def _save(self, db: sqlite3.Connection, task: Task) -> Task:
        db.execute(
            "UPDATE task SET status = ?, updated = ?, payload = ?, result = ?, failure = ?,"
            " attempts = ? WHERE id = ?",
            (*to_row(task)[2:3], *to_row(task)[5:], task.id),
        )
        return task

    # --- clients ----------------------------------------------------------------------------------

    def _insert_session(self, db: sqlite3.Connection, session: Session, when: str) -> None:
        db.execute(
            "INSERT INTO session (id, workspace, client, created, seen) VALUES (?, ?, ?, ?, ?)",
            (session.id, self.workspace, session.client, when, when),
        )

    def _drop_sessions(self, db: sqlite3.Connection, *, but: str, kept: int) -> None:
        db.execute(
            "DELETE FROM session WHERE workspace = ? AND id IN (SELECT id FROM session"
            " WHERE workspace = ? AND id <> ? ORDER BY seen DESC LIMIT -1 OFFSET ?)",
            (self.workspace, self.workspace, but, kept),
        )

    def _session(self, db: sqlite3.Connection, session: str) -> tuple[str, str, str] | None:
        row = db.execute(
            "SELECT id, client, created FROM session WHERE workspace = ? AND id = ?",
            (self.workspace, session),
        ).fetchone()
        return (row[0], as_text(row[1]), row[2]) if row else None

    def _seen(self, db: sqlite3.Connection, client: str) -> str | None:
        [(seen,)] = db.execute(
            "SELECT max(seen) FROM session WHERE workspace = ? AND client = ?",
            (self.workspace, client),
        )
        return seen  # type: ignore[no-any-return]  # whatever stands there, damaged or not

    def _note_seen(self, db: sqlite3.Connection, client: str, when: str) -> None:
        db.execute(
            "UPDATE session SET seen = ? WHERE workspace = ? AND client = ?",
            (when, self.workspace, client),
        )

    def close_session(self, session: str) -> bool:
        """Close a session; say whether there was one."""
        with self._using(writing=True) as db:
            done = db.execute(
                "DELETE FROM session WHERE workspace = ? AND id = ?", (self.workspace, session)
            )
            return done.rowcount > 0
