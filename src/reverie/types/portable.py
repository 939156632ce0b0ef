"""A memory on the move: records that name no machine, and what became of carrying them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from reverie.types.outcomes import Dropped
from reverie.types.turns import Turn
from reverie.types.writing import Problem, RunRecord, SecretFinding


@dataclass(frozen=True, slots=True)
class PortableFile:
    """One file of memory."""

    at: str
    """Its address: `user/`, `project/`, `agent/`, `home/` or `context/`, and the path below that."""
    text: str
    updated: datetime | None = None
    """Since when it has had this content."""
    private: bool = True
    source: str = ""
    """What it is called where it comes from; empty for our own."""


@dataclass(frozen=True, slots=True)
class PortableState:
    """A small bookkeeping file: what was read, dreamt and done up to where."""

    at: str
    value: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PortableText:
    """A text that runs refer to by its digest."""

    text: str


@dataclass(frozen=True, slots=True)
class PortableDelta:
    """One file of a run: the digests of its text before and after, None where there was no file."""

    at: str
    before: str | None
    after: str | None
    private: bool = True


@dataclass(frozen=True, slots=True)
class PortableRun:
    """One run of the journal; the paths in its record are addresses."""

    record: RunRecord
    deltas: tuple[PortableDelta, ...]


PortableRecord: TypeAlias = PortableFile | PortableState | PortableText | PortableRun | Turn
"""One line of an export."""


@dataclass(frozen=True, slots=True)
class PortableHeader:
    """What an export says about itself."""

    version: int
    exported_at: datetime
    dialect: str = ""
    agent: str = ""
    project: str = ""
    journal: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """How much was carried."""

    files: int = 0
    states: int = 0
    turns: int = 0
    runs: int = 0


@dataclass(frozen=True, slots=True)
class TurnsKept:
    """Turns that are in the history now."""

    kept: int = 0
    known: int = 0
    """Those that were there already."""
    redactions: tuple[SecretFinding, ...] = ()
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote, and what it could not take along."""

    target: str
    format: str
    counts: Counts
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What an import did not write because nobody allowed its kind."""

    kind: str
    """The word that allows it."""
    at: str
    """What it is: an address, a name in the source, or a run of the journal."""
    why: str


@dataclass(frozen=True, slots=True)
class Pending:
    """An imported core file that no prompt reads until a person approves it."""

    name: str
    path: str
    text: str
    replaces: bool = False
    """Whether approving it would replace another text."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of files that waited for approval."""

    verb: str
    """`approve` or `discard`."""
    names: tuple[str, ...] = ()
    run: str = ""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Brought:
    """What an import brought into memory, or with `dry_run` would."""

    format: str
    files: tuple[str, ...] = ()
    """Paths written."""
    runs: tuple[str, ...] = ()
    """Undo the first one to take the files back; a second one holds lines of a catalog."""
    counts: Counts = Counts()
    """How much is new here."""
    known: Counts = Counts()
    """How much was here already."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Address wanted -> address given, where another file has the name."""
    held: tuple[Held, ...] = ()
    """What is no plain memory, and comes in only when its kind is allowed."""
    waiting: tuple[str, ...] = ()
    """Addresses of core files that wait for approval; they are among the files."""
    refused: tuple[Dropped, ...] = ()
    """What holds a secret, and so was not written."""
    redactions: tuple[SecretFinding, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    """What else was left out, each with the reason."""
    problems: tuple[Problem, ...] = ()
    dry_run: bool = False
