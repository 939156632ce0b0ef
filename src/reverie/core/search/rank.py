"""Turn what the index found into ranked, calibrated hits: values in, values out, no libraries.

Rules:

* Lexical and vector evidence (`core.search.signals`) are each scaled by the best of their kind, then added.
* What the query names exactly comes first: a chunk that holds an identifier is before all that do not.
* A score is how likely it is that anything here answers (`core.search.confidence`), times a power of the
  share that a hit has of the best. One side alone, or both, reach the same range, so one `min_score` serves.

Numbers were chosen on half of the development data and checked on the other half.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from reverie.core.questions.close_reading import parts_of, read_closely
from reverie.core.search.confidence import (
    Evidence,
    confidence,
    known_language,
    logistic,
    nearness,
)
from reverie.core.search.meaning import alone
from reverie.core.search.signals import (
    K1,
    MIN_AVERAGE_LENGTH,
    MIN_BEST_Z,
    VECTOR_HIGH,
    B,
    asked_weights,
    by_vectors,
    by_words,
    deviations,
    ideal_weight,
    matches,
    nearest_passage,
    term_weights,
    vector_weight,
)
from reverie.core.text.days import is_day
from reverie.core.text.words import words
from reverie.types.ranking import Candidate, Corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from reverie.types.ranking import Query

__all__ = [
    "K1", "MIN_AVERAGE_LENGTH", "B", "Candidate", "Corpus", "Ranked", "Weighed", "as_read", "rank",
    "scored", "weigh",
]  # fmt: skip

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

IDENTIFIER: Final = 3.0  # beside what vectors may say: more than everything else together
NUMBER: Final = 0.3
# Of what is asked beside a day: who says so much of it may be meant whatever the day.
REST_SAID: Final = 0.4

FEW_CHUNKS: Final = 200  # below this many, words are weighed as among this many
# A few notes lack most words of most questions, so one word of three must be enough to show them; one
# word of four is not.
ABSENT: Final = 0.7
# How soon what stands behind the best is left out. Of 34 everyday notes (tests/data/recall_table.json) 0.2
# that do not belong there are shown for a question, with 1.5 0.04; but with 1.5 more right sessions are lost
# where several are right (lme: 92 % stay, then 87 %). What people say is spread over even more places.
POWER: Final = 1.0
SPOKEN_POWER: Final = 0.75
# A sentence model likens everything a little, so what stands behind the best is left out sooner.
SENTENCE_POWER: Final = 1.4
# What says less of a query than the best, nothing else, and no nearer to it by meaning.
IDLE: Final = (
    0.8  # with 0.6 more right sessions are lost where several are right (lme: 95 % stay, then 92 %)
)
LITTLE_HELD: Final = 0.4  # who says more of it may be as right as the best
FEW_ASKED: Final = (
    8  # things; of a longer question several may say as much (Cranfield 32.1 -> 29.5 otherwise)
)
LITTLE_SAID: Final = (
    0.5  # below this share of the query in the words found; in full from half of it on
)
FIRST: Final = 5  # documents among which the best evidence is looked for
TENTH: Final = 10


class Ranked(NamedTuple):
    """A candidate with its score 0 to 1, and what the words and the vectors say, each 0 to 1."""

    candidate: Candidate
    score: float
    lexical: float
    vector: float
    share: float = 1.0
    """What speaks for it, as a share of what speaks for the best."""
    sure: float = 0.0
    """How likely it is that anything here answers."""


def scored(sure: float, share: float, *, spoken: bool = False) -> float:
    """Return the score of a hit.

    Args:
        share: What speaks for it, as a share of what speaks for the best.
        spoken: The best was said by somebody.
    """
    power = SPOKEN_POWER if spoken else POWER
    return round(float(sure * share**power), 4)


@dataclass(frozen=True, slots=True)
class Weighed:
    """What speaks for each candidate, and for the query as a whole."""

    values: list[float]
    held: list[float]
    """The share of what is asked for that stands in or beside each."""
    deviations: list[float]
    evidence: Evidence
    asked: Mapping[str, float]
    """What the query asks for, with weights."""
    first: list[int]
    """The best candidates of the first documents."""


def rank(
    query: Query,
    candidates: Sequence[Candidate],
    corpus: Corpus,
    *,
    text: Callable[[str], str] | None = None,
) -> list[Ranked]:
    """Order candidates, best first; the score is calibrated, so 0.35 means "worth showing".

    Args:
        text: Returns the text of a candidate by its key; without it nothing is read, and the score is vaguer.
    """
    if not candidates:
        return []
    weighed = weigh(query, candidates, corpus)
    values, top = weighed.values, max(weighed.values)
    evidence = as_read(query, candidates, weighed, text) if text else weighed.evidence
    odds = alone(query, candidates, corpus, text) if top > 0 else None
    sure = confidence(evidence, odds=odds) if top > 0 else 0.0
    order = _ordered(candidates, values)
    spoken = bool(candidates[order[0]].speaker)
    sentences = corpus.profile is not None and not corpus.profile.centred
    steep = SENTENCE_POWER if sentences and not candidates[order[0]].turn else 1.0
    if not (spoken or query.talk) and weighed.evidence.terms <= FEW_ASKED:
        for place in _adding_nothing(query, candidates, order, weighed.held):
            values[place] *= IDLE
        order = _ordered(candidates, values)
    hits: list[Ranked] = []
    for place in order:
        share = (max(values[place], 0.0) / top) ** steep if top > 0 else 0.0
        near = logistic(weighed.deviations[place] - MIN_BEST_Z)
        hits.append(
            Ranked(
                candidates[place],
                score=scored(sure, share, spoken=spoken),
                lexical=round(min(weighed.held[place], 1.0), 4),
                vector=round(near, 4) if candidates[place].cosine is not None else 0.0,
                share=share,
                sure=sure,
            )
        )
    return hits


def _ordered(candidates: Sequence[Candidate], values: Sequence[float]) -> list[int]:
    """Order places before anything is rounded: where nothing is sure, different scores round to the same."""
    return sorted(
        range(len(candidates)),
        key=lambda place: (-values[place], candidates[place].group, candidates[place].order),
    )


def _adding_nothing(
    query: Query, candidates: Sequence[Candidate], order: Sequence[int], held: Sequence[float]
) -> set[int]:
    """Return the places that say little of a query, less than the first document, and are no nearer.

    Only whole short documents: long ones may each have a part of what is counted together.
    """
    first = candidates[order[0]]
    said = _said(query, first)
    members = Counter(candidate.group for candidate in candidates)
    return {
        place
        for place in order[1:]
        if held[place] < LITTLE_HELD
        and (item := candidates[place]).group != first.group
        and item.order == 0
        and members[item.group] == 1
        and (item.cosine or 0.0) <= (first.cosine or 0.0)
        and said > _said(query, item)
    }


def _said(query: Query, candidate: Candidate) -> set[str]:
    """Return what of a query stands in a candidate, in any form."""
    there = {term for term, count in candidate.counts.items() if count}
    return there.union(*(query.forms[form] for form in there & query.forms.keys()))


def weigh(query: Query, candidates: Sequence[Candidate], corpus: Corpus) -> Weighed:
    """Weigh what speaks for each of some candidates; there is at least one."""
    weights = term_weights(query, corpus)
    asked = asked_weights(query, corpus, at_least=FEW_CHUNKS)
    whole = ideal_weight(_asked(asked, corpus))
    at = {(candidate.group, candidate.order): place for place, candidate in enumerate(candidates)}

    found = [matches(item.counts, item.length, weights, corpus) for item in candidates]
    lexical, present = by_words(candidates, found, weights, asked, at, forms=query.forms)
    z = by_vectors(candidates, corpus, at)
    best_lexical, best_z = max(lexical), max(z)
    ideal = ideal_weight(_possible(query, weights, corpus))
    weight = vector_weight(
        lexical,
        z,
        nearest=nearest_passage(candidates, corpus),
        ideal=ideal,
        corpus=corpus,
    )
    if corpus.profile:  # a better embedder says more, but only where the words say little
        said = best_lexical / ideal if ideal else 0.0
        little = min(max(2 * (LITTLE_SAID - said) / LITTLE_SAID, 0.0), 1.0)
        weight *= 1 + (corpus.profile.weight - 1) * little

    values: list[float] = []
    day = _asks_for_a_day(query, candidates, asked)
    exact = IDENTIFIER + max(weight - VECTOR_HIGH, 0.0)
    extras = _extras(query, candidates, weights, corpus, day=day, identifier=exact)
    for place, extra in enumerate(extras):
        value = lexical[place] / best_lexical if best_lexical else 0.0
        share = TURN_VECTOR if candidates[place].turn else 1.0
        value += share * weight * max(z[place], 0.0) / max(best_z, MIN_BEST_Z)
        values.append(value + extra if value > 0 else 0.0)

    held = [weight / whole if whole else 0.0 for weight in present]
    matched = [value / ideal if ideal else 0.0 for value in lexical]
    first = _best_of_documents(candidates, values)
    evidence = _evidence(query, candidates, corpus, values, held, matched, first)
    evidence = replace(evidence, absent=_absent(query, corpus, asked), terms=len(asked))
    return Weighed(values, held, z, evidence, asked, first[:FIRST])


def as_read(
    query: Query,
    candidates: Sequence[Candidate],
    weighed: Weighed,
    text: Callable[[str], str],
) -> Evidence:
    """Add to what speaks for a query what stands in the texts of the first documents."""
    parts = parts_of(query, weighed.asked)
    found = []
    for place in weighed.first:
        there = set(candidates[place].counts)
        there.update(*(query.forms[form] for form in there & query.forms.keys()))
        found.append(read_closely(parts, text(candidates[place].key), there=there))
    return replace(
        weighed.evidence,
        passage=max(read.passage for read in found),
        sentence=max(read.sentence for read in found),
        first_sentence=found[0].sentence,
    )


def _best_of_documents(candidates: Sequence[Candidate], values: Sequence[float]) -> list[int]:
    """Return the best candidate of each document, the best document first."""
    best: dict[str, int] = {}
    for place in sorted(range(len(values)), key=lambda place: -values[place]):
        best.setdefault(candidates[place].group, place)
    return list(best.values())


def _evidence(
    query: Query,
    candidates: Sequence[Candidate],
    corpus: Corpus,
    values: Sequence[float],
    held: Sequence[float],
    matched: Sequence[float],
    places: Sequence[int],
) -> Evidence:
    """Gather what speaks for the query as a whole: from its first documents, each by its best chunk."""
    fullest = max(places[:FIRST], key=lambda place: held[place])
    top = values[places[0]] or 1.0
    eleventh = values[places[min(TENTH, len(places) - 1)]]
    cosines = [candidate.cosine for candidate in candidates if candidate.cosine is not None]
    return Evidence(
        covered=min(held[fullest], 1.0),
        ahead=_ahead([values[place] for place in places]),
        above_tenth=1 - eleventh / top,
        matched=matched[fullest],
        beside=_beside(candidates, corpus, candidates[fullest].group),
        near=nearness(
            max(cosines),
            mean=corpus.cosine_mean,
            chunks=corpus.chunks,
            trust=corpus.trust,
            profile=corpus.profile,
        )
        if cosines
        else 0.0,
        sentences=corpus.profile is not None and not corpus.profile.centred,
        chunks=corpus.chunks,
        of_day=any(candidates[places[0]].counts.get(term) for term in query.forms if is_day(term)),
        writing=query.writing,
        spoken=bool(candidates[places[0]].speaker),
        talk=query.talk,
    )


def _ahead(values: Sequence[float]) -> float:
    """Tell how far the first of some ordered values is ahead of the second, as a share of itself."""
    if values[0] <= 0:
        return 0.0
    return 1 - (values[1] / values[0] if len(values) > 1 else 0.0)


def _beside(candidates: Sequence[Candidate], corpus: Corpus, group: str) -> float:
    """Tell how many deviations above the mean the document lies by meaning that words speak for."""
    found = zip(candidates, deviations(candidates, corpus), strict=True)
    known = corpus.trust * known_language(corpus.cosine_mean, profile=corpus.profile)
    return known * max(max(z for item, z in found if item.group == group), 0.0)


def _absent(query: Query, corpus: Corpus, asked: Mapping[str, float]) -> float:
    """Tell which share of the things that are asked for stands nowhere, in any form."""
    there = {
        term for form, terms in query.forms.items() if corpus.frequency.get(form) for term in terms
    }
    gone = sum(1 for term in asked if not corpus.frequency.get(term) and term not in there)
    return gone / max(len(asked), 1)


def _extras(
    query: Query,
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
    corpus: Corpus,
    *,
    day: bool,
    identifier: float,
) -> list[float]:
    named = {term for term in query.identifiers if not is_day(term)}
    exact = [
        (bonus, {term: weights[term] for term in terms if corpus.frequency.get(term)})
        for bonus, terms in ((identifier, named), (NUMBER, query.numbers))
    ]
    exact = [item for item in exact if item[1]]
    named = _named_speakers(query, candidates)
    newest = max((candidate.date for candidate in candidates if candidate.date), default=None)
    extras: list[float] = []
    for candidate in candidates:
        extra = SPEAKER if candidate.speaker and candidate.speaker in named else 0.0
        for bonus, some in exact:
            there = sum([weight for term, weight in some.items() if candidate.counts.get(term)])
            extra += bonus * there / sum(some.values()) if there else 0.0
        if day and _of_day(query, candidate):
            extra += identifier
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


def _asks_for_a_day(
    query: Query, candidates: Sequence[Candidate], asked: Mapping[str, float]
) -> bool:
    """Tell whether a query is about what was on a day: nothing that is not of the day says much of the rest.

    Of a conversation much is said of a day on another one.
    """
    days = [form for form in query.forms if is_day(form)]
    if not days:
        return False
    if not query.identifiers.isdisjoint(days):
        return True
    of_day = [candidate for candidate in candidates if _of_day(query, candidate)]
    if not of_day or any(candidate.speaker for candidate in of_day):
        return False
    said = {term for day in days for term in query.forms[day]}
    rest = {term: weight for term, weight in asked.items() if term not in said}
    whole = sum(rest.values())
    return not any(
        sum(rest[term] for term in _said(query, candidate) & rest.keys()) >= REST_SAID * whole
        for candidate in candidates
        if not _of_day(query, candidate)
    )


def _of_day(query: Query, candidate: Candidate) -> bool:
    return any(
        count and is_day(term) and term in query.forms for term, count in candidate.counts.items()
    )


def _named_speakers(query: Query, candidates: Sequence[Candidate]) -> set[str]:
    """Find the one speaker whom the query names; two of them tell nothing apart."""
    speakers = {candidate.speaker for candidate in candidates if candidate.speaker}
    named = {speaker for speaker in speakers if query.words.intersection(words(speaker))}
    return named if len(named) == 1 else set()


def _same_day(asked: tuple[int | None, int | None, int | None], date: tuple[int, int, int]) -> bool:
    return all(want is None or want == have for want, have in zip(asked, date, strict=True))


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
