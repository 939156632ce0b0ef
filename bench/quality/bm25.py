"""Plain BM25 over documents held in memory: what search is compared with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

_K1: Final = 1.2
_B: Final = 0.75


class Bm25:
    """Scores documents, each given as its terms."""

    def __init__(self, docs: Sequence[Sequence[str]]) -> None:
        self._size = len(docs)
        self._postings: dict[str, list[tuple[int, float]]] = {}
        average = sum(map(len, docs)) / max(self._size, 1) or 1.0
        for number, terms in enumerate(docs):
            norm = 1 - _B + _B * len(terms) / average
            for term, count in Counter(terms).items():
                self._postings.setdefault(term, []).append((number, count / norm))

    def idf(self, term: str) -> float:
        """Tell how much a term says: the rarer, the more."""
        frequency = len(self._postings.get(term, ()))
        return math.log(1 + (self._size - frequency + 0.5) / (frequency + 0.5))

    def scores(self, query_terms: Sequence[str]) -> list[float]:
        """Score every document, in the order given; 0 means no term in common."""
        found = [0.0] * self._size
        for term in dict.fromkeys(query_terms):
            idf = self.idf(term)
            for number, strength in self._postings.get(term, ()):
                found[number] += idf * strength * (_K1 + 1) / (strength + _K1)
        return found
