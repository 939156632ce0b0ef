"""Telling: whether a sentence that tells of a change is about what an old claim says.

Rules

* `We replaced X with Y` ends what says only that X is used, or that something of ours is X; said of one
  use, it ends that use. Whatever else was said about X stays.
* `T was raised to Y` ends what gives T a value of the same kind, and says nothing else.
* `S moved to Y` ends what says where or when S is.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from reverie.core.claims.attributes import (
    GROWING,
    LEFT,
    LIVES,
    PERSONS,
    PERSONS_UNSPACED,
    PLACES,
    RELATIONS,
    STATES,
    TIMES,
    TOOLS,
    USE_FORMS,
    USES,
)
from reverie.core.claims.claim import Claim, content
from reverie.core.claims.sorts import are_rivals
from reverie.core.claims.statement import is_unspaced
from reverie.core.claims.stretches import (
    MOST_VALUE_WORDS,
    NOT,
    apart,
    apart_from,
    cut,
    holds,
    is_number,
    is_qualified,
    is_span,
    is_time,
    of_one_kind,
    place_of,
    same_words,
)
from reverie.core.claims.wording import (
    COPULAS,
    GERUNDS,
    POSSESSIVES,
    QUALIFIERS,
    SUBJECTS,
    VERBS,
    same_word,
)
from reverie.core.phrases.tools import kind_of

if TYPE_CHECKING:
    from reverie.core.claims.events import Told

_OWNERS: Final = {
    "i": "my", "we": "our", "ich": "mein", "wir": "unser", "je": "mon", "nous": "notre", "я": "мой",
    "мы": "наш", "io": "mio", "noi": "nostro", "yo": "mi", "nos": "nuestro", "ik": "mijn", "they": "their",
    "he": "his", "she": "her", "我": "我", "我们": "我",
}  # fmt: skip


_ALSO: Final = {
    "we": ("i",),
    "wir": ("ich",),
    "nous": ("je",),
    "мы": ("я",),
    "wij": ("ik",),
    "on": ("je",),
}
"""Who moved when somebody and others did."""


def used_claims(before: Claim, event: Told) -> tuple[list[str], Claim] | None:
    """Write `we switched to Y` as `we use Y`, and the words of an old claim to compare with it."""
    value, about = cut(content(event.value))
    # `We moved to pnpm` may say what is used, if it does not say where somebody lives.
    subject, old = content(event.subject or event.theme), before.words
    if event.kind == "went" and (
        len(subject) != 1 or subject[0] not in SUBJECTS or "use" not in old
    ):
        return None
    if len(old) > 4 and old[-3] == "as" and old[-2] in POSSESSIVES:
        old = old[:-3]  # `as my editor`
    if subject and is_unspaced(subject[0]):
        return None
    if subject:
        old = ["use" if word in USE_FORMS else word for word in old]
    uses = [*subject, "use"] if subject else [word for word in old[:1] if word in USE_FORMS]
    for verb in (["is", "on"], ["run"], ["run", "on"]):  # `we are on Java 11`
        if subject and old[len(subject) : len(subject) + len(verb)] == verb:
            uses = [*subject, *verb]
    return (old, Claim([*uses, *value, *about], changed=True)) if uses else None


def tells_of_change(before: Claim, event: Told, names: frozenset[str]) -> bool:
    """Judge an old claim by a change that a sentence tells."""
    value, about = cut(content(event.value))
    subject, theme = content(event.subject), content(event.theme)
    old = before.words
    if before.event:  # it tells of a change itself: what holds since then
        old = [*content(before.event.subject or before.event.theme), *content(before.event.value)]
    if event.kind == "used":
        return (
            bool(subject)
            and is_unspaced(subject[0])
            and _is_set(old, subject, value, names, between=USES)
        )
    if (
        event.kind in ("set", "went")
        and theme
        and _ANY.search(f" {before.definite}"[: 1 + before.definite.find(theme[0])])
    ):
        return False  # `an office` is not `the office`
    if event.kind == "set":
        return _is_set(old, theme, [*value, *about], names, between=STATES | VERBS)
    if event.kind == "went":
        if len(theme) == 1 and old[0] in _ALSO.get(theme[0], ()):
            theme = old[:1]  # we moved, and so did I
        person = (
            not theme or theme[0] in SUBJECTS or PERSONS.intersection(theme) or _is_person(theme)
        )
        if person and not _is_home(old, value, names):
            return False
        if person and old[-1].isalpha() and value[-1] in names and old[-1] not in names:
            return False  # `on the Growth team`
        between = STATES | VERBS if is_time(value) else LIVES if person else LIVES | PLACES
        return _is_set(old, theme, [*value, *about], names, between=between, placed=True)
    former, more = cut(content(event.former))
    if len(former) > 1 and former[0] in _OWNERS.values() and not holds(old, former):
        former = former[1:]  # `my old Honda`
    if all(word in POSSESSIVES for word in former) or not holds(old, former):
        return False
    if event.kind == "dropped" and subject and {*subject, *LEFT} >= set(apart_from(old, former)):
        return True
    units = [word for word in value if word in apart_from(old, former)]
    said = [*subject, *theme, *about, *more, *units]
    return is_replaced(old, former, said, moved=event.kind == "moved")


_ANY: Final = re.compile(r" (?:an?|eine?[nmr]?|une?|una|um|uma|een|another) \Z")


def _is_person(theme: list[str]) -> bool:
    """Tell whether a theme names somebody, in a script without spaces."""
    said = "".join(theme)
    return said in _PRONOUNS or bool(is_unspaced(theme[0]) and PERSONS_UNSPACED.search(said))


_PRONOUNS: Final = frozenset(
    ["我", "我们", "你", "他", "她", "私", "僕", "저", "저희", "제", "나", "우리"]
)


def _is_home(old: list[str], value: list[str], names: frozenset[str]) -> bool:
    """Tell whether somebody moved to a place, from where the old claim says that they live."""
    if is_time(value):
        return True
    if kind_of(" ".join(value)):
        return False  # `I moved to Zed`
    if (
        not is_unspaced(value[0])
        and not any(word in names for word in value)
        and value[0].isascii()
    ):
        return len(value) > 1  # `to the ground floor`, not `to pnpm`
    if any("\u3040" <= char <= "\u9fff" for word in old for char in word):
        return bool({"住", "살"} & set("".join(old)))
    return not any(word[-1] in "을를" for word in old)


def is_replaced(old: list[str], former: list[str], said: list[str], *, moved: bool = False) -> bool:
    """Tell whether an old claim says of a subject only that it has, or uses, the value that went.

    Args:
        moved: It says of the subject that it moved, so nothing is said of what else is in that place.
    """
    rest = apart_from(old, former)
    if (
        not rest
        or NOT.intersection(rest)
        or PERSONS.intersection(rest) ^ PERSONS.intersection(said)
    ):
        return False
    said = [GERUNDS.get(word, word) for word in said]
    told = set(said)
    subject = said[0] if said and (said[0] in SUBJECTS or said[0] == rest[0]) else ""
    little = (SUBJECTS, STATES, QUALIFIERS, VERBS, POSSESSIVES)
    themed = [word for word in said if not any(word in words for words in little)]
    if any(word not in rest for word in themed):
        return False  # it is about something else
    mine = {subject, _OWNERS.get(subject, "")}
    owners = {word for word in rest if word in SUBJECTS or word in _OWNERS.values()}
    if subject and owners and not owners & mine:
        return False
    left = [word for word in rest if not (word in told or word in mine or word in STATES)]
    if not subject and themed and rest[0] in ("we", "i", "wir", "ich"):
        left = [word for word in left if word != rest[0]]  # `images are stored`, by us
    if not left:
        return bool(subject) or bool(set(themed) & set(rest)) or not themed
    at = place_of(old, former)
    if not said:  # `X was replaced by Y`: whoever or whatever was X
        used = old[at - 1] in COPULAS or old[at - 1] in USE_FORMS
        by_it = old[at - 1] in TOOLS and not COPULAS.isdisjoint(old[:at])  # `is done with X`
        return (used or by_it) and at + len(former) == len(old)
    if not subject:
        return False
    linked = old[at - 1]
    if moved and linked not in COPULAS and linked not in USES - QUALIFIERS:
        return False
    # Replaced as such, it is replaced for all it was used for; `for search` would say that it is not.
    if linked in TOOLS and not moved:
        return True  # whatever it was done with
    owned = {two for one, two in pairwise(rest) if one in POSSESSIVES}
    acts = [word for word in left if _is_act(word) and word not in owned]
    return any(word in USES for word in rest) and not acts


def _is_act(word: str) -> bool:
    """Tell whether a word is a verb that says more than that something is there, or used."""
    return (word in VERBS or word in RELATIONS or word in GROWING) and word not in USES


def _is_set(
    old: list[str],
    theme: list[str],
    value: list[str],
    names: frozenset[str],
    *,
    between: frozenset[str],
    placed: bool = False,
) -> bool:
    """Tell whether an old claim gives a value to what a sentence says was set to another.

    Args:
        between: Words that may stand between the subject and its value.
        placed: One of them must tell where, unless the value is a time.
    """
    at = next((at for at in range(len(old)) if same_words(old[at : at + len(theme)], theme)), -1)
    if at < 0 or (not theme and old[0] not in LIVES - QUALIFIERS):
        return False
    first, rest = old[:at], old[at + len(theme) :]
    ours = len(first) == 1 and first[0] in _OWNERS.values() and not POSSESSIVES.keys() & set(theme)
    if first and not ours and not (len(first) <= 2 and first[0] in SUBJECTS):
        return False
    end = len(rest)
    while end and rest[end - 1] in between and not rest[end - 1].isascii():
        end -= 1  # a verb at the end
    start = 0
    while start < end and (rest[start] in between or rest[start] in QUALIFIERS):
        start += 1
    linked, had = [*rest[:start], *rest[end:]], rest[start:end]
    if (
        not had
        or value[0] in VERBS
        or had == value
        or len(had) > MOST_VALUE_WORDS
        or NOT.intersection(had)
    ):
        return False
    if not of_one_kind(had, value) or is_span(had) or is_span(value):
        return False
    if not are_rivals(had, value, names):
        return False
    if is_number(value[0]) and not any(map(is_number, had[:2])):
        return False
    if had[0].isalpha() and is_number(value[0]) and is_number(had[-1]) and had[0] not in TIMES:
        return False  # `users 1000` says of what
    if not COPULAS.isdisjoint(had):
        return False  # it is about a part of that only
    where = (LIVES | PLACES) - COPULAS
    if placed and not is_time(value) and not where.intersection(linked):
        return False  # `the office is large` says nothing about where it is
    if not linked and not is_time(value):
        return False
    _, here, there, _ = apart(had, value)
    return bool(here and there) and not is_qualified(here, there)


_AMOUNTS: Final = frozenset(
    ["day", "week", "month", "year", "daily", "every", "tag", "jour", "día"]
)


def ends(gone: list[str], old: list[str]) -> bool:
    """Tell whether the end of one claim is the end of another: of the same, or of one that says more.

    `We no longer use A` ends `We use A for search`; `... on Fridays` does not end `We use A`.
    """
    if gone == old:
        return True
    if len(gone) == 2 and gone == old[:2] and gone[0] not in SUBJECTS and old[2] in QUALIFIERS:
        return True  # `passwords no longer expire`
    if len(gone) < 3 or gone[0] != old[0] or NOT.intersection(old):
        return sorted(gone) == sorted(old) and len(gone) > 2 and bool(COPULAS.intersection(gone))
    at = 0
    for word in gone:
        while at < len(old) and not same_word(old[at], word):
            at += 1
        if at == len(old):
            return False
        at += 1
    following = old[at] if at < len(old) else ""
    unspaced = not gone[-1].isascii() or not following.isascii()
    return (
        not following
        or following in QUALIFIERS
        or following in _AMOUNTS
        or (unspaced and following in "做来进行部署する沟聊写管测跑")
    )
