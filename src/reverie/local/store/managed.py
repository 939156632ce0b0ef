"""One folder of managed memory: its topic files, read once and again when they change, and its catalogs."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from reverie.core.text.plain import digest, is_text, storable
from reverie.core.topics.catalog import Heading, Listing, heading_of
from reverie.core.topics.topic import is_pinned, is_topic_path, parse_topic, why_no_topic
from reverie.errors import NotText, PathEscape, ReverieError
from reverie.local.disk.files import read_text
from reverie.local.resting import Resting, rests
from reverie.local.store.look import shared_look, signature_of
from reverie.local.store.paths import inside
from reverie.types import Kind, Problem, Topic

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.local.journal.journal import FileState, JournalDb
    from reverie.local.store.look import Seen
    from reverie.types import Scope

_KINDS: Final = {kind.value: kind for kind in Kind}
_MANY: Final = 64  # of more files, the ages are read together


class Kept(NamedTuple):
    """A topic as it was kept: its head and its whole text."""

    name: str
    description: str
    updated: str
    text: str


class Head:
    """A topic that did not change since it was kept; nothing is made of it before somebody asks."""

    __slots__ = ("_give", "_listed", "age")

    def __init__(self, age: float, listed: str, give: Callable[[], Kept]) -> None:
        self.age = age
        """Its time, as a number to sort by."""
        self._listed = listed
        """Its kind, a tab, and its line in a sub-catalog."""
        self._give = give

    def topic(self, root: Path, rel: str, scope: Scope) -> Topic | None:
        """Read it."""
        kept = self._give()
        updated = datetime.fromisoformat(kept.updated) if kept.updated else None
        return parse_topic(kept.text, path=f"{root}/{rel}", rel=rel, scope=scope, updated=updated)

    def heading(self, rel: str) -> Heading:
        """Return what a catalog lists of it."""
        kind, _, line = self._listed.partition("\t")
        order = (not is_pinned(rel), -self.age, rel)
        return Heading(order, rel, _KINDS[kind], line, self._label)

    def _label(self) -> tuple[str, str]:
        kept = self._give()
        return kept.name, kept.description


Known: TypeAlias = "Callable[[str, Seen], Head | None]"


class ManagedFolder(Resting):
    """The memory folder of one scope."""

    def __init__(
        self,
        root: Path,
        scope: Scope,
        journal: JournalDb,
        settings: Settings,
        *,
        real: str | None = None,
    ) -> None:
        self.root = root
        self._real = real
        """Where the folder really was when the memory was opened; elsewhere nothing is read."""
        self.scope = scope
        self._journal = journal
        self._settings = settings
        self._look = shared_look(str(root))
        self._number = -1
        self.known: Callable[[], Known] | None = None
        """Looks; gives what gives the topics that were read before, also by another process."""
        self._read: dict[str, Topic | Head] = {}
        """The topics by path in the folder; of those that are only listed, what was kept of them."""
        self._broken: dict[str, Problem] = {}
        """The files that are no topics, and why."""
        self._order: list[tuple[float, str, str]] = []
        """The topics, newest first: age, path, and path in the folder."""
        self._listing: Listing | None = None
        """The topics as the catalogs list them, once somebody asked for these."""
        self._headings: dict[str, Heading] = {}
        """The same by path."""
        self.catalog_texts: dict[str, str] = {}
        """For whoever writes the catalogs: the texts of those that did not change since they were read."""
        self._lock = RLock()
        self.problems: list[Problem] = []
        """Files the last reading could not use, each with the reason."""
        rests(self)

    def topics(self) -> list[Topic]:
        """Return every topic, newest first."""
        return [topic for _, _, topic in self.aged_topics()]

    def aged_topics(self) -> list[tuple[float, str, Topic]]:
        """Return every topic with what it is ordered by, newest first."""
        with self._lock:
            if not self._bring_up_to_date():
                return []
            return [(age, path, self._whole(rel)) for age, path, rel in self._order]

    def _whole(self, rel: str) -> Topic:
        """Return a topic with its entries."""
        there = self._read[rel]
        if isinstance(there, Topic):
            return there
        topic = there.topic(self.root, rel, self.scope)
        if topic is None:
            raise AssertionError(f"{rel} was kept as a topic and is none")
        self._read[rel] = topic
        return topic

    def rest(self) -> None:
        """Forget the topics and their lists, if what was stored of them can be taken instead."""
        with self._lock:
            if self.known is None or not self._read or not self._bring_up_to_date():
                return
            known, files, others = self.known(), self._look.files, 0
            for rel, there in self._read.items():
                if isinstance(there, Head):
                    continue
                seen = files.get(rel)
                head = known(rel, seen) if seen is not None and not seen[4] else None
                if head is None or head.age != _age(there):
                    others += 1
                else:
                    self._read[rel] = head
            if others > _MANY:
                return  # they would all have to be read again
            for kept in (self._read, self._broken, self._order, self._headings, self.catalog_texts):
                kept.clear()
            self._listing, self._number = None, -1

    def catalogs(
        self, read: Callable[[str], str | None]
    ) -> tuple[dict[str, str | None], tuple[str, ...]]:
        """Return what each catalog file should hold (None: should not be there), and what is cut.

        Files are named, and given by `read`, by their path in the folder.
        """
        with self._lock:
            if not self._bring_up_to_date():
                return Listing(self._settings.catalog).files(read)
            if self._listing is None:
                self._listing = Listing(self._settings.catalog)
                self._list(self._read)
            others = {os.path.relpath(item.path, self.root) for item in self.problems}
            return self._listing.files(read, others)

    def _list(self, rels: Iterable[str]) -> None:
        """Put topics into the catalogs."""
        if self._listing is not None:
            fresh = {
                rel: heading_of(there) if isinstance(there, Topic) else there.heading(rel)
                for rel in rels
                for there in [self._read[rel]]
            }
            self._headings |= fresh
            self._listing.add(list(fresh.values()))

    def _bring_up_to_date(self) -> bool:
        """Read what changed; False when the folder is not the one that was opened."""
        try:
            real_root = os.path.realpath(self.root)
        except OSError:  # a link that went away while it was read
            real_root = ""
        if not real_root or real_root != (self._real or real_root):
            moved = f"{self.root} led to another folder when this memory was opened; open it again"
            self.problems = [Problem(PathEscape.code, moved, path=str(self.root))]
            self.catalog_texts.clear()
            return False
        number, changes = self._look.changes(
            self._number, lambda: {*self._read, *self._broken, *self.catalog_texts}
        )
        self._take_in(changes, real_root)
        self._number = number
        return True

    def _take_in(self, changes: Sequence[tuple[str, Seen | None]], real_root: str) -> None:
        known = self.known() if self.known is not None and changes else None
        ages = _Ages(self._journal, f"{real_root}/", whole=len(changes) > _MANY)
        fresh: list[str] = []
        places: list[tuple[float, str, str]] = []
        for rel, seen in changes:
            self._drop(rel)
            if seen is None or not is_topic_path(rel):
                continue
            # What a link leads to is looked at each time: whether it still lies in the folder.
            head = known(rel, seen) if known is not None and not seen[4] else None
            if head is not None:
                self._read[rel] = head
                places.append((-head.age, f"{self.root}/{rel}", rel))
                fresh.append(rel)
                continue
            read = read_topic(
                self.root,
                self.scope,
                rel,
                seen,
                ages.of,
                limit=self._settings.memory.max_file_bytes,
                real_root=real_root,
            )
            if isinstance(read, Problem):
                self._broken[rel] = read
                continue
            self._read[rel] = read
            places.append((-_age(read), read.path, rel))
            fresh.append(rel)
        self._order += places
        self._order.sort()  # what is sorted already costs little to sort again
        self._list(fresh)
        self.problems = [self._broken[rel] for rel in sorted(self._broken)]

    def _drop(self, rel: str) -> None:
        """Let go of what was read of a file."""
        self.catalog_texts.pop(rel, None)
        self._broken.pop(rel, None)
        known = self._read.pop(rel, None)
        if known is not None:
            place = (-_age(known), f"{self.root}/{rel}", rel)
            at = bisect_left(self._order, place)
            if self._order[at : at + 1] == [place]:
                del self._order[at]
        heading = self._headings.pop(rel, None)
        if heading is not None and self._listing is not None:
            self._listing.remove(heading)


def newest_of(folders: Iterable[ManagedFolder]) -> list[Topic]:
    """Return the topics of several folders, newest first."""
    found = [item for folder in folders for item in folder.aged_topics()]
    return [topic for _, _, topic in sorted(found, key=lambda item: item[:2])]


def read_topic(
    root: Path,
    scope: Scope,
    rel: str,
    seen: Seen,
    age: Callable[[str, str, str], datetime | None],
    *,
    limit: int,
    real_root: str = "",
) -> Topic | Problem:
    """Read one file; `age` tells by real path, text and signature since when it has its content.

    `real_root` is the real path of `root`, from a caller who knows it.
    """
    path = f"{root}/{rel}"
    if not is_text(rel):
        why = f"the name {storable(path)} is not UTF-8 text, so the file is not used; rename it"
        return Problem(NotText.code, why, path=storable(path))
    try:
        # Folders are entered only when they are real ones, so only the file itself may be a link.
        linked = seen[4]
        real = str(inside(root, path)) if linked else f"{real_root or os.path.realpath(root)}/{rel}"
        text = read_text(path, limit=limit)
    except ReverieError as error:
        return Problem(error.code, str(error), path=path)
    except FileNotFoundError:  # a folder above it went away while its path was followed
        text = None
    if text is None:
        return Problem("path_not_found", f"{path} was removed while it was read", path=path)
    updated = age(real, text, signature_of(seen))
    if updated is None:
        updated = datetime.fromtimestamp(seen[0] / 1e9, UTC)
    topic = parse_topic(text, path=path, rel=rel, scope=scope, updated=updated)
    return topic or Problem("not_a_topic", why_no_topic(text), path=path)


def _age(topic: Topic | Head) -> float:
    if isinstance(topic, Topic):
        return topic.updated.timestamp() if topic.updated else 0.0
    return topic.age


class _Ages:
    """Since when files have had their content, as the journal knows it."""

    def __init__(self, journal: JournalDb, prefix: str, *, whole: bool) -> None:
        self._journal = journal
        self._prefix = prefix
        self._whole = whole

    @cached_property
    def _states(self) -> Mapping[str, FileState]:
        return self._journal.file_states(self._prefix)

    def of(self, path: str, text: str, mark: str) -> datetime | None:
        """Return the age of a file's content, or None when the journal never saw it."""
        state = self._states.get(path) if self._whole else self._journal.file_state(path)
        if state and state.signature == mark:
            return state.at
        return self._journal.version(path, digest(text))
