"""What remember, recall and forget return, and what every outcome may carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from reverie.types.places import Kind, Scope
from reverie.types.writing import FileDelta, SecretFinding


@dataclass(frozen=True, slots=True)
class Skipped:
    """A verb that had nothing to do, and why: an outcome, not an error."""

    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something a limit left out; outcomes list these so that nothing vanishes silently."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call cost."""

    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    duration_ms: int = 0
    fallback: str = ""
    """Why the deterministic way was used instead, if it was."""


Moment: TypeAlias = Literal["asked", "turn", "end"]
"""Why a conversation is read now: somebody asked, a turn is over, or it ends or is about to be shortened."""

Strategy: TypeAlias = Literal["none", "heuristic", "hybrid", "model"]
"""How a verb chose: by nothing, by words, by words and vectors, by a model."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a text somebody asked to remember."""

    summary: str
    """One sentence for a person."""
    action: Literal["added", "known", "superseded"]
    """`known` is the same statement but for case, spaces and punctuation; `superseded` took a place."""
    path: str
    entry: str
    """Id of the entry that holds it now."""
    scope: Scope
    kind: Kind
    name: str
    run: str = ""
    files_touched: tuple[str, ...] = ()
    touched_scopes: tuple[Scope, ...] = ()
    similar: tuple[str, ...] = ()
    """Ids of entries that sound alike but say something else, so they were left alone."""
    replaced: str = ""
    """What it took the place of; the file keeps it with the day until which it held."""
    redactions: tuple[SecretFinding, ...] = ()
    delta: FileDelta | None = None
    """The file before and after."""
    strategy: Strategy = "heuristic"
    dry_run: bool = False
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class RecalledTopic:
    """One topic brought back, and the passage of it that matters."""

    path: str
    rel: str
    scope: Scope
    kind: Kind
    name: str
    description: str
    text: str
    """The passage, with an ellipsis where something was left out."""
    lines: str
    """Which lines of the file the passage is: `first-last`, 1-based and inclusive."""
    score: float
    updated: datetime | None
    truncated: bool = False
    imported: str = ""
    """From where and when it was imported, unless the person wrote or changed it."""
    named_before: bool = False
    """Its file is called by what no longer holds, and `text` does not say that."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was brought back for a turn; `block` is ready for a prompt, empty when nothing is relevant."""

    strategy: Strategy
    topics: tuple[RecalledTopic, ...] = ()
    block: str = ""
    scanned: int = 0
    dropped: tuple[Dropped, ...] = ()
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    """An entry that was forgotten, or that a query found."""

    id: str
    topic: Kind
    scope: Scope
    summary: str
    file_path: str
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class ErasedPlace:
    """One kind of place that held what is erased: how many things in it did, and how many were cleaned."""

    kind: str
    """`memories`, `notes`, `history`, `journal`, ...: the names are part of the contract."""
    holding: int
    erased: int = 0
    """0 in a preview."""


@dataclass(frozen=True, slots=True)
class NotErased:
    """Something that holds what is erased, or may hold it, and was left as it is."""

    kind: str
    what: str
    code: str
    """A stable name for the reason."""
    reason: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof of forgetting that holds nothing of what was forgotten, only salted digests of it."""

    id: str
    at: datetime
    salt: str
    entries: tuple[str, ...]
    """One digest per entry removed."""
    shingles: Mapping[int, tuple[str, ...]]
    """Digests of runs of so many words each, by which a trace is recognised."""
    erased: bool = False
    """Whether the journal was redacted too; otherwise the run can still be undone."""
    places: tuple[ErasedPlace, ...] = ()
    """Where it was erased, when that was asked for everywhere."""
    left: tuple[NotErased, ...] = ()
    """What remains, each with where, a code, the reason and what reaches it."""
    parts: tuple[str, ...] = ()
    """Digests of the lines and sentences of these entries, so that they do not come back one by one."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A memory in the other scope, with everything that belongs to it."""

    summary: str
    """One sentence for a person."""
    path: str
    entry: str
    """Its id there."""
    scope: Scope
    kind: Kind
    name: str
    run: str = ""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed, or with `dry_run` would be."""

    summary: str
    """One sentence for a person."""
    removed_entries: tuple[RemovedEntry, ...] = ()
    touched_topics: tuple[Kind, ...] = ()
    touched_scopes: tuple[Scope, ...] = ()
    candidates: tuple[RemovedEntry, ...] = ()
    """Entries that came near but were left alone; name their ids to remove them."""
    run: str = ""
    receipt: Receipt | None = None
    deltas: tuple[FileDelta, ...] = ()
    """The files before and after; empty after an erase, which must leave no copy."""
    everywhere: bool = False
    """Whether notes, history, stores and all other places were looked through."""
    places: tuple[ErasedPlace, ...] = ()
    left: tuple[NotErased, ...] = ()
    strategy: Strategy = "heuristic"
    dry_run: bool = False
    dropped: tuple[Dropped, ...] = ()
    usage: Usage = Usage()
