"""A whole memory on its way: what carries it, what it comes from and where it goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from reverie.types import (
        Counts,
        Dropped,
        PortableFile,
        PortableHeader,
        PortableRecord,
        PortableRun,
        PortableState,
        PortableText,
        Turn,
        TurnsKept,
    )


class Carrier(Protocol):
    """A whole memory as records that name no machine: what export reads and import puts back."""

    dropped: list[Dropped]
    """What the last reading could not take along, each with the reason."""

    def records(self, *, journal: bool) -> Iterator[PortableRecord]:
        """Read everything, a record at a time: runs first (oldest first), then files, states, turns."""
        ...

    def files(self) -> Iterator[PortableFile]:
        """Read the files alone."""
        ...

    def path(self, at: str) -> str:
        """Return the path that `Store.apply` takes for an address; raise where none may be written."""
        ...

    def date(self, files: Sequence[PortableFile]) -> None:
        """Remember since when files have had their content, before they are written."""
        ...

    def adopt(self, texts: Sequence[PortableText], runs: Sequence[PortableRun]) -> set[str]:
        """Take runs into the journal as they are; return the ids of those that were new."""
        ...

    def keep_state(self, state: PortableState, *, dry_run: bool = False) -> bool:
        """Put a state file in place where there is none; say whether there was none."""
        ...

    def keep_turns(self, turns: Sequence[Turn], *, dry_run: bool = False) -> TurnsKept:
        """Put turns into the history: numbered ones under their numbers, others at its end."""
        ...

    def close(self) -> None:
        """Close what was opened to read and write."""
        ...


class Bundle(Protocol):
    """What somebody wants to import, as named files; reading one never leads out of it."""

    root: str
    """The name of the file or folder it is."""

    @property
    def names(self) -> Sequence[str]: ...

    @property
    def dropped(self) -> list[Dropped]:
        """What is in it but cannot be read, each with the reason."""
        ...

    def text(self, name: str) -> str | None:
        """Return a file's text, or None when it cannot be read; the reason is in `dropped`."""
        ...

    def lines(self, name: str) -> Iterator[str]:
        """Read a file line by line."""
        ...

    def modified(self, name: str) -> datetime | None:
        """Return when a file was last written, where that is known."""
        ...

    def close(self) -> None:
        """Close what was opened to read it."""
        ...


class Target(Protocol):
    """Where an export goes; nothing is there until it is finished."""

    wants_runs: bool
    """Whether it needs the journal's runs even when they are not asked for."""
    dropped: list[Dropped]
    """What it could not take, each with the reason."""

    def put(self, record: PortableRecord) -> None: ...

    def finish(self, counts: Counts) -> None:
        """Put the export in place."""
        ...

    def discard(self) -> None:
        """Leave nothing behind."""
        ...

    def open(self, header: PortableHeader) -> None:
        """Begin; raises when something is in the way."""
        ...
