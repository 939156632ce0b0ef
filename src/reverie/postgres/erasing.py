"""Wiping: words out of every row of a place that is neither a file of the memory nor the journal.

Rows of other projects and persons cannot be seen from here, so they are neither searched nor changed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Final

from reverie.core.erasing import everywhere as rules
from reverie.core.erasing import places
from reverie.core.erasing.everywhere import Held, Tally
from reverie.core.erasing.redaction import redact_json
from reverie.core.history.sealing import resealed
from reverie.core.history.turns import turn_path
from reverie.core.tasks.rows import COLUMNS, without_words
from reverie.postgres.database import MINE
from reverie.postgres.place import pack, plain, unpack
from reverie.postgres.search import passages
from reverie.postgres.search.roots import roots_of
from reverie.postgres.store.logs import keeper_of

if TYPE_CHECKING:
    from reverie.core.erasing.everywhere import Erasure
    from reverie.core.erasing.occurrences import WordsToErase
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.place import Place
    from reverie.postgres.store.rowstore import PgStore

# table: kind of place, key of a row beside whose it is, and its column of JSON
_JSON: Final = {
    "state": (places.STATE, "name", "value"),
    "log": (places.EVENTS, "id", "data"),
    "event": (places.EVENTS, "id", "data"),
}
_ROW: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(here)s"


class EverywhereRows:
    """Everything of one place that can hold words."""

    def __init__(self, store: PgStore, database: Database, place: Place) -> None:
        self._space = store.workspace
        self._database = database
        self._place = place

    def held(self, erasure: Erasure, *, beside: bool) -> list[Held]:
        """Read the files that hold the words, in their text or their name; `beside`: what was heard."""
        found: list[Held] = []
        to_erase = erasure.living
        with self._database.transaction(self._place) as db:
            rows = db.execute(
                f"SELECT path, content FROM file WHERE {MINE} ORDER BY path", self._place.values
            ).fetchall()
        for path, content in rows:
            kind, root = places.kind_of(path, self._space)
            context = path.startswith(f"{self._space.base}/")
            file = Held(places.CONTEXT if context else kind, path, root, unpack(content))
            if beside and file.kind != places.HEARD:
                continue
            named = rules.name_holds(file.rel, to_erase)
            if named or to_erase.holds(file.text) or file.cleaned(erasure) != file.text:
                found.append(file)
        return found

    def sweep(self, to_erase: WordsToErase, *, erase: bool, beside: bool) -> Tally:
        """Count, and with `erase` clean, the rows that hold the words."""
        tally = Tally()
        keeper_of(self._database).write()
        with self._database.transaction(self._place) as db:
            for table, (kind, key, column) in _JSON.items():
                self._json(
                    db, table, kind, key, column, to_erase, tally, erase=erase, beside=beside
                )
            turns = set() if beside else self._turns(db, to_erase, erase=erase)
            tally.found(places.HISTORY, len(turns), erased=erase)
            found = self._index(db, turns, to_erase, erase=erase)
            tally.found(places.INDEX, found, erased=erase)
        tally.found(places.TASKS, self.tasks(to_erase, erase=erase), erased=erase)
        return tally

    def _json(
        self,
        db: Connection,
        table: str,
        kind: str,
        key: str,
        column: str,
        to_erase: WordsToErase,
        tally: Tally,
        *,
        erase: bool,
        beside: bool,
    ) -> None:
        rows = db.execute(
            f"SELECT project, {key}, {column} FROM {table} WHERE {MINE}", self._place.values
        ).fetchall()
        for project, name, value in rows:
            if name == places.NOTE:
                continue  # what is being erased is written there until it is done
            if beside and _cognition(name):
                continue
            clean = plain(redact_json(value, to_erase))
            if clean == value:
                continue
            if erase:
                db.execute(
                    f"UPDATE {table} SET {column} = %(clean)s WHERE {_ROW} AND {key} = %(name)s",
                    {**self._place.values, "here": project, "name": name, "clean": clean},
                )
            tally.found(_cognition(name) or kind, erased=erase)

    def _turns(
        self, db: Connection, to_erase: WordsToErase, *, erase: bool
    ) -> set[tuple[str, str]]:
        """Clean turns; return by which root and path the index knows them."""
        rows = db.execute(
            f"SELECT agent, seq, at, session, source, record FROM turn WHERE {MINE}",
            self._place.values,
        ).fetchall()
        touched: set[tuple[str, str]] = set()
        for agent, seq, at, session, source, record in rows:
            text = unpack(record)
            clean = redact_json(text, to_erase)
            names = [to_erase.redact(session), to_erase.redact(source)]
            if clean == text and names == [session, source]:
                continue
            if names[1] != source:
                names[1] += f"#{seq}"  # by its source a turn is known from all others
            touched.add((f"turns/{agent}", turn_path(seq, at)))
            if erase:
                db.execute(
                    "UPDATE turn SET record = %(record)s, session = %(session)s, source = %(source)s"
                    f" WHERE {_ROW} AND agent = %(agent)s AND seq = %(seq)s",
                    {
                        **self._place.values,
                        "here": "",
                        "agent": agent,
                        "seq": seq,
                        "session": names[0],
                        "source": names[1],
                        "record": pack(resealed(clean, before=text)),
                    },
                )
        return touched

    def _index(
        self,
        db: Connection,
        turns: Collection[tuple[str, str]],
        to_erase: WordsToErase,
        *,
        erase: bool,
    ) -> int:
        """Count documents that name the words; those whose text changed unseen are made anew too."""
        rows = db.execute(
            "SELECT project, id, root, path, concat_ws(chr(10), path, title, label, grp, problem,"
            " (SELECT string_agg(DISTINCT c.speaker, chr(10)) FROM chunk c WHERE c.tenant = d.tenant"
            " AND c.owner = d.owner AND c.project = d.project AND c.file = d.id))"
            f" FROM document d WHERE {MINE}",
            self._place.values,
        ).fetchall()
        naming = {(project, number) for project, number, _, _, told in rows if to_erase.holds(told)}
        ours = {root.name for root in roots_of(self._space)}
        unseen = {
            (project, number)
            for project, number, root, path, _ in rows
            if root not in ours or (root, path) in turns
        }
        for project in {project for project, _ in naming | unseen} if erase else ():
            self._unindex(db, project, [n for here, n in naming | unseen if here == project])
        return len(naming)

    def _unindex(self, db: Connection, project: str, documents: Sequence[int]) -> None:
        passages.drop(db, self._place, project, documents)
        # Looked at anew by the next search; that the words are kept in step stays said.
        db.execute(
            "UPDATE space SET indexed = CASE WHEN starts_with(indexed, %(stamp)s) THEN %(stamp)s"
            f" ELSE '' END WHERE {_ROW}",
            {**self._place.values, "here": project, "stamp": f"{passages.STAMP} "},
        )

    def tasks(self, to_erase: WordsToErase, *, erase: bool) -> int:
        """Count, and with `erase` clean, tasks; one that waits is failed: it would bring the text back."""
        touched = 0
        with self._database.transaction(self._place) as db:
            rows = db.execute(
                f"SELECT project, {COLUMNS} FROM task WHERE {MINE} FOR UPDATE", self._place.values
            ).fetchall()
            for project, *row in rows:
                clean = without_words(row, to_erase)
                if clean is None:
                    continue
                touched += 1
                if not erase:
                    continue
                values: dict[str, Any] = {**self._place.values, "here": project, "id": row[0],
                                          "status": clean[0]}  # fmt: skip
                values |= dict(zip(("payload", "result", "failure"), clean[1], strict=True))
                db.execute(
                    "UPDATE task SET status = %(status)s, payload = %(payload)s, result = %(result)s,"
                    f" failure = %(failure)s, key = '', fingerprint = '' WHERE {_ROW}"
                    " AND id = %(id)s",
                    values,
                )
        return touched


def _cognition(name: object) -> str:
    return places.COGNITION if isinstance(name, str) and "/cognition/" in name else ""
