"""The notebook: atomic notes with ids, wikilinks between them, backlinks, maps.

Rules
- A note's file is named `<id>-<slug>.md`, and links name the file, so that any editor that knows
  `[[wikilinks]]` follows them. The id never changes; moving a note between folders breaks no link.
- A link means a note by its file name, path, id, title or alias, in this order.
- Links in code are none. Backlinks are found, never written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from reverie.core.history.turns import read_time, write_time
from reverie.core.markdown import frontmatter
from reverie.core.markdown.bullets import NONE, add_bullet, clean_item
from reverie.core.markdown.lines import LineKind, scan
from reverie.core.markdown.sections import headings
from reverie.core.text.plain import digest, rejoined
from reverie.core.text.words import normalize
from reverie.errors import InvalidContent, NoteNotFound
from reverie.types import Note, Span

INBOX: Final = "inbox"
ZETTEL: Final = "zettel"
MAPS: Final = "maps"
LINKS: Final = "Links"
MAPPED: Final = "Notes"

_ID: Final = re.compile(r"\d{14}")
_LINK: Final = re.compile(
    r"(?<!\\)\[\[(?P<target>[^\[\]|#\r\n]*?)(?P<place>#[^\[\]|\r\n]*)?(?:\\?\|[^\[\]\r\n]*)?\]\]"
)
_TAG: Final = re.compile(r"(?:^|(?<=[\s(]))#(?P<tag>[^\W\d_][\w/-]*)")
_LIST_ITEM: Final = re.compile(
    r"""(?:(?<!\s)\s++)?+(?:-\s*+)?+(?P<item>"(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'|[^,\n\[\]]+)"""
)
_TICKS: Final = re.compile(r"(?<!\\)`+")
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_SLUG_CHARS: Final = 60
_TITLE_CHARS: Final = 120


def parse_note(text: str, *, rel: str) -> Note:
    """Read a note; `rel` is its path below `notes/`."""
    head = frontmatter.read(text)
    values = head.values if head else {}
    body = text[head.body :] if head else text.removeprefix("\ufeff")
    stem = rel.rpartition("/")[2].removesuffix(".md")
    numbered = _ID.match(stem)
    name = values.get("id", "") or (numbered[0] if numbered else stem)
    title = next((item.title for item in headings(body) if item.level == 1 and item.title), "")
    return Note(
        id=name,
        title=values.get("title", "") or title or stem,
        rel=rel,
        text=text,
        body=body,
        created=read_time(values.get("created", "")) or _time_of(name),
        tags=tuple(dict.fromkeys([*_listed(text, head, "tags"), *_body_tags(body)])),
        aliases=tuple(_listed(text, head, "aliases")),
        links=tuple(dict.fromkeys(link for link, _ in wikilinks(text))),
    )


def wikilinks(text: str) -> list[tuple[str, Span]]:
    """Return the links of a text, outside code: what each names, and where it stands."""
    found = [(match["target"].strip(), Span(*match.span())) for match in _LINK.finditer(text)]
    found = [item for item in found if item[0]]
    code = _code(text) if found else []
    return [item for item in found if not _within(item[1].start, code)]


def stem_of(note: Note) -> str:
    """Return the file name of a note without its ending."""
    return note.rel.rpartition("/")[2].removesuffix(".md")


# --- making ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note to be written."""

    id: str
    rel: str
    text: str
    title: str


def new_note(
    words: str,
    *,
    now: datetime,
    taken: Collection[str],
    title: str = "",
    tags: Sequence[str] = (),
    folder: str = INBOX,
) -> NewNote:
    """Write a note; without a title its first line is one."""
    body = words.replace("\r\n", "\n").replace("\r", "\n").strip()
    name = _one_line(title) or _one_line(body.lstrip("# ").partition("\n")[0])
    if not name or not body:
        raise InvalidContent("there is nothing to note down; say what it is")
    number = free_id(now, taken)
    lines = ["---", f'id: "{number}"', f"title: {frontmatter.quote(name)}"]
    lines += [f"created: {write_time(now.replace(microsecond=0))}"]
    marked = [clean for tag in tags if (clean := _clean_tag(tag))]
    if marked:
        lines += [f"tags: [{', '.join(frontmatter.quote(tag) for tag in marked)}]"]
    lines += [f"aliases: [{_quoted(name)}]", "---", ""]
    starts_with_title = body.startswith("# ")
    shown = body if starts_with_title else f"# {name}\n\n{body}"
    if _one_line(body) == name and not starts_with_title:
        shown = f"# {name}"
    text = "\n".join([*lines, shown]) + "\n"
    return NewNote(number, f"{folder}/{number}-{slug(name)}.md", text, name)


def free_id(now: datetime, taken: Collection[str]) -> str:
    """Return the first free id from this second on."""
    moment = now.astimezone(UTC)
    while (number := moment.strftime("%Y%m%d%H%M%S")) in taken:
        moment += timedelta(seconds=1)
    return number


def slug(title: str) -> str:
    """Make the readable part of a file name, in any script.

    >>> slug("Sourdough: how & why?")
    'sourdough-how-why'
    """
    whole = "-".join(re.findall(r"[^\W_]+", title.lower()))
    cut = whole[:_SLUG_CHARS]
    if whole[_SLUG_CHARS : _SLUG_CHARS + 1] not in ("", "-") and "-" in cut[_SLUG_CHARS // 2 :]:
        cut = cut.rpartition("-")[0]  # no half of a word
    return cut.strip("-") or "note"


def with_link(text: str, target: Note, *, why: str = "", heading: str = LINKS) -> str:
    """Add a link to a note under a heading at its end."""
    return add_bullet(text, heading, link_item(target, why=why))


def link_item(target: Note, *, why: str = "") -> str:
    """Write a link as a list item: file name, title, and why."""
    title = " ".join(re.sub(r"[\[\]|]", " ", target.title).split()) or stem_of(target)
    reason = clean_item(why)
    return f"[[{stem_of(target)}|{title}]]" + (f": {reason}" if reason else "")


def new_map(title: str, *, now: datetime) -> tuple[str, str]:
    """Return where a new map lies below `notes/`, and its text."""
    name = _one_line(title)
    if not name:
        raise InvalidContent("a map needs a name")
    created = write_time(now.replace(microsecond=0))
    head = f"---\ntitle: {frontmatter.quote(name)}\ncreated: {created}\n---\n"
    return f"{MAPS}/{slug(name)}.md", f"{head}\n# {name}\n\n## {MAPPED}\n\n{NONE}\n"


# --- finding --------------------------------------------------------------------------------------


class Notebook:
    """All notes, and every name each of them goes by."""

    def __init__(self, notes: Sequence[Note]) -> None:
        self.notes = tuple(notes)
        self._by: tuple[dict[str, Note], ...] = ({}, {}, {}, {}, {})
        for note in notes:
            names = (
                [stem_of(note)],
                _paths(note.rel.removesuffix(".md")),
                [note.id],
                [normalize(note.title)],
                [normalize(alias) for alias in note.aliases],
            )
            for known, keys in zip(self._by, names, strict=True):
                for key in keys:
                    known.setdefault(key, note)

    def find(self, name: str) -> Note | None:
        """Return the note a link means: by file name, path, id, title or alias, in this order."""
        wanted = name.strip().removesuffix(".md")
        plain = normalize(wanted)
        keys = (wanted, wanted.removeprefix("notes/"), wanted, plain, plain)
        found = (known.get(key) for known, key in zip(self._by, keys, strict=True))
        return next((note for note in found if note), None)

    def named(self, name: str) -> Note:
        """Return the note a person means; a part of its title will do when only one has it."""
        found = self.find(name)
        if found:
            return found
        part = normalize(name.strip())
        near = [
            note
            for note in self.notes
            if part and part in normalize(f"{stem_of(note)} {note.title}")
        ]
        if len(near) == 1:
            return near[0]
        listed = "; ".join(f"{note.id} {note.title}" for note in near[:5])
        hint = f"several are near: {listed}" if near else "`reverie notes list` shows them all"
        raise NoteNotFound(f"there is no note {name!r}; {hint}")

    def targets(self, note: Note) -> list[Note]:
        """Return the notes a note links to, each once."""
        found = (self.find(link) for link in note.links)
        return list({item.rel: item for item in found if item and item.rel != note.rel}.values())

    def backlinks(self, note: Note) -> list[Note]:
        """Return the notes that link to a note."""
        return [
            other
            for other in self.notes
            if any(item.rel == note.rel for item in self.targets(other))
        ]


def _paths(rel: str) -> list[str]:
    """Return a path and the ends of it: a vault inside the notebook keeps the links it had."""
    parts = rel.split("/")
    return ["/".join(parts[start:]) for start in range(max(1, len(parts) - 1))]


@dataclass(frozen=True, slots=True)
class Review:
    """What in the notebook wants a hand."""

    inbox: tuple[Note, ...]
    """Waiting to be filed, the oldest first."""
    orphans: tuple[Note, ...]
    """Filed notes that nothing links to and that link to nothing."""
    broken: tuple[tuple[Note, str], ...]
    """Links that mean no note."""
    unmapped: tuple[Note, ...]
    """Filed notes that are on no map."""
    twins: tuple[tuple[Note, Note], ...]
    """Notes of the same title or the same words."""


def review(notebook: Notebook) -> Review:
    """Look through the notebook."""
    notes = notebook.notes
    linked: set[str] = set()
    mapped: set[str] = set()
    for note in notes:
        for target in notebook.targets(note):
            linked |= {note.rel, target.rel}
            if folder_of(note) == MAPS:
                mapped.add(target.rel)
    filed = [note for note in notes if folder_of(note) == ZETTEL]
    waiting = [note for note in notes if folder_of(note) == INBOX]
    return Review(
        inbox=tuple(sorted(waiting, key=lambda note: (note.created or _NEVER, note.rel))),
        orphans=tuple(note for note in filed if note.rel not in linked),
        broken=tuple(
            (note, link) for note in notes for link in note.links if not notebook.find(link)
        ),
        unmapped=tuple(note for note in filed if note.rel not in mapped),
        twins=tuple(_twins(notes)),
    )


def folder_of(note: Note) -> str:
    """Return which part of the notebook a note lies in."""
    return note.rel.partition("/")[0]


def _twins(notes: Iterable[Note]) -> list[tuple[Note, Note]]:
    seen: dict[str, Note] = {}
    found: list[tuple[Note, Note]] = []
    for note in sorted(notes, key=lambda item: item.id):
        words = normalize(" ".join(note.body.split()))
        for key in (f"title {normalize(note.title)}", f"body {digest(words)}"):
            other = seen.setdefault(key, note)
            if other is not note and (other, note) not in found:
                found.append((other, note))
    return found


# --- texts ----------------------------------------------------------------------------------------


def _time_of(number: str) -> datetime | None:
    if not _ID.fullmatch(number):
        return None
    try:
        return datetime.strptime(number, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def _listed(text: str, head: frontmatter.Frontmatter | None, key: str) -> list[str]:
    """Read a list of the frontmatter, in any of the ways YAML and people write one."""
    if head is None:
        return []
    span = head.spans.get(key)
    raw = text[span.start : span.end] if span else head.values.get(key, "")
    raw = raw.strip().removeprefix("[").removesuffix("]")
    found = (match["item"].strip() for match in _LIST_ITEM.finditer(raw))
    plain = (_unquoted(item) for item in found)
    return [item.removeprefix("#") if key == "tags" else item for item in plain if item]


def _unquoted(item: str) -> str:
    if len(item) < 2 or item[0] != item[-1] or item[0] not in "\"'":
        return item
    if item[0] == "'":
        return item[1:-1].replace("''", "'")
    try:
        return rejoined(str(json.loads(item)))
    except ValueError:
        return item[1:-1]


def _body_tags(body: str) -> list[str]:
    found = list(_TAG.finditer(body))
    code = _code(body) if found else []
    return [match["tag"] for match in found if not _within(match.start(), code)]


def _code(text: str) -> list[Span]:
    """Return where code stands: blocks by the line, spans between equal runs of backticks."""
    found: list[Span] = []
    start = end = 0
    for line in scan(text):
        if line.kind in (LineKind.TEXT, LineKind.HEADING, LineKind.UNDERLINE):
            start, end = (start, line.next) if end == line.start else (line.start, line.next)
            continue
        found += _code_spans(text, start, end)
        start = end = line.next
        if line.kind in (LineKind.CODE, LineKind.FENCE, LineKind.FRONTMATTER, LineKind.COMMENT):
            found.append(Span(line.start, line.next))
    return found + _code_spans(text, start, end)


def _code_spans(text: str, start: int, end: int) -> list[Span]:
    found: list[Span] = []
    runs = list(_TICKS.finditer(text, start, end))
    at = 0
    while at < len(runs):
        closing = next((n for n in range(at + 1, len(runs)) if runs[n][0] == runs[at][0]), None)
        if closing is not None:
            found.append(Span(runs[at].start(), runs[closing].end()))
        at = at + 1 if closing is None else closing + 1
    return found


def _within(place: int, spans: Sequence[Span]) -> bool:
    return any(span.start <= place < span.end for span in spans)


def _clean_tag(tag: str) -> str:
    return re.sub(r"[^\w/-]+", "-", tag.strip().removeprefix("#")).strip("-")


def _quoted(name: str) -> str:
    """Quote a value for a list, where a comma or a bracket would end a plain one."""
    quoted = frontmatter.quote(name)
    listed = quoted.startswith('"') or not re.search(r"[,\[\]{}]", name)
    return quoted if listed else json.dumps(name, ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(clean_item(text).split())[:_TITLE_CHARS].strip()
