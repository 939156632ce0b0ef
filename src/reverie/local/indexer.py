"""Bring the index of a root up to date with its files.

Rules
- What changed is found by looking at the files, never from memory of events: nothing that happens
  while indexing can be missed, because the look that came before the reading is what is noted.
- A file is in the index whole or not at all. It is read, cut and embedded first; then one short
  transaction takes the old chunks out and the new ones in.
- A chunk whose text did not change keeps its vector.
- One writer at a time. Who cannot become it within the wait goes on with the last finished state.
"""

from __future__ import annotations

import secrets
import time
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from reverie.core.chunk import searchable
from reverie.core.tokens import estimate_tokens, terms
from reverie.errors import EmbedderFailed, IndexBroken, Locked, ReverieError
from reverie.local.changes import has_changed, look
from reverie.local.compaction import open_segment, tidy
from reverie.local.indexdb import ChunkRow, FileRow, SegmentRow
from reverie.local.locks import file_lock
from reverie.local.segment import Entry, term_hash, write
from reverie.local.sources import load
from reverie.local.vectors import quantize
from reverie.ports import Embedder
from reverie.types import Indexed, Problem

if TYPE_CHECKING:
    from reverie.local.indexdb import IndexDb
    from reverie.local.rootindex import RootIndex
    from reverie.local.segment import Segment
    from reverie.local.sources import Document, Found
    from reverie.types import Chunk

__all__ = ["sync"]

_BATCH_CHUNKS: Final = 4_096
_EMBEDDED_AT_ONCE: Final = 256
_RACY_NS: Final = 100_000_000  # a file younger than this may change again under the same time
TURN, ASKS = 1, 2
SECTION_GAP: Final = 100


@dataclass(frozen=True, slots=True)
class _Read:
    """A changed file, read; `document` is None where it cannot be searched."""

    found: Found
    old: FileRow | None
    document: Document | None
    problem: str = ""


def sync(
    index: RootIndex,
    *,
    now: Callable[[], datetime],
    wait: float,
    rebuild: bool = False,
    purge: bool = False,
) -> Indexed:
    """Take in what changed since the last time.

    Args:
        wait: How many seconds to wait for another writer.
        rebuild: Read every file again; searches see the old state until all is done.
        purge: Leave nothing of removed chunks in any segment either.
    """
    try:
        return _sync(index, now, wait, rebuild=rebuild, purge=purge)
    except IndexBroken:
        index.discard_anyway()
        return _sync(index, now, wait, rebuild=rebuild, purge=purge)
    except Locked:
        return Indexed(0, 0, 0, 0, current=False)


def _sync(
    index: RootIndex, now: Callable[[], datetime], wait: float, *, rebuild: bool, purge: bool
) -> Indexed:
    if not (rebuild or purge or has_changed(index)):
        return Indexed(0, 0, 0, 0)
    with file_lock(index.lock, wait=wait, purpose="indexing"):
        db = index.connect()
        try:
            return _Writer(index, db, now).run(rebuild=rebuild, purge=purge)
        finally:
            db.close()


class _Writer:
    """The one process that writes; it holds the lock."""

    def __init__(self, index: RootIndex, db: IndexDb, now: Callable[[], datetime]) -> None:
        self.index = index
        self.db = db
        self.now = now
        self.recipe = index.recipe
        self.segments: dict[str, Segment] = {}
        self.files = self.removed = self.chunks = self.embedded = 0
        self.dimension = 0
        self.problems: list[Problem] = []

    def run(self, *, rebuild: bool, purge: bool) -> Indexed:
        with self.db.checked():
            changes = look(self.index, self.db, everything=rebuild)
        if rebuild:
            with self.db.transaction("IMMEDIATE"):
                self.db.clear()
                for batch in self._batches(changes.files):
                    self._take_in(batch, ())
                self._note(changes.folders, ())
        else:
            removed: Sequence[str] = changes.removed
            for batch in self._batches(changes.files):
                prepared = self._prepare(batch)
                with self.db.transaction("IMMEDIATE"):
                    self._commit(prepared, removed)
                removed = ()
            with self.db.transaction("IMMEDIATE"):
                self._drop(removed)
                self._note(changes.folders, changes.gone)
        tidy(self.index, self.db, purge=purge)
        self.index.sweep()
        return Indexed(
            files=self.files,
            removed=self.removed,
            chunks=self.chunks,
            embedded=self.embedded,
            rebuilt=rebuild,
            problems=tuple(self.problems),
        )

    # --- reading files ----------------------------------------------------------------------------

    def _batches(self, files: Sequence[Found]) -> Iterator[list[_Read]]:
        """Read changed files, as many at a time as fit a batch; a file is never divided."""
        batch: list[_Read] = []
        chunks = 0
        for found in files:
            read = self._read(found)
            batch.append(read)
            chunks += len(read.document.chunks) if read.document else 0
            if chunks >= _BATCH_CHUNKS:
                yield batch
                batch, chunks = [], 0
        if batch:
            yield batch

    def _read(self, found: Found) -> _Read:
        old = self.db.file(found.rel)
        if found.problem:
            return _Read(found, old, None, found.problem)
        try:
            document = load(
                self.index.root,
                found.rel,
                size=self.recipe.size,
                limit=self.recipe.max_file_bytes,
            )
        except ReverieError as error:
            return _Read(found, old, None, str(error))
        return _Read(found, old, document)

    # --- writing ----------------------------------------------------------------------------------

    def _take_in(self, batch: Sequence[_Read], removed: Sequence[str]) -> None:
        self._commit(self._prepare(batch), removed)

    def _prepare(self, batch: Sequence[_Read]) -> _Batch:
        """Do everything slow: terms, vectors, the segment on the disk."""
        next_id = int(self.db.meta("next"))
        made = _Batch()
        fresh: list[tuple[int, Chunk]] = []
        kept: dict[int, tuple[bytes, float]] = {}
        for read in batch:
            document = read.document
            if (
                document
                and read.old
                and read.old.digest == document.digest
                and not read.old.problem
            ):
                made.signed.append(read)
                continue
            chunks = document.chunks if document else ()
            known = self._vectors_of(read.old) if chunks else {}
            for number, chunk in enumerate(chunks, next_id):
                vector = known.get(bytes.fromhex(chunk.id))
                if vector:
                    kept[number] = vector
                elif self.recipe.embedder:
                    fresh.append((number, chunk))
                words = terms(searchable(chunk))
                made.entries.append(Entry(number, Counter(map(term_hash, words)), len(words)))
            made.replaced.append((read, next_id))
            next_id += len(chunks)
        kept |= self._embed(fresh)
        if self.recipe.embedder:
            made.entries = [
                replace(entry, vector=kept[entry.id][0], scale=kept[entry.id][1])
                for entry in made.entries
            ]
        if made.entries:
            made.name = f"{made.entries[0].id:010d}-{secrets.token_hex(4)}.seg"
            write(
                self.index.folder / made.name,
                made.entries,
                dimension=len(made.entries[0].vector),
                cluster_above=self.recipe.cluster_above,
            )
        made.next_id = next_id
        return made

    def _vectors_of(self, row: FileRow | None) -> Mapping[bytes, tuple[bytes, float]]:
        """Return the vectors a file's chunks have, by what the chunks say."""
        if row is None or not row.count or not self.recipe.embedder:
            return {}
        found: dict[bytes, tuple[bytes, float]] = {}
        segments = [self._segment(item.name) for item in self.db.segments()]
        for chunk in self.db.chunks_of(row):
            for segment in segments:
                place = segment.place(chunk.id)
                if place is not None:
                    found[chunk.cid] = segment.vector(place), segment.scales[place]
        return found

    def _embed(self, fresh: Sequence[tuple[int, Chunk]]) -> dict[int, tuple[bytes, float]]:
        embedder = self.recipe.embedder
        found: dict[int, tuple[bytes, float]] = {}
        if embedder is None:
            return found
        for start in range(0, len(fresh), _EMBEDDED_AT_ONCE):
            some = fresh[start : start + _EMBEDDED_AT_ONCE]
            vectors = embedder.embed([searchable(chunk) for _, chunk in some])
            self._check(vectors, len(some), embedder)
            made = quantize(vectors)
            found |= {number: pair for (number, _), pair in zip(some, made, strict=True)}
        self.embedded += len(fresh)
        return found

    def _check(self, vectors: Sequence[Sequence[float]], count: int, embedder: Embedder) -> None:
        """Refuse vectors that do not fit; if those of the index do not, it is begun anew."""
        sizes = {len(vector) for vector in vectors}
        if len(vectors) != count or len(sizes) != 1 or sizes == {0}:
            raise EmbedderFailed(
                f"{embedder.identity} gave {len(vectors)} vectors of {sorted(sizes)} numbers for"
                f" {count} texts"
            )
        known = self.db.meta("dimension")
        if known is not None and {known} != sizes:
            raise IndexBroken(f"{embedder.identity} has changed its vectors")
        self.dimension = sizes.pop()

    def _commit(self, made: _Batch, removed: Sequence[str]) -> None:
        gone = [read.old for read, _ in made.replaced if read.old]
        self._forget(gone)
        self._drop(removed)
        for read, first in made.replaced:
            self._put(read, first)
        for read in made.signed:
            self.db.sign(read.found.rel, _mark(read.found))
        if made.name:
            length = sum(entry.length for entry in made.entries)
            self.db.put_segment(
                SegmentRow(made.name, made.entries[0].id, len(made.entries), length, b"", 0)
            )
        if self.dimension:
            self.db.set_meta("dimension", self.dimension)
        self.db.set_meta("next", made.next_id)
        self.db.set_meta("indexed", self.now().isoformat())
        self.db.set_meta("generation", int(self.db.meta("generation")) + 1)
        self.files += len(made.replaced)
        self.chunks += len(made.entries)

    def _put(self, read: _Read, first: int) -> None:
        found, document = read.found, read.document
        if document is None and not read.problem:
            return  # gone between the look and the reading
        chunks = document.chunks if document else ()
        self.db.put_file(
            FileRow(
                id=0,
                path=found.rel,
                signature=_mark(found),
                digest=document.digest if document else "",
                first=first,
                count=len(chunks),
                tokens=sum(estimate_tokens(chunk.text) for chunk in chunks),
                title=chunks[0].title if chunks else "",
                label=document.label if document else "",
                group=document.group if document else "",
                order=document.order if document else 0,
                problem=read.problem,
            )
        )
        if read.problem:
            self.problems.append(Problem("not_searched", read.problem, path=found.path))
        if document and chunks:
            row = self.db.file(found.rel)
            number = row.id if row else 0
            exact = self.index.root.kind != "turns"
            self.db.put_chunks(_rows(document, first, number, as_bytes=exact))

    def _drop(self, removed: Sequence[str]) -> None:
        rows = [row for rel in removed if (row := self.db.file(rel))]
        if rows:
            self._forget(rows)
            self.removed += len(rows)
            self.db.set_meta("generation", int(self.db.meta("generation")) + 1)

    def _forget(self, rows: Sequence[FileRow]) -> None:
        """Take files out; their places in the segments are dead from now on."""
        for row in rows:
            self.db.drop_file(row)
        ranges = sorted((row.first, row.first + row.count) for row in rows if row.count)
        if not ranges:
            return
        for item in self.db.segments():
            segment = self._segment(item.name)
            dead = set(item.dead_places())
            before = len(dead)
            for first, stop in ranges:
                if first <= segment.ids[-1] and stop > segment.ids[0]:
                    for id_ in range(first, stop):
                        place = segment.place(id_)
                        if place is not None:
                            dead.add(place)
            if len(dead) > before:
                blob = array("I", sorted(dead)).tobytes()
                lost = sum(segment.lengths[place] for place in dead)
                self.db.put_segment(replace(item, dead=blob, dead_terms=lost))

    def _note(self, folders: Mapping[str, int], gone: Sequence[str]) -> None:
        limit = time.time_ns() - _RACY_NS
        for rel, changed in folders.items():
            self.db.put_folder(rel, changed if changed < limit else 0)
        for rel in gone:
            self.db.drop_folder(rel)

    def _segment(self, name: str) -> Segment:
        if name not in self.segments:
            self.segments[name] = open_segment(self.index.folder / name)
        return self.segments[name]


@dataclass(slots=True)
class _Batch:
    """Files ready to be taken in: their segment is on the disk, and nobody knows of it yet."""

    entries: list[Entry] = field(default_factory=list)
    replaced: list[tuple[_Read, int]] = field(default_factory=list)
    """Files with the number of their first chunk."""
    signed: list[_Read] = field(default_factory=list)
    """Files that were touched but say what they said."""
    name: str = ""
    next_id: int = 0


def _rows(document: Document, first: int, file: int, *, as_bytes: bool) -> Iterator[ChunkRow]:
    text = document.text
    at = offset = 0
    for number, chunk in enumerate(document.chunks, first):
        data = chunk.text.encode("utf-8", "surrogatepass")
        start, stop = chunk.start, chunk.end
        if as_bytes:
            offset += len(text[at : chunk.start].encode("utf-8"))
            at = chunk.start
            start, stop = offset, offset + len(data)
        flags = TURN * chunk.turn + ASKS * chunk.asks
        day = chunk.date[0] * 10_000 + chunk.date[1] * 100 + chunk.date[2] if chunk.date else 0
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
            flags=flags,
            day=day,
        )


def _mark(found: Found) -> str:
    """Return the signature to note: none for a file so fresh that it may change unseen."""
    return found.signature if found.changed_ns < time.time_ns() - _RACY_NS else ""
