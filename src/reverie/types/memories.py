"""A memory file and what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from reverie.types.places import Kind, Scope


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open character range in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One remembered thing inside a topic."""

    id: str
    """`rel` when it is the only entry of its topic, else `rel:index` (1-based)."""
    summary: str
    why: str = ""
    how: str = ""
    span: Span = Span(0, 0)
    """Which characters of the topic's text are this entry; removing them keeps everything else."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One Markdown memory file."""

    path: str
    rel: str
    scope: Scope
    kind: Kind
    name: str
    description: str
    body: str
    """Text after the frontmatter, as it stands in the file."""
    text: str
    """The whole file, byte-faithful."""
    entries: tuple[Entry, ...] = ()
    updated: datetime | None = None
    """When this content came to be: from the journal where it knows, else the file's time."""
    pinned: bool = False
