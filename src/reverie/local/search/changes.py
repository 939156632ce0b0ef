"""What changed in a root since it was indexed: found by looking at its files.

Rules
- Where files may be edited in place every file is looked at; where they are only added or replaced,
  as turns are, folders whose time did not change are not looked into.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.local.search.sources import folders_changed, scan, scan_folders

if TYPE_CHECKING:
    from reverie.local.search.index_db import IndexDb
    from reverie.local.search.root_index import RootIndex
    from reverie.local.search.sources import Found

__all__ = ["Changes", "has_changed", "look"]


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


def has_changed(index: RootIndex) -> bool:
    """Say whether anything changed, without making an index of nothing."""
    if not index.exists():
        return next(scan(index.root), None) is not None
    with index.reading() as snapshot:
        if index.root.kind == "turns":
            return folders_changed(index.root, snapshot.db.folders())
        known = index.signatures(snapshot.db)
        return next(scan(index.root, known), None) is not None or bool(known)
