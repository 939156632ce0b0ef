"""Which topics a question is about: weighted words, and a bar that small talk does not clear.

Rules:

* A term weighs by how rare it is among the topics and by how much it can say at all: "make", a Thai
  syllable pair or two hiragana say little anywhere.
* A topic is relevant only if it shares something that says enough; a body alone must share more of
  the question than a name or a description.
* `document_scores` is the managed-memory document's own rule: +2 per word found, +1 per word that is
  typical of the kind, +1 for a body, for topics that share a word at all.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reverie.core.bm25 import K1, B
from reverie.core.common_words import COMMON
from reverie.core.synonyms import similar_terms
from reverie.core.tokens import normalize, query_terms, terms, words
from reverie.types import Kind, Topic

FIELDS: Final = {"name": 4.0, "description": 3.0, "body": 1.0}
KIND_WORDS: Final = {
    Kind.USER: frozenset({"user", "preference", "background", "role", "terse"}),
    Kind.FEEDBACK: frozenset({"feedback", "rule", "avoid", "style", "summary"}),
    Kind.PROJECT: frozenset({"project", "goal", "incident", "deadline", "release"}),
    Kind.REFERENCE: frozenset({"reference", "dashboard", "ticket", "docs", "link"}),
}

# Found by tuning on tests/data/recall_table.json; the held-out queries there were not looked at.
SYNONYM_WEIGHT: Final = 0.6
COMMON_WEIGHT: Final = 0.2
GRAMMAR_WEIGHT: Final = 0.15
MIXED_WEIGHT: Final = 0.4
PIECE_WEIGHT: Final = 0.5
FREQUENT_SHARE: Final = 0.25  # a term in more topics than this tells them apart no longer
MIN_WEIGHT: Final = 0.95  # what a shared part must say: one good word, or several weak ones
MIN_SHARE_HEAD: Final = 0.12
MIN_SHARE_BODY: Final = 0.3
BODY_WEIGHT: Final = 1.9  # two good words found in a body are enough whatever the share
KEEP_SHARE: Final = 0.3  # far behind the best means not about this

_HIRAGANA: Final = re.compile("[\u3041-\u309f]+")
_HAS_HIRAGANA: Final = re.compile("[\u3041-\u309f]")
_CLUSTERED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


@dataclass(frozen=True, slots=True)
class Scored:
    """A topic and how well it answers."""

    topic: Topic
    score: float
    matched: frozenset[str]
    """The query terms found in it, for choosing the passage."""


def rank(query: str, topics: Sequence[Topic]) -> list[Scored]:
    """Rank the topics a question is about, best first; nothing relevant gives nothing."""
    asked = _asked(query)
    if not asked:
        return []
    docs = [_Doc(topic) for topic in topics]
    found = [(doc, hits) for doc in docs if (hits := doc.hits(asked))]
    frequency = Counter(term for _, hits in found for term in hits)
    weights = {term: weight * _rarity(frequency[term], len(topics)) for term, weight in asked.items()}
    total = sum(_base(weight) for weight in _direct(query).values()) or 1.0
    average = {name: _average(docs, name) for name in FIELDS}
    scored = []
    for doc, hits in found:
        if _is_relevant(hits, asked, frequency, total, len(topics)):
            score = _score(doc, hits, weights, average)
            scored.append(Scored(doc.topic, score, frozenset(hits)))
    return _kept(sorted(scored, key=_order))


def document_scores(query: str, topics: Sequence[Topic]) -> list[Scored]:
    """Rank by the document's rule: words of three characters and more, +2, +1, +1."""
    tokens = {word for word in words(query) if len(word) >= 3}
    scored = []
    for topic in topics:
        text = normalize(f"{topic.kind.value} {topic.name} {topic.description} {topic.body}")
        hits = frozenset(token for token in tokens if token in text)
        if hits:
            kind = len(tokens & KIND_WORDS[topic.kind])
            body = 1 if topic.body.strip() else 0
            scored.append(Scored(topic, float(2 * len(hits) + kind + body), hits))
    return sorted(scored, key=_order)


class _Doc:
    """A topic's words by field, split only when a query term may be in it."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self.fields = {"name": topic.name, "description": topic.description, "body": topic.body}
        self.counts: dict[str, Counter[str]] = {}

    def hits(self, asked: Mapping[str, float]) -> dict[str, dict[str, int]]:
        """Return for each query term found the fields it stands in, with its count."""
        if self.topic.text.isascii():
            lowered = f"{self.topic.name} {self.topic.text}".lower().replace("'", "")
            if not any(_needle(term) in lowered for term in asked):
                return {}
        found: dict[str, dict[str, int]] = {}
        for name, text in self.fields.items():
            counted = Counter(terms(text)) if text.strip() else Counter()
            for term in asked.keys() & counted.keys():
                found.setdefault(term, {})[name] = counted[term]
        return found

    def length(self, name: str) -> int:
        text = self.fields[name]
        # Bytes stand for words: right within a script, and good enough between them.
        return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _asked(query: str) -> dict[str, float]:
    """Return the query's terms and, weaker, words that say the same."""
    direct = _direct(query)
    asked = dict(direct)
    for term, weight in direct.items():
        for other in similar_terms(term):
            asked.setdefault(other, weight * SYNONYM_WEIGHT)
    return asked


def _direct(query: str) -> dict[str, float]:
    found = query_terms(query)
    return {term: _informs(term) for term in found}


@lru_cache(maxsize=4096)
def _informs(term: str) -> float:
    """Tell how much a term can say at all, whatever the topics are, 0 to 1."""
    if term in COMMON:
        return COMMON_WEIGHT
    if _HIRAGANA.fullmatch(term):
        return GRAMMAR_WEIGHT
    if _HAS_HIRAGANA.search(term):
        return MIXED_WEIGHT
    if _CLUSTERED.search(term):
        return PIECE_WEIGHT
    return 1.0


def _base(weight: float) -> float:
    return weight


def _rarity(frequency: int, size: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5)) + 0.25


def _is_relevant(
    hits: Mapping[str, Mapping[str, int]],
    asked: Mapping[str, float],
    frequency: Mapping[str, int],
    total: float,
    size: int,
) -> bool:
    def says(term: str) -> float:
        frequent = size >= 8 and frequency[term] > FREQUENT_SHARE * size
        return asked[term] * (0.4 if frequent else 1.0)

    everything = sum(says(term) for term in hits)
    head = sum(says(term) for term, fields in hits.items() if fields.keys() != {"body"})
    share = everything / total
    if share >= 0.99:  # the whole question is in it, however short the question
        return True
    if everything < MIN_WEIGHT:
        return False
    if head >= MIN_WEIGHT and share >= MIN_SHARE_HEAD:
        return True
    return share >= MIN_SHARE_BODY or everything >= BODY_WEIGHT


def _score(
    doc: _Doc,
    hits: Mapping[str, Mapping[str, int]],
    weights: Mapping[str, float],
    average: Mapping[str, float],
) -> float:
    norms = {name: 1 - B + B * doc.length(name) / average[name] for name in FIELDS}
    score = 0.0
    for term, fields in hits.items():
        strength = sum(FIELDS[name] * count / norms[name] for name, count in fields.items())
        score += weights[term] * strength * (K1 + 1) / (strength + K1)
    return score


def _average(docs: Sequence[_Doc], name: str) -> float:
    return max(sum(doc.length(name) for doc in docs) / len(docs), 1.0)


def _order(item: Scored) -> tuple[float, float, str]:
    updated = item.topic.updated.timestamp() if item.topic.updated else 0.0
    return (-item.score, -updated, item.topic.path)


def _kept(scored: list[Scored]) -> list[Scored]:
    if not scored:
        return []
    bar = scored[0].score * KEEP_SHARE
    return [item for item in scored if item.score >= bar]


@lru_cache(maxsize=4096)
def _needle(term: str) -> str:
    """Return letters that an ASCII text must hold if the tokenizer finds the term in it."""
    if not term.isascii():
        return "\0"  # no ASCII text gives such a term
    if not term.isalpha():
        return term[0]
    if term in _IRREGULAR_STEMS or len(term) <= 3:
        return term[0]
    return term[: max(2, len(term) - 2)]


def _irregular_stems() -> Iterable[str]:
    from reverie.core.lexicon import IRREGULAR

    return (stem for base in set(IRREGULAR.values()) for stem in terms(base))


_IRREGULAR_STEMS: Final = frozenset(_irregular_stems())
