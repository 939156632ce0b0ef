"""Beside: a statement goes above the one it may concern, and both stay as they were said.

Rules

* Where no rule tells that something ended, nothing is ended. A statement goes into the file of the one that
  is very near in meaning, or nearest or in like words if it says that something changed. It goes above that
  one, so that whoever gets the old statement gets the new one first.
* A line below it says when each was said. Where the later one says that something changed, the line also says
  that it holds where the two disagree: true of any two statements of one person, so nothing false is said
  where both hold.
* Signs of a change are words for now, no longer, since and instead, a verb by which something ends, moves
  or gets another value, and a correction. `Also` and `another` are none: lists grow.
* What was said later and is near both to a prompt and to what answers it may concern the answer, too. It is
  shown with it, wherever it stands; nothing is written for that reason.
* What is done again and again, or must be, tells of no change: "data is deleted after two years".
* Pinned files are left alone, and so are those with many entries: what stands first there says little of the
  rest.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from reverie.core.claims.claim import MOST_CHARS, read
from reverie.core.claims.cues import LISTS
from reverie.core.claims.loosely import tells_a_turn
from reverie.core.claims.statement import statement_key
from reverie.core.topics.links import has_links
from reverie.core.topics.topic import insert_above

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from reverie.dialect import Dialect
    from reverie.types import Entry, Topic

MOST_ENTRIES: Final = 4
NEAR: Final = 0.35
"""From this cosine on two statements are alike in meaning (docs/adr/0049-named-by-meaning.md)."""
VERY_NEAR: Final = 0.45
"""From this one on, what does not say that something changed goes above what it is near to."""
NEAR_TO_A_CHANGE: Final = 0.25
"""From this one on, what says that something changed may concern the nearest, if no other is as near."""
CLEARLY: Final = 0.03
NEAREST: Final = 2
LATER_CHANGE: Final = 0.5
"""From this sum of two cosines on, to a prompt and to its answer, what tells of a change is shown with it."""
LATER: Final = 0.6
"""The same for what does not say that something changed."""
HOLDS: Final = " Where the two disagree, this holds."
_HABIT: Final = re.compile(
    r"\b(?:must|should|shall|may|can|cannot|can't|(?:has|have|needs?) to|never|always)\s"
    r"(?:\w{1,20}\s){0,2}?be\s"
    r"|\b(?:is|are|gets?)\s(?:\w{1,20}ly\s)?(?!(?:not|just|different)\b)\w{2,20}(?:ed|en|t)\b.{0,80}"
    r"\b(?:after|before|when(?:ever)?|if|once|unless"
    r"|until|every|each|daily|weekly|monthly|nightly|hourly|yearly|automatically|as soon as|older than)\b"
    r"|\b(?:wird|werden)\s.{0,80}"
    r"\b(?:nach|vor|wenn|sobald|falls|jede\w|täglich|wöchentlich|monatlich|nachts|automatisch)\b"
    r"|\b(?:est|sont)\s\w{2,20}\b.{0,80}"
    r"\b(?:après|avant|quand|si|dès|chaque|tous les|toutes les|automatiquement)\b"
    r"|\bse\s\w{2,20}n?\b.{0,80}\b(?:después de|antes de|cuando|si|cada|todos los|automáticamente)\b",
    re.I,
)
_SAID: Final = (
    r"Said on \d{4}-\d\d-\d\d; what else stands here is older(?: \(\d{4}-\d\d-\d\d\))?\."
    rf"(?:{HOLDS})?"
)
_NOTE: Final = re.compile(rf"(?:^|(?<=\. )){_SAID}")
_NOTE_LINE: Final = re.compile(
    rf"(?<!\n)\n{{1,3}}[ \t]{{0,8}}How to apply: {_SAID}[ \t]{{0,8}}(?=\n|\Z)"
    rf"|(?<=\. ){_SAID}[ \t]{{0,8}}(?=\n|\Z)"
)


@lru_cache(maxsize=256)
def tells_of_change(text: str) -> bool:
    """Tell whether a statement says that something is not as it was, whatever that is.

    >>> [tells_of_change(text) for text in ("We moved to Bristol.", "Never push to main on Fridays.")]
    [True, False]
    """
    if "\n" in text.strip() or len(text) > MOST_CHARS or "?" in text:
        return False
    if LISTS.search(statement_key(text)):
        return False
    reading = read(text)
    told = any(
        part.changed or part.ended or part.gone or part.former or part.event
        for part in (reading.whole, *reading.parts)
    )
    return told or (tells_a_turn(text) and not _HABIT.search(text))


def near_ones(said: str, cosines: Mapping[str, float]) -> dict[str, float]:
    """Return what is alike in meaning and how far, the nearest first.

    Args:
        said: The new statement.
        cosines: How near each of the others is to it.
    """
    ordered = sorted(cosines, key=lambda name: (-cosines[name], name))
    near = [name for name in ordered[:NEAREST] if cosines[name] >= NEAR]
    if not near and ordered and cosines[ordered[0]] >= NEAR_TO_A_CHANGE and tells_of_change(said):
        clear = all(cosines[ordered[0]] - cosines[name] >= CLEARLY for name in ordered[1:2])
        near = ordered[:1] if clear else []
    return {name: cosines[name] for name in near}


def may_concern(said: str, *, nearness: float) -> bool:
    """Tell whether a later statement is shown with what answers a prompt.

    Args:
        nearness: The sum of its cosines to the prompt and to the answer.
    """
    return nearness >= LATER or (nearness >= LATER_CHANGE and tells_of_change(said))


def company(
    said: str, *, near: Mapping[str, float], alike: Sequence[str], topics: Sequence[Topic]
) -> tuple[Topic, Entry] | None:
    """Return the entry that a statement may go above.

    Args:
        near: Ids of entries that are near in meaning and how near, the nearest first.
        alike: Ids of entries in like words.
    """
    if "\n" in said.strip() or len(said) > MOST_CHARS or has_links(said):
        return None  # what points at a memory is no news of it
    told = tells_of_change(said)
    ids = [name for name, cosine in [*near.items()][:1] if told or cosine >= VERY_NEAR]
    ids += alike if told else ()
    entries = {
        entry.id: (topic, entry)
        for topic in reversed(topics)  # of two with one id, the one that was looked at first
        if not topic.pinned and len(topic.entries) <= MOST_ENTRIES
        for entry in topic.entries
        if entry.span.start < entry.span.end
    }
    return next((entries[name] for name in ids if name in entries), None)


def put_above(
    topic: Topic, entry: Entry, said: str, *, why: str, how: str, today: date, dialect: Dialect
) -> str:
    """Return the text of a topic with a statement above one of its entries, and which of the two is later."""
    earlier = f" ({topic.updated.date().isoformat()})" if topic.updated else ""
    note = f"Said on {today.isoformat()}; what else stands here is older{earlier}."
    note += HOLDS if tells_of_change(said) else ""
    told = f"{how.rstrip(' .;')}. {note}" if how else note
    return insert_above(topic, entry.id, said, why=why, how=told, dialect=dialect)


def without_note(how: str) -> str:
    """Return how to apply a statement, without what only says which of two is the later one."""
    return _NOTE.sub("", how).strip()


def left_alone(text: str) -> str:
    """Return a memory of which one statement is left, without what says that others are older.

    >>> left_alone("Mollie.\\n\\nHow to apply: Said on 2026-05-09; what else stands here is older.\\n")
    'Mollie.\\n'
    """
    return _NOTE_LINE.sub("", text)
