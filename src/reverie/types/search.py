"""Chunks, hits and the state of the search index."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from reverie.types.outcomes import Dropped
from reverie.types.places import Source
from reverie.types.writing import Problem


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a text that is found as one."""

    text: str
    """As it stands in the file (or in the shown turn), so that reading the lines brings it back."""
    first: int
    """First line, 1-based; `last` is inclusive. A piece of an over-long line has just that line."""
    last: int
    start: int
    """Character range in the text; not the whole of its lines where an over-long line was cut."""
    end: int
    id: str
    """Hash of what is searched: equal ids have equal terms and equal vectors."""
    context: str = ""
    """Title and headings above it; searched with the text, not part of it."""
    title: str = ""
    date: tuple[int, int, int] | None = None
    speaker: str = ""
    turn: bool = False
    """One turn of a conversation."""
    asks: bool = False
    """It ends in a question."""
    section: int = 0
    """Which part of the text it is in; what stands beside it in another part says nothing about it."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What one conversation may see. Nothing is allowed until it is named."""

    allowed_paths: tuple[str, ...] = ()
    """Files and folders, by whole path components; empty means nothing."""
    user_id: str = ""
    """Another user than the workspace's sees no user memory."""
    project_id: str = ""
    """Another project than the workspace's sees no project memory; equal ids share it."""
    conversation_id: str = ""
    """If given, of the chat only this conversation is visible."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One more place of a document that was found."""

    path: str
    """That of the document; of a conversation, the turn it stands in."""
    lines: str
    """1-based and inclusive, as `get` takes it: `42-56`."""
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One document that was found, a file or a conversation, by its best passage."""

    path: str
    """Below the project's root relative, else absolute; `chat://session/turn` for a conversation."""
    lines: str
    """1-based and inclusive, as `get` takes it: `42-56`."""
    text: str
    score: float
    """How likely it is that this answers the query, 0 to 1."""
    source: Source
    title: str = ""
    date: str = ""
    words: float = 0.0
    """Which share of the query its own words hold, 0 to 1."""
    meaning: float = 0.0
    """How near its vector comes, 0 to 1; 0 without vectors."""
    provenance: str = ""
    """`repository`: it came with the project's folder, and anybody may have written it."""
    imported: str = ""
    """From where and when it was imported, unless the person wrote or changed it."""
    passages: tuple[Passage, ...] = ()
    """A few more places of the same document that may answer, best first."""


@dataclass(frozen=True, slots=True)
class SearchStats:
    """How much was searched: what is visible, no more."""

    total_files: int
    total_chunks: int


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What a search found."""

    query: str
    results: tuple[Hit, ...]
    total_found: int
    """Documents at or above the threshold, before near-duplicates and the rest were left out."""
    method: Literal["hybrid", "keyword", "vector", "none"]
    """What really ran."""
    stats: SearchStats
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file, read from the file itself."""

    path: str
    lines: str
    text: str
    found: bool
    total_lines: int = 0
    source: Source | None = None
    provenance: str = ""
    """`repository`: it came with the project's folder, and anybody may have written it."""


@dataclass(frozen=True, slots=True)
class IndexStats:
    """What is indexed, as far as it is visible."""

    total_files: int
    total_chunks: int
    last_indexed: datetime | None
    sources: tuple[Source, ...]
    total_tokens: int = 0
    embedding_model: str = ""
    bytes_on_disk: int = 0
    problems: tuple[Problem, ...] = ()
    """Files that are left out, each with the reason."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What bringing the index up to date did."""

    files: int
    """Files read again because they changed."""
    removed: int
    chunks: int
    embedded: int
    """Chunks that got a new vector; the others kept theirs."""
    rebuilt: bool = False
    current: bool = True
    """False: another process is indexing, or time was up; the last finished state is searched."""
    left: int = 0
    """Changed files that are for the next time."""
    problems: tuple[Problem, ...] = ()
