"""Logs: small records of what ran. Nobody waits for them.

Rules
- A recall writes nothing itself, so that it can be answered where nothing can be written. What it would
  note is kept for a moment and written together with what else is to be noted then.
- Whoever reads a log or erases words in it writes first what this process still has to note.
- What cannot be written (the database is away, full or read-only) is left out, never waited for; a
  process that is killed loses what it would have noted within the last moment.
- What a model's answers cost is written at once, for others ask how much is left.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary, proxy

from reverie.errors import ReverieError
from reverie.postgres.database import MINE
from reverie.postgres.place import plain

if TYPE_CHECKING:
    from reverie.postgres.database import Database
    from reverie.postgres.place import Place

_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(project)s"
_KEPT_RECORDS: Final = 100_000
_PRUNE_EVERY: Final = 1000
_MOMENT: Final = 0.25
_MOST_WAITING: Final = 10_000
_Record = tuple[str, str, datetime, str]
"""Stream, name, time, and the rest as JSON."""


class LogKeeper:
    """Writes what is to be noted, a moment later and together; one thread, only while there is any."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[tuple[Place, _Record]] = deque(maxlen=_MOST_WAITING)
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None

    def later(self, place: Place, record: _Record) -> None:
        """Note something soon."""
        with self._changed:
            self._waiting.append((place, record))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="reverie-logs", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._thread = None
                    return
                self._changed.wait(_MOMENT)
            with suppress(ReferenceError):  # the database was closed, and everything written
                self.write()

    def write(self) -> None:
        """Write what waits; return when it is written or was left out."""
        with self._writing:
            with self._changed:
                taken = list(self._waiting)
                self._waiting.clear()
            by_place: dict[Place, list[_Record]] = {}
            for place, record in taken:
                by_place.setdefault(place, []).append(record)
            for place, records in by_place.items():
                with suppress(ReverieError):
                    add_records(self._database, place, records)


def add_records(database: Database, place: Place, records: list[_Record]) -> None:
    """Append records to logs of a place, and forget the oldest now and then."""
    names = ("streams", "names", "ats", "data")
    columns = {name: [record[at] for record in records] for at, name in enumerate(names)}
    with database.transaction(place) as db:
        db.execute("SET LOCAL synchronous_commit = off")  # nobody waits for the disk
        added = db.execute(
            "INSERT INTO log (tenant, owner, project, stream, name, at, data) SELECT %(tenant)s,"
            " %(owner)s, %(project)s, n.* FROM unnest(%(streams)s::text[], %(names)s::text[],"
            " %(ats)s::timestamptz[], %(data)s::text[]) AS n RETURNING id, stream",
            {**place.values, **columns},
        )
    for number, stream in added.fetchall():
        if number % _PRUNE_EVERY == 0:
            with database.transaction(place) as db:
                db.execute(
                    f"DELETE FROM log WHERE {_HERE} AND stream = %(stream)s AND id < (SELECT id FROM"
                    f" log WHERE {_HERE} AND stream = %(stream)s ORDER BY id DESC"
                    " OFFSET %(kept)s LIMIT 1)",
                    {**place.values, "stream": stream, "kept": _KEPT_RECORDS},
                )


_guard = threading.Lock()
_keepers: WeakKeyDictionary[Database, LogKeeper] = WeakKeyDictionary()


def keeper_of(database: Database) -> LogKeeper:
    """Return what writes the logs of this process in a database."""
    with _guard:
        if database not in _keepers:
            keeper = _keepers[database] = LogKeeper(proxy(database))
            database.before_close.append(keeper.write)
        return _keepers[database]


class PgLog:
    """A log of small records; the newest are kept."""

    damaged = 0  # the database keeps its own checksums

    def __init__(self, database: Database, place: Place, stream: str) -> None:
        self._database = database
        self._place = place
        self._stream = stream

    def add(self, name: str, data: Mapping[str, Any], *, at: datetime) -> None:
        """Append one record."""
        record = (self._stream, plain(name), at, json.dumps(dict(data), default=str))
        if self._stream == "usage":
            add_records(self._database, self._place, [record])
        else:
            keeper_of(self._database).later(self._place, record)

    def read(self, *, limit: int = 50, name: str | None = None) -> list[dict[str, Any]]:
        """Return the newest records first."""
        keeper_of(self._database).write()
        only = "AND name = %(name)s" if name is not None else ""
        rows = self._database.rows(
            self._place,
            f"SELECT name, at, data FROM log WHERE {MINE} AND stream = %(stream)s {only}"
            " ORDER BY id DESC LIMIT %(limit)s",
            stream=self._stream,
            limit=limit,
            name=plain(name or ""),
        )
        return [
            {"at": at.astimezone(UTC).isoformat(), "name": what, **json.loads(data)}
            for what, at, data in rows
        ]
