"""What people and other programs change in files that we know: found by looking, recorded by the writer.

A file is as we last saw it while its size and times are; else its text decides. Looking writes nothing.
What is noted of a file is what was known of it before its text was read: an edit that comes between the two
is then found by the next look. A file that we removed and somebody put back is an edit, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.text.plain import digest
from reverie.errors import DiskFull, ReverieError
from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import Folders
from reverie.local.store.listing import markdown_files, signature
from reverie.local.store.settling import state_of
from reverie.types import FileDelta, Origin, RunInfo, Scope
from reverie.types.writing import Planned

if TYPE_CHECKING:
    import os

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
        states = self._journal.file_states()
        with Folders() as folders:
            for path in self._returned(states):
                with suppress(ReverieError):
                    found.append(
                        FileDelta(path, None, self._read(folders, self._roots.recorded(path)))
                    )
            for path, known in states.items():
                try:
                    same, now, _ = self._seen_again(folders, self._roots.recorded(path), known)
                except ReverieError:
                    continue  # something that is no text of ours stands there; reading tells of it
                if not same:
                    found.append(FileDelta(path, self._last_known(path, known.hash), now))
        return found

    def record_all(self) -> list[str]:
        """Record every file we know that changed without us, or is there again."""
        states = self._journal.file_states()
        return self.record([*states, *self._returned(states)])

    def _returned(self, states: Collection[str]) -> list[str]:
        """Return memories that are there again although the last run of them removed them."""
        found: list[str] = []
        for scope in Scope:
            root = self._roots.real(scope.value)
            there = {f"{root}/{rel}" for rel, _, _ in markdown_files(root)}
            if unknown := there.difference(states):
                known = sorted(unknown & self._journal.recorded_paths(f"{root}/"))
                found += [path for path in known if self._was_removed(path)]
        return found

    def _was_removed(self, path: str) -> bool:
        runs = self._journal.history(path)
        return bool(runs) and runs[-1][1] is None

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
            facts = self._facts(folders, place)
            if facts and (adopt or self._was_removed(path)):
                text = self._read(folders, place)
                if text or (text is not None and not adopt):
                    self._keep(Planned(path, None, text), place, facts)
                    edited.append(path)
            return
        same, now, facts = self._seen_again(folders, place, known)
        if not same:
            before = self._last_known(path, known.hash)
            self._keep(Planned(path, before, now), place, facts)
            edited.append(path)
        elif now is not None:
            self._journal.note_files([state_of(place, now, facts)], at=self._clock())

    def _keep(self, delta: Planned, place: Place, facts: os.stat_result | None) -> None:
        run = self._journal.begin([delta], EXTERNAL)
        self._journal.finish(run, [state_of(place, delta.after, facts)])

    def _seen_again(
        self, folders: Folders, place: Place, known: FileState
    ) -> tuple[bool, str | None, os.stat_result | None]:
        """Say whether a file says what it last said, its text where that had to be read, and its facts."""
        facts = self._facts(folders, place)
        if facts is None:
            return False, None, None
        if signature(facts) == known.signature:
            return True, None, facts
        now = self._read(folders, place)
        return now is not None and digest(now) == known.hash, now, facts

    def _facts(self, folders: Folders, place: Place) -> os.stat_result | None:
        with explained(Path(place.path)):
            return place.folder_in(folders).facts(place.name)

    def _read(self, folders: Folders, place: Place) -> str | None:
        return place.folder_in(folders).read_text(place.name, limit=self._limit)

    def _last_known(self, path: str, key: str) -> str | None:
        """Return the text we last saw; catalogs are generated and not kept, so theirs is empty."""
        runs = self._journal.history(path)
        return runs[-1][1] if runs and digest(runs[-1][1] or "") == key else ""
