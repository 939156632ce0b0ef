"""Recall's own index: which topics share words with a question, without reading the topics.

Rules:

* Every question begins with a look at every file of the memory folders, so an edit counts at once.
* What is stored is the `wordfile`; files that changed since are read and counted on top of it. Of a few of
  them, what they add is stored beside it (`word_news`).
* The answer is the same, to the last bit of a score, as ranking the topics themselves.
* A hook does this at every prompt in a fresh process: nothing heavy is imported unless a file has
  changed. A file without a word file is a file that changed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial

from reverie.local.recall import word_file
from reverie.local.recall.current import Words
from reverie.local.recall.overlay import Fresh, Overlay, names_of
from reverie.local.recall.word_bytes import Torn, encoded, from_whole_words
from reverie.local.recall.word_news import News
from reverie.local.store.listing import CATALOG
from reverie.local.store.look import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from reverie.local.recall.overlay import Found
    from reverie.local.recall.word_file import Doc, WordFile
    from reverie.local.store.look import Seen

    Age = Callable[[str, str, str], datetime | None]
    Imported = Callable[[str, str], str]
    Kept = tuple[float, str, Callable[[], Doc]]
    """A topic's time, how a catalog lists it, and what gives it."""
    Known = Callable[[str, Seen], Kept | None]

_SAID = ("name:", "description:")
"""Lines of a head that say again what stands below it."""
MANY = 64
"""From so many changes on, and from half as many as are stored, the stored part is made anew in memory."""


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
        self._real_roots = ["" for _ in self._looks]
        """Where a folder really is, while many of its files are read."""
        self._fresh = Overlay(base.size if base else 0)
        self._dead: set[int] = set()
        """Stored documents that do not count any more."""
        self._stale: set[str] = set()
        """Stored names that do not count any more."""
        self._unsettled: set[int] = set()
        """Stored documents whose files were compared with them when a change could still leave no trace."""
        self._news = News(path, key)
        self._doubtful: set[str] = set()
        """The same among the files that came since."""
        self._merged = False
        self._saved = False
        """Whether all there is was stored, and nothing has changed since."""
        self._torn = False
        """Whether something stored turned out not to be whole."""

    @property
    def changed(self) -> bool:
        """Whether files changed since the words were stored."""
        return bool(self._merged or self._torn or self._fresh.items or self._stale)

    def _is_little(self) -> bool:
        """Say whether only a few files came or grew since; what is gone must not stay in what is stored."""
        few = self._base is not None and len(self._fresh.items) <= word_file.FEW
        return few and not (self._merged or self._torn) and all(map(self._only_grew, self._stale))

    def _only_grew(self, name: str) -> bool:
        """Say whether a file says still, line by line, what is stored of it; its name may be another."""
        item, base = self._fresh.items.get(name), self._base
        number = base.marks[name][4] if base else -1
        if base is None or item is None or item.doc is None or number < 0:
            return False
        try:
            before = base.doc(number)
        except Torn:
            self._torn = True
            return False
        text, head = item.doc.text, before.text[: before.body].splitlines()
        lines = [line.partition(":")[2] if line.startswith(_SAID) else line for line in head]
        lines += before.text[before.body :].splitlines()
        return all(line.strip() in text for line in lines)

    @from_whole_words
    def find(self, query: str) -> tuple[list[Found], int]:
        """Rank the topics a question is about, best first; also tell how many topics there are."""
        return self._now().find(query, roots=self.roots)

    @from_whole_words
    def near(self, keys: Sequence[str], root: int, most: int) -> list[Doc]:
        """Return the topics of one folder that share most of some words or keys, the rarest counting most."""
        return self._now().near(keys, root, most)

    @from_whole_words
    def holding(self, keys: Sequence[str], root: int) -> list[Doc]:
        """Return every topic of one folder that holds one of some keys; who asks is going to write."""
        for look in self._looks:
            look.again = True
        return self._now().holding(keys, root)

    @from_whole_words
    def docs(self) -> list[Doc]:
        """Return every topic, as they are now."""
        return self._now().docs()

    def _now(self) -> Words:
        self.refresh()
        return Words(self._base, self._fresh, self._dead)

    @from_whole_words
    def known(self, root: int) -> Known:
        """Look; return what gives a topic of one folder that is as it was seen."""
        self.refresh()
        base, fresh, stale = self._base, self._fresh, self._stale
        listed = base.catalog_lines() if base else []
        prefix = f"{root}/"

        def find(rel: str, seen: Seen) -> Kept | None:
            name = prefix + rel
            item = fresh.items.get(name)
            if item is not None:
                doc = item.doc
                same = doc and item.mark == seen[:4]
                return (item.age, item.listed, lambda: doc) if doc and same else None
            stored = base.marks.get(name) if base and name not in stale else None
            if base is None or stored is None or stored[4] < 0 or stored[:4] != seen[:4]:
                return None
            number = stored[4]
            give = partial(self._stored_or_read, base, number, root, rel, seen)
            return base.age(number), listed[number], give

        return find

    def _stored_or_read(
        self, base: WordFile, document: int, root: int, rel: str, seen: Seen
    ) -> Doc:
        """Return a stored topic; where it is not whole, its file is read."""
        try:
            return base.doc(document)
        except Torn:
            self._torn = True
            doc = self._read(root, rel, seen).doc
        if doc is None:
            from reverie.errors import StaleBase

            raise StaleBase(f"{self.roots[root]}/{rel} was changed while it was read; do it again")
        return doc

    # --- staying current --------------------------------------------------------------------------

    def refresh(self) -> None:
        """Look; read the files that the stored part does not know as they are."""
        if self._torn:
            self._torn = False
            self._do_without()
        if not self._looked:
            self._looked = True
            base = word_file.load(self.path)
            self._stand_on(base if base and base.key == self.key else None)
        if self._base is not None and not self._merged and min(self._numbers) < 0:
            self._news.load()
        for number, look in enumerate(self._looks):
            since, known = self._numbers[number], names_of(number, self._base, self._fresh)
            at, changes = look.changes(since, known)
            if since < 0:
                changes = self._not_stored(number, changes)
            self._saved = self._saved and not changes
            if (
                len(changes) >= MANY
            ):  # following its links again for each file took an eighth of the time
                self._real_roots[number] = _real(self.roots[number])
            for done, (rel, seen) in enumerate(changes):
                if rel[rel.rfind("/") + 1 :].lower() != CATALOG:
                    self._take_in(number, rel, seen, first=since < 0)
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
        from time import time_ns

        settled = time_ns() - word_file.RACY_NS
        prefix = f"{number}/"
        marks, young = (self._base.marks, self._base.young) if self._base else ({}, ())
        fresh: list[tuple[str, Seen | None]] = []
        known = 0
        for rel, seen in found:
            stored = marks.get(prefix + rel)
            if seen is not None and stored is not None:
                known += 1
                if stored[:4] == seen[:4]:
                    if stored[4] not in young:
                        continue
                    if seen[0] > settled:
                        self._unsettled.add(stored[4])
                    if self._is_as_stored(f"{self.roots[number]}/{rel}", stored[4]):
                        continue
            fresh.append((rel, seen))
        if known < (self._base.names[number] if self._base else 0):
            there = {prefix + rel for rel, seen in found if seen is not None}
            fresh += [
                (name[len(prefix) :], None)
                for name in marks
                if name.startswith(prefix) and name not in there
            ]
        return fresh

    def _is_as_stored(self, path: str, document: int) -> bool:
        """Compare a file with what is stored of it, where its times may not tell."""
        return _says(path, self._base.text_bytes(document))  # type: ignore[union-attr]

    def _take_in(self, number: int, rel: str, seen: Seen | None, *, first: bool = False) -> None:
        """Count a file as it is now, or not any more; at the first look also as it was counted before."""
        name = f"{number}/{rel}"
        stored = self._base.marks.get(name) if self._base else None
        if stored is not None:
            self._stale.add(name)
            if stored[4] >= 0:
                self._dead.add(stored[4])
        self._doubtful.discard(name)
        if seen is None:
            self._fresh.remove(name)
        else:
            kept = self._kept(name, f"{self.roots[number]}/{rel}", seen) if first else None
            self._fresh.add(name, kept or self._read(number, rel, seen))

    def _kept(self, name: str, path: str, seen: Seen) -> Fresh | None:
        """Return a file as an earlier process counted it, if it is still that."""
        from time import time_ns

        item = self._news.items.get(name)
        if item is None or item.mark != seen[:4]:
            return None
        if name in self._news.young:
            if item.doc is None or not _says(path, encoded(item.doc.text)):
                return None
            if seen[0] > time_ns() - word_file.RACY_NS:
                self._doubtful.add(name)
        return item

    def _read(self, number: int, rel: str, seen: Seen) -> Fresh:
        from reverie.local.recall.counting import counted

        return counted(
            self.roots[number],
            number,
            rel,
            seen,
            age=self._age,
            imported=self._imported,
            limit=self._limit,
            real_root=self._real_roots[number],
        )

    # --- storing ----------------------------------------------------------------------------------

    def is_worth_storing(self, *, thorough: bool = True) -> bool:
        """Say whether there is something to store; unless `thorough`, a few files are stored alone."""
        return self._looked and (self._is_to_be_made_anew(thorough=thorough) or self._is_more())

    def _is_to_be_made_anew(self, *, thorough: bool) -> bool:
        """Say whether all words are to be stored again."""
        stored = self._base.profile if self._base else None
        # When something is forgotten, all that is stored is thrown away.
        lost = stored != self.profile or not os.path.exists(self.path)
        if not self._looked or not (self.changed or lost):
            return False
        return thorough or lost or not self._is_little()

    def _is_more(self) -> bool:
        """Say whether the few files that came since are others than those that are stored."""
        return not self._saved and self._fresh.items != self._news.items

    @from_whole_words
    def save(self, *, thorough: bool = True) -> bool:
        """Store what changed; files that changed in the last moments wait for the next time."""
        if not self.is_worth_storing(thorough=thorough):
            return False
        few = None
        if not self._is_to_be_made_anew(thorough=thorough):
            few = self._news.packed(self._fresh.items, self._doubtful)
        if few is None or not self._fresh.items:
            self._news.drop()
        if few is None:
            word_file.store(self.path, self._built(stored=True))
        elif self._fresh.items:
            self._news.store(few, self._fresh.items)
        self._saved = True
        return True

    def rest(self) -> None:
        """Let go of the words, if others can be loaded: what few were not stored are read again."""
        if self._saved or not self._is_to_be_made_anew(thorough=False):
            self._stand_on(None)
            self._unsettled.clear()
            self._doubtful.clear()
            self._news.items.clear()
            self._numbers = [-1 for _ in self._looks]
            self._looked = self._merged = self._saved = False

    def _merge(self) -> None:
        """Make the stored part anew in memory, so that the next questions are fast."""
        self._stand_on(word_file.WordFile(self._built(stored=False)))
        self._merged = True

    def _built(self, *, stored: bool) -> bytes:
        from reverie.local.recall.word_builder import built

        return built(
            self._base,
            self._fresh.items,
            self._stale,
            unsettled=self._unsettled,
            key=self.key,
            profile=self.profile,
            stored=stored,
        )

    def _stand_on(self, base: WordFile | None) -> None:
        """Let something else be the stored part, with nothing on top of it."""
        self._base, self._fresh = base, Overlay(base.size if base else 0)
        self._dead, self._stale = set(), set()

    def _do_without(self) -> None:
        """The stored part is not whole: throw it away, and begin as if there had been none."""
        with suppress(OSError):
            os.unlink(self.path)
        self._stand_on(None)
        self._numbers = [-1 for _ in self._looks]
        self._looked = self._merged = True


def _real(root: str) -> str:
    try:
        return os.path.realpath(root)
    except OSError:  # a link that went away while it was followed
        return ""


def _says(path: str, text: bytes) -> bool:
    """Say whether a file holds just these bytes."""
    from reverie.local.disk.regular import regular_bytes

    try:
        return regular_bytes(path) == text
    except OSError:
        return False
