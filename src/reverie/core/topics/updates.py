"""Updates: whether a new statement takes the place of an older one, and for which reason.

Rules

* A change needs a reason: the new statement says that something changed (`now`, `no longer`, `moved from
  X to Y`), or both give one subject a value of which there is one at a time (lives in, is called, port).
* Either way both are the same, word for word, but for one stretch; what comes before it names the same
  subject and the same attribute. Whatever differs elsewhere is another fact.
* `No longer X but Y` ends X and says Y; `S moved from X to Y` ends what said where or what S is.
  Whatever else was said about X stays.
* Lists grow: `one of`, `also`, `another` never replace anything. In doubt both stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reverie.core.text.plain import has_digit
from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.topics.statement import statement_key, tokens
from reverie.core.topics.update_words import (
    AFTER_CONTRASTS,
    CHANGE_HELPERS,
    CHANGED_TO,
    CHANGES,
    CONTRASTS,
    COPULAS,
    ENDED,
    FROM_TO,
    FROM_TO_STAYS,
    GROWING,
    GROWING_UNSPACED,
    HELD_BY_ONE,
    IMPRESSIONS,
    LISTS,
    MEASURES,
    NOW,
    ONE_VALUE,
    ONE_VALUE_AFTER,
    QUALIFIERS,
    RELATIONS,
    RELATIONS_UNSPACED,
    SAME_VERBS,
    SPEAKING_VERBS,
    STATES,
    SUBJECTS,
)

MOST_VALUE_WORDS: Final = 8
_INSTEAD: Final = re.compile(
    r"\b(?:instead of|rather than|statt|anstatt|au lieu de|en lugar de|вместо) (?P<old>[^,;.]{1,80})$"
)
_HIRAGANA: Final = re.compile(r"[\u3041-\u309f]+")  # endings and particles, no words


@dataclass(frozen=True, slots=True)
class Update:
    """Why a statement replaces another."""

    reason: str
    """`said` where the words say that something changed, `one value` where only one can hold."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A statement without the words that tell of a change."""

    words: list[str]
    changed: bool
    ended: bool
    former: str
    """The value that the words name as the one before."""
    gone: list[str]
    """The statement that ended, where the words say what holds instead."""
    subject: list[str]
    """What moved or changed from one value to another."""


def replaces(new: str, old: str) -> Update | None:
    """Tell whether a new statement takes the place of an old one; None leaves both standing."""
    if "\n" in new.strip() or "\n" in old.strip():
        return None  # a text of several lines is more than one statement
    one, two = statement_key(old), statement_key(new)
    if not one or one == two or LISTS.search(one) or LISTS.search(two) or "?" in one + two:
        return None
    before, after = _said(one), _said(two)
    if before.ended:
        return None  # it tells of the past already
    if after.gone:
        return Update("said") if after.gone == before.words else None
    if after.former and not _holds(before.words, tokens(after.former)):
        return None
    if before.words == after.words:
        return Update("said") if after.ended or (after.changed and after.former) else None
    if after.former and (
        _tells_of_all(two, before.words, tokens(after.former)) or _moved(before.words, after)
    ):
        return Update("said")
    shared, here, there, rest = _apart(before.words, after.words)
    if after.ended or not here or not there or max(len(here), len(there)) > MOST_VALUE_WORDS:
        return None  # nothing differs, or what ended is not what stood there
    lead, tail = _joined(shared), _joined(rest)
    if not shared:  # the value comes first, so all else must name the subject and the attribute
        held = ONE_VALUE_AFTER.search(tail) or (after.changed and HELD_BY_ONE.search(tail))
        return Update("said" if after.changed else "one value") if held else None
    one_value = ONE_VALUE.search(lead) or ONE_VALUE_AFTER.search(tail)
    # `instead of Redis` names what goes, whatever that was used for.
    plain = one_value or not _is_qualified(there, [] if after.former else here)
    if after.changed and plain and _names_attribute(shared, rest):
        return Update("said")
    figures = len(here) == len(there) and all(map(has_digit, (*here, *there)))
    named = _joined(shared[:-1])  # `runs on Python 3.13`: the figure belongs to one word before it
    if figures and (MEASURES.search(lead) or MEASURES.search(named) or ONE_VALUE.search(named)):
        return Update("one value")
    return Update("one value") if one_value else None


def compared_words(text: str) -> list[str]:
    """Return the words by which statements are compared, without those that tell of a change."""
    return _said(statement_key(text)).words


@lru_cache(maxsize=16384)
def _said(key: str) -> _Said:
    former, subject = "", ""
    for pattern in (FROM_TO, _INSTEAD):
        found = pattern.search(key)
        if found and (pattern is _INSTEAD or CHANGES.search(key)):
            named = found.lastgroup or "old"
            former = found[named].strip()
            stays = FROM_TO_STAYS[named] if pattern is FROM_TO else ""
            subject = key[: found.start()] if pattern is FROM_TO else ""
            key = key[: found.start()] + stays + key[found.end() :]
    key, ends = _without(key, ENDED)
    key, changes = _without(key, CHANGED_TO)
    key, _ = _without(key, SAME_VERBS)
    key, nows = _without(key, ((NOW, " "),))
    said = tokens(key)
    gone, said = _contrasted(said) if ends else ([], said)
    what = tokens(_without(_without(subject, SAME_VERBS)[0], ((NOW, " "),))[0])
    while what and (what[-1] in CHANGE_HELPERS or CHANGES.fullmatch(what[-1])):
        what.pop()
    changed = bool(former or changes or nows or gone)
    return _Said(said, changed, bool(ends) and not gone, former, gone, what)


def _contrasted(said: list[str]) -> tuple[list[str], list[str]]:
    """Split `we queue with A but with B` into what ended and what holds; no contrast, nothing ended so."""
    at = next((at for at, word in enumerate(said) if word in CONTRASTS), 0)
    gone, holds = said[:at], said[at + 1 :]
    while holds and holds[0] in AFTER_CONTRASTS:
        del holds[0]
    if not gone or not holds:
        return [], said
    if holds[0] in gone:  # `but with B`: it goes on where that word stands
        cut = len(gone) - 1 - gone[::-1].index(holds[0])
    else:  # `but B`: it stands where the other value does, after the verb
        cut = 1 + max((at for at, word in enumerate(gone) if word in RELATIONS), default=-1)
    return gone, gone[:cut] + holds


def _moved(old: list[str], after: _Said) -> bool:
    """Tell whether an old statement says only where or what the subject of a move was.

    `The office moved from A to B` is about `The office is in A`, not about `The office in A has a garden`.
    """
    former, subject = tokens(after.former), after.subject
    if not former or not subject or old[: len(subject)] != subject:
        return False
    rest = old[len(subject) :]
    at = next((at for at in range(len(rest)) if rest[at : at + len(former)] == former), -1)
    tail = rest[at + len(former) :]
    return (
        at >= 0
        and STATES.issuperset(rest[:at])
        and (
            after.words[len(after.words) - len(tail) :] == tail
            or bool(_HIRAGANA.fullmatch("".join(tail)))
        )
    )


def _tells_of_all(new: str, old: list[str], former: list[str]) -> bool:
    """Tell whether a statement that names the former value is about all that an old one says.

    `We moved billing from A to B` is about `We use A for billing`, not about `We use A for search`.
    """
    change = CHANGES.search(new)
    moved = FROM_TO.search(new)
    if change is None or moved is None or change.end() > moved.start():
        return False
    about = [word for word in tokens(new[change.end() : moved.start()]) if word not in STOP_WORDS]
    return bool(about) and _holds(old, former) and set(about) <= set(old)


def _without(key: str, table: tuple[tuple[re.Pattern[str], str], ...]) -> tuple[str, int]:
    """Replace every pattern of a table, and tell how often one was found."""
    total = 0
    for pattern, instead in table:
        key, times = pattern.subn(instead, key)
        total += times
    return key, total


def _is_qualified(*stretches: list[str]) -> bool:
    """Tell whether a value comes with what it holds for: `React in the admin` is not all of `Vue`."""
    return any(not QUALIFIERS.isdisjoint(stretch[1:]) for stretch in stretches)


def _names_attribute(shared: list[str], rest: list[str]) -> bool:
    """Tell whether what two statements share names a subject and what of it can only be one thing."""
    if shared[0] in IMPRESSIONS or shared[-1] in GROWING or GROWING.intersection(shared[1:3]):
        return False
    if GROWING_UNSPACED.search(_joined(shared)) or GROWING_UNSPACED.search(_joined(rest)):
        return False
    if shared[0] in SUBJECTS:
        return len(shared) >= 2 and (bool(rest) or not COPULAS.issuperset(shared[1:]))
    if shared[0] in SPEAKING_VERBS:
        return True
    if RELATIONS.intersection(shared[1:]):
        return True
    return bool(RELATIONS_UNSPACED.search(_joined(shared)[1:] + _joined(rest)))


def _apart(one: list[str], two: list[str]) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return what two statements share first, what each has of its own, and what they share last."""
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


def _joined(words: list[str]) -> str:
    """Put words back together so that the patterns of every script can read them."""
    text = ""
    for word in words:
        glued = text and (not word.isascii() and len(word) == 1 and not text[-1].isascii())
        text += word if glued or not text else f" {word}"
    return text


def _holds(words: list[str], part: list[str]) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words) - len(part) + 1))
