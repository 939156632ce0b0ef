"""The queue in the database: one lane per place, held by one daemon at a time.

Rules
- A task is committed before it is acknowledged; the rules of the lane decide, this module records.
- Whoever holds the lease of a lane, and nobody else, starts and settles its tasks. The lease ends by
  itself when its holder gives no sign of life; the database's clock counts.
- A write asks inside its own transaction whether the lease is still held and the task still runs
  (`fence`): a daemon that was thought dead cannot write what another one does again.
- A task whose run is in the journal is done: it is completed from there, never run again.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from reverie.core.tasks import lane_rules
from reverie.core.tasks.lane_rules import TaskHead
from reverie.core.tasks.rows import COLUMNS, fingerprint, moment, stamp, to_row, to_task
from reverie.errors import KeyReused, LaneLost, TaskNotFound, TaskOver, TaskStopped
from reverie.postgres.events import TASKS_CHANNEL
from reverie.postgres.place import plain
from reverie.types import Task, TaskKind, TaskStatus
from reverie.types.tasks import Session, Signal

if TYPE_CHECKING:
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.place import Place
    from reverie.types import TaskFailure
    from reverie.types.tasks import LaneLimits

_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(project)s"
_SEEN_EVERY: Final = timedelta(hours=1)
_NAMES: Final = tuple(COLUMNS.split(", "))


class Claim(StrEnum):
    """How a lane stands to the daemon that asks for it."""

    HELD = "held"
    FRESH = "fresh"
    """It is ours from now on; what its last holder left running has to be settled first."""
    TAKEN = "taken"


class PgTasks:
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
        self._database = database
        self._place = place
        self._clock = clock
        self.limits = limits
        self.holder = holder
        self.lease_seconds = lease_seconds
        self._generation = -1

    def close(self) -> None:
        """Close nothing: connections belong to the pool."""

    # --- the lease --------------------------------------------------------------------------------

    def claim(self) -> Claim:
        """Take the lane, or hear that another daemon has it."""
        with self._database.transaction(self._place) as db:
            holder, generation, over = self._lane(db)
            if holder not in ("", self.holder) and not over:
                return Claim.TAKEN
            fresh = holder != self.holder or generation != self._generation
            self._generation = generation + 1 if fresh else generation
            db.execute(
                "UPDATE lane SET holder = %(holder)s, generation = %(generation)s,"
                f" until = clock_timestamp() + %(lease)s WHERE {_HERE}",
                self._lease(),
            )
        return Claim.FRESH if fresh else Claim.HELD

    def renew(self) -> bool:
        """Keep the lane; False when it was lost."""
        with self._database.transaction(self._place) as db:
            done = db.execute(
                f"UPDATE lane SET until = clock_timestamp() + %(lease)s WHERE {_HERE}"
                " AND holder = %(holder)s AND generation = %(generation)s",
                self._lease(),
            )
            return done.rowcount > 0

    def release(self) -> bool:
        """Give the lane back; say whether work is left in it."""
        with self._database.transaction(self._place) as db:
            holder, generation, _ = self._lane(db)
            if holder != self.holder or generation != self._generation:
                return False
            left = self._waiting(db)
            db.execute(
                f"UPDATE lane SET holder = '', until = NULL, due = %(due)s WHERE {_HERE}",
                {**self._place.values, "due": left},
            )
            if left:
                self._call_for_work(db)
        return left

    def fence(self, db: Connection, task: str) -> None:
        """Raise unless the lane is still ours and the task, if one is named, still runs."""
        holder, generation, over = self._lane(db)
        if holder != self.holder or generation != self._generation or over:
            raise LaneLost("another daemon has this lane now, so nothing was written", task=task)
        if task:
            row = db.execute(
                f"SELECT status FROM task WHERE {_HERE} AND id = %(id)s FOR UPDATE",
                {**self._place.values, "id": task},
            ).fetchone()
            if row is None or row[0] != TaskStatus.RUNNING:
                raise TaskStopped("the task was taken back, so nothing was written", task=task)

    def _lease(self) -> dict[str, Any]:
        return {
            **self._place.values,
            "holder": self.holder,
            "generation": self._generation,
            "lease": timedelta(seconds=self.lease_seconds),
        }

    def _lane(self, db: Connection) -> tuple[str, int, bool]:
        """Hold the lane's row; return its holder, its generation, and whether the lease is over."""
        values = self._place.values
        db.execute(
            "INSERT INTO lane (tenant, owner, project) VALUES (%(tenant)s, %(owner)s, %(project)s)"
            " ON CONFLICT DO NOTHING",
            values,
        )
        row = db.execute(
            "SELECT holder, generation, until IS NULL OR until < clock_timestamp() FROM lane"
            f" WHERE {_HERE} FOR UPDATE",
            values,
        ).fetchone()
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

    def accept(
        self, kind: TaskKind, payload: Mapping[str, Any], *, client: str = "", key: str = ""
    ) -> tuple[Task, bool]:
        """Queue a task durably; return it, and whether it is new (False: the key's earlier task)."""
        wanted = json.dumps({"kind": kind.value, **payload}, ensure_ascii=True, sort_keys=True)
        with self._database.transaction(self._place) as db:
            self._lane(db)
            if key:
                earlier = self._by_key(db, client, key, wanted)
                if earlier is not None:
                    return earlier, False
            heads = [
                TaskHead(task, TaskKind(what), TaskStatus(status))
                for task, what, status in db.execute(
                    f"SELECT id, kind, status FROM task WHERE {_HERE} ORDER BY seq",
                    self._place.values,
                )
            ]
            for gone in lane_rules.admit(kind, heads, self.limits):
                db.execute(
                    f"DELETE FROM task WHERE {_HERE} AND id = %(id)s",
                    {**self._place.values, "id": gone},
                )
            now = self._clock()
            task = Task(
                f"{kind.value}-{uuid4()}", kind, TaskStatus.QUEUED, now, now, client=client,
                payload=payload,
            )  # fmt: skip
            salted = fingerprint(wanted, salt=secrets.token_hex(8)) if key else ""
            db.execute(
                f"INSERT INTO task (tenant, owner, project, key, fingerprint, {COLUMNS}) VALUES"
                " (%(tenant)s, %(owner)s, %(project)s, %(key)s, %(fingerprint)s,"
                f" {', '.join(f'%({name})s' for name in _NAMES)})",
                {**self._place.values, "key": plain(key), "fingerprint": salted, **_columns(task)},
            )
            db.execute(f"UPDATE lane SET due = true WHERE {_HERE}", self._place.values)
            self._call_for_work(db)
        return task, True

    def _by_key(self, db: Connection, client: str, key: str, wanted: str) -> Task | None:
        row = db.execute(
            f"SELECT fingerprint, {COLUMNS} FROM task WHERE {_HERE} AND client = %(client)s"
            " AND key = %(key)s AND key <> ''",
            {**self._place.values, "client": plain(client), "key": plain(key)},
        ).fetchone()
        if row is None:
            return None
        if row[0] != fingerprint(wanted, salt=row[0]):
            raise KeyReused(
                f"the idempotency key {key!r} was used for another request; use a new key"
            )
        return to_task(row[1:])

    def get(self, task: str) -> Task | None:
        """Return one task of this place."""
        with self._database.transaction(self._place) as db:
            return self._get(db, task)

    def _get(self, db: Connection, task: str, *, hold: bool = False) -> Task | None:
        row = db.execute(
            f"SELECT {COLUMNS} FROM task WHERE {_HERE} AND id = %(id)s"
            + (" FOR UPDATE" if hold else ""),
            {**self._place.values, "id": plain(task)},
        ).fetchone()
        return to_task(row) if row else None

    def tasks(self, *, limit: int | None = None, waiting: bool = False) -> list[Task]:
        """Return the newest `limit` tasks (or only those that are not over), oldest first."""
        with self._database.transaction(self._place) as db:
            return self._tasks(db, limit=limit, waiting=waiting)

    def _tasks(self, db: Connection, *, limit: int | None, waiting: bool) -> list[Task]:
        only = "AND status IN ('queued', 'running')" if waiting else ""
        rows = db.execute(
            f"SELECT * FROM (SELECT seq, {COLUMNS} FROM task WHERE {_HERE} {only}"
            " ORDER BY seq DESC LIMIT %(limit)s) AS newest ORDER BY seq",
            {**self._place.values, "limit": limit},
        ).fetchall()
        return [to_task(row[1:]) for row in rows]

    def start_next(self) -> Task | None:
        """Mark the next task as running and return it, or None when none may start."""
        with self._database.transaction(self._place) as db:
            holder, generation, over = self._lane(db)
            if holder != self.holder or generation != self._generation or over:
                return None
            chosen = lane_rules.next_up(self._tasks(db, limit=None, waiting=True))
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
        """Record what became of a task; only whoever holds the lane may."""
        with self._database.transaction(self._place) as db:
            holder, generation, _ = self._lane(db)
            if holder != self.holder or generation != self._generation:
                raise TaskOver(f"another daemon has the lane of task {task} now", task=task)
            return self._step(db, task, signal, result=result, failure=failure)

    def cancel(self, task: str, why: TaskFailure) -> Task:
        """Take a task back, wherever it runs, or raise `TaskOver` when its result is written."""
        with self._database.transaction(self._place) as db:
            self._get(db, task, hold=True)  # waits for a write of it that has begun
            row = db.execute(
                "SELECT 1 FROM run WHERE tenant = %(tenant)s AND owner = %(owner)s"
                " AND task = %(task)s AND task <> ''",
                {**self._place.values, "task": plain(task)},
            ).fetchone()
            if row is not None:
                raise TaskOver(f"task {task} has written its result and can no longer be cancelled")
            return self._step(db, task, Signal.FAIL, result=None, failure=why)

    def _step(
        self,
        db: Connection,
        task: str,
        signal: Signal,
        *,
        result: Mapping[str, Any] | None,
        failure: TaskFailure | None,
    ) -> Task:
        known = self._get(db, task, hold=True)
        if known is None:
            raise TaskNotFound(f"there is no task {task!r}", task=task)
        after = lane_rules.step(known, signal, now=self._clock(), result=result, failure=failure)
        return self._save(db, after)

    def _save(self, db: Connection, task: Task) -> Task:
        db.execute(
            "UPDATE task SET status = %(status)s, updated = %(updated)s, payload = %(payload)s,"
            " result = %(result)s, failure = %(failure)s, attempts = %(attempts)s"
            f" WHERE {_HERE} AND id = %(id)s",
            {**self._place.values, **_columns(task)},
        )
        return task

    def counts(self) -> dict[str, int]:
        """Return how many tasks there are in each state."""
        with self._database.transaction(self._place) as db:
            rows = db.execute(
                f"SELECT status, count(*) FROM task WHERE {_HERE} GROUP BY status",
                self._place.values,
            ).fetchall()
        return {status.value: dict(rows).get(status.value, 0) for status in TaskStatus}

    # --- clients ----------------------------------------------------------------------------------

    def open_session(self, client: str = "") -> Session:
        """Open an event channel; its client id is the given one, or a new one."""
        now = self._clock()
        with self._database.transaction(self._place) as db:
            attached = bool(client) and self._seen(db, client) is not None
            session = Session(str(uuid4()), client or f"client-{uuid4()}", now, attached)
            values = {**self._place.values, "id": session.id, "client": plain(session.client),
                      "now": stamp(now), "kept": self.limits.sessions - 1}  # fmt: skip
            db.execute(
                "INSERT INTO session (tenant, owner, project, id, client, created, seen) VALUES"
                " (%(tenant)s, %(owner)s, %(project)s, %(id)s, %(client)s, %(now)s, %(now)s)",
                values,
            )
            db.execute(
                f"DELETE FROM session WHERE {_HERE} AND id IN (SELECT id FROM session WHERE {_HERE}"
                " AND id <> %(id)s ORDER BY seen DESC OFFSET %(kept)s)",
                values,
            )
        return session

    def session(self, session: str) -> Session | None:
        """Return an open session."""
        with self._database.transaction(self._place) as db:
            row = db.execute(
                f"SELECT id, client, created FROM session WHERE {_HERE} AND id = %(id)s",
                {**self._place.values, "id": plain(session)},
            ).fetchone()
        return Session(row[0], row[1], moment(row[2])) if row else None

    def knows(self, client: str) -> bool:
        """Say whether a client id is registered, and note that it was seen."""
        now = self._clock()
        with self._database.transaction(self._place) as db:
            seen = self._seen(db, client)
            if seen is None:
                return False
            if now - moment(seen) > _SEEN_EVERY:
                db.execute(
                    f"UPDATE session SET seen = %(now)s WHERE {_HERE} AND client = %(client)s",
                    {**self._place.values, "now": stamp(now), "client": plain(client)},
                )
        return True

    def close_session(self, session: str) -> bool:
        """Close a session; say whether there was one."""
        with self._database.transaction(self._place) as db:
            done = db.execute(
                f"DELETE FROM session WHERE {_HERE} AND id = %(id)s",
                {**self._place.values, "id": plain(session)},
            )
            return done.rowcount > 0

    def _seen(self, db: Connection, client: str) -> str | None:
        row = db.execute(
            f"SELECT max(seen) FROM session WHERE {_HERE} AND client = %(client)s",
            {**self._place.values, "client": plain(client)},
        ).fetchone()
        return row[0] if row else None


def _columns(task: Task) -> dict[str, Any]:
    row = dict(zip(_NAMES, to_row(task), strict=True))
    return {**row, "client": plain(task.client)}
