"""Restated: the same sentence said again with another value, with no word that tells of a change.

Rules

* Both sentences are the same, word for word, but for one stretch, and that is a value in each: a number with
  what it counts, a version, a path, an address, an identifier, a frequency, or after `is` a name. Adjectives
  never are.
* The subject is one thing, and the value stands after it. Of who speaks, of `a dog` and of somebody's brother
  many things are said.
* Only what holds counts: what happened at three may happen at five again.
* With a word of change (`now`, `from today on`) hours count too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from reverie.core.claims.attributes import (
    COUNTRIES,
    DAYS,
    GROWING,
    IMPRESSIONS,
    MANY,
    PERSONS,
    PERSONS_UNSPACED,
    SPEAKING_VERBS,
    SUBJECT_ENDINGS,
    TOPIC_MARKS,
)
from reverie.core.claims.claim import Claim
from reverie.core.claims.loose_words import (
    BEING,
    FEELINGS,
    LITTLE,
    OFFERED,
    PAST,
    SCOPES,
    UNITS,
    is_verb,
)
from reverie.core.claims.sorts import are_rivals, can_answer
from reverie.core.claims.statement import MOST_KEPT, joined
from reverie.core.claims.stretches import NOT, apart, holds_unspaced, is_number, is_span, is_time
from reverie.core.claims.wording import (
    ARTICLES,
    COPULAS,
    MODALS,
    POSSESSIVES,
    QUALIFIERS,
    SUBJECTS,
)

MOST_VALUE_WORDS: Final = 4
# Each reads one word, from its beginning.
_VERSION: Final = re.compile(
    r"\A(?:[v^~]?\d{1,9}(?:\.\d{1,9}){1,3}[-\w.]{0,40}|[a-z][\w-]{0,40}[:@]v?\d[\w.-]{0,40}|\d{1,9}\.x)"
)
_CLOCK: Final = re.compile(r"\A(?:\d{1,2}[:.h]\d{2}(?:[ap]m)?|\d{1,2}[ap]m)")
_PATH: Final = re.compile(
    r"\A(?:\w{1,20}://\S{1,300}|[~.]{0,2}/\S{0,300}|[\w.-]{1,80}/[\w./-]{0,300})"
)
_ADDRESS: Final = re.compile(
    r"\A(?:[\w.+-]{1,80}@[\w-]{1,80}\.[\w.]{1,80}|(?:[\w-]{1,60}\.){1,6}[a-z]{2,10})"
)
_IDENTIFIER: Final = re.compile(
    r"\A(?=\S{0,60}[\d_:#@/-])(?=\S{0,60}[a-z])[\w:#@./+-]{2,60}", re.IGNORECASE
)
_OFTEN_TEXT: Final = """
    hourly daily nightly weekly biweekly fortnightly monthly quarterly yearly annually stündlich täglich
    wöchentlich monatlich jährlich diario semanal mensual semanalmente mensualmente diariamente
    mensalmente quotidiennement mensuellement settimanalmente mensilmente giornalmente ежедневно
    еженедельно ежемесячно ежечасно dagelijks wekelijks maandelijks codziennie cotygodniowo miesięcznie
    günlük haftalık aylık saatlik"""
_OFTEN: Final = frozenset(_OFTEN_TEXT.split())
_EVERY_TEXT: Final = """
    every each alle jede jeden jedes toutes tous chaque cada ogni каждый каждые каждую elke iedere co
    każdy her"""
_EVERY: Final = frozenset(_EVERY_TEXT.split())
_HAPPENED: Final = re.compile(
    r"\A(?:[a-z]{2,30}ed|a|ont|ha|han|hat|haben|heeft|foi|fue|wurde|wurden|hebben|\w{1,30}[лł](?:а|о|и|a|o|y|i|em|am)?|\w{1,30}li"
    r"|\w{1,30}[dt][ıiuü]|went|fell|broke|ran|took|came|began|got|made|gave|sent|lost|won|saw|met|left|bought|paid|spent|ate|drank)"
)
_ADJECTIVAL: Final = re.compile(r"\A\w{1,30}(?:ian|ean|ish|ese|ic|ist|ful|able|ive|ous)")


def is_restated(before: Claim, after: Claim, names: frozenset[str], *, told: bool) -> bool:
    """Tell whether a claim is an older one with another value.

    Args:
        before: The older claim.
        after: The newer one.
        names: What is written as a name.
        told: Whether words around the newer one say that something changed.
    """
    old, new = before.words, after.words
    if len(old) < 2 or len(new) < 2 or after.ended or after.event or after.former:
        return False
    if not NOT.isdisjoint(old) or not NOT.isdisjoint(new):
        return False
    if told and _is_elsewhere(before, after, names):
        return True
    shared, here, there, rest = apart(old, new)
    if not here or not there or not shared or max(len(here), len(there)) > MOST_VALUE_WORDS:
        return False
    if is_span(here) or is_span(there):
        return False
    if told and len(shared) > 1:
        if _is_often(here, rest) and _is_often(there, rest):
            return True
        if _kind(here, shared, rest, names) == _kind(there, shared, rest, names) == "often":
            return True
    if not _can_be_restated(tuple(shared), tuple(rest)) or _is_of_any(shared, rest, before):
        return False
    placed = here[0] in QUALIFIERS
    if placed != (there[0] in QUALIFIERS) and not (is_time(here) and is_time(there)):
        return False  # `is in Paris`, `is Thor`
    kinds = _kind(here, shared, rest, names), _kind(there, shared, rest, names)
    if not kinds[0] or kinds[0] != kinds[1]:
        return False
    if kinds[0] == "often":
        return True
    if not are_rivals(here, there, names):
        return False
    if kinds[0] in ("count", "version"):
        return True
    at_value = shared[-1] in COPULAS or shared[-1] in TOPIC_MARKS or shared[-1] == "是"
    if kinds[0] == "name":
        if not (can_answer(here, names) and can_answer(there, names)):
            return False
        return shared[-1] in _IS_ONE and not _is_said_of_many(shared)
    return at_value or (shared[-1] in QUALIFIERS and not BEING.isdisjoint(shared)) or (told)


_AGAIN_TEXT: Final = """
    do does again wieder weer de nouveau otra vez di nuovo novamente outra снова опять znowu znów tekrar"""
_AGAIN: Final = frozenset(_AGAIN_TEXT.split())
"""Beside what denies, the words in which a statement and its contrary differ."""


_DENYING_TEXT: Final = """
    not never no don't nicht kein keine keinen keinem keiner nie niemals ne pas jamais non mai não nunca niet
    geen nooit nigdy не нет никогда değil"""
_DENYING: Final = frozenset(_DENYING_TEXT.split())


def is_reversed(old: list[str], new: list[str]) -> bool:
    """Tell whether one claim denies what the other says, word for word."""
    if (
        len(old) < 2
        or len(new) < 2
        or _DENYING.isdisjoint(old) == _DENYING.isdisjoint(new)
        or abs(len(old) - len(new)) > 4
    ):
        return False
    about = (SUBJECTS, POSSESSIVES, COPULAS, SPEAKING_VERBS)
    if not any(old[0] in words for words in about) and COPULAS.isdisjoint(old):
        return False
    one, two = ([w for w in said if w not in _DENYING and w not in _AGAIN] for said in (old, new))
    return one == two and len(one) > 1


def _is_elsewhere(before: Claim, after: Claim, names: frozenset[str]) -> bool:
    """Tell whether a thing is said to be somewhere or something else, by whatever verb of being."""
    old, new = before.words, after.words
    one, two = _verb(old), _verb(new)
    shortest = 1 if _is_at_an_address(old) and _is_at_an_address(new) else 2
    if (
        one < shortest
        or two < shortest
        or len(old) < one + 3
        or len(new) < two + 3
        or old[0] in SUBJECTS
    ):
        return False  # of somebody with a name many things are said
    if before.definite.split()[0] in _ANY:
        return False
    if not {old[one], new[two]} <= BEING | COPULAS or (old[0] in POSSESSIVES) != (
        new[0] in POSSESSIVES
    ):
        return False
    if old[:one] != new[:two] or not (PERSONS | MANY | GROWING).isdisjoint(old[:one]):
        return False
    here, there = (
        words[at + 2 :] if is_verb(words[at + 1]) else words[at + 1 :]
        for words, at in ((old, one), (new, two))
    )  # `is kept in`
    if len(here) < 2 or len(there) < 2 or here[0] != there[0] or here[0] not in QUALIFIERS:
        return False
    value, other = here[1:], there[1:]
    if not are_rivals(value, other, names):
        return False
    if not set(value).isdisjoint(other) or not (SCOPES | DAYS).isdisjoint(other):
        return False
    return len(other) <= MOST_VALUE_WORDS and QUALIFIERS.isdisjoint([*value, *other])


def _is_at_an_address(words: list[str]) -> bool:
    """Tell whether a claim ends with an address or a path, which nobody is at."""
    return bool(_PATH.fullmatch(words[-1]) or _ADDRESS.fullmatch(words[-1]))


def _verb(words: list[str]) -> int:
    return next((at for at in range(1, len(words)) if is_verb(words[at])), 0)


_IS_ONE: Final = frozenset(["is", "est", "es", "é", "è", "jest", "="])


def _is_said_of_many(shared: list[str]) -> bool:
    return not (PERSONS | MANY | GROWING).isdisjoint(shared)


@lru_cache(maxsize=MOST_KEPT)
def _can_be_restated(shared: tuple[str, ...], rest: tuple[str, ...]) -> bool:
    """Tell whether what two claims share names one thing, of which the stretch between is the value."""
    unspaced = _are_unspaced(shared, rest)
    return _is_one_thing(shared, unspaced=unspaced) and _holds(shared, rest, unspaced=unspaced)


def _are_unspaced(shared: Sequence[str], rest: Sequence[str]) -> bool:
    return holds_unspaced(shared) or holds_unspaced(rest)


def _is_one_thing(shared: Sequence[str], *, unspaced: bool) -> bool:
    """Tell whether what two claims share names one thing: `the image`, `our sprints`, `JWTs`."""
    first = shared[0]
    if first in SUBJECTS or first in IMPRESSIONS or first in QUALIFIERS or first in MODALS:
        return False
    if not (OFFERED | FEELINGS).isdisjoint(shared) or is_span(shared):
        return False
    if first in POSSESSIVES:
        nouns = {word.removesuffix("'s") for word in shared}
        return len(shared) > 1 and nouns.isdisjoint(MANY | GROWING)
    return not (unspaced and PERSONS_UNSPACED.search(joined(shared)[:5]))


def _is_of_any(shared: list[str], rest: list[str], before: Claim) -> bool:
    """Tell whether a claim is about one of many: `a dog`."""
    if shared[0] in POSSESSIVES or _are_unspaced(shared, rest):
        return False
    return before.definite.split()[0] in _ANY


_ANY_TEXT: Final = """
    a an ein eine einer un une una uno um uma een bir"""
_ANY: Final = frozenset(_ANY_TEXT.split())


def _holds(shared: Sequence[str], rest: Sequence[str], *, unspaced: bool) -> bool:
    """Tell whether the value stands after the verb, or after the whole subject, and of what holds still."""
    if any(_HAPPENED.fullmatch(word) for word in shared[1:]) and COPULAS.isdisjoint(shared):
        return False
    if PAST.search(joined([*shared, *rest])):
        return False
    if any(is_verb(word) for word in shared[1:]) or not TOPIC_MARKS.isdisjoint(shared):
        return all(word in UNITS or word in LITTLE or unspaced for word in rest) or len(rest) < 3
    if any(word[-1] in SUBJECT_ENDINGS for word in shared):
        return True
    return len(shared) > 1 and (not rest or all(word in UNITS for word in rest))


def _kind(said: list[str], shared: list[str], rest: list[str], names: frozenset[str]) -> str:
    """Tell what kind of value a stretch is; nothing where it is none."""
    bare = [word for word in said if word not in ARTICLES and word not in LITTLE]
    if not bare or not DAYS.isdisjoint(bare):
        return ""
    if (any(word in _OFTEN for word in bare) and QUALIFIERS.isdisjoint(said)) or said[0] in _EVERY:
        return "often"
    if len(bare) == 1:
        word = bare[0]
        if _CLOCK.fullmatch(word) and "." not in word:
            return "hour"
        if _PATH.fullmatch(word):
            return "path"
        if ":" in word and not is_number(word):
            return "identifier"
        if _VERSION.fullmatch(word):
            return "version"
        if _ADDRESS.fullmatch(word):
            return "address"
        if is_number(word):
            return "count" if _is_counted(shared, rest) else "hour"
        if _IDENTIFIER.fullmatch(word):
            return "identifier"
    if is_number(bare[0]) and all(is_number(word) or _is_unit(word) for word in bare):
        return "hour" if any(":" in word for word in bare) else "count"
    if all(word in names for word in bare) and not any(
        _ADJECTIVAL.fullmatch(word) or word in COUNTRIES for word in bare
    ):
        return "name"
    return ""


def _is_often(said: list[str], rest: list[str]) -> bool:
    """Tell whether a stretch says how often in a time: `twice a week`, `three times a week`."""
    often = said[0] in _TIMES or (is_number(said[0]) and said[-1] in _TIMES)
    return often and bool(rest) and (rest[0] in UNITS or rest[0] == "per")


_TIMES: Final = frozenset(["once", "twice", "thrice", "time", "times"])


def _is_counted(shared: list[str], rest: list[str]) -> bool:
    """Tell whether a bare number is an amount: `at eight` is an hour, `Gate 5` one of several."""
    if rest and rest[0] not in QUALIFIERS:
        return True
    return is_verb(shared[-1]) or not any(is_verb(word) or word in QUALIFIERS for word in shared)


def _is_unit(word: str) -> bool:
    return word in UNITS or not word.isalpha() or len(word) == 1
