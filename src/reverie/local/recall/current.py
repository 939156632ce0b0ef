"""The words of a memory as they are now: what is stored and still counts, and what was read since.

Rules:

* The answer is the same, to the last bit of a score, as ranking the topics themselves.
* Topics are read out for those that are shown; of the others a number, a path and a time will do.
* A hook does this at every prompt in a fresh process, so numpy is used only where it is loaded, or has been
  missed for long (`columns`).
"""

from __future__ import annotations

import sys
from functools import partial

from reverie.core.topics import scoring
from reverie.local.recall.overlay import Found, Lengths, place_of
from reverie.local.recall.word_file import unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.local.recall.overlay import Overlay
    from reverie.local.recall.word_file import Counts, Doc, WordFile

    Best = tuple[int, float, frozenset[str]]
    """A topic's number, its score, and the terms that it holds."""

MANY_ROWS = 1_024
"""From so many rows on, columns of numbers win against one number after the other."""
_WORTH_LOADING = 400_000
"""To read so many rows one after the other took as long as to load numpy: whoever has done so stays."""
_read = [0]


class Words:
    """The stored part, which of its documents do not count any more, and the files read since."""

    def __init__(self, base: WordFile | None, fresh: Overlay, dead: set[int]) -> None:
        self._base = base
        self._fresh = fresh
        self._dead = dead
        self.size = (base.size if base else 0) - len(dead) + len(fresh.docs)
        """How many topics there are."""

    def find(self, query: str, *, roots: Sequence[str]) -> tuple[list[Found], int]:
        """Rank the topics a question is about, best first; also tell how many topics there are."""
        base, size = self._base, self.size
        tables = (
            scoring.Tables(base.common, base.similar, base.everyday, base.shares) if base else None
        )
        question = scoring.read_question(query, tables)
        if question is None or not size:
            return [], size
        stored = {term: base.rows(term) for term in question.asked} if base else {}
        if base and _is_large(sum(map(len, stored.values())) // 4):
            best = self._best_of_many(question, stored, base)
        else:
            best = self._best_of_few(question, stored)
        return self._in_order(best, roots), size

    def _best_of_many(
        self, question: scoring.Question, stored: Mapping[str, memoryview], base: WordFile
    ) -> Sequence[Best]:
        """Choose the topics that a question is about by columns of numbers."""
        from reverie.local.recall import columns

        terms = {
            term: columns.rows_of(rows, base.size, self._fresh.postings(term))
            for term, rows in stored.items()
        }
        return columns.best(
            question,
            {term: rows for term, rows in terms.items() if len(rows)},
            dead=self._dead,
            lengths=partial(columns.lengths, base.length_rows, Lengths(self._lengths)),
            totals=self._totals(),
            size=self.size,
        )

    def _best_of_few(
        self, question: scoring.Question, stored: Mapping[str, memoryview]
    ) -> Sequence[Best]:
        """Choose the topics that a question is about, one number after the other."""
        hits, frequency = self._hits(question, stored)
        scores = scoring.judge(
            question,
            hits,
            lengths=Lengths(self._lengths),
            totals=self._totals(),
            size=self.size,
            frequency=frequency,
        )
        bar = max(scores.values(), default=0.0) * scoring.KEEP_SHARE
        return [
            (place, score, frozenset(hits[place]))
            for place, score in scores.items()
            if score >= bar
        ]

    def _hits(
        self, question: scoring.Question, stored: Mapping[str, memoryview]
    ) -> tuple[dict[int, dict[str, Counts]], dict[str, int]]:
        """Find the topics that a question is about, with its words in them; and how many hold each."""
        found: dict[str, Sequence[int]] = {}
        frequency: dict[str, int] = {}
        dead = self._dead
        for term in question.asked:
            flat = self._base.numbers(stored[term]) if self._base else ()
            count = len(flat) // 4
            if dead and flat:
                count -= sum(place in dead for place in flat[::4])
            own = self._fresh.postings(term)
            if own:
                count += len(own)
                flat = [*flat, *(one for place in own for one in (place, *own[place]))]
            if count:
                found[term] = flat
                frequency[term] = count
        hits = scoring.holders(question, found, frequency=frequency, size=self.size, dead=dead)
        return hits, frequency

    def near(self, keys: Sequence[str], root: int, most: int) -> list[Doc]:
        """Return the topics of one folder that share most of some words or keys, the rarest counting most."""
        from reverie.core.topics.candidates import MANY_HOLD  # no prompt asks for them

        base, fresh, dead = self._base, self._fresh, self._dead
        size = max(1, self.size)
        holding: list[tuple[int, Sequence[int], Sequence[int]]] = []
        for key in keys:
            own: Sequence[int] = list(fresh.postings(key))
            stored = base.holding(key, MANY_HOLD) if base else ()
            if stored is None:
                continue  # so many hold it that it tells nothing
            if stored or own:
                holding.append((len(stored) + len(own), stored, own))
        shared: dict[int, float] = {}
        for count, stored, own in sorted(holding, key=lambda item: item[0]):
            weight = scoring.rarity(min(count, size), size)
            full = len(shared) >= MANY_HOLD
            for place in (*stored, *own):
                if place in shared:
                    shared[place] += weight
                elif not full and place not in dead:
                    shared[place] = weight
        best = sorted(shared, key=shared.__getitem__, reverse=True)[: 4 * most]
        best.sort(key=lambda place: (-shared[place], sum(self._lengths(place))))
        found: list[Doc] = []
        for place in best:
            doc = self._doc(place)
            if doc is not None and doc.root == root:
                found.append(doc)
                if len(found) == most:
                    break
        return found

    def holding(self, keys: Sequence[str], root: int) -> list[Doc]:
        """Return every topic of one folder that holds one of some keys."""
        base = self._base
        places = {
            place
            for key in keys
            for stored in (base.holding(key, base.size) if base else (), self._fresh.postings(key))
            for place in stored or ()
            if place not in self._dead
        }
        docs = (self._doc(place) for place in sorted(places))
        return [doc for doc in docs if doc is not None and doc.root == root]

    def docs(self) -> list[Doc]:
        """Return every topic, as they are now."""
        stored = range(self._base.size if self._base else 0)
        places = (*(place for place in stored if place not in self._dead), *self._fresh.docs)
        return [doc for doc in map(self._doc, places) if doc is not None]

    def _doc(self, place: int) -> Doc | None:
        item = self._fresh.docs.get(place)
        return item.doc if item else self._base.doc(place)  # type: ignore[union-attr]

    def _lengths(self, place: int) -> Counts:
        item = self._fresh.docs.get(place)
        return item.lengths if item else self._base.lengths(place)  # type: ignore[union-attr]

    def _totals(self) -> list[int]:
        totals = list(self._base.totals) if self._base else [0, 0, 0]
        for item in self._fresh.docs.values():
            totals = [a + b for a, b in zip(totals, item.lengths, strict=True)]
        for doc in self._dead:
            totals = [a - b for a, b in zip(totals, self._lengths(doc), strict=True)]
        return totals

    def _in_order(self, best: Sequence[Best], roots: Sequence[str]) -> list[Found]:
        """Put what was found into order: the best first, of equals the newest."""
        base = self._base
        order: list[tuple[float, float, str, Found]] = []
        for place, score, matched in best:
            item = self._fresh.docs.get(place)
            if item is not None and item.doc is not None:
                root, rel, age = item.doc.root, item.doc.rel, item.age
                give = partial(_itself, item.doc)
            else:
                packed = base.raw(place)  # type: ignore[union-attr]
                root, rel = place_of(packed)
                age, give = base.age(place), partial(unpacked, packed)  # type: ignore[union-attr]
            path = f"{roots[root]}/{rel}"
            order.append((-score, -age, path, Found(path, score, matched, give)))
        order.sort(key=lambda item: item[:3])
        return [found for *_, found in order]


def _itself(doc: Doc) -> Doc:
    return doc


def _is_large(rows: int) -> bool:
    """Say whether numpy pays for so many rows of a question."""
    if rows < MANY_ROWS:
        return False
    _read[0] += rows
    return "numpy" in sys.modules or _read[0] > _WORTH_LOADING
