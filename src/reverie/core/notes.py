"""The notebook: atomic notes with ids, wikilinks between them, backlinks, maps.

Rules
- A note's file is named `<id>-<slug>.md`, and links name the file, so that any editor that knows
  `[[wikilinks]]` follows them. The id never changes; moving a note between folders breaks no link.
- A link means a note by its file name, path, id, title or alias, in this order.
- Links in code are none. Backlinks are found, never written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from reverie.core import frontmatter
from reverie.core.bullets import add_bullet, clean_item
from reverie.core.code import outside_code
from reverie.core.markdown import headings
from reverie.core.text import digest
from reverie.core.tokens import normalize
from reverie.core.turns import read_time, write_time
from reverie.errors import InvalidContent, NoteNotFound
from reverie.types import Note, Span

INBOX: Final = "inbox"
ZETTEL: Final = "zettel"
MAPS: Final = "maps"
LINKS: Final = "Links"
MAPPED: Final = "Notes"

_ID: Final = re.compile(r"\d{14}")
_LINK: Final = re.compile(
    r"(?<!\\)\[\[(?P<target>[^\[\]|#\r\n]*)(?P<place>#[^\[\]|\r\n]*)?(?:\\?\|[^\[\]\r\n]*)?\]\]"
)
_TAG: Final = re.compile(r"(?:^|(?<=[\s(]))#(?P<tag>[^\W\d_][\w/-]*)")
_LIST_ITEM: Final = re.compile(
    r"""\s*-?\s*(?P<item>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\n\[\]]+)"""
)
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
    if not found:
        return []
    real = outside_code(text, [span for _, span in found])
    return [item for item, stands in zip(found, real, strict=True) if stands]


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
    words = re.findall(r"[^\W_]+", title.lower())
    return "-".join(words)[:_SLUG_CHARS].strip("-") or "note"


def with_link(text: str, target: Note, *, why: str = "", heading: str = LINKS) -> str:
    """Add a link to a note under a heading at its end."""
    return add_bullet(text, heading, link_item(target, why=why))


def link_item(target: Note, *, why: str = "") -> str:
    """Write a link as a list item: file name, title, and why."""
    title = re.sub(r"[\[\]|\r\n]+", " ", target.title).strip() or stem_of(target)
    reason = clean_item(why)
    return f"[[{stem_of(target)}|{title}]]" + (f": {reason}" if reason else "")


def new_map(title: str, *, now: datetime) -> tuple[str, str]:
    """Return where a new map lies below `notes/`, and its text."""
    name = _one_line(title)
    if not name:
        raise InvalidContent("a map needs a name")
    created = write_time(now.replace(microsecond=0))
    text = f"---\ntitle: {frontmatter.quote(name)}\ncreated: {created}\n---\n\n# {name}\n\n## {MAPPED}\n\n- None\n"
    return f"{MAPS}/{slug(name)}.md", text


# --- finding --------------------------------------------------------------------------------------


def find_note(name: str, notes: Sequence[Note]) -> Note | None:
    """Return the note a link or a person means."""
    wanted = name.strip().removesuffix(".md")
    plain = normalize(wanted)
    tests = (
        lambda note: stem_of(note) == wanted,
        lambda note: note.rel.removesuffix(".md") == wanted.removeprefix("notes/"),
        lambda note: note.id == wanted,
        lambda note: normalize(note.title) == plain,
        lambda note: any(normalize(alias) == plain for alias in note.aliases),
    )
    for test in tests:
        found = next((note for note in notes if test(note)), None)
        if found:
            return found
    return None


def note_named(name: str, notes: Sequence[Note]) -> Note:
    """Return the note a person means; a part of its title will do when only one has it."""
    found = find_note(name, notes)
    if found:
        return found
    plain = normalize(name.strip())
    near = [note for note in notes if plain and plain in normalize(f"{stem_of(note)} {note.title}")]
    if len(near) == 1:
        return near[0]
    listed = "; ".join(f"{note.id} {note.title}" for note in near[:5])
    hint = f"several are near: {listed}" if near else "`reverie notes list` shows them all"
    raise NoteNotFound(f"there is no note {name!r}; {hint}")


def targets(note: Note, notes: Sequence[Note]) -> list[Note]:
    """Return the notes a note links to, each once."""
    found = (find_note(link, notes) for link in note.links)
    return list({item.rel: item for item in found if item and item.rel != note.rel}.values())


def backlinks(note: Note, notes: Sequence[Note]) -> list[Note]:
    """Return the notes that link to a note."""
    return [other for other in notes if any(item.rel == note.rel for item in targets(other, notes))]


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


def review(notes: Sequence[Note]) -> Review:
    """Look through the notebook."""
    linked: dict[str, set[str]] = {note.rel: set() for note in notes}
    mapped: set[str] = set()
    broken: list[tuple[Note, str]] = []
    names = _Names(notes)
    for note in notes:
        for link in note.links:
            target = names.find(link)
            if target is None:
                broken.append((note, link))
            elif target.rel != note.rel:
                linked[note.rel].add(target.rel)
                linked[target.rel].add(note.rel)
                if folder_of(note) == MAPS:
                    mapped.add(target.rel)
    filed = [note for note in notes if folder_of(note) == ZETTEL]
    waiting = [note for note in notes if folder_of(note) == INBOX]
    return Review(
        inbox=tuple(sorted(waiting, key=lambda note: (note.created or _NEVER, note.rel))),
        orphans=tuple(note for note in filed if not linked[note.rel]),
        broken=tuple(broken),
        unmapped=tuple(note for note in filed if note.rel not in mapped),
        twins=tuple(_twins(notes)),
    )


def folder_of(note: Note) -> str:
    """Return which part of the notebook a note lies in."""
    return note.rel.partition("/")[0]


_NEVER: Final = datetime.max.replace(tzinfo=UTC)


class _Names:
    """Every name of every note, for many look-ups."""

    def __init__(self, notes: Sequence[Note]) -> None:
        self._by: list[dict[str, Note]] = [{} for _ in range(4)]
        for note in notes:
            plain = [normalize(note.title), *map(normalize, note.aliases)]
            for place, keys in enumerate(
                ([stem_of(note)], [note.rel.removesuffix(".md")], [note.id], plain)
            ):
                for key in keys:
                    self._by[place].setdefault(key, note)

    def find(self, link: str) -> Note | None:
        wanted = link.strip().removesuffix(".md")
        keys = (wanted, wanted.removeprefix("notes/"), wanted, normalize(wanted))
        found = (names.get(key) for names, key in zip(self._by, keys, strict=True))
        return next((note for note in found if note), None)


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
    plain = (frontmatter.unquote(item) for item in found)
    return [item.removeprefix("#") if key == "tags" else item for item in plain if item]


def _body_tags(body: str) -> list[str]:
    found = list(_TAG.finditer(body))
    if not found:
        return []
    real = outside_code(body, [Span(*match.span()) for match in found])
    return [match["tag"] for match, stands in zip(found, real, strict=True) if stands]


def _clean_tag(tag: str) -> str:
    return re.sub(r"[^\w/-]+", "-", tag.strip().removeprefix("#")).strip("-")


def _quoted(name: str) -> str:
    quoted = frontmatter.quote(name)
    # Inside a list a comma or a bracket would end a plain value.
    return quoted if quoted.startswith('"') or not re.search(r"[,\[\]{}]", name) else f'"{name}"'


def _one_line(text: str) -> str:
    return " ".join(clean_item(text).split())[:_TITLE_CHARS].strip()
