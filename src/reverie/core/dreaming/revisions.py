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

from reverie.core.text.values import value_signature
from reverie.core.topics.topic import parse_topic, remove_entries, replace_entry

if TYPE_CHECKING:
    from reverie.dialect import Dialect
    from reverie.types import Entry, Topic


@dataclass(frozen=True, slots=True)
class Revision:
    """A topic as a plan has it."""

    topic: Topic
    origins: tuple[int, ...]
    """For each entry, its number in the file as it was read: what is known of it goes by that."""


def revision_of(topic: Topic) -> Revision:
    """Begin a revision."""
    return Revision(topic, tuple(range(len(topic.entries))))


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of a revision."""

    revision: Revision
    index: int

    @property
    def entry(self) -> Entry:
        return self.revision.topic.entries[self.index]

    @property
    def path(self) -> str:
        """The file it stands in."""
        return self.revision.topic.path

    @property
    def origin(self) -> int:
        """Its number in the file as it was read."""
        return self.revision.origins[self.index]


class Refused(Exception):  # a signal inside planning, not an error for anybody
    """An edit would not do what it should; the reason is the message."""


def rewritten(revision: Revision, text: str) -> Revision:
    """Return the revision with another text in which every entry is still there."""
    topic = _parsed(revision.topic, text)
    if topic is None or len(topic.entries) != len(revision.origins):
        raise Refused("unclear_structure")
    return Revision(topic, revision.origins)


def with_fields(place: Place, *, why: str, how: str, dialect: Dialect) -> Revision:
    """Return the revision with the reason and use of one entry replaced, all else as it was."""
    entry = place.entry
    if (why, how) == (entry.why, entry.how):
        return place.revision
    text = replace_entry(
        place.revision.topic,
        entry.id,
        why=why if why != entry.why else None,
        how=how if how != entry.how else None,
        dialect=dialect,
    )
    after = rewritten(place.revision, text)
    wanted = list(map(_parts, place.revision.topic.entries))
    wanted[place.index] = (entry.summary, " ".join(why.split()), " ".join(how.split()))
    if wanted != list(map(_parts, after.topic.entries)):
        raise Refused("unclear_structure")
    return after


def without(revision: Revision, indexes: Sequence[int]) -> Revision | None:
    """Return the revision without some entries; None when the file has nothing left."""
    gone = set(indexes)
    text = remove_entries(revision.topic, {revision.topic.entries[i].id for i in gone})
    kept = [i for i in range(len(revision.origins)) if i not in gone]
    if text is None:
        return None
    topic = _parsed(revision.topic, text)
    wanted = [_parts(revision.topic.entries[i]) for i in kept]
    if topic is None or wanted != list(map(_parts, topic.entries)):
        raise Refused("unclear_structure")
    return Revision(topic, tuple(revision.origins[i] for i in kept))


def check_values(before: Iterable[Revision | None], after: Iterable[Revision | None]) -> None:
    """Raise `Refused` when a number, date or negation of these files is gone."""
    had, has = (
        value_signature(
            "\n".join(revision.topic.text for revision in revisions if revision is not None)
        )
        for revisions in (before, after)
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
