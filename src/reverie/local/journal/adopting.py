"""Runs of another journal, taken into ours as they are: their ids, dates, authors and texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.core.showing.provenance import adopted
from reverie.core.text.plain import digest
from reverie.local.journal import texts
from reverie.local.journal.journal import put_change, put_run, put_version

if TYPE_CHECKING:
    from reverie.local.journal.journal import JournalDb
    from reverie.types import PortableRun, PortableText


def adopt(
    journal: JournalDb,
    kept: Sequence[PortableText],
    runs: Sequence[PortableRun],
    *,
    path: Callable[[str], str],
) -> set[str]:
    """Record runs that are not known yet; return their ids.

    A run that refers to a text nobody brought is left out: it could be neither shown nor undone.
    `path` finds the file of an address.
    """
    new: set[str] = set()
    with journal.transaction() as db:
        for item in kept:
            texts.keep(db, item.text)
        for run in runs:
            if _knows(db, run.record.id) or not _complete(db, run):
                continue
            _record(db, run, path)
            new.add(run.record.id)
    return new


def note_dates(journal: JournalDb, dated: Iterable[tuple[str, str, datetime]]) -> None:
    """Remember since when files have had a text: (path, text, moment)."""
    with journal.transaction() as db:
        for path, text, at in dated:
            put_version(db, path, digest(text), _stamp(at))


def _knows(db: sqlite3.Connection, run: str) -> bool:
    return db.execute("SELECT 1 FROM run WHERE id = ?", (run,)).fetchone() is not None


def _complete(db: sqlite3.Connection, run: PortableRun) -> bool:
    keys = {key for delta in run.deltas for key in (delta.before, delta.after) if key}
    return all(
        db.execute("SELECT 1 FROM text WHERE hash = ?", (key,)).fetchone() is not None
        for key in keys
    )


def _record(db: sqlite3.Connection, run: PortableRun, path: Callable[[str], str]) -> None:
    record = replace(run.record, detail=adopted(run.record.detail))
    put_run(db, record)
    for position, delta in enumerate(run.deltas):
        keys = delta.before, delta.after
        put_change(db, record, position, path(delta.at), *keys, private=delta.private)


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
