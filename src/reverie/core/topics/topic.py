"""Topics: one Markdown memory file each, read and edited so that nothing else in it changes.

Rules:

* A file is a topic when its frontmatter has a `type` of the four kinds; everything else is not ours
  to read as memory, and `why_no_topic` says why.
* `MEMORY.md` (in any folder) is a catalog, never a topic. `pinned/` holds topics that automatic
  writers leave alone.
* Edits are by span. Removing the last entry removes the file (None), unless text of the user's
  other than headings is left in it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from reverie.core.markdown import frontmatter
from reverie.core.markdown.entries import PLACEHOLDERS, read_entries
from reverie.core.markdown.names import CATALOG_NAME as CATALOG_NAME
from reverie.core.markdown.names import is_topic_path as is_topic_path
from reverie.core.text.plain import newline_of
from reverie.dialect import REVERIE
from reverie.types import Entry, Kind, Span, Topic

if TYPE_CHECKING:
    from reverie.core.markdown.entries import EntryText
    from reverie.dialect import Dialect
    from reverie.types import Scope

PINNED: Final = "pinned"
_KINDS: Final = {kind.value: kind for kind in Kind}
_STRUCTURE: Final = re.compile(r"\s*(?:#{1,6}(?:\s.*)?|([-*_])(?:\s*\1){2,}|={2,})?\s*")


def is_pinned(rel: str) -> bool:
    """Tell whether automatic writers must leave a file alone."""
    first, slash, _ = rel.partition("/")
    return bool(slash) and first.casefold() == PINNED


def parse_topic(
    text: str,
    *,
    path: str,
    rel: str,
    scope: Scope,
    updated: datetime | None = None,
) -> Topic | None:
    """Read a memory file; None when it is no topic (see `why_no_topic`)."""
    head = frontmatter.read(text)
    kind = _kind(head)
    if head is None or kind is None:
        return None
    values = head.values
    name = values.get("name") or values.get("title") or posixpath.splitext(rel)[0].rsplit("/")[-1]
    description = " ".join(values.get("description", "").split())
    return Topic(
        path=path,
        rel=rel,
        scope=scope,
        kind=kind,
        name=" ".join(name.split()),
        description=description,
        body=text[head.body :],
        text=text,
        entries=_entries(text, head.body, rel, description),
        updated=updated,
        pinned=is_pinned(rel),
    )


def newest_first(topics: Iterable[Topic]) -> list[Topic]:
    """Order topics by their age, and by their path where that is the same or not known."""
    return sorted(topics, key=by_age)


def by_age(topic: Topic) -> tuple[float, str]:
    """Return what topics are ordered by, newest first."""
    return -_seconds(topic.updated), topic.path


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0


def why_no_topic(text: str) -> str:
    """Say what keeps a file from being read as memory; empty when nothing does."""
    head = frontmatter.read(text)
    if head is None:
        return "it has no frontmatter (a first line ---, name, description, type, a line ---)"
    if _kind(head) is None:
        given = head.values.get("type", "")
        kinds = ", ".join(_KINDS)
        return f"its type is {given!r}, not one of {kinds}" if given else "its type is missing"
    return f"its frontmatter is not valid YAML ({head.problem})" if head.problem else ""


def render_topic(
    name: str,
    *,
    description: str,
    kind: Kind,
    entries: Iterable[Entry],
    dialect: Dialect = REVERIE,
) -> str:
    """Write a new topic file."""
    head = [f"{key}: {frontmatter.quote(value)}" for key, value in (
        ("name", name), ("description", description), ("type", kind.value))]  # fmt: skip
    body = [render_entry(e.summary, why=e.why, how=e.how, dialect=dialect) for e in entries]
    return "\n".join(["---", *head, "---", "", "\n".join(body)])


def render_entry(
    summary: str, *, why: str = "", how: str = "", dialect: Dialect = REVERIE, bullet: str = ""
) -> str:
    """Write one entry as lines; under a bullet everything after the first line is indented."""
    indent = " " * len(bullet)
    lines = [bullet + _indented(summary.strip(), indent)]
    if (why or how) and not bullet:
        lines.append("")
    for label, value in ((dialect.why_label, why), (dialect.how_label, how)):
        if value:
            lines.append(f"{indent}{label} {_indented(value.strip(), indent or '  ')}")
    return "\n".join(lines) + "\n"


def remove_entries(topic: Topic, ids: Collection[str]) -> str | None:
    """Return the text without these entries, or None when the file has nothing left to keep."""
    text = topic.text
    gone = [entry for entry in topic.entries if entry.id in ids]
    for entry in reversed(gone):
        text = _cut(text, entry.span, len(topic.text) - len(topic.body))
    if len(gone) < len(topic.entries):
        return text
    head = frontmatter.read(text)
    rest = text[head.body if head else 0 :]
    return text if any(not _is_bare(line) for line in rest.split("\n")) else None


def replace_entry(
    topic: Topic,
    entry_id: str,
    *,
    summary: str | None = None,
    why: str | None = None,
    how: str | None = None,
    dialect: Dialect = REVERIE,
) -> str:
    """Return the text with parts of one entry rewritten; a part given as None stays."""
    entry = next(entry for entry in topic.entries if entry.id == entry_id)
    found = _entry_text(topic, entry)
    end = newline_of(topic.text)
    if found is None:  # the description or the body as a whole is the entry: give it a form
        said = entry.summary if summary is None else summary
        added = render_entry(said, why=why or "", how=how or "", dialect=dialect)
        if entry.span.start == entry.span.end:
            return append_text(topic.text, added)
        return _edited(topic.text, [(entry.span, added)], end)
    indent = " " * len(found.bullet)
    edits: list[tuple[Span, str]] = []
    if summary is not None:
        edits.append((found.summary_span, _indented(summary.strip(), indent)))
    missing: list[str] = []
    for label, span, value in (
        (dialect.why_label, found.why_span, why),
        (dialect.how_label, found.how_span, how),
    ):
        if value is not None and span is not None:
            edits.append((span, _indented(value.strip(), indent or "  ")))
        elif value:
            missing.append(f"{indent}{label} {_indented(value.strip(), indent or '  ')}\n")
    if missing:
        has_field = found.why_span or found.how_span
        gap = "" if found.bullet or has_field else "\n"
        edits.append((Span(found.span.end, found.span.end), gap + "".join(missing)))
    return _edited(topic.text, edits, end)


def rewrite_entry(
    topic: Topic,
    entry_id: str,
    summary: str,
    *,
    why: str = "",
    how: str = "",
    dialect: Dialect = REVERIE,
) -> str:
    """Return the text with one entry written anew, its reason and use included."""
    entry = next(entry for entry in topic.entries if entry.id == entry_id)
    found = _entry_text(topic, entry)
    bullet = found.bullet if found else ""
    added = render_entry(summary, why=why, how=how, dialect=dialect, bullet=bullet)
    if entry.span.start == entry.span.end:
        return append_text(topic.text, added)
    return _edited(topic.text, [(entry.span, added)], newline_of(topic.text))


def insert_above(
    topic: Topic,
    entry_id: str,
    summary: str,
    *,
    why: str = "",
    how: str = "",
    dialect: Dialect = REVERIE,
) -> str:
    """Return the text with a new entry above another one, which stays as it is."""
    entry = next(entry for entry in topic.entries if entry.id == entry_id)
    found = _entry_text(topic, entry)
    bullet = found.bullet if found else ""
    added = render_entry(summary, why=why, how=how, dialect=dialect, bullet=bullet)
    gap = "" if bullet else "\n"
    return _edited(
        topic.text,
        [(Span(entry.span.start, entry.span.start), added + gap)],
        newline_of(topic.text),
    )


def append_text(text: str, added: str) -> str:
    """Put a block at the end of a file, a blank line before it."""
    end = newline_of(text)
    gap = "" if not text.strip("\ufeff") else "\n" if text.endswith("\n") else "\n\n"
    gap = "" if text.endswith(("\n\n", "\n\r\n")) else gap
    return text + (gap + added).replace("\n", end)


def set_frontmatter(text: str, key: str, value: str) -> str:
    """Set one frontmatter value by span."""
    return frontmatter.set_value(text, key, value)


def _kind(head: frontmatter.Frontmatter | None) -> Kind | None:
    if head is None:
        return None
    given = head.values.get("type") or head.values.get("metadata.type") or ""
    return _KINDS.get(given.strip().lower())


def _entries(text: str, body: int, rel: str, description: str) -> tuple[Entry, ...]:
    found = read_entries(text, body)
    if not found:
        rest = text[body:]
        if all(_is_bare(line) for line in rest.split("\n")):
            # Nothing but frontmatter: what the description says is what is remembered.
            return (Entry(rel, description, span=Span(body, body)),) if description else ()
        start = body + len(rest) - len(rest.lstrip())
        return (Entry(rel, " ".join(rest.split()), span=Span(start, body + len(rest))),)
    many = len(found) > 1
    return tuple(
        Entry(f"{rel}:{number}" if many else rel, e.summary, e.why, e.how, e.span)
        for number, e in enumerate(found, 1)
    )


def _entry_text(topic: Topic, entry: Entry) -> EntryText | None:
    body = len(topic.text) - len(topic.body)
    return next((e for e in read_entries(topic.text, body) if e.span == entry.span), None)


def _is_bare(line: str) -> bool:
    return bool(_STRUCTURE.fullmatch(line)) or line.strip() in PLACEHOLDERS


def _cut(text: str, span: Span, body: int) -> str:
    """Remove a span of whole lines and the blank lines that then separate nothing."""
    before, after = text[: span.start], text[span.end :]
    loose = re.match(r"(?:[ \t]*\r?\n)*", after)
    blank_before = span.start <= body or re.search(r"\n[ \t]*\r?\n\Z", before)
    if loose and blank_before:
        after = after[loose.end() :]
    if not after.strip():
        kept = before[body:].rstrip()
        before = before[: body + len(kept)] + (newline_of(text) if kept else "")
    return before + after


def _edited(text: str, edits: Sequence[tuple[Span, str]], end: str) -> str:
    for span, new in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        before = text[: span.start]
        if span.start == span.end and before and not before.endswith("\n"):
            before += end
        text = before + new.replace("\r\n", "\n").replace("\n", end) + text[span.end :]
    return text


def _indented(value: str, indent: str) -> str:
    value = value.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"\n(?=[^\n])", "\n" + indent, value)
