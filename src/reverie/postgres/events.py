"""Events as rows: numbered within a place, kept for a while, announced to every daemon.

Rules
- The number comes from the place's own row, which the transaction holds: events become visible in
  the order of their numbers, so who reads on from a number misses none.
- The announcement carries whose event it is and nothing of it; it leaves with the transaction.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.errors import DiskFull, ReadOnly, TenantMoving
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


def make_spaces(db: Connection, place: Place, projects: Sequence[str]) -> None:
    """Make the rows that count for projects (or, empty, the person), unless they are there."""
    db.execute(
        "INSERT INTO space (tenant, owner, project, epoch) SELECT %(tenant)s, %(owner)s, k.* FROM"
        " unnest(%(projects)s::text[], %(epochs)s::text[]) AS k ON CONFLICT DO NOTHING",
        {
            **place.values,
            "projects": list(projects),
            "epochs": [secrets.token_hex(8) for _ in projects],
        },
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
    # One statement: what it costs to send and to plan is paid for each event.
    numbered = db.execute(
        "WITH numbered AS (INSERT INTO space (tenant, owner, project, epoch, event) VALUES"
        " (%(tenant)s, %(owner)s, %(project)s, %(epoch)s, 1) ON CONFLICT (tenant, owner, project)"
        " DO UPDATE SET event = space.event + 1 RETURNING event),"
        " kept AS (INSERT INTO event (tenant, owner, project, id, kind, client, private, data, at)"
        " SELECT %(tenant)s, %(owner)s, %(project)s, event, %(kind)s, %(client)s, %(private)s,"
        " %(data)s, %(at)s FROM numbered RETURNING id),"
        f" pruned AS (DELETE FROM event WHERE {_HERE} AND id <= (SELECT event - %(most)s"
        " FROM numbered WHERE event %% %(every)s = 0))"
        " SELECT id, pg_notify(%(channel)s, %(key)s) FROM kept",
        {
            **place.values,
            "epoch": secrets.token_hex(8),
            "kind": kind,
            "client": plain(client),
            "private": private,
            "data": json.dumps(dict(data), default=str),
            "at": at,
            "most": KEPT,
            "every": _PRUNE_EVERY,
            "channel": EVENTS_CHANNEL,
            "key": place.key,
        },
    )
    return lambda: int(numbered.fetchall()[0][0])


@dataclass(frozen=True, slots=True)
class NewEvent:
    """One event that has no number yet."""

    kind: str
    data: Mapping[str, Any]
    client: str = ""
    private: bool = False


class PgEvents:
    """The events of one place."""

    def __init__(self, database: Database, place: Place, *, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._place = place
        self._clock = clock

    def append(self, events: Sequence[NewEvent]) -> None:
        """Keep events in their order and announce them, all at once."""
        with self._database.transaction(self._place) as db:
            for item in events:
                append_event(
                    db,
                    self._place,
                    item.kind,
                    item.data,
                    at=self._clock(),
                    client=item.client,
                    private=item.private,
                )

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
        asked = f"SELECT epoch, event FROM space WHERE {_HERE}"
        rows = self._database.rows(self._place, asked)
        if not rows:
            try:
                with self._database.transaction(self._place) as db:
                    make_spaces(db, self._place, (self._place.project,))
                    rows = db.execute(asked, self._place.values).fetchall()
            except TenantMoving:
                raise
            except (ReadOnly, DiskFull):  # what was never written to can be read, too
                return secrets.token_hex(8), 0
        return (rows[0][0], int(rows[0][1])) if rows else ("", 0)
