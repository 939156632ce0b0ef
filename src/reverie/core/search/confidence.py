"""How likely it is that anything here answers a query: a small logistic model over what ranking saw.

Rules
- Words speak by how much of the query the best chunk covers, how far it stands out from what unrelated
  documents cover by chance, and how far the first document is ahead. Meaning speaks for an answer, never
  against one, and most where words say little.
- What chance covers depends on how a language is written: pieces of Thai and single syllables of Vietnamese
  stand everywhere, pairs of Chinese characters run across words. So each way of writing has its weights.
- One strong sign is enough whatever the others say: a chunk that holds the whole query, one that is very
  near, one of the day that was asked for.

The weights were fitted as `python -m bench.quality.calibrate` does, on the choosing half of the data: the
questions of each set asked of its own documents, and asked again where what answers them was taken away. They
are shifted so that the default `min_score` of 0.35 keeps most right answers in every language.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.types.embedding import EmbedderProfile
    from reverie.types.ranking import Writing

__all__ = ["WEIGHTS", "Evidence", "confidence", "features", "logistic", "nearness"]

WEIGHTS: Final[Mapping[str, float]] = {
    "one": -10.1,
    "stands_out": 1.9,
    "covered": 0.7,
    "ahead": 3.1,
    "near": 3.3,
    "terms": 8.3,
    "matched": 9.2,
    "terms_covered": -1.4,
    "near_uncovered": 5.1,
    "above_tenth": 1.0,
    "other": -1.3,
    "other_covered": 4.2,
    "han": -1.3,
    "han_covered": 4.3,
    "clusters": -4.9,
    "clusters_covered": -0.3,
    "vietnamese": -4.8,
    "vietnamese_covered": 2.8,
}

# A memory of a few documents has no tenth to compare with; what chance covers is then worked out.
DEVIATIONS: Final = 1.5
MOST_BACKGROUND: Final = 0.9
NEAR: Final = 0.2  # nearness that any question reaches somewhere
# From which share on a chunk holds the whole query, and how soon.
WHOLE: Final = 0.88
WHOLE_STEEP: Final = 20.0
# Among very few notes most words of most questions stand nowhere: a third of what is asked for is enough.
VERY_FEW_CHUNKS: Final = 8
ENOUGH: Final = 0.33
ENOUGH_STEEP: Final = 15.0
# A nearness that needs no word, and how soon it is one.
NEAR_ALONE: Final = 0.6
NEAR_STEEP: Final = 12.0
OF_DAY: Final = 0.6  # what is of the day that is asked for is worth showing
# Nearness by static vectors is how far a cosine goes from the mean of all towards 1, which holds in every
# language; below this many chunks the mean is no background.
FEW_CHUNKS: Final = 20
# The log-odds of an embedder's profile on the same scale: both measured on English passages.
ODDS_NEAR: Final = 0.7
ODDS_STEP: Final = 0.122
# From which log-odds on a measured sentence model is believed without any word: they get a score of 0.35.
ODDS_ALONE: Final = -2.0
LOGIT_MIN_SCORE: Final = -0.62


@dataclass(frozen=True, slots=True)
class Evidence:
    """What ranking saw of a query, all of it 0 to 1 but for counts.

    Args:
        covered: The share of what is asked for that the best chunk and its neighbours hold.
        tenth: What the tenth best document holds; 0 where there are fewer.
        expected: What a document holds by chance, with its `deviation`.
        ahead: How far the first document is ahead of the second.
        above_tenth: How far the first document is ahead of the eleventh.
        matched: How well the best chunk matches the words, of what could be matched.
        near: How near the nearest chunk comes by meaning, on the scale of `nearness`.
        chunks: How many there are at all.
        of_day: The best is of a day that the query means.
        terms: How many things are asked for.
    """

    covered: float
    tenth: float = 0.0
    expected: float = 0.0
    deviation: float = 0.0
    ahead: float = 0.0
    above_tenth: float = 0.0
    matched: float = 0.0
    near: float = 0.0
    chunks: int = FEW_CHUNKS
    of_day: bool = False
    terms: int = 1
    writing: Writing = "english"


def features(evidence: Evidence) -> dict[str, float]:
    """Turn evidence into the numbers that are weighed."""
    covered = evidence.covered
    background = max(evidence.tenth, evidence.expected + DEVIATIONS * evidence.deviation)
    background = min(background, MOST_BACKGROUND)
    near = max(evidence.near - NEAR, 0.0)
    terms = math.log(1 + evidence.terms) / 3
    found = {
        "one": 1.0,
        "stands_out": max((covered - background) / (1 - background), 0.0),
        "covered": covered,
        "ahead": evidence.ahead * covered,
        "near": near,
        "terms": terms,
        "matched": evidence.matched,
        "terms_covered": terms * covered,
        "near_uncovered": near * (1 - covered),
        "above_tenth": evidence.above_tenth,
    }
    if evidence.writing != "english":
        found[evidence.writing] = 1.0
        found[f"{evidence.writing}_covered"] = covered
    return found


def confidence(evidence: Evidence, *, odds: float | None = None) -> float:
    """Tell how likely it is that anything here answers.

    Args:
        odds: What a measured sentence model says by itself, as log-odds; None: there is none.
    """
    weighed = logistic(sum(WEIGHTS[name] * value for name, value in features(evidence).items()))
    enough = [
        weighed,
        logistic(WHOLE_STEEP * (evidence.covered - WHOLE)),
        logistic(NEAR_STEEP * (evidence.near - NEAR_ALONE)),
    ]
    if evidence.chunks < VERY_FEW_CHUNKS:
        enough.append(logistic(ENOUGH_STEEP * (evidence.covered - ENOUGH) + LOGIT_MIN_SCORE))
    if evidence.of_day:
        enough.append(OF_DAY)
    alone = 0.0 if odds is None else logistic(odds - ODDS_ALONE + LOGIT_MIN_SCORE)
    return 1 - (1 - max(enough)) * (1 - alone)


def nearness(
    cosine: float, *, mean: float, chunks: int, trust: float, profile: EmbedderProfile | None
) -> float:
    """Tell how near the nearest chunk comes by meaning, on one scale for every embedder."""
    if chunks >= FEW_CHUNKS and (profile is None or profile.centred):
        return trust * max(cosine - mean, 0.0) / max(1 - mean, 1e-6)
    if profile is None or trust < 1:
        return 0.0
    odds = profile.log_odds(cosine, nearest=cosine, chunks=chunks)
    return min(max(ODDS_NEAR + ODDS_STEP * odds, 0.0), 1.0)


def logistic(x: float) -> float:
    """Turn log-odds into a probability."""
    return 1 / (1 + math.exp(-max(min(x, 30.0), -30.0)))
