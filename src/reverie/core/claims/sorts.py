"""Sorts: what a value can be, so that only two answers to one question are taken for them.

Rules

* `stressful`, `to fix bugs` and `nurse` all follow `my job is`; only the last one says what it is. A question
  takes values of one sort: a job, a person's name, a town, money, a version.
* Two values can take each other's place only if they can be of one sort: a name and a name, a tool of a kind
  and another one of that kind, two colours. How something is takes nobody's place.
* What cannot be told, as it is written in small letters and not listed, is no value of a sort.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from reverie.core.claims.attributes import ADJECTIVES, CHOSEN, COUNTRIES, DAYS, PERSONS, TIMES
from reverie.core.claims.loose_words import UNIT_KINDS, UNITS
from reverie.core.claims.statement import MOST_KEPT, joined
from reverie.core.claims.stretches import NOT, holds_unspaced, is_number, is_span, is_time
from reverie.core.claims.wording import (
    ARTICLES,
    CLAUSES,
    COPULAS,
    MODALS,
    POSSESSIVES,
    POSTS_BY_ONE_NAME,
    QUALIFIERS,
    SUBJECTS,
    TITLES,
)
from reverie.core.phrases.tools import is_tool, kind_of, only_kind_of
from reverie.core.phrases.values import (
    BESIDE,
    COLOURS,
    JOBS,
    LEADING,
    LICENCES,
    MONEY,
    NOUNS,
    PEOPLE,
    PLACES_KNOWN,
    QUALITIES,
    RIDES,
    RUNNERS,
    STUDIED,
    TAKEN,
    TEAMS,
)
from reverie.core.text.plain import has_digit

MOST_NAME_WORDS: Final = 5
MOST_RIDE_WORDS: Final = 2
MOST_PLAIN_WORDS: Final = 2
_IN_NAMES: Final = frozenset(
    ["of", "de", "van", "von", "der", "den", "del", "la", "le", "al", "&", "st", "da", "dos"]
)
"""Small words inside a name: `Bank of America`, `Maria del Mar`."""
_NO_NAMES: Final = frozenset(
    ["asap", "eod", "i", "ok", "tbd", "tba", "wip", "n/a", "nobody", "everyone", "someone"]
)
_PLURAL: Final = re.compile(r"(?<=..)s\Z")
_UNIT_KINDS: Final = tuple({_PLURAL.sub("", unit) for unit in kind} for kind in UNIT_KINDS)
_UNIT_STEMS: Final = frozenset[str]().union(*_UNIT_KINDS)
_MOMENT_TEXT: Final = """
    noon midnight once twice every each daily weekly monthly hourly nightly week month day days hour"""
_MOMENTS: Final = DAYS | frozenset(_MOMENT_TEXT.split())
_OFTEN: Final = frozenset(["once", "twice", "every", "each", "per", "time", "times", "o'clock"])
_MARKS: Final = re.compile(r"[-'’]")
_ADDRESS: Final = re.compile(r"(?:https?://)?[\w-]{1,60}[./][\w./-]{2,120}|/[\w./-]{1,120}")
_BRANCHES: Final = frozenset(["main", "master", "develop", "trunk"])
_POSTS: Final = frozenset(["lead", "manager", "director", "officer", "engineer", "developer"])
"""What no name ends with: `Team Lead` is what somebody is."""


@lru_cache(maxsize=MOST_KEPT)
def sort_of(said: tuple[str, ...], names: frozenset[str]) -> str:
    """Tell of what sort a value is; nothing where it is written in small letters and not known."""
    if is_time(said):
        return "time"
    if all(word in STUDIED and word not in TEAMS for word in said):
        return "studied"
    kind = only_kind_of(joined(said))
    if kind and (said[-1] in names or len(said) == 1):
        return kind
    if said[0] in RUNNERS and (said[0] not in names or len(said) > 1):
        return "command"
    if joined(said) in COUNTRIES:
        return "country"
    if said[-1] in _BRANCHES or said[-1] == "branch":
        return "branch"
    if said[-1].startswith(("job-", "diet-", "taken-")):
        return said[-1].partition("-")[0]
    named = len(said) > 1 and said[-1] in names
    if (said[-1] in JOBS and not named) or LEADING.fullmatch(joined(said)):
        return "job"
    last = said[-1]
    if last in PLACES_KNOWN:
        return "place"
    if last in NOUNS:
        return ""
    if last in PERSONS:
        return "kin"
    if last in PEOPLE:
        return "people"
    for group in ADJECTIVES:
        if last in group:
            return min(group)
    if "/" in last or "@" in last or last[0] == "#":
        return last[0] if last[0] == "#" else "@" if "@" in last else "path"
    if any(word in names or not _MARKS.sub("", word).isalpha() for word in said):
        return "name"
    if last in _POSTS_NAMED and not _POSTS_NAMED[last].isdisjoint(names):
        return "name"
    return ""


_POSTS_NAMED: Final = {
    post: frozenset(form for form, one in POSTS_BY_ONE_NAME.items() if one == post)
    for post in POSTS_BY_ONE_NAME.values()
}
"""In German a post is written as a name is, and is compared in one form."""
_IS_NO_NAME_UNSPACED: Final = re.compile(
    r"(?:的|[^\W\d]人|\w\w中|休み|性|未定|大変|親切|無料|有料|元気|忙しい|楼|家|附近|旁边|里|公寓|宿舍|房子?"
    r"|地区|アパート|マンション|寮|近く|そば|一軒家)\Z|\A(?:个|一个|很|有|在)"
)
"""In a script without spaces: how something is, or near what."""
_ANY_NAME: Final = frozenset(["name", "place", "country"])
_NO_OTHER_TEXT: Final = "kin time people job path # @"
_NO_OTHER: Final = frozenset(_NO_OTHER_TEXT.split()) | {min(group) for group in ADJECTIVES}


def are_rivals(
    one: Sequence[str], two: Sequence[str], names: frozenset[str], *, of_a_noun: bool = False
) -> bool:
    """Tell whether two values can be of one sort, as far as that is known.

    Args:
        one: A value.
        two: Another one.
        names: What is written as a name.
        of_a_noun: A noun follows, so that how something is tells which one is meant: `dark mode`.
    """
    if holds_unspaced(one) or holds_unspaced(two):
        return not any(_IS_NO_NAME_UNSPACED.search(joined(said)) for said in (one, two))
    placed = [said[0] in QUALIFIERS and said[0] not in names for said in (one, two)]
    if placed[0] != placed[1] and not is_time(two):
        return False
    here, there = sort_of(tuple(one), names), sort_of(tuple(two), names)
    if one[-1].endswith("'s") != two[-1].endswith("'s") or not _count_alike(one, two, names):
        return False
    if here == there == "job" and not BESIDE.isdisjoint((*one, *two)):
        return False  # `a nurse`, `a good cook`
    if here == there == "name" and _head(one, names) != _head(two, names):
        return False  # `the Growth team`, `Pacific time`
    if here == there or all(word in STUDIED for word in (*one, *two)):
        return of_a_noun or bool(here and there) or (_can_be_told(one) and _can_be_told(two))
    if not here or not there or not _NO_OTHER.isdisjoint((here, there)):
        return False
    return not {"name", "command"}.isdisjoint((here, there)) or {here, there} <= _ANY_NAME


def can_be_rivals(
    shared: list[str], here: list[str], there: list[str], rest: list[str], names: frozenset[str]
) -> bool:
    """Tell whether two values of what two claims share can be of one sort; a favourite may be of any."""
    if not shared:  # the value comes first; in Turkish, a name is marked as such
        return ("'" in here[-1]) == ("'" in there[-1])
    known = {sort_of(tuple(said), names) for said in (here, there)} - {"", "name"}
    if not known and not CHOSEN.isdisjoint(shared) and shared[-1] in COPULAS:
        return can_answer(here, names) and can_answer(there, names)
    if rest == ["的"] or rest == ["人"]:
        return False
    of_a_noun = bool(rest) and rest[0] not in QUALIFIERS
    return are_rivals(here, there, names, of_a_noun=of_a_noun)


def _head(said: Sequence[str], names: frozenset[str]) -> str:
    """Return the noun that says what something of a name is."""
    last = said[-1]
    named = last in names or not (last.isalpha() and last.isascii()) or last in _POSTS_NAMED
    return "" if named else last


def _count_alike(one: Sequence[str], two: Sequence[str], names: frozenset[str]) -> bool:
    """Tell whether two figures can be of one thing: `12 characters` and `page 7` are not."""
    if not (is_time(one) and is_time(two)):
        return True
    if any(map(is_number, one)) != any(map(is_number, two)):
        return not _MOMENTS.isdisjoint((*one, *two))  # `at 5` and `at noon`, not `at night`
    here, there = (
        {_PLURAL.sub("", word) for word in said if _is_counted(word, names)} for said in (one, two)
    )
    if not here or not there:
        return here | there <= _UNIT_STEMS or len(here | there) == 1
    if not here.isdisjoint(there):
        return True
    if not (here | there <= _UNIT_STEMS):
        return False
    return any(not kind.isdisjoint(here) and not kind.isdisjoint(there) for kind in _UNIT_KINDS)


def _is_counted(word: str, names: frozenset[str]) -> bool:
    if word in UNITS:
        return True
    if not word.isalpha() or word in names or is_number(word) or word in _OFTEN:
        return False
    return not (word in TIMES - UNITS or word in DAYS or word in QUALIFIERS)


def _can_be_told(said: Sequence[str]) -> bool:
    """Tell whether small letters can name something: not how it is."""
    return QUALITIES.isdisjoint(said) and "'" not in said[-1]


def can_answer(said: Sequence[str], names: frozenset[str]) -> bool:
    """Tell whether words can say who or what: not how, when or where something is, nor a clause."""
    if not said or holds_unspaced(said):
        return True
    plain = [word for word in said if word not in names]
    if any(not group.isdisjoint(plain) for group in (NOT, CLAUSES, SUBJECTS, MODALS, QUALITIES)):
        return False
    return not (said[-1].endswith("'s") or (plain and said[0] == plain[0] in QUALIFIERS))


# --- what answers a question ----------------------------------------------------------------------


def fits(sort: str, said: Sequence[str], names: frozenset[str]) -> bool:
    """Tell whether words are a value of a sort, and nothing more: no scope, no clause, no list.

    Args:
        sort: What the question takes.
        said: The value, in the forms that are compared.
        names: What is written as a name where the value stands.
    """
    words = [word for word in said if word not in ARTICLES and word not in TITLES]
    if not words or len(words) > MOST_NAME_WORDS or is_span(words):
        return False
    plain = [word for word in words if word not in names]  # `MIT` is no German word
    if any(not group.isdisjoint(plain) for group in (NOT, CLAUSES, SUBJECTS, MODALS)):
        return False
    if words[0] in POSSESSIVES or words[-1].endswith("'s"):
        return False
    if sort not in _WITH_LITTLE and not QUALIFIERS.isdisjoint(plain):
        return False
    if sort.startswith("kind "):
        return kind_of(joined(words)) == sort[5:]
    return _CHECKS[sort](words, names)


def _is_name(words: list[str], names: frozenset[str]) -> bool:
    if not (DAYS | _NO_NAMES).isdisjoint(words) or words[-1] in PEOPLE:
        return False
    if words[-1] in _POSTS or (len(words) == 1 and words[0] in JOBS):
        return False
    known = (_IN_NAMES, _BRANCHES)
    written = all(
        word in names or is_tool(word) or any(word in group for group in known) for word in words
    )
    return written and (words[-1] in names or words[-1] not in _IN_NAMES)


def _is_person(words: list[str], names: frozenset[str]) -> bool:
    return _is_name(words, names) and not is_number(words[-1]) and not _is_known(words)


def _is_known(words: list[str]) -> bool:
    return bool(kind_of(joined(words))) or joined(words) in COUNTRIES


def _is_place(words: list[str], names: frozenset[str]) -> bool:
    return _is_name(words, names) and not kind_of(joined(words))


def _is_tool(words: list[str], names: frozenset[str]) -> bool:
    lower = (
        QUALITIES.isdisjoint(words)
        and len(words) <= MOST_PLAIN_WORDS
        and all(map(str.isalpha, words))
    )
    return lower or _is_name(words, names)


def _is_zone(words: list[str], names: frozenset[str]) -> bool:
    return all(word in names for word in words) and DAYS.isdisjoint(words)


def _is_car(words: list[str], names: frozenset[str]) -> bool:
    at = next((at for at, word in enumerate(words) if word not in COLOURS), len(words))
    return at < len(words) and _is_name(words[at:], names)


def _is_job(words: list[str], _: frozenset[str]) -> bool:
    if LEADING.fullmatch(joined(words)):
        return True
    if not BESIDE.isdisjoint(words) or not QUALIFIERS.isdisjoint(words):
        return False
    return words[-1] in JOBS


def _is_money(words: list[str], _: frozenset[str]) -> bool:
    first = words[0].lstrip("€$£")
    return is_number(first) and all(is_number(word) or word in MONEY for word in words[1:])


def _is_state(words: list[str], _: frozenset[str]) -> bool:
    return len(words) == 1 and (
        is_number(words[0]) or any(words[0] in group for group in ADJECTIVES)
    )


def _is_team(words: list[str], names: frozenset[str]) -> bool:
    return all(word in TEAMS for word in words) or _is_name(words, names)


_CHECKS: Final[dict[str, Callable[[list[str], frozenset[str]], bool]]] = {
    "name": _is_name,
    "person": _is_person,
    "tool": _is_tool,
    "zone": _is_zone,
    "place": _is_place,
    "car": _is_car,
    "job": _is_job,
    "money": _is_money,
    "state": _is_state,
    "team": _is_team,
    "when": lambda words, _: is_time(words) and QUALITIES.isdisjoint(words),
    "number": lambda words, _: is_number(words[0]) and len(words) == 1,
    "figure": lambda words, _: is_number(words[0]),
    "version": lambda words, _: len(words) == 1 and has_digit(words[0]),
    "span": lambda words, _: (
        words[-1] in UNIT_KINDS[0] and len(words) < 3 and all(map(is_number, words[:-1]))
    ),
    "address": lambda words, _: len(words) == 1 and bool(_ADDRESS.fullmatch(words[0])),
    "email": lambda words, _: len(words) == 1 and "@" in words[0],
    "channel": lambda words, _: len(words) == 1 and words[0][0] == "#",
    "ride": lambda words, _: words[-1] in RIDES and len(words) <= MOST_RIDE_WORDS,
    "studied": lambda words, _: all(word in STUDIED for word in words),
    "licence": lambda words, _: words[0] in LICENCES,
    "command": lambda words, _: words[0] in RUNNERS or words[0].startswith("./"),
    "language": lambda words, _: (
        words[-1] in PEOPLE or kind_of(joined(words)) == "programming language"
    ),
    "taken": lambda words, _: all(word in TAKEN or word in QUALIFIERS for word in words),
    "any": lambda _words, _names: True,
}
_WITH_LITTLE: Final = frozenset(["when", "taken", "any", "job"])
"""Sorts whose values have small words of their own: `on Monday at 9`, `with milk`."""
