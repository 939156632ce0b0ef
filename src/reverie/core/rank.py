"""Turn what the index found into ranked, calibrated hits: values in, values out, no libraries.

Rules:

* A chunk is judged with its neighbours. Each query term counts where it stands best: in the chunk in
  full, in a chunk nearby with a discount, anywhere in the same document a little. This is a union,
  not a sum: a name repeated in every turn counts once.
* Lexical and vector evidence are each scaled by the best of their kind, then added. How much the
  vectors may say depends on how much of the query the words explain.
* A score is a confidence (does anything here answer?) times a share of the best. One side alone, or
  both, reach the same range, so one `min_score` serves.

Numbers were chosen on half of the development data and checked on the other half.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.tokens import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.core.query import Query

__all__ = ["Candidate", "Corpus", "Ranked", "rank"]

# BM25's usual values. A low B suits short turns but costs long documents a third of their recall; a
# floor under the average length gives both what they want (turns: recall@5 56.3 -> 58.7, others keep).
K1: Final = 1.2
B: Final = 0.75
MIN_AVERAGE_LENGTH: Final = 60.0

# Share of a neighbour's match that a chunk gets, by distance. An answer follows its question, so what
# stands before counts more (turns: recall@5 58.7 -> 69.0; adding neighbours up instead: 67.7).
SPREAD: Final[Mapping[int, float]] = {-1: 0.7, 1: 0.5, -2: 0.35, 2: 0.3, -3: 0.2, 3: 0.1}
GROUP: Final = 0.25  # the best match of each term anywhere in the document (turns 69.0 -> 69.8)
# Cosines are added up instead, as deviations from the mean (turns 69.8 -> 70.8).
VECTOR_SPREAD: Final[Mapping[int, float]] = {-1: 0.5, 1: 0.3, -2: 0.2, 2: 0.2}

# Weight of the vectors against the words, by the share of the query that the best chunk explains: SCALE
# over its root, between LOW (words explain it well) and HIGH (hardly). A fixed 0.2 or 0.5 costs one set or
# the other; mean over twelve sets: words alone 71.0, scale 0.13 71.6, 0.2 72.2, 0.3 72.3.
VECTOR_LOW: Final = 0.2
VECTOR_HIGH: Final = 0.8
VECTOR_SCALE: Final = 0.25
MIN_BEST_Z: Final = 3.0  # a best cosine less than three deviations above the mean is no discovery

SPEAKER: Final = 0.1  # the query names one speaker, and it is theirs (turns: nDCG 59.1 -> 59.6)
QUESTION: Final = -0.1  # a turn that only asks seldom holds the answer (turns 70.5 -> 71.8)
# Per e-fold below BRIEF_TERMS: "Wow, great!" says nothing (turns 71.8 -> 73.1).
BREVITY: Final = 0.06
BRIEF_TERMS: Final = 25
# What the person said, not what an assistant answered at length (beam_100k 38.0 -> 50.0).
OWNER: Final = 0.3
DATE: Final = 0.3  # the query names the chunk's day, month or year (turns 72.7 -> 73.6)
NEWEST: Final = 0.25  # the query asks for the latest; neutral on the sets, which hardly ask for it

# Confidence. Where the answer is there, the best chunk and its neighbours hold 58 to 78 % of the query's
# weight (medians of the sets; tenth percentiles 31 to 53 %). Asked of somebody else's memory: 14 to 30 %
# (ninetieth percentiles 29 to 53 %). Best cosines: 3.2 to 5.6 deviations against 2.6 to 3.7.
ENOUGH: Final = 0.33  # coverage that is worth showing: it gets a score of 0.35
ENOUGH_TERMS: Final = 10  # a longer query need not be covered as well
SURE_WORDS: Final = 5.0
LOGIT_MIN_SCORE: Final = -0.62
FOUND_Z: Final = 5.6
SURE_Z: Final = 1.6

IDEAL_TERMS: Final = 20  # the weightiest terms; a pasted page need not be matched as a whole


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that one side of the index found, or a neighbour of one.

    Args:
        key: Whatever the caller finds the chunk by.
        group: The document or conversation it is part of; `order` is its place there.
        counts: How often each *query* term stands in it.
        length: How many terms it has.
        cosine: Its similarity to the query; none without vectors.
        turn: It is one turn between people, where brevity and questions say something.
        asks: It ends in a question mark.
        owner: The person said it, to an assistant.
    """

    key: str
    group: str
    order: int
    counts: Mapping[str, int]
    length: int
    cosine: float | None = None
    speaker: str = ""
    turn: bool = False
    asks: bool = False
    owner: bool = False
    date: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the index knows of all visible chunks together.

    Args:
        frequency: In how many chunks each query term stands.
        cosine_mean: Mean similarity of the query to all chunks.
        cosine_deviation: Its standard deviation; 0 without vectors.
        trust: How far the embedder is to be trusted in the script of the query, 0 to 1.
    """

    chunks: int
    average_length: float
    frequency: Mapping[str, int]
    cosine_mean: float = 0.0
    cosine_deviation: float = 0.0
    trust: float = 1.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score 0 to 1, and what the words and the vectors say, each 0 to 1."""

    candidate: Candidate
    score: float
    lexical: float
    vector: float


def rank(query: Query, candidates: Sequence[Candidate], corpus: Corpus) -> list[Ranked]:
    """Order candidates, best first; the score is calibrated, so 0.35 means "worth showing"."""
    if not candidates:
        return []
    weights = _term_weights(query, corpus)
    ideal = sum(sorted(weights.values(), reverse=True)[:IDEAL_TERMS])
    matches = [_matches(candidate, weights, corpus) for candidate in candidates]
    at = {(candidate.group, candidate.order): place for place, candidate in enumerate(candidates)}

    lexical, present = _lexical(candidates, matches, weights, at)
    z = _vectors(candidates, corpus, at)
    best_lexical, best_z = max(lexical), max(z)
    vector_weight = _vector_weight(best_lexical / ideal if ideal else 0.0, best_z) * corpus.trust

    extras = _extras(query, candidates)
    values: list[float] = []
    for place, extra in enumerate(extras):
        value = lexical[place] / best_lexical if best_lexical else 0.0
        value += vector_weight * max(z[place], 0.0) / max(best_z, MIN_BEST_Z)
        values.append(value + extra if value > 0 else 0.0)

    top = max(values)
    covered = max(present) / ideal if ideal else 0.0
    sure = _confidence(covered, len(weights), max(_own_z(candidates, corpus)), corpus.trust)
    ranked = [
        Ranked(
            candidate,
            score=round(sure * max(values[place], 0.0) / top, 4) if top > 0 else 0.0,
            lexical=round(min(present[place] / ideal, 1.0), 4) if ideal else 0.0,
            vector=round(_logistic(z[place] - MIN_BEST_Z), 4)
            if candidate.cosine is not None
            else 0.0,
        )
        for place, candidate in enumerate(candidates)
    ]
    return sorted(ranked, key=lambda hit: (-hit.score, hit.candidate.group, hit.candidate.order))


def _term_weights(query: Query, corpus: Corpus) -> dict[str, float]:
    """Weigh each term by how rare it is; a term that stands nowhere still counts as asked for."""
    weights: dict[str, float] = {}
    for term in query.terms:
        frequency = min(corpus.frequency.get(term, 0), corpus.chunks)
        weights[term] = math.log(1 + (corpus.chunks - frequency + 0.5) / (frequency + 0.5))
    return weights


def _matches(
    candidate: Candidate, weights: Mapping[str, float], corpus: Corpus
) -> dict[str, float]:
    """Tell how well each query term is matched, 0 to 1: the saturation of BM25."""
    average = max(corpus.average_length, MIN_AVERAGE_LENGTH)
    slow = K1 * (1 - B + B * candidate.length / average)
    return {
        term: count / (count + slow)
        for term, count in candidate.counts.items()
        if count > 0 and term in weights
    }


def _lexical(
    candidates: Sequence[Candidate],
    matches: Sequence[Mapping[str, float]],
    weights: Mapping[str, float],
    at: Mapping[tuple[str, int], int],
) -> tuple[list[float], list[float]]:
    """Score by words, each where it stands best; and weigh the terms that are there at all."""
    whole: dict[str, dict[str, float]] = {}
    for candidate, own in zip(candidates, matches, strict=True):
        group = whole.setdefault(candidate.group, {})
        for term, match in own.items():
            group[term] = max(match, group.get(term, 0.0))
    everywhere = {
        name: sum(weights[term] * match for term, match in group.items())
        for name, group in whole.items()
    }

    scores: list[float] = []
    present: list[float] = []
    for candidate, own in zip(candidates, matches, strict=True):
        best = dict(own)
        there = dict.fromkeys(own, 1.0)
        for step, share in SPREAD.items():
            place = at.get((candidate.group, candidate.order + step))
            if place is None or not matches[place]:
                continue
            for term, match in matches[place].items():
                if share * match > best.get(term, 0.0):
                    best[term] = share * match
                if share > there.get(term, 0.0):
                    there[term] = share
        scores.append(
            sum(weights[term] * match for term, match in best.items())
            + GROUP * everywhere[candidate.group]
        )
        present.append(sum(weights[term] * share for term, share in there.items()))
    return scores, present


def _own_z(candidates: Sequence[Candidate], corpus: Corpus) -> list[float]:
    """Tell how many deviations above the mean each cosine lies."""
    if corpus.cosine_deviation < 1e-6:
        return [0.0] * len(candidates)
    return [
        0.0
        if candidate.cosine is None
        else (candidate.cosine - corpus.cosine_mean) / corpus.cosine_deviation
        for candidate in candidates
    ]


def _vectors(
    candidates: Sequence[Candidate], corpus: Corpus, at: Mapping[tuple[str, int], int]
) -> list[float]:
    own = _own_z(candidates, corpus)
    found: list[float] = []
    for candidate, z in zip(candidates, own, strict=True):
        total = z
        for step, share in VECTOR_SPREAD.items():
            place = at.get((candidate.group, candidate.order + step))
            total += share * own[place] if place is not None else 0.0
        found.append(total)
    return found


def _vector_weight(explained: float, best_z: float) -> float:
    if best_z <= 0:
        return 0.0
    return min(VECTOR_HIGH, max(VECTOR_LOW, VECTOR_SCALE / math.sqrt(max(explained, 1e-6))))


def _extras(query: Query, candidates: Sequence[Candidate]) -> list[float]:
    named = _named_speakers(query, candidates)
    newest = max((candidate.date for candidate in candidates if candidate.date), default=None)
    extras: list[float] = []
    for candidate in candidates:
        extra = SPEAKER if candidate.speaker and candidate.speaker in named else 0.0
        if candidate.owner and not query.of_assistant:
            extra += OWNER
        if candidate.turn:
            extra += QUESTION if candidate.asks else 0.0
            extra -= BREVITY * max(0.0, math.log((1 + BRIEF_TERMS) / (1 + candidate.length)))
        if candidate.date and any(_same_day(day, candidate.date) for day in query.dates):
            extra += DATE
        if query.newest and newest and candidate.date:
            months = (newest[0] - candidate.date[0]) * 12 + newest[1] - candidate.date[1]
            extra += NEWEST / (1 + max(months + (newest[2] - candidate.date[2]) / 30, 0.0))
        extras.append(extra)
    return extras


def _named_speakers(query: Query, candidates: Sequence[Candidate]) -> set[str]:
    """Find the one speaker whom the query names; two of them tell nothing apart."""
    speakers = {candidate.speaker for candidate in candidates if candidate.speaker}
    named = {speaker for speaker in speakers if query.words.intersection(words(speaker))}
    return named if len(named) == 1 else set()


def _same_day(asked: tuple[int | None, int | None, int | None], date: tuple[int, int, int]) -> bool:
    return all(want is None or want == have for want, have in zip(asked, date, strict=True))


def _confidence(covered: float, terms: int, best_z: float, trust: float) -> float:
    """Tell how likely it is that anything here answers at all, from the words found and the best cosine."""
    enough = ENOUGH * min(1.0, ENOUGH_TERMS / max(terms, 1))
    by_words = _logistic(SURE_WORDS * (covered / enough - 1) + LOGIT_MIN_SCORE)
    by_vectors = trust * _logistic(SURE_Z * (best_z - FOUND_Z)) if best_z > 0 else 0.0
    return 1 - (1 - by_words * (covered > 0)) * (1 - by_vectors)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-max(min(x, 30.0), -30.0)))
