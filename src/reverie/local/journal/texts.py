"""The journal's texts: each stored once, compressed, under the hash of its content."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from reverie.core.runs.recording import TOLD, packed, unpacked
from reverie.core.text.plain import digest
from reverie.local.disk.sqlite_file import as_text
from reverie.local.journal import row_sums

if TYPE_CHECKING:
    from reverie.core.erasing.occurrences import WordsToErase

SCHEMA = "CREATE TABLE text (hash TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID"
_CHANGE = row_sums.intact("change")
_TOLD = f"id, {', '.join(TOLD)}"


def keep(db: sqlite3.Connection, text: str | None) -> str | None:
    """Store a text unless it is there already; return its key."""
    if text is None:
        return None
    key = digest(text)
    db.execute("INSERT OR IGNORE INTO text (hash, data) VALUES (?, ?)", (key, packed(text)))
    return key


def fetch(db: sqlite3.Connection, key: str) -> str | None:
    """Return a text by its key, or None when it is lost or damaged."""
    row = db.execute("SELECT data FROM text WHERE hash = ?", (key,)).fetchone()
    return unpacked(key, row[0]) if row else None


def broken(db: sqlite3.Connection) -> list[str]:
    """Return the keys of texts that are damaged, or needed by a run and missing."""
    damaged = [
        as_text(key)
        for key, data in db.execute("SELECT hash, data FROM text")
        if unpacked(key, data) is None
    ]
    missing = db.execute(
        f"SELECT DISTINCT hash FROM (SELECT before AS hash FROM change WHERE {_CHANGE}"
        f" UNION SELECT after FROM change WHERE {_CHANGE})"
        " WHERE hash IS NOT NULL AND hash NOT IN (SELECT hash FROM text)"
    ).fetchall()
    return damaged + [as_text(row[0]) for row in missing]


def matching(db: sqlite3.Connection, predicate: Callable[[str], bool]) -> list[str]:
    """Return the keys of texts for which the predicate is true."""
    rows = db.execute("SELECT hash, data FROM text")
    kept = ((key, unpacked(key, data)) for key, data in rows)
    return [key for key, text in kept if text is not None and predicate(text)]


def stored(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return every text that a run found or left, with the path it stood at."""
    rows = db.execute(
        f"SELECT DISTINCT path, hash FROM (SELECT path, before AS hash FROM change WHERE {_CHANGE}"
        f" UNION SELECT path, after FROM change WHERE {_CHANGE}) WHERE hash IS NOT NULL"
        " ORDER BY path, hash"
    ).fetchall()
    read = ((as_text(path), fetch(db, as_text(key))) for path, key in rows)
    return [(path, text) for path, text in read if text is not None]


def redact(db: sqlite3.Connection, to_erase: WordsToErase) -> int:
    """Take the to_erase out of every text, which gets a new key, and of what runs say of themselves.

    Runs that refer to such a text can no longer be undone, and are marked `erased`. Returns how many
    texts and runs there were.
    """
    from reverie.core.erasing.redaction import clean_run, redact_markdown

    touched = 0
    for key, data in db.execute("SELECT hash, data FROM text").fetchall():
        old = unpacked(key, data)
        if old is not None and (new := redact_markdown(old, to_erase)) != old:
            _rekey(db, key, new)
            touched += 1
    for run, *row in db.execute(f"SELECT {_TOLD} FROM run").fetchall():
        said = [as_text(item) for item in row]
        clean = clean_run(said, to_erase)
        if clean != said:
            told = ", ".join(f"{name} = ?" for name in TOLD)
            row_sums.change(db, "run", told, "id = ?", (*clean, run))
            touched += 1
    return touched


def runs_holding(db: sqlite3.Connection, to_erase: WordsToErase) -> int:
    """Count the runs that say something of the to_erase themselves."""
    from reverie.core.erasing.redaction import clean_run

    rows = db.execute(f"SELECT {_TOLD} FROM run").fetchall()
    every = ([as_text(item) for item in row] for _, *row in rows)
    return sum(clean_run(told, to_erase) != told for told in every)


def names(db: sqlite3.Connection) -> list[str]:
    """Return every path that the journal knows."""
    rows = db.execute("SELECT path FROM change UNION SELECT path FROM version")
    return sorted(path for (path,) in rows if isinstance(path, str))


def rename(db: sqlite3.Connection, paths: Mapping[str, str]) -> None:
    """Call files otherwise in every record; since when they were there is forgotten."""
    for path, name in paths.items():
        row_sums.change(db, "change", "path = ?", "path = ?", (name, path))
        db.execute("DELETE FROM file_state WHERE path = ?", (path,))
        db.execute("DELETE FROM version WHERE path = ?", (path,))


def _rekey(db: sqlite3.Connection, key: str, text: str) -> None:
    fresh = keep(db, text)
    touched = "status = 'done' AND id IN (SELECT run FROM change WHERE before = ? OR after = ?)"
    row_sums.change(db, "run", "status = 'erased'", touched, (key, key))
    row_sums.change(db, "change", "before = ?", "before = ?", (fresh, key))
    row_sums.change(db, "change", "after = ?", "after = ?", (fresh, key))
    for table in ("version", "file_state", "text"):
        db.execute(f"DELETE FROM {table} WHERE hash = ?", (key,))
