"""Vectors as signed bytes: made, and compared with a query.

Rules
- A vector is scaled so that its largest number is 127; the scale kept beside it makes the product
  with a query of length 1 a cosine. On the development data this loses nothing that can be seen.
- A few thousand vectors are compared without numpy, which takes longer to load than to do without. A
  process that goes on searching loads it once it has spent as long without it.
- From `search.approximate_above` chunks on, a segment has the signs of its vectors, too: one bit per
  number. The vectors whose signs agree most with the query's are compared, the others are not;
  everything smaller is compared in full.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from operator import mul
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

    from reverie.local.search.segment import Segment

    Floats = np.ndarray[Any, np.dtype[np.float32]]

__all__ = ["Cosines", "compare", "is_large", "quantize", "signs_of", "some", "unit"]

_LARGEST: Final = 127
_SMALL: Final = 2_000  # below this many vectors plain Python wins against loading numpy
_WORTH_LOADING: Final = 6_000  # comparing this many without numpy took as long as loading it
_AT_LEAST: Final = (
    100  # each comparison counts for: who asks so often stays, and its memory is to settle soon
)
_BLOCK: Final = 1_024  # vectors turned into floats at a time; more would start threads for no gain
# Of 37,000 documents, the 1,200 whose signs agree most hold 97 % of the ten nearest and 90 % of the 64.
_SHARE_LOOKED_AT: Final = 32
_LOOKED_AT: Final = 32  # and at least this many times those that are wanted
_FEW: Final = 8  # where this share or less is visible, only that is compared
_SAMPLE: Final = 2_048  # how many cosines tell mean and deviation where not all are computed

_compared = [0]  # how many vectors this process compared without numpy


@dataclass(frozen=True, slots=True)
class Cosines:
    """How near the vectors of one segment are to a query."""

    best: tuple[tuple[float, int], ...]
    """The nearest visible chunks: cosine and place, nearest first."""
    count: int
    total: float
    squares: float
    """Sum and sum of squares of `count` cosines, from which mean and deviation come."""


def quantize(vectors: Sequence[Sequence[float]]) -> list[tuple[bytes, float]]:
    """Turn vectors into signed bytes, each with the scale that makes products with it cosines."""
    if "numpy" in sys.modules:
        return _quantize_large(vectors)
    found: list[tuple[bytes, float]] = []
    for vector in vectors:
        largest = max(map(abs, vector), default=0.0)
        if not largest or not all(map(math.isfinite, vector)):
            found.append((bytes(len(vector)), 0.0))
            continue
        rounded = [round(value * _LARGEST / largest) for value in vector]
        length = math.sqrt(sum(map(mul, rounded, rounded)))
        found.append((array("b", rounded).tobytes(), 1.0 / length))
    return found


def _quantize_large(vectors: Sequence[Sequence[float]]) -> list[tuple[bytes, float]]:
    import numpy as np

    rows = np.asarray(vectors, np.float32)
    rows = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0.0)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rounded = np.rint(rows * (_LARGEST / np.where(largest > 0, largest, 1.0))).astype(np.int8)
    lengths = np.sqrt((rounded.astype(np.float32) ** 2).sum(axis=1))
    scales = np.where(lengths > 0, 1.0 / np.where(lengths > 0, lengths, 1.0), 0.0).tolist()
    return [(row.tobytes(), scale) for row, scale in zip(rounded, scales, strict=True)]


def unit(vector: Sequence[float]) -> list[float]:
    """Return a vector with length 1, or zeros."""
    length = math.sqrt(sum(value * value for value in map(float, vector)))
    return [float(value) / length for value in vector] if length else [0.0] * len(vector)


def compare(
    segment: Segment, query: Sequence[float], *, visible: bytes | None, limit: int, large: bool
) -> Cosines:
    """Compare a query of length 1 with the vectors of a segment.

    Args:
        visible: One byte per chunk, 0 for those that must not be seen; None means all are.
        large: Use numpy.
    """
    if not segment.size or not segment.dimension:
        return Cosines((), 0, 0.0, 0.0)
    if large:
        return _compare_large(segment, query, visible, limit)
    _compared[0] += max(segment.size, _AT_LEAST)
    values = some(segment, query, range(segment.size), large=False)
    found = [(value, place) for place, value in enumerate(values)]
    if visible is not None:
        found = [item for item in found if visible[item[1]]]
    values = [value for value, _ in found]
    return Cosines(
        tuple(nlargest(limit, found)), len(values), sum(values), sum(map(mul, values, values))
    )


def some(
    segment: Segment, query: Sequence[float], places: Sequence[int], *, large: bool
) -> list[float]:
    """Compare a query with single vectors."""
    size = segment.dimension
    if large:
        import numpy as np

        rows = np.frombuffer(segment.vectors, np.int8).reshape(-1, size)
        scales = np.frombuffer(segment.scales, np.float32)[list(places)]
        found = _products(rows[list(places)], np.asarray(query, np.float32)) * scales
        return [float(value) for value in found]
    return [
        sum(map(mul, segment.vectors[place * size : (place + 1) * size], query))
        * segment.scales[place]
        for place in places
    ]


def is_large(vectors: int) -> bool:
    """Say whether numpy pays for this many vectors, which it does when it is loaded anyway."""
    return vectors > _SMALL or "numpy" in sys.modules or _compared[0] > _WORTH_LOADING


def _compare_large(
    segment: Segment, query: Sequence[float], visible: bytes | None, limit: int
) -> Cosines:
    import numpy as np

    wanted = np.asarray(query, np.float32)
    rows = np.frombuffer(segment.vectors, np.int8).reshape(segment.size, segment.dimension)
    scales = np.frombuffer(segment.scales, np.float32)
    seen_places = None if visible is None else np.flatnonzero(np.frombuffer(visible, np.uint8))
    if seen_places is not None and len(seen_places) <= segment.size // _FEW:
        places = seen_places
        values = seen = _products(rows[places], wanted) * scales[places]
    elif len(segment.signs):
        places = _nearest_signs(segment, wanted, visible, limit)
        values = _products(rows[places], wanted) * scales[places]
        step = max(segment.size // _SAMPLE, 1)
        seen = _products(rows[::step], wanted) * scales[::step]
        if visible is not None:
            seen = seen[np.frombuffer(visible, np.uint8)[::step] != 0]
    else:
        values = seen = _products(rows, wanted) * scales
        places = np.arange(segment.size)
        if seen_places is not None:
            places = seen_places
            values = seen = values[places]
    best = _largest(values, limit)
    pairs = zip(values[best].tolist(), places[best].tolist(), strict=True)
    return Cosines(tuple(pairs), len(seen), float(seen.sum()), float((seen * seen).sum()))


def _products(rows: np.ndarray[Any, np.dtype[np.int8]], wanted: Floats) -> Floats:
    import numpy as np

    found = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _BLOCK):
        found[start : start + _BLOCK] = rows[start : start + _BLOCK].astype(np.float32) @ wanted
    return found


def _largest(values: Floats, limit: int) -> np.ndarray[Any, np.dtype[np.intp]]:
    import numpy as np

    if limit < len(values):
        some = np.argpartition(values, len(values) - limit)[len(values) - limit :]
    else:
        some = np.arange(len(values))
    return some[np.argsort(-values[some], kind="stable")]


def _nearest_signs(
    segment: Segment, wanted: Floats, visible: bytes | None, limit: int
) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Return the places whose signs agree most with the query's: more than wanted, to be compared."""
    import numpy as np

    own = _signs(wanted[None, :])[0]
    signs = np.frombuffer(segment.signs, np.uint64).reshape(segment.size, len(own))
    apart = np.zeros(segment.size, np.uint16)
    for column, word in enumerate(own):
        apart += np.bitwise_count(signs[:, column] ^ word)
    if visible is not None:
        apart[np.frombuffer(visible, np.uint8) == 0] = np.iinfo(np.uint16).max
    enough = max(_LOOKED_AT * limit, segment.size // _SHARE_LOOKED_AT)
    reached = np.cumsum(np.bincount(apart[apart <= segment.dimension]))
    return np.flatnonzero(apart <= np.searchsorted(reached, enough))


def signs_of(vectors: bytes | bytearray, dimension: int) -> bytes:
    """Return one bit per number of each vector, set where it is above 0."""
    import numpy as np

    rows = np.frombuffer(vectors, np.int8).reshape(-1, dimension)
    return b"".join(
        _signs(rows[start : start + _BLOCK]).tobytes() for start in range(0, len(rows), _BLOCK)
    )


def _signs(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    import numpy as np

    packed = np.packbits(rows > 0, axis=1)
    padded = np.zeros((len(rows), -(-packed.shape[1] // 8) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)
