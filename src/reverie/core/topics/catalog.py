"""The catalog `MEMORY.md`: one line per topic, within limits, and nothing lost beyond them.

Rules:

* A line is `- [name](path) — description`; pinned topics first, then the newest. The same topics
  always give the same text.
* What does not fit is listed in `<kind>/MEMORY.md`, to which the main catalog links. No agent reads
  a file of that name as a topic.
* Names and descriptions cannot forge links, lines, comments or direction changes.
* Lines written by hand stay: those before the first catalog line above it, the others below.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import unquote

from reverie.core.text.plain import newline_of
from reverie.core.text.remembered import remembered
from reverie.core.topics.topic import CATALOG_NAME as CATALOG_NAME
from reverie.types import Kind, Problem

if TYPE_CHECKING:
    from reverie.config import CatalogSettings
    from reverie.types import Topic

_Order: TypeAlias = tuple[bool, float, str]
"""Pinned first, then the newest, then by path."""


class Heading:
    """What a catalog lists of a topic."""

    __slots__ = ("_give", "_label", "kind", "line", "order", "rel")

    def __init__(
        self, order: _Order, rel: str, kind: Kind, line: str, give: Callable[[], tuple[str, str]]
    ) -> None:
        self.order = order
        self.rel = rel
        self.kind = kind
        self.line = line
        """Its line in a sub-catalog."""
        self._give: Callable[[], tuple[str, str]] | None = give
        self._label = ("", "")

    def label(self) -> tuple[str, str]:
        """Return name and description, which only the first few hundred topics are asked for."""
        if self._give is not None:
            self._label, self._give = self._give(), None
        return self._label


SUBCATALOGS: Final = tuple(f"{kind.value}/{CATALOG_NAME}" for kind in Kind)
GENERATED: Final = "<!-- generated: the rest of the list in ../MEMORY.md -->"
MAX_LABEL_CHARS: Final = 120
ELLIPSIS: Final = "…"

_LINE: Final = re.compile(
    r"[-*+] \[(?:[^\[\]]++|\[[^\[\]]*+\])*+\]\((?P<target>(?![a-z]+:)[^()\s]+\.md)\)(?:\s.*)?",
    re.IGNORECASE,
)
_PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9._~/-]*")
_MARKED: Final = re.compile(r"[\[\]`<]")
_TAG: Final = re.compile(r"<(?=[/!?A-Za-z])")
_FEW: Final = 32  # so many are put in one by one
_REMEMBERED: Final = 16_384  # names are made safe again at every write, and hardly ever change
_JOINERS: Final = "\u200c\u200d"  # words in Persian and families of emoji need them


@dataclass(frozen=True, slots=True)
class Catalog:
    """A rendered catalog of one memory folder."""

    text: str
    subcatalogs: Mapping[str, str] = field(default_factory=dict)
    """Path in the memory folder -> text, for the kinds that did not fit."""
    notes: tuple[str, ...] = ()
    """What did not fit, and where it is listed."""


def stale_catalog(path: str) -> Problem:
    """Tell of a catalog that does not list what is there."""
    return Problem(
        "catalog_stale",
        f"{path} does not match the memories beside it",
        path,
        fix="reverie init",
    )


class Listing:
    """The topics of a folder in the catalog's order, kept while topics come and go.

    What it renders is what a listing made anew of the same topics would render.
    """

    def __init__(self, settings: CatalogSettings, topics: Iterable[Topic] = ()) -> None:
        self._settings = settings
        self._ordered: list[Heading] = []
        self._places: dict[Kind, list[_Order]] = {kind: [] for kind in Kind}
        self._lines: dict[Kind, list[str]] = {kind: [] for kind in Kind}
        """The lines of the sub-catalogs, if nothing were listed above them; beside them their places."""
        self.add(list(map(heading_of, topics)))

    def add(self, fresh: Collection[Heading]) -> None:
        """Put in topics that are not there yet."""
        if len(fresh) <= _FEW:
            for topic in fresh:
                insort(self._ordered, topic, key=_place)
                places = self._places[topic.kind]
                at = bisect_left(places, topic.order)
                places.insert(at, topic.order)
                self._lines[topic.kind].insert(at, topic.line)
            return
        self._ordered = sorted((*self._ordered, *fresh), key=_place)
        for kind in Kind:
            own = [topic for topic in self._ordered if topic.kind is kind]
            self._places[kind] = [topic.order for topic in own]
            self._lines[kind] = [topic.line for topic in own]

    def remove(self, topic: Heading) -> None:
        """Take a topic out; one that is not there is no matter."""
        places = self._places[topic.kind]
        at = bisect_left(places, topic.order)
        if at < len(places) and places[at] == topic.order:
            del places[at], self._lines[topic.kind][at]
            del self._ordered[bisect_left(self._ordered, topic.order, key=_place)]

    def render(self, existing: str | None, others: Collection[str] = ()) -> Catalog:
        """Render the catalog; hand-written lines of the existing one stay.

        `others` are Markdown files of the folder that are no topics: hand-written lines that link to
        them are kept, while lines that link to nothing are dropped.
        """
        settings = self._settings
        above, below = _prose(existing or "", others)
        end = newline_of(existing or "")
        if len(self._ordered) <= settings.max_lines:  # of more, a line each cannot fit
            lines = [_line_of(topic, settings.max_line_chars) for topic in self._ordered]
            text = _assemble(above, lines, below, end)
            if all(lines) and _fits(text, settings):
                return Catalog(text)
        shown, passed, skipped = self._split(above, below, end)
        rest = {kind: left for kind in Kind if (left := self._rest(kind, passed, skipped))}
        links = [_link(kind, len(left)) for kind, left in rest.items()]
        text = _assemble(above, [*shown, *links], below, end)
        return Catalog(
            text,
            {_sub_path(kind): _subcatalog(left, end) for kind, left in rest.items()},
            _notes({kind: len(left) for kind, left in rest.items()}, text, settings),
        )

    def files(
        self, read: Callable[[str], str | None], others: Collection[str] = ()
    ) -> tuple[dict[str, str | None], tuple[str, ...]]:
        """Return what each catalog file of a folder should hold (None: not be there), and what is cut.

        `read` gives a file by its path in the folder.
        """
        catalog = self.render(read(CATALOG_NAME), others)
        files: dict[str, str | None] = {CATALOG_NAME: catalog.text}
        notes = list(catalog.notes)
        for rel in SUBCATALOGS:
            text = catalog.subcatalogs.get(rel)
            old = read(rel)
            if old is not None and not is_generated(old):
                if text is not None:
                    notes.append(
                        f"{rel} is not ours, so the rest of that list is not written there"
                    )
            elif text is not None or old is not None:
                files[rel] = text
        return files, tuple(notes)

    def _split(
        self, above: list[str], below: list[str], end: str
    ) -> tuple[list[str], int, list[Heading]]:
        """Take lines in order until a limit is reached; what is left over goes to the sub-catalogs.

        Return the lines, how many topics they are of, and which of these have none: it is too long.
        """
        settings = self._settings
        prose = _assemble(above, ["x"], below, end)
        links = [_link(kind, len(self._ordered)) for kind in Kind]
        room_lines = settings.max_lines - prose.count("\n") + 1 - len(links)
        room_bytes = settings.max_bytes - _size(prose) - sum(_size(link + end) for link in links)
        shown: list[str] = []
        skipped: list[Heading] = []
        for number, topic in enumerate(self._ordered):
            line = _line_of(topic, settings.max_line_chars)
            cost = _size(line + end)
            if len(shown) >= room_lines or cost > room_bytes:
                return shown, number, skipped
            if line:
                shown.append(line)
                room_bytes -= cost
            else:
                skipped.append(topic)
        return shown, len(self._ordered), skipped

    def _rest(self, kind: Kind, passed: int, skipped: Sequence[Heading]) -> list[str]:
        """Return the lines of a kind that are not shown above."""
        before = sum(topic.kind is kind for topic in self._ordered[:passed])
        left = self._lines[kind][before:]
        return [*(topic.line for topic in skipped if topic.kind is kind), *left]


def render_catalog(
    topics: Iterable[Topic],
    *,
    settings: CatalogSettings,
    existing: str | None,
    others: Collection[str] = (),
) -> Catalog:
    """Render the catalog of one scope; see `Listing.render`."""
    return Listing(settings, topics).render(existing, others)


def catalog_files(
    topics: Iterable[Topic],
    *,
    settings: CatalogSettings,
    read: Callable[[str], str | None],
    others: Collection[str] = (),
) -> tuple[dict[str, str | None], tuple[str, ...]]:
    """Return what each catalog file of a folder should hold; see `Listing.files`."""
    return Listing(settings, topics).files(read, others)


def is_generated(text: str) -> bool:
    """Tell whether a sub-catalog is ours to replace or remove."""
    return text.startswith(GENERATED)


@remembered(_REMEMBERED)
def safe_label(text: str, limit: int = MAX_LABEL_CHARS) -> str:
    """Make a text safe inside a catalog line: one line, no links, no code, no hidden characters."""
    # What is printable is safe as it is, in any script.
    kept = text if text.isprintable() else "".join(_safe_char(char) for char in text)
    if _MARKED.search(kept):
        kept = kept.replace("[", "(").replace("]", ")").replace("`", "'")
        kept = _TAG.sub("‹", kept)
    return shorten(" ".join(kept.split()), limit)


@remembered(_REMEMBERED)
def safe_path(rel: str) -> str:
    """Percent-encode what would end or change a link; letters of any script stay readable."""
    if _PLAIN_PATH.fullmatch(rel):
        return rel
    return "".join(
        char if char in "._~-/" or (char.isalnum() or unicodedata.category(char)[0] == "M") else
        "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))
        for char in rel
    )  # fmt: skip


def shorten(text: str, limit: int) -> str:
    """Cut a text to a number of characters, with an ellipsis, never inside a combined character."""
    if len(text) <= limit:
        return text
    at = max(limit - 1, 0)
    while at and (
        unicodedata.combining(text[at]) or text[at] in _JOINERS or text[at - 1] in _JOINERS
    ):
        at -= 1
    return text[:at].rstrip() + ELLIPSIS if limit > 0 else ""


def _safe_char(char: str) -> str:
    if char in _JOINERS:
        return char
    category = unicodedata.category(char)
    if category == "Cf":  # bidi controls, zero width, tags
        return ""
    return " " if category in ("Cc", "Cs", "Zl", "Zp") else char


def _place(topic: Heading) -> _Order:
    return topic.order


def heading_of(topic: Topic) -> Heading:
    """Return what a catalog lists of a topic."""
    age = topic.updated.timestamp() if topic.updated else 0.0
    order = (not topic.pinned, -age, topic.rel)
    label = topic.name, topic.description
    line = sub_line(topic.rel, topic.kind, *label)
    return Heading(order, topic.rel, topic.kind, line, lambda: label)


def _line_of(topic: Heading, limit: int) -> str:
    return _line(topic.rel, topic.kind, *topic.label(), limit)


@lru_cache(maxsize=1024)
def _line(rel: str, kind: Kind, name: str, description: str, limit: int) -> str:
    """One line of the catalog; empty when not even the link fits."""
    path = safe_path(rel)
    name = safe_label(name) or kind.value
    room = limit - len(f"- []({path})")
    if room < 1:
        return ""
    line = f"- [{shorten(name, room)}]({path})"
    about = safe_label(description, limit) or kind.value
    room = limit - len(line) - len(" — ")
    return f"{line} — {shorten(about, room)}" if room > 1 else line


def _prose(existing: str, others: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the hand-written lines above and below the catalog lines."""
    above: list[str] = []
    below: list[str] = []
    seen = False
    for line in existing.removeprefix("\ufeff").split("\n"):
        line = line.removesuffix("\r")
        match = _LINE.fullmatch(line.strip())
        if match and unquote(match["target"]).removeprefix("./") not in others:
            seen = True
        else:
            (below if seen else above).append(line)
    return _trimmed(above), _trimmed(below)


def _trimmed(lines: list[str]) -> list[str]:
    start = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    while lines and not lines[-1].strip():
        lines.pop()
    return lines[start:]


def _assemble(above: list[str], lines: Sequence[str], below: list[str], end: str) -> str:
    groups = [group for group in (above, list(lines), below) if group]
    return (
        "".join(line + end for line in "\n\n".join("\n".join(g) for g in groups).split("\n"))
        if groups
        else ""
    )


def _fits(text: str, settings: CatalogSettings) -> bool:
    return text.count("\n") <= settings.max_lines and _size(text) <= settings.max_bytes


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _sub_path(kind: Kind) -> str:
    return f"{kind.value}/{CATALOG_NAME}"


def _link(kind: Kind, count: int) -> str:
    return f"- [more: {kind.value}]({_sub_path(kind)}) — {count} further memories"


def sub_line(rel: str, kind: Kind, name: str, description: str) -> str:
    """One line of a sub-catalog. It is stored: with a change here goes a new number in `LISTED`."""
    folder = f"{kind.value}/"
    path = safe_path(rel[len(folder) :] if rel.startswith(folder) else f"../{rel}")
    about = safe_label(description, 512) or kind.value
    return f"- [{safe_label(name) or kind.value}]({path}) — {about}"


def _subcatalog(lines: Sequence[str], end: str) -> str:
    return end.join((GENERATED, "", *lines, ""))


def _notes(rest: Mapping[Kind, int], text: str, settings: CatalogSettings) -> tuple[str, ...]:
    notes = [
        f"{count} {kind.value} memories are listed in {_sub_path(kind)}: the catalog holds at"
        f" most {settings.max_lines} lines and {settings.max_bytes} bytes"
        for kind, count in rest.items()
    ]
    if not _fits(text, settings):
        notes.append("hand-written lines alone make the catalog longer than its limits")
    return tuple(notes)
