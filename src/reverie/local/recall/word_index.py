"""Recall's own index: which topics share words with a question, without reading the topics.

Rules:

* Every question begins with a look at every file of the memory folders, so an edit counts at once.
* What is stored is the `wordfile`; files that changed since are read and counted on top of it.
* The answer is the same, to the last bit of a score, as ranking the topics themselves.
* A hook does this at every prompt in a fresh process: nothing heavy is imported unless a file has
  changed. A file without a word file is a file that changed.
"""

from __future__ import annotations

import os

from reverie.core.topics import scoring
from reverie.local.recall import word_file
from reverie.local.recall.counted import Words
from reverie.local.recall.overlay import Fresh, Overlay, names_of
from reverie.local.store.listing import CATALOG
from reverie.local.store.look import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from reverie.local.recall.overlay import Found
    from reverie.local.recall.word_file import Doc, Mark, WordFile
    from reverie.local.store.look import Seen

    Age = Callable[[str, str, str], datetime | None]
    Imported = Callable[[str, str], str]
    Known = Callable[[str, Seen], tuple[float, Callable[[], Doc]] | None]

MANY = 64
"""From so many changes on, and from half as many as are stored, the stored part is made anew in memory."""
FEW = 32
"""So many new files are not worth storing everything again."""


class RecallIndex:
    """The words of the topics in some memory folders."""

    def __init__(
        self,
        path: str,
        roots: Sequence[str],
        *,
        key: str,
        age: Age,
        limit: int,
        imported: Imported = lambda *_: "",
        profile: Mapping[str, Any] | None = None,
        base: WordFile | None = None,
        looks: Sequence[Look] = (),
    ) -> None:
        """Open it.

        Args:
            path: Where the stored part is.
            roots: The memory folders, the person's first, then the project's.
            key: What the stored part must have been made for.
            age: Tells by real path, text and signature since when a file has its content.
            limit: Larger files are no topics.
            imported: Tells by real path and text from where a file was imported.
            profile: Kept in the stored part for whoever loads only that.
            base: The stored part, where it was loaded already.
            looks: How the folders are looked at, where somebody else does, too.
        """
        self.path = path
        self.roots = list(roots)
        self.key = key
        self.profile = dict(profile or {})
        self._age = age
        self._imported = imported
        self._limit = limit
        self._base = base
        self._looked = base is not None
        self._looks = list(looks) or [Look(root) for root in self.roots]
        self._numbers = [-1 for _ in self._looks]
        self._fresh = Overlay(base.size if base else 0)
        self._dead: set[int] = set()
        """Stored documents that do not count any more."""
        self._stale: set[str] = set()
        """Stored names that do not count any more."""
        self._merged = False

    @property
    def changed(self) -> bool:
        """Whether files changed since the words were stored."""
        return bool(self._merged or self._fresh.items or self._stale)

    def _is_little(self) -> bool:
        """Say whether only a few files came since; what is gone must not stay in what is stored."""
        few = self._base is not None and len(self._fresh.items) <= FEW
        return few and not (self._merged or self._stale)

    def find(self, query: str) -> tuple[list[Found], int]:
        """Rank the topics a question is about, best first; also tell how many topics there are."""
        return self._now().find(query, roots=self.roots)

    def near(self, keys: Sequence[str], root: int, most: int) -> list[Doc]:
        """Return the topics of one folder that share most of some words or keys, the rarest counting most."""
        return self._now().near(keys, root, most)

    def holding(self, keys: Sequence[str], root: int) -> list[Doc]:
        """Return every topic of one folder that holds one of some keys; who asks is going to write."""
        for look in self._looks:
            look.again = True
        return self._now().holding(keys, root)

    def docs(self) -> list[Doc]:
        """Return every topic, as they are now."""
        return self._now().docs()

    def _now(self) -> Words:
        self.refresh()
        return Words(self._base, self._fresh, self._dead)

    def known(self, root: int) -> Known:
        """Look; return what gives a topic of one folder that is as it was seen: its time, and itself."""
        self.refresh()
        base, fresh, stale = self._base, self._fresh, self._stale
        prefix = f"{root}/"

        def find(rel: str, seen: Seen) -> tuple[float, Callable[[], Doc]] | None:
            name = prefix + rel
            item = fresh.items.get(name)
            if item is not None:
                doc = item.doc
                return (item.age, lambda: doc) if doc and item.mark == seen[:4] else None
            stored = base.marks.get(name) if base and name not in stale else None
            if base is None or stored is None or stored[4] < 0 or stored[:4] != seen[:4]:
                return None
            number = stored[4]
            return base.age(number), lambda: base.doc(number)

        return find

    # --- staying current --------------------------------------------------------------------------

    def refresh(self) -> None:
        """Look; read the files that the stored part does not know as they are."""
        if not self._looked:
            self._looked = True
            base = word_file.load(self.path)
            self._base = base if base and base.key == self.key else None
            self._fresh = Overlay(self._base.size if self._base else 0)
        for number, look in enumerate(self._looks):
            since, known = self._numbers[number], names_of(number, self._base, self._fresh)
            at, changes = look.changes(since, known)
            if since < 0:
                changes = self._not_stored(number, changes)
            for done, (rel, seen) in enumerate(changes):
                if rel[rel.rfind("/") + 1 :].lower() != CATALOG:
                    self._take_in(number, rel, seen)
                if done % MANY == MANY - 1:
                    from reverie.progress import tell

                    tell("reading memories", done, len(changes))
            self._numbers[number] = at
        size = self._base.size if self._base else 0
        if len(self._fresh.items) + len(self._dead) > max(MANY, size // 2):
            self._merge()

    def _not_stored(
        self, number: int, found: Sequence[tuple[str, Seen | None]]
    ) -> list[tuple[str, Seen | None]]:
        """Choose the files that are not as they are stored; also those that are stored and gone."""
        prefix = f"{number}/"
        marks = self._base.marks if self._base else {}
        fresh: list[tuple[str, Seen | None]] = []
        known = 0
        for item in found:
            stored, seen = marks.get(prefix + item[0]), item[1]
            if seen is not None and stored is not None:
                known += 1
                if stored[:4] == seen[:4]:
                    continue
            fresh.append(item)
        if known < len(marks):
            there = {prefix + rel for rel, seen in found if seen is not None}
            fresh += [
                (name[len(prefix) :], None)
                for name in marks
                if name.startswith(prefix) and name not in there
            ]
        return fresh

    def _take_in(self, number: int, rel: str, seen: Seen | None) -> None:
        """Count a file as it is now, or not any more."""
        name = f"{number}/{rel}"
        stored = self._base.marks.get(name) if self._base else None
        if stored is not None:
            self._stale.add(name)
            if stored[4] >= 0:
                self._dead.add(stored[4])
        if seen is None:
            self._fresh.remove(name)
        else:
            self._fresh.add(name, self._read(number, rel, seen))

    def _read(self, number: int, rel: str, seen: Seen) -> Fresh:
        from pathlib import Path

        from reverie.core.topics.candidates import entry_keys
        from reverie.core.topics.relevance import term_counts
        from reverie.local.store.managed import read_topic
        from reverie.types import Scope, Topic

        mark = seen[:4]
        scope = list(Scope)[number]
        topic = read_topic(Path(self.roots[number]), scope, rel, seen, self._age, limit=self._limit)
        if not isinstance(topic, Topic):
            return Fresh(mark, None)
        texts = (topic.name, topic.description, topic.body)
        counts = term_counts(texts)
        counts.update((key, [0, 0, 1]) for key in entry_keys(topic.entries))
        doc = word_file.Doc(
            number,
            rel,
            topic.kind.value,
            topic.name,
            topic.description,
            topic.updated.isoformat() if topic.updated else "",
            len(topic.text) - len(topic.body),
            topic.text,
            self._imported(os.path.realpath(topic.path), topic.text),
        )
        return Fresh(
            mark,
            doc,
            topic.updated.timestamp() if topic.updated else 0.0,
            [scoring.text_length(text) for text in texts],
            counts,
        )

    # --- storing ----------------------------------------------------------------------------------

    def is_worth_storing(self, *, thorough: bool = True) -> bool:
        """Say whether there is something to store; unless `thorough`, a few new files are not enough."""
        stored = self._base.profile if self._base else None
        if not self._looked or not (self.changed or stored != self.profile):
            return False
        return thorough or stored != self.profile or not self._is_little()

    def save(self, *, thorough: bool = True) -> bool:
        """Store what changed; files that changed in the last moments wait for the next time."""
        if not self.is_worth_storing(thorough=thorough):
            return False
        word_file.store(self.path, self._built(keep_young=False))
        return True

    def _merge(self) -> None:
        """Make the stored part anew in memory, so that the next questions are fast."""
        base = word_file.WordFile(self._built(keep_young=True))
        self._base, self._fresh = base, Overlay(base.size)
        self._dead, self._stale = set(), set()
        self._merged = True

    def _built(self, *, keep_young: bool) -> bytes:
        from time import time_ns

        now = time_ns()
        maker = word_file.Builder(key=self.key, profile=self.profile)

        def is_kept(mark: Mark) -> bool:
            # A date in the future is no sign of youth: the next edit will bring today's.
            return keep_young or not now - word_file.RACY_NS < mark[0] <= now

        numbers = self._copied(maker, is_kept) if self._base else {}
        for name, item in self._fresh.items.items():
            if not is_kept(item.mark):
                continue
            if item.doc is None:
                maker.skip(name, item.mark)
            else:
                maker.add(
                    name,
                    item.mark,
                    item.doc.packed(),
                    age=item.age,
                    lengths=item.lengths,
                    counts=item.counts,
                )
        if self._base:
            same = len(numbers) == self._base.size
            for term, flat in self._base.all_postings():
                maker.add_postings(
                    term,
                    flat
                    if same
                    else [
                        value
                        for at in range(0, len(flat), 4)
                        if flat[at] in numbers
                        for value in (numbers[flat[at]], *flat[at + 1 : at + 4])
                    ],
                )
        return maker.build(scoring.own_tables())

    def _copied(self, maker: word_file.Builder, is_kept: Callable[[Mark], bool]) -> dict[int, int]:
        """Copy the documents that still count; return their new numbers."""
        base = self._base
        numbers: dict[int, int] = {}
        if base is None:
            return numbers
        by_number = sorted(
            ((mark[4], name, mark[:4]) for name, mark in base.marks.items()),
            key=lambda item: item[0],
        )
        for number, name, mark in by_number:
            if name in self._stale or not is_kept(mark):
                continue
            if number < 0:
                maker.skip(name, mark)
            else:
                numbers[number] = maker.add(
                    name, mark, base.raw(number), age=base.age(number), lengths=base.lengths(number)
                )
        return numbers
