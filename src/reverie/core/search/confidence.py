"""How likely it is that anything here answers a query: a small logistic model over what ranking saw.

Rules
- What counts is how far the first documents stand out from what the same memory holds for anybody: how far
  the first is ahead of the second and of the eleventh, how well it matches what could be matched, and what a
  reader finds in it (`core.questions.close_reading`). Absolute coverage differs between languages more than
  between right and wrong.
- Meaning speaks for an answer, never against one. A cosine counts by how far it goes from the mean of all
  towards 1: in a language that a model does not know everything is alike, and then it says nothing.
- What chance covers depends on how a language is written: pieces of Thai stand everywhere, pairs of Chinese
  characters run across words. So ways of writing have offsets.
- Static vectors say little in other languages than English, so what is right stands out less there: such a
  question needs a little less where no sentence model speaks.
- A piece of a conversation asks nothing, and what bears on it shares few words with it: where questions had
  1 in 60, one of the first five documents bore on three conversations of five (MADial-Bench).
- One strong sign is enough whatever the others say: a chunk that holds the whole query, one that is very
  near, one of the day that was asked for.

The weights come from `python -m bench.quality.calibrate`, from the choosing half of the data: the questions
of each set asked of its own documents, and asked again where what answers them was taken away. They are those
for which the default `min_score` of 0.35 comes closest to keeping 95 % of the right answers and being silent
for 80 % of the questions without one, in every language.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.types.embedding import EmbedderProfile
    from reverie.types.ranking import Writing

__all__ = [
    "FEW_CHUNKS",
    "WEIGHTS",
    "Evidence",
    "above_mean",
    "confidence",
    "features",
    "logistic",
    "nearness",
]

WEIGHTS: Final[Mapping[str, float]] = {
    "one": -19.9,
    "ahead": 11.2,
    "above_tenth": 6.5,
    "matched": 9.6,
    "passage": 12.3,
    "sentence": 9.6,
    "first_sentence": 1.9,
    "absent": -1.9,
    "terms": 5.2,
    "short": -6.3,
    "short_passage": -2.6,
    "sense": 3.0,
    "sense_uncovered": 3.8,
    "beside": 0.1,
    "beside_uncovered": 0.8,
    "english": 1.3,
    "han": 3.1,
    "clusters": -7.6,
    "vietnamese": -0.2,
    "foreign": 1.0,
    "spoken": 4.0,
    "long": 4.0,
    "english_meant": -1.0,
    "han_meant": -1.3,
    "clusters_meant": -2.0,
}

# From which share on a chunk holds the whole query, and how soon.
WHOLE: Final = 0.88
WHOLE_STEEP: Final = 20.0
# Among very few notes most words of most questions stand nowhere: a third of what is asked for is enough.
VERY_FEW_CHUNKS: Final = 8
ENOUGH: Final = 0.33
ENOUGH_STEEP: Final = 15.0
UNREAD: Final = 0.7  # of what a chunk covers, what one sentence of it mostly holds
SHORT_TERMS: Final = 4  # so many more than one thing asked for, and a question is no short one
# A pasted page says much that no note says; pieces of words are many in any question.
LONG_TERMS: Final = 20
WRITTEN_IN_WORDS: Final = ("english", "other")
FOREIGN: Final = (
    "other",
    "clusters",
    "vietnamese",
)  # pairs of characters have an offset of their own
# Of a piece of a conversation, log-odds count a third, and these are what is left of even ones: a little less
# than was measured, because not every conversation has something that bears on it.
TALK_ODDS: Final = 1.2
TALK_SHARE: Final = 0.33
FAR: Final = 6.0  # deviations above the mean, beyond which more say no more
# A nearness that needs no word, and how soon it is one.
NEAR_ALONE: Final = 0.6
NEAR_STEEP: Final = 12.0
OF_DAY: Final = 0.6  # what is of the day that is asked for is worth showing
FEW_CHUNKS: Final = 20  # below this many, the mean of all cosines is no background
# What the mean of all cosines is taken for, and how much that counts beside those there are.
USUAL_MEAN: Final = 0.08
USUAL_COUNT: Final = 4
FEW_OTHERS: Final = 3  # fewer do not tell whether a model likens everything
# In a language that a sentence model does not know, all cosines are high: 0.6 on average in Greek, Hindi and
# Vietnamese, 0.05 to 0.25 in those it knows. It is believed less from the first on.
KNOWN: Final = 0.35
LIKES_ALL: Final = 0.5
# The log-odds of an embedder's profile on the same scale: both measured on English passages.
ODDS_NEAR: Final = 0.7
ODDS_STEP: Final = 0.122
# From which log-odds on a measured sentence model is believed without any word: they get a score of 0.35.
ODDS_ALONE: Final = -2.4
LOGIT_MIN_SCORE: Final = -0.62


@dataclass(frozen=True, slots=True)
class Evidence:
    """What ranking saw of a query, all of it 0 to 1 but for counts.

    Args:
        covered: The share of what is asked for that the best chunk and its neighbours hold.
        ahead: How far the first document is ahead of the second.
        above_tenth: How far the first document is ahead of the eleventh.
        matched: How well the best chunk matches the words, of what could be matched.
        near: How near the nearest chunk comes by meaning, on the scale of `nearness`.
        sentences: A measured sentence model says so; static vectors say little.
        chunks: How many there are at all.
        of_day: The best is of a day that the query means.
        terms: How many things are asked for.
        absent: The share of them that stands nowhere.
        beside: How many deviations above the mean the document lies by meaning that words speak for.
        passage: The share of what is asked for that one of the first passages says to a reader; below 0 where
            none was read.
        spoken: The first was said by somebody: who asks about a conversation knows that it was had.
        talk: The query is a piece of a conversation.
        sentence: The same of one sentence; `first_sentence`: of one in the first passage.
    """

    covered: float
    ahead: float = 0.0
    above_tenth: float = 0.0
    matched: float = 0.0
    near: float = 0.0
    sentences: bool = False
    chunks: int = FEW_CHUNKS
    of_day: bool = False
    terms: int = 1
    absent: float = 0.0
    beside: float = 0.0
    passage: float = -1.0
    sentence: float = 0.0
    first_sentence: float = 0.0
    writing: Writing = "english"
    spoken: bool = False
    talk: bool = False


def features(evidence: Evidence) -> dict[str, float]:
    """Turn evidence into the numbers that are weighed."""
    covered = evidence.covered
    sense = evidence.near if evidence.sentences else 0.0
    beside = min(evidence.beside, FAR) / FAR if evidence.sentences else 0.0
    beside *= min(evidence.chunks / FEW_CHUNKS, 1.0)
    read = evidence.passage >= 0
    long = min(max(evidence.terms - LONG_TERMS, 0) / LONG_TERMS, 1.0)
    short = max(1 - (evidence.terms - 1) / SHORT_TERMS, 0.0)
    return {
        "one": 1.0,
        "ahead": evidence.ahead * covered,
        "above_tenth": evidence.above_tenth,
        "matched": evidence.matched,
        "passage": evidence.passage if read else covered,
        "sentence": evidence.sentence if read else UNREAD * covered,
        "first_sentence": evidence.first_sentence if read else UNREAD * covered,
        "absent": evidence.absent,
        "terms": math.log(1 + evidence.terms) / 3,
        "short": short,
        "short_passage": short * (evidence.passage if read else covered),
        "sense": sense,
        "sense_uncovered": sense * (1 - covered),
        "beside": beside,
        "beside_uncovered": beside * (1 - covered),
        evidence.writing: 1.0,
        f"{evidence.writing}_meant": float(evidence.sentences),
        "foreign": float(evidence.writing in FOREIGN and not evidence.sentences),
        "spoken": float(evidence.spoken),
        "long": long if evidence.writing in WRITTEN_IN_WORDS else 0.0,
    }


def confidence(evidence: Evidence, *, odds: float | None = None) -> float:
    """Tell how likely it is that anything here answers.

    Args:
        odds: What a measured sentence model says by itself, as log-odds; None: there is none.
    """
    weighed = logistic(
        sum(WEIGHTS.get(name, 0.0) * value for name, value in features(evidence).items())
    )
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
    sure = 1 - (1 - max(enough)) * (1 - alone)
    return logistic(TALK_ODDS + TALK_SHARE * _log_odds(sure)) if evidence.talk else sure


def nearness(
    cosine: float, *, mean: float, chunks: int, trust: float, profile: EmbedderProfile | None
) -> float:
    """Tell how near the nearest chunk comes by meaning, 0 to 1, on one scale for every language."""
    if profile is not None and not profile.centred:
        return trust * above_mean(cosine, mean=mean, chunks=chunks, profile=profile)
    if chunks >= FEW_CHUNKS:
        return trust * max(cosine - mean, 0.0) / max(1 - mean, 1e-6)
    if profile is None or trust < 1:
        return 0.0
    odds = profile.log_odds(cosine, nearest=cosine, chunks=chunks)
    return min(max(ODDS_NEAR + ODDS_STEP * odds, 0.0), 1.0)


def above_mean(cosine: float, *, mean: float, chunks: int, profile: EmbedderProfile) -> float:
    """Tell how far the highest cosine of a sentence model goes from the mean of the others towards 1.

    Of a few others the mean is taken together with what is usual; and all of it counts less where the model
    does not know the language.
    """
    others = max(chunks - 1, 0)
    usual = (mean * chunks - cosine + USUAL_COUNT * USUAL_MEAN) / (others + USUAL_COUNT)
    usual = min(max(usual, 0.0), 0.99)
    known = (mean * chunks - cosine) / others if others >= FEW_OTHERS else usual
    return known_language(known, profile=profile) * max(cosine - usual, 0.0) / (1 - usual)


def known_language(mean: float, *, profile: EmbedderProfile | None) -> float:
    """Tell how far an embedder knows the language of a memory, from the mean of all cosines, 0 to 1."""
    if profile is None or profile.centred:
        return 1.0
    return min(max((LIKES_ALL - mean) / (LIKES_ALL - KNOWN), 0.0), 1.0)


def logistic(x: float) -> float:
    """Turn log-odds into a probability."""
    return 1 / (1 + math.exp(-max(min(x, 30.0), -30.0)))


def _log_odds(probability: float) -> float:
    some = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(some / (1 - some))
