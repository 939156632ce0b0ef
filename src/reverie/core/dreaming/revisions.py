"""Editions: topics that a plan edits in memory, each edit checked before it counts.

Rules

* An edit is made by span and read back: what was not meant to change must read as before, or the
  edit is refused. So a file in a form we misread is left alone instead of damaged.
* No number, date or negation of the edited files may be missing afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.core.dreaming.values import value_signature
from reverie.core.topics.topic import parse_topic, remove_entries, replace_entry

if TYPE_CHECKING:
    from reverie.dialect import Dialect
    from reverie.types import Entry, Topic


@dataclass(frozen=True, slots=True)
class Edition:
    """A topic as a plan has it."""

    topic: Topic
    origins: tuple[int, ...]
    """For each entry, its number in the file as it was read: what is known of it goes by that."""


def edition_of(topic: Topic) -> Edition:
    """Begin an edition."""
    return Edition(topic, tuple(range(len(topic.entries))))


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of an edition."""

    edition: Edition
    index: int

    @property
    def entry(self) -> Entry:
        """The entry."""
        return self.edition.topic.entries[self.index]

    @property
    def path(self) -> str:
        """The file it stands in."""
        return self.edition.topic.path

    @property
    def origin(self) -> int:
        """Its number in the file as it was read."""
        return self.edition.origins[self.index]


class Refused(Exception):  # a signal inside planning, not an error for anybody
    """An edit would not do what it should; the reason is the message."""


def rewritten(edition: Edition, text: str) -> Edition:
    """Return the edition with another text in which every entry is still there."""
    topic = _parsed(edition.topic, text)
    if topic is None or len(topic.entries) != len(edition.origins):
        raise Refused("unclear_structure")
    return Edition(topic, edition.origins)


def with_fields(place: Place, *, why: str, how: str, dialect: Dialect) -> Edition:
    """Return the edition with the reason and use of one entry replaced, all else as it was."""
    entry = place.entry
    if (why, how) == (entry.why, entry.how):
        return place.edition
    text = replace_entry(
        place.edition.topic,
        entry.id,
        why=why if why != entry.why else None,
        how=how if how != entry.how else None,
        dialect=dialect,
    )
    after = rewritten(place.edition, text)
    wanted = list(map(_parts, place.edition.topic.entries))
    wanted[place.index] = (entry.summary, " ".join(why.split()), " ".join(how.split()))
    if wanted != list(map(_parts, after.topic.entries)):
        raise Refused("unclear_structure")
    return after


def without(edition: Edition, indexes: Sequence[int]) -> Edition | None:
    """Return the edition without some entries; None when the file has nothing left."""
    gone = set(indexes)
    text = remove_entries(edition.topic, {edition.topic.entries[i].id for i in gone})
    kept = [i for i in range(len(edition.origins)) if i not in gone]
    if text is None:
        return None
    topic = _parsed(edition.topic, text)
    wanted = [_parts(edition.topic.entries[i]) for i in kept]
    if topic is None or wanted != list(map(_parts, topic.entries)):
        raise Refused("unclear_structure")
    return Edition(topic, tuple(edition.origins[i] for i in kept))


def check_values(before: Iterable[Edition | None], after: Iterable[Edition | None]) -> None:
    """Raise `Refused` when a number, date or negation of these files is gone."""
    had, has = (
        value_signature(
            "\n".join(edition.topic.text for edition in editions if edition is not None)
        )
        for editions in (before, after)
    )
    if not had.numbers <= has.numbers:
        raise Refused("it would lose a number or date")
    if not set(had.negations) <= set(has.negations):
        raise Refused("it would lose a negation")


def _parsed(topic: Topic, text: str) -> Topic | None:
    return parse_topic(
        text, path=topic.path, rel=topic.rel, scope=topic.scope, updated=topic.updated
    )


def _parts(entry: Entry) -> tuple[str, str, str]:
    return (entry.summary, " ".join(entry.why.split()), " ".join(entry.how.split()))
