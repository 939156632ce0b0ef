"""The journal's texts: each stored once, compressed, under the hash of its content."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Sequence

from reverie.core.text import digest

SCHEMA = "CREATE TABLE text (hash TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID"


def keep(db: sqlite3.Connection, text: str | None) -> str | None:
    """Store a text unless it is there already; return its key."""
    if text is None:
        return None
    key = digest(text)
    packed = zlib.compress(text.encode("utf-8", "surrogateescape"), 6)
    db.execute("INSERT OR IGNORE INTO text (hash, data) VALUES (?, ?)", (key, packed))
    return key


def fetch(db: sqlite3.Connection, key: str) -> str | None:
    """Return a text by its key, or None when it is lost or damaged."""
    row = db.execute("SELECT data FROM text WHERE hash = ?", (key,)).fetchone()
    return _unpack(row[0]) if row and _intact(key, row[0]) else None


def broken(db: sqlite3.Connection) -> list[str]:
    """Return the keys of texts that are damaged, or needed by a run and missing."""
    damaged = [
        key for key, data in db.execute("SELECT hash, data FROM text") if not _intact(key, data)
    ]
    missing = db.execute(
        "SELECT DISTINCT hash FROM (SELECT before AS hash FROM change UNION SELECT after FROM change)"
        " WHERE hash IS NOT NULL AND hash NOT IN (SELECT hash FROM text)"
    ).fetchall()
    return damaged + [row[0] for row in missing]


def matching(db: sqlite3.Connection, predicate: Callable[[str], bool]) -> list[str]:
    """Return the keys of texts for which the predicate is true."""
    rows = db.execute("SELECT hash, data FROM text")
    return [key for key, data in rows if _intact(key, data) and predicate(_unpack(data))]


def redact(db: sqlite3.Connection, needles: Sequence[str], placeholder: str) -> int:
    """Replace the needles in every text and give it a new key; return how many texts that were.

    Runs that refer to such a text can no longer be undone, and are marked `erased`.
    """
    longest_first = sorted({item for item in needles if item.strip()}, key=len, reverse=True)
    touched = 0
    for key, data in db.execute("SELECT hash, data FROM text").fetchall():
        if not _intact(key, data):
            continue
        old = new = _unpack(data)
        for needle in longest_first:
            new = new.replace(needle, placeholder)
        if new != old:
            _rekey(db, key, new)
            touched += 1
    for needle in longest_first:
        escaped = json.dumps(needle)[1:-1]  # as it stands inside the JSON of the details
        db.execute("UPDATE run SET note = replace(note, ?, ?)", (needle, placeholder))
        db.execute("UPDATE run SET detail = replace(detail, ?, ?)", (escaped, placeholder))
    return touched


def _rekey(db: sqlite3.Connection, key: str, text: str) -> None:
    fresh = keep(db, text)
    db.execute(
        "UPDATE run SET status = 'erased' WHERE status = 'done' AND id IN"
        " (SELECT run FROM change WHERE before = ?1 OR after = ?1)",
        (key,),
    )
    db.execute("UPDATE change SET before = ? WHERE before = ?", (fresh, key))
    db.execute("UPDATE change SET after = ? WHERE after = ?", (fresh, key))
    for table in ("version", "file_state", "text"):
        db.execute(f"DELETE FROM {table} WHERE hash = ?", (key,))


def _unpack(data: bytes) -> str:
    return zlib.decompress(data).decode("utf-8", "surrogateescape")


def _intact(key: str, data: bytes) -> bool:
    try:
        return digest(_unpack(data)) == key
    except (zlib.error, UnicodeDecodeError):
        return False
