"""The stored words of a memory: one file that a recall loads instead of reading every topic.

Rules:

* It is disposable. Whatever is wrong with it (torn, foreign, of another version) means that there is
  none; the topics' files are the memory.
* A topic is known by path, time, size and inode of its file. Whoever loads this looks at all files
  first; one that changed is read again, one that is gone does not count.
* A file changed in the last moments before it was read is not kept: a second change within the same
  tick of the clock could not be told apart.
* The layout is read in place: to look up ten words of a question, ten short ranges are decoded.

    magic, checksum | head (marshal) | lengths | ages | postings | documents
"""

from __future__ import annotations

import marshal
import os
import sys
import zlib

from reverie.core.hashing import sha256
from reverie.local.listing import signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Counts = Sequence[int]
    Mark = tuple[int, int, int]

MAGIC = f"reverie-words 1 {sys.implementation.cache_tag} {sys.byteorder}\n".encode()
FOLDER = "recall"
"""Below the state folder: the stored words of each project, and what was found to hold no secret."""
RACY_NS = 2_000_000_000
"""Younger files are not kept; the coarsest clock of a file system in use has steps of two seconds."""
_POSTING = 16  # document, then how often in name, description, body


class Doc:
    """One topic as recall needs it."""

    __slots__ = ("body", "description", "kind", "name", "rel", "root", "text", "updated")

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

    def packed(self) -> bytes:
        """Return it as the file holds it."""
        return marshal.dumps(
            (self.root, self.rel, self.kind, self.name, self.description, self.updated, self.body,
             self.text.encode("utf-8", "surrogatepass"))
        )  # fmt: skip


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
            head: dict[str, Any] = marshal.loads(view[start + 12 : start + 12 + size])  # noqa: S302  # our own, checked
            at = start + 12 + size
            sections = []
            for length in head["sections"]:
                sections.append(view[at : at + length])
                at += length
        except (EOFError, TypeError, KeyError) as error:
            raise ValueError("the word file is torn") from error
        self.key: str = head["key"]
        self.profile: dict[str, Any] = head["profile"]
        self.marks: dict[str, tuple[int, int, int, int]] = head["marks"]
        """For each file its mark and its document, -1 when it is no topic."""
        self.terms: dict[str, tuple[int, int]] = head["terms"]
        self.totals: tuple[int, int, int] = head["totals"]
        self.common: frozenset[str] = head["common"]
        self.similar: dict[str, tuple[str, ...]] = head["similar"]
        self._lengths = sections[0].cast("I")
        self._ages = sections[1].cast("d")
        self._postings = sections[2]
        self._places = sections[3].cast("Q")
        self._docs = sections[4]
        self.size = len(self._ages)

    def postings(self, term: str) -> Sequence[int]:
        """Return document, name, description, body, document, ... for one term."""
        place = self.terms.get(term)
        if place is None:
            return ()
        first, count = place
        begin = first * _POSTING
        return self._postings[begin : begin + count * _POSTING].cast("I").tolist()

    def lengths(self, doc: int) -> Counts:
        """Return how long name, description and body are."""
        return self._lengths[3 * doc : 3 * doc + 3].tolist()

    def age(self, doc: int) -> float:
        """Return the time of a document as a number to sort by."""
        return float(self._ages[doc])

    def doc(self, number: int) -> Doc:
        """Return one document."""
        facts: Sequence[Any] = marshal.loads(self.raw(number))  # noqa: S302
        root, rel, kind, name, description, updated, body, text = facts
        text = str(text, "utf-8", "surrogatepass")
        return Doc(root, rel, kind, name, description, updated, body, text)

    def raw(self, number: int) -> bytes:
        """Return one document as the file holds it."""
        return bytes(self._docs[self._places[number] : self._places[number + 1]])


class Builder:
    """Puts a file together, document by document."""

    def __init__(self, *, key: str, profile: Mapping[str, Any]) -> None:
        self._head: dict[str, Any] = {"key": key, "profile": dict(profile)}
        self._marks: dict[str, tuple[int, int, int, int]] = {}
        self._postings: dict[str, list[int]] = {}
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
            self._postings.setdefault(term, []).extend((number, *found))
        return number

    def add_postings(self, term: str, postings: Iterable[int]) -> None:
        """Add postings of documents that were added without counts."""
        self._postings.setdefault(term, []).extend(postings)

    def build(self, *, common: frozenset[str], similar: Mapping[str, tuple[str, ...]]) -> bytes:
        """Return the whole file."""
        terms: dict[str, tuple[int, int]] = {}
        flat: list[int] = []
        for term, postings in self._postings.items():
            if postings:
                terms[term] = (len(flat) // 4, len(postings) // 4)
                flat += postings
        places = [0]
        for doc in self._docs:
            places.append(places[-1] + len(doc))
        sections = [_array("I", self._lengths), _array("d", self._ages), _array("I", flat),
                    _array("Q", places), b"".join(self._docs)]  # fmt: skip
        head = marshal.dumps(
            self._head | {
                "marks": self._marks,
                "terms": terms,
                "totals": tuple(sum(self._lengths[field::3]) for field in range(3)),
                "common": common,
                "similar": dict(similar),
                "sections": [len(section) for section in sections],
            }
        )  # fmt: skip
        rest = len(head).to_bytes(8, "little") + head + b"".join(sections)
        return MAGIC + zlib.crc32(rest).to_bytes(4, "little") + rest


def word_path(state: str, base: str) -> str:
    """Return where the words of a project are stored; `base` is its root, or the folder itself."""
    name = sha256(os.fsencode(os.path.realpath(base))).hexdigest()[:24]
    return os.path.join(state, FOLDER, f"{name}.words")


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
    """Throw away everything stored: something was forgotten."""
    folder = os.path.join(state, FOLDER)
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        try:
            os.unlink(os.path.join(folder, name))
        except FileNotFoundError:
            continue  # somebody else was faster


def load(path: str) -> WordFile | None:
    """Load a file; None when there is none that can be used."""
    try:
        with open(path, "rb") as file:
            return WordFile(file.read())
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
