"""Check that rows fit together, and that what was forgotten is gone from all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reverie.core.erasing.receipts import name_traces, trace_found, traces
from reverie.core.runs.recording import lost_text
from reverie.core.text.plain import digest
from reverie.core.topics.catalog import stale_catalog
from reverie.postgres.database import MINE
from reverie.postgres.place import unpack
from reverie.types import Problem, Scope, Verified

if TYPE_CHECKING:
    from reverie.postgres.database import Database
    from reverie.postgres.place import Place
    from reverie.postgres.store.journal import PgJournal
    from reverie.postgres.store.rowstore import PgStore
    from reverie.types import Receipt

_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
# table: what to call a row, and its texts
_SEARCHED: Final = {
    "task": ("id", "coalesce(payload, '') || ' ' || coalesce(result, '') || ' ' || coalesce(failure, '')"),
    "state": ("name", "value"),
    "log": ("stream", "data"),
    "event": ("kind", "data"),
    "document": ("path", "title || ' ' || path"),
    "run": ("id", "note || ' ' || detail"),
}  # fmt: skip


def verify(database: Database, place: Place, store: PgStore) -> Verified:
    """Check journal, files and catalogs; nothing is changed."""
    problems = [lost_text(key) for key in store.journal.broken_texts()]
    with database.reading(place) as db:
        rows = db.execute(f"SELECT path, hash, content FROM file WHERE {MINE}", place.values)
        problems += [
            Problem("file_damaged", f"{path} is not what was written", path)
            for path, key, content in rows
            if digest(unpack(content)) != key
        ]
        for scope in Scope:
            if not store.paths(store.workspace.memory_root(scope)):
                continue
            expected, held, _ = store.expected_catalogs(db, scope)
            problems += [
                stale_catalog(path) for path, text in expected.items() if held.get(path) != text
            ]
    runs, files = store.journal.counts()
    return Verified(runs=runs, files=files, problems=tuple(problems))


def verify_forgotten(
    database: Database, place: Place, journal: PgJournal, receipt: Receipt
) -> Verified:
    """Look for what a receipt says is gone, in every table that holds words."""
    problems: list[Problem] = []
    files = 0
    with database.transaction(place) as db:
        rows = db.execute(f"SELECT path, content FROM file WHERE {MINE}", place.values).fetchall()
        for path, content in rows:
            files += 1
            named = name_traces(path.rpartition("/")[2], receipt)
            if named or traces(unpack(content), receipt):
                problems.append(_trace(path))
        turns = db.execute(f"SELECT agent, seq, record FROM turn WHERE {MINE}", place.values)
        problems += [
            _trace(f"turn {seq} of {agent}")
            for agent, seq, record in turns
            if traces(_unescaped(unpack(record)), receipt)
        ]
        for table, (name, texts) in _SEARCHED.items():
            if table == "run" and not receipt.erased:
                continue  # what was only forgotten can be undone, so the journal still has it
            scope = MINE if table != "run" else "tenant = %(tenant)s AND owner = %(owner)s"
            found = db.execute(f"SELECT {name}, {texts} FROM {table} WHERE {scope}", place.values)
            problems += [
                _trace(f"{table} {row}") for row, text in found if traces(_unescaped(text), receipt)
            ]
    if receipt.erased:
        problems += [
            _trace(f"the journal's text {key[:12]}")
            for key in journal.contains(lambda text: traces(text, receipt))
        ]
    return Verified(runs=journal.counts()[0], files=files, problems=tuple(problems))


def _unescaped(text: str) -> str:
    """Show the characters that JSON wrote as numbers."""
    shown = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    return shown.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _trace(where: str) -> Problem:
    return trace_found(where, where)
