"""Memories of others as files of ours: a topic, or a note, that keeps every field it came with."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from reverie.core.history.turns import read_time, write_time
from reverie.core.markdown import frontmatter
from reverie.core.markdown.sections import headings
from reverie.core.moving.export_format import AGENT
from reverie.core.text.plain import newline_of
from reverie.core.topics.kinds import guess_kind, scope_of
from reverie.core.topics.remember import read_memo
from reverie.core.topics.titles import description_of, slug, title_of
from reverie.core.topics.topic import CATALOG_NAME, render_topic
from reverie.types import Entry, Kind, PortableFile, Scope

NOTES: Final = f"{AGENT}/notes/zettel"
_KINDS: Final = {kind.value for kind in Kind}
_PLAIN_KEY: Final = re.compile(r"[^A-Za-z0-9_-]+")
_DATE_KEYS: Final = ("updated", "modified", "updated_at", "last_modified", "date", "created")
_LEADING_DOT: Final = re.compile(r"(^|/)\.+")


def remark(
    content: str,
    *,
    source: str,
    scope: Scope | None = None,
    fields: Mapping[str, Any] | None = None,
    updated: datetime | None = None,
) -> PortableFile:
    """Make a topic of one remembered sentence or paragraph."""
    memo = read_memo(content, scope=scope, in_project=False)  # others remember a person
    text = render_topic(
        memo.name,
        description=description_of(memo.content),
        kind=memo.kind,
        entries=[Entry("", memo.content, memo.why, memo.how)],
    )
    at = f"{memo.scope.value}/{memo.kind.value}/{slug(memo.name)}.md"
    return PortableFile(at, with_fields(text, fields or {}), updated, source=source)


def document(
    body: str,
    *,
    name: str,
    source: str,
    kind: Kind,
    scope: Scope,
    fields: Mapping[str, Any] | None = None,
    updated: datetime | None = None,
) -> PortableFile:
    """Make a topic of a longer text, which stays as it is below the frontmatter."""
    name = title_of(name)
    head = render_topic(name, description=description_of(body), kind=kind, entries=())
    text = with_fields(head, fields or {}) + body.strip("\n") + "\n"
    at = f"{scope.value}/{kind.value}/{slug(name)}.md"
    return PortableFile(at, text, updated, source=source)


def note(
    body: str, *, title: str, folder: str, source: str, fields: Mapping[str, Any]
) -> PortableFile:
    """Make a note of a text from elsewhere."""
    made = read_time(fields.get("created"))
    head = with_fields(f"---\ntitle: {frontmatter.quote(title)}\n---\n\n", fields)
    at = f"{NOTES}/{slug(folder)}/{slug(posixpath.splitext(title)[0])}.md"
    return PortableFile(at, head + body, made, source=source)


def with_fields(text: str, fields: Mapping[str, Any]) -> str:
    """Add fields to the frontmatter of a text that we wrote; empty ones are left out."""
    lines = []
    for key, value in fields.items():
        if value in (None, "", [], {}):
            continue
        shown = (
            frontmatter.quote(value)
            if isinstance(value, str)
            else write_time(value)
            if isinstance(value, datetime)
            else frontmatter.escaped(json.dumps(value, ensure_ascii=False))
        )
        lines.append(f"{_PLAIN_KEY.sub('_', key) or 'field'}: {shown}\n")
    at = text.index("\n---\n", 3) + 1
    return text[:at] + "".join(lines) + text[at:]


def as_topic(
    text: str, *, name: str, scope: Scope | None, updated: datetime | None
) -> PortableFile:
    """Make a topic of a Markdown file: what is there stays, what a topic needs is added.

    A `type` that is none of ours moves to `original_type`.
    """
    head = frontmatter.read(text)
    values = dict(head.values) if head else {}
    body = text[head.body :] if head else text.removeprefix("\ufeff")
    given = values.get("type", "").strip()
    kind = Kind(given.lower()) if given.lower() in _KINDS else None
    heading = next((item.title for item in headings(body) if item.level == 1 and item.title), "")
    stem = posixpath.splitext(posixpath.basename(name))[0]
    title = values.get("name") or values.get("title") or heading or stem
    if kind is None:
        kind = guess_kind(f"{title}\n{body[:2000]}") or Kind.REFERENCE
        if given:
            text = frontmatter.set_value(text, "original_type", given)
        text = frontmatter.set_value(text, "type", kind.value)
    if not (values.get("name") or values.get("title")):
        text = frontmatter.set_value(text, "name", title)
    if not values.get("description"):
        told = description_of(_first_words(body)) or title
        text = frontmatter.set_value(text, "description", told)
    chosen = scope or scope_of(kind, body)
    return PortableFile(
        f"{chosen.value}/{_topic_name(name)}", text, dated(text, updated), source=name
    )


def as_note(text: str, *, name: str, updated: datetime | None) -> PortableFile:
    """Take a Markdown file into the notebook, byte for byte."""
    return PortableFile(f"{NOTES}/{plain_name(name)}", text, dated(text, updated), source=name)


def dated(text: str, otherwise: datetime | None) -> datetime | None:
    """Return when a file says it was changed, else what its storage says."""
    head = frontmatter.read(text)
    found = (
        [read_time(head.values[key]) for key in _DATE_KEYS if key in head.values] if head else []
    )
    return next((moment for moment in found if moment), otherwise)


def plain_name(name: str) -> str:
    """Return a name that hides nothing: no part of it begins with a dot."""
    return _LEADING_DOT.sub(r"\1", name)


def _topic_name(name: str) -> str:
    """Keep a file's own name, unless it is one that no topic may have."""
    folder, _, last = plain_name(name).rpartition("/")
    if last.lower() == CATALOG_NAME.lower():
        last = "memory-file.md"
    return f"{folder}/{last}" if folder else last


def _first_words(body: str) -> str:
    """Return the first line that says something, headings aside."""
    lines = body.split(newline_of(body))
    said = (line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))
    return next(said, "")
