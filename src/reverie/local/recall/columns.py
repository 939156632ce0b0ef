"""The scores of `core.topics.scoring`, for many topics at once: columns in place of single numbers.

Rules:

* The same numbers to the last bit: each step is the one that `scoring` takes, in the same order.
* What decides is which terms a topic holds and whether it is called so. Thousands of topics share few such
  kinds, and each kind is judged once.
* Only for a process that has loaded numpy: to load it takes longer than to do without it for a while.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reverie.core.topics import scoring
from reverie.local.recall.word_bytes import Torn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any, TypeAlias

    Numbers: TypeAlias = np.ndarray[Any, np.dtype[Any]]

__all__ = ["best", "lengths", "rows_of"]


def rows_of(stored: memoryview, size: int, fresh: Mapping[int, Sequence[int]]) -> Numbers:
    """Return where a term stands, a row for each topic: its number, then name, description and body."""
    rows = np.frombuffer(stored, np.uint32).reshape(-1, 4)
    if len(rows) and rows[:, 0].max() >= size:  # as `WordFile.numbers` does
        raise Torn
    if not fresh:
        return rows
    return np.concatenate([rows, np.array([(at, *fresh[at]) for at in fresh], np.uint32)])


def lengths(stored: memoryview, each: Mapping[int, Sequence[int]], places: Numbers) -> Numbers:
    """Return how long name, description and body of topics are: as stored, and of others from `each`."""
    known = np.frombuffer(stored, np.uint32).reshape(-1, 3)
    found = np.zeros((len(places), 3))
    is_stored = places < len(known)
    found[is_stored] = known[places[is_stored]]
    for at in np.flatnonzero(~is_stored).tolist():
        found[at] = each[int(places[at])]
    return found


def best(
    question: scoring.Question,
    terms: Mapping[str, Numbers],
    *,
    dead: Collection[int],
    lengths: Callable[[Numbers], Numbers],
    totals: Sequence[int],
    size: int,
) -> list[tuple[int, float, frozenset[str]]]:
    """Return the topics that a question is about: number, score, and which of its terms they hold.

    Args:
        question: What is asked.
        terms: For each of its terms, in its order, the rows of the topics that hold it.
        dead: Topics that do not count.
        lengths: Gives for topics how long name, description and body are.
        totals: These lengths added up over all topics.
        size: How many topics there are.
    """
    room = 1 + max((int(rows[:, 0].max()) for rows in terms.values() if len(rows)), default=-1)
    alive = np.ones(room, np.bool_)
    gone = np.fromiter(dead, np.intp, len(dead))
    alive[gone[gone < room]] = False
    frequency = {term: int(alive[rows[:, 0]].sum()) for term, rows in terms.items()}
    frequency = {term: count for term, count in frequency.items() if count}
    places, kinds, holding = _kinds(question, terms, frequency, alive, size)
    is_enough = question.evidence.enough(frequency, size)
    enough = [is_enough(held) for held in holding]
    chosen = np.array(enough, np.bool_)[kinds] if len(kinds) else np.zeros(0, np.bool_)
    places, kinds = places[chosen], kinds[chosen]
    if not len(places):
        return []
    asked = {term: terms[term] for term in frequency}
    scores = _scores(question, asked, places, room, frequency, lengths(places), totals, size)
    covered = [
        scoring.covered(held, question.asked, question.total) if good else 0.0
        for held, good in zip(holding, enough, strict=True)
    ]
    scores *= np.array(covered)[kinds]
    kept = scores >= scores.max() * scoring.KEEP_SHARE
    matched = [frozenset(held) for held in holding]
    return [
        (place, score, matched[kind])
        for place, score, kind in zip(
            places[kept].tolist(), scores[kept].tolist(), kinds[kept].tolist(), strict=True
        )
    ]


def _kinds(
    question: scoring.Question,
    terms: Mapping[str, Numbers],
    frequency: Mapping[str, int],
    alive: Numbers,
    size: int,
) -> tuple[Numbers, Numbers, list[dict[str, tuple[int, int, int]]]]:
    """Sort the topics that may be meant by what they hold: topics, the kind of each, and what kinds hold."""
    weak = scoring.negligible(question, frequency, size)
    wanted = np.zeros(len(alive), np.bool_)
    for term in frequency:
        if term not in weak:
            wanted[terms[term][:, 0]] = True
    places = np.flatnonzero(wanted & alive)
    at = _places_in(places, len(alive))
    kinds = np.zeros(len(places), np.intp)
    steps: list[list[int]] = []
    """For each term the kinds there are with it: three times the kind before, and how it is held."""
    many = 1
    for term in frequency:
        rows = terms[term]
        here = at[rows[:, 0]]
        known = here >= 0
        here, rows = here[known], rows[known]
        kinds *= 3
        kinds[here] += 1 + ((rows[:, 1] | rows[:, 2]) != 0)
        there = np.flatnonzero(np.bincount(kinds, minlength=3 * many))
        numbers = np.zeros(3 * many, np.intp)
        numbers[there] = np.arange(len(there))
        kinds, many = numbers[kinds], len(there)
        steps.append(there.tolist())
    names = list(frequency)
    return places, kinds, [_held(kind, steps, names) for kind in range(many)]


def _held(
    kind: int, steps: Sequence[Sequence[int]], names: Sequence[str]
) -> dict[str, tuple[int, int, int]]:
    """Return what the topics of a kind hold, and whether they are called so."""
    held: list[tuple[str, tuple[int, int, int]]] = []
    for step, name in zip(reversed(steps), reversed(names), strict=True):
        kind, how = divmod(step[kind], 3)
        if how:
            held.append((name, (how - 1, 0, 0)))
    return dict(reversed(held))


def _scores(
    question: scoring.Question,
    terms: Mapping[str, Numbers],
    places: Numbers,
    room: int,
    frequency: Mapping[str, int],
    lengths: Numbers,
    totals: Sequence[int],
    size: int,
) -> Numbers:
    average = np.array([max(value / size, 1.0) for value in totals])
    norms = 1 - scoring.B + scoring.B * lengths / average
    at = _places_in(places, room)
    scores = np.zeros(len(places))
    for term, rows in terms.items():
        here = at[rows[:, 0]]
        known = here >= 0
        here, rows = here[known], rows[known]
        strength = np.zeros(len(here))
        for field, weight in enumerate(scoring.WEIGHTS):
            strength += weight * rows[:, 1 + field] / norms[here, field]
        weight = question.asked[term] * scoring.rarity(frequency[term], size)
        scores[here] += weight * strength * (scoring.K1 + 1) / (strength + scoring.K1)
    return scores


def _places_in(places: Numbers, room: int) -> Numbers:
    """Return where each number stands in a list of numbers, -1 where it does not."""
    at = np.full(room, -1, np.intp)
    at[places] = np.arange(len(places))
    return at
