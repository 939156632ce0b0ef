"""Stores for special hands: one that keeps an agent in the memory folders, one that erases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from reverie.core import lane
from reverie.core.lane import Signal
from reverie.core.taskrows import COLUMNS, clean_column, to_row, to_task
from reverie.errors import RememberPathEscape
from reverie.postgres.database import MINE
from reverie.postgres.place import normal, within
from reverie.types import Scope, TaskFailure, TaskStatus

if TYPE_CHECKING:
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.files import PgStore
    from reverie.postgres.place import Place
    from reverie.types import Applied, Change, RunInfo, Topic

_PLACEHOLDER: Final = "[erased]"


class ConfinedRows:
    """What an agent's draft is applied through."""

    def __init__(self, store: PgStore) -> None:
        self._store = store

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic of managed memory, newest first."""
        return self._store.topics(scope)

    def read(self, path: str) -> str | None:
        """Return a file's text, or None when there is no file."""
        return self._store.read(path)

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run, if each lies in a memory folder."""
        roots = [self._store.workspace.memory_root(scope) for scope in Scope]
        for change in changes:
            if not any(within(root, normal(change.path)) for root in roots):
                raise RememberPathEscape(
                    f"{change.path} leads outside of managed memory, so nothing was written",
                    path=change.path,
                )
        return self._store.apply(changes, run)


class ErasingRows:
    """A store that can also take words out of everything kept beside the memory."""

    def __init__(self, store: PgStore, database: Database, place: Place) -> None:
        self._store = store
        self._database = database
        self._place = place

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic."""
        return self._store.topics(scope)

    def read(self, path: str) -> str | None:
        """Return a file's text."""
        return self._store.read(path)

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run."""
        return self._store.apply(changes, run)

    def erase(self, needles: Sequence[str], *, paths: Sequence[str] = ()) -> int:
        """Take the wordings, and the names of these files, out of journal and tasks."""
        named = [normal(path) for path in paths]
        touched = self._store.journal.erase(needles, paths=[*named, *self._former(named)])
        wanted = sorted({item for item in needles if item.strip()}, key=len, reverse=True)
        with self._database.transaction(self._place) as db:
            return touched + self._from_tasks(db, wanted)

    def _former(self, paths: Sequence[str]) -> list[str]:
        """Find where files of these names were before they were moved; no living file is one."""
        names = [path.rpartition("/")[2] for path in paths]
        with self._database.transaction(self._place) as db:
            rows = db.execute(
                f"SELECT DISTINCT path FROM change WHERE {MINE}"
                " AND substring(path FROM '[^/]*$') = ANY(%(names)s) EXCEPT"
                f" SELECT path FROM file WHERE {MINE}",
                {**self._place.values, "names": names},
            ).fetchall()
        roots = [self._store.workspace.memory_root(scope) for scope in Scope]
        return [path for (path,) in rows if any(within(root, path) for root in roots)]

    def _from_tasks(self, db: Connection, needles: Sequence[str]) -> int:
        """A waiting task that holds such a text is failed: it would bring the text back."""
        gone = TaskFailure("erased", "the text of this task was erased before it ran")
        touched = 0
        rows = db.execute(
            f"SELECT project, {COLUMNS} FROM task WHERE {MINE} FOR UPDATE", self._place.values
        ).fetchall()
        for project, *row in rows:
            clean = [clean_column(value, needles, _PLACEHOLDER) for value in row[6:9]]
            if [_same(value) for value in clean] == [_same(value) for value in row[6:9]]:
                continue
            touched += 1
            task = to_task(row)
            status = task.status.value
            if task.status is TaskStatus.QUEUED:
                over = lane.step(task, Signal.FAIL, now=task.updated, failure=gone)
                status, clean = over.status.value, list(to_row(over)[6:9])
            values: dict[str, Any] = {**self._place.values, "here": project, "id": task.id,
                                      "status": status}  # fmt: skip
            values |= dict(zip(("payload", "result", "failure"), clean, strict=True))
            db.execute(
                "UPDATE task SET status = %(status)s, payload = %(payload)s, result = %(result)s,"
                " failure = %(failure)s, key = '', fingerprint = '' WHERE tenant = %(tenant)s"
                " AND owner = %(owner)s AND project = %(here)s AND id = %(id)s",
                values,
            )
        return touched


def _same(column: str | None) -> object:
    return None if column is None else json.loads(column)
