"""Which topics a question is about: weighted words, and a bar that small talk does not clear.

Rules:

* `rank` counts words in the topics it is given and leaves the arithmetic to `scoring`.
* `document_scores` is the managed-memory document's own rule: +2 per word found, +1 per word that is
  typical of the kind, +1 for a body, for topics that share a word at all.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from reverie.core.text.termfilter import term_filter
from reverie.core.text.words import normalize, terms, words
from reverie.core.topics import scoring
from reverie.types import Kind
from reverie.types.ranking import Scored

if TYPE_CHECKING:
    from reverie.types import Topic

Counts: TypeAlias = dict[str, list[int]]
"""For each term, how often it stands in name, description and body."""

KIND_WORDS: Final = {
    Kind.USER: frozenset({"user", "preference", "background", "role", "terse"}),
    Kind.FEEDBACK: frozenset({"feedback", "rule", "avoid", "style", "summary"}),
    Kind.PROJECT: frozenset({"project", "goal", "incident", "deadline", "release"}),
    Kind.REFERENCE: frozenset({"reference", "dashboard", "ticket", "docs", "link"}),
}


def rank(
    query: str, topics: Sequence[Topic], *, counts: Callable[[Topic], Counts] | None = None
) -> list[Scored]:
    """Rank the topics a question is about, best first; nothing relevant gives nothing.

    `counts` gives the `term_counts` of a topic, from a caller who asks several times.
    """
    question = scoring.read_question(query)
    if question is None or not topics:
        return []
    may_hold = term_filter(question.asked)
    fields = [(topic.name, topic.description, topic.body) for topic in topics]
    found: dict[int, Counts] = {}
    for place, texts in enumerate(fields):
        if counts is not None:
            held = counts(topics[place])
        else:
            held = term_counts(texts, question.asked) if may_hold("\n".join(texts)) else {}
        if hits := {term: held[term] for term in question.asked if term in held}:
            found[place] = hits
    lengths = [tuple(map(scoring.text_length, texts)) for texts in fields]
    scores = scoring.judge(
        question,
        found,
        lengths=dict(enumerate(lengths)),
        totals=[sum(column) for column in zip(*lengths, strict=True)],
        size=len(topics),
    )
    scored = [Scored.of(topics[at], score, frozenset(found[at])) for at, score in scores.items()]
    return best(scored)


def term_counts(texts: Sequence[str], wanted: Container[str] | None = None) -> Counts:
    """Count terms in name, description and body; only the wanted ones, if any are named."""
    counts: Counts = {}
    for field, text in enumerate(texts):
        for term in terms(text) if text.strip() else ():
            if wanted is None or term in wanted:
                known = counts.get(term)
                if known is None:
                    known = counts[term] = [0, 0, 0]
                known[field] += 1
    return counts


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
            scored.append(Scored.of(topic, float(2 * len(hits) + kind + body), hits))
    return sorted(scored, key=_order)


@lru_cache(maxsize=4096)
def informs(term: str) -> float:
    """Tell how much a term can say at all, whatever the topics are, 0 to 1."""
    return scoring.weight_of(term, scoring.own_tables().common)


def best(scored: Iterable[Scored]) -> list[Scored]:
    """Put the best first, and drop what is far behind it."""
    return kept(sorted(scored, key=_order))


def kept(scored: list[Scored]) -> list[Scored]:
    """Drop what is far behind the best."""
    if not scored:
        return []
    bar = scored[0].score * scoring.KEEP_SHARE
    return [item for item in scored if item.score >= bar]


def _order(item: Scored) -> tuple[float, float, str]:
    updated = item.topic.updated.timestamp() if item.topic.updated else 0.0
    return (-item.score, -updated, item.path)
