"""Freely: whether a clause tells an end or another value of an old statement, in whatever order of words.

Rules

* A clause is a verb of ending or setting (`core/phrases/upheavals.py`) and words. All of those that tell
  something must stand in the old statement: one that does not may name somebody or something else.
* What ended must be all of what the old statement is about beside its subject, or its whole subject.
* What got a value must be what had one of the same kind and unit.
* Others than who speaks, plans, wishes, denials and questions end nothing. In doubt both stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reverie.core.claims.attributes import DAYS, PERSONS, POST_NOUNS, TIMES
from reverie.core.claims.claim import content
from reverie.core.claims.loose_words import (
    AUXILIARIES,
    BEING,
    FEELINGS,
    FIRST,
    FIRST_VERB,
    KIN_OF_MINE,
    KINDS,
    LITTLE,
    MEASURES,
    OFFERED,
    SCOPES,
    UNIT_KINDS,
    UNITS,
    alike,
    is_verb,
)
from reverie.core.claims.sorts import are_rivals, can_answer
from reverie.core.claims.statement import MOST_KEPT
from reverie.core.claims.stretches import is_number, is_span
from reverie.core.claims.wording import ARTICLES, COPULAS, POSSESSIVES, QUALIFIERS, SUBJECTS
from reverie.core.phrases.tools import kind_of
from reverie.core.phrases.turns import is_only_thought_of
from reverie.core.phrases.upheavals import ENDING, SETTING
from reverie.core.text.plain import has_digit

_HELD_TEXT: Final = """
    account subscription membership plan contract konto abo abonnement mitgliedschaft vertrag compte
    contrat cuenta suscripción contrato conta assinatura conto abbonamento contratto rekening
    lidmaatschap подписка подписку аккаунт счёт abonament umowę üyelik üyeliğimi hesabı"""
_HELD: Final = frozenset(_HELD_TEXT.split())
"""What somebody has of a name: `my Barclays account`."""
_OTHERS_TEXT: Final = """
    he she they you his her their your er seine seiner ihr ihre elle ils elles leur leurs él ella ellos
    ele ela eles seu lui loro suo он она они его её их hij zij hun ona oni jego jej onun onlar"""
_OTHERS: Final = frozenset(_OTHERS_TEXT.split())
_SMALL_TEXT: Final = """
    not no more any anymore longer just finally already recently officially completely entirely really
    still yet again today yesterday also then so too out off up down over away back into onto near
    around own ourselves myself got had was were been being am are has have did does do it them him me
    us all every there here because after since ich habe hat haben bin sind wurde wurden worden gestern
    heute endlich nun mich mir uns sich zu wieder ganz schon ai as a avons avez ont suis sommes été hier
    enfin me m' se s' nous y en ne n' plus déjà vient me nos se he ha hemos han fue fueron sido ayer por
    fin ya al del lo los las que foi foram ontem já ao à aos pelo pela mais ho abbiamo hanno è stato
    stata stati state ieri finalmente già ci mi ne al allo alla dal dalla il lo la i gli le per heb
    heeft hebben werd werden is ben gisteren eindelijk al er het de я мы меня нас был была было были
    вчера наконец уже это свой свою свои всю весь всё они его się mnie nas został została zostało
    zostały wczoraj wreszcie już to swój swoją z ze do od dün nihayet sonunda bu ve için"""
SMALL: Final = LITTLE | AUXILIARIES | frozenset(_SMALL_TEXT.split())
_ENGLISH_TEXT: Final = """
    the i i'm my our are it and with has have this that from"""
_ENGLISH: Final = frozenset(_ENGLISH_TEXT.split())
_BEFORE_VALUES_TEXT: Final = """
    to at until till auf nach zu à au aux vers al para até hasta alla su до на naar tot op do na under
    into"""
_BEFORE_VALUES: Final = frozenset(_BEFORE_VALUES_TEXT.split())
_BEFORE_VALUES_TOO: Final = _BEFORE_VALUES | frozenset(["a", "in", "en", "в", "em"])
"""The same in other languages than English."""
_CONDITIONS: Final = re.compile(
    r"\b(?:if|unless|whenever|wenn|falls|если|jeśli|eğer|zodra|sobald)\b"
)
_REACHING_TEXT: Final = "hit reached passed crossed topped cumplió"
_OLD_TEXT: Final = "old alte alten altes vieux vieille viejo vieja velho velha vecchio"
_OLD_ONES: Final = frozenset(_OLD_TEXT.split())
_REASON_TEXT: Final = "because due wegen weil por из-за vanwege after nach"
_REASONS: Final = frozenset(_REASON_TEXT.split())
_FROM: Final = frozenset(
    ["from", "von", "vom", "da", "dal", "dalla", "из", "с", "со", "z", "ze", "van", "uit"]
)
_IN: Final = frozenset(["in", "im", "en", "em", "в", "w"])
_HE: Final = re.compile(r"ils? (?:a|ont|n')\b|lei (?:ha|non)\b")
_MOVING: Final = ("moved", "relocated", "transferred", "went")
_IS_DOWN: Final = re.compile(r"(?:am|is|are|was|were) ")
_WHERE: Final = frozenset(["in ", "at ", "on ", "by "])
NEEDED: Final = frozenset(["need", "require"])
_PLACES: Final = frozenset(["in", "at", "to"])
_REACHING: Final = frozenset([*_REACHING_TEXT.split(), "passou a ser"])
"""Verbs of setting that take the value as it is."""
_NO_LONGER: Final = re.compile(
    r"\bno longer\b|\b(?:not|never|cannot|can't|nicht|kein\w{0,2}|ne|n'\w{1,20}|non|não|не|niet|geen)\b"
    r"[^,;]{0,60}\b(?:any ?more|any longer|mehr|plus|più|больше|meer|mais)\b"
    r"|\b(?:ya no|já não|больше не|больше нет|już nie|plus de|plus d'\w{2,20})\b|\bnie [^,;]{1,40} już\b"
)
"""Words that deny what held before."""
_NEVER: Final = re.compile(
    r"\b(?:no longer|not|never|cannot|can't|nicht|kein\w{0,2}|ne|non|não|не|niet|geen|any ?more|any longer"
    r"|mehr"
    r"|plus|più|больше|нет|meer|mais|ya no|já|już|nie|at all|helemaal|gar|überhaupt|du tout)\b|\bn'"
)
_LIGHT_TEXT: Final = """
    need use have want do take go get own keep can able brauche brauchen nutze nutzen habe haben utilise
    utilisons utilisez ai avons besoin uso usamos tengo tenemos necesito tenho temos preciso ho abbiamo
    usiamo нужен нужна нужны нужно использую используем gebruik gebruiken heb hebben nodig używam
    używamy mam mamy potrzebuję"""
_LIGHT: Final = frozenset(_LIGHT_TEXT.split())
MOST_WORDS: Final = 14
MOST_LEFT: Final = 1
MOST_NAMED: Final = 3
_GOING: Final = frozenset(["go", "host", "deploy", "build", "write", "base", "locate", "keep"])


def _kin(one: str, two: str) -> bool:
    """Tell whether two words are one in two cases, in a language that has more of them than English."""
    if alike(one, two):
        return True
    shared = 0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= 4 and max(len(one), len(two)) - shared <= 3


class _Old:
    """An old statement, as what is looked for in it."""

    __slots__ = ("english", "verb", "words")

    def __init__(self, words: list[str], *, english: bool) -> None:
        self.words = words
        self.english = english
        self.verb = next((at for at in range(1, len(words)) if is_verb(words[at])), 0)

    def place(self, word: str) -> int:
        return next((at for at, other in enumerate(self.words) if self.match(word, other)), -1)

    def match(self, one: str, two: str) -> bool:
        return alike(one, two) if self.english else _kin(one, two)

    def is_of_another(self, said: list[str]) -> bool:
        """Tell whether it is about somebody whom those words do not name."""
        who = self.somebody()
        return bool(who) and not any(alike(who, word) for word in said)

    def is_mine(self) -> bool:
        first = self.words[0]
        return first in FIRST or bool(FIRST_VERB.fullmatch(first))

    def somebody(self) -> str:
        """Name who it is about, if that is neither who speaks nor a thing."""
        first = self.words[0]
        if (first in SUBJECTS and first not in FIRST) or first in KIN_OF_MINE:
            return first
        if first in POSSESSIVES:
            return next((w for w in self.words[1:3] if w.removesuffix("'s") in PERSONS), "")
        return first.removesuffix("'s") if first.endswith("'s") else ""


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause in which something ended or was set, without its verb."""

    before: list[str]
    after: list[str]
    reaching: bool = False
    moved: bool = False
    denied: bool = False

    @property
    def telling(self) -> list[str]:
        return [word for word in (*self.before, *self.after) if not _is_small(word)]


@lru_cache(maxsize=MOST_KEPT)
def _clause(key: str, *, ending: bool) -> _Clause | None:
    denied = _NO_LONGER.search(key) if ending else None
    found = denied or (ENDING if ending else SETTING).search(key)
    if (
        not found
        or _CONDITIONS.search(key)
        or _HE.match(key)
        or (not denied and is_only_thought_of(key))
    ):
        return None
    if denied:
        words = [word for word in content(_NEVER.sub(" ", key)) if word not in _LIGHT]
        return _Clause(words, [], denied=True) if _OTHERS.isdisjoint(words) else None
    if (
        not (ending or denied)
        and _IS_DOWN.match(found[0])
        and key[found.end() :].strip()[:3] in _WHERE
    ):
        return None  # `is down in Oslo`
    led = key[: found.start()].split()[-1:]
    if led and (led[0] in ARTICLES or led[0] in POSSESSIVES):
        return None  # `the left panel`, `my lost keys`
    before, after = content(key[: found.start()]), content(key[found.end() :])
    whose = next((at for at, word in enumerate(before) if at and word in FIRST), 0)
    if whose and before[0] in QUALIFIERS:
        before = before[whose:]  # `with the new diet my weight ...`
    if ending:
        after = after[
            : next((at for at, w in enumerate(after) if at and w in _REASONS), len(after))
        ]
    mine = not ending and not FIRST.isdisjoint(after)  # whoever did it to what is ours
    if (
        not _OTHERS.isdisjoint(after if mine else [*before, *after])
        or len(before) + len(after) > MOST_WORDS
    ):
        return None
    return _Clause(before, after, found[0] in _REACHING, found[0].startswith(_MOVING))


@lru_cache(maxsize=MOST_KEPT)
def tells_freely(key: str) -> bool:
    """Tell whether a clause says that something ended or was set to a value."""
    return _clause(key, ending=True) is not None or _clause(key, ending=False) is not None


def happens_freely(old: list[str], key: str, names: frozenset[str], *, english: bool) -> bool:
    """Tell whether a clause tells an end or another value of what an old statement is about."""
    if is_span(old):
        return False
    have = _Old(old, english=english)
    ended, given = _clause(key, ending=True), _clause(key, ending=False)
    if ended is not None and _is_over(have, ended, names):
        return True
    return given is not None and _is_set(have, given, names)


@lru_cache(maxsize=MOST_KEPT)
def is_english(text: str) -> bool:
    """Tell whether a text holds a word that only English has."""
    return not _ENGLISH.isdisjoint(text.casefold().split())


def _is_over(have: _Old, ended: _Clause, names: frozenset[str]) -> bool:
    old = have.words
    said = [
        part
        for word in ended.telling
        for part in (word.split("-") if have.place(word) < 0 else [word])
        if part not in _HELD
    ]
    if not _OLD_ONES.isdisjoint([*ended.before, *ended.after]) and _OLD_ONES.isdisjoint(old):
        return False  # there is another one
    if ended.denied and len(said) > 1:
        said = [word for word in said if have.place(word) != 1]  # the verb
    at = [have.place(word) for word in said]
    if not said or min(at) < 0 or have.is_of_another(said):
        return False
    first, last = min(at), max(at)
    between = [word for word in old[first : last + 1] if not _is_small(word)]
    if any(not any(alike(word, old[p]) for p in at) and word not in _HELD for word in between):
        return False
    if any(old[p] in DAYS and old[p - 1] not in _IN for p in range(last + 1, len(old))):
        return False  # it holds for that day
    if have.verb and last < have.verb:
        # the whole subject: what was said of it does not hold of anything
        return last + 1 == have.verb and len(said) > 1 and all(map(_is_small, old[:first]))
    after = old[last + 1] if last + 1 < len(old) else ""
    closes = (
        not after
        or after in QUALIFIERS
        or _is_small(after)
        or after in _HELD
        or after in MEASURES
        or is_number(after)
        or (last + 2 == len(old) and not have.english)
    )
    if not closes:
        return False
    if first == 0:
        alone = len(said) > 1 or any(old[p] in names or not old[p].isascii() for p in at)
        return not (have.english or have.verb) and last + 2 == len(old) and alone
    before = old[first - 1]
    named = any(old[p] in names for p in at)
    return named or _is_small(before) or is_verb(before) or is_number(before) or first == 1


def _is_set(have: _Old, given: _Clause, names: frozenset[str]) -> bool:
    before, after = given.before, given.after
    marks = _BEFORE_VALUES if have.english else _BEFORE_VALUES_TOO
    if not have.english and marks.isdisjoint(after):
        to = next((at for at in range(1, len(before)) if before[at] in marks), len(before))
        if not after:  # `ist nach Fulda umgezogen`
            before, after = before[:to], before[to:]
    places = [at for at, word in enumerate(after) if word in marks]
    figures = [at for at in places if at + 1 < len(after) and is_number(after[at + 1])]
    to = figures[0] if figures else places[-1] if places else -1
    if to < 0 and not given.reaching and (have.english or not is_number(after[0] if after else "")):
        return False
    theme, value = after[: max(to, 0)], after[to + 1 :]
    since = next((at for at, word in enumerate(theme) if word in _FROM), -1)
    if since >= 0:
        return _left_behind(have, [*before, *theme[:since]], theme[since + 1 :], value)
    telling = [word for word in theme if not _is_small(word)]
    if not telling:
        telling = [word for word in before if not _is_small(word)]
    elif FIRST.isdisjoint(theme) and any(not _is_small(word) for word in before):
        return False  # somebody did it to something that is not ours
    if any(word in PERSONS and have.place(word) < 0 for word in before):
        return False
    if have.is_of_another(telling) or not OFFERED.isdisjoint(have.words):
        return False
    return _gets_figure(have, telling, value, names) or _gets_name(
        have, telling, value, names, moved=given.moved
    )


def _left_behind(have: _Old, theme: list[str], former: list[str], value: list[str]) -> bool:
    """Tell whether what moved was said to be where it moved from."""
    told = [word for word in theme if not _is_small(word)]
    gone = [word for word in former if not _is_small(word)]
    if (
        not gone
        or not told
        or any(have.place(word) < 0 for word in (*told, *gone))
        or have.is_of_another(told)
    ):
        return False
    if all(have.place(word) >= 0 for word in value if not _is_small(word)):
        return False
    first, last = min(map(have.place, gone)), max(map(have.place, gone))
    left = [
        word
        for word in have.words[:first]
        if not (_is_small(word) or is_verb(word)) and not any(have.match(word, w) for w in told)
    ]
    return first > 0 and last + 1 == len(have.words) and len(left) <= MOST_LEFT


def _is_small(word: str) -> bool:
    return word in SMALL or word in COPULAS


def _figures(words: list[str]) -> list[int]:
    times = (DAYS | TIMES) - UNITS
    return [at for at, word in enumerate(words) if is_number(word) or word in times]


def _gets_figure(have: _Old, theme: list[str], value: list[str], names: frozenset[str]) -> bool:
    """Tell whether the old statement gives what was set another figure that counts the same."""
    old = have.words
    here, there = _figures(old), _figures(value)
    if not here or not there or [old[at] for at in here] == [value[at] for at in there]:
        return False
    one, two = old[here[0]], value[there[0]]
    if (one in DAYS) != (two in DAYS) or (":" in one) != (":" in two):
        return False
    if not NEEDED.isdisjoint(old) and here[0] and kind_of(old[here[0] - 1]):
        return False  # what is needed at least says nothing of what is used
    had_days, got_days = (not DAYS.isdisjoint(said) for said in (old[here[0] :], value))
    if had_days != got_days or not are_rivals(old[here[0] :], value[there[0] :], names):
        return False
    units = [word for at, word in enumerate(value) if at not in there and not _is_small(word)]
    had = [word for word in old[here[0] + 1 :] if not _is_small(word)]
    if not _are_same_units(units, had, have):
        return False
    if any(have.place(word) < 0 and word not in KINDS for word in theme):
        return False
    told = [word for word in theme if 0 <= have.place(word) < here[0] or (units and word in had)]
    if not told:
        return bool(units) and have.is_mine() and not theme
    left = [
        word
        for at, word in enumerate(old[: here[0]])
        if not (_is_small(word) or word in KINDS or _is_said_by(at, old))
        and not any(have.match(word, other) for other in (*told, *units))
    ]
    if len(left) > MOST_LEFT or not (SCOPES | POST_NOUNS).isdisjoint(left):
        return False
    # `Talk` is `the conference talk`; `the API` is not its key.
    last = max(map(have.place, told))
    return all(old.index(word) < last or not have.english for word in left)


def _is_said_by(at: int, old: list[str]) -> bool:
    """Tell whether a word is a verb; `my work phone` has none."""
    return is_verb(old[at]) and not (at and old[at - 1] in POSSESSIVES)


def _are_same_units(units: list[str], had: list[str], have: _Old) -> bool:
    """Tell whether what is counted is the same, or measured alike: hours and minutes."""
    if all(have.place(word) >= 0 for word in units):
        return bool(units) or UNITS.isdisjoint(had)
    if any(have.place(word) < 0 for word in units if word not in UNITS):
        return False
    return any(not kind.isdisjoint(units) and not kind.isdisjoint(had) for kind in UNIT_KINDS)


def _gets_name(
    have: _Old, theme: list[str], value: list[str], names: frozenset[str], *, moved: bool
) -> bool:
    """Tell whether the old statement says that what was set is somewhere or something else, by a name."""
    old = have.words
    if not theme or any(have.place(word) < 0 for word in theme) or FEELINGS.intersection(old):
        return False
    if old[0] in SUBJECTS and all(have.place(word) == 1 for word in theme):
        return False  # `I code with Vim` says nothing of the code
    last = max(have.place(word) for word in theme)
    came = [word for word in value if not _is_small(word)]
    rest = old[last + 1 :]
    start = next((at for at, word in enumerate(rest) if word in COPULAS or word in QUALIFIERS), -1)
    while 0 <= start < len(rest) and _is_small(rest[start]):
        start += 1
    had = rest[start:] if start > 0 else []
    between = [word for word in rest[: len(rest) - len(had)] if not _is_small(word)]
    known = [word for word in between if is_verb(word)]
    if not had or not came or len(had) > MOST_NAMED or len(came) > MOST_NAMED or len(between) > 1:
        return False
    if any(word not in BEING and word not in _GOING for word in known):
        return False
    if have.english and moved and rest[max(start - 1, 0)] not in _PLACES:
        return False  # who is on a team and moves to a town is on it still
    led = value[-len(came) - 1 : -len(came)]
    if not _PLACES.isdisjoint(led) and rest[start - 1] in COPULAS and "to" not in led:
        return False  # `is Ana`, `is in Oslo`
    if any(map(_is_small, [*had, *value[len(value) - len(came) :]])) or set(had) & set(came):
        return False
    left = [
        word
        for word in old[:last]
        if not _is_small(word) and not any(have.match(word, other) for other in theme)
    ]
    if left or (any(map(is_number, came)) and not any(map(has_digit, had))):
        return False
    if any(all(map(is_number, said)) for said in (had, came)):
        return False
    named = all(any(_is_name(word, names) for word in said) for said in (had, came))
    return (
        named
        and are_rivals(had, came, names)
        and can_answer(had, names)
        and can_answer(came, names)
    )


def _is_name(word: str, names: frozenset[str]) -> bool:
    return word in names or not word.isalpha()
