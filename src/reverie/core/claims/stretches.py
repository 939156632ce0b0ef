"""Stretches: how the words of two claims differ, and what kind of value a stretch of them is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reverie.core.claims.attributes import (
    CLOCK,
    DAYS,
    MEASURES,
    NUMBERS,
    ONE_VALUE,
    ONE_VALUE_AFTER,
    RELATIONS,
    SPANS,
    SUBJECT_ENDINGS,
    TIMES,
    TIMES_UNSPACED,
    TOPIC_MARKS,
)
from reverie.core.claims.statement import MOST_KEPT, is_unspaced, joined
from reverie.core.claims.wording import CLAUSES, COPULAS, QUALIFIERS, SUBJECTS, VERBS, same_word
from reverie.core.text.value_words import NEGATIONS

MOST_VALUE_WORDS: Final = 8
_OFTEN: Final = frozenset(["once", "twice", "every", "each"])
"""`once a month` is no day."""
_FIGURE: Final = re.compile(r"\W?v?\d")  # `S3` is a name
LINKING: Final = COPULAS | VERBS | RELATIONS
NOT: Final = NEGATIONS - {"mai", "ni"}  # months and other words of other languages


def is_qualified(*stretches: list[str]) -> bool:
    """Tell whether a value comes with what it holds for: `React in the admin` is not all of `Vue`."""
    return any(not QUALIFIERS.isdisjoint(stretch[1:]) for stretch in stretches)


def is_time(said: Sequence[str]) -> bool:
    """Tell whether a stretch names a time or a figure."""
    return any(is_number(word) or word in TIMES for word in said) or bool(
        TIMES_UNSPACED.search(joined(said))
    )


def of_one_kind(one: list[str], two: list[str]) -> bool:
    """Tell whether two values can be of one kind: times and others, days and hours are not."""
    if (one[0] in _OFTEN) != (two[0] in _OFTEN):
        return False
    (timed, kinds), (also, others) = _times(tuple(one)), _times(tuple(two))
    if timed != also:
        return False
    if kinds and others and not kinds & others:
        return False
    heads = one[0], two[0]
    if timed or not QUALIFIERS.issuperset(heads):
        return True
    return heads[0] == heads[1]


@lru_cache(maxsize=MOST_KEPT)
def _times(said: tuple[str, ...]) -> tuple[bool, frozenset[str]]:
    """Tell whether a stretch names a time or a figure, and of which kinds its times are."""
    return is_time(said), frozenset(filter(None, map(_time_kind, said)))


def _time_kind(word: str) -> str:
    """Tell a day from an hour; a bare number can be either."""
    if word in DAYS:
        return "day"
    return "hour" if ":" in word or CLOCK.fullmatch(word) else ""


def is_number(word: str) -> bool:
    """Tell whether a word is a number."""
    return word in NUMBERS or bool(_FIGURE.match(word))


def holds_unspaced(said: Sequence[str]) -> bool:
    """Tell whether words are letters of a script that puts no spaces between words."""
    return any(is_unspaced(word) for word in said)


def is_span(said: Sequence[str]) -> bool:
    """Tell whether a stretch names a span of time that holds beside others: weekends, winter."""
    return bool(SPANS.search(joined(said)))


def are_days(said: Sequence[str]) -> bool:
    """Tell whether a stretch is days alone, or a day and an hour: `Mondays and Fridays`, `Monday at 6`."""
    little = CLAUSES | QUALIFIERS
    return said[0] in DAYS and all(
        word in DAYS or is_number(word) or word in little for word in said
    )


def apart(one: list[str], two: list[str]) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return what two claims share first, what each has of its own, and what they share last."""
    shorter = min(len(one), len(two))
    start = end = 0
    while start < shorter and one[start] == two[start]:
        start += 1
    while end < shorter - start and one[-1 - end] == two[-1 - end]:
        end += 1
    return (
        one[:start],
        one[start : len(one) - end],
        two[start : len(two) - end],
        one[len(one) - end :],
    )


def place_of(words: list[str], part: list[str]) -> int:
    """Return where a part stands; -1 when it does not."""
    places = range(len(words) - len(part) + 1)
    return next((at for at in places if same_words(words[at : at + len(part)], part)), -1)


def apart_from(words: list[str], part: list[str]) -> list[str]:
    """Return the words around a part that they hold."""
    at = place_of(words, part)
    return words[:at] + words[at + len(part) :]


def same_words(one: list[str], two: list[str]) -> bool:
    """Tell whether words are the same but for their cases."""
    return len(one) == len(two) and all(map(same_word, one, two))


def holds(words: list[str], part: list[str]) -> bool:
    """Tell whether a part stands in words, in its order."""
    return place_of(words, part) >= 0


@dataclass(frozen=True, slots=True)
class Around:
    """What two claims share before and after the stretch that differs."""

    one_value: bool
    """Such words give one value at a time,"""
    one_value_after: bool
    """and those that come last say so."""
    is_measured: bool
    """They say of what a figure is the measure."""
    names_whole_subject: bool
    """The subject is named before the stretch, so that this is what is said of it."""
    is_before_a_verb: bool
    is_last: bool
    may_be_numbered: bool
    """A number after them can tell which one of several is meant."""


@lru_cache(maxsize=MOST_KEPT)
def around_of(shared: tuple[str, ...], rest: tuple[str, ...]) -> Around:
    """Read what two claims share: many pairs of them share the same."""
    lead, tail = joined(shared), joined(rest)
    before_it = joined(
        shared[:-1]
    )  # `runs on Python 3.13`: the figure belongs to one word before it
    after = bool(ONE_VALUE_AFTER.search(tail))
    measures = bool(MEASURES.search(lead))
    return Around(
        one_value=bool(ONE_VALUE.search(lead)) or after,
        one_value_after=after,
        is_measured=measures or bool(MEASURES.search(before_it) or ONE_VALUE.search(before_it)),
        names_whole_subject=bool(shared)
        and (shared[0] in SUBJECTS or not LINKING.isdisjoint(shared) or is_marked(shared)),
        is_before_a_verb=not LINKING.isdisjoint(rest[:1]),
        is_last=not rest,
        may_be_numbered=QUALIFIERS.isdisjoint(shared) and not (holds_unspaced(shared) or measures),
    )


def is_marked(shared: Sequence[str]) -> bool:
    """Tell whether the subject is named and marked as such, so that whatever follows is said of it."""
    return bool(TOPIC_MARKS.intersection(shared)) or any(
        word[-1] in SUBJECT_ENDINGS for word in shared
    )


def differ_twice(here: list[str], there: list[str]) -> bool:
    """Tell whether two stretches hold a number or a day and something else: `Netflix 12`, `Spotify 10`."""
    return all(
        is_time(said)
        and any(
            not (is_time([word]) or word in DAYS or word in QUALIFIERS or word in CLAUSES)
            and not (at and is_number(said[at - 1]))
            for at, word in enumerate(said)
        )
        for said in (here, there)
    )


def names_whose(said: list[str], rest: list[str]) -> bool:
    """Tell whether a stretch holds a word that is marked as the subject: then it is of another one."""
    if not TOPIC_MARKS.isdisjoint(said):
        return True
    inner = said if rest else said[:-1]
    return any(len(word) > 1 and word[-1] in SUBJECT_ENDINGS for word in inner)


def cut(said: list[str]) -> tuple[list[str], list[str]]:
    """Split a value from what it is for."""
    at = next((at for at in range(1, len(said)) if said[at] in QUALIFIERS), len(said))
    return said[:at], said[at:]
