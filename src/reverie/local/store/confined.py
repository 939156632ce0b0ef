"""A store that writes below the memory folders only, wherever links on the disk may lead."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from reverie.errors import PathEscape, RememberPathEscape
from reverie.types import Scope

if TYPE_CHECKING:
    from reverie.local.store.filestore import FileStore
    from reverie.types import Applied, Change, RunInfo, Topic


class ConfinedStore:
    """What an agent's draft is applied through."""

    def __init__(self, store: FileStore) -> None:
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
        """Write all changes as one run, if each lies in a memory folder once links are followed."""
        for change in changes:
            try:
                place = self._store.roots.locate(change.path)
            except PathEscape:
                place = None
            if place is None or place.kind not in tuple(Scope):
                raise RememberPathEscape(
                    f"{change.path} leads outside managed memory, so nothing was written",
                    path=change.path,
                )
        return self._store.apply(changes, run)
