"""A place's memory as records that name no machine, and back again; the `Carrier` of this engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.core.moving.carriers import MemoryCarrier, check_place
from reverie.core.moving.export_format import (
    NOT_FILES,
    check_file_address,
)
from reverie.core.showing.provenance import adopted
from reverie.core.text.plain import digest
from reverie.errors import ReverieError
from reverie.postgres.database import MINE
from reverie.postgres.place import guard, plain
from reverie.types import (
    Dropped,
    PortableFile,
    PortableRun,
    PortableText,
)
from reverie.types.writing import Planned

if TYPE_CHECKING:
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.history import PgHistory
    from reverie.postgres.place import Place
    from reverie.postgres.store.rowstore import PgStore
    from reverie.postgres.store.state import PgState, PgTree


class PgCarrier(MemoryCarrier):
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
        super().__init__(
            store.workspace, runs=store.journal, tree=tree, history=history, state=state
        )
        self._database = database
        self._place = place
        self._store = store
        self._journal = store.journal

    # --- addresses --------------------------------------------------------------------------------

    def path(self, at: str) -> str:
        """Return the path of an address that a file may be written to."""
        root, rel = check_file_address(at)
        path = f"{self._roots[root]}/{rel}"
        check_place(at, self.address(path), self._roots)
        return guard(path, self._store.workspace)

    # --- reading ----------------------------------------------------------------------------------

    def files(self) -> Iterator[PortableFile]:
        """Read the files alone."""
        rows = self._database.rows(
            self._place, f"SELECT path, at, private FROM file WHERE {MINE} ORDER BY path"
        )
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

    # --- writing ----------------------------------------------------------------------------------

    def date(self, files: Sequence[PortableFile]) -> None:
        """Remember since when files have had their content, before they are written."""
        with self._database.transaction(self._place) as db:
            self._journal.put_versions(
                db,
                [
                    (self._journal_path(item.at), digest(item.text), item.updated)
                    for item in files
                    if item.updated
                ],
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
        record = replace(run.record, detail=adopted(run.record.detail))
        self._journal.put_run(db, record)
        planned: list[Planned] = []
        versions: list[tuple[str, str, datetime]] = []
        for delta in run.deltas:
            path = self._journal_path(delta.at)
            before, after = (texts[key] if key else None for key in (delta.before, delta.after))
            planned.append(Planned(path, before, after, delta.private))
            if delta.after is not None and record.status != "rolled_back":
                versions.append((path, delta.after, record.at))
        self._journal.put_changes(db, plain(record.id), planned)
        self._journal.put_versions(db, versions)
