"""The memory itself, its journal and what is kept beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from reverie.types import (
        Applied,
        Change,
        FileDelta,
        Problem,
        RunInfo,
        RunRecord,
        Scope,
        Topic,
        Workspace,
    )
    from reverie.types.writing import Planned


class Clock(Protocol):
    """Where time comes from; tests bring their own."""

    def __call__(self) -> datetime: ...


class Store(Protocol):
    """The memory itself. `apply` is the only way anything is written."""

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic of managed memory, newest first."""
        ...

    def read(self, path: str) -> str | None:
        """Return a file's text, or None when there is no file."""
        ...

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run, or none of them."""
        ...

    def writing(self, purpose: str) -> AbstractContextManager[None]:
        """Keep every other writer waiting, so that what is read stays true until it is applied."""
        ...


class JournalReader(Protocol):
    """What was done: runs, their files before and after, and which run left which text."""

    def log(
        self,
        *,
        limit: int = 50,
        path: str | None = None,
        verb: str | None = None,
        undone: bool = False,
    ) -> list[RunRecord]:
        """Return the newest runs first: those that touched a path, of one verb, or that a later run undid."""
        ...

    def since(self, run: str, *, limit: int) -> list[RunRecord]: ...

    def record(self, run: str) -> RunRecord: ...

    def resolve(self, run: str) -> str:
        """Return the full id of a run given by its id or an unambiguous beginning or end of it."""
        ...

    def deltas(self, run: str) -> list[FileDelta]: ...

    def history(self, path: str) -> list[tuple[RunRecord, str | None]]:
        """Return the runs that touched a path, oldest first, each with the text it left."""
        ...

    def imported(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Tell for each path and text from where and when it was imported; empty when it was not."""
        ...

    def counts(self) -> tuple[int, int]:
        """Return how many runs and files the journal knows."""
        ...

    def contains(self, predicate: Callable[[str], bool]) -> list[str]:
        """Return the hashes of stored texts for which the predicate is true."""
        ...


class Runs(Protocol):
    """A journal that gives its runs."""

    def since(self, run: str, *, limit: int) -> list[RunRecord]: ...

    def raw_deltas(self, run: str) -> list[Planned]: ...


class JournaledStore(Store, Protocol):
    """A store with its journal; what looking back and the daemon need beyond the verbs."""

    workspace: Workspace
    endorse: Callable[[RunInfo], RunInfo]
    """Asked just before a run is recorded: may sign it, or raise so that nothing is written."""

    @property
    def journal(self) -> JournalReader: ...

    @property
    def unreadable(self) -> list[Problem]:
        """Memory files the last `topics()` could not use, each with the reason."""
        ...

    def read_all(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the texts of files; those that are gone or no text are left out."""
        ...

    def real(self, path: str) -> str:
        """Return the true name of a path, by which the journal knows its file."""
        ...

    def edits(self) -> list[FileDelta]:
        """Return what was changed by hand and not recorded yet; nothing is written."""
        ...

    def notice_edits(self) -> list[str]:
        """Record every file that was changed by hand; return their paths."""
        ...

    def together(self) -> AbstractContextManager[bool]:
        """Write several runs one after the other; each is durable when all are over."""
        ...

    def rebuild_catalogs(self) -> list[str]:
        """Write the catalogs of both scopes anew; return what did not fit."""
        ...

    def apply(
        self, changes: Sequence[Change], run: RunInfo, *, undoes: str = "", scan: bool = True
    ) -> Applied:
        """Write all changes as one run; `scan=False` is for undo and erasing, which add nothing."""
        ...


class Records(Protocol):
    """A log of small records: what happened, in numbers and names."""

    damaged: int
    """How many records the last reading could not use."""

    def add(self, name: str, data: Mapping[str, Any], *, at: datetime) -> None: ...

    def read(self, *, limit: int = 50, name: str | None = None) -> list[dict[str, Any]]:
        """Return the newest records first."""
        ...


class StateFiles(Protocol):
    """Small bookkeeping files beside the memory: meta, cursor, the dream lock."""

    def read_state(self, name: str) -> dict[str, Any]:
        """Return a state file, empty when there is none."""
        ...

    def update_state(
        self, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        """Read, change and replace a state file as one step; return what it now holds."""
        ...

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Own a lock for as long as the block runs, or yield False when another owns it."""
        ...
