"""Turn what the index found into ranked, calibrated hits: values in, values out, no libraries.

Rules:

* Lexical and vector evidence (`core.evidence`) are each scaled by the best of their kind, then added.
* A score is a confidence (does anything here answer?) times a share of the best. One side alone, or
  both, reach the same range, so one `min_score` serves.

Numbers were chosen on half of the development data and checked on the other half.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.search.signals import (
    K1,
    MIN_AVERAGE_LENGTH,
    MIN_BEST_Z,
    B,
    asked_weights,
    by_vectors,
    by_words,
    ideal_weight,
    matches,
    nearest_passage,
    term_weights,
    vector_weight,
)
from reverie.core.text import scripts
from reverie.core.text.words import words
from reverie.types.ranking import Candidate, Corpus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.types.ranking import Query

__all__ = ["K1", "MIN_AVERAGE_LENGTH", "B", "Candidate", "Corpus", "Ranked", "rank"]

# A turn is short, and its vector says less (turns, choosing half: recall@5 76.3 -> 77.1).
TURN_VECTOR: Final = 0.8
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
# weight (medians of the sets), asked of somebody else's memory 14 to 30 %. The best cosine goes 43 to 53 %
# of the way from the mean to 1, against 21 to 25 %; how many deviations that is tells nothing.
ENOUGH: Final = 0.33  # coverage that is worth showing: it gets a score of 0.35
ENOUGH_TERMS: Final = 10  # a longer query need not be covered as well
# Pieces of a script without spaces run across its words, so half of them are nobody's (share of right
# answers above 0.35 in memdaily_zh: 0.52 -> 0.70; of foreign questions 0.10 -> 0.20).
ENOUGH_PIECES: Final = 0.5
SURE_WORDS: Final = 5.0
NEAR: Final = 0.37  # the way to 1 that speaks neither for nor against
SURE_NEAR: Final = 8.0
LOGIT_MIN_SCORE: Final = -0.62
FEW_CHUNKS: Final = 200  # below this many, words are weighed as among this many
# A few notes lack most words of most questions, so one word of three must be enough to show them; one
# word of four is not.
ABSENT: Final = 0.7
MEAN_CHUNKS: Final = 20  # below this many, the mean cosine is not that of a background


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
    weights = term_weights(query, corpus)
    asked = asked_weights(query, corpus, at_least=FEW_CHUNKS)
    whole = ideal_weight(_asked(asked, corpus))
    at = {(candidate.group, candidate.order): place for place, candidate in enumerate(candidates)}

    found = [matches(item.counts, item.length, weights, corpus) for item in candidates]
    lexical, present = by_words(candidates, found, weights, asked, at, forms=query.forms)
    z = by_vectors(candidates, corpus, at)
    best_lexical, best_z = max(lexical), max(z)
    weight = vector_weight(
        lexical,
        z,
        nearest=nearest_passage(candidates, corpus),
        ideal=ideal_weight(_possible(query, weights, corpus)),
        corpus=corpus,
    )

    extras = _extras(query, candidates)
    values: list[float] = []
    for place, extra in enumerate(extras):
        value = lexical[place] / best_lexical if best_lexical else 0.0
        share = TURN_VECTOR if candidates[place].turn else 1.0
        value += share * weight * max(z[place], 0.0) / max(best_z, MIN_BEST_Z)
        values.append(value + extra if value > 0 else 0.0)

    top = max(values)
    covered = max(present) / whole if whole else 0.0
    sure = _confidence(covered / _enough(query), _way(candidates, corpus), corpus.trust)
    # Ordered before rounding: where nothing is sure, scores of different hits round to the same.
    order = sorted(
        range(len(candidates)),
        key=lambda place: (-values[place], candidates[place].group, candidates[place].order),
    )
    return [
        Ranked(
            candidates[place],
            score=round(sure * max(values[place], 0.0) / top, 4) if top > 0 else 0.0,
            lexical=round(min(present[place] / whole, 1.0), 4) if whole else 0.0,
            vector=round(_logistic(z[place] - MIN_BEST_Z), 4)
            if candidates[place].cosine is not None
            else 0.0,
        )
        for place in order
    ]


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


def _way(candidates: Sequence[Candidate], corpus: Corpus) -> float | None:
    """Tell how far the best cosine goes from the mean of all towards 1; none without vectors.

    This means nearly the same for every embedder, also for those whose cosines are all high. Among a
    few chunks the mean is no background, so that the best is near it speaks against nothing.
    """
    cosines = [candidate.cosine for candidate in candidates if candidate.cosine is not None]
    if not cosines or corpus.cosine_deviation < 1e-6:
        return None
    way = max(max(cosines) - corpus.cosine_mean, 0.0) / max(1 - corpus.cosine_mean, 1e-6)
    return way if way > NEAR or corpus.chunks >= MEAN_CHUNKS else None


def _asked(weights: Mapping[str, float], corpus: Corpus) -> dict[str, float]:
    """Weigh what the query asks for; that a word stands nowhere tells less where there is little."""
    absent = ABSENT if corpus.chunks < FEW_CHUNKS else 1.0
    return {
        term: weight if corpus.frequency.get(term) else weight * absent
        for term, weight in weights.items()
    }


def _possible(query: Query, weights: Mapping[str, float], corpus: Corpus) -> dict[str, float]:
    """Leave out forms that stand nowhere: nobody wrote a word that way."""
    return {
        term: weight
        for term, weight in weights.items()
        if term not in query.forms or corpus.frequency.get(term)
    }


def _enough(query: Query) -> float:
    """Tell which share of the query's weight a good answer holds at least."""
    enough = ENOUGH * min(1.0, ENOUGH_TERMS / max(len(query.terms), 1))
    pieces = sum(1 for term in query.terms if not term.isascii() and _is_piece(term))
    return enough * (1 - (1 - ENOUGH_PIECES) * pieces / max(len(query.terms), 1))


def _is_piece(term: str) -> bool:
    return bool(scripts.CJK_START.match(term) or scripts.CLUSTERED_START.match(term))


def _confidence(covered: float, way: float | None, trust: float) -> float:
    """Tell how likely it is that anything here answers at all.

    Args:
        covered: The share of the query that the words cover, in units of what is enough.
        way: How far the best cosine goes towards 1.
    """
    evidence = SURE_WORDS * (covered - 1)
    if way is not None:
        evidence += trust * SURE_NEAR * (way / NEAR - 1)
    return _logistic(evidence + LOGIT_MIN_SCORE) if covered or way else 0.0


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-max(min(x, 30.0), -30.0)))
