"""Putting a file of stored words together, document by document."""

from __future__ import annotations

import zlib
from array import array
from itertools import accumulate
from time import time_ns
from typing import TYPE_CHECKING

from reverie.client import plainjson
from reverie.core.topics.scoring import own_tables
from reverie.local.recall.word_file import FEW, MAGIC, RACY_NS, encoded

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from typing import Any

    from reverie.core.topics.scoring import Tables
    from reverie.local.recall.overlay import Fresh
    from reverie.local.recall.word_file import Counts, Mark, WordFile


class Builder:
    """Puts a file together, document by document."""

    def __init__(self, *, key: str, profile: Mapping[str, Any]) -> None:
        self._head: dict[str, Any] = {"key": key, "profile": dict(profile)}
        self._marks: dict[str, tuple[int, int, int, int, int]] = {}
        self._postings: dict[str, array[int]] = {}
        self._lengths: list[int] = []
        self._ages: list[float] = []
        self._docs: list[bytes] = []
        self._young: list[int] = []

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
        counts: Mapping[str, Counts] | None = None,
        young: bool = False,
    ) -> int:
        """Add a topic; return its number, for whoever adds its postings from elsewhere."""
        number = len(self._docs)
        if young:
            self._young.append(number)
        self._marks[name] = (*mark, number)
        self._docs.append(doc)
        self._ages.append(age)
        self._lengths += lengths
        for term, found in (counts or {}).items():
            self._of(term).extend((number, *found))
        return number

    def add_postings(self, term: str, postings: Iterable[int]) -> None:
        """Add postings of documents that were added without counts."""
        self._of(term).extend(postings)

    def _of(self, term: str) -> array[int]:
        found = self._postings.get(term)
        if found is None:
            found = self._postings[term] = array("I")
        return found

    def build(self, tables: Tables) -> bytes:
        """Return the whole file."""
        classes: list[list[str]] = [[] for _ in range(2 * len(tables.shares))]
        for term, number in tables.everyday.items():
            classes[number + len(tables.shares)].append(term)
        held = sorted((encoded(term), found) for term, found in self._postings.items() if found)
        ends = list(accumulate(len(term) for term, _ in held))
        starts = [0, *accumulate(len(found) // 4 for _, found in held)]
        places = [0, *accumulate(map(len, self._docs))]
        postings = [found.tobytes() for _, found in held]
        times, sizes, inodes, changes, numbers = (
            list(zip(*self._marks.values(), strict=True)) or [()] * 5
        )
        sections = [
            encoded("\0".join(self._marks)),
            _array("q", times),
            _array("q", sizes),
            _array("Q", inodes),
            _array("q", changes),
            _array("q", numbers),
            _array("I", self._lengths),
            _array("d", self._ages),
            b"".join(term for term, _ in held),
            _array("I", ends),
            _array("Q", starts),
            encoded("\n".join(tables.common)),
            encoded("\n".join(" ".join(own) for own in classes)),
            _array("Q", places),
            _array("q", self._young),
            _array("I", [*map(zlib.crc32, postings), *map(zlib.crc32, self._docs)]),
        ]
        index = b"".join(section + bytes(-len(section) % 8) for section in sections)
        head = plainjson.dumps(
            self._head
            | {
                "totals": [sum(self._lengths[field::3]) for field in range(3)],
                "similar": {term: list(others) for term, others in tables.similar.items()},
                "shares": list(tables.shares),
                "sections": [*map(len, sections), sum(map(len, postings)), places[-1]],
            }
        ).encode()
        tables_of = (
            len(head).to_bytes(8, "little") + len(index).to_bytes(8, "little") + head + index
        )
        checksum = zlib.crc32(tables_of).to_bytes(4, "little")
        return b"".join((MAGIC, checksum, tables_of, *postings, *self._docs))


def built(
    base: WordFile | None,
    fresh: Mapping[str, Fresh],
    stale: Container[str],
    *,
    unsettled: Container[int],
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
    numbers: dict[int, int] = {}
    if base:
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
                counts=item.counts,
                young=name in young,
            )
    if base:
        same = len(numbers) == base.size
        for term, flat in base.all_postings():
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
    return maker.build(own_tables())


def _array(kind: str, values: Sequence[float]) -> bytes:
    return array(kind, values).tobytes()
