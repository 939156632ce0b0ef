"""A store as special hands see it: they read what everybody reads, and write only as they may."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Generic, TypeVar

from reverie.errors import RememberPathEscape
from reverie.ports import Store

if TYPE_CHECKING:
    from reverie.types import Applied, Change, RunInfo, Scope, Topic

AnyStore = TypeVar("AnyStore", bound=Store)


class StoreView(Generic[AnyStore]):
    """Reads through to a store."""

    def __init__(self, store: AnyStore) -> None:
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


class ConfinedStore(StoreView[Store]):
    """What an agent's draft is applied through: it writes below the memory folders only."""

    def __init__(self, store: Store, *, in_memory: Callable[[str], bool]) -> None:
        """Take the store, and what says whether a path lies there, wherever links may lead."""
        super().__init__(store)
        self._in_memory = in_memory

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run, if each lies in a memory folder."""
        for change in changes:
            if not self._in_memory(change.path):
                raise RememberPathEscape(
                    f"{change.path} leads outside managed memory, so nothing was written",
                    path=change.path,
                )
        return self._store.apply(changes, run)
