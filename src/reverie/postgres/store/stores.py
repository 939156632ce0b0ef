"""The store that erases: words out of memory, its journal and every row beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from reverie.core.erasing.journal_eraser import JournalEraser
from reverie.core.erasing.places import NOTE
from reverie.errors import Locked
from reverie.postgres.database import MINE
from reverie.postgres.erasing import EverywhereRows
from reverie.postgres.leases import try_lease
from reverie.postgres.place import normal
from reverie.postgres.search.indexer import deadline
from reverie.postgres.store.state import Values

if TYPE_CHECKING:
    from reverie.core.erasing.everywhere import Erasure, Held, Tally
    from reverie.core.erasing.occurrences import WordsToErase
    from reverie.postgres.database import Database
    from reverie.postgres.place import Place
    from reverie.postgres.store.rowstore import PgStore
    from reverie.types import Applied, Change, RunInfo

_PAUSE_SECONDS: Final = 0.05


class ErasingRows(JournalEraser["PgStore"]):
    """A store that can also take words out of everything kept beside the memory."""

    def __init__(self, store: PgStore, database: Database, place: Place) -> None:
        super().__init__(store, journal=store.journal, space=store.workspace)
        self._database = database
        self._place = place
        self._note = Values(database, place, here=place.project)
        self._rows = EverywhereRows(store, database, place)

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run."""
        return self._store.apply(changes, run, scan=False)  # nothing is added

    # --- from the beginning to the end ------------------------------------------------------------

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other erasures of this place waiting."""
        # Long enough to follow a process that was killed: its lock is free when its lease is over.
        patience = self._store.settings.memory.lock_wait_seconds
        over = deadline(patience + self._database.lease_seconds)
        while True:
            with try_lease(self._database, self._place, NOTE) as lease:
                if lease:
                    yield
                    return
            if over():
                raise Locked("another erasure of this memory is under way; try again later")
            time.sleep(_PAUSE_SECONDS)

    def write_down(self, erasure: Mapping[str, Any] | None) -> None:
        """Keep what is being erased where a crash leaves it, or strike it out."""
        self._note.update(NOTE, lambda _: dict(erasure or {}))

    def written_down(self) -> Mapping[str, Any] | None:
        """Return an erasure that was not finished."""
        return self._note.read(NOTE) or None

    # --- what holds the words ---------------------------------------------------------------------

    def held(self, erasure: Erasure, *, beside: bool = False) -> list[Held]:
        """Read the files that hold the words; `beside`: what was heard alone."""
        return self._rows.held(erasure, beside=beside)

    def sweep(
        self,
        to_erase: WordsToErase,
        *,
        erase: bool,
        beside: bool = False,
        purge: Callable[[], Sequence[str]] = tuple,
    ) -> Tally:
        """Count, and with `erase` clean, what holds the words and is neither file nor journal."""
        tally = self._rows.sweep(to_erase, erase=erase, beside=beside)
        if erase:
            purge()
        return tally

    def erase_tasks(self, to_erase: WordsToErase) -> int:
        """Take the words out of tasks; return how many tasks held any."""
        return self._rows.tasks(to_erase, erase=True)

    def _living(self) -> Callable[[str], bool]:
        return set(self._store.paths(self._space.home)).__contains__

    def _named(self, paths: Sequence[str]) -> list[str]:
        named = [normal(path) for path in paths]
        names = [path.rpartition("/")[2] for path in named]
        rows = self._database.rows(
            self._place,
            f"SELECT DISTINCT path FROM change WHERE {MINE}"
            " AND substring(path FROM '[^/]*$') = ANY(%(names)s) EXCEPT"
            f" SELECT path FROM file WHERE {MINE}",
            names=names,
        )
        return [*named, *(path for (path,) in rows if self._store.in_memory(path))]
