"""Owners: whether two sentences are about the same people or thing, whatever words name them."""

from __future__ import annotations

import re
from typing import Final

from reverie.core.claims.attributes import PERSONS, PERSONS_UNSPACED, POST_NOUNS, RELATIONS
from reverie.core.claims.loose_words import (
    FIRST,
    FIRST_UNSPACED,
    FIRST_VERB,
    HOSTS,
    KIN_OF_MINE,
    KINDS,
    LITTLE,
    UNSPACED,
    alike,
    is_in,
    is_verb,
)
from reverie.core.claims.wording import POSSESSIVES, QUALIFIERS, SUBJECTS, VERBS


def same_ones(
    subject: list[str], theme: list[str], old: list[str], *, thing: bool, whole: bool = True
) -> bool:
    """Tell whether a turn is of those whom the old statement is about: mine and ours, or the same name."""
    somebody = "" if thing else _somebody(old)
    told = [word for word in (*subject, *theme) if word not in SUBJECTS and word not in POSSESSIVES]
    if subject and not is_mine(subject) and (subject[0] in SUBJECTS or subject[0] in POSSESSIVES):
        return subject[0] == old[0] and all(is_in(word, old) for word in subject)
    if somebody:
        return any(alike(somebody, word) for word in told)
    if UNSPACED.search("".join(old)):
        return _same_unspaced(told, old)
    told = [word for word in told if word not in LITTLE]
    if not all(is_in(word, old) or word in KINDS for word in told):
        return False
    verb = next(
        (at for at in range(1, len(old)) if is_verb(old[at]) and old[at - 1] not in _BEFORE_NOUNS),
        0,
    )
    named = [word for word in old[:verb] if word not in LITTLE and word not in KINDS]
    if not whole or not any(is_in(word, named) for word in told):
        return True
    return all(
        is_in(word, told) or word in HOSTS for word in named
    )  # `the API of the shop` is another one


_BEFORE_NOUNS: Final = (QUALIFIERS | frozenset(POSSESSIVES)) - {"to"} | {"of"}


def _same_unspaced(told: list[str], old: list[str]) -> bool:
    """Tell the same in a script without spaces: nobody is named, or who speaks, or the same subject."""
    said, have = (_MY.sub("", "".join(words)) for words in (told, old))
    if not said or _WHO_SPEAKS.fullmatch(said):
        return not PERSONS_UNSPACED.search(have[:4])
    if PERSONS_UNSPACED.search(said) or not FIRST_UNSPACED.match("".join(old)):
        return have.startswith(said) and have[len(said) : len(said) + 1] in _AFTER_SUBJECTS
    return any(said[at : at + 2] in have for at in range(len(said) - 1))


_MY: Final = re.compile(r"\A(?:我们?的?|私の|僕の|うちの|제 ?|우리 ?)(?=..)")
_WHO_SPEAKS: Final = re.compile(
    r"(?:我|咱|私|僕|俺|うち|저|제|나|내|우리)(?:们|們|たち|达|은|는|가|희|희는)?"
)
_AFTER_SUBJECTS: Final = frozenset("はがのを在是用住的为叫有开去做写跑搬改换离从不已")


def _somebody(old: list[str]) -> str:
    """Name who a statement is about, if that is neither who speaks nor a thing."""
    joined = "".join(old[:4])
    found = PERSONS_UNSPACED.search(joined) if UNSPACED.search(old[0]) else None
    if found:
        return found[0]
    first, second = old[0], old[1]
    if first in POSSESSIVES:
        person = next((word for word in old[1:3] if word.removesuffix("'s") in PERSONS), "")
        return person.removesuffix("'s")
    if (first in SUBJECTS and first not in FIRST) or first in KIN_OF_MINE:
        return first
    if first in FIRST or FIRST_UNSPACED.match(joined) or FIRST_VERB.fullmatch(first):
        return ""
    if "'s" in first:
        return first.removesuffix("'s")
    return first if second in VERBS or second in RELATIONS else ""


def is_mine(subject: list[str]) -> bool:
    """Tell whether a subject is who speaks, or a thing of theirs: not `my brother`."""
    return are_first(subject) and (PERSONS | POST_NOUNS).isdisjoint(subject)


def are_first(said: list[str]) -> bool:
    """Tell whether words begin with who speaks: `I`, `our team`."""
    return bool(said) and (said[0] in FIRST or bool(FIRST_UNSPACED.match("".join(said[:2]))))
