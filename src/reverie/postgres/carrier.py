"""A place's memory as records that name no machine, and back again; the `Carrier` of this engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from reverie.core.moving.carriers import (
    as_records,
    check_place,
    keep_state,
    keep_turns,
    roots_of,
    states,
)
from reverie.core.moving.export_format import (
    HOME,
    NOT_FILES,
    ROOTS,
    check_file_address,
    is_plain,
    split_address,
)
from reverie.core.showing.provenance import adopted
from reverie.core.text.plain import digest
from reverie.errors import JournalCorrupt, ReverieError
from reverie.postgres.database import MINE
from reverie.postgres.place import guard, plain, within
from reverie.types import (
    Dropped,
    PortableFile,
    PortableRun,
    PortableState,
    PortableText,
    Turn,
    TurnsKept,
)

if TYPE_CHECKING:
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.history import PgHistory
    from reverie.postgres.place import Place
    from reverie.postgres.store.rowstore import PgStore
    from reverie.postgres.store.state import PgState, PgTree
    from reverie.types import PortableRecord, RunRecord

_PAGE: Final = 200


class PgCarrier:
    """Moves one place's memory."""

    def __init__(
        self,
        database: Database,
        place: Place,
        store: PgStore,
        *,
        tree: PgTree,
        history: PgHistory,
        state: PgState,
    ) -> None:
        self._database = database
        self._place = place
        self._store = store
        self._journal = store.journal
        self._tree = tree
        self._history = history
        self._state = state
        space = store.workspace
        self._roots = roots_of(space)
        self._others = (f"{space.home}/projects", f"{space.home}/{space.agents}", space.state)
        self.dropped: list[Dropped] = []

    # --- addresses --------------------------------------------------------------------------------

    def address(self, path: str) -> str | None:
        """Return the address of a file, or None when it is not of this memory."""
        below = [name for name in ROOTS if within(self._roots[name], path)]
        if not below:
            return None
        name = max(below, key=lambda item: len(self._roots[item]))
        rel = path[len(self._roots[name]) + 1 :]
        foreign = name == HOME and any(within(other, path) for other in self._others)
        return None if foreign or not is_plain(rel) else f"{name}/{rel}"

    def path(self, at: str) -> str:
        """Return the path of an address that a file may be written to."""
        root, rel = check_file_address(at)
        path = f"{self._roots[root]}/{rel}"
        check_place(at, self.address(path), self._roots)
        return guard(path, self._store.workspace)

    def _journal_path(self, at: str) -> str:
        root, rel = split_address(at)
        return f"{self._roots[root]}/{rel}"

    # --- reading ----------------------------------------------------------------------------------

    def records(self, *, journal: bool) -> Iterator[PortableRecord]:
        """Read everything, a record at a time."""
        self.dropped = []
        if journal:
            yield from self._runs()
        yield from self.files()
        yield from states(self._state, self._tree)
        seq = 0
        while page := self._history.since(seq, limit=_PAGE).turns:
            yield from page
            seq = page[-1].seq

    def files(self) -> Iterator[PortableFile]:
        """Read the files alone."""
        with self._database.transaction(self._place) as db:
            rows = db.execute(
                f"SELECT path, at, private FROM file WHERE {MINE} ORDER BY path", self._place.values
            ).fetchall()
        for path, moment, private in rows:
            at = self.address(path)
            if at is None or at.startswith(NOT_FILES):
                continue
            try:
                check_file_address(at)
                text = self._store.read(path)
            except ReverieError as error:
                self.dropped.append(Dropped(at, str(error)))
                continue
            if text is not None:
                yield PortableFile(at, text, moment.astimezone(UTC), private)

    def _runs(self) -> Iterator[PortableText | PortableRun]:
        sent: set[str] = set()
        last = ""
        while page := self._journal.since(last, limit=_PAGE):
            last = page[-1].id
            for record in page:
                try:
                    yield from self._run(record, sent)
                except JournalCorrupt as error:
                    self.dropped.append(Dropped(f"run {record.id}", str(error)))

    def _run(self, record: RunRecord, sent: set[str]) -> Iterator[PortableText | PortableRun]:
        with self._database.transaction(self._place) as db:
            kept = dict(
                db.execute(
                    f"SELECT path, private FROM change WHERE {MINE} AND run = %(run)s",
                    {**self._place.values, "run": record.id},
                ).fetchall()
            )
        deltas = [
            (at, item.before, item.after, kept.get(item.path, True))
            for item in self._journal.deltas(record.id)
            if (at := self.address(item.path)) is not None
        ]
        yield from as_records(record, deltas, sent)

    # --- writing ----------------------------------------------------------------------------------

    def date(self, files: Sequence[PortableFile]) -> None:
        """Remember since when files have had their content, before they are written."""
        with self._database.transaction(self._place) as db:
            for item in files:
                if item.updated:
                    self._version(db, self._journal_path(item.at), digest(item.text), item.updated)

    def _version(self, db: Connection, path: str, key: str, at: object) -> None:
        db.execute(
            "INSERT INTO version (tenant, owner, project, path, hash, at) VALUES (%(tenant)s,"
            " %(owner)s, %(here)s, %(path)s, %(hash)s, %(at)s) ON CONFLICT DO NOTHING",
            {
                **self._place.values,
                "here": self._place.project_of(path),
                "path": path,
                "hash": key,
                "at": at,
            },
        )

    def adopt(self, texts: Sequence[PortableText], runs: Sequence[PortableRun]) -> set[str]:
        """Take runs into the journal as they are; return the ids of those that were new."""
        known = {digest(item.text): item.text for item in texts}
        new: set[str] = set()
        with self._database.transaction(self._place) as db:
            for run in runs:
                if self._knows(db, run.record.id):
                    continue
                needed = {key for delta in run.deltas for key in (delta.before, delta.after) if key}
                known |= self._journal.texts(db, sorted(needed - known.keys()))
                if needed <= known.keys():
                    self._record(db, run, known)
                    new.add(run.record.id)
        return new

    def _knows(self, db: Connection, run: str) -> bool:
        # Also a run that is only seen from another project has its id, so the key itself is asked.
        row = db.execute(
            "SELECT 1 FROM run WHERE tenant = %(tenant)s AND owner = %(owner)s AND id = %(run)s",
            {**self._place.values, "run": plain(run)},
        ).fetchone()
        return row is not None

    def _record(self, db: Connection, run: PortableRun, texts: dict[str, str]) -> None:
        record = run.record
        values: dict[str, Any] = {
            **self._place.values,
            "id": plain(record.id),
            "at": record.at,
            "verb": plain(record.verb),
            "status": record.status,
            "session": plain(record.session),
            "turn": plain(record.turn),
            "origin": record.origin.value,
            "client": plain(record.client),
            "note": plain(record.note),
            "undoes": plain(record.undoes),
            "detail": json.dumps(adopted(record.detail), default=str),
        }
        db.execute(
            "INSERT INTO run (tenant, owner, project, id, at, verb, status, session, turn, origin,"
            " client, note, undoes, detail, task) VALUES (%(tenant)s, %(owner)s, %(project)s, %(id)s,"
            " %(at)s, %(verb)s, %(status)s, %(session)s, %(turn)s, %(origin)s, %(client)s, %(note)s,"
            " %(undoes)s, %(detail)s, '')",
            values,
        )
        for position, delta in enumerate(run.deltas):
            path = self._journal_path(delta.at)
            self._journal.put_change(
                db,
                record.id,
                position,
                path,
                before=texts[delta.before] if delta.before else None,
                after=texts[delta.after] if delta.after else None,
                private=delta.private,
            )
            if delta.after is not None and record.status != "rolled_back":
                self._version(db, path, delta.after, record.at)

    def keep_state(self, state: PortableState, *, dry_run: bool = False) -> bool:
        """Put a state file in place where there is none."""
        return keep_state(state, files=self._state, tree=self._tree, dry_run=dry_run)

    def keep_turns(self, turns: Sequence[Turn], *, dry_run: bool = False) -> TurnsKept:
        """Put turns into the history: numbered ones under their numbers, others at its end."""
        return keep_turns(turns, history=self._history, dry_run=dry_run)

    def close(self) -> None:
        """Close the history."""
        self._history.close()
