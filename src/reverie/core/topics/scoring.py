"""How well topics answer a question, as arithmetic on counts of words; nothing here reads a topic.

Rules:

* A term weighs by how rare it is among the topics and by how much it can say at all: "make", a Thai
  syllable pair or two hiragana say little anywhere.
* Which topics are relevant at all is decided by `evidence`; this puts them in order.
* Sums run in the order of the question's terms, so that counts from a scan of the texts and counts
  from a stored index give the same number to the last bit.
* A hook runs this at every prompt in a fresh process: no value classes and no tables of synonyms are
  made when somebody else kept them (`Tables`).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from reverie.core.text.plain import Lazy
from reverie.core.text.words import query_terms
from reverie.core.topics.evidence import Evidence, variants

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Final, TypeAlias

    Counts: TypeAlias = Sequence[int]
    """How often a term stands in name, description and body."""
    Hits: TypeAlias = Mapping[str, Counts]
    """The question's terms found in one topic, in the order of the question."""

FIELDS: Final = {"name": 4.0, "description": 3.0, "body": 1.0}
WEIGHTS: Final = tuple(FIELDS.values())
K1: Final = 1.2  # BM25's usual values
B: Final = 0.75

# Found by tuning on tests/data/recall_table.json. The held-out queries there were kept apart at first,
# but their results have been seen since, so they are a check and no longer an untouched test.
SYNONYM_WEIGHT: Final = 0.6
COMMON_WEIGHT: Final = 0.2
GRAMMAR_WEIGHT: Final = 0.15
MIXED_WEIGHT: Final = 0.4
PIECE_WEIGHT: Final = 0.5
SHORT_WEIGHT: Final = 0.3  # a lone letter or a small number
VARIANT_WEIGHT: Final = 0.95
KEEP_SHARE: Final = 0.3  # far behind the best means not about this

_HIRAGANA: Final = re.compile("[\u3041-\u309f]+")
_SPACED_LETTER: Final = re.compile("[a-z\u00df-\u058f]")
_CLUSTERED: Final = Lazy("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


class Tables:
    """What the words of a question are looked up in: common, alike and everyday terms."""

    __slots__ = ("common", "everyday", "shares", "similar")

    def __init__(
        self,
        common: frozenset[str],
        similar: Mapping[str, Sequence[str]],
        everyday: Mapping[str, int],
        shares: Sequence[float],
    ) -> None:
        self.common = common
        self.similar = similar
        self.everyday = everyday
        """For a term the number of its class."""
        self.shares = shares
        """For a class, how usual its words are."""


@lru_cache(maxsize=1)
def own_tables() -> Tables:
    """Make the tables from the word lists, which means to stem every word of them."""
    from reverie.core.text.common_words import common_terms
    from reverie.core.text.everyday_words import SHARES, everyday
    from reverie.core.text.synonyms import all_similar

    return Tables(common_terms(), all_similar(), everyday(), SHARES)


class Question:
    """A question's terms with their weights, and what its words are worth as evidence."""

    __slots__ = ("asked", "evidence", "total")

    def __init__(self, asked: dict[str, float], total: float, evidence: Evidence) -> None:
        self.asked = asked
        self.total = total
        self.evidence = evidence


def read_question(query: str, tables: Tables | None = None) -> Question | None:
    """Weigh the terms of a question, and words that say the same; None when it asks for nothing."""
    terms = query_terms(query)
    if not terms:
        return None
    tables = tables or own_tables()
    direct = {term: weight_of(term, tables.common) for term in terms}
    total = sum(direct.values())
    if not total:
        return None
    asked = dict(direct)
    for term, weight in direct.items():
        for variant in variants(term):
            asked.setdefault(variant, weight * VARIANT_WEIGHT)
        for other in tables.similar.get(term, ()):
            asked.setdefault(other, weight * SYNONYM_WEIGHT)
    evidence = Evidence(
        query,
        common=tables.common,
        similar=tables.similar,
        everyday=tables.everyday,
        shares=tables.shares,
    )
    return Question(asked, total, evidence)


def weight_of(term: str, common: frozenset[str]) -> float:
    """Tell how much a term can say at all, whatever the topics are, 0 to 1."""
    if term in common:
        return COMMON_WEIGHT
    if _HIRAGANA.fullmatch(term):
        return GRAMMAR_WEIGHT
    if _HIRAGANA.search(term):
        return MIXED_WEIGHT
    if (term.isdigit() and len(term) < 3) or (len(term) == 1 and _SPACED_LETTER.match(term)):
        return SHORT_WEIGHT
    return PIECE_WEIGHT if not term.isascii() and _CLUSTERED.search(term) else 1.0


def judge(
    question: Question,
    found: Mapping[int, Hits],
    *,
    lengths: Mapping[int, Counts],
    totals: Counts,
    size: int,
    frequency: Mapping[str, int] | None = None,
) -> dict[int, float]:
    """Score the topics that are relevant.

    Args:
        question: What is asked.
        found: For each topic that shares a term, its hits; with `frequency`, only for those that
            share one which is not `negligible`.
        lengths: For each of these, how long name, description and body are.
        totals: These lengths added up over all topics.
        size: How many topics there are.
        frequency: How many topics hold each term; counted in `found` when not given.
    """
    if frequency is None:
        frequency = _counted(found)
    asked, total = question.asked, question.total
    weights = {term: asked[term] * rarity(count, size) for term, count in frequency.items()}
    average = [max(value / size, 1.0) for value in totals]
    return {
        doc: _score(lengths[doc], found[doc], weights, average) * covered(found[doc], asked, total)
        for doc in relevant(question, found, frequency=frequency, size=size)
    }


def relevant(
    question: Question, found: Mapping[int, Hits], *, frequency: Mapping[str, int], size: int
) -> list[int]:
    """Tell which topics `judge` would score, for a caller who has yet to find out their lengths."""
    is_enough = question.evidence.enough(frequency, size)
    known: dict[tuple[tuple[str, bool], ...], bool] = {}
    chosen: list[int] = []
    for doc, hits in found.items():
        # All that decides: which terms a topic holds, and whether its name or description does.
        held = tuple([(term, bool(counts[0] or counts[1])) for term, counts in hits.items()])
        enough = known.get(held)
        if enough is None:
            enough = known[held] = is_enough(hits)
        if enough:
            chosen.append(doc)
    return chosen


def holders(
    question: Question,
    postings: Mapping[str, Sequence[int]],
    *,
    frequency: Mapping[str, int],
    size: int,
    dead: Collection[int] = (),
) -> dict[int, dict[str, Counts]]:
    """Return the hits of the topics that `judge` would score, from where each term stands.

    Thousands of topics may share a word; what they share has few forms, and only these are judged.

    Args:
        postings: For each term, in the order of the question: topic, how often its name, description and
            body hold it, the next topic, and so on.
        dead: Topics that do not count.
    """
    weak = negligible(question, frequency, size)
    marks: dict[int, int] = {}
    """For each topic two bits a term: it holds it, and its name or description does."""
    for term, flat in postings.items():
        if term not in weak:
            marks.update(dict.fromkeys(flat[::4], 0))
    for doc in dead:
        marks.pop(doc, None)
    for number, flat in enumerate(postings.values()):
        holds, called = 1 << 2 * number, 3 << 2 * number
        for doc, name, description in zip(flat[::4], flat[1::4], flat[2::4], strict=True):
            if doc in marks:
                marks[doc] |= called if name or description else holds
    is_enough = question.evidence.enough(frequency, size)
    known: dict[int, bool] = {}
    found: dict[int, dict[str, Counts]] = {}
    for doc, mark in marks.items():
        enough = known.get(mark)
        if enough is None:
            held = {
                term: (mark >> 2 * number + 1 & 1, 0, 0)
                for number, term in enumerate(postings)
                if mark >> 2 * number & 1
            }
            enough = known[mark] = is_enough(held)
        if enough:
            found[doc] = {}
    for term, flat in postings.items() if found else ():
        for at, doc in enumerate(flat[::4]):
            if doc in found:
                found[doc][term] = flat[4 * at + 1 : 4 * at + 4]
    return found


def negligible(question: Question, frequency: Mapping[str, int], size: int) -> frozenset[str]:
    """Choose terms that say too little, even all together, to make a topic relevant.

    The most frequent first: topics that share nothing else need not be looked at.
    """
    return question.evidence.negligible(frequency, size)


def text_length(text: str) -> int:
    """Measure a text: bytes stand for words, which is right within a script and will do between them."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _counted(found: Mapping[int, Hits]) -> dict[str, int]:
    frequency: dict[str, int] = {}
    for hits in found.values():
        for term in hits:
            frequency[term] = frequency.get(term, 0) + 1
    return frequency


def rarity(frequency: int, size: int) -> float:
    """Tell how much it says that a topic holds something which so many of all hold."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5)) + 0.25


def covered(hits: Hits, asked: Mapping[str, float], total: float) -> float:
    """Prefer the topic that answers more of the question over one that repeats a word of it."""
    shared = 0.0
    for term in hits:
        shared += asked[term]
    return math.sqrt(min(shared / total, 1.0))


def _score(
    lengths: Counts, hits: Hits, weights: Mapping[str, float], average: Sequence[float]
) -> float:
    norms = [1 - B + B * length / usual for length, usual in zip(lengths, average, strict=True)]
    score = 0.0
    for term, counts in hits.items():
        strength = 0.0
        for field, count in enumerate(counts):
            strength += WEIGHTS[field] * count / norms[field]
        score += weights[term] * strength * (K1 + 1) / (strength + K1)
    return score
