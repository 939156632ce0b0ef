"""Segments: immutable files that hold the terms and vectors of some chunks.

Rules
- A segment is written once, whole and on the disk before anybody hears of it; after that it is only
  read or removed. Whoever still has it open keeps it.
- What is read was checked (`blocks`), and only what is needed is read.
- Chunks are ordered by id, so the chunks of one file stand side by side. Terms are known by a hash of
  64 bits; their texts are not kept.
- Reading needs no numpy: every part is a typed view of the file. Large parts are scanned with it.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from heapq import merge
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from reverie.local.disk.blocks import Blocks, Buffer, pack

__all__ = ["Draft", "Entry", "Segment", "drafted", "packed", "packed_join", "term_hash"]

_MAGIC: Final = b"RVSEG\x03\x00\x00"
_FACTS: Final = struct.Struct("<QQQQQ")  # chunks, terms, postings, dimension, signs
_ALIGN: Final = 64
_SMALL: Final = 40_000  # fewer postings are joined faster than numpy is loaded
_WIDTHS: Final = {"I": 4, "Q": 8, "B": 1, "b": 1, "f": 4}
_MOST: Final = 255  # a count is one byte; more often in one chunk makes no difference to a score


@dataclass(frozen=True, slots=True)
class Entry:
    """One chunk on its way into a segment."""

    id: int
    counts: Mapping[int, int]
    """How often each term stands in it, by the term's hash."""
    length: int
    vector: bytes = b""
    """Signed bytes; empty without an embedder."""
    scale: float = 0.0


class Postings(NamedTuple):
    """Which chunks have a term, by their place in the segment, and how often."""

    places: memoryview
    counts: memoryview


class Lists(NamedTuple):
    """The postings of all terms: numbers that lie in memory as they do in a file."""

    terms: Any
    """The terms' hashes, in order."""
    offsets: Any
    """Where the postings of each term begin, and where the last ones end."""
    places: Any
    counts: Any


@dataclass(slots=True)
class Draft:
    """A segment that has no name yet, and whose chunks may be numbered anew."""

    ids: array[int]
    lengths: array[int]
    postings: Lists
    vectors: bytes | bytearray = b""
    scales: array[float] = field(default_factory=lambda: array("f"))
    dimension: int = 0


@lru_cache(maxsize=1 << 16)
def term_hash(term: str) -> int:
    """Return the number a term is known by."""
    return int.from_bytes(
        blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )


class Segment:
    """One open segment; see `blocks` for when it raises ValueError."""

    __slots__ = ("_blocks", "_parts", "_ranges", "_read", "dimension", "name", "size")

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        """Open a file, or take `data` for its content."""
        self._blocks = Blocks(path, _MAGIC, data)
        self.name = path.name
        if len(self._blocks.facts) != _FACTS.size:
            raise ValueError(f"{path} is no segment")
        self.size, terms, postings, self.dimension, signs = _FACTS.unpack(self._blocks.facts)
        self._ranges, length = _layout(_sizes(self.size, terms, postings, self.dimension, signs))
        if length != len(self._blocks.body):
            raise ValueError(f"{path} contains something other than its header says")
        self._parts: list[memoryview] = [
            self._blocks.body[start:stop].cast(code).toreadonly()  # type: ignore[call-overload]  # see _sizes
            for code, start, stop in self._ranges
        ]
        self._read = [self._blocks.is_whole] * len(self._ranges)

    @property
    def damaged(self) -> bool:
        """Whether a part that was read later turned out not to be what was written."""
        return self._blocks.damaged

    def _part(self, number: int) -> memoryview:
        if not self._read[number]:
            _, start, stop = self._ranges[number]
            self._blocks.need(start, stop)
            self._read[number] = True  # what was read and checked is not read again
        return self._parts[number]

    @property
    def ids(self) -> memoryview:
        """The numbers of the chunks, in order."""
        return self._part(0)

    @property
    def lengths(self) -> memoryview:
        """How many terms each chunk has."""
        return self._part(1)

    @property
    def terms(self) -> memoryview:
        """The terms' hashes, in order."""
        return self._part(2)

    @property
    def vectors(self) -> memoryview:
        """The vectors, one after the other."""
        return self._part(6)

    @property
    def scales(self) -> memoryview:
        """What makes products with each vector cosines."""
        return self._part(7)

    @property
    def signs(self) -> memoryview:
        """The signs of the vectors, where there are so many that they pay."""
        return self._part(8)

    def postings(self, term: int) -> Postings:
        """Return where a term stands."""
        terms = self.terms
        at = bisect_left(terms, term)
        if at == len(terms) or terms[at] != term:
            return Postings(self._parts[4][:0], self._parts[5][:0])
        return self.postings_at(at)

    def postings_at(self, at: int) -> Postings:
        """Return the postings of the term at a place in the list of terms."""
        offsets = self._part(3)
        first, last = offsets[at], offsets[at + 1]
        if not (self._read[4] and self._read[5]):
            for code, start, _ in self._ranges[4:6]:
                width = _WIDTHS[code]
                self._blocks.need(start + first * width, start + last * width)
        return Postings(self._parts[4][first:last], self._parts[5][first:last])

    def place(self, id_: int) -> int | None:
        """Return the place of a chunk in this segment, if it is here."""
        at = bisect_left(self.ids, id_)
        return at if at < self.size and self.ids[at] == id_ else None

    def vector(self, place: int) -> bytes:
        """Return the vector of one chunk."""
        _, start, _ = self._ranges[6]
        first, last = place * self.dimension, (place + 1) * self.dimension
        self._blocks.need(start + first, start + last)
        return bytes(self._parts[6][first:last])

    def lists(self) -> Lists:
        """Return the postings of all terms."""
        return Lists(*map(self._part, range(2, 6)))


def drafted(entries: Sequence[Entry], *, dimension: int = 0) -> Draft:
    """Put chunks together as a segment has them."""
    inverted = _inverted_large if "numpy" in sys.modules else _inverted
    return Draft(
        ids=array("I", [entry.id for entry in entries]),
        lengths=array("I", [entry.length for entry in entries]),
        postings=inverted(entries),
        vectors=b"".join(entry.vector for entry in entries) if dimension else b"",
        scales=array("f", [entry.scale for entry in entries] if dimension else []),
        dimension=dimension,
    )


def packed(name: str, draft: Draft, *, signs_above: int = 0) -> list[Buffer]:
    """Return the bytes of a segment, in pieces."""
    signs: bytes = b""
    if draft.dimension and signs_above and len(draft.ids) >= signs_above:
        from reverie.local.search.vectors import signs_of

        signs = signs_of(draft.vectors, draft.dimension)
    postings = draft.postings
    counts = len(draft.ids), len(postings.terms), len(postings.places)
    facts = _FACTS.pack(*counts, draft.dimension, len(signs) // 8)
    body = bytearray()
    for part in (draft.ids, draft.lengths, *postings, draft.vectors, draft.scales, signs):
        body += b"\0" * (-len(body) % _ALIGN)
        body += memoryview(part).cast("B") if len(part) else b""
    return pack(name, _MAGIC, facts, body)


def _inverted(entries: Sequence[Entry]) -> Lists:
    postings: dict[int, tuple[array[int], bytearray]] = {}
    for place, entry in enumerate(entries):
        for term, count in entry.counts.items():
            found = postings.get(term)
            if found is None:
                found = postings[term] = (array("I"), bytearray())
            found[0].append(place)
            found[1].append(min(count, _MOST))
    return _listed((term, *postings[term]) for term in sorted(postings))


def _listed(postings: Iterable[tuple[int, array[int], bytearray]]) -> Lists:
    """Put the postings of all terms, in order, one after the other."""
    terms, offsets, places, counts = array("Q"), array("I", [0]), array("I"), bytearray()
    for term, where, often in postings:
        terms.append(term)
        places += where
        counts += often
        offsets.append(len(places))
    return Lists(terms, offsets, places, counts)


def _inverted_large(entries: Sequence[Entry]) -> Lists:
    import numpy as np

    sizes = [len(entry.counts) for entry in entries]
    total = sum(sizes)
    terms = np.fromiter(chain.from_iterable(entry.counts for entry in entries), np.uint64, total)
    often = chain.from_iterable(entry.counts.values() for entry in entries)
    counts = np.minimum(np.fromiter(often, np.int64, total), _MOST).astype(np.uint8)
    places = np.repeat(np.arange(len(entries), dtype=np.uint32), sizes)
    order = np.argsort(terms, kind="stable")  # places stay in order within a term
    terms = terms[order]
    new = np.ones(total, np.bool_)
    new[1:] = terms[1:] != terms[:-1]
    offsets = np.append(np.flatnonzero(new), total).astype(np.uint32)
    return Lists(terms[new], offsets, places[order], counts[order])


def packed_join(
    name: str,
    parts: Sequence[tuple[Segment, frozenset[int]]],
    *,
    dimension: int,
    signs_above: int = 0,
) -> list[Buffer]:
    """Return the bytes of one segment made from several, in pieces."""
    moved: list[list[int]] = []
    ids, lengths, scales = array("I"), array("I"), array("f")
    vectors = bytearray()
    for part, dead in parts:
        new = list(range(len(ids), len(ids) + part.size))
        if dead:
            alive = [place for place in range(part.size) if place not in dead]
            new = [-1] * part.size
            for number, place in enumerate(alive, len(ids)):
                new[place] = number
            ids.extend(part.ids[place] for place in alive)
            lengths.extend(part.lengths[place] for place in alive)
            if dimension:
                scales.extend(part.scales[place] for place in alive)
                vectors += b"".join(part.vector(place) for place in alive)
        else:
            ids.frombytes(part.ids.cast("B"))
            lengths.frombytes(part.lengths.cast("B"))
            scales.frombytes(part.scales.cast("B"))
            vectors += part.vectors
        moved.append(new)
    segments = [part for part, _ in parts]
    large = "numpy" in sys.modules or sum(len(part.lists().places) for part in segments) > _SMALL
    lists = _joined_large(segments, moved) if large else _listed(_joined(segments, moved))
    draft = Draft(ids, lengths, lists, vectors, scales, dimension)
    return packed(name, draft, signs_above=signs_above)


def _joined(
    parts: Sequence[Segment], moved: Sequence[Sequence[int]]
) -> Iterator[tuple[int, array[int], bytearray]]:
    def marked(number: int) -> Iterator[tuple[int, int, int]]:
        return ((term, number, at) for at, term in enumerate(parts[number].terms))

    current = -1
    places, counts = array("I"), bytearray()
    for term, number, at in merge(*map(marked, range(len(parts)))):
        if term != current:
            if places:
                yield current, places, counts
            current, places, counts = term, array("I"), bytearray()
        found = parts[number].postings_at(at)
        new = moved[number]
        for place, count in zip(found.places, found.counts, strict=True):
            if new[place] >= 0:
                places.append(new[place])
                counts.append(count)
    if places:
        yield current, places, counts


def _joined_large(parts: Sequence[Segment], moved: Sequence[Sequence[int]]) -> Lists:
    """Count first what each term gets from each part, then put every part where it belongs."""
    import numpy as np

    own = [_living(part, new) for part, new in zip(parts, moved, strict=True)]
    terms = np.unique(np.concatenate([lists.terms for lists in own]))
    sizes = np.zeros(len(terms), np.int64)
    where = [np.searchsorted(terms, lists.terms) for lists in own]
    for lists, rows in zip(own, where, strict=True):
        sizes[rows] += np.diff(lists.offsets)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    places = np.empty(int(offsets[-1]), np.uint32)
    counts = np.empty(int(offsets[-1]), np.uint8)
    free = offsets[:-1].copy()
    for lists, rows in zip(own, where, strict=True):
        often = np.diff(lists.offsets)
        target = np.repeat(free[rows] - lists.offsets[:-1], often) + np.arange(len(lists.places))
        places[target] = lists.places
        counts[target] = lists.counts
        free[rows] += often
    return Lists(terms, offsets.astype(np.uint32), places, counts)


def _living(part: Segment, moved: Sequence[int]) -> Lists:
    """Return the postings of a segment at their new places, without those that are dead."""
    import numpy as np

    terms, offsets, places, counts = part.lists()
    terms = np.frombuffer(terms, np.uint64)
    sizes: Any = np.diff(np.frombuffer(offsets, np.uint32).astype(np.int64))
    places = np.asarray(moved, np.int64)[np.frombuffer(places, np.uint32)]
    counts = np.frombuffer(counts, np.uint8)
    alive = places >= 0
    if not alive.all():
        sizes = np.bincount(np.repeat(np.arange(len(terms)), sizes)[alive], minlength=len(terms))
        terms, sizes = terms[sizes > 0], sizes[sizes > 0]
        places, counts = places[alive], counts[alive]
    return Lists(terms, np.concatenate([[0], np.cumsum(sizes)]), places, counts)


def _layout(sizes: Iterable[tuple[str, int]]) -> tuple[list[tuple[str, int, int]], int]:
    """Return kind, start and end of each part of the body, and how long the body is."""
    ranges: list[tuple[str, int, int]] = []
    at = 0
    for code, count in sizes:
        at = -(-at // _ALIGN) * _ALIGN
        ranges.append((code, at, at + count * _WIDTHS[code]))
        at = ranges[-1][2]
    return ranges, at


def _sizes(
    chunks: int, terms: int, postings: int, dimension: int, signs: int
) -> tuple[tuple[str, int], ...]:
    """Say of which kind and how many the numbers of each part are, in the order of the file."""
    vectors = chunks if dimension else 0
    return (
        ("I", chunks),
        ("I", chunks),
        ("Q", terms),
        ("I", terms + 1),
        ("I", postings),
        ("B", postings),
        ("b", vectors * dimension),
        ("f", vectors),
        ("Q", signs),
    )
