"""What people and other programs change in files that we know: found by looking, recorded by the writer.

A file is as we last saw it while its size and times are; else its text decides. Looking writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.text.plain import digest
from reverie.errors import DiskFull, ReverieError
from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import Folders
from reverie.local.store.catalogs import state_of
from reverie.local.store.listing import signature
from reverie.types import FileDelta, Origin, RunInfo
from reverie.types.writing import Planned

if TYPE_CHECKING:
    from reverie.local.journal.journal import FileState, JournalDb
    from reverie.local.store.roots import Place, Roots

EXTERNAL = RunInfo(verb="external-edit", origin=Origin.OWNER, note="edited outside Reverie")


class HandEdits:
    """The edits of one home that no run of ours made."""

    def __init__(
        self, journal: JournalDb, roots: Roots, *, clock: Callable[[], datetime], limit: int
    ) -> None:
        self._journal = journal
        self._roots = roots
        self._clock = clock
        self._limit = limit

    def found(self) -> list[FileDelta]:
        """Return what was changed or removed since we last looked; nothing is written."""
        found: list[FileDelta] = []
        with Folders() as folders:
            for path, known in self._journal.file_states().items():
                try:
                    same, now = self._seen_again(folders, self._roots.recorded(path), known)
                except ReverieError:
                    continue  # something that is no text of ours stands there; reading tells of it
                if not same:
                    found.append(FileDelta(path, self._last_known(path, known.hash), now))
        return found

    def record(self, paths: Iterable[str], *, adopt: bool = False) -> list[str]:
        """Record files that changed without us, under the writer's lock; `adopt` also unknown ones."""
        edited: list[str] = []
        with Folders() as folders:
            for path in paths:
                try:
                    self._record(path, folders, edited, adopt=adopt)
                except DiskFull:
                    raise
                except ReverieError:
                    continue  # something that is no text of ours stands there; reading tells of it
        return edited

    def _record(self, path: str, folders: Folders, edited: list[str], *, adopt: bool) -> None:
        known = self._journal.file_state(path)
        place = self._roots.recorded(path)
        if known is None:
            text = self._read(folders, place) if adopt else None
            if text:
                self._keep(Planned(path, None, text), folders, place)
                edited.append(path)
            return
        same, now = self._seen_again(folders, place, known)
        if not same:
            before = self._last_known(path, known.hash)
            self._keep(Planned(path, before, now), folders, place)
            edited.append(path)
        elif now is not None:
            self._journal.note_files([state_of(folders, place, now)], at=self._clock())

    def _keep(self, delta: Planned, folders: Folders, place: Place) -> None:
        run = self._journal.begin([delta], EXTERNAL)
        self._journal.finish(run, [state_of(folders, place, delta.after)])

    def _seen_again(
        self, folders: Folders, place: Place, known: FileState
    ) -> tuple[bool, str | None]:
        """Say whether a file says what it last said, and its text where that had to be read."""
        with explained(Path(place.path)):
            facts = place.folder_in(folders).facts(place.name)
        if facts is None:
            return False, None
        if signature(facts) == known.signature:
            return True, None
        now = self._read(folders, place)
        return now is not None and digest(now) == known.hash, now

    def _read(self, folders: Folders, place: Place) -> str | None:
        return place.folder_in(folders).read_text(place.name, limit=self._limit)

    def _last_known(self, path: str, key: str) -> str | None:
        """Return the text we last saw; catalogs are generated and not kept, so theirs is empty."""
        runs = self._journal.history(path)
        return runs[-1][1] if runs and digest(runs[-1][1] or "") == key else ""
