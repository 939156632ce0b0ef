"""The stored words of a memory: one file that a recall loads instead of reading every topic.

Rules:

* It is disposable. Whatever is wrong with it (torn, foreign, of another version) means that there is
  none; the topics' files are the memory.
* A topic is known by path, times, size and inode of its file. Whoever loads this looks at all files
  first; one that changed is read again, one that is gone does not count.
* A file changed in the last moments before it was read is not kept: a second change within the same
  tick of the clock could not be told apart.
* The layout is read in place: to look up ten words of a question, ten short ranges are decoded.
* It is read as data only, by formats that can hold nothing else: JSON, numbers, text. Bytes that
  somebody else put there can be wrong, but they cannot bring the interpreter down or run.

    magic, checksum | head (JSON) | names, marks, inodes | lengths | ages | terms in order and their ends,
    starts, postings | common words | everyday words, a line for each class | places, documents
"""

from __future__ import annotations

import os
import sys
import zlib
from _thread import allocate_lock
from _weakref import ref
from hashlib import sha256

from reverie.client import plainjson
from reverie.local.disk.regular import regular
from reverie.local.store.listing import signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from reverie.core.topics.scoring import Tables

    Counts = Sequence[int]
    Mark = tuple[int, int, int, int]

MAGIC = f"reverie-words 6 {sys.byteorder}\n".encode()
FOLDER = "recall"
CLEAN = "clean"
"""Where it is noted which texts hold no secret."""
ENDING = ".words"
"""Below the state folder: the stored words of each project, and what was found to hold no secret."""
RACY_NS = 2_000_000_000
"""Younger files are not kept; the coarsest clock of a file system in use has steps of two seconds."""
_POSTING = 16  # document, then how often in name, description, body
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


class WordFile:
    """A loaded file."""

    def __init__(self, data: bytes) -> None:
        """Raise ValueError for anything but a whole file of this very version."""
        start = len(MAGIC)
        if data[:start] != MAGIC or len(data) < start + 12:
            raise ValueError("not a word file of this version")
        checksum, size = (int.from_bytes(data[at : at + n], "little") for at, n in
                          ((start, 4), (start + 4, 8)))  # fmt: skip
        view = memoryview(data)
        if zlib.crc32(view[start + 4 :]) != checksum:
            raise ValueError("the word file is torn")
        try:
            head: dict[str, Any] = plainjson.loads(bytes(view[start + 12 : start + 12 + size]))
            sections = _cut(view[start + 12 + size :], head["sections"])
            self._fill(head, sections)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise ValueError("the word file is torn") from error

    def _fill(self, head: Mapping[str, Any], sections: Sequence[memoryview]) -> None:
        (
            names,
            marks,
            inodes,
            lengths,
            ages,
            terms,
            ends,
            starts,
            postings,
            common,
            daily,
            places,
            docs,
        ) = sections
        self.key: str = head["key"]
        self.profile: dict[str, Any] = head["profile"]
        self.similar: dict[str, list[str]] = head["similar"]
        self.totals: list[int] = head["totals"]
        self.common = frozenset(_text(common).split("\n"))
        self.shares: list[float] = head["shares"]
        self.everyday = {
            term: number
            for number, line in enumerate(_text(daily).split("\n"), -len(self.shares))
            for term in line.split(" ")
        }
        self._lengths = lengths.cast("I")
        self.all_lengths = self._lengths
        """How long name, description and body of each document are, three numbers in a row."""
        self._ages = ages.cast("d")
        self._terms = bytes(terms)
        self._ends = ends.cast("I")
        self._starts = starts.cast("Q")
        self._postings = postings
        self._places = places.cast("Q")
        self._docs = docs
        self.size = len(self._ages)
        facts = iter(marks.cast("q").tolist())
        # Times, sizes and documents are four in a row; inodes need the sign's bit too.
        rows = zip(facts, facts, inodes.cast("Q").tolist(), facts, facts, strict=True)
        self.marks: dict[str, tuple[int, int, int, int, int]] = dict(
            zip(_text(names).split("\0") if len(names) else (), rows, strict=True)
        )
        """For each file its mark and its document, -1 when it is no topic."""
        whole = (
            isinstance(self.key, str)
            and isinstance(self.profile, dict)
            and isinstance(self.similar, dict)
            and len(self.totals) == 3
            and max(self.everyday.values()) < len(self.shares)
            and len(self._lengths) == 3 * self.size
            and len(self._postings) % _POSTING == 0
            and len(self._places) == self.size + 1
            and len(self._starts) == len(self._ends) + 1
            and (self._ends[-1] if self._ends else 0) == len(self._terms)
            and all(mark[4] < self.size for mark in self.marks.values())
        )
        if not whole:
            raise ValueError("the word file is torn")

    def rows(self, term: str) -> memoryview:
        """Return document, name, description, body, document, ... for one term, as they lie in the file.

        Whoever does not read them by `listed` looks whether there are such documents.
        """
        number = self._number_of(_bytes(term))
        return self._postings[:0].cast("I") if number < 0 else self._rows(number)

    def listed(self, rows: memoryview) -> Sequence[int]:
        """Return rows as numbers; none where one names a document that is not there."""
        found = rows.tolist()
        return found if max(found[::4], default=-1) < self.size else ()

    def holding(self, term: str, most: int) -> Sequence[int] | None:
        """Return the documents that hold a term; None when they are more than `most`."""
        number = self._number_of(_bytes(term))
        if number < 0:
            return ()
        begin, end = self._starts[number], self._starts[number + 1]
        if end - begin > most:
            return None
        found = self._postings[begin * _POSTING : end * _POSTING].cast("I")[::4].tolist()
        return found if max(found, default=-1) < self.size else ()

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

    def all_postings(self) -> Iterator[tuple[str, Sequence[int]]]:
        """Yield every term that can be read, with its postings."""
        begin = 0
        for number, end in enumerate(self._ends):
            data, begin = self._terms[begin:end], end
            try:
                term = _text(data)
            except ValueError:  # no text: nobody can ask for it
                continue
            yield term, self.listed(self._rows(number))

    def _rows(self, number: int) -> memoryview:
        begin, end = self._starts[number] * _POSTING, self._starts[number + 1] * _POSTING
        return self._postings[begin:end].cast("I")

    def lengths(self, doc: int) -> Counts:
        """Return how long name, description and body are."""
        return self._lengths[3 * doc : 3 * doc + 3].tolist()

    def age(self, doc: int) -> float:
        """Return the time of a document as a number to sort by."""
        return float(self._ages[doc])

    def doc(self, number: int) -> Doc:
        """Return one document."""
        data = self.raw(number)
        head = 4 + int.from_bytes(data[:4], "little")
        root, rel, kind, name, description, updated, body, imported = plainjson.loads(data[4:head])
        text = _text(data[head:])
        return Doc(root, rel, kind, name, description, updated, body, text, imported)

    def raw(self, number: int) -> bytes:
        """Return one document as the file holds it."""
        return bytes(self._docs[self._places[number] : self._places[number + 1]])


class Builder:
    """Puts a file together, document by document."""

    def __init__(self, *, key: str, profile: Mapping[str, Any]) -> None:
        self._head: dict[str, Any] = {"key": key, "profile": dict(profile)}
        self._marks: dict[str, tuple[int, int, int, int, int]] = {}
        self._postings: dict[str, array[int]] = {}
        self._lengths: list[int] = []
        self._ages: list[float] = []
        self._docs: list[bytes] = []

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
    ) -> int:
        """Add a topic; return its number, for whoever adds its postings from elsewhere."""
        number = len(self._docs)
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
            from array import array

            found = self._postings[term] = array("I")
        return found

    def build(self, tables: Tables) -> bytes:
        """Return the whole file."""
        from array import array
        from itertools import accumulate

        classes: list[list[str]] = [[] for _ in range(2 * len(tables.shares))]
        for term, number in tables.everyday.items():
            classes[number + len(tables.shares)].append(term)
        held = sorted((_bytes(term), found) for term, found in self._postings.items() if found)
        ends = list(accumulate(len(term) for term, _ in held))
        starts = [0, *accumulate(len(found) // 4 for _, found in held)]
        flat = array("I")
        for _, found in held:
            flat.extend(found)
        places = [0, *accumulate(map(len, self._docs))]
        sections = [
            _bytes("\0".join(self._marks)),
            _array(
                "q", [value for mark in self._marks.values() for value in (*mark[:2], *mark[3:])]
            ),
            _array("Q", [mark[2] for mark in self._marks.values()]),
            _array("I", self._lengths),
            _array("d", self._ages),
            b"".join(term for term, _ in held),
            _array("I", ends),
            _array("Q", starts),
            flat.tobytes(),
            _bytes("\n".join(tables.common)),
            _bytes("\n".join(" ".join(own) for own in classes)),
            _array("Q", places),
            b"".join(self._docs),
        ]
        padded = [section + bytes(-len(section) % 8) for section in sections]
        head = plainjson.dumps(
            self._head
            | {
                "totals": [sum(self._lengths[field::3]) for field in range(3)],
                "similar": {term: list(others) for term, others in tables.similar.items()},
                "shares": list(tables.shares),
                "sections": [len(section) for section in sections],
            }
        ).encode()
        rest = len(head).to_bytes(8, "little") + head + b"".join(padded)
        return MAGIC + zlib.crc32(rest).to_bytes(4, "little") + rest


def word_path(state: str, base: str) -> str:
    """Return where the words of a project are stored; `base` is its root, or the folder itself."""
    name = sha256(os.fsencode(os.path.realpath(base))).hexdigest()[:24]
    return os.path.join(state, FOLDER, f"{name}{ENDING}")


def key_of(version: str, tokenizer: str, limit: int, roots: Sequence[str]) -> str:
    """Return what a file must have been made for to be of use."""
    return "\n".join((version, tokenizer, str(limit), *roots))


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
    """Load a file, once for all who use it at a time; None when there is none that can be used."""
    try:
        with open(path, "rb", opener=regular) as file:
            facts = os.fstat(file.fileno())
            head = file.read(len(MAGIC) + 12)  # its checksum is in it
            mark = path, facts.st_ino, facts.st_mtime_ns, facts.st_size, head
            with _loading:
                known = _loaded[mark]() if mark in _loaded else None
                if known is None:
                    known = WordFile(head + file.read())
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


def _array(kind: str, values: Sequence[float]) -> bytes:
    from array import array

    return array(kind, values).tobytes()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes | memoryview) -> str:
    return str(data, "utf-8", "surrogatepass")


def _cut(view: memoryview, lengths: Sequence[int]) -> list[memoryview]:
    """Take the sections apart; each begins at a multiple of eight, and together they are all there is."""
    found, at = [], 0
    for length in lengths:
        if length < 0:
            raise ValueError("the word file is torn")
        found.append(view[at : at + length])
        at += length + -length % 8
    if at != len(view):
        raise ValueError("the word file is torn")
    return found
