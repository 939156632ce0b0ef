"""What counts besides the stored words: the files that were read since; and what a recall finds."""

from __future__ import annotations

from reverie.client import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.local.recall.word_file import Counts, Doc, Mark, WordFile


class Found:
    """A topic that answers, and how well."""

    __slots__ = ("_give", "matched", "path", "score")

    def __init__(
        self,
        path: str,
        score: float,
        matched: frozenset[str],
        give: Callable[[], Doc],
    ) -> None:
        self.path = path
        self.score = score
        self.matched = matched
        self._give = give

    @property
    def doc(self) -> Doc:
        """The topic itself, which is read out only for those that are shown."""
        return self._give()


class Lengths(dict[int, "Counts"]):
    """How long the fields of documents are, found out for those that are asked for."""

    def __init__(self, give: Callable[[int], Counts]) -> None:
        super().__init__()
        self._give = give

    def __missing__(self, place: int) -> Counts:
        return self._give(place)


class Fresh:
    """A file that is not in the stored part, read and counted."""

    __slots__ = ("age", "counts", "doc", "lengths", "listed", "mark")

    def __init__(
        self,
        mark: Mark,
        doc: Doc | None,
        age: float = 0.0,
        lengths: Counts = (),
        counts: Mapping[str, Counts] | None = None,
        listed: str = "",
    ) -> None:
        self.mark = mark
        self.doc = doc
        self.age = age
        self.lengths = lengths
        self.counts = counts or {}
        self.listed = listed
        """Its kind, a tab, and its line in a sub-catalog."""


class Overlay:
    """What counts besides the stored part: the files read since."""

    def __init__(self, first: int) -> None:
        self.items: dict[str, Fresh] = {}
        self.docs: dict[int, Fresh] = {}
        """The topics among them, each by a number of its own."""
        self._next = first
        self._numbers: dict[str, int] = {}
        self._postings: dict[str, dict[int, Counts]] = {}
        self._waiting: list[int] = []
        """Those whose words are not among the postings yet: after a first reading nobody asks for them."""

    def add(self, name: str, item: Fresh) -> None:
        """Put in a file that was read; it takes the place of what was read of it before."""
        self.remove(name)
        self.items[name] = item
        if item.doc is None:
            return
        number, self._next = self._next, self._next + 1
        self._numbers[name] = number
        self.docs[number] = item
        self._waiting.append(number)

    def _take_in(self) -> None:
        """Put what was added among the postings."""
        waiting, self._waiting = self._waiting, []
        for number in waiting:
            for term, counts in self.docs[number].counts.items():
                self._postings.setdefault(term, {})[number] = counts

    def remove(self, name: str) -> None:
        """Take out a file, if it is there."""
        item = self.items.pop(name, None)
        number = self._numbers.pop(name, None)
        if item is None or number is None:
            return
        self._take_in()
        del self.docs[number]
        for term in item.counts:
            held = self._postings[term]
            del held[number]
            if not held:
                del self._postings[term]

    def __len__(self) -> int:
        """Count the words that are kept."""
        self._take_in()
        return len(self._postings)

    def postings(self, term: str) -> Mapping[int, Counts]:
        """Return the documents that hold a term, and how often."""
        self._take_in()
        return self._postings.get(term, {})


def names_of(number: int, base: WordFile | None, fresh: Overlay) -> Callable[[], list[str]]:
    """Return what names the files of one of the folders that are stored or were read since."""

    def names() -> list[str]:
        prefix = f"{number}/"
        held = (*(base.marks if base else ()), *fresh.items)
        return [name[len(prefix) :] for name in held if name.startswith(prefix)]

    return names


def place_of(packed: bytes) -> tuple[int, str]:
    """Return folder and path of a stored document from its head alone: `[0, "feedback/tabs.md", ...`."""
    head = packed[4 : 4 + int.from_bytes(packed[:4], "little")]
    root, _, rest = head.partition(b', "')
    rel = rest[: rest.find(b'"')]
    if b"\\" in rel:
        root, rel = plainjson.loads(head)[:2]
        return root, rel
    return int(root[1:]), str(rel, "ascii")
