"""What an index hands to ranking, and what a question was read as."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from reverie.types.embedding import EmbedderProfile
from reverie.types.memories import Topic

Day = tuple[
    int | None, int | None, int | None
]  # year, month, day; none where the text does not say


Writing: TypeAlias = Literal["english", "other", "han", "clusters", "vietnamese"]
"""How a text is written, as far as it matters for how much of it other texts share by chance: English (or
unknown), other words between spaces, Han or Kana or Hangul, clusters without spaces, or single syllables."""


@dataclass(frozen=True, slots=True)
class Query:
    """What a query asks for, read once."""

    terms: tuple[str, ...]
    words: frozenset[str] = frozenset()
    dates: tuple[Day, ...] = ()
    newest: bool = False
    of_assistant: bool = False
    emphasis: Mapping[str, float] = field(default_factory=dict)
    """Weights of terms that count less than others, 0 to 1; a term that is not here counts in full."""
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Terms that are another form of others: a stem, a day, a word spelt right. A form is not asked for by
    itself; where it stands, the terms it is a form of are there."""
    identifiers: frozenset[str] = frozenset()
    """Terms that mean one thing exactly, such as `room17`, `parse_config` or `api.example.com`; a day where
    nothing else is asked for."""
    numbers: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()
    """What stands in quotation marks, folded."""
    writing: Writing = "english"
    language: str = ""
    """What it is written in, of the languages that are told apart; empty where it does not say."""
    pairs: tuple[str, ...] = ()
    """Words that follow each other, folded, where most words are written as two (Vietnamese)."""
    talk: bool = False
    """It is a piece of a conversation, which asks for whatever bears on it."""


class Candidate(NamedTuple):
    """A chunk that one side of the index found, or a neighbour of one.

    Args:
        key: Whatever the caller finds the chunk by.
        group: The document or conversation it is part of; `order` is its place there.
        counts: How often each *query* term stands in it.
        length: How many terms it has.
        cosine: Its similarity to the query; none without vectors.
        turn: It is one turn between people, where brevity and questions say something.
        asks: It ends in a question mark.
        owner: The person said it, to an assistant.
    """

    key: str
    group: str
    order: int
    counts: Mapping[str, int]
    length: int
    cosine: float | None = None
    speaker: str = ""
    turn: bool = False
    asks: bool = False
    owner: bool = False
    date: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the index knows of all visible chunks together.

    Args:
        frequency: In how many chunks each query term stands.
        cosine_mean: Mean similarity of the query to all chunks.
        cosine_deviation: Its standard deviation; 0 without vectors.
        trust: How far the embedder is to be trusted in the script of the query, 0 to 1.
        profile: What its cosines say; none without vectors.
    """

    chunks: int
    average_length: float
    frequency: Mapping[str, int]
    cosine_mean: float = 0.0
    cosine_deviation: float = 0.0
    trust: float = 1.0
    profile: EmbedderProfile | None = None


class FileRow(NamedTuple):
    """One indexed file."""

    id: int
    path: str
    signature: str
    digest: str
    first: int
    """Number of its first chunk; the chunks of a file have consecutive numbers."""
    chunks: int
    tokens: int
    title: str
    label: str = ""
    group: str = ""
    order: int = 0
    problem: str = ""


class ChunkRow(NamedTuple):
    """One chunk: its lines, where its text stands, and what is known of it."""

    id: int
    file: int
    place: int
    """Its place in the file; between sections some are left free, so that they are no neighbours."""
    first: int
    last: int
    start: int
    stop: int
    crc: int
    """Checksum of its text, so that a file changed since is noticed."""
    cid: bytes
    speaker: str
    flags: int
    """1: a turn; 2: it asks."""
    day: int
    """Its date as a number like 20260501; 0 without one."""


class Scored(NamedTuple):
    """A topic and how well it answers; a question may find thousands of which few are shown."""

    path: str
    score: float
    matched: frozenset[str]
    """The query terms found in it, for choosing the passage."""
    read: Callable[[], Topic]
    """Gives the topic as it was when it was found."""

    @classmethod
    def of(cls, topic: Topic, score: float, matched: frozenset[str] = frozenset()) -> Scored:
        """Score a topic that was read already."""
        return cls(topic.path, score, matched, lambda: topic)

    @property
    def topic(self) -> Topic:
        """The topic itself."""
        return self.read()

    def __eq__(self, other: object) -> bool:
        """Compare what was found, not how it is read."""
        return isinstance(other, Scored) and self[:3] == other[:3]

    def __hash__(self) -> int:
        return hash(self[:3])


class Near(NamedTuple):
    """How near memories are to a prompt, by their paths."""

    close: Mapping[str, float]
    """By how many deviations the prompt is nearer to them than ordinary prompts; only of those looked at."""
    places: Callable[[], Mapping[str, int]]
    """Tells the place of each in the order of a search."""
    cosines: Mapping[str, float] = MappingProxyType({})
    """Of the prompt and each memory, the nearest ones at least."""
    alike: Callable[[str], Mapping[str, float]] = lambda _: {}
    """Tells the cosines of a statement and the memories that are nearest to it."""
