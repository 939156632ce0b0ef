"""The journal as rows: runs, what each did to which file, and every text once.

Rules
- A run and its files are written in the same transaction, so a run is done or was never there.
- Texts are stored once each, by content. Erasing a text re-keys it: not even its hash remains.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.runs.recording import (
    TOLD,
    detail_text,
    new_run,
    no_run,
    packed,
    run_of,
    the_run,
    unpacked,
)
from reverie.core.showing import provenance
from reverie.core.text.plain import digest
from reverie.errors import JournalCorrupt
from reverie.postgres.database import MINE
from reverie.postgres.place import lots, plain
from reverie.types import FileDelta, RunRecord
from reverie.types.writing import Planned

if TYPE_CHECKING:
    from reverie.core.erasing.occurrences import WordsToErase
    from reverie.postgres.database import Asked, Connection, Database
    from reverie.postgres.place import Place
    from reverie.types import RunInfo

_OWN: Final = "tenant = %(tenant)s AND owner = %(owner)s"
_TOLD: Final = f"id, {', '.join(TOLD)}"
_RUN: Final = (
    "SELECT r.id, r.at, r.verb, r.status, r.session, r.turn, r.origin, r.client, r.note, r.undoes,"
    " r.detail, (SELECT u.id FROM run u WHERE u.tenant = r.tenant AND u.owner = r.owner"
    " AND u.undoes = r.id AND u.undoes <> '' AND u.seq > r.seq AND u.status = 'done'"
    " ORDER BY u.seq DESC LIMIT 1),"
    " ARRAY(SELECT c.path FROM change c WHERE c.tenant = r.tenant AND c.owner = r.owner"
    " AND c.run = r.id ORDER BY c.position)"
    " FROM run r WHERE r.tenant = %(tenant)s AND r.owner = %(owner)s "
)
_UNDONE: Final = (
    f"AND r.id IN (SELECT undoes FROM run WHERE {_OWN} AND undoes <> '' AND status = 'done') "
)


class PgJournal:
    """The journal of one place."""

    def __init__(self, database: Database, place: Place, *, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._place = place
        self._clock = clock

    # --- writing, inside the store's transaction --------------------------------------------------

    def begin(
        self, db: Connection, planned: Sequence[Planned], info: RunInfo, *, undoes: str
    ) -> str:
        """Record a run and its texts; they are there when the transaction is."""
        run = new_run(
            info, now=self._clock(), token=secrets.token_hex(4), undoes=undoes, status="done"
        )
        self.put_run(db, run, task=str(info.detail.get("task", "")))
        self.put_changes(db, run.id, planned)
        return run.id

    def put_run(self, db: Connection, run: RunRecord, *, task: str = "") -> None:
        """Record a run."""
        db.execute(
            "INSERT INTO run (tenant, owner, project, id, at, verb, status, session, turn, origin,"
            " client, note, undoes, detail, task) VALUES (%(tenant)s, %(owner)s, %(project)s, %(id)s,"
            " %(at)s, %(verb)s, %(status)s, %(session)s, %(turn)s, %(origin)s, %(client)s, %(note)s,"
            " %(undoes)s, %(detail)s, %(task)s)",
            {
                **self._place.values,
                "id": plain(run.id),
                "at": run.at,
                "verb": plain(run.verb),
                "status": run.status,
                "session": plain(run.session),
                "turn": plain(run.turn),
                "origin": run.origin.value,
                "client": plain(run.client),
                "note": plain(run.note),
                "undoes": plain(run.undoes),
                "detail": detail_text(run),
                "task": plain(task),
            },
        )

    def put_changes(self, db: Connection, run: str, planned: Sequence[Planned]) -> None:
        """Record what a run did to files, in their order."""
        keyed = [
            (position, self._place.project_of(item.path), item)
            for position, item in enumerate(planned)
        ]
        texts = {
            (project, digest(text)): text
            for _, project, item in keyed
            for text in (item.before, item.after)
            if text is not None
        }
        self._keep(db, texts)
        for lot in lots(keyed, weight=lambda row: len(row[2].path)):
            db.execute(
                "INSERT INTO change (tenant, owner, project, run, position, path, before, after,"
                " private) SELECT %(tenant)s, %(owner)s, k.project, %(run)s, k.position, k.path,"
                " k.before, k.after, k.private FROM unnest(%(projects)s::text[],"
                " %(positions)s::int[], %(paths)s::text[], %(befores)s::text[], %(afters)s::text[],"
                " %(privates)s::bool[]) AS k (project, position, path, before, after, private)",
                {
                    **self._place.values,
                    "run": run,
                    "projects": [project for _, project, _ in lot],
                    "positions": [position for position, _, _ in lot],
                    "paths": [item.path for _, _, item in lot],
                    "befores": [_key(item.before) for _, _, item in lot],
                    "afters": [_key(item.after) for _, _, item in lot],
                    "privates": [item.private for _, _, item in lot],
                },
            )

    def put_versions(self, db: Connection, versions: Sequence[tuple[str, str, datetime]]) -> None:
        """Note since when files have had their texts (by their keys), unless that is known."""
        for lot in lots(versions, weight=lambda row: len(row[0])):
            db.execute(
                "INSERT INTO version (tenant, owner, project, path, hash, at) SELECT %(tenant)s,"
                " %(owner)s, k.* FROM unnest(%(projects)s::text[], %(paths)s::text[],"
                " %(hashes)s::text[], %(ats)s::timestamptz[]) AS k ON CONFLICT DO NOTHING",
                {
                    **self._place.values,
                    "projects": [self._place.project_of(path) for path, _, _ in lot],
                    "paths": [path for path, _, _ in lot],
                    "hashes": [key for _, key, _ in lot],
                    "ats": [at for _, _, at in lot],
                },
            )

    def _keep(self, db: Connection, texts: Mapping[tuple[str, str], str]) -> None:
        """Keep texts, by the project they belong to and their keys."""
        kept = [(project, key, packed(text)) for (project, key), text in texts.items()]
        for lot in lots(kept, weight=lambda row: len(row[2])):
            db.execute(
                "INSERT INTO content (tenant, owner, project, hash, data) SELECT %(tenant)s,"
                " %(owner)s, k.* FROM unnest(%(projects)s::text[], %(hashes)s::text[],"
                " %(data)s::bytea[]) AS k ON CONFLICT DO NOTHING",
                {
                    **self._place.values,
                    "projects": [project for project, _, _ in lot],
                    "hashes": [key for _, key, _ in lot],
                    "data": [data for _, _, data in lot],
                },
            )

    # --- reading ----------------------------------------------------------------------------------

    def _rows(self, statement: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
        return self._database.rows(self._place, statement, **(values or {}))

    def log(
        self,
        *,
        limit: int = 50,
        path: str | None = None,
        verb: str | None = None,
        undone: bool = False,
    ) -> list[RunRecord]:
        """Return the newest runs first: those that touched a path, of one verb, or that a later run undid."""
        touched = (
            "AND r.id IN (SELECT c.run FROM change c WHERE c.tenant = %(tenant)s"
            " AND c.owner = %(owner)s AND c.path = %(path)s) "
            if path is not None
            else ""
        )
        done_by = "AND r.verb = %(verb)s " if verb is not None else ""
        values = {"limit": limit, "path": None if path is None else plain(path), "verb": verb}
        which = f"{touched}{done_by}{_UNDONE if undone else ''}"
        return self._records(f"{which}ORDER BY r.seq DESC LIMIT %(limit)s", values)

    def since(self, run: str, *, limit: int) -> list[RunRecord]:
        """Return the first runs after one, oldest first; from the beginning when none is named."""
        after = (
            f"AND r.seq > coalesce((SELECT seq FROM run WHERE {_OWN} AND id = %(run)s), 0) "
            if run
            else ""
        )
        tail = f"{after}ORDER BY r.seq LIMIT %(limit)s"
        return self._records(tail, {"run": plain(run), "limit": limit})

    def record(self, run: str) -> RunRecord:
        """Return one run."""
        rows = self._records("AND r.id = %(run)s", {"run": plain(run)})
        if not rows:
            raise no_run(run)
        return rows[0]

    def resolve(self, run: str) -> str:
        """Return the full id of a run given by its id or an unambiguous beginning or end of it."""
        rows = self._rows(
            f"SELECT id FROM run WHERE {_OWN} AND (starts_with(id, %(run)s)"
            " OR right(id, length(%(run)s)) = %(run)s) LIMIT 3",
            {"run": plain(run)},
        )
        return the_run(run, [row[0] for row in rows])

    def deltas(self, run: str) -> list[FileDelta]:
        """Return the files of a run, before and after."""
        self.record(run)
        return [FileDelta(item.path, item.before, item.after) for item in self.raw_deltas(run)]

    def raw_deltas(self, run: str) -> list[Planned]:
        """Return the files of a run with their texts."""
        with self._database.reading(self._place) as db:
            values = {**self._place.values, "run": plain(run)}
            rows = db.execute(
                f"SELECT path, before, after, private FROM change WHERE {MINE} AND run = %(run)s"
                " ORDER BY position",
                values,
            ).fetchall()
            texts = self.texts(db, [key for row in rows for key in row[1:3] if key])
        return [
            Planned(path, _text(texts, before), _text(texts, after), private)
            for path, before, after, private in rows
        ]

    def history(self, path: str) -> list[tuple[RunRecord, str | None]]:
        """Return the runs that touched a path, oldest first, each with the text it left."""
        touching = self._records(
            "AND r.status IN ('done', 'erased') AND r.id IN (SELECT c.run FROM change c"
            " WHERE c.tenant = %(tenant)s AND c.owner = %(owner)s AND c.path = %(path)s)"
            " ORDER BY r.seq",
            {"path": plain(path)},
        )
        with self._database.reading(self._place) as db:
            values = {**self._place.values, "path": plain(path)}
            rows = db.execute(
                f"SELECT run, after FROM change WHERE {MINE} AND path = %(path)s", values
            ).fetchall()
            texts = self.texts(db, [key for _, key in rows if key])
        after = {run: _text(texts, key) for run, key in rows}
        return [(record, after.get(record.id)) for record in touching]

    def imported(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Tell for each path and text from where and when it was imported; empty when it was not."""
        if not texts:
            return {}
        with self._database.reading(self._place) as db:
            asked = self.ask_arrivals(db, list(texts))
        return self.read_arrivals(asked, texts)

    def ask_arrivals(self, db: Connection, paths: Sequence[str]) -> Asked:
        """Ask by which runs files came to what they are."""
        return db.execute(
            "SELECT c.path, r.id, r.origin, r.note, r.at, r.undoes, c.after, r.detail FROM change c"
            " JOIN run r ON r.tenant = c.tenant AND r.owner = c.owner AND r.id = c.run"
            " WHERE c.tenant = %(tenant)s AND c.owner = %(owner)s AND c.path = ANY(%(paths)s)"
            " AND r.status = 'done' ORDER BY r.seq DESC",
            {**self._place.values, "paths": [plain(path) for path in paths]},
        )

    def read_arrivals(self, asked: Asked, texts: Mapping[str, str]) -> dict[str, str]:
        """Tell for each path and text from where it was imported, by what was asked for."""
        arrivals: dict[str, list[provenance.Arrival]] = {plain(path): [] for path in texts}
        for path, run, origin, note, at, undoes, after, detail in asked.fetchall():
            if path in arrivals:
                when = at.astimezone(UTC).isoformat()
                arrivals[path].append((run, origin, note, when, undoes, after, detail))
        return {
            path: provenance.imported(arrivals[plain(path)], digest(text))
            for path, text in texts.items()
        }

    def _records(self, tail: str, values: dict[str, Any]) -> list[RunRecord]:
        rows = self._rows(_RUN + tail, values)
        return [run_of(row, at=row[1].astimezone(UTC), paths=row[12]) for row in rows]

    def texts(self, db: Connection, keys: Sequence[str]) -> dict[str, str]:
        """Return stored texts by their hashes; those that are lost or damaged are left out."""
        rows = db.execute(
            f"SELECT hash, data FROM content WHERE {MINE} AND hash = ANY(%(keys)s)",
            {**self._place.values, "keys": list(set(keys))},
        )
        return {key: text for key, data in rows if (text := unpacked(key, data)) is not None}

    def counts(self) -> tuple[int, int]:
        """Return how many runs and files the journal knows."""
        row = self._rows(
            f"SELECT (SELECT count(*) FROM run WHERE {_OWN}),"
            f" (SELECT count(*) FROM file WHERE {MINE})"
        )[0]
        return int(row[0]), int(row[1])

    def broken_texts(self) -> list[str]:
        """Return the hashes of stored texts that are damaged, or needed and missing."""
        rows = self._rows(f"SELECT hash, data FROM content WHERE {MINE}")
        whole = {key for key, data in rows if unpacked(key, data) is not None}
        damaged = [key for key, _ in rows if key not in whole]
        needed = self._rows(
            f"SELECT before FROM change WHERE {MINE} AND before IS NOT NULL UNION"
            f" SELECT after FROM change WHERE {MINE} AND after IS NOT NULL"
        )
        return damaged + [key for (key,) in needed if key not in whole and key not in damaged]

    # --- erasing ----------------------------------------------------------------------------------

    def contains(self, predicate: Callable[[str], bool]) -> list[str]:
        """Return the hashes of stored texts for which the predicate is true."""
        rows = self._rows(f"SELECT hash, data FROM content WHERE {MINE}")
        return [
            key
            for key, data in rows
            if (text := unpacked(key, data)) is not None and predicate(text)
        ]

    def erase(self, to_erase: WordsToErase, *, names: Mapping[str, str] | None = None) -> int:
        """Take to_erase out of every stored text and run; return how many of them held any.

        `names` are files whose own name tells too much, and what the records call them from now on.
        """
        from reverie.core.erasing.redaction import clean_run, redact_markdown

        touched = 0
        values = self._place.values
        with self._database.transaction(self._place) as db:
            rows = db.execute(
                f"SELECT project, hash, data FROM content WHERE {MINE} FOR UPDATE", values
            ).fetchall()
            for project, key, data in rows:
                old = unpacked(key, data)
                if old is not None and (new := redact_markdown(old, to_erase)) != old:
                    self._rekey(db, {**values, "project": project, "hash": key}, new)
                    touched += 1
            for run, *told in db.execute(
                f"SELECT {_TOLD} FROM run WHERE {_OWN}", values
            ).fetchall():
                clean = [plain(text) for text in clean_run(told, to_erase)]
                if clean != told:
                    fresh = zip(TOLD, clean, strict=True)
                    db.execute(
                        "UPDATE run SET note = %(note)s, detail = %(detail)s, session = %(session)s,"
                        f" turn = %(turn)s, client = %(client)s WHERE {_OWN} AND id = %(id)s",
                        {**values, **dict(fresh), "id": run},
                    )
                    touched += 1
            for path, name in (names or {}).items():
                named = {**values, "path": plain(path), "hidden": plain(name)}
                db.execute(
                    f"UPDATE change SET path = %(hidden)s WHERE {MINE} AND path = %(path)s", named
                )
                db.execute(f"DELETE FROM version WHERE {MINE} AND path = %(path)s", named)
        return touched

    def runs_holding(self, to_erase: WordsToErase) -> int:
        """Count the runs that say something of the to_erase themselves."""
        from reverie.core.erasing.redaction import clean_run

        rows = self._rows(f"SELECT {_TOLD} FROM run WHERE {_OWN}")
        return sum(clean_run(told, to_erase) != told for _, *told in rows)

    def stored_texts(self) -> list[tuple[str, str]]:
        """Return every text that a run found or left at a path; what cannot be read is left out."""
        rows = self._rows(
            "SELECT DISTINCT c.path, t.hash, t.data FROM change c JOIN content t"
            " ON t.tenant = c.tenant AND t.owner = c.owner AND t.project = c.project"
            " AND t.hash IN (c.before, c.after)"
            " WHERE c.tenant = %(tenant)s AND c.owner = %(owner)s AND c.project IN ('', %(project)s)"
            " ORDER BY c.path, t.hash"
        )
        read = ((path, unpacked(key, data)) for path, key, data in rows)
        return [(path, text) for path, text in read if text is not None]

    def names(self) -> list[str]:
        """Return every path that the journal knows."""
        rows = self._rows(
            f"SELECT path FROM change WHERE {MINE} UNION SELECT path FROM version WHERE {MINE}"
        )
        return sorted(path for (path,) in rows)

    def certify(self, run: str, info: RunInfo) -> str:
        """Record what an erasure came to: in its run, or where no file changed in a new one."""
        with self._database.transaction(self._place) as db:
            run = run or self.begin(db, (), info, undoes="")
            db.execute(
                f"UPDATE run SET detail = %(detail)s, status = 'erased' WHERE {_OWN} AND id = %(id)s",
                {**self._place.values, "detail": detail_text(info), "id": run},
            )
        return run

    def _rekey(self, db: Connection, own: dict[str, Any], text: str) -> None:
        fresh = {**own, "fresh": digest(text)}
        self._keep(db, {(own["project"], fresh["fresh"]): text})
        same = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(project)s"
        db.execute(
            f"UPDATE run SET status = 'erased' WHERE {_OWN} AND status = 'done' AND id IN"
            f" (SELECT run FROM change WHERE {same} AND (before = %(hash)s OR after = %(hash)s))",
            fresh,
        )
        for column in ("before", "after"):
            db.execute(
                f"UPDATE change SET {column} = %(fresh)s WHERE {same} AND {column} = %(hash)s",
                fresh,
            )
        db.execute(f"DELETE FROM version WHERE {same} AND hash = %(hash)s", fresh)
        db.execute(f"DELETE FROM content WHERE {same} AND hash = %(hash)s", fresh)


def _key(text: str | None) -> str | None:
    return None if text is None else digest(text)


def _text(texts: dict[str, str], key: str | None) -> str | None:
    if key is None:
        return None
    if key not in texts:
        raise JournalCorrupt(f"the journal has lost a text ({key[:12]}); run `reverie verify`")
    return texts[key]
