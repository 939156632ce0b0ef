"""The judgement of change: whether a new statement takes the place of an older one, and for which reason.

Rules

* A change needs a reason: the new statement says that something changed (`now`, `no longer`, `moved from
  X to Y`, `my new ...`), or both give one subject a value of which there is one at a time (lives in, is
  called, port).
* Two claims are about one thing when they are the same, word for word, but for one stretch, the value;
  what comes before names the subject and the attribute, what comes after what it holds for. A stretch
  that holds a time, a place or a use of its own is no value.
* An end (`no longer X`) ends what says X, or X and more of it. A change that is told (`replaced X with Y`,
  `T was raised to Y`) ends what says only X of its subject, or only a value of T.
* Lists grow: `one of`, `also`, `another`, likes, customers never replace anything. In doubt both stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reverie.core.claims.attributes import (
    ACTS_UNSPACED,
    ADJECTIVES,
    CHOSEN,
    COUNTRIES,
    EXCLUSIVE,
    EXCLUSIVE_THERE,
    GROWING,
    GROWING_UNSPACED,
    HELD_BY_ONE,
    IMPRESSIONS,
    LIGHT_VERBS,
    LIVES,
    MANY,
    MANY_UNSPACED,
    ONE_VALUE,
    PERSONS,
    PERSONS_UNSPACED,
    POST_NOUNS,
    RELATED_AFTER,
    RELATIONS,
    RELATIONS_UNSPACED,
    SPEAKING_VERBS,
    TOOLS,
    TOPIC_MARKS,
    USED_AFTER,
)
from reverie.core.claims.claim import MOST_CHARS, Claim, Reading, content, read
from reverie.core.claims.cues import ANY_ONE, LISTS
from reverie.core.claims.gists import tells_another_value
from reverie.core.claims.loose_words import HAPPENED
from reverie.core.claims.loosely import turned
from reverie.core.claims.plain import plain_pairs
from reverie.core.claims.restated import is_restated, is_reversed
from reverie.core.claims.sorts import can_be_rivals, sort_of
from reverie.core.claims.statement import MOST_KEPT, is_unspaced, joined, statement_key
from reverie.core.claims.stretches import (
    LINKING,
    MOST_VALUE_WORDS,
    NOT,
    Around,
    apart,
    are_days,
    around_of,
    differ_twice,
    holds,
    holds_unspaced,
    is_number,
    is_qualified,
    is_span,
    is_time,
    names_whose,
    of_one_kind,
)
from reverie.core.claims.telling import ends, is_replaced, tells_of_change, used_claims
from reverie.core.claims.wording import (
    CLAUSES,
    CODE,
    COPULAS,
    MODALS,
    POSSESSIVES,
    QUALIFIERS,
    SUBJECTS,
    VERBS,
)
from reverie.core.text.plain import has_digit

MOST_CHANGED_WORDS: Final = 5
_TEAM: Final = frozenset(["we", "wir", "nous", "noi", "мы", "wij"])
_SLOTS: Final = frozenset(["in", "at", "on", "to", "from", "by", "under", "through", "via"])
"""What stands before a value of which there is one at a time, whatever the verb."""
_LINKS: Final = COPULAS | RELATIONS | QUALIFIERS
_SPEAKERS: Final = SUBJECTS - {"es"}


@dataclass(frozen=True, slots=True)
class Update:
    """Why a statement replaces another."""

    reason: str
    """`said` where the words say that something changed, `one value` where only one can hold."""


def replaces(new: str, old: str) -> Update | None:
    """Tell whether a new statement takes the place of an old one; None leaves both standing."""
    if not _is_statement(new) or not _is_statement(old):
        return None
    one = statement_key(old)
    if not one or one == statement_key(new):
        return None
    before, after = read(old), read(new)
    if before.whole.ended or len(before.parts) > 2:
        return None  # it tells of the past already, or of several things
    names = before.names | after.names
    found = _judged(before.whole, after.whole, names)
    for part in after.parts:
        if found is None and (part.changed or part.ended):
            found = _judged(before.whole, part, names)
    if found is None and (
        turned(before, old, new, names) or is_reversed(before.whole.words, after.whole.words)
    ):
        return Update("said")
    if found is None and _is_said_again(before.whole, after, names):
        return Update("one value")
    found = found or _judged_plainly(before, after, old, new, names)
    return found or (Update("said") if tells_another_value(before, old, new) else None)


@lru_cache(maxsize=MOST_KEPT)
def _is_statement(text: str) -> bool:
    """Tell whether a text says one thing that can hold or not: no list, no question, no code."""
    if "\n" in text.strip() or len(text) > MOST_CHARS:
        return False  # such a text is more than one statement
    key = statement_key(text)
    return "?" not in key and not any(found.search(key) for found in (LISTS, CODE, ANY_ONE))


def _judged_plainly(
    before: Reading, after: Reading, old: str, new: str, names: frozenset[str]
) -> Update | None:
    for one, two in plain_pairs(before, after, old, new):
        named = names | one.names | two.names
        alike = one.sort == two.sort not in ("", "any")
        found = _judged(one.claim, two.claim, named, alike=alike)
        if found:
            return found
        if is_restated(one.claim, two.claim, named, told=two.claim.changed):
            return Update("one value")
    return None


def _is_said_again(before: Claim, after: Reading, names: frozenset[str]) -> bool:
    told = any(part.changed or part.ended for part in (after.whole, *after.parts))
    return any(is_restated(before, part, names, told=told) for part in (after.whole, *after.parts))


def _judged(
    before: Claim, after: Claim, names: frozenset[str], *, alike: bool = False
) -> Update | None:
    """Judge two claims.

    Args:
        before: The older one.
        after: The newer one.
        names: What is written as a name.
        alike: Their values are known to be of one sort.
    """
    if not before.words or not after.words:
        return None
    if after.gone:
        return Update("said") if ends(after.gone, before.words) else None
    if after.ended:
        return Update("said") if ends(after.words, before.words) else None
    if after.event:
        tool = after.event.kind == "went" and names.isdisjoint(
            content(after.event.value)
        )  # `moved to pnpm`
        uses = used_claims(before, after.event) if after.event.kind == "used" or tool else None
        if tells_of_change(before, after.event, names):
            return Update("said")
        if before.event and before.event.theme == after.event.theme and "is" in after.words:
            return _valued(before.words, after, names, named=False)  # `are pushed to`
        return _valued(uses[0], uses[1], names, named=False) if uses else None
    former = content(after.former) if after.former else []
    if former and not holds(before.words, former):
        return None
    if before.words == after.words:
        return Update("said") if former else None
    if (
        former
        and after.topic
        and is_replaced(before.words, former, _about(after.topic, before.words))
    ):
        return Update("said")
    old = _without_subject(before.words, after.words)
    return _valued(old, after, names, named=bool(former), alike=alike)


def _about(topic: list[str], old: list[str]) -> list[str]:
    """Leave out of what a claim is about the new words that are its verb or value, not its use."""
    at = next((at for at in range(2, len(topic)) if topic[at] in QUALIFIERS), len(topic))
    return [word for word in topic[:at] if word in old or word in SUBJECTS] + topic[at:]


def _without_subject(old: list[str], new: list[str]) -> list[str]:
    """Leave out `I` where the other claim leaves it to the verb: `живу в`, `vivo en`."""
    if old[:2] == ["私", "は"] and TOPIC_MARKS.isdisjoint(new):
        return old[2:]
    if len(old) > 1 and old[0] in SUBJECTS and new[0] in SPEAKING_VERBS and old[1] == new[0]:
        return old[1:]
    return old


# --- one stretch that differs ---------------------------------------------------------------------


def _valued(
    old: list[str], after: Claim, names: frozenset[str], *, named: bool, alike: bool = False
) -> Update | None:
    """Judge two claims that are the same but for one stretch."""
    shared, here, there, rest = apart(old, after.words)
    if not (shared or rest) or not here or not there:
        return None  # nothing differs, or all
    if max(len(here), len(there)) > MOST_VALUE_WORDS:
        return None
    if _is_no_value(tuple(here)) or _is_no_value(tuple(there)) or not of_one_kind(here, there):
        return None
    if not alike and not can_be_rivals(shared, here, there, rest, names):
        return None
    around = around_of(tuple(shared), tuple(rest))
    if not shared:  # the value comes first, so all else must name the subject and the attribute
        if any(_names_subject(first) or not _LINKS.isdisjoint(first) for first in (here, there)):
            return None
        held = around.one_value_after or (
            after.changed
            and (USED_AFTER.search(joined(rest)) or HELD_BY_ONE.search(after.definite))
        )
        return Update("said" if after.changed else "one value") if held else None
    if not around.one_value_after and _is_of_the_subject(around, here, there):
        return None
    if any(names_whose(said, rest) for said in (here, there)):
        return None
    one_value = around.one_value
    times = are_days(here) and are_days(there)
    both = set() if times else set(here).intersection(there)
    if both and not holds_unspaced(there) and (not one_value or both & (_LINKS | VERBS)):
        return None  # they differ in more than one place
    # `instead of Redis` names what goes, whatever that was used for.
    if not times and is_qualified(there, [] if named else here):
        return None
    if shared[-1] not in COPULAS and not holds_unspaced(there) and differ_twice(here, there):
        return None
    if max(len(here), len(there)) > MOST_CHANGED_WORDS and not holds_unspaced(there):
        return None
    if after.changed and (alike or _names_attribute(shared, rest, here, there, names, after)):
        return Update("said")
    if shared[0] in IMPRESSIONS or _is_of_many(shared):
        return None
    if around.is_measured and len(here) == len(there) and all(map(has_digit, (*here, *there))):
        return Update("one value")
    told = one_value and _are_alike(shared, here, there, names)
    return Update("one value") if told else None


def _is_of_the_subject(around: Around, here: list[str], there: list[str]) -> bool:
    """Tell whether what differs stands before the verb, so that it names the subject: `Room 4 is ...`."""
    if around.names_whole_subject:
        return False
    if around.is_before_a_verb or not LINKING.isdisjoint([*here[1:], *there[1:]]):
        return True
    # Not every verb is known. A number behind a noun, with more to come, tells which one is meant.
    more = not around.is_last or len(here) > 1 or len(there) > 1
    return more and around.may_be_numbered and is_number(here[0]) and is_number(there[0])


def _are_alike(shared: list[str], here: list[str], there: list[str], names: frozenset[str]) -> bool:
    """Tell whether two values can be those of one attribute: `Dana` and `on holiday` cannot."""
    if holds_unspaced(shared) or holds_unspaced(there):
        return True
    named = [any(word in names or not word.isalpha() for word in said) for said in (here, there)]
    if named[0] != named[1]:
        return False
    countries = [joined(said) in COUNTRIES for said in (here, there)]
    if countries[0] != countries[1]:
        return False  # Lyon is in France
    if all(named):
        return True
    chosen = not CHOSEN.isdisjoint(shared) and POST_NOUNS.isdisjoint(shared)
    return chosen or bool(sort_of(tuple(here), names))


@lru_cache(maxsize=MOST_KEPT)
def _is_no_value(said: tuple[str, ...]) -> bool:
    """Tell whether a stretch denies, names a span of time, or says more than one thing."""
    return bool(
        not NOT.isdisjoint(said)
        or not (CLAUSES.isdisjoint(said) or are_days(said))
        or not _SPEAKERS.isdisjoint(said)
        or is_span(said)
    )


def _is_of_many(shared: list[str]) -> bool:
    """Tell whether there can be several of the subject: my colleague today is not who he was last year."""
    mine = shared[0] in POSSESSIVES and not MANY.isdisjoint(
        word.removesuffix("'s") for word in shared[1:3]
    )
    return mine or bool(MANY_UNSPACED.search(joined(shared)))


def _names_subject(first: list[str]) -> bool:
    """Tell whether a stretch before the verb names somebody beside the value: `my brother in Bursa`."""
    if any(word in TOPIC_MARKS for word in first):
        return True
    return any("'" in word or "가" <= word[-1:] <= "힣" for word in first[1:])


def _names_attribute(
    shared: list[str],
    rest: list[str],
    here: list[str],
    there: list[str],
    names: frozenset[str],
    after: Claim,
) -> bool:
    """Tell whether what two claims share names a subject and what of it can only be one thing."""
    if ACTS_UNSPACED.intersection(here[1:]) or ACTS_UNSPACED.intersection(there[1:]):
        return False
    numbers = is_number(here[0]) and is_number(there[0])
    if shared[0] in IMPRESSIONS or (
        not MODALS.isdisjoint(shared) and not (numbers and _is_duty(shared))
    ):
        return False
    if after.begun and not is_time(there):
        return False  # who started drinking coffee may drink tea as well
    unspaced = holds_unspaced(shared)
    related = bool(RELATIONS_UNSPACED.search(joined(shared)[1:] + joined(rest)))
    if unspaced and not (related and _precedes(shared, rest)):
        return False
    if shared[-1] in ACTS_UNSPACED:
        return False
    if numbers:
        counted = "have" not in shared or shared[-1] == "have" or "have to" in joined(shared)
        return counted and (len(shared) > 1 or shared[0] not in SUBJECTS)
    if _is_one_of_several(shared, rest) and not is_time(here):
        return False
    if is_time(here) and "have" not in shared:
        return len(shared) > 1 or shared[0] not in SUBJECTS
    if shared[-1] in GROWING or not GROWING.isdisjoint(shared[1:3]):
        return False
    if GROWING_UNSPACED.search(joined(shared)) or GROWING_UNSPACED.search(joined(rest)):
        return False
    if after.inverted and not MANY.isdisjoint(shared[:2]):
        return False
    if is_time(here):
        return len(shared) > 1 or shared[0] not in SUBJECTS
    states = shared[-1] in COPULAS or shared[-1] == "是" or _is_bare_name(shared, after.definite)
    if states and not _rivals(shared, here, there, names, after.definite):
        return False
    if shared[0] in SUBJECTS:
        return _is_relation(shared, rest) or _is_in_a_slot(shared, there, after.definite)
    if shared[0] in SPEAKING_VERBS or related:
        return True
    if any(word in RELATIONS or word in VERBS for word in shared[1:]):
        return True
    return shared[0] in POSSESSIVES and not rest and shared[-1] in QUALIFIERS  # `наш офис в`


def _is_duty(shared: list[str]) -> bool:
    """Tell whether a modal says what has to be, which has one measure at a time: `must cover 90 %`."""
    return not {"must", "shall", "should", "may", "can"}.isdisjoint(shared)


def _is_one_of_several(shared: list[str], rest: list[str]) -> bool:
    """Tell whether a value is the plain object of a verb that takes several: who keeps hens keeps bees.

    One at a time is what stands after a preposition, after `is`, or after a verb such as `use`.
    """
    if holds_unspaced(shared) or "가" <= shared[-1][-1] <= "힣":
        return False
    if rest and shared[-1] in EXCLUSIVE_THERE:
        return False
    slots = COPULAS | QUALIFIERS | EXCLUSIVE | LIVES | _SLOTS
    first = (
        max(1, len(shared) - 3) if shared[0] not in slots else 0
    )  # `is my ...`, `in building ...`
    last = next((at for at in range(len(shared) - 1, first - 1, -1) if shared[at] in slots), -1)
    return last < 0 or any(word in VERBS for word in shared[last + 1 :])


def _precedes(shared: list[str], rest: list[str]) -> bool:
    """Tell whether the relation stands before a value, or right after it, in a script without spaces."""
    before = RELATIONS_UNSPACED.search(joined(shared)[1:])
    return bool(before or TOPIC_MARKS.intersection(shared) or RELATED_AFTER.match(joined(rest)))


def _is_relation(shared: list[str], rest: list[str]) -> bool:
    """Tell whether a verb after `I` or `we` gives a value: `we use`, `I am in`; `I am glad` does not."""
    if len(shared) < 2:
        return False
    verb, more = shared[1], shared[2:]
    if verb in COPULAS:
        somewhere = len(more) > 1 and more[-1] in ("at", "in", "with")  # `I'm a nurse at`
        return bool(rest) or somewhere or (bool(more) and more[0] in QUALIFIERS and more[0] != "at")
    if verb in LIGHT_VERBS:
        return bool(rest)
    by_tool = shared[0] in _TEAM and shared[-1] in TOOLS  # whatever we do with it
    return verb in VERBS or verb in RELATIONS or by_tool


def _is_in_a_slot(shared: list[str], there: list[str], definite: str) -> bool:
    """Tell whether a value stands after a preposition, whatever the verb is: `we chat in #ops`."""
    if shared[-1] not in _SLOTS or len(shared) < 3 or shared[1] in COPULAS:
        return False
    if re.search(rf" an? {re.escape(there[0])}(?: |\Z)", definite):
        return False  # `in a band`: there may be several
    return not HAPPENED.fullmatch(shared[1])


def _is_bare_name(shared: list[str], definite: str) -> bool:
    """Tell whether the subject of `is` is one word without an article, as a person's name is."""
    return shared[1:2] == ["is"] and definite.startswith(f"{shared[0]} is ")


def _rivals(
    shared: list[str], here: list[str], there: list[str], names: frozenset[str], definite: str
) -> bool:
    """Tell whether what stands after `is` cannot both hold: names, figures, or adjectives of one kind."""
    if holds_unspaced(there):
        lead = joined(shared)
        plain = all(is_unspaced(word) for word in (*here, *there))
        told = "的" in shared or ONE_VALUE.search(lead) or not plain
        return bool(told) and not PERSONS_UNSPACED.search(lead[-4:])
    one, two = here[0], there[0]
    if (one in QUALIFIERS) != (two in QUALIFIERS) and not is_time(there):
        return False
    if sort_of(tuple(here), names) not in ("", "name"):
        return True  # of one sort, as it was asked before
    named = [any(word in names or not word.isalpha() for word in said) for said in (here, there)]
    if any(named):
        return all(named) or not CHOSEN.isdisjoint(shared)
    a_person = _is_bare_name(shared, definite) or not PERSONS.isdisjoint(shared)
    a_thing = any(
        f"{article} {two}" in definite for article in ("a", "an", "ein", "eine", "une", "un")
    )
    if not a_person and (a_thing or (len(here) > 1 and len(there) > 1)):
        return True
    return any(here[0] in group and two in group for group in ADJECTIVES)
