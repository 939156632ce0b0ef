"""Stores for special hands: one that keeps an agent in the memory folders, one that erases."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Final

from reverie.core.erasing.everywhere import hidden_paths
from reverie.core.erasing.occurrences import PLACEHOLDER
from reverie.core.erasing.redaction import redact_markdown
from reverie.errors import Locked, RememberPathEscape
from reverie.postgres.database import MINE
from reverie.postgres.erasing import EverywhereRows
from reverie.postgres.place import normal, within
from reverie.postgres.search.indexer import deadline
from reverie.postgres.store.state import Values, try_lock
from reverie.types import Scope

if TYPE_CHECKING:
    from reverie.core.erasing.everywhere import Held, Tally
    from reverie.core.erasing.occurrences import WordsToErase
    from reverie.postgres.database import Database
    from reverie.postgres.place import Place
    from reverie.postgres.store.rowstore import PgStore
    from reverie.types import Applied, Change, RunInfo, Topic

_PAUSE_SECONDS: Final = 0.05
NOTE: Final = "erasing.json"
"""The state in which an erasure is written down while it is carried out."""


class ConfinedRows:
    """What an agent's draft is applied through."""

    def __init__(self, store: PgStore) -> None:
        self._store = store

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic of managed memory, newest first."""
        return self._store.topics(scope)

    def read(self, path: str) -> str | None:
        """Return a file's text, or None when there is no file."""
        return self._store.read(path)

    def writing(self, purpose: str) -> AbstractContextManager[None]:
        """Keep every other writer waiting."""
        return self._store.writing(purpose)

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run, if each lies in a memory folder."""
        roots = [self._store.workspace.memory_root(scope) for scope in Scope]
        for change in changes:
            if not any(within(root, normal(change.path)) for root in roots):
                raise RememberPathEscape(
                    f"{change.path} leads outside managed memory, so nothing was written",
                    path=change.path,
                )
        return self._store.apply(changes, run)


class ErasingRows:
    """A store that can also take words out of everything kept beside the memory."""

    def __init__(self, store: PgStore, database: Database, place: Place) -> None:
        self._store = store
        self._database = database
        self._place = place
        self._note = Values(database, place, here=place.project)
        self._rows = EverywhereRows(store, database, place)

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic."""
        return self._store.topics(scope)

    def read(self, path: str) -> str | None:
        """Return a file's text."""
        return self._store.read(path)

    def writing(self, purpose: str) -> AbstractContextManager[None]:
        """Keep every other writer waiting."""
        return self._store.writing(purpose)

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run."""
        return self._store.apply(changes, run, scan=False)  # nothing is added

    # --- from the beginning to the end ------------------------------------------------------------

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other erasures of this place waiting."""
        over = deadline(self._store.settings.memory.lock_wait_seconds)
        while True:
            with try_lock(self._database, self._place, NOTE) as held:
                if held:
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

    def held(self, to_erase: WordsToErase) -> list[Held]:
        """Read the files that hold the words."""
        return self._rows.held(to_erase)

    def sweep(
        self,
        to_erase: WordsToErase,
        *,
        erase: bool,
        purge: Callable[[], Sequence[str]] = tuple,
    ) -> Tally:
        """Count, and with `erase` clean, what holds the words and is neither file nor journal."""
        tally = self._rows.sweep(to_erase, erase=erase)
        if erase:
            purge()
        return tally

    def in_journal(self, to_erase: WordsToErase) -> int:
        """Count what of the journal holds the words: texts, runs and names."""
        journal = self._store.journal
        kept = len(journal.contains(lambda text: redact_markdown(text, to_erase) != text))
        kept += journal.runs_holding(to_erase)
        return kept + len(self._hidden(to_erase))

    def erase(
        self, to_erase: WordsToErase, *, paths: Sequence[str] = (), everywhere: bool = False
    ) -> int:
        """Take the words, and the names of these files, out of journal and tasks."""
        named = [normal(path) for path in paths]
        told = {
            path: f"{path.rpartition('/')[0]}/{PLACEHOLDER}"
            for path in [*named, *self._former(named)]
        }
        if everywhere:
            told = self._hidden(to_erase) | told
        touched = self._store.journal.erase(to_erase, names=told)
        if everywhere:
            return touched + len(told)
        return touched + self._rows.tasks(to_erase, erase=True)

    def certify(self, run: str, info: RunInfo) -> str:
        """Record what an erasure came to: in its run, or where no file changed in a new one."""
        return self._store.journal.certify(run, info)

    def _hidden(self, to_erase: WordsToErase) -> dict[str, str]:
        living = set(self._store.paths(self._store.workspace.home))
        names = self._store.journal.names()
        return hidden_paths(
            names, self._store.workspace, to_erase, living=lambda path: path in living
        )

    def _former(self, paths: Sequence[str]) -> list[str]:
        """Find where files of these names were before they were moved; no living file is one."""
        names = [path.rpartition("/")[2] for path in paths]
        with self._database.transaction(self._place) as db:
            rows = db.execute(
                f"SELECT DISTINCT path FROM change WHERE {MINE}"
                " AND substring(path FROM '[^/]*$') = ANY(%(names)s) EXCEPT"
                f" SELECT path FROM file WHERE {MINE}",
                {**self._place.values, "names": names},
            ).fetchall()
        roots = [self._store.workspace.memory_root(scope) for scope in Scope]
        return [path for (path,) in rows if any(within(root, path) for root in roots)]
