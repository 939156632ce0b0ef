"""How well topics answer a question, as arithmetic on counts of words; nothing here reads a topic.

Rules:

* A term weighs by how rare it is among the topics and by how much it can say at all: "make", a Thai
  syllable pair or two hiragana say little anywhere.
* A topic is relevant only if it shares something that says enough; a body alone must share more of
  the question than a name or a description.
* Sums run in the order of the question's terms, so that counts from a scan of the texts and counts
  from a stored index give the same number to the last bit.
* A hook runs this at every prompt in a fresh process: no value classes and no tables of synonyms are
  made when somebody else kept them (`Tables`).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from reverie.core.text.words import query_terms

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final, TypeAlias

    Counts: TypeAlias = Sequence[int]
    """How often a term stands in name, description and body."""
    Hits: TypeAlias = Mapping[str, Counts]
    """The question's terms found in one topic, in the order of the question."""

FIELDS: Final = {"name": 4.0, "description": 3.0, "body": 1.0}
_WEIGHTS: Final = tuple(FIELDS.values())
_K1: Final = 1.2  # BM25's usual values
_B: Final = 0.75

# Found by tuning on tests/data/recall_table.json. The held-out queries there were kept apart at first,
# but their results have been seen since, so they are a check and no longer an untouched test.
SYNONYM_WEIGHT: Final = 0.6
COMMON_WEIGHT: Final = 0.2
GRAMMAR_WEIGHT: Final = 0.15
MIXED_WEIGHT: Final = 0.4
PIECE_WEIGHT: Final = 0.5
SHORT_WEIGHT: Final = 0.3  # a lone letter or a small number
VARIANT_WEIGHT: Final = 0.95
FREQUENT_WEIGHT: Final = 0.4
FREQUENT_SHARE: Final = 0.25  # a term in more topics than this tells them apart no longer
MIN_WEIGHT: Final = 0.95  # what a shared part must say: one good word, or several weak ones
WHOLE_SHARE: Final = 0.99
MIN_SHARE_HEAD: Final = 0.12
MIN_SHARE_BODY: Final = 0.3
BODY_WEIGHT: Final = 1.9  # two good words found in a body are enough whatever the share
KEEP_SHARE: Final = 0.3  # far behind the best means not about this

_HIRAGANA: Final = re.compile("[\u3041-\u309f]+")
_SPACED_LETTER: Final = re.compile("[a-z\u00df-\u058f]")
_CLUSTERED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


class Tables:
    """What the words of a question are looked up in: common terms, and terms that say the same."""

    __slots__ = ("common", "similar")

    def __init__(self, common: frozenset[str], similar: Mapping[str, Sequence[str]]) -> None:
        self.common = common
        self.similar = similar


@lru_cache(maxsize=1)
def own_tables() -> Tables:
    """Make the tables from the word lists, which means to stem every word of them."""
    from reverie.core.text.common_words import common_terms
    from reverie.core.text.synonyms import all_similar

    return Tables(common_terms(), all_similar())


class Question:
    """A question's terms with their weights."""

    __slots__ = ("asked", "total")

    def __init__(self, asked: dict[str, float], total: float) -> None:
        self.asked = asked
        self.total = total


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
        for variant in _variants(term):
            asked.setdefault(variant, weight * VARIANT_WEIGHT)
        for other in tables.similar.get(term, ()):
            asked.setdefault(other, weight * SYNONYM_WEIGHT)
    return Question(asked, total)


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
    return PIECE_WEIGHT if _CLUSTERED.search(term) else 1.0


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
    says = _says(question, frequency, size)
    weights = {term: asked[term] * _rarity(count, size) for term, count in frequency.items()}
    average = [max(value / size, 1.0) for value in totals]
    return {
        doc: _score(lengths[doc], hits, weights, average) * _covered(hits, asked, total)
        for doc, hits in found.items()
        if _is_relevant(hits, says, total)
    }


def relevant(
    question: Question, found: Mapping[int, Hits], *, frequency: Mapping[str, int], size: int
) -> list[int]:
    """Tell which topics `judge` would score, for a caller who has yet to find out their lengths."""
    says = _says(question, frequency, size)
    return [doc for doc, hits in found.items() if _is_relevant(hits, says, question.total)]


def negligible(question: Question, frequency: Mapping[str, int]) -> frozenset[str]:
    """Choose terms that say too little, even all together, to make a topic relevant.

    The most frequent first: topics that share nothing else need not be looked at.
    """
    room = min(MIN_WEIGHT, WHOLE_SHARE * question.total) * (1 - 1e-9)  # sums are not exact
    chosen: list[str] = []
    for term in sorted(frequency, key=lambda term: -frequency[term]):
        if question.asked[term] < room:
            room -= question.asked[term]
            chosen.append(term)
    return frozenset(chosen)


def text_length(text: str) -> int:
    """Measure a text: bytes stand for words, which is right within a script and will do between them."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _counted(found: Mapping[int, Hits]) -> dict[str, int]:
    frequency: dict[str, int] = {}
    for hits in found.values():
        for term in hits:
            frequency[term] = frequency.get(term, 0) + 1
    return frequency


def _says(question: Question, frequency: Mapping[str, int], size: int) -> dict[str, float]:
    return {term: question.asked[term] * _telling(often, size) for term, often in frequency.items()}


def _variants(term: str) -> tuple[str, ...]:
    """Stems that differ by a last vowel: allergy gives `allergi`, allergic gives `allerg`."""
    if len(term) < 5 or not (term.isascii() and term.isalpha()):
        return ()
    return (term[:-1],) if term[-1] in "iey" else (f"{term}i", f"{term}e")


def _telling(frequency: int, size: int) -> float:
    return FREQUENT_WEIGHT if size >= 8 and frequency > FREQUENT_SHARE * size else 1.0


def _rarity(frequency: int, size: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5)) + 0.25


def _is_relevant(hits: Hits, says: Mapping[str, float], total: float) -> bool:
    everything = head = 0.0
    for term, counts in hits.items():
        everything += says[term]
        if counts[0] or counts[1]:
            head += says[term]
    share = everything / total
    if head >= WHOLE_SHARE * total:
        return True  # the whole question, however short, is what the topic is called
    if everything < MIN_WEIGHT:
        return False
    if head >= MIN_WEIGHT and share >= MIN_SHARE_HEAD:
        return True
    return share >= MIN_SHARE_BODY or everything >= BODY_WEIGHT


def _covered(hits: Hits, asked: Mapping[str, float], total: float) -> float:
    """Prefer the topic that answers more of the question over one that repeats a word of it."""
    shared = 0.0
    for term in hits:
        shared += asked[term]
    return math.sqrt(min(shared / total, 1.0))


def _score(
    lengths: Counts, hits: Hits, weights: Mapping[str, float], average: Sequence[float]
) -> float:
    norms = [1 - _B + _B * length / usual for length, usual in zip(lengths, average, strict=True)]
    score = 0.0
    for term, counts in hits.items():
        strength = 0.0
        for field, count in enumerate(counts):
            strength += _WEIGHTS[field] * count / norms[field]
        score += weights[term] * strength * (_K1 + 1) / (strength + _K1)
    return score
