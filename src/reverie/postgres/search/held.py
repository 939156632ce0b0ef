"""What the index of a place lacks, held in memory while nothing can be written.

Rules
- On a full disk, or on a server that only answers, a search still finds everything: the database is asked
  for what the index has, what it lacks is cut and counted here, and both are ranked together.
- Words alone: what is held has no vectors, so vectors do not judge the rest either.
- What was rewritten or removed since it was indexed is in no result; in how many chunks a word stands
  still counts it, until the index can be written again.
- What is held has negative numbers, which no row of the database has.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import TYPE_CHECKING, Final, NamedTuple

from reverie.core.search.documents import chunk_rows
from reverie.core.search.found import SEEDS
from reverie.core.search.indexing import file_row, index_terms
from reverie.core.search.signals import K1, MIN_AVERAGE_LENGTH, B
from reverie.postgres.search.passages import MOST_COUNT, STAMP
from reverie.postgres.search.seeking import Totals
from reverie.postgres.search.words import term_number

if TYPE_CHECKING:
    from reverie.core.search.documents import Document
    from reverie.postgres.search.indexer import Indexer, Wanted
    from reverie.postgres.search.roots import Root, Visible
    from reverie.types import Chunk
    from reverie.types.ranking import ChunkRow, FileRow, Query

_LOWEST: Final = -(1 << 62)
_TOGETHER: Final = 200

Name = tuple[str, str]
"""The name of a root, and a path below it: what is of the person and of the project is in other roots."""


class _HeldChunk(NamedTuple):
    row: ChunkRow
    length: int
    words: array[int]
    """In order; `counts` says how often each stands there."""
    counts: array[int]

    def often(self, word: int) -> int:
        at = bisect_left(self.words, word)
        return self.counts[at] if at < len(self.words) and self.words[at] == word else 0


class HeldDocument(NamedTuple):
    """A text that the index lacks."""

    root: Root
    hash: str
    file: FileRow
    chunks: tuple[_HeldChunk, ...]


@dataclass(slots=True)
class Held:
    """Everything that the index of a place lacks."""

    marks: Mapping[str, str] = field(default_factory=dict)
    """What the projects of the place were at when all of it was gathered; empty before."""
    documents: dict[Name, HeldDocument] = field(default_factory=dict)
    stale: set[tuple[str, int]] = field(default_factory=set)
    """Documents of the index that are no more as they were: whose they are (project), and their numbers."""
    _next: int = _LOWEST
    _chunks: dict[int, _HeldChunk] = field(default_factory=dict)
    _files: dict[int, HeldDocument] = field(default_factory=dict)

    def add(self, item: Wanted, document: Document | None, problem: str) -> None:
        """Hold a text."""
        first, number = self._next, self._next
        file = file_row(
            document, number=number, path=item.path, signature="", first=first, problem=problem
        )
        self._next += max(file.chunks, 1)
        rows = chunk_rows(document, first, number, exact=not document.label) if document else ()
        chunks = tuple(map(_counted, document.chunks if document else (), rows))
        self.keep((item.root.name, item.path), HeldDocument(item.root, item.hash, file, chunks))

    def keep(self, name: Name, document: HeldDocument) -> None:
        """Take over what was held before."""
        self.documents[name] = document
        self._next = max(self._next, document.file.first + max(document.file.chunks, 1))
        self._files[document.file.id] = document
        self._chunks |= {chunk.row.id: chunk for chunk in document.chunks}

    def root(self, file: int) -> Root:
        """Return the root of a held text."""
        return self._files[file].root

    def labelled(self, label: str) -> HeldDocument | None:
        """Return what results call by this name."""
        found = (one for one in self.documents.values() if one.file.label == label)
        return next(found, None)

    def seen(self, visible: Visible) -> Iterator[HeldDocument]:
        """Return what may be seen, and can be read."""
        rules = {(root.project, root.name): rule for _, root, rule in visible.roots}
        for one in self.documents.values():
            rule = rules.get((one.root.project, one.root.name))
            if rule and not one.file.problem and rule.permits(one.file.path, one.file.group):
                yield one

    def often(self, visible: Visible, words: Sequence[int]) -> Counter[int]:
        """Count in how many chunks that may be seen some words stand."""
        found: Counter[int] = Counter()
        for one in self.seen(visible):
            for chunk in one.chunks:
                found.update(word for word in words if chunk.often(word))
        return found

    def totals(self, visible: Visible) -> Totals:
        """Count what may be seen."""
        seen = list(self.seen(visible))
        chunks = [chunk for one in seen for chunk in one.chunks]
        return Totals(len(seen), len(chunks), sum(chunk.length for chunk in chunks), 0)

    def best(
        self, visible: Visible, query: Query, known: Totals, frequency: Mapping[str, int]
    ) -> list[int]:
        """Return the best chunks by the words of a query, scored as the database does."""
        each = K1 * B / max(known.terms / max(known.chunks, 1), MIN_AVERAGE_LENGTH)
        weights = {
            term_number(term): math.log(1 + (known.chunks - often + 0.5) / (often + 0.5))
            * query.emphasis.get(term, 1.0)
            for term in dict.fromkeys(query.terms)
            if (often := frequency.get(term, 0))
        }
        scores: dict[int, float] = {}
        for chunk in (chunk for one in self.seen(visible) for chunk in one.chunks):
            slow = K1 * (1 - B) + chunk.length * each
            score = sum(
                weight * often / (often + slow)
                for word, weight in weights.items()
                if (often := chunk.often(word))
            )
            if score:
                scores[chunk.row.id] = score
        return nsmallest(SEEDS, scores, key=lambda id_: (-round(scores[id_] * 1e9), id_))

    def words(self, chunk: int) -> dict[int, int]:
        """Return how often words stand in a chunk."""
        own = self._chunks[chunk]
        return dict(zip(own.words, own.counts, strict=True))

    def length(self, chunk: int) -> int:
        """Return how many terms a chunk has."""
        return self._chunks[chunk].length

    # --- what `locate` asks -----------------------------------------------------------------------

    def chunks(self, ids: Iterable[int]) -> list[ChunkRow]:
        """Return chunks by their numbers, in order."""
        return [self._chunks[id_].row for id_ in sorted({*ids}) if id_ in self._chunks]

    def files(self, ids: Sequence[int]) -> dict[int, FileRow]:
        """Return texts by their numbers."""
        return {number: self._files[number].file for number in ids}

    def around(self, group: str, order: int, reach: int) -> list[FileRow]:
        """Return the turns of a conversation before, at and after a place, in order."""
        line = sorted(
            (one.file for one in self._files.values() if one.file.group == group),
            key=lambda file: file.order,
        )
        at = next(number for number, file in enumerate(line) if file.order == order)
        return line[max(at - reach, 0) : at + reach + 1]


def _counted(chunk: Chunk, row: ChunkRow) -> _HeldChunk:
    found, length = index_terms(chunk)
    counted = sorted(Counter(map(term_number, found)).items())
    counts = array("B", (min(count, MOST_COUNT) for _, count in counted))
    return _HeldChunk(row, length, array("q", (word for word, _ in counted)), counts)


def gather(
    indexer: Indexer,
    marks: Mapping[str, tuple[str, str]],
    before: Held | None,
    is_over: Callable[[], bool],
) -> tuple[Held, int]:
    """Hold what the index lacks, as far as the time reaches; also tell how many texts are left.

    Args:
        indexer: Compares, reads and cuts; nothing is written.
        marks: What each project of the place is at, and what was indexed last.
        before: What was held before; of this, what is still the same is not read again.
        is_over: Says whether the time is up.
    """
    made = Held()
    left = 0
    for project in sorted({root.project for root in indexer.roots}):
        _, indexed = marks.get(project, ("", ""))
        wanted, gone = indexer.lacking(project, every=not indexed.startswith(f"{STAMP} "))
        made.stale |= {(project, number) for number in gone}
        made.stale |= {(project, item.old.id) for item in wanted if item.old}
        fresh: list[Wanted] = []
        for item in wanted:
            known = before.documents.get((item.root.name, item.path)) if before else None
            if known and known.hash == item.hash:
                made.keep((item.root.name, item.path), known)
            else:
                fresh.append(item)
        for start in range(0, len(fresh), _TOGETHER):
            if is_over():
                left += len(fresh) - start
                break
            for item, document, problem in indexer.read(project, fresh[start : start + _TOGETHER]):
                if document or problem:
                    made.add(item, document, problem)
    if not left:
        made.marks = {project: now for project, (now, _) in marks.items()}
    return made, left
