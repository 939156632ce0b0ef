"""What extract and dream read, plan and return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from reverie.types.memories import Topic
from reverie.types.outcomes import Dropped, Usage
from reverie.types.places import Kind, Scope
from reverie.types.writing import Change, FileDelta


@dataclass(frozen=True, slots=True)
class CursorState:
    """How far one session has been read."""

    session_id: str = ""
    processed_offset: int = 0
    updated_at: datetime | None = None
    fingerprint: str = ""
    """Hash of everything before the offset; empty when another program wrote the cursor."""
    seen: tuple[str, ...] = ()
    """Short hashes of messages already read, to find the new ones in a rewritten history."""


StatementForm: TypeAlias = Literal[
    "identity",
    "preference",
    "correction",
    "decision",
    "deadline",
    "resource",
    "request",
    "proposed",
]
"""How something was said: `request` asks in so many words to remember it, `proposed` is a model's."""


@dataclass(frozen=True, slots=True)
class Patch:
    """One memory that extract found, and what became of it."""

    kind: Kind
    summary: str
    why: str = ""
    how: str = ""
    turn: str = ""
    """Id of the message it was said in."""
    form: StatementForm = "proposed"
    scope: Scope | None = None
    path: str = ""
    action: str = ""
    """`added`, `known` or `superseded`; empty before it was stored."""
    heard: str = ""
    """Id by which it waited as heard, if it did."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Something said that was not clear enough to keep: it waits beside the memory."""

    id: str
    """Stands for the statement, wherever it was said."""
    summary: str
    kind: Kind
    scope: Scope
    """Whose memory it would go to."""
    said: datetime
    heard: datetime
    """When the conversation was read, from which its days count."""
    why: str = ""
    how: str = ""
    session: str = ""
    turn: str = ""
    form: StatementForm = "proposed"
    judged: bool = False
    """Whether a model has seen it and did not want it."""
    until: str = ""
    """Its last day, if nobody says it again or keeps it: 2026-05-31."""


@dataclass(frozen=True, slots=True)
class HeardDecided:
    """What became of things that were heard."""

    action: Literal["keep", "drop"]
    items: tuple[Heard, ...] = ()
    patches: tuple[Patch, ...] = ()
    """What was kept, and where."""
    dropped: tuple[Dropped, ...] = ()
    """What could not be kept, with the reason; it is still there."""
    run: str = ""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Extracted:
    """What extract read and stored."""

    patches: tuple[Patch, ...] = ()
    heard: tuple[Heard, ...] = ()
    """What may matter, but was not clear enough to keep."""
    dropped: tuple[Dropped, ...] = ()
    """Statements and turns left out, each with the filter that did it."""
    runs: tuple[str, ...] = ()
    """One run per turn, so that blame names the turn."""
    touched_topics: tuple[Kind, ...] = ()
    paths: tuple[str, ...] = ()
    session: str = ""
    processed_offset: int = 0
    read_messages: int = 0
    remaining: int = 0
    """New messages that wait for the next run."""
    strategy: str = "heuristic"
    dry_run: bool = False
    usage: Usage = field(default_factory=Usage)

    @property
    def status(self) -> str:
        """`updated` when memory changed, else `noop`."""
        return "updated" if self.paths else "noop"


@dataclass(frozen=True, slots=True)
class EntryRef:
    """Which entry of which topic an operation is about."""

    path: str
    id: str
    summary: str


@dataclass(frozen=True, slots=True)
class MergeOp:
    """Entries that say the same become one, which keeps every reason and use."""

    kept: EntryRef
    removed: tuple[EntryRef, ...]
    op: Literal["merge"] = "merge"


@dataclass(frozen=True, slots=True)
class SupersedeOp:
    """A newer entry takes the place of an older one and carries its text as a dated note."""

    kept: EntryRef
    removed: EntryRef
    note: str
    op: Literal["supersede"] = "supersede"


@dataclass(frozen=True, slots=True)
class RedateOp:
    """Relative dates of an entry get their absolute date."""

    entry: EntryRef
    phrases: tuple[str, ...]
    """Each phrase with its date, as it now stands."""
    op: Literal["redate"] = "redate"


@dataclass(frozen=True, slots=True)
class PruneCatalogOp:
    """Lines of a catalog that lead nowhere are taken out."""

    path: str
    lines: tuple[str, ...]
    op: Literal["prune_catalog"] = "prune_catalog"


DreamOp: TypeAlias = MergeOp | SupersedeOp | RedateOp | PruneCatalogOp


@dataclass(frozen=True, slots=True)
class DreamPlan:
    """Typed operations and the changes that carry them out; nothing is written yet."""

    ops: tuple[DreamOp, ...] = ()
    changes: tuple[Change, ...] = ()
    refused: tuple[Dropped, ...] = ()
    """Operations that were considered and not done, with the guard that stopped each."""
    topics: tuple[Topic, ...] = ()
    """Memory as it would be."""
    dates: Mapping[str, Mapping[str, datetime | None]] = field(default_factory=dict)
    """For each file that changes: when each of its entries, by summary, came to be."""


@dataclass(frozen=True, slots=True)
class Dreamed:
    """What a dream did, or with `dry_run` would do."""

    ops: tuple[DreamOp, ...] = ()
    refused: tuple[Dropped, ...] = ()
    run: str = ""
    paths: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    touched_topics: tuple[Kind, ...] = ()
    deduped_entries: int = 0
    probes: int = 0
    """Questions that were asked before and after."""
    strategy: str = "mechanical"
    dry_run: bool = False
    deltas: tuple[FileDelta, ...] = ()
    """After a dry run: the files before and after."""
    usage: Usage = field(default_factory=Usage)

    @property
    def status(self) -> str:
        """`updated` when memory changed, else `noop`."""
        return "updated" if self.paths else "noop"
