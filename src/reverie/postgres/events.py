"""Events as rows: numbered within a place, kept for a while, announced to every daemon.

Rules
- The number comes from the place's own row, which the transaction holds: events become visible in
  the order of their numbers, so who reads on from a number misses none.
- The announcement carries whose event it is and nothing of it; it leaves with the transaction.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.postgres.place import plain

if TYPE_CHECKING:
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.place import Place

EVENTS_CHANNEL: Final = "reverie_events"
TASKS_CHANNEL: Final = "reverie_tasks"
KEPT: Final = 2000
_PRUNE_EVERY: Final = 64
_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(project)s"


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event as it is kept."""

    id: int
    kind: str
    client: str
    private: bool
    data: Mapping[str, Any]
    at: datetime


def make_space(db: Connection, place: Place, project: str) -> None:
    """Make the row that counts for a project (or, empty, the person), unless it is there."""
    db.execute(
        "INSERT INTO space (tenant, owner, project, epoch) VALUES (%(tenant)s, %(owner)s,"
        " %(here)s, %(epoch)s) ON CONFLICT DO NOTHING",
        {**place.values, "here": project, "epoch": secrets.token_hex(8)},
    )


def append_event(
    db: Connection,
    place: Place,
    kind: str,
    data: Mapping[str, Any],
    *,
    at: datetime,
    client: str = "",
    private: bool = False,
) -> Callable[[], int]:
    """Number and keep an event, and announce it when the transaction ends.

    What is returned gives the number; asking for it is what waits for the server.
    """
    values = {**place.values, "epoch": secrets.token_hex(8)}
    numbered = db.execute(
        "WITH numbered AS (INSERT INTO space (tenant, owner, project, epoch, event) VALUES"
        " (%(tenant)s, %(owner)s, %(project)s, %(epoch)s, 1) ON CONFLICT (tenant, owner, project)"
        " DO UPDATE SET event = space.event + 1 RETURNING event)"
        " INSERT INTO event (tenant, owner, project, id, kind, client, private, data, at)"
        " SELECT %(tenant)s, %(owner)s, %(project)s, event, %(kind)s, %(client)s, %(private)s,"
        " %(data)s, %(at)s FROM numbered RETURNING id",
        {
            **values,
            "kind": kind,
            "client": plain(client),
            "private": private,
            "data": json.dumps(dict(data), default=str),
            "at": at,
        },
    )
    db.execute(
        f"DELETE FROM event WHERE {_HERE} AND id <= (SELECT event - %(kept)s FROM space"
        f" WHERE {_HERE} AND event %% %(every)s = 0)",
        {**values, "kept": KEPT, "every": _PRUNE_EVERY},
    )
    db.execute("SELECT pg_notify(%s, %s)", (EVENTS_CHANNEL, place.key))
    return lambda: int(numbered.fetchall()[0][0])


class PgEvents:
    """The events of one place."""

    def __init__(self, database: Database, place: Place, *, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._place = place
        self._clock = clock

    def append(
        self, kind: str, data: Mapping[str, Any], *, client: str = "", private: bool = False
    ) -> int:
        """Keep an event and announce it; return its number."""
        with self._database.transaction(self._place) as db:
            number = append_event(
                db, self._place, kind, data, at=self._clock(), client=client, private=private
            )
        return number()

    def after(self, last: int, *, limit: int = KEPT) -> list[StoredEvent]:
        """Return the newest events above a number, oldest first."""
        rows = self._database.rows(
            self._place,
            "SELECT * FROM (SELECT id, kind, client, private, data, at FROM event"
            f" WHERE {_HERE} AND id > %(after)s ORDER BY id DESC LIMIT %(limit)s) AS newest"
            " ORDER BY id",
            after=last,
            limit=limit,
        )
        return [
            StoredEvent(number, kind, client, private, json.loads(data), at)
            for number, kind, client, private, data, at in rows
        ]

    def epoch(self) -> tuple[str, int]:
        """Return the place's epoch, which no daemon's end changes, and its last number."""
        with self._database.transaction(self._place) as db:
            make_space(db, self._place, self._place.project)
            row = db.execute(
                f"SELECT epoch, event FROM space WHERE {_HERE}", self._place.values
            ).fetchone()
        return (row[0], int(row[1])) if row else ("", 0)
