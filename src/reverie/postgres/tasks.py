"""The queue in the database: one lane per place, held by one daemon at a time.

Rules
- A task is committed before it is acknowledged; `RowQueue` decides, this module records.
- Whoever holds the lease of a lane, and nobody else, starts and settles its tasks. The lease ends by
  itself when its holder gives no sign of life; the database's clock counts.
- A write asks inside its own transaction whether the lease is still held and the task still runs
  (`fence`): a daemon that was thought dead cannot write what another one does again.
- A task whose run is in the journal is done: it is completed from there, never run again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import uuid4

from reverie.core.tasks.lane_rules import TaskHead
from reverie.core.tasks.row_queue import RowQueue
from reverie.core.tasks.rows import COLUMNS, to_row, to_task
from reverie.errors import LaneLost, TaskOver, TaskStopped
from reverie.postgres.events import TASKS_CHANNEL
from reverie.postgres.place import plain
from reverie.postgres.quotas import ask_allowance, read_allowance
from reverie.types import Task, TaskKind, TaskStatus
from reverie.types.tasks import Signal

if TYPE_CHECKING:
    from reverie.postgres.database import Asked, Connection, Database
    from reverie.postgres.place import Place
    from reverie.types.tasks import LaneLimits, Session

_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(project)s"
_NAMES: Final = tuple(COLUMNS.split(", "))


class Claim(StrEnum):
    """How a lane stands to the daemon that asks for it."""

    HELD = "held"
    FRESH = "fresh"
    """It is ours from now on; what its last holder left running has to be settled first."""
    TAKEN = "taken"
    NOTHING = "nothing"
    """There is nothing to do in it, so nobody has it."""


class LaneNotFree(Exception):
    """Somebody has the lane, or tasks wait in it, so nothing was written beside them."""


class Taken(NamedTuple):
    """A lane that was asked for."""

    claim: Claim
    tasks: Sequence[Task] = ()
    """The tasks that run from now on."""
    left: bool = False
    """Whether its last holder left a task running; none is begun before that is settled."""


class PgTasks(RowQueue["Connection"]):
    """The tasks and clients of one place, as one daemon sees them."""

    def __init__(
        self,
        database: Database,
        place: Place,
        *,
        clock: Callable[[], datetime],
        limits: LaneLimits,
        holder: str,
        lease_seconds: float,
    ) -> None:
        super().__init__(clock=clock, limits=limits, unique=lambda: str(uuid4()))
        self._database = database
        self._place = place
        self.holder = holder
        self.lease_seconds = lease_seconds
        self._generation = -1
        self._made = False
        """Whether the lane's row was made, as far as is known."""
        self._left: Asked | None = None
        """What was asked to give the lane back with a write."""
        self.due = False
        """Whether there were tasks, or another daemon wanted the lane, when it was looked at last."""

    def close(self) -> None:
        """Close nothing: connections belong to the pool."""

    # --- the lease --------------------------------------------------------------------------------

    def take(self, *, busy: bool = False, most: int = 1) -> Taken:
        """Take the lane and begin its next tasks, or hear that another daemon has the lane.

        Where there is nothing to do, it is given back.

        Args:
            busy: There is something else to do in the lane when no task waits. Whoever has it hears of it.
            most: How many tasks may be begun together.
        """
        self._left = None
        with self._database.transaction(self._place) as db:
            asked, waiting = self._ask_lane(db), self._ask_listed(db, waiting=True)
            holder, generation, over = self._read_lane(db, asked)
            if holder not in ("", self.holder) and not over:
                if busy and not self.due:
                    db.execute(f"UPDATE lane SET due = true WHERE {_HERE}", self._place.values)
                return Taken(Claim.TAKEN)
            tasks = _read_listed(waiting)
            if not tasks and not busy:
                if holder or self.due:
                    self._give_back(db, due=False)
                return Taken(Claim.NOTHING)
            fresh = holder != self.holder or generation != self._generation
            self._generation = generation + 1 if fresh else generation
            db.execute(
                "UPDATE lane SET holder = %(holder)s, generation = %(generation)s,"
                f" until = clock_timestamp() + %(lease)s WHERE {_HERE}",
                self._lease(),
            )
            left = fresh and any(task.status is TaskStatus.RUNNING for task in tasks)
            begun = [] if left else self._begin(db, tasks, most=most)
        return Taken(Claim.FRESH if fresh else Claim.HELD, begun, left)

    def renew(self) -> bool:
        """Keep the lane; False when it was lost."""
        with self._database.transaction(self._place) as db:
            done = db.execute(
                f"UPDATE lane SET until = clock_timestamp() + %(lease)s WHERE {_HERE}"
                " AND holder = %(holder)s AND generation = %(generation)s RETURNING 1",
                self._lease(),
            )
        return bool(done.fetchall()) or self._left is not None  # or it went with a write

    def release(self) -> bool:
        """Give the lane back; say whether work is left in it."""
        with self._database.transaction(self._place) as db:
            holder, generation, _ = self._lane(db)
            if holder != self.holder or generation != self._generation:
                return False
            left = self._waiting(db)
            self._give_back(db, due=left)
            if left:
                self._call_for_work(db)
        return left

    def _give_back(self, db: Connection, *, due: bool) -> None:
        db.execute(
            f"UPDATE lane SET holder = '', until = NULL, due = %(due)s WHERE {_HERE}",
            {**self._place.values, "due": due},
        )

    def fence(self, db: Connection, task: str, *, let_go: bool = False) -> None:
        """Raise unless the lane is still ours and the task, if one is named, still runs.

        Args:
            let_go: Give the lane back together with what is written, unless tasks wait in it.
        """
        holder, generation, over = self._lane(db)
        again = self._left is not None and not holder and generation == self._generation
        if again:  # it went with the last write, and nobody has had it since
            self._left = None
            db.execute(
                "UPDATE lane SET holder = %(holder)s, until = clock_timestamp() + %(lease)s"
                f" WHERE {_HERE}",
                self._lease(),
            )
        elif holder != self.holder or generation != self._generation or over:
            raise LaneLost("another daemon has this lane now, so nothing was written", task=task)
        if task:
            row = db.execute(
                f"SELECT status FROM task WHERE {_HERE} AND id = %(id)s FOR UPDATE",
                {**self._place.values, "id": task},
            ).fetchone()
            if row is None or row[0] != TaskStatus.RUNNING:
                raise TaskStopped("the task was taken back, so nothing was written", task=task)
        if let_go and not again:
            self._left = db.execute(
                f"UPDATE lane SET holder = '', until = NULL, due = false WHERE {_HERE} AND NOT"
                f" EXISTS (SELECT 1 FROM task WHERE {_HERE} AND status IN ('queued', 'running'))"
                " RETURNING 1",
                self._place.values,
            )

    def pass_by(self, db: Connection) -> None:
        """Hold a lane that is free for as long as a transaction lasts, without taking it.

        Raises:
            LaneNotFree: Somebody has it, or tasks wait in it.
        """
        self._make_lane(db)
        row = db.execute(
            f"SELECT holder, EXISTS (SELECT 1 FROM task WHERE {_HERE} AND status IN"
            f" ('queued', 'running')) FROM lane WHERE {_HERE} FOR UPDATE",
            self._place.values,
        ).fetchone()
        if row is None:  # it was removed with its tenant
            self._made = False
        if row is None or row[0] or row[1]:
            raise LaneNotFree

    @property
    def is_left(self) -> bool:
        """Whether the lane was given back with the last write; only after that was made."""
        return self._left is not None and self._left.rowcount > 0

    def _lease(self) -> dict[str, Any]:
        return {
            **self._place.values,
            "holder": self.holder,
            "generation": self._generation,
            "lease": timedelta(seconds=self.lease_seconds),
        }

    def _lane(self, db: Connection) -> tuple[str, int, bool]:
        """Hold the lane's row; return its holder, its generation, and whether the lease is over."""
        return self._read_lane(db, self._ask_lane(db))

    def _make_lane(self, db: Connection) -> None:
        if not self._made:
            self._made = True
            db.execute(
                "INSERT INTO lane (tenant, owner, project) VALUES (%(tenant)s, %(owner)s,"
                " %(project)s) ON CONFLICT DO NOTHING",
                self._place.values,
            )

    def _ask_lane(self, db: Connection) -> Asked:
        self._make_lane(db)
        return db.execute(
            "SELECT holder, generation, until IS NULL OR until < clock_timestamp(), due FROM lane"
            f" WHERE {_HERE} FOR UPDATE",
            self._place.values,
        )

    def _read_lane(self, db: Connection, asked: Asked) -> tuple[str, int, bool]:
        row = asked.fetchone()
        if row is None:  # it was never committed, or removed with its tenant
            self._made = False
            row = self._ask_lane(db).fetchone()
        self.due = bool(row and row[3])
        return (row[0], int(row[1]), bool(row[2])) if row else ("", 0, True)

    def _waiting(self, db: Connection) -> bool:
        row = db.execute(
            f"SELECT 1 FROM task WHERE {_HERE} AND status IN ('queued', 'running') LIMIT 1",
            self._place.values,
        ).fetchone()
        return row is not None

    def _call_for_work(self, db: Connection) -> None:
        db.execute("SELECT pg_notify(%s, %s)", (TASKS_CHANNEL, self._place.key))

    # --- tasks ------------------------------------------------------------------------------------

    def _using(self, *, writing: bool = False) -> AbstractContextManager[Connection]:  # noqa: ARG002  # both are transactions
        return self._database.transaction(self._place)

    def _hold(self, db: Connection) -> None:
        self._lane(db)

    def _heads(self, db: Connection) -> list[TaskHead]:
        rows = db.execute(
            f"SELECT id, kind, status FROM task WHERE {_HERE} ORDER BY seq", self._place.values
        )
        return [TaskHead(task, TaskKind(what), TaskStatus(status)) for task, what, status in rows]

    def _insert(self, db: Connection, task: Task, *, key: str, fingerprint: str) -> None:
        read_allowance(ask_allowance(db)).check_task()
        db.execute(
            f"INSERT INTO task (tenant, owner, project, key, fingerprint, {COLUMNS}) VALUES"
            " (%(tenant)s, %(owner)s, %(project)s, %(key)s, %(fingerprint)s,"
            f" {', '.join(f'%({name})s' for name in _NAMES)})",
            {**self._place.values, "key": plain(key), "fingerprint": fingerprint, **_columns(task)},
        )
        db.execute(f"UPDATE lane SET due = true WHERE {_HERE}", self._place.values)
        self._call_for_work(db)

    def _delete(self, db: Connection, task: str) -> None:
        db.execute(
            f"DELETE FROM task WHERE {_HERE} AND id = %(id)s", {**self._place.values, "id": task}
        )

    def _by_key(self, db: Connection, client: str, key: str) -> tuple[str, Task] | None:
        row = db.execute(
            f"SELECT fingerprint, {COLUMNS} FROM task WHERE {_HERE} AND client = %(client)s"
            " AND key = %(key)s AND key <> ''",
            {**self._place.values, "client": plain(client), "key": plain(key)},
        ).fetchone()
        return (row[0], to_task(row[1:])) if row else None

    def _task(self, db: Connection, task: str, *, hold: bool = False) -> Task | None:
        row = db.execute(
            f"SELECT {COLUMNS} FROM task WHERE {_HERE} AND id = %(id)s"
            + (" FOR UPDATE" if hold else ""),
            {**self._place.values, "id": plain(task)},
        ).fetchone()
        return to_task(row) if row else None

    def _listed(
        self, db: Connection, *, limit: int | None = None, waiting: bool = False
    ) -> list[Task]:
        return _read_listed(self._ask_listed(db, limit=limit, waiting=waiting))

    def _ask_listed(
        self, db: Connection, *, limit: int | None = None, waiting: bool = False
    ) -> Asked:
        only = "AND status IN ('queued', 'running')" if waiting else ""
        return db.execute(
            f"SELECT * FROM (SELECT seq, {COLUMNS} FROM task WHERE {_HERE} {only}"
            " ORDER BY seq DESC LIMIT %(limit)s) AS newest ORDER BY seq",
            {**self._place.values, "limit": limit},
        )

    def start_together(self, most: int) -> list[Task]:
        """Mark the next task as running, and those that may run with it; return them in order."""
        with self._using(writing=True) as db:
            holder, generation, over = self._lane(db)
            if holder != self.holder or generation != self._generation or over:
                return []
            return self._begin(db, self._listed(db, waiting=True), most=most)

    def _check_lane(self, db: Connection, task: str) -> None:
        holder, generation, _ = self._lane(db)
        if holder != self.holder or generation != self._generation:
            raise TaskOver(f"another daemon has the lane of task {task} now", task=task)

    def put_back(self, task: str) -> Task | None:
        """Let a task be begun again; None where it has written its result, though nobody heard so."""
        with self._using(writing=True) as db:
            self._check_lane(db, task)
            if self._has_written(db, task):
                return None
            return self._step(db, task, Signal.POSTPONE)

    def _check_unwritten(self, db: Connection, task: str) -> None:
        if self._has_written(db, task):
            raise TaskOver(f"task {task} has written its result and can no longer be cancelled")

    def _has_written(self, db: Connection, task: str) -> bool:
        self._task(db, task, hold=True)  # waits for a write of it that has begun
        row = db.execute(
            "SELECT 1 FROM run WHERE tenant = %(tenant)s AND owner = %(owner)s"
            " AND task = %(task)s AND task <> ''",
            {**self._place.values, "task": plain(task)},
        ).fetchone()
        return row is not None

    def _save(self, db: Connection, task: Task) -> Task:
        db.execute(
            "UPDATE task SET status = %(status)s, updated = %(updated)s, payload = %(payload)s,"
            " result = %(result)s, failure = %(failure)s, attempts = %(attempts)s"
            f" WHERE {_HERE} AND id = %(id)s",
            {**self._place.values, **_columns(task)},
        )
        return task

    def _by_status(self, db: Connection) -> list[tuple[str, int]]:
        return db.execute(
            f"SELECT status, count(*) FROM task WHERE {_HERE} GROUP BY status", self._place.values
        ).fetchall()

    # --- clients ----------------------------------------------------------------------------------

    def _insert_session(self, db: Connection, session: Session, when: str) -> None:
        db.execute(
            "INSERT INTO session (tenant, owner, project, id, client, created, seen) VALUES"
            " (%(tenant)s, %(owner)s, %(project)s, %(id)s, %(client)s, %(now)s, %(now)s)",
            {**self._place.values, "id": session.id, "client": plain(session.client), "now": when},
        )

    def _drop_sessions(self, db: Connection, *, but: str, kept: int) -> None:
        db.execute(
            f"DELETE FROM session WHERE {_HERE} AND id IN (SELECT id FROM session WHERE {_HERE}"
            " AND id <> %(id)s ORDER BY seen DESC OFFSET %(kept)s)",
            {**self._place.values, "id": but, "kept": kept},
        )

    def _session(self, db: Connection, session: str) -> tuple[str, str, str] | None:
        return db.execute(
            f"SELECT id, client, created FROM session WHERE {_HERE} AND id = %(id)s",
            {**self._place.values, "id": plain(session)},
        ).fetchone()

    def _seen(self, db: Connection, client: str) -> str | None:
        row = db.execute(
            f"SELECT max(seen) FROM session WHERE {_HERE} AND client = %(client)s",
            {**self._place.values, "client": plain(client)},
        ).fetchone()
        return row[0] if row else None

    def _note_seen(self, db: Connection, client: str, when: str) -> None:
        db.execute(
            f"UPDATE session SET seen = %(now)s WHERE {_HERE} AND client = %(client)s",
            {**self._place.values, "now": when, "client": plain(client)},
        )

    def close_session(self, session: str) -> bool:
        """Close a session; say whether there was one."""
        with self._using(writing=True) as db:
            done = db.execute(
                f"DELETE FROM session WHERE {_HERE} AND id = %(id)s RETURNING 1",
                {**self._place.values, "id": plain(session)},
            )
            return bool(done.fetchall())


def _read_listed(asked: Asked) -> list[Task]:
    return [to_task(row[1:]) for row in asked.fetchall()]


def _columns(task: Task) -> dict[str, Any]:
    row = dict(zip(_NAMES, to_row(task), strict=True))
    return {**row, "client": plain(task.client)}
