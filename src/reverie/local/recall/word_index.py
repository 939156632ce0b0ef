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
from reverie.local.store.listing import CATALOG, markdown_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from reverie.local.recall.word_file import Counts, Doc, Mark, WordFile

    Age = Callable[[str, str, str], datetime | None]
    Imported = Callable[[str, str], str]

MANY = 64
"""From so many changes on, the stored part is made anew in memory too."""


class Found:
    """A topic that answers, and how well."""

    __slots__ = ("doc", "matched", "path", "score")

    def __init__(self, doc: Doc, path: str, score: float, matched: frozenset[str]) -> None:
        self.doc = doc
        self.path = path
        self.score = score
        self.matched = matched


class _Fresh:
    """A file that is not in the stored part, read and counted."""

    __slots__ = ("age", "counts", "doc", "lengths", "mark")

    def __init__(
        self,
        mark: Mark,
        doc: Doc | None,
        age: float = 0.0,
        lengths: Counts = (),
        counts: Mapping[str, Counts] | None = None,
    ) -> None:
        self.mark = mark
        self.doc = doc
        self.age = age
        self.lengths = lengths
        self.counts = counts or {}


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
        self._fresh: dict[str, _Fresh] = {}
        self._dead: set[int] = set()
        self._unsaved = False

    @property
    def changed(self) -> bool:
        """Whether files changed since the words were stored."""
        return self._unsaved

    def find(self, query: str) -> tuple[list[Found], int]:
        """Rank the topics a question is about, best first; also tell how many topics there are."""
        self.refresh()
        base, fresh = self._base, [item for item in self._fresh.values() if item.doc]
        stored = base.size if base else 0
        size = stored - len(self._dead) + len(fresh)
        tables = (
            scoring.Tables(base.common, base.similar, base.everyday, base.shares) if base else None
        )
        question = scoring.read_question(query, tables)
        if question is None or not size:
            return [], size
        hits: dict[int, dict[str, Counts]] = {}
        lengths: dict[int, Counts] = {}
        for term in question.asked:
            if base:
                flat = base.postings(term)
                for at in range(0, len(flat), 4):
                    if flat[at] not in self._dead:
                        hits.setdefault(flat[at], {})[term] = flat[at + 1 : at + 4]
            for place, item in enumerate(fresh, stored):
                counts = item.counts.get(term)
                if counts is not None:
                    hits.setdefault(place, {})[term] = counts
        for place in hits:
            lengths[place] = (
                fresh[place - stored].lengths if place >= stored else base.lengths(place)  # type: ignore[union-attr]
            )
        scores = scoring.judge(
            question, hits, lengths=lengths, totals=self._totals(fresh), size=size
        )
        return self._best(scores, hits, fresh), size

    def _totals(self, fresh: Sequence[_Fresh]) -> list[int]:
        totals = list(self._base.totals) if self._base else [0, 0, 0]
        for item in fresh:
            totals = [a + b for a, b in zip(totals, item.lengths, strict=True)]
        for doc in self._dead:
            gone = self._base.lengths(doc) if self._base else (0, 0, 0)
            totals = [a - b for a, b in zip(totals, gone, strict=True)]
        return totals

    def _best(
        self,
        scores: Mapping[int, float],
        hits: Mapping[int, Mapping[str, Counts]],
        fresh: Sequence[_Fresh],
    ) -> list[Found]:
        if not scores:
            return []
        bar = max(scores.values()) * scoring.KEEP_SHARE
        base = self._base
        stored = base.size if base else 0
        best: list[tuple[float, float, str, Found]] = []
        for place, score in scores.items():
            if score < bar:
                continue
            if place >= stored:
                doc, age = fresh[place - stored].doc, fresh[place - stored].age
            else:
                doc, age = base.doc(place), base.age(place)  # type: ignore[union-attr]
            if doc is not None:
                path = f"{self.roots[doc.root]}/{doc.rel}"
                found = Found(doc, path, score, frozenset(hits[place]))
                best.append((-score, -age, path, found))
        return [found for *_, found in sorted(best, key=lambda item: item[:3])]

    # --- staying current --------------------------------------------------------------------------

    def refresh(self) -> None:
        """Look at every file; read those that the stored part does not know as they are."""
        if not self._looked:
            self._looked = True
            base = word_file.load(self.path)
            self._base = base if base and base.key == self.key else None
        marks = self._base.marks if self._base else {}
        seen: set[int] = set()
        fresh: dict[str, _Fresh] = {}
        known_files = 0
        for number, root in enumerate(self.roots):
            for rel, item, facts in markdown_files(root, ordered=False):
                if item.name.lower() == CATALOG:
                    continue
                name = f"{number}/{rel}"
                mark = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
                known = marks.get(name)
                if known and known[:3] == mark:
                    known_files += 1
                    if known[3] >= 0:
                        seen.add(known[3])
                    continue
                held = self._fresh.get(name)
                fresh[name] = (
                    held if held and held.mark == mark else self._read(number, rel, item, facts)
                )
        self._fresh = fresh
        size = self._base.size if self._base else 0
        self._dead = set(range(size)) - seen if len(seen) != size else set()
        self._unsaved = bool(fresh) or known_files != len(marks)
        if len(fresh) + len(self._dead) > MANY:
            self._merge()

    def _read(self, number: int, rel: str, item: os.DirEntry[str], facts: os.stat_result) -> _Fresh:
        from pathlib import Path

        from reverie.core.topics.relevance import term_counts
        from reverie.local.store.managed import read_topic
        from reverie.types import Scope, Topic

        mark = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
        scope = list(Scope)[number]
        topic = read_topic(
            Path(self.roots[number]), scope, rel, item, facts, self._age, limit=self._limit
        )
        if not isinstance(topic, Topic):
            return _Fresh(mark, None)
        texts = (topic.name, topic.description, topic.body)
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
        return _Fresh(
            mark,
            doc,
            topic.updated.timestamp() if topic.updated else 0.0,
            [scoring.text_length(text) for text in texts],
            term_counts(texts),
        )

    # --- storing ----------------------------------------------------------------------------------

    def save(self) -> bool:
        """Store what changed; files that changed in the last moments wait for the next time."""
        stored = self._base.profile if self._base else None
        if not self._looked or not (self._unsaved or stored != self.profile):
            return False
        word_file.store(self.path, self._built())
        return True

    def _merge(self) -> None:
        """Make the stored part anew in memory, so that the next questions are fast."""
        base = word_file.WordFile(self._built())
        self._fresh = {
            name: item
            for name, item in self._fresh.items()
            if base.marks.get(name, ())[:3] != item.mark
        }
        self._base, self._dead = base, set()

    def _built(self) -> bytes:
        from time import time_ns

        now = time_ns()
        maker = word_file.Builder(key=self.key, profile=self.profile)
        numbers = self._copied(maker) if self._base else {}
        for name, item in self._fresh.items():
            # A date in the future is no sign of youth: the next edit will bring today's.
            if now - word_file.RACY_NS < item.mark[0] <= now:
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
            for term, flat in self._base.all_postings():
                maker.add_postings(
                    term,
                    flat
                    if not self._dead
                    else [
                        value
                        for at in range(0, len(flat), 4)
                        if flat[at] in numbers
                        for value in (numbers[flat[at]], *flat[at + 1 : at + 4])
                    ],
                )
        tables = scoring.own_tables()
        return maker.build(tables)

    def _copied(self, maker: word_file.Builder) -> dict[int, int]:
        """Copy the documents that still count; return their new numbers."""
        base = self._base
        numbers: dict[int, int] = {}
        if base is None:
            return numbers
        gone = set(self._fresh)
        by_number = sorted(
            ((mark[3], name, mark[:3]) for name, mark in base.marks.items()),
            key=lambda item: item[0],
        )
        for number, name, mark in by_number:
            if name in gone or number in self._dead:
                continue
            if number < 0:
                maker.skip(name, mark)
            else:
                numbers[number] = maker.add(
                    name, mark, base.raw(number), age=base.age(number), lengths=base.lengths(number)
                )
        return numbers
