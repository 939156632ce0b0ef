"""Tasks as rows, the same in every engine's queue."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.erasing.redaction import redact_json
from reverie.core.tasks import lane_rules
from reverie.types import Task, TaskFailure, TaskKind, TaskStatus
from reverie.types.tasks import Signal

if TYPE_CHECKING:
    from reverie.core.erasing.occurrences import WordsToErase

COLUMNS: Final = "id, kind, status, client, created, updated, payload, result, failure, attempts"
TEXTS: Final = slice(6, 9)
"""Where in a row the columns of JSON are, which can hold anybody's words."""
_ERASED: Final = TaskFailure("erased", "the text of this task was erased before it ran")


def to_row(task: Task) -> tuple[Any, ...]:
    """Turn a task into its row, in the order of `COLUMNS`."""
    failure = task.failure
    return (
        task.id,
        task.kind.value,
        task.status.value,
        task.client,
        stamp(task.created),
        stamp(task.updated),
        _dump(dict(task.payload)),
        None if task.result is None else _dump(dict(task.result)),
        None if failure is None else _dump([failure.code, failure.message, failure.details]),
        task.attempts,
    )


def to_task(row: Sequence[Any]) -> Task:
    """Turn a row, in the order of `COLUMNS`, into its task."""
    return Task(
        id=row[0],
        kind=TaskKind(row[1]),
        status=TaskStatus(row[2]),
        client=row[3],
        created=moment(row[4]),
        updated=moment(row[5]),
        payload=json.loads(row[6]),
        result=None if row[7] is None else json.loads(row[7]),
        failure=None if row[8] is None else TaskFailure(*json.loads(row[8])),
        attempts=row[9],
    )


def read_row(row: Sequence[Any]) -> Task | None:
    """Turn a row into its task; None for one that only damage can have written."""
    try:
        task = to_task(row)
    except (ValueError, TypeError, RecursionError):
        return None
    kinds: tuple[tuple[object, Any], ...] = (
        (task.id, str),
        (task.client, str),
        (task.payload, dict),
        (task.result, dict | None),
        (task.attempts, int),
    )
    return task if all(isinstance(value, kind) for value, kind in kinds) else None


def fingerprint(wanted: str, *, salt: str) -> str:
    """Hash a request with a salt, or with that of an earlier hash: equal texts do not show."""
    salt = salt.partition(":")[0]
    return f"{salt}:{hashlib.sha256((salt + wanted).encode('utf-8')).hexdigest()}"


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, default=str)


def stamp(at: datetime) -> str:
    """Write a time."""
    return at.astimezone(UTC).isoformat()


def moment(text: str) -> datetime:
    """Read a time."""
    return datetime.fromisoformat(text)


def known_moment(text: str) -> datetime | None:
    """Read a time; None for one that only damage can have written."""
    try:
        return moment(text)
    except (ValueError, TypeError):
        return None


def clean_column(column: str | None, to_erase: WordsToErase) -> str | None:
    """Take texts out of a column of JSON."""
    return None if column is None else redact_json(column, to_erase)


def without_words(row: Sequence[Any], to_erase: WordsToErase) -> tuple[str, list[Any]] | None:
    """Return the status and the columns of JSON of a row without the words; None when it holds none.

    A task that waits is failed: it would bring the words back.
    """
    clean = [clean_column(column, to_erase) for column in row[TEXTS]]
    if clean == list(row[TEXTS]):
        return None
    task = to_task(row)
    if task.status is not TaskStatus.QUEUED:
        return task.status.value, clean
    over = lane_rules.step(task, Signal.FAIL, now=task.updated, failure=_ERASED)
    return over.status.value, list(to_row(over)[TEXTS])
