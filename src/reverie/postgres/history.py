"""The history of an agent as rows: numbered, appended and never rewritten but to erase.

Rules
- A number is given once: the head is held while turns are added, is raised and never lowered.
- Imported turns are known by their source; each comes once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.history import turns
from reverie.core.history.turn_log import (
    PLACED_BELOW,
    cleaned,
    distinct,
    named,
    plain,
    too_large,
    within,
)
from reverie.errors import FileTooLarge, TurnUnreadable
from reverie.types import Dropped, Problem, SecretFinding, Turn
from reverie.types.turns import Appended, Reading

if TYPE_CHECKING:
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.place import Place
    from reverie.types import TurnMessage
    from reverie.types.turns import Redact

_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = '' AND agent = %(agent)s"


class PgHistory:
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
        self._database = database
        self._place = place
        self._values = {**place.values, "agent": agent}
        self._clock = clock
        self._redact = redact
        self._max_bytes = max_bytes

    def close(self) -> None:
        """Close nothing: connections belong to the pool."""

    def head(self) -> int:
        """Return the highest number ever given."""
        rows = self._rows(f"SELECT last FROM head WHERE {_HERE}", {})
        return int(rows[0][0]) if rows else 0

    def count(self) -> int:
        """Count the turns."""
        return int(self._rows(f"SELECT count(*) FROM turn WHERE {_HERE}", {})[0][0])

    def _rows(self, statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        with self._database.transaction(self._place) as db:
            return db.execute(statement, {**self._values, **values}).fetchall()

    # --- appending --------------------------------------------------------------------------------

    def append(
        self, messages: Sequence[TurnMessage], *, session: str = "", at: datetime | None = None
    ) -> Appended:
        """Add one finished exchange; no messages, no turn. Returns when it is durable."""
        return self.append_all([Turn(0, at or self._clock(), tuple(messages), session=session)])

    def append_all(self, drafts: Iterable[Turn]) -> Appended:
        """Add turns in this order under consecutive numbers; known sources are left out."""
        findings: list[SecretFinding] = []
        clean = [cleaned(draft, self._redact, findings) for draft in drafts if draft.messages]
        if not clean:
            return Appended(())
        with self._database.transaction(self._place) as db:
            number = self._hold_head(db)
            rows = db.execute(
                f"SELECT source FROM turn WHERE {_HERE} AND source = ANY(%(sources)s)",
                {**self._values, "sources": [_key(d.source) for d in clean if d.source]},
            )
            fresh = distinct(clean, {row[0] for row in rows})
            made, dropped = self._numbered(fresh, number, single=len(clean) == 1)
            for turn, data in made:
                self.put(db, turn, data)
            if made:
                self.raise_head(db, made[-1][0].seq)
        return Appended(
            tuple(turn for turn, _ in made),
            redactions=tuple(findings),
            known=len(clean) - len(fresh),
            dropped=tuple(dropped),
        )

    def restore(self, given: Iterable[Turn]) -> Appended:
        """Put turns back under the numbers they had; where another has the number, at the end."""
        findings: list[SecretFinding] = []
        clean = [cleaned(turn, self._redact, findings) for turn in given]
        missing = [turn for turn in clean if not self.holds(turn)]
        fresh, large = within(missing, self._max_bytes)
        placed: list[Turn] = []
        with self._database.transaction(self._place) as db:
            self._hold_head(db)
            rows = db.execute(
                f"SELECT seq FROM turn WHERE {_HERE} AND seq = ANY(%(numbers)s)",
                {**self._values, "numbers": [turn.seq for turn in fresh]},
            )
            taken = {row[0] for row in rows}
            for turn in sorted(fresh, key=lambda item: item.seq):
                if turn.seq < PLACED_BELOW and turn.seq not in taken:
                    taken.add(turn.seq)
                    self.put(db, turn, turns.encode(turn).encode("utf-8"))
                    self.raise_head(db, turn.seq)
                    placed.append(turn)
        there = {turn.seq for turn in placed}
        moved = self.append_all(named(turn) for turn in fresh if turn.seq not in there)
        known = len(clean) - len(missing) + moved.known
        return Appended((*placed, *moved.turns), tuple(findings), known, (*large, *moved.dropped))

    def holds(self, turn: Turn) -> bool:
        """Say whether a turn is there already: under its number, or by its source."""
        found = self.get(turn.seq) if turn.seq else None
        if found is not None and turns.encode(found) == turns.encode(turn):
            return True
        name = _key((named(turn) if turn.seq else turn).source)
        return bool(name) and bool(
            self._rows(f"SELECT 1 FROM turn WHERE {_HERE} AND source = %(name)s", {"name": name})
        )

    def _numbered(
        self, drafts: Sequence[Turn], number: int, *, single: bool
    ) -> tuple[list[tuple[Turn, bytes]], list[Dropped]]:
        made: list[tuple[Turn, bytes]] = []
        dropped: list[Dropped] = []
        for draft in drafts:
            turn = replace(draft, seq=number + 1, id=turns.turn_id(number + 1))
            data = turns.encode(turn).encode("utf-8")
            if len(data) > self._max_bytes:
                if single:
                    raise FileTooLarge(
                        f"this turn has {len(data):,} bytes, over the limit of"
                        f" {self._max_bytes:,}; shorten its tool output, or raise"
                        " memory.max_file_bytes"
                    )
                dropped.append(too_large(draft, len(data)))
                continue
            number += 1
            made.append((turn, data))
        return made, dropped

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
                "session": _key(turn.session),
                "source": _key(turn.source),
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

    def latest(self, limit: int, *, before: int | None = None, own: bool = False) -> Reading:
        """Return the last turns (below `before`, if given), oldest first."""
        return self._newest(limit, above=0, below=before or turns.MAX_SEQ + 1, own=own)

    def since(self, seq: int, *, limit: int, own: bool = False) -> Reading:
        """Return the first turns above a number, oldest first."""
        only = "AND source = ''" if own else ""
        return self._read(
            f"AND seq > %(above)s {only} ORDER BY seq LIMIT %(limit)s",
            {"above": seq, "limit": max(limit, 0)},
        )

    def replay(self, limit: int, *, checkpoint: int) -> Reading:
        """Return the last turns of our own that working memory does not cover yet, oldest first."""
        return self._newest(limit, above=checkpoint, below=turns.MAX_SEQ + 1, own=True)

    def take(self, seq: int, *, limit: int, own: bool = False) -> tuple[Turn, ...]:
        """Return the first turns above a number."""
        return self.since(seq, limit=limit, own=own).turns

    def recent(self, limit: int, *, checkpoint: int) -> tuple[Turn, ...]:
        """Return the last own turns above a checkpoint."""
        return self.replay(limit, checkpoint=checkpoint).turns

    def _newest(self, limit: int, *, above: int, below: int, own: bool) -> Reading:
        only = "AND source = ''" if own else ""
        found = self._read(
            f"AND seq > %(above)s AND seq < %(below)s {only} ORDER BY seq DESC LIMIT %(limit)s",
            {"above": above, "below": min(below, turns.MAX_SEQ + 1), "limit": max(limit, 0)},
        )
        return Reading(tuple(reversed(found.turns)), found.problems)

    def _read(self, tail: str, values: dict[str, Any]) -> Reading:
        found: list[Turn] = []
        problems: list[Problem] = []
        rows = self._rows(f"SELECT seq, record FROM turn WHERE {_HERE} {tail}", values)
        for seq, record in rows:
            try:
                found.append(turns.decode(bytes(record).decode("utf-8"), seq=seq).turn)
            except (TurnUnreadable, UnicodeDecodeError) as error:
                problems.append(Problem("turn_unreadable", f"turn {seq}: {error}"))
        return Reading(tuple(found), tuple(problems))


def _key(text: str) -> str:
    return plain(text).replace("\x00", "\ufffd")
