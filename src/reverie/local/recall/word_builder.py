"""Putting a file of stored words together, document by document."""

from __future__ import annotations

import zlib
from array import array
from itertools import accumulate
from time import time_ns
from typing import TYPE_CHECKING

from reverie.client import plainjson
from reverie.core.topics.scoring import own_tables
from reverie.local.recall.word_bytes import encoded
from reverie.local.recall.word_file import FEW, MAGIC, POSTING, RACY_NS

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Mapping
    from typing import Any

    from reverie.core.topics.scoring import Tables
    from reverie.local.recall.overlay import Fresh
    from reverie.local.recall.word_file import Counts, Mark, WordFile


class Builder:
    """Puts a file together, document by document."""

    def __init__(self, *, key: str, profile: Mapping[str, Any]) -> None:
        self._head: dict[str, Any] = {"key": key, "profile": dict(profile)}
        self._marks: dict[str, tuple[int, int, int, int, int]] = {}
        self._postings: dict[bytes, array[int] | memoryview] = {}
        """By term; as they were stored, until somebody adds to them."""
        self._lengths: list[int] = []
        self._ages: list[float] = []
        self._docs: list[bytes] = []
        self._young: list[int] = []
        self._listed: list[str] = []

    def skip(self, name: str, mark: Mark) -> None:
        """Note a file that is no topic, so that nobody reads it again."""
        self._marks[name] = (*mark, -1)

    def add(
        self,
        name: str,
        mark: Mark,
        doc: bytes,
        *,
        age: float,
        lengths: Counts,
        listed: str = "",
        counts: Mapping[str, Counts] | None = None,
        young: bool = False,
    ) -> int:
        """Add a topic; return its number, for whoever adds its postings from elsewhere."""
        number = len(self._docs)
        if young:
            self._young.append(number)
        self._marks[name] = (*mark, number)
        self._docs.append(doc)
        self._listed.append(listed)
        self._ages.append(age)
        self._lengths += lengths
        for term, found in (counts or {}).items():
            self._of(encoded(term)).extend((number, *found))
        return number

    def replace(
        self,
        name: str,
        mark: Mark,
        doc: bytes,
        *,
        age: float,
        lengths: Counts,
        listed: str,
        counts: Mapping[str, Counts],
        young: bool,
    ) -> None:
        """Put a topic in the place of what was taken over of it."""
        number = self._marks[name][4]
        if young:
            self._young.append(number)
        self._marks[name] = (*mark, number)
        self._docs[number], self._listed[number], self._ages[number] = doc, listed, age
        self._lengths[3 * number : 3 * number + 3] = lengths
        for term, found in counts.items():
            self._of(encoded(term)).extend((number, *found))

    def add_postings(self, term: bytes, postings: Iterable[int]) -> None:
        """Add postings of documents that were added without counts."""
        self._of(term).extend(postings)

    def take_over(self, base: WordFile, *, replaced: Collection[int], young: Iterable[int]) -> None:
        """Begin with all that was stored, but without the words of what is going to be replaced."""
        self._marks = dict(base.marks)
        self._docs = list(base.all_raw())
        self._listed = base.catalog_lines()
        self._ages = [base.age(number) for number in range(base.size)]
        self._lengths = base.length_rows.tolist()
        self._young = [number for number in young if number not in replaced]
        self._postings = dict(base.all_postings())
        gone = set(replaced)
        for term in base.terms_of(gone):
            rows = self._of(term)
            kept = array("I")
            for at in range(0, len(rows), 4):
                if rows[at] not in gone:
                    kept.extend(rows[at : at + 4])
            self._postings[term] = kept

    def _of(self, term: bytes) -> array[int]:
        found = self._postings.get(term)
        if not isinstance(found, array):
            found = self._postings[term] = array("I", bytes(found) if found else b"")
        return found

    def build(self, tables: Tables) -> bytes:
        """Return the whole file."""
        classes: list[list[str]] = [[] for _ in range(2 * len(tables.shares))]
        for term, number in tables.everyday.items():
            classes[number + len(tables.shares)].append(term)
        held = sorted(term for term, found in self._postings.items() if found)
        postings = [
            found.tobytes() if isinstance(found, array) else found
            for found in map(self._postings.__getitem__, held)
        ]
        ends = list(accumulate(map(len, held)))
        starts = [0, *accumulate(len(found) // POSTING for found in postings)]
        places = [0, *accumulate(map(len, self._docs))]
        times, sizes, inodes, changes, numbers = (
            list(zip(*self._marks.values(), strict=True)) or [()] * 5
        )
        listed = encoded("\n".join(self._listed))
        sections = [
            encoded("\0".join(self._marks)),
            _array("q", times),
            _array("q", sizes),
            _array("Q", inodes),
            _array("q", changes),
            _array("q", numbers),
            _array("I", self._lengths),
            _array("d", self._ages),
            b"".join(held),
            _array("I", ends),
            _array("Q", starts),
            encoded("\n".join(tables.common)),
            encoded("\n".join(" ".join(own) for own in classes)),
            _array("Q", places),
            _array("q", self._young),
            _array("I", map(zlib.crc32, (*postings, *self._docs, listed))),
        ]
        index = b"".join(section + bytes(-len(section) % 8) for section in sections)
        head = plainjson.dumps(
            self._head
            | {
                "totals": [sum(self._lengths[field::3]) for field in range(3)],
                "similar": {term: list(others) for term, others in tables.similar.items()},
                "shares": list(tables.shares),
                "sections": [
                    *map(len, sections),
                    sum(map(len, postings)),
                    places[-1],
                    len(listed),
                ],
            }
        ).encode()
        tables_of = (
            len(head).to_bytes(8, "little") + len(index).to_bytes(8, "little") + head + index
        )
        checksum = zlib.crc32(tables_of).to_bytes(4, "little")
        return b"".join((MAGIC, checksum, tables_of, *postings, *self._docs, listed))


def built(
    base: WordFile | None,
    fresh: Mapping[str, Fresh],
    stale: Container[str],
    *,
    unsettled: Collection[int],
    key: str,
    profile: Mapping[str, Any],
    stored: bool,
) -> bytes:
    """Return the whole file anew.

    Args:
        base: What there was.
        fresh: The files that were read since, by name.
        stale: The names in what there was that do not count any more.
        unsettled: The documents in it whose files were so young when they were compared that another change
            may have left no trace.
        key: What it is made for.
        profile: Kept in it.
        stored: Whether another process may read it. It compares the files that are young now; of more than
            `FEW` it reads them all.
    """
    maker = Builder(key=key, profile=profile)
    now = time_ns()

    def is_young(mark: Mark) -> bool:
        # A date in the future is no sign of youth: the next edit will bring today's.
        return stored and now - RACY_NS < mark[0] <= now

    names = [name for name in base.marks if name not in stale] if base else []
    marks: dict[str, Mark] = {name: base.marks[name][:4] for name in names} if base else {}
    marks |= {name: item.mark for name, item in fresh.items()}
    young = {name for name, mark in marks.items() if is_young(mark)}
    left_out = young if len(young) > FEW else set()
    if base and not left_out and _is_replaced(base, fresh, stale):
        _take_over(maker, base, fresh, stale, young, unsettled)
        return maker.build(own_tables())
    numbers: dict[int, int] = {}
    if base:
        listed = base.catalog_lines()
        for name in sorted(names, key=lambda name: base.marks[name][4]):
            number = base.marks[name][4]
            if number < 0 and name not in young:
                maker.skip(name, marks[name])
            elif number >= 0 and name not in left_out:
                numbers[number] = maker.add(
                    name,
                    marks[name],
                    base.raw(number),
                    age=base.age(number),
                    lengths=base.lengths(number),
                    listed=listed[number],
                    young=name in young or number in unsettled,
                )
    for name, item in fresh.items():
        if item.doc is None and name not in young:
            maker.skip(name, item.mark)
        elif item.doc is not None and name not in left_out:
            maker.add(
                name,
                item.mark,
                item.doc.packed(),
                age=item.age,
                lengths=item.lengths,
                listed=item.listed,
                counts=item.counts,
                young=name in young,
            )
    if base:
        same = len(numbers) == base.size
        for term, found in base.all_postings():
            flat = found.cast("I").tolist()
            if not same:
                flat = [
                    value
                    for at in range(0, len(flat), 4)
                    if flat[at] in numbers
                    for value in (numbers[flat[at]], *flat[at + 1 : at + 4])
                ]
            maker.add_postings(term, flat)
    return maker.build(own_tables())


def _is_replaced(base: WordFile, fresh: Mapping[str, Fresh], stale: Container[str]) -> bool:
    """Say whether every topic that does not count any more has another in its place."""
    for name, mark in base.marks.items():
        if name in stale and (name not in fresh or fresh[name].doc is None or mark[4] < 0):
            return False
    return all(item.doc is not None for item in fresh.values())


def _take_over(
    maker: Builder,
    base: WordFile,
    fresh: Mapping[str, Fresh],
    stale: Container[str],
    young: Container[str],
    unsettled: Iterable[int],
) -> None:
    """Put what is new into what was stored: the rest of it is copied as it is."""
    replaced = [base.marks[name][4] for name in fresh if name in stale]
    maker.take_over(base, replaced=replaced, young=unsettled)
    for name, item in fresh.items():
        doc = item.doc
        if doc is None:
            continue
        put = maker.replace if name in stale else maker.add
        put(
            name,
            item.mark,
            doc.packed(),
            age=item.age,
            lengths=item.lengths,
            listed=item.listed,
            counts=item.counts,
            young=name in young,
        )


def _array(kind: str, values: Iterable[float]) -> bytes:
    return array(kind, values).tobytes()
