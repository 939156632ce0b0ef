"""The daemon's queue on the disk: an accepted task survives a crash, and so do its clients.

Rules
- A task is on the disk before it is acknowledged; `RowQueue` decides, this file records.
- The text of a task is kept only until the task is over, and is overwritten then.
- What cannot be read or believed is kept aside with the time; every task that is whole stays (`task_file`).
- Where another process has kept the whole file aside, its successor is opened.
"""

from __future__ import annotations

import os
import sqlite3
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
from reverie.local.disk.sqlite_file import as_text, damage_told, move_aside
from reverie.local.tasks.group_commit import GroupCommit
from reverie.local.tasks.task_file import (
    ROWS,
    mend,
    open_as_it_stands,
    open_file,
    put_back,
    salvaged,
    take_out_damaged,
)
from reverie.types import Task, TaskKind, TaskStatus

if TYPE_CHECKING:
    from reverie.types.tasks import LaneLimits, Session

_KINDS = {kind.value: kind for kind in TaskKind}
_STATES = {state.value: state for state in TaskStatus}
_WHOLE = ROWS.intact("task")
_COUNTS = f"(status IN ('completed', 'failed') OR {_WHOLE})"
"""What is over is only counted, and there are many: a damaged one takes its place until it is taken out."""
_OPEN = ROWS.intact("session")


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
        """Where something was last kept aside, if it was."""
        self._group = GroupCommit()
        self._replaced_for: Exception | None = None
        self._wait = wait
        self._unwritable: StoreError | None = None
        self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        """Open the file; where it cannot be written, as it stands, so that tasks can be looked at."""
        self._unwritable = None
        try:
            try:
                with explained(self.path):
                    return self._open_mended()
            except sqlite3.DatabaseError:
                with explained(self.path):
                    rows = salvaged(self.path)
                    self.set_aside = move_aside(self.path, self._clock())
                    db = self._open_mended()
                    put_back(db, rows)
                    return db
        except (ReadOnly, DiskFull) as error:
            self._unwritable = error
            return open_as_it_stands(self.path)

    def _open_mended(self) -> sqlite3.Connection:
        db = open_file(self.path, self._wait)
        try:
            self.set_aside = mend(db, self.path, self._clock()) or self.set_aside
        except BaseException:
            db.close()
            raise
        self._file = _identity(self.path)
        return db

    def close(self) -> None:
        with self._group.guard:
            self._db.close()

    @contextmanager
    def _using(self, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        # One connection, one user at a time. Steps of several threads share a commit, and its flush.
        if not writing:
            with self._group.guard, damage_told(self.path, self._replaced):
                self._follow()
                yield self._db
            return
        with self._group.turn(), damage_told(self.path, self._replaced):
            db = self._writable()
            with self._group.step(db):
                yield db

    def _follow(self) -> None:
        """Open the file that is there now, if another process has kept the one we had aside."""
        if not self._unwritable and _identity(self.path) != self._file:
            self._group.abandon(
                StoreError(f"{self.path} was kept aside by another process; send the task again.")
            )
            self._reopen()

    def _reopen(self) -> None:
        self._db.close()
        self._db = self._open()

    def _writable(self) -> sqlite3.Connection:
        self._follow()
        if self._unwritable:  # perhaps it can be written by now
            self._reopen()
        if self._unwritable:
            raise self._unwritable
        return self._db

    def _replaced(self, error: Exception) -> StoreError:
        """Keep a damaged file aside and begin a new one with what is whole; say so, to all who wrote."""
        if error is not self._replaced_for:
            self._replaced_for = error
            self._group.abandon(error)
            self._reopen()
        kept = f" It was kept as {self.set_aside}." if self.set_aside else ""
        return StoreError(
            f"{self.path} was damaged ({error}).{kept} Tasks that are not listed any more have to be"
            " sent again.",
            path=str(self.set_aside or self.path),
        )

    # --- tasks ------------------------------------------------------------------------------------

    def _heads(self, db: sqlite3.Connection) -> list[TaskHead]:
        rows = db.execute(
            f"SELECT id, kind, status FROM task WHERE workspace = ? AND {_COUNTS} ORDER BY seq",
            (self.workspace,),
        )
        return [
            TaskHead(task, _KINDS[what], _STATES[status])
            for task, what, status in rows
            if what in _KINDS and status in _STATES
        ]

    def _insert(self, db: sqlite3.Connection, task: Task, *, key: str, fingerprint: str) -> None:
        insert = (
            f"INSERT INTO task (workspace, key, fingerprint, {COLUMNS})"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        values = (self.workspace, key, fingerprint, *to_row(task))
        try:
            made = db.execute(insert, values)
        except sqlite3.IntegrityError:  # a damaged row has this key
            self.set_aside = take_out_damaged(db, self.path, self._clock()) or self.set_aside
            made = db.execute(insert, values)
        ROWS.seal(db, "task", "seq = ?", (made.lastrowid,))

    def _delete(self, db: sqlite3.Connection, task: str) -> None:
        db.execute("DELETE FROM task WHERE id = ? AND +id = ?", (task, task))

    def _by_key(
        self, db: sqlite3.Connection, client: str, key: str
    ) -> tuple[str, Task | None] | None:
        row = db.execute(
            f"SELECT fingerprint, {COLUMNS} FROM task"
            f" WHERE workspace = ? AND client = ? AND key = ? AND +key = ? AND {_WHOLE}",
            (self.workspace, client, key, key),
        ).fetchone()
        return (str(row[0]), read_row(row[1:])) if row else None

    def _task(self, db: sqlite3.Connection, task: str, *, hold: bool = False) -> Task | None:  # noqa: ARG002  # a writer holds all
        row = db.execute(
            f"SELECT {COLUMNS} FROM task WHERE +workspace = ? AND id = ? AND +id = ? AND {_WHOLE}",
            (self.workspace, task, task),
        ).fetchone()
        return read_row(row) if row else None

    def _listed(
        self, db: sqlite3.Connection, *, limit: int | None = None, waiting: bool = False
    ) -> list[Task]:
        only = " AND status IN ('queued', 'running')" if waiting else ""
        rows = db.execute(
            f"SELECT * FROM (SELECT seq, {COLUMNS} FROM task WHERE workspace = ?{only} AND {_WHOLE}"
            " ORDER BY seq DESC LIMIT ?) ORDER BY seq",
            (self.workspace, -1 if limit is None else limit),
        ).fetchall()
        return [task for row in rows if (task := read_row(row[1:]))]

    def start_together(self, most: int) -> list[Task]:
        """Mark the next task as running, and those that may run with it; return them in order."""
        if lane_rules.next_up(self.tasks(waiting=True)) is None:
            return []  # found out without writing, which may not be possible
        with self._using(writing=True) as db:
            return self._begin(db, self._listed(db, waiting=True), most=most)

    def _by_status(self, db: sqlite3.Connection) -> list[tuple[str, int]]:
        return db.execute(
            f"SELECT status, count(*) FROM task WHERE workspace = ? AND {_COUNTS} GROUP BY status",
            (self.workspace,),
        ).fetchall()

    def _save(self, db: sqlite3.Connection, task: Task) -> Task:
        row = to_row(task)
        ROWS.change(
            db,
            "task",
            "status = ?, updated = ?, payload = ?, result = ?, failure = ?, attempts = ?",
            "id = ? AND +id = ?",
            (row[2], *row[5:], task.id, task.id),
        )
        return task

    # --- clients ----------------------------------------------------------------------------------

    def _insert_session(self, db: sqlite3.Connection, session: Session, when: str) -> None:
        row = {"id": session.id, "workspace": self.workspace, "client": session.client}
        ROWS.insert(db, "session", {**row, "created": when, "seen": when})

    def _drop_sessions(self, db: sqlite3.Connection, *, but: str, kept: int) -> None:
        db.execute(
            "DELETE FROM session WHERE workspace = ? AND id IN (SELECT id FROM session"
            " WHERE workspace = ? AND id <> ? ORDER BY seen DESC LIMIT -1 OFFSET ?)",
            (self.workspace, self.workspace, but, kept),
        )

    def _session(self, db: sqlite3.Connection, session: str) -> tuple[str, str, str] | None:
        row = db.execute(
            "SELECT id, client, created FROM session"
            f" WHERE workspace = ? AND id = ? AND +id = ? AND {_OPEN}",
            (self.workspace, session, session),
        ).fetchone()
        return (row[0], as_text(row[1]), row[2]) if row else None

    def _seen(self, db: sqlite3.Connection, client: str) -> str | None:
        [(seen,)] = db.execute(
            "SELECT max(seen) FROM session"
            f" WHERE workspace = ? AND client = ? AND +client = ? AND {_OPEN}",
            (self.workspace, client, client),
        )
        return seen  # type: ignore[no-any-return]  # whatever stands there, damaged or not

    def _note_seen(self, db: sqlite3.Connection, client: str, when: str) -> None:
        ROWS.change(
            db,
            "session",
            "seen = ?",
            "workspace = ? AND client = ? AND +client = ?",
            (when, self.workspace, client, client),
        )

    def close_session(self, session: str) -> bool:
        """Close a session; say whether there was one."""
        with self._using(writing=True) as db:
            done = db.execute(
                "DELETE FROM session WHERE workspace = ? AND id = ?", (self.workspace, session)
            )
            return done.rowcount > 0


def _identity(path: Path) -> tuple[int, int] | None:
    """Say which file stands under a path."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
