"""What a search found, and the way from there to texts and lines; every engine adds how it reads them."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from reverie.core.search.chunk import join_lines, split_lines
from reverie.core.search.documents import Lines
from reverie.types import Source

if TYPE_CHECKING:
    from reverie.ports import SearchedRoot
    from reverie.types.ranking import Candidate, ChunkRow, Corpus, FileRow

SEEDS: Final = 64
"""Best chunks by words, and as many by vectors; 200 found nothing more on any set."""
SURROUNDED: Final = 24
"""Of each, those whose neighbours are ranked with them: an answer often shares no word with its question."""

AnyRoot = TypeVar("AnyRoot", bound="SearchedRoot")


class Whole(NamedTuple):
    """A text by its name in results; None when there is none."""

    path: str
    text: str | None
    source: Source
    provenance: str = ""


class FoundChunk(NamedTuple, Generic[AnyRoot]):
    """A candidate's chunk and file, as the index has them."""

    root: AnyRoot
    chunk: ChunkRow
    file: FileRow


@dataclass(frozen=True, slots=True)
class Findings(ABC, Generic[AnyRoot]):
    """Everything that ranking needs to know about a query, and the way to what was found."""

    candidates: list[Candidate]
    corpus: Corpus
    files: int
    by_words: bool
    by_vectors: bool
    chunks: Mapping[str, FoundChunk[AnyRoot]]
    """By the candidates' keys."""
    warnings: tuple[str, ...] = ()

    @abstractmethod
    def frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return in how many of the chunks that may be seen some terms stand."""

    @abstractmethod
    def counts(self, terms: Sequence[str], keys: Sequence[str]) -> list[dict[str, int]]:
        """Return how often any terms stand in some candidates."""

    @abstractmethod
    def read(self, key: str, *, context_tokens: int) -> Lines | None:
        """Return a candidate's text and lines; None when its file changed since."""

    @abstractmethod
    def _shown(self, found: FoundChunk[AnyRoot]) -> str:
        """Name a file as results do."""

    @abstractmethod
    def _whole(self, found: FoundChunk[AnyRoot]) -> str | None:
        """Return the text whose lines results name; None when it is gone."""

    def about(self, key: str) -> tuple[str, Source, str]:
        """Return path, source and title of a candidate."""
        found = self.chunks[key]
        return self._shown(found), found.root.source, found.file.title

    def provenance(self, key: str) -> str:
        """Say who brought a candidate, if that was not the person or their agents."""
        return self.chunks[key].root.provenance

    def lines(self, key: str, first: int, last: int) -> str | None:
        """Return lines of a candidate's file."""
        text = self._whole(self.chunks[key])
        return None if text is None else join_lines(split_lines(text), first, last)


def part_of_turn(text: str, row: ChunkRow) -> bytes:
    """Return the bytes of a chunk of a shown conversation, which is cut by characters."""
    return text[row.start : row.stop].encode("utf-8", "surrogatepass")


def lines_of(data: bytes, row: ChunkRow) -> Lines | None:
    """Return the lines of a chunk from its bytes; None when these are not what was indexed."""
    if zlib.crc32(data) != row.crc:
        return None
    return Lines(data.decode("utf-8", "surrogatepass"), row.first, row.last)
