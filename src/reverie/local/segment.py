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
from typing import Final, NamedTuple

__all__ = ["Entry", "Segment", "join", "term_hash", "write"]

_MAGIC: Final = b"RVSEG\x02\x00\x00"
_HEAD: Final = struct.Struct("<8sQQQQQ")  # magic, chunks, terms, postings, dimension, signs
_ALIGN: Final = 64
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
        "_terms",
        "dimension",
        "ids",
        "lengths",
        "name",
        "scales",
        "signs",
        "size",
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
        self.ids, self.lengths, self._terms, self._offsets, self._places, self._counts = parts[:6]
        self.vectors, self.scales, self.signs = parts[6:]

    def postings(self, term: int) -> Postings:
        """Return where a term stands."""
        at = bisect_left(self._terms, term)
        if at == len(self._terms) or self._terms[at] != term:
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

    def all_postings(self) -> Iterator[tuple[int, int]]:
        """Yield every term in order, with its own place in the list of terms."""
        return ((term, at) for at, term in enumerate(self._terms))

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


def _inverted(entries: Sequence[Entry]) -> Iterator[tuple[int, array[int], bytearray]]:
    postings: dict[int, tuple[array[int], bytearray]] = {}
    for place, entry in enumerate(entries):
        for term, count in entry.counts.items():
            found = postings.get(term)
            if found is None:
                found = postings[term] = (array("I"), bytearray())
            found[0].append(place)
            found[1].append(min(count, _MOST))
    return ((term, *postings[term]) for term in sorted(postings))


def _inverted_large(entries: Sequence[Entry]) -> Iterator[tuple[int, array[int], bytearray]]:
    import numpy as np

    sizes = [len(entry.counts) for entry in entries]
    total = sum(sizes)
    terms = np.fromiter(chain.from_iterable(entry.counts for entry in entries), np.uint64, total)
    often = chain.from_iterable(entry.counts.values() for entry in entries)
    counts = np.minimum(np.fromiter(often, np.int64, total), _MOST).astype(np.uint8)
    places = np.repeat(np.arange(len(entries), dtype=np.uint32), sizes)
    order = np.argsort(terms, kind="stable")  # places stay in order within a term
    terms, counts, places = terms[order], counts[order], places[order]
    new = np.ones(total, np.bool_)
    new[1:] = terms[1:] != terms[:-1]
    starts = np.flatnonzero(new)
    for start, stop in zip(starts, np.append(starts, total)[1:], strict=True):
        where = array("I", places[start:stop].tobytes())
        yield int(terms[start]), where, bytearray(counts[start:stop].tobytes())


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
    _save(
        path,
        ids=ids,
        lengths=lengths,
        postings=_joined([part for part, _ in parts], moved, [bool(dead) for _, dead in parts]),
        vectors=vectors,
        scales=scales,
        dimension=dimension,
        signs_above=signs_above,
    )


def _joined(
    parts: Sequence[Segment], moved: Sequence[Sequence[int]], holed: Sequence[bool]
) -> Iterator[tuple[int, array[int], bytearray]]:
    def marked(number: int) -> Iterator[tuple[int, int, int]]:
        return ((term, number, at) for term, at in parts[number].all_postings())

    current = -1
    places, counts = array("I"), bytearray()
    for term, number, at in merge(*map(marked, range(len(parts)))):
        if term != current:
            if places:
                yield current, places, counts
            current, places, counts = term, array("I"), bytearray()
        found = parts[number].postings_at(at)
        new = moved[number]
        if holed[number]:
            for place, count in zip(found.places, found.counts, strict=True):
                if new[place] >= 0:
                    places.append(new[place])
                    counts.append(count)
        else:
            base = new[0]
            if base:
                places.extend([place + base for place in found.places])
            else:
                places.frombytes(found.places.cast("B"))
            counts += found.counts
    if places:
        yield current, places, counts


def _save(
    path: Path,
    *,
    ids: array[int],
    lengths: array[int],
    postings: Iterable[tuple[int, array[int], bytearray]],
    vectors: bytes | bytearray,
    scales: array[float],
    dimension: int,
    signs_above: int,
) -> None:
    terms, offsets, places, counts = array("Q"), array("I", [0]), array("I"), bytearray()
    for term, where, often in postings:
        terms.append(term)
        places += where
        counts += often
        offsets.append(len(places))
    signs = b""
    if dimension and signs_above and len(ids) >= signs_above:
        from reverie.local.vectors import signs_of

        signs = signs_of(vectors, dimension)
    head = _HEAD.pack(_MAGIC, len(ids), len(terms), len(places), dimension, len(signs) // 8)
    parts = (ids, lengths, terms, offsets, places, counts, vectors, scales, signs)
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
