"""Find chunks by their words: exact counts and BM25 over the segments of an index.

Rules
- What counts is what is visible: frequencies, lengths and chunks that are hidden or dead are never
  part of a score.
- The order here only chooses candidates; `core.rank` decides. The same numbers are used, so that
  nothing it would put first is missing.
- Small work is done in plain Python, large work with numpy, with the same result.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from typing import TYPE_CHECKING, Any, Final

from reverie.core.search.signals import K1, MIN_AVERAGE_LENGTH, B
from reverie.local.search.segment import term_hash

if TYPE_CHECKING:
    import numpy as np

    from reverie.local.search.segment import Postings, Segment

__all__ = ["Place", "View", "Words", "find_words", "standing"]

_SMALL: Final = 40_000  # below this many postings plain Python wins against loading numpy
_FEW_PLACES: Final = 40  # so few are looked up one by one faster than numpy sets to work

Place = tuple[int, int]
"""Which view, and which chunk of its segment."""


@dataclass(frozen=True, slots=True)
class View:
    """A segment as one search sees it."""

    segment: Segment
    visible: bytes | None
    """One byte per chunk, 0 for those that are hidden or dead; None means all are visible."""
    chunks: int
    terms: int
    """How many chunks are visible, and how many terms they have together."""


class Words:
    """What the words of a query find."""

    def __init__(
        self,
        views: Sequence[View],
        terms: Sequence[str],
        emphasis: Mapping[str, float],
        *,
        large: bool | None,
    ) -> None:
        self._emphasis = emphasis
        self.chunks = sum(view.chunks for view in views)
        self.average_length = sum(view.terms for view in views) / max(self.chunks, 1)
        self._views = views
        self._postings: dict[str, list[Postings]] = {}
        for term in terms:
            number = term_hash(term)
            self._postings[term] = [view.segment.postings(number) for view in views]
        work = sum(len(found.places) for some in self._postings.values() for found in some)
        self._large = (work > _SMALL or "numpy" in sys.modules) if large is None else large

    @cached_property
    def frequency(self) -> dict[str, int]:
        """In how many visible chunks each term stands."""
        return {term: self._frequency(term) for term in self._postings}

    def _frequency(self, term: str) -> int:
        total = 0
        for view, found in zip(self._views, self._postings[term], strict=True):
            if view.visible is None:
                total += len(found.places)
            elif self._large:
                total += int(_shown(view, found).sum())
            else:
                total += sum(1 for place in found.places if view.visible[place])
        return total

    def _weights(self) -> dict[str, float]:
        return {
            term: math.log(1 + (self.chunks - often + 0.5) / (often + 0.5))
            * self._emphasis.get(term, 1.0)
            for term, often in self.frequency.items()
            if often
        }

    def best(self, limit: int) -> list[Place]:
        """Return the best places, best first."""
        weights = self._weights()
        average = max(self.average_length, MIN_AVERAGE_LENGTH)
        found: list[tuple[float, int, int]] = []
        for at, view in enumerate(self._views):
            lists = [(weights[term], self._postings[term][at]) for term in weights]
            lists = [item for item in lists if len(item[1].places)]
            if not lists:
                continue
            score = _score_large if self._large else _score_small
            found += [(value, -at, -place) for value, place in score(view, lists, average, limit)]
        return [(-at, -place) for _, at, place in nlargest(limit, found)]

    def counts(self, places: Sequence[Place]) -> list[dict[str, int]]:
        """Return how often each term of the query stands in each of the places."""
        rows: list[dict[str, int]] = [{} for _ in places]
        wanted: dict[int, list[tuple[int, dict[str, int]]]] = {}
        for row, (at, place) in zip(rows, places, strict=True):
            wanted.setdefault(at, []).append((place, row))
        for at, some in wanted.items():
            count = _count_large if self._large and len(some) > _FEW_PLACES else _count_small
            for term, lists in self._postings.items():
                if len(lists[at].places):
                    count(lists[at], term, some)
        return rows


def find_words(
    views: Sequence[View],
    terms: Sequence[str],
    emphasis: Mapping[str, float] | None = None,
    *,
    large: bool | None = None,
) -> Words:
    """Look the terms of a query up; `large` forces one of the two ways, for tests."""
    return Words(views, terms, emphasis or {}, large=large)


def standing(views: Sequence[View], terms: Sequence[str]) -> list[str]:
    """Return those of many terms that stand anywhere, be it in chunks that are hidden."""
    numbers = [term_hash(term) for term in terms]
    if "numpy" not in sys.modules:
        lists = [view.segment.terms for view in views]
        return [
            term
            for term, number in zip(terms, numbers, strict=True)
            if any(_holds(some, number) for some in lists)
        ]
    import numpy as np

    asked = np.array(numbers, np.uint64)
    there = np.zeros(len(asked), bool)
    for view in views:
        known = np.frombuffer(view.segment.terms, np.uint64)
        if len(known):
            at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
            there |= known[at] == asked
    return [terms[at] for at in np.flatnonzero(there).tolist()]


def _holds(numbers: memoryview, number: int) -> bool:
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number


def _score_small(
    view: View, lists: Sequence[tuple[float, Postings]], average: float, limit: int
) -> list[tuple[float, int]]:
    scores: dict[int, float] = {}
    lengths = view.segment.lengths
    for weight, found in lists:
        for place, count in zip(found.places, found.counts, strict=True):
            slow = K1 * (1 - B + B * lengths[place] / average)
            scores[place] = scores.get(place, 0.0) + weight * count / (count + slow)
    if view.visible is not None:
        scores = {place: value for place, value in scores.items() if view.visible[place]}
    return [(value, place) for place, value in nlargest(limit, scores.items(), key=_by_score)]


def _count_small(found: Postings, term: str, wanted: Sequence[tuple[int, dict[str, int]]]) -> None:
    for place, row in wanted:
        where = bisect_left(found.places, place)
        if where < len(found.places) and found.places[where] == place:
            row[term] = found.counts[where]


def _count_large(found: Postings, term: str, wanted: Sequence[tuple[int, dict[str, int]]]) -> None:
    import numpy as np

    places = np.frombuffer(found.places, np.uint32)
    asked = np.array([place for place, _ in wanted], np.uint32)
    where = np.minimum(np.searchsorted(places, asked), len(places) - 1)
    for at in np.flatnonzero(places[where] == asked).tolist():
        wanted[at][1][term] = found.counts[int(where[at])]


def _by_score(item: tuple[int, float]) -> tuple[float, int]:
    return item[1], -item[0]


def _score_large(
    view: View, lists: Sequence[tuple[float, Postings]], average: float, limit: int
) -> list[tuple[float, int]]:
    import numpy as np

    lengths = np.frombuffer(view.segment.lengths, np.uint32)
    scores = np.zeros(view.segment.size, np.float32)
    for weight, found in lists:
        places = np.frombuffer(found.places, np.uint32)
        counts = np.frombuffer(found.counts, np.uint8).astype(np.float32)
        slow = lengths[places] * np.float32(K1 * B / average) + np.float32(K1 * (1 - B))
        scores[places] += np.float32(weight) * counts / (counts + slow)
    if view.visible is not None:
        scores *= np.frombuffer(view.visible, np.uint8)
    best = np.flatnonzero(scores)
    if limit < len(best):
        best = best[np.argpartition(scores[best], len(best) - limit)[len(best) - limit :]]
    return list(zip(scores[best].tolist(), best.tolist(), strict=True))


def _shown(view: View, found: Postings) -> np.ndarray[Any, np.dtype[np.uint8]]:
    import numpy as np

    return np.frombuffer(view.visible or b"", np.uint8)[np.frombuffer(found.places, np.uint32)]
