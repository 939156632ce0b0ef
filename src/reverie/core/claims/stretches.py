"""Stretches: how the words of two claims differ, and what kind of value a stretch of them is."""

from __future__ import annotations

import re
from typing import Final

from reverie.core.claims.attributes import CLOCK, DAYS, NUMBERS, SPANS, TIMES, TIMES_UNSPACED
from reverie.core.claims.statement import is_unspaced, joined
from reverie.core.claims.wording import QUALIFIERS, same_word
from reverie.core.text.value_words import NEGATIONS

MOST_VALUE_WORDS: Final = 8
_OFTEN: Final = frozenset(["once", "twice", "every", "each"])
"""`once a month` is no day."""
_FIGURE: Final = re.compile(r"\W?v?\d")  # `S3` is a name
NOT: Final = NEGATIONS - {"mai", "ni"}  # months and other words of other languages


def is_qualified(*stretches: list[str]) -> bool:
    """Tell whether a value comes with what it holds for: `React in the admin` is not all of `Vue`."""
    return any(not QUALIFIERS.isdisjoint(stretch[1:]) for stretch in stretches)


def is_time(said: list[str]) -> bool:
    """Tell whether a stretch names a time or a figure."""
    return any(is_number(word) or word in TIMES for word in said) or bool(
        TIMES_UNSPACED.search(joined(said))
    )


def of_one_kind(one: list[str], two: list[str]) -> bool:
    """Tell whether two values can be of one kind: times and others, days and hours are not."""
    if is_time(one) != is_time(two) or (one[0] in _OFTEN) != (two[0] in _OFTEN):
        return False
    kinds = [{_time_kind(word) for word in said} - {""} for said in (one, two)]
    if kinds[0] and kinds[1] and not kinds[0] & kinds[1]:
        return False
    heads = one[0], two[0]
    if is_time(one) or not QUALIFIERS.issuperset(heads):
        return True
    return heads[0] == heads[1]


def _time_kind(word: str) -> str:
    """Tell a day from an hour; a bare number can be either."""
    if word in DAYS:
        return "day"
    return "hour" if ":" in word or CLOCK.fullmatch(word) else ""


def is_number(word: str) -> bool:
    """Tell whether a word is a number."""
    return word in NUMBERS or bool(_FIGURE.match(word))


def holds_unspaced(said: list[str]) -> bool:
    """Tell whether words are letters of a script that puts no spaces between words."""
    return any(is_unspaced(word) for word in said)


def is_span(said: list[str]) -> bool:
    """Tell whether a stretch names a span of time that holds beside others: weekends, winter."""
    return bool(SPANS.search(joined(said)))


def apart(one: list[str], two: list[str]) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return what two claims share first, what each has of its own, and what they share last."""
    shorter = min(len(one), len(two))
    start = next((at for at in range(shorter) if one[at] != two[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if one[-1 - at] != two[-1 - at]), rest)
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
