"""Segments: immutable files that hold the terms and vectors of some chunks, mapped into memory.

Rules
- A segment is written once, whole and on the disk before anybody hears of it; after that it is only
  read or removed. Whoever still has it mapped keeps it.
- Chunks are ordered by id, so the chunks of one file stand side by side. Terms are known by a hash of
  64 bits; their texts are not kept.
- Reading needs no numpy: every part is a typed view of the file. Large parts are scanned with it.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from heapq import merge
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

__all__ = ["Entry", "Segment", "join", "term_hash", "write"]

_MAGIC: Final = b"RVSEG\x02\x00\x00"
_HEAD: Final = struct.Struct("<8sQQQQQ")  # magic, chunks, terms, postings, dimension, signs
_ALIGN: Final = 64
_SMALL: Final = 40_000  # fewer postings are joined faster than numpy is loaded
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


@lru_cache(maxsize=1 << 16)
def term_hash(term: str) -> int:
    """Return the number a term is known by."""
    return int.from_bytes(
        blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )


class Segment:
    """One mapped segment."""

    __slots__ = (
        "_counts",
        "_offsets",
        "_places",
        "dimension",
        "ids",
        "lengths",
        "name",
        "scales",
        "signs",
        "size",
        "terms",
        "vectors",
    )

    def __init__(self, path: Path) -> None:
        self.name = path.name
        with path.open("rb") as file:
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        magic, chunks, terms, postings, self.dimension, signs = _HEAD.unpack_from(data)
        if magic != _MAGIC:
            raise ValueError(f"{path} is no segment")
        self.size = chunks
        sizes = _sizes(chunks, terms, postings, self.dimension, signs)
        parts: list[memoryview] = []
        at = _HEAD.size
        for code, count in sizes:
            at = -(-at // _ALIGN) * _ALIGN
            width = array(code).itemsize
            parts.append(data[at : at + count * width].cast(code))  # type: ignore[call-overload]  # see _sizes
            at += count * width
        if at != len(data):
            raise ValueError(f"{path} has {len(data)} bytes where {at} were expected")
        self.ids, self.lengths, self.terms, self._offsets, self._places, self._counts = parts[:6]
        self.vectors, self.scales, self.signs = parts[6:]

    def postings(self, term: int) -> Postings:
        """Return where a term stands."""
        at = bisect_left(self.terms, term)
        if at == len(self.terms) or self.terms[at] != term:
            return Postings(self._places[:0], self._counts[:0])
        first, last = self._offsets[at], self._offsets[at + 1]
        return Postings(self._places[first:last], self._counts[first:last])

    def place(self, id_: int) -> int | None:
        """Return the place of a chunk in this segment, if it is here."""
        at = bisect_left(self.ids, id_)
        return at if at < self.size and self.ids[at] == id_ else None

    def vector(self, place: int) -> bytes:
        """Return the vector of one chunk."""
        return bytes(self.vectors[place * self.dimension : (place + 1) * self.dimension])

    def lists(self) -> Lists:
        """Return the postings of all terms."""
        return Lists(self.terms, self._offsets, self._places, self._counts)

    def postings_at(self, at: int) -> Postings:
        """Return the postings of the term at a place in the list of terms."""
        first, last = self._offsets[at], self._offsets[at + 1]
        return Postings(self._places[first:last], self._counts[first:last])


def write(path: Path, entries: Sequence[Entry], *, dimension: int, signs_above: int = 0) -> None:
    """Write a segment of these chunks, which come in the order of their ids."""
    inverted = _inverted_large if "numpy" in sys.modules else _inverted
    _save(
        path,
        ids=array("I", [entry.id for entry in entries]),
        lengths=array("I", [entry.length for entry in entries]),
        postings=inverted(entries),
        vectors=b"".join(entry.vector for entry in entries) if dimension else b"",
        scales=array("f", [entry.scale for entry in entries] if dimension else []),
        dimension=dimension,
        signs_above=signs_above,
    )


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


def join(
    path: Path,
    parts: Sequence[tuple[Segment, frozenset[int]]],
    *,
    dimension: int,
    signs_above: int = 0,
) -> None:
    """Write one segment from several, in the order of their ids, without the dead places of each."""
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
    _save(
        path,
        ids=ids,
        lengths=lengths,
        postings=_joined_large(segments, moved) if large else _listed(_joined(segments, moved)),
        vectors=vectors,
        scales=scales,
        dimension=dimension,
        signs_above=signs_above,
    )


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


def _save(
    path: Path,
    *,
    ids: array[int],
    lengths: array[int],
    postings: Lists,
    vectors: bytes | bytearray,
    scales: array[float],
    dimension: int,
    signs_above: int,
) -> None:
    signs = b""
    if dimension and signs_above and len(ids) >= signs_above:
        from reverie.local.vectors import signs_of

        signs = signs_of(vectors, dimension)
    sizes = len(ids), len(postings.terms), len(postings.places)
    head = _HEAD.pack(_MAGIC, *sizes, dimension, len(signs) // 8)
    parts = (ids, lengths, *postings, vectors, scales, signs)
    with path.open("xb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(head)
        for part in parts:
            file.write(b"\0" * (-file.tell() % _ALIGN))
            file.write(part)
        file.flush()
        os.fsync(file.fileno())


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
