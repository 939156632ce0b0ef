"""BM25 over weighted fields, for a few thousand documents held in memory."""

from __future__ import annotations

import math
from collections import Counter

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

__all__ = ["Bm25"]

K1: Final = 1.2
B: Final = 0.75


class Bm25:
    """Scores documents of several fields (BM25F: a term counts in each field by the field's weight).

    Args:
        docs: For each document the terms of each field; a missing field is an empty one.
        weights: The weight of each field; fields not named here are not searched.
    """

    def __init__(
        self, docs: Sequence[Mapping[str, Sequence[str]]], weights: Mapping[str, float]
    ) -> None:
        self._size = len(docs)
        self._postings: dict[str, list[tuple[int, float]]] = {}
        averages = {
            name: sum(len(doc.get(name, ())) for doc in docs) / max(self._size, 1) or 1.0
            for name in weights
        }
        for number, doc in enumerate(docs):
            strength: dict[str, float] = {}
            for name, weight in weights.items():
                terms = doc.get(name, ())
                norm = 1 - B + B * len(terms) / averages[name]
                for term, count in Counter(terms).items():
                    strength[term] = strength.get(term, 0.0) + weight * count / norm
            for term, value in strength.items():
                self._postings.setdefault(term, []).append((number, value))

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
                found[number] += idf * strength * (K1 + 1) / (strength + K1)
        return found

    def coverage(self, query_terms: Sequence[str]) -> list[float]:
        """Tell for every document which share of the query's weight it has at all, 0 to 1."""
        weights = {term: self.idf(term) for term in query_terms}
        total = sum(weights.values())
        found = [0.0] * self._size
        for term, weight in weights.items():
            for number, _ in self._postings.get(term, ()):
                found[number] += weight / total
        return found
