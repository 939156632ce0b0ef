"""What searching needs: vectors, an index, its rows, and a ranking of topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from reverie.errors import EmbedderFailed
    from reverie.types import (
        Isolation,
        Scope,
        Source,
        Topic,
    )
    from reverie.types.ranking import Candidate, ChunkRow, Corpus, FileRow, Query, Scored


class Embedder(Protocol):
    """Turns texts into vectors. `identity` changes whenever the vectors would."""

    @property
    def identity(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]: ...


class EmbedderSlot(Protocol):
    """Where an index gets its embedder from, as long as there is one that works."""

    failure: str
    """Why the embedder is left alone, for the user; empty when it is not."""

    def get(self) -> Embedder | None:
        """Return the embedder, opened at the first call; None without one or after a failure."""
        ...

    def failed(self, error: EmbedderFailed) -> None:
        """Leave the embedder alone for a while."""
        ...


class Rows(Protocol):
    """Where an index keeps its rows."""

    def chunks(self, ids: Iterable[int]) -> list[ChunkRow]:
        """Return chunks by their numbers, in order."""
        ...

    def files(self, ids: Sequence[int]) -> dict[int, FileRow]:
        """Return files by their numbers."""
        ...

    def around(self, group: str, order: int, reach: int) -> list[FileRow]:
        """Return the files of a group before, at and after a place, in order."""
        ...


class Finding(Protocol):
    """What an index gathered for one query."""

    @property
    def candidates(self) -> Sequence[Candidate]: ...

    @property
    def corpus(self) -> Corpus: ...

    @property
    def files(self) -> int: ...

    @property
    def by_words(self) -> bool: ...

    @property
    def by_vectors(self) -> bool: ...

    @property
    def warnings(self) -> tuple[str, ...]: ...

    def about(self, key: str) -> tuple[str, Source, str]:
        """Return path, source and title of a candidate."""
        ...

    def provenance(self, key: str) -> str:
        """Say who brought a candidate, if that was not the person or their agents."""
        ...

    def frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return in how many of the chunks that may be seen some terms stand; those that do not may be left
        out."""
        ...

    def counts(self, terms: Sequence[str], keys: Sequence[str]) -> Sequence[Mapping[str, int]]:
        """Return how often any terms stand in some candidates."""
        ...

    def read(self, key: str, *, context_tokens: int) -> tuple[str, int, int] | None:
        """Return a candidate's text and lines; None when its file changed since."""
        ...

    def lines(self, key: str, first: int, last: int) -> str | None:
        """Return lines of a candidate's file; None when it is gone."""
        ...


class SearchPort(Protocol):
    """An index that can be searched."""

    def find(
        self, text: str, query: Query, *, source: Source | None, isolation: Isolation | None
    ) -> Finding: ...

    def whole(
        self, path: str, *, isolation: Isolation | None
    ) -> tuple[str, str | None, Source, str]:
        """Return name, text (None when it is gone), source and provenance of a file results name."""
        ...


class SearchedRoot(Protocol):
    """A part of memory that is searched."""

    @property
    def source(self) -> Source: ...

    @property
    def provenance(self) -> str:
        """Who brought its files, if that was not the person or their agents."""
        ...


class Ranker(Protocol):
    """Finds topics for a recall without reading them all."""

    def ranked(self, query: str) -> tuple[list[Scored], int]:
        """Rank the topics a question is about, best first; also tell how many topics there are."""
        ...

    def concerned(self, statement: str, *scopes: Scope) -> list[Topic]:
        """Return the topics of these scopes that a new statement may concern, newest first in each.

        Every one that says it, whole or as a part; and those that share most with it.
        """
        ...
