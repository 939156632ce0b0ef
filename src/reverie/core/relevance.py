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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from reverie.core.bm25 import K1, B
from reverie.core.common_words import common_terms
from reverie.core.synonyms import similar_terms
from reverie.core.termfilter import term_filter
from reverie.core.tokens import normalize, query_terms, terms, words
from reverie.types import Kind

if TYPE_CHECKING:
    from reverie.types import Topic

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

# For each query term found in a topic: the fields it stands in, with its count.
_Hits: TypeAlias = dict[str, dict[str, int]]

_HIRAGANA: Final = re.compile("[\u3041-\u309f]+")
_SPACED_LETTER: Final = re.compile("[a-z\u00df-\u058f]")
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
    direct = {term: informs(term) for term in query_terms(query)}
    total = sum(direct.values())
    if not total or not topics:
        return []
    asked = _with_synonyms(direct)
    may_hold = term_filter(asked)
    docs = [_Doc(topic) for topic in topics]
    found = [(doc, hits) for doc in docs if may_hold(doc.text) and (hits := doc.hits(asked))]
    frequency = Counter(term for _, hits in found for term in hits)
    says = {term: asked[term] * _telling(count, len(topics)) for term, count in frequency.items()}
    weights = {term: asked[term] * _rarity(count, len(topics)) for term, count in frequency.items()}
    average = {name: max(sum(doc.length(name) for doc in docs) / len(docs), 1.0) for name in FIELDS}
    scored = [
        Scored(
            doc.topic,
            _score(doc, hits, weights, average) * _covered(hits, asked, total),
            frozenset(hits),
        )
        for doc, hits in found
        if _is_relevant(hits, says, total)
    ]
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
    """A topic's words by field."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self.fields = {"name": topic.name, "description": topic.description, "body": topic.body}

    @property
    def text(self) -> str:
        return f"{self.topic.name}\n{self.topic.description}\n{self.topic.body}"

    def hits(self, asked: Mapping[str, float]) -> _Hits:
        """Find the query's terms in each field."""
        found: _Hits = {}
        for name, text in self.fields.items():
            for term in terms(text) if text.strip() else ():
                if term in asked:
                    fields = found.setdefault(term, {})
                    fields[name] = fields.get(name, 0) + 1
        return found

    def length(self, name: str) -> int:
        text = self.fields[name]
        # Bytes stand for words: right within a script, and good enough between them.
        return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _with_synonyms(direct: Mapping[str, float]) -> dict[str, float]:
    """Add words that say the same as the query's own, and near stems of them, weaker."""
    asked = dict(direct)
    for term, weight in direct.items():
        for variant in _variants(term):
            asked.setdefault(variant, weight * VARIANT_WEIGHT)
        for other in similar_terms(term):
            asked.setdefault(other, weight * SYNONYM_WEIGHT)
    return asked


def _variants(term: str) -> tuple[str, ...]:
    """Stems that differ by a last vowel: allergy gives `allergi`, allergic gives `allerg`."""
    if len(term) < 5 or not (term.isascii() and term.isalpha()):
        return ()
    return (term[:-1],) if term[-1] in "iey" else (f"{term}i", f"{term}e")


@lru_cache(maxsize=4096)
def informs(term: str) -> float:
    """Tell how much a term can say at all, whatever the topics are, 0 to 1."""
    if term in common_terms():
        return COMMON_WEIGHT
    if _HIRAGANA.fullmatch(term):
        return GRAMMAR_WEIGHT
    if _HIRAGANA.search(term):
        return MIXED_WEIGHT
    if (term.isdigit() and len(term) < 3) or (len(term) == 1 and _SPACED_LETTER.match(term)):
        return SHORT_WEIGHT
    return PIECE_WEIGHT if _CLUSTERED.search(term) else 1.0


def _telling(frequency: int, size: int) -> float:
    return FREQUENT_WEIGHT if size >= 8 and frequency > FREQUENT_SHARE * size else 1.0


def _rarity(frequency: int, size: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5)) + 0.25


def _is_relevant(hits: _Hits, says: Mapping[str, float], total: float) -> bool:
    everything = sum(says[term] for term in hits)
    head = sum(says[term] for term, fields in hits.items() if fields.keys() != {"body"})
    share = everything / total
    if head >= WHOLE_SHARE * total:
        return True  # the whole question, however short, is what the topic is called
    if everything < MIN_WEIGHT:
        return False
    if head >= MIN_WEIGHT and share >= MIN_SHARE_HEAD:
        return True
    return share >= MIN_SHARE_BODY or everything >= BODY_WEIGHT


def _covered(hits: _Hits, asked: Mapping[str, float], total: float) -> float:
    """Prefer the topic that answers more of the question over one that repeats a word of it."""
    return math.sqrt(min(sum(asked[term] for term in hits) / total, 1.0))


def _score(
    doc: _Doc,
    hits: _Hits,
    weights: Mapping[str, float],
    average: Mapping[str, float],
) -> float:
    norms = {name: 1 - B + B * doc.length(name) / average[name] for name in FIELDS}
    score = 0.0
    for term, fields in hits.items():
        strength = sum(FIELDS[name] * count / norms[name] for name, count in fields.items())
        score += weights[term] * strength * (K1 + 1) / (strength + K1)
    return score


def _order(item: Scored) -> tuple[float, float, str]:
    updated = item.topic.updated.timestamp() if item.topic.updated else 0.0
    return (-item.score, -updated, item.topic.path)


def _kept(scored: list[Scored]) -> list[Scored]:
    if not scored:
        return []
    bar = scored[0].score * KEEP_SHARE
    return [item for item in scored if item.score >= bar]
