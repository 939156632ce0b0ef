"""Do the slow part of indexing: read files, cut and split them, embed, and write a segment.

Rules
- A file is never divided between batches. Until a batch is committed nobody knows of its segment.
- A chunk whose text did not change keeps its vector.
- The first batches are small, so that something can be found soon; quick ones make the next larger.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from reverie.core.search.documents import Document
from reverie.core.search.indexing import check_vectors, index_terms, meant
from reverie.errors import IndexBroken, ReverieError
from reverie.local.search.index_db import IndexDb
from reverie.local.search.root_index import RootIndex
from reverie.local.search.segment import Entry, Segment, packed, term_hash
from reverie.local.search.sources import Found, load
from reverie.local.search.vectors import quantize
from reverie.ports import Embedder
from reverie.types import Chunk
from reverie.types.ranking import FileRow

__all__ = ["Batch", "BatchMaker", "Read"]

_FIRST_CHUNKS: Final = 256
_MOST_CHUNKS: Final = 4_096
_QUICK_SECONDS: Final = 2.0
_EMBEDDED_AT_ONCE: Final = 256


@dataclass(frozen=True, slots=True)
class Read:
    """A changed file, read; `document` is None where it cannot be searched."""

    found: Found
    old: FileRow | None
    document: Document | None
    problem: str = ""


@dataclass(slots=True)
class Batch:
    """Files ready to be taken in: their segment is on the disk, and nobody knows of it yet."""

    entries: list[Entry] = field(default_factory=list)
    replaced: list[tuple[Read, int]] = field(default_factory=list)
    """Files with the number of their first chunk."""
    signed: list[Read] = field(default_factory=list)
    """Files that were touched but say what they said."""
    name: str = ""
    next_id: int = 0
    dimension: int = 0
    embedded: int = 0


class BatchMaker:
    """Makes the batches of one sync; only whoever holds the lock may."""

    def __init__(self, index: RootIndex, db: IndexDb) -> None:
        self._index = index
        self._db = db
        self._embedder = index.recipe.embedder
        self._segments: dict[str, Segment] = {}

    def segment(self, name: str) -> Segment:
        """Open a segment that the database names."""
        if name not in self._segments:
            self._segments[name] = self._index.open_segment(name)
        return self._segments[name]

    def batches(self, files: Sequence[Found], commit: Callable[[Batch], None]) -> Iterator[int]:
        """Make and commit batch after batch; yields how many files are left after each."""
        size = _FIRST_CHUNKS
        reads: list[Read] = []
        begin = time.monotonic()
        chunks = 0
        for number, found in enumerate(files, 1):
            read = self._read(found)
            reads.append(read)
            chunks += len(read.document.chunks) if read.document else 0
            if chunks >= size or number == len(files):
                commit(self._prepare(reads))
                if time.monotonic() - begin < _QUICK_SECONDS:
                    size = min(2 * size, _MOST_CHUNKS)
                yield len(files) - number
                reads, chunks, begin = [], 0, time.monotonic()

    def _read(self, found: Found) -> Read:
        old = self._db.file(found.rel)
        if found.problem:
            return Read(found, old, None, found.problem)
        recipe = self._index.recipe
        try:
            document = load(
                self._index.root, found.rel, size=recipe.size, limit=recipe.max_file_bytes
            )
        except ReverieError as error:
            return Read(found, old, None, str(error))
        problem = f"{found.path}: {document.problem}" if document and document.problem else ""
        return Read(found, old, document, problem)

    def _prepare(self, reads: Sequence[Read]) -> Batch:
        made = Batch(next_id=int(self._db.meta("next")))
        fresh: list[tuple[int, Chunk]] = []
        kept: dict[int, tuple[bytes, float]] = {}
        for read in reads:
            document, old = read.document, read.old
            if document and old and old.digest == document.digest and not old.problem:
                made.signed.append(read)
                continue
            chunks = document.chunks if document else ()
            known = self._vectors_of(old) if chunks else {}
            for number, chunk in enumerate(chunks, made.next_id):
                vector = known.get(bytes.fromhex(chunk.id))
                if vector:
                    kept[number] = vector
                elif self._embedder:
                    fresh.append((number, chunk))
                found, length = index_terms(chunk)
                made.entries.append(Entry(number, Counter(map(term_hash, found)), length))
            made.replaced.append((read, made.next_id))
            made.next_id += len(chunks)
        if self._embedder:
            kept |= self._embed(self._embedder, fresh)
            made.embedded = len(fresh)
            made.entries = [
                replace(entry, vector=kept[entry.id][0], scale=kept[entry.id][1])
                for entry in made.entries
            ]
        if made.entries:
            self._write(made)
        return made

    def _write(self, made: Batch) -> None:
        made.name = f"{made.entries[0].id:010d}-{secrets.token_hex(4)}.seg"
        made.dimension = len(made.entries[0].vector)
        signs_above = self._index.recipe.signs_above
        self._index.keep_segment(
            made.name,
            packed(made.name, made.entries, dimension=made.dimension, signs_above=signs_above),
        )

    # --- vectors ----------------------------------------------------------------------------------

    def _vectors_of(self, row: FileRow | None) -> Mapping[bytes, tuple[bytes, float]]:
        """Return the vectors a file's chunks have, by what the chunks say."""
        if row is None or not row.chunks or not self._embedder:
            return {}
        found: dict[bytes, tuple[bytes, float]] = {}
        segments = [self.segment(item.name) for item in self._db.segments()]
        for chunk in self._db.chunks_of(row):
            for segment in segments:
                place = segment.place(chunk.id)
                if place is not None:
                    found[chunk.cid] = segment.vector(place), segment.scales[place]
        return found

    def _embed(
        self, embedder: Embedder, fresh: Sequence[tuple[int, Chunk]]
    ) -> dict[int, tuple[bytes, float]]:
        found: dict[int, tuple[bytes, float]] = {}
        for start in range(0, len(fresh), _EMBEDDED_AT_ONCE):
            some = fresh[start : start + _EMBEDDED_AT_ONCE]
            vectors = embedder.embed([meant(chunk) for _, chunk in some])
            self._check(embedder, vectors, len(some))
            made = quantize(vectors)
            found |= {number: pair for (number, _), pair in zip(some, made, strict=True)}
        return found

    def _check(self, embedder: Embedder, vectors: Sequence[Sequence[float]], count: int) -> None:
        """Refuse vectors that do not fit; if those of the index do not, it is begun anew."""
        size = check_vectors(embedder, vectors, count)
        known = self._db.meta("dimension")
        if known is not None and known != size:
            raise IndexBroken(f"{embedder.identity} has changed its vectors")
