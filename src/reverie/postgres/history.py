"""The history of an agent as rows: numbered, appended and never rewritten but to erase.

Rules
- A number is given once: the head is held while turns are added, is raised and never lowered.
- Imported turns are known by their source; each comes once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.history import turns
from reverie.core.history.append_only import AppendOnlyHistory
from reverie.core.history.turn_log import distinct, numbered, placed
from reverie.errors import TurnUnreadable
from reverie.postgres.place import plain
from reverie.types import Problem, Turn
from reverie.types.turns import Appended, Reading

if TYPE_CHECKING:
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.place import Place
    from reverie.types.turns import Redact

_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = '' AND agent = %(agent)s"


class PgHistory(AppendOnlyHistory):
    """The open history of one agent."""

    def __init__(
        self,
        database: Database,
        place: Place,
        agent: str,
        *,
        clock: Callable[[], datetime],
        redact: Redact | None = None,
        max_bytes: int = 16 * 1024 * 1024,
    ) -> None:
        super().__init__(clock=clock, redact=redact, max_bytes=max_bytes)
        self._database = database
        self._place = place
        self._values: dict[str, Any] = {**place.values, "agent": agent}

    def close(self) -> None:
        """Close nothing: connections belong to the pool."""

    def head(self) -> int:
        """Return the highest number ever given."""
        rows = self._rows(f"SELECT last FROM head WHERE {_HERE}")
        return int(rows[0][0]) if rows else 0

    def count(self) -> int:
        """Count the turns."""
        return int(self._rows(f"SELECT count(*) FROM turn WHERE {_HERE}")[0][0])

    def _rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        return self._database.rows(self._place, statement, **self._values, **values)

    # --- appending --------------------------------------------------------------------------------

    def _add(self, drafts: Sequence[Turn]) -> Appended:
        with self._database.transaction(self._place) as db:
            above = self._hold_head(db)
            known = self._sources(db, [draft.source for draft in drafts if draft.source])
            fresh = distinct(drafts, known, key=plain)
            made, dropped = numbered(
                fresh, above=above, limit=self._max_bytes, single=len(drafts) == 1
            )
            for turn, data in made:
                self.put(db, turn, data)
            if made:
                self.raise_head(db, made[-1][0].seq)
        return Appended(
            tuple(turn for turn, _ in made),
            known=len(drafts) - len(fresh),
            dropped=dropped,
        )

    def _put_back(self, given: Sequence[Turn]) -> list[Turn]:
        with self._database.transaction(self._place) as db:
            self._hold_head(db)
            rows = db.execute(
                f"SELECT seq FROM turn WHERE {_HERE} AND seq = ANY(%(numbers)s)",
                {**self._values, "numbers": [turn.seq for turn in given]},
            )
            made = placed(given, {row[0] for row in rows})
            for turn, data in made:
                self.put(db, turn, data)
                self.raise_head(db, turn.seq)
        return [turn for turn, _ in made]

    def _known_sources(self, sources: Sequence[str]) -> set[str]:
        with self._database.transaction(self._place) as db:
            return self._sources(db, sources)

    def _sources(self, db: Connection, sources: Sequence[str]) -> set[str]:
        rows = db.execute(
            f"SELECT source FROM turn WHERE {_HERE} AND source = ANY(%(sources)s)",
            {**self._values, "sources": [plain(item) for item in sources]},
        )
        return {row[0] for row in rows}

    def _hold_head(self, db: Connection) -> int:
        db.execute(
            "INSERT INTO head (tenant, owner, project, agent, last) VALUES (%(tenant)s, %(owner)s,"
            " '', %(agent)s, 0) ON CONFLICT DO NOTHING",
            self._values,
        )
        row = db.execute(f"SELECT last FROM head WHERE {_HERE} FOR UPDATE", self._values).fetchone()
        return int(row[0]) if row else 0

    def raise_head(self, db: Connection, seq: int) -> None:
        """Note the highest number given."""
        db.execute(
            f"UPDATE head SET last = greatest(last, %(seq)s) WHERE {_HERE}",
            {**self._values, "seq": seq},
        )

    def put(self, db: Connection, turn: Turn, data: bytes) -> None:
        """Keep a turn under its number."""
        db.execute(
            "INSERT INTO turn (tenant, owner, project, agent, seq, at, session, source, record)"
            " VALUES (%(tenant)s, %(owner)s, '', %(agent)s, %(seq)s, %(at)s, %(session)s,"
            " %(source)s, %(record)s)",
            {
                **self._values,
                "seq": turn.seq,
                "at": turn.created_at,
                "session": plain(turn.session),
                "source": plain(turn.source),
                "record": data,
            },
        )

    # --- reading ----------------------------------------------------------------------------------

    def get(self, seq: int) -> Turn | None:
        """Return one turn, or None when there is none of that number."""
        if not 0 <= seq <= turns.MAX_SEQ:
            return None
        found = self._read("AND seq = %(seq)s", {"seq": seq}).turns
        return found[0] if found else None

    def since(self, seq: int, *, limit: int, own: bool = False) -> Reading:
        """Return the first turns above a number, oldest first."""
        only = "AND source = ''" if own else ""
        return self._read(
            f"AND seq > %(above)s {only} ORDER BY seq LIMIT %(limit)s",
            {"above": seq, "limit": max(limit, 0)},
        )

    def _last(self, limit: int, *, above: int, below: int, own: bool) -> Reading:
        only = "AND source = ''" if own else ""
        return self._read(
            f"AND seq > %(above)s AND seq < %(below)s {only} ORDER BY seq DESC LIMIT %(limit)s",
            {"above": above, "below": min(below, turns.MAX_SEQ + 1), "limit": max(limit, 0)},
        )

    def _read(self, tail: str, values: dict[str, Any]) -> Reading:
        found: list[Turn] = []
        problems: list[Problem] = []
        rows = self._rows(f"SELECT seq, record FROM turn WHERE {_HERE} {tail}", **values)
        for seq, record in rows:
            try:
                found.append(turns.decode(bytes(record).decode("utf-8"), seq=seq).turn)
            except (TurnUnreadable, UnicodeDecodeError) as error:
                problems.append(Problem("turn_unreadable", f"turn {seq}: {error}"))
        return Reading(tuple(found), tuple(problems))
