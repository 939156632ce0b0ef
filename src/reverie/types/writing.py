"""Changes, runs and what was found when looking back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from reverie.types.places import Origin, Scope

Outcome = TypeVar("Outcome", covariant=True)
"""What a verb tells its caller."""


State: TypeAlias = tuple[str, str | None, str]
"""A file's path, text and signature, as the journal notes them."""


@dataclass(frozen=True, slots=True)
class Change:
    """New text for a path (or none: remove it), and the hash of the text it was planned on."""

    path: str
    text: str | None
    base: str | None
    """`digest(text)` of what the planner read; None when it saw no file."""
    private: bool = True
    """New private files are 0600 in folders 0700; shared ones (context files) follow the umask."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What is known about a run before it is applied; kept in the journal as its provenance."""

    verb: str
    session: str = ""
    turn: str = ""
    origin: Origin = Origin.OWNER
    client: str = ""
    note: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Applied:
    """What `apply` did. `run` is empty when there was nothing to change."""

    run: str
    paths: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    redactions: tuple[SecretFinding, ...] = ()
    catalog_notes: tuple[str, ...] = ()
    """What did not fit into a catalog, if anything."""


@dataclass(frozen=True, slots=True)
class Plan(Generic[Outcome]):
    """What a verb decided, before anything is written: `verbs.run` shows it or applies it."""

    changes: tuple[Change, ...]
    """Each with the digest of the text it was planned on."""
    info: RunInfo
    tell: Callable[[Applied], Outcome]
    """Says what came of it; after a dry run, or with nothing to change, of an empty `Applied`."""
    once: bool = False
    """A person's own edit of a text: not ours to repeat on another text when the file moved on."""


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A secret-shaped value: which rule, where. Never the value itself."""

    rule: str
    line: int
    column: int
    path: str = ""


RunStatus: TypeAlias = Literal["pending", "done", "rolled_back", "erased"]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One applied outcome in the journal."""

    id: str
    at: datetime
    verb: str
    status: RunStatus
    paths: tuple[str, ...]
    session: str = ""
    turn: str = ""
    origin: Origin = Origin.OWNER
    client: str = ""
    note: str = ""
    undoes: str = ""
    undone_by: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileDelta:
    """One file of a run, before and after; None where the file did not exist."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class BlameLine:
    """Which run brought a line of a file."""

    line: int
    text: str
    run: str
    at: datetime | None
    verb: str
    session: str = ""
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding of verify or doctor: a stable code, where, what, and the command that fixes it."""

    code: str
    message: str
    path: str = ""
    line: int = 0
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` checked and found."""

    runs: int
    files: int
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """True when nothing was found."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Initialised:
    """What `init` made and what was there already."""

    created: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """One file of a run: a change after every check, as the journal keeps it and brings it back."""

    path: str
    before: str | None
    """What the file held just before; None: there was no file."""
    after: str | None
    private: bool = True
