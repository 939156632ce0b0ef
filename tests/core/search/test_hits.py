"""Choosing hits: neighbours in, near-duplicates out."""

from __future__ import annotations

from reverie.core.search.hits import diversify, missing_neighbours
from reverie.core.search.rank import Candidate, Ranked


def test_near_duplicates_are_shown_once() -> None:
    hits = [
        Ranked(Candidate(key, key, 0, {}, 1), 0.9, 0.9, 0.0) for key in ("tea", "tea!", "coffee")
    ]
    kept = diversify(hits, 5, lambda a, b: float(a.key.strip("!") == b.key.strip("!")))
    assert [hit.candidate.key for hit in kept] == ["tea", "coffee"]
    assert diversify(hits, 1, lambda _a, _b: 0.0) == hits[:1]


def test_missing_neighbours_are_named() -> None:
    found = [Candidate("a", "g", 1, {}, 1), Candidate("b", "g", 2, {}, 1)]
    assert missing_neighbours(found, reach=1) == {("g", 0), ("g", 3)}
