"""What changed in a root since it was indexed: found by looking at its files.

Rules
- Where files may be edited in place every file is looked at; where they are only added or replaced,
  as turns are, folders whose time did not change are not looked into.
- A process that goes on asking asks the kernel instead (`store.look`): what was found to be as the index
  knows it stays so until a look tells of a change. What links lead to is looked at each time.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.local.search.sources import folders_changed, places, scan, scan_folders
from reverie.local.store.look import shared_look

if TYPE_CHECKING:
    from reverie.local.search.index_db import IndexDb
    from reverie.local.search.root_index import RootIndex
    from reverie.local.search.sources import Found, Root
    from reverie.local.store.look import Look

    State = tuple[object, ...]

__all__ = ["Changes", "Standing", "has_changed", "look"]


@dataclass(slots=True)
class Changes:
    """Files to read again, files and folders that are gone, and the times of folders."""

    files: list[Found] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    folders: dict[str, int] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.files or self.removed or self.folders or self.gone)


def look(index: RootIndex, db: IndexDb, *, everything: bool = False) -> Changes:
    """Compare the files of a root with what its index knows; `everything` takes nothing as known."""
    changes = Changes()
    if index.root.kind != "turns":
        known = {} if everything else index.signatures(db)
        changes.files += scan(index.root, known)
        changes.removed = list(known)
        return changes
    times = {} if everything else db.folders()
    gone = set(times)
    for folder in scan_folders(index.root, times, (lambda _: {}) if everything else db.signatures):
        gone.discard(folder.rel)
        if folder.looked_into:
            changes.folders[folder.rel] = folder.changed_ns
        changes.files += folder.files
        changes.removed += folder.removed
    changes.gone = sorted(gone)
    for rel in changes.gone:
        changes.removed += db.signatures(rel)
    return changes


class Standing:
    """What was last found of the files of a root, and whether it still holds."""

    def __init__(self, root: Root) -> None:
        self._places = [str(place) for place in places(root)]
        # Of a link a search asks more than what it leads to, and of an extra path more than Markdown.
        self._apt = root.kind in ("project", "managed", "layers")
        self._follow = root.kind == "managed"
        self._looks: dict[str, Look] = {}
        self._numbers: dict[str, int] = {}
        self._asked = False
        self._same: State | None = None

    def now(self, generation: object) -> State | None:
        """Look; return what is as long as nothing changes, None where that is not known for certain."""
        asked, self._asked = self._asked, True
        if not (asked and self._apt):
            return None  # a process that asks once is done before a look would pay
        try:
            return generation, *map(self._state_of, self._places)
        except (OSError, LookupError):
            return None

    def _state_of(self, place: str) -> object:
        try:
            facts = os.stat(place, follow_symlinks=self._follow)
        except OSError:
            return None
        if stat.S_ISREG(facts.st_mode):
            return facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino
        if not stat.S_ISDIR(facts.st_mode):
            raise LookupError(place)
        found = self._looks.get(place)
        if found is None:
            found = self._looks[place] = shared_look(place)
            self._numbers[place] = -1
        found.again = True
        self._numbers[place], _ = found.changes(self._numbers[place])
        if found.has_links:
            raise LookupError(place)
        return self._numbers[place]

    def holds(self, state: State | None) -> bool:
        """Say whether everything was as the index knows it when this was so, too."""
        return state is not None and state == self._same

    def note(self, state: State | None) -> None:
        """Note that everything is as the index knows it; None: that it is not."""
        self._same = state


def has_changed(index: RootIndex) -> bool:
    """Say whether anything changed, without making an index of nothing."""
    if not index.exists():
        return next(scan(index.root), None) is not None
    with index.reading() as snapshot:
        if index.root.kind == "turns":
            return folders_changed(index.root, snapshot.db.folders())
        # Looked at before the files are: what happens meanwhile is a change since.
        state = index.standing.now(snapshot.db.meta("generation"))
        if index.standing.holds(state):
            return False
        known = index.signatures(snapshot.db)
        changed = next(scan(index.root, known), None) is not None or bool(known)
        index.standing.note(None if changed else state)
        return changed
