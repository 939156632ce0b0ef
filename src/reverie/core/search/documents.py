"""A text as it is searched: its chunks, and the rows by which an index knows file and chunks."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from reverie.core.history import turns
from reverie.core.markdown.names import is_topic_path
from reverie.core.search.chunk import chunk_markdown, chunk_turn, join_lines, searched_lines
from reverie.core.text.plain import rejoined
from reverie.core.text.words import estimate_tokens
from reverie.types.ranking import ChunkRow

if TYPE_CHECKING:
    from reverie.core.search.chunk import ChunkSize
    from reverie.types import Chunk

CHAT: Final = "chat://"
UNNAMED: Final = "history"
"""The group of turns that belong to no conversation."""
LAYERS: Final = ("core", "working", "semantic", "notes")
REPOSITORY: Final = "repository"
"""Who brought a text that came with the project's folder."""
TEXT_NAMES: Final = (".md", ".markdown", ".txt")
RootKind: TypeAlias = Literal["project", "managed", "layers", "turns", "extra"]
TURN, ASKS = 1, 2
SECTION_GAP: Final = 100


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it is searched."""

    text: str
    chunks: tuple[Chunk, ...]
    digest: str
    label: str = ""
    """Its name in results, where that is not its path."""
    group: str = ""
    """The conversation it is part of; empty: it stands for itself."""
    order: int = 0
    """Its place in the group."""
    problem: str = ""
    """Why not all of it is searched."""


class Lines(NamedTuple):
    """Some lines of a text."""

    text: str
    first: int
    last: int


def grown(lines: Sequence[str], found: Lines, room: int) -> Lines:
    """Add lines after and before in turn, as long as they fit; blank ones at the ends are left out."""
    first, last = found.first, found.last
    open_sides = {1, -1}
    while open_sides:
        for step in sorted(open_sides, reverse=True):
            number = last + 1 if step > 0 else first - 1
            cost = estimate_tokens(lines[number - 1]) + 1 if 1 <= number <= len(lines) else room + 1
            if cost > room:
                open_sides.discard(step)
                continue
            room -= cost
            first, last = min(first, number), max(last, number)
    while last > found.last and not lines[last - 1].strip():
        last -= 1
    while first < found.first and not lines[first - 1].strip():
        first += 1
    return Lines(join_lines(lines, first, last), first, last)


def belongs(kind: RootKind, rel: str) -> bool:
    """Say whether a path below a root of this kind is searched, by its name alone."""
    if rel.startswith(".") or "/." in rel:
        return False
    match kind:
        case "project":
            return rel == "MEMORY.md" or (rel.startswith("memory/") and rel.endswith(".md"))
        case "managed":
            return is_topic_path(rel)
        case "layers":
            first, below, _ = rel.partition("/")
            return first in LAYERS and bool(below) and rel.endswith(".md")
        case "turns":
            return rel.endswith(".json")
        case "extra":
            return rel.endswith(TEXT_NAMES)


def markdown_document(text: str, *, name: str, size: ChunkSize) -> Document:
    """Cut a Markdown or plain text."""
    chunks = tuple(chunk_markdown(text, name=name, size=size))
    return Document(text, chunks, _digest(text), problem=_left_out(text, chunks))


def _left_out(text: str, chunks: Sequence[Chunk]) -> str:
    last = searched_lines(text, chunks)
    if last is None:
        return ""
    return f"only its lines 1-{last} are searched, because there are too many; split it into several files"


def turn_document(text: str, *, seq: int | None, size: ChunkSize) -> Document:
    """Cut a turn, given as its record; it is found by what it shows."""
    turn = turns.decode(text, seq=seq).turn
    if "\\u" in text:
        # A turn keeps half a character that an escape brought; what is shown and searched is text.
        turn = turns.map_shown(turn, rejoined)
    shown, chunks = chunk_turn(turn, size=size)
    group = turn.session.encode("utf-8", "replace").decode("utf-8") or UNNAMED
    label = f"{CHAT}{quote(group, safe='')}/{turn.seq}"
    return Document(shown, tuple(chunks), _digest(text), label, group, turn.seq)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def chunk_rows(document: Document, first: int, file: int, *, exact: bool) -> Iterator[ChunkRow]:
    """Turn the chunks of a file into rows.

    Args:
        exact: The text is what stands in the file, so places are given in bytes, to be read from there.
    """
    text = document.text
    at = offset = 0
    for number, chunk in enumerate(document.chunks, first):
        data = chunk.text.encode("utf-8", "surrogatepass")
        start, stop = chunk.start, chunk.end
        if exact:
            offset += len(text[at : chunk.start].encode("utf-8"))
            at = chunk.start
            start, stop = offset, offset + len(data)
        yield ChunkRow(
            id=number,
            file=file,
            place=number - first + SECTION_GAP * chunk.section,
            first=chunk.first,
            last=chunk.last,
            start=start,
            stop=stop,
            crc=zlib.crc32(data),
            cid=bytes.fromhex(chunk.id),
            speaker=chunk.speaker.encode("utf-8", "replace").decode("utf-8"),
            flags=TURN * chunk.turn + ASKS * chunk.asks,
            day=chunk.date[0] * 10_000 + chunk.date[1] * 100 + chunk.date[2] if chunk.date else 0,
        )
