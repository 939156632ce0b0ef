"""What came since the words were stored: a few files, read and counted, in a small file beside them.

Rules:

* To store every word again costs what all of them cost. So what a few files add is kept here, until they
  are more, or something else is to be stored.
* A file counts as it was counted for as long as its times, size and inode are the same; one that was young is
  compared with its text, as among the stored words.
* It is disposable, thrown away with the words whenever something is forgotten, and read as data only.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from time import time_ns

from reverie.client import plainjson
from reverie.local.disk.regular import regular
from reverie.local.recall import word_file
from reverie.local.recall.overlay import Fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from typing import Any

ENDING = ".since"
MOST_BYTES = 1_000_000
_MAGIC = b"reverie-since 1\n"
_FIELDS = (int, str, str, str, str, str, int, str, str)
"""What a topic is made of, as in `Doc`."""


class News:
    """The files of one stored part, each as it was counted."""

    def __init__(self, path: str, key: str) -> None:
        self._path = f"{path}{ENDING}"
        self._key = key
        self.items: dict[str, Fresh] = {}
        self.young: set[str] = set()
        """Those whose files have to be compared with them."""

    def load(self) -> None:
        """Take in what is there; what cannot be used counts as nothing."""
        self.items, self.young = {}, set()
        try:
            with open(self._path, "rb", opener=regular) as file:
                data = file.read(MOST_BYTES + 1)
        except OSError:
            return
        start = len(_MAGIC) + 4
        said = data[start:]
        if (
            len(data) > MOST_BYTES
            or not data.startswith(_MAGIC)
            or zlib.crc32(said).to_bytes(4, "little") != data[len(_MAGIC) : start]
        ):
            return
        try:
            told = plainjson.loads(said)
            if told["key"] != self._key:
                return
            items = {str(name): _unpacked(rest) for name, *rest, _ in told["items"]}
            self.young = {str(name) for name, *_, young in told["items"] if young is not False}
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return
        self.items = items

    def packed(self, items: Mapping[str, Fresh], doubtful: Container[str]) -> bytes | None:
        """Return what the file is to hold; None when that is too much.

        Args:
            items: The files by name.
            doubtful: Those that were compared, or read, when a change could still leave no trace.
        """
        now = time_ns()
        rows = []
        for name, item in items.items():
            young = name in doubtful or now - 2 * word_file.RACY_NS < item.mark[0] <= now
            rows.append([name, *_packed(item), young])
        said = plainjson.dumps({"key": self._key, "items": rows}).encode()
        data = b"".join((_MAGIC, zlib.crc32(said).to_bytes(4, "little"), said))
        return data if len(data) <= MOST_BYTES else None

    def store(self, data: bytes, items: Mapping[str, Fresh]) -> None:
        """Put it in place; readers see the old one or the new one."""
        word_file.store(self._path, data)
        self.items = dict(items)

    def drop(self) -> None:
        """Throw it away: all of it was stored elsewhere, or is gone."""
        self.items, self.young = {}, set()
        with suppress(OSError):
            os.unlink(self._path)


def _packed(item: Fresh) -> list[Any]:
    doc = item.doc
    facts = None
    if doc is not None:
        facts = [
            doc.root, doc.rel, doc.kind, doc.name, doc.description, doc.updated, doc.body, doc.text,
            doc.imported,
        ]  # fmt: skip
    counts = {term: list(found) for term, found in item.counts.items()}
    return [list(item.mark), item.age, list(item.lengths), item.listed, counts, facts]


def _unpacked(told: list[Any]) -> Fresh:
    """Return a file from what was kept of it; ValueError when that can be nothing of ours."""
    mark, age, lengths, listed, counts, facts = told
    doc = None
    if facts is not None:
        whole = len(facts) == len(_FIELDS) and all(map(isinstance, facts, _FIELDS))
        if not (whole and facts[0] in (0, 1) and 0 <= facts[6] <= len(facts[7]) and "\t" in listed):
            raise ValueError("this is no topic")
        doc = word_file.Doc(*facts)
    if not (
        _are_counts(mark, 4)
        and isinstance(age, float | int)
        and isinstance(listed, str)
        and (_are_counts(lengths, 3) or (doc is None and lengths == []))
        and all(_are_counts(found, 3) for found in counts.values())
    ):
        raise ValueError("these are no counts")
    first, size, inode, changed = mark
    return Fresh((first, size, inode, changed), doc, float(age), lengths, counts, listed)


def _are_counts(found: object, size: int) -> bool:
    return (
        isinstance(found, list)
        and len(found) == size
        and all(isinstance(number, int) and number >= 0 for number in found)
    )
