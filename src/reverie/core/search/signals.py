"""Weigh what speaks for each candidate: its words, its vector, and those of what stands around it.

Rules:

* A chunk is judged with its neighbours. Each query term counts where it stands best: in the chunk in
  full, in a chunk nearby with a discount, anywhere in the same document a little. This is a union,
  not a sum: a name repeated in every turn counts once.
* Vectors count as deviations from the mean of all cosines, and neighbours are added up.
* How much the vectors may say against the words depends on the query: more where the best cosine
  stands out from the next ones, less where the words explain much of the query.

Numbers were chosen on half of the development data and checked on the other half.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.types.ranking import Candidate, Corpus, Query

__all__ = [
    "K1",
    "MIN_AVERAGE_LENGTH",
    "MIN_BEST_Z",
    "VECTOR_HIGH",
    "B",
    "asked_weights",
    "by_vectors",
    "by_words",
    "deviations",
    "ideal_weight",
    "matches",
    "nearest_passage",
    "term_weights",
    "vector_weight",
]

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

# Vectors against words: a fixed weight costs one set or another (0.3: lme, 1.0: turns), so it follows the
# query: 0.36 times the root of (stands out * best deviation) / (share explained * rare words matched).
VECTOR_SCALE: Final = 0.36
VECTOR_LOW: Final = 0.1
VECTOR_HIGH: Final = 1.2
# A request in other words: the best chunk by words has one or two words of it, and a passage's vector is
# far above the rest. Then the weight is up to twice as much (choosing half; other half: prefeval
# 16.0 -> 17.6; 19.5 -> 20.7; madial_en 55.1 -> 55.8; 44.9 -> 45.9). Turns lose by it (sessions 91.3 -> 90.8).
IN_OTHER_WORDS: Final = 1.0
FAR_Z: Final = 3.0  # from this deviation on, in full from one more on
LITTLE: Final = 0.3  # below this share explained, in full from half of it on
STANDS_OUT_FROM: Final = 10  # the best is compared with the tenth
MIN_STAND_OUT: Final = 0.05
MIN_BEST_Z: Final = 3.0  # a best cosine less than three deviations above the mean is no discovery
# Passages of a document say enough alone: half of what turns get (choosing half: cranfield 30.4 -> 31.7,
# beam 48.4 -> 50.2; the other half stays).
PASSAGE_SPREAD: Final = 0.5

IDEAL_TERMS: Final = 20  # the weightiest terms; a pasted page need not be matched as a whole


def term_weights(query: Query, corpus: Corpus, *, at_least: int = 0) -> dict[str, float]:
    """Weigh each term by how rare it is; a term that stands nowhere still counts as asked for.

    Args:
        at_least: Weigh as if there were this many chunks. Among eight notes, one that stands in half of
            them tells little apart, yet it is what the query asks about.
    """
    chunks = max(corpus.chunks, at_least)
    weights: dict[str, float] = {}
    for term in query.terms:
        frequency = min(corpus.frequency.get(term, 0), chunks)
        weight = math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))
        weights[term] = weight * query.emphasis.get(term, 1.0)
    return weights


def asked_weights(query: Query, corpus: Corpus, *, at_least: int) -> dict[str, float]:
    """Weigh what the query asks for, each thing once: a form of a term is no other thing.

    Args:
        at_least: As above.
    """
    chunks = max(corpus.chunks, at_least)
    often = {term: corpus.frequency.get(term, 0) for term in query.terms if term not in query.forms}
    emphasis = {term: query.emphasis.get(term, 1.0) for term in often}
    for form, terms in query.forms.items():
        for term in terms:
            often[term] = max(often.get(term, 0), corpus.frequency.get(form, 0))
            emphasis[term] = min(emphasis.get(term, 1.0) + query.emphasis.get(form, 0.0), 1.0)
    weights: dict[str, float] = {}
    for term, count in often.items():
        frequency = min(count, chunks)
        weight = math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))
        weights[term] = weight * emphasis[term]
    return weights


def matches(
    counts: Mapping[str, int], length: int, weights: Mapping[str, float], corpus: Corpus
) -> dict[str, float]:
    """Tell how well a chunk of some length matches each weighed term, 0 to 1: the saturation of BM25."""
    if not counts:
        return {}
    average = max(corpus.average_length, MIN_AVERAGE_LENGTH)
    slow = K1 * (1 - B + B * length / average)
    return {
        term: count / (count + slow)
        for term, count in counts.items()
        if count > 0 and term in weights
    }


def by_words(
    candidates: Sequence[Candidate],
    found: Sequence[Mapping[str, float]],
    weights: Mapping[str, float],
    asked: Mapping[str, float],
    at: Mapping[tuple[str, int], int],
    *,
    forms: Mapping[str, Sequence[str]],
) -> tuple[list[float], list[float]]:
    """Score by words, each where it stands best; and weigh what is there at all of what is asked for."""
    whole: dict[str, Mapping[str, float]] = {}
    for candidate, own in zip(candidates, found, strict=True):
        known = whole.get(candidate.group)
        if known is None:
            whole[candidate.group] = own
            continue
        group = dict(known)
        for term, match in own.items():
            group[term] = max(match, group.get(term, 0.0))
        whole[candidate.group] = group
    everywhere = {name: _sum_of(group, weights) for name, group in whole.items()}

    scores: list[float] = []
    present: list[float] = []
    alone: dict[tuple[str, ...], float] = {}
    """What is there of the query where nothing but these terms is."""
    for candidate, own in zip(candidates, found, strict=True):
        beside = []
        said = everywhere[candidate.group]
        lone = whole[candidate.group] is own
        for step, share in () if lone else SPREAD.items():
            place = at.get((candidate.group, candidate.order + step))
            if place is not None and found[place]:
                beside.append((place, share))
        if not beside:
            scores.append((said if lone else _sum_of(own, weights)) + GROUP * said)
            held = tuple(own)
            if held not in alone:
                alone[held] = _present(dict.fromkeys(own, 1.0), asked, forms)
            present.append(alone[held])
            continue
        best = dict(own)
        there = dict.fromkeys(own, 1.0)
        for place, share in beside:
            for term, match in found[place].items():
                if share * match > best.get(term, 0.0):
                    best[term] = share * match
                if share > there.get(term, 0.0):
                    there[term] = share
        scores.append(_sum_of(best, weights) + GROUP * said)
        present.append(_present(there, asked, forms))
    return scores, present


def _sum_of(matches: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return sum([weights[term] * match for term, match in matches.items()])


def _present(
    there: dict[str, float], asked: Mapping[str, float], forms: Mapping[str, Sequence[str]]
) -> float:
    for form in forms.keys() & there.keys():
        for term in forms[form]:
            there[term] = max(there[form], there.get(term, 0.0))
    return sum([asked[term] * share for term, share in there.items() if term in asked])


def deviations(candidates: Sequence[Candidate], corpus: Corpus) -> list[float]:
    """Tell how many deviations above the mean each cosine lies."""
    if corpus.cosine_deviation < 1e-6:
        return [0.0] * len(candidates)
    return [
        0.0
        if candidate.cosine is None
        else (candidate.cosine - corpus.cosine_mean) / corpus.cosine_deviation
        for candidate in candidates
    ]


def by_vectors(
    candidates: Sequence[Candidate], corpus: Corpus, at: Mapping[tuple[str, int], int]
) -> list[float]:
    """Tell how many deviations above the mean each candidate lies, together with its neighbours."""
    own = deviations(candidates, corpus)
    members = Counter([candidate.group for candidate in candidates])
    found: list[float] = []
    for candidate, z in zip(candidates, own, strict=True):
        if members[candidate.group] == 1:
            found.append(z)
            continue
        total = z
        part = 1.0 if candidate.turn else PASSAGE_SPREAD
        for step, share in VECTOR_SPREAD.items():
            place = at.get((candidate.group, candidate.order + step))
            total += part * share * own[place] if place is not None else 0.0
        found.append(total)
    return found


def ideal_weight(weights: Mapping[str, float]) -> float:
    """Weigh a chunk that would hold the whole query."""
    return sum(sorted(weights.values(), reverse=True)[:IDEAL_TERMS])


def nearest_passage(candidates: Sequence[Candidate], corpus: Corpus) -> float:
    """Tell how many deviations above the mean the nearest chunk lies by itself; 0 if it is a turn."""
    best, number = max((z, -at) for at, z in enumerate(deviations(candidates, corpus)))
    return 0.0 if candidates[-number].turn else best


def vector_weight(
    lexical: Sequence[float], z: Sequence[float], *, nearest: float, ideal: float, corpus: Corpus
) -> float:
    """Tell how much the best cosine counts against the best by words, which counts 1."""
    best = max(z)
    if best <= 0:
        return 0.0
    words = max(lexical)
    explained = max(words / ideal if ideal else 0.0, 0.02)
    rare_words = max(words / math.log(1 + corpus.chunks), 0.1) if corpus.chunks else 0.1
    other = sorted(z, reverse=True)[min(STANDS_OUT_FROM, len(z)) - 1]
    stands_out = max((best - other) / max(best, MIN_BEST_Z), MIN_STAND_OUT)
    weight = VECTOR_SCALE * math.sqrt(stands_out * best / (explained * rare_words))
    far = min(max(nearest - FAR_Z, 0.0), 1.0)
    little = min(max((LITTLE - explained) / (LITTLE / 2), 0.0), 1.0)
    weight = min(VECTOR_HIGH, max(VECTOR_LOW, weight)) * (1 + IN_OTHER_WORDS * far * little)
    return corpus.trust * weight
