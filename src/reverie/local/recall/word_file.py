"""The stored words of a memory: one file that a recall loads instead of reading every topic.

Rules:

* It is disposable. Whatever is wrong with it (torn, foreign, of another version) means that there is
  none; the topics' files are the memory.
* A topic is known by path, times, size and inode of its file. Whoever loads this looks at all files
  first; one that changed is read again, one that is gone does not count.
* A second change within the same tick of the clock cannot be told by the file's times. So a file changed in
  the last moments before it was stored is noted as young: whoever loads this compares its text.
* Only the tables are loaded, a tenth of it. To look up ten words of a question, ten short ranges are read
  from the file, and then the documents that answer. Each has its checksum among the tables: what is not
  whole is found out when it is read, and then there is no file either.
* It is read as data only, by formats that can hold nothing else: JSON, numbers, text. Bytes that
  somebody else put there can be wrong, but they cannot bring the interpreter down or run.

    magic, checksum of the tables, lengths | head (JSON) | names, times, sizes, inodes, times of inodes,
    documents | lengths | ages | terms in order and their ends, starts | common words | everyday words, a line
    for each class | places | the young | checksums of what follows || postings | documents | their
    lines in catalogs
"""

from __future__ import annotations

import os
import sys
import zlib
from _thread import allocate_lock
from _weakref import ref
from bisect import bisect_right
from hashlib import sha256
from itertools import pairwise

from reverie.client import plainjson
from reverie.local.disk.regular import regular
from reverie.local.recall.word_bytes import InMemory, OnDisk, Torn, decoded, encoded
from reverie.local.store.listing import signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    Counts = Sequence[int]
    Mark = tuple[int, int, int, int]

MAGIC = f"reverie-words 7 {sys.byteorder}\n".encode()
FOLDER = "recall"
CLEAN = "clean"
"""Where it is noted which texts hold no secret."""
ENDING = ".words"
"""Below the state folder: the stored words of each project, and what was found to hold no secret."""
RACY_NS = 2_000_000_000
"""Of younger files, times say little; the coarsest clock of a file system in use has steps of two seconds."""
FEW = 32
"""So many new files are not worth storing everything again; so many young ones can be compared."""
HEAD_BYTES = 20  # the checksum, and how long the head and the tables are
LISTED = "1"
"""Raise it with every change of what is stored of catalogs (`core.topics.catalog.sub_line`)."""
_ONE_BY_ONE = 8  # for so many documents the postings are looked through for each by itself
POSTING = 16
"""Document, then how often in name, description, body."""
_loaded: dict[tuple[str, int, int, int, bytes], ref[WordFile]] = {}
_loading = allocate_lock()


class Doc:
    """One topic as recall needs it."""

    __slots__ = (
        "body", "description", "imported", "kind", "name", "rel", "root", "text", "updated",
    )  # fmt: skip

    def __init__(
        self,
        root: int,
        rel: str,
        kind: str,
        name: str,
        description: str,
        updated: str,
        body: int,
        text: str,
        imported: str,
    ) -> None:
        self.root = root
        self.rel = rel
        self.kind = kind
        self.name = name
        self.description = description
        self.updated = updated
        """When its content came to be, as ISO text; empty when nobody knows."""
        self.body = body
        """Where in the text the body begins."""
        self.text = text
        self.imported = imported
        """From where and when it was imported; empty when it was not."""

    def packed(self) -> bytes:
        """Return it as the file holds it."""
        facts = [
            self.root,
            self.rel,
            self.kind,
            self.name,
            self.description,
            self.updated,
            self.body,
            self.imported,
        ]
        head = plainjson.dumps(facts).encode()
        return len(head).to_bytes(4, "little") + head + self.text.encode("utf-8", "surrogatepass")


def unpacked(data: bytes) -> Doc:
    """Return one document from what the file holds of it."""
    head = 4 + int.from_bytes(data[:4], "little")
    try:
        root, rel, kind, name, description, updated, body, imported = plainjson.loads(data[4:head])
        text = decoded(data[head:])
    except (ValueError, TypeError) as error:
        raise Torn from error
    return Doc(root, rel, kind, name, description, updated, body, text, imported)


class WordFile:
    """A stored file: its tables are loaded, postings and documents are read when they are asked for."""

    def __init__(self, data: bytes | InMemory | OnDisk) -> None:
        """Raise ValueError for anything but a file of this very version whose tables are whole.

        Later, whatever reads postings or documents raises Torn when these are not.
        """
        self._source = source = InMemory(data) if isinstance(data, bytes) else data
        start = len(MAGIC)
        first = source.read(0, start + HEAD_BYTES) if source.size > start + HEAD_BYTES else b""
        if first[:start] != MAGIC:
            raise ValueError("not a word file of this version")
        checksum, head_bytes, index_bytes = (
            int.from_bytes(first[start + at : start + at + n], "little")
            for at, n in ((0, 4), (4, 8), (12, 8))
        )
        begin = start + HEAD_BYTES
        if begin + head_bytes + index_bytes > source.size:
            raise Torn
        tables = memoryview(source.read(begin, head_bytes + index_bytes))
        if zlib.crc32(tables, zlib.crc32(first[start + 4 :])) != checksum:
            raise Torn
        try:
            head: dict[str, Any] = plainjson.loads(bytes(tables[:head_bytes]))
            *lengths, postings, docs, listed = head["sections"]
            self._fill(head, _cut(tables[head_bytes:], lengths))
            self._postings_at = begin + head_bytes + index_bytes
            self._docs_at = self._postings_at + postings
            self._listed_at = self._docs_at + docs
            whole = (
                postings == self._starts[-1] * POSTING
                and docs == self._places[-1]
                and self._listed_at + listed == source.size
            )
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise Torn from error
        if not whole:
            raise Torn

    def _fill(self, head: Mapping[str, Any], sections: Sequence[memoryview]) -> None:
        (
            names,
            times,
            sizes,
            inodes,
            changes,
            numbers,
            lengths,
            ages,
            terms,
            ends,
            starts,
            common,
            daily,
            places,
            young,
            sums,
        ) = sections
        self.key: str = head["key"]
        self.profile: dict[str, Any] = head["profile"]
        self.similar: dict[str, list[str]] = head["similar"]
        self.totals: list[int] = head["totals"]
        self.common = frozenset(decoded(common).split("\n"))
        self.shares: list[float] = head["shares"]
        self.everyday = {
            term: number
            for number, line in enumerate(decoded(daily).split("\n"), -len(self.shares))
            for term in line.split(" ")
        }
        self._lengths = lengths.cast("I")
        self.length_rows = self._lengths
        """How long name, description and body of each document are, three numbers in a row."""
        self._ages = ages.cast("d")
        self._terms = bytes(terms)
        self._ends = ends.cast("I")
        self._starts = starts.cast("Q")
        self._places = places.cast("Q")
        self._sums = sums.cast("I")
        self.young = frozenset(young.cast("q").tolist())
        """The documents whose files have to be compared with them."""
        self.size = len(self._ages)
        documents = numbers.cast("q").tolist()
        rows = zip(
            times.cast("q").tolist(),
            sizes.cast("q").tolist(),
            inodes.cast("Q").tolist(),
            changes.cast("q").tolist(),
            documents,
            strict=True,
        )
        listed = f"\0{decoded(names)}" if len(names) else ""
        self.marks: dict[str, tuple[int, int, int, int, int]] = dict(
            zip(listed.split("\0")[1:], rows, strict=True)
        )
        """For each file its mark and its document, -1 when it is no topic."""
        self.names = [listed.count(f"\0{root}/") for root in range(2)]
        """How many of them each folder has."""
        whole = (
            isinstance(self.key, str)
            and isinstance(self.profile, dict)
            and isinstance(self.similar, dict)
            and len(self.totals) == 3
            and max(self.everyday.values()) < len(self.shares)
            and len(self._lengths) == 3 * self.size
            and len(self._places) == self.size + 1
            and len(self._starts) == len(self._ends) + 1
            and len(self._sums) == len(self._ends) + self.size + 1
            and (self._ends[-1] if self._ends else 0) == len(self._terms)
            and max(documents, default=-1) < self.size
        )
        if not whole:
            raise Torn

    def rows(self, term: str) -> memoryview:
        """Return document, name, description, body, document, ... for one term, as they lie in the file.

        Whoever does not read them by `numbers` looks whether there are such documents.
        """
        number = self._number_of(encoded(term))
        return memoryview(b"").cast("I") if number < 0 else self._rows(number)

    def numbers(self, rows: memoryview) -> Sequence[int]:
        """Return rows as numbers."""
        found = rows.tolist()
        if max(found[::4], default=-1) >= self.size:
            raise Torn
        return found

    def holding(self, term: str, most: int) -> Sequence[int] | None:
        """Return the documents that hold a term; None when they are more than `most`."""
        number = self._number_of(encoded(term))
        if number < 0:
            return ()
        if self._starts[number + 1] - self._starts[number] > most:
            return None
        return self.numbers(self._rows(number))[::4]

    def _number_of(self, term: bytes) -> int:
        """Look a term up among those in order; -1 when it is not there."""
        terms, ends = self._terms, self._ends
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high) // 2
            if terms[ends[middle - 1] if middle else 0 : ends[middle]] < term:
                low = middle + 1
            else:
                high = middle
        there = low < len(ends) and terms[ends[low - 1] if low else 0 : ends[low]] == term
        return low if there else -1

    def all_postings(self) -> Iterator[tuple[bytes, memoryview]]:
        """Yield every term with its postings, both as they are stored."""
        flat = memoryview(self._source.read(self._postings_at, self._starts[-1] * POSTING))
        terms, begin, first = self._terms, 0, 0
        rows = zip(self._ends, self._starts[1:], self._sums, strict=False)
        for end, last, checksum in rows:
            found = flat[first * POSTING : last * POSTING]
            if zlib.crc32(found) != checksum:
                raise Torn
            yield terms[begin:end], found
            begin, first = end, last

    def terms_of(self, documents: Collection[int]) -> list[bytes]:
        """Return the terms that some documents hold."""
        flat = self._source.read(self._postings_at, self._starts[-1] * POSTING)
        column = memoryview(flat).cast("I")[::4].tobytes()
        held: set[int] = set()
        if len(documents) > _ONE_BY_ONE:  # every term is looked at once, however many they are
            wanted, rows = set(documents), memoryview(column).cast("I").tolist()
            spans = enumerate(pairwise(self._starts.tolist()))
            held = {at for at, (begin, end) in spans if not wanted.isdisjoint(rows[begin:end])}
            documents = ()
        for document in documents:
            sought, at = document.to_bytes(4, sys.byteorder), -1
            while (at := column.find(sought, at + 1)) >= 0:
                if at % 4 == 0:
                    held.add(bisect_right(self._starts, at // 4) - 1)
        ends = self._ends
        return [self._terms[ends[at - 1] if at else 0 : ends[at]] for at in sorted(held)]

    def all_raw(self) -> Iterator[bytes]:
        """Yield every document as the file holds it."""
        data = self._source.read(self._docs_at, self._places[-1])
        first = len(self._ends)
        for number in range(self.size):
            found = data[self._places[number] : self._places[number + 1]]
            if zlib.crc32(found) != self._sums[first + number]:
                raise Torn
            yield found

    def _rows(self, number: int) -> memoryview:
        begin, end = self._starts[number] * POSTING, self._starts[number + 1] * POSTING
        data = self._piece(self._postings_at, begin, end)
        if zlib.crc32(data) != self._sums[number]:
            raise Torn
        return memoryview(data).cast("I")

    def _piece(self, section: int, begin: int, end: int) -> bytes:
        if not 0 <= begin <= end <= self._source.size:
            raise Torn
        return self._source.read(section + begin, end - begin)

    def lengths(self, doc: int) -> Counts:
        """Return how long name, description and body are."""
        return self._lengths[3 * doc : 3 * doc + 3].tolist()

    def age(self, doc: int) -> float:
        """Return the time of a document as a number to sort by."""
        return float(self._ages[doc])

    def doc(self, number: int) -> Doc:
        """Return one document."""
        return unpacked(self.raw(number))

    def catalog_lines(self) -> list[str]:
        """Return for every document its kind, a tab, and its line in a sub-catalog."""
        data = self._source.read(self._listed_at, self._source.size - self._listed_at)
        if zlib.crc32(data) != self._sums[-1]:
            raise Torn
        found = decoded(data).split("\n") if self.size else []
        if len(found) != self.size or not all("\t" in line for line in found):
            raise Torn
        return found

    def text_bytes(self, number: int) -> bytes:
        """Return the text of a document as its file holds it."""
        data = self.raw(number)
        return data[4 + int.from_bytes(data[:4], "little") :]

    def raw(self, number: int) -> bytes:
        """Return one document as the file holds it."""
        data = self._piece(self._docs_at, self._places[number], self._places[number + 1])
        if zlib.crc32(data) != self._sums[len(self._ends) + number]:
            raise Torn
        return data


def word_path(state: str, base: str) -> str:
    """Return where the words of a project are stored; `base` is its root, or the folder itself."""
    name = sha256(os.fsencode(os.path.realpath(base))).hexdigest()[:24]
    return os.path.join(state, FOLDER, f"{name}{ENDING}")


def key_of(version: str, tokenizer: str, limit: int, roots: Sequence[str]) -> str:
    """Return what a file must have been made for to be of use."""
    return "\n".join((version, tokenizer, LISTED, str(limit), *roots))


def file_mark(path: str) -> str:
    """Return what changes when a settings file does; a folder, or nothing there, has no mark."""
    try:
        facts = os.stat(path)
    except OSError:
        return ""
    return signature(facts) if os.path.isfile(path) else ""


def purge(state: str) -> None:
    """Throw away everything we stored: something was forgotten. What else lies there is not ours."""
    folder = os.path.join(state, FOLDER)
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in filter(_is_ours, names):
        try:
            os.unlink(os.path.join(folder, name))
        except (FileNotFoundError, IsADirectoryError):
            continue  # somebody else was faster, or put a folder there


def _is_ours(name: str) -> bool:
    """Say whether we gave a file its name: the folder may be a link to somebody's own."""
    return f"{ENDING}." in f"{name}." or name.partition(".")[0] == CLEAN


def load(path: str) -> WordFile | None:
    """Open a file, once for all who use it at a time; None when there is none that can be used."""
    try:
        descriptor = regular(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    file = OnDisk(descriptor)
    try:
        facts = os.fstat(descriptor)
        # The checksum of the tables is in it, and theirs of all the rest are among these.
        mark = path, facts.st_ino, facts.st_mtime_ns, facts.st_size, file.read(0, len(MAGIC) + 4)
        with _loading:
            known = _loaded[mark]() if mark in _loaded else None
            if known is None:
                known = WordFile(file)
                _loaded[mark] = ref(known, lambda _: _loaded.pop(mark, None))
        return known
    except (OSError, ValueError):
        return None


def store(path: str, data: bytes) -> None:
    """Put a file in place; readers see the old one or the new one."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    temp = f"{path}.{os.getpid()}.tmp"
    try:
        descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temp, path)
    except OSError:
        if os.path.exists(temp):
            os.unlink(temp)
        raise


def _cut(view: memoryview, lengths: Sequence[int]) -> list[memoryview]:
    """Take the sections apart; each begins at a multiple of eight, and together they are all there is."""
    found, at = [], 0
    for length in lengths:
        if length < 0:
            raise Torn
        found.append(view[at : at + length])
        at += length + -length % 8
    if at != len(view):
        raise Torn
    return found
