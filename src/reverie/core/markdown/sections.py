"""Sections of a Markdown text, and how a fact is added to one without touching anything else.

Rules
- A section reaches from its heading to the next heading of the same or a higher level; headings in
  code, comments and list items are none (see `lines`).
- A fact becomes one list item at the end of its section. Only the document's own spacing is made:
  a blank line before the next heading, and exactly one line end at the end of the file. The document's
  sketch also drops the blank lines after the heading and folds those before the next one; we keep them,
  because every other byte of the file is its owner's.
- A fact of several lines stays one item: its further lines are indented under the first.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.markdown.lines import ATX, LineKind, scan, unclosed
from reverie.core.text.plain import newline_of

if TYPE_CHECKING:
    from reverie.core.markdown.lines import Line

__all__ = [
    "Heading",
    "Section",
    "append_fact",
    "clean_fact",
    "find_section",
    "headings",
    "list_items",
    "same_fact",
]

# What JavaScript's trim() removes; Python's strip() leaves the byte order mark and takes \x1c-\x1f.
WHITESPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_DASHES: Final = re.compile(rf"(?:-+[{WHITESPACE}]*)+")
_BULLET: Final = re.compile(r"\ufeff?[ \t]{0,3}[-*+](?:[ \t]+|$)")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_FINAL_MARK: Final = re.compile(r"(?<=\w)[.。]$")
_INDENT: Final = re.compile(r" {2,3}(?=\S)")
_CONTINUATION: Final = "  "


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at the top level; `end` is where the line after it begins."""

    level: int
    title: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next heading of its level or above."""

    heading: Heading
    end: int


def headings(text: str, lines: list[Line] | None = None) -> list[Heading]:
    """Return the headings at the top level, of both styles, outside code and comments.

    Who has scanned the lines already passes them.
    """
    return _headings(text, scan(text) if lines is None else lines)


def find_section(text: str, header: str) -> Section | None:
    """Find the first section with this heading line, e.g. `## Added Memories`."""
    level = len(header) - len(header.lstrip("#"))
    title = header.strip("# \t")
    found = headings(text)
    for at, heading in enumerate(found):
        if heading.level == level and heading.title == title:
            ends = (item.start for item in found[at + 1 :] if item.level <= level)
            return Section(heading, next(ends, len(text)))
    return None


def list_items(text: str, section: Section) -> list[str]:
    """Return the top-level list items of a section, each as one line of words."""
    items: list[list[str]] = []
    open_item = False
    for line in scan(text):
        if not section.heading.end <= line.start < section.end:
            continue
        words = text[line.start : line.end]
        if line.item and (bullet := _BULLET.match(words)):
            items.append([words[bullet.end() :]])
            open_item = True
        elif line.kind is LineKind.BLANK:
            continue
        elif open_item and line.nested:
            items[-1].append(words)
        else:
            open_item = False
    return [" ".join(" ".join(parts).split()) for parts in items]


def clean_fact(fact: str) -> str:
    """Trim a fact and strip the dashes it begins with, as the document does.

    >>> clean_fact(" - - dashes first ")
    'dashes first'
    """
    trimmed = fact.strip(WHITESPACE)
    match = _DASHES.match(trimmed)
    return trimmed[match.end() :].strip(WHITESPACE) if match else trimmed


def same_fact(one: str, other: str) -> bool:
    """Say whether two facts differ in nothing but spacing, the first letter's case and a full stop.

    Case counts elsewhere: "use -V" corrects "use -v".
    """
    return _bare(one) == _bare(other)


def append_fact(text: str, fact: str, *, header: str) -> str:
    """Add a cleaned fact to the section with this heading, which is made if it is missing."""
    newline = newline_of(text)
    section = find_section(text, header)
    if section is None:
        return text + _separator(text, newline) + header + newline + _item(fact, newline)
    at = _end_of_content(text, section)
    before, after = text[:at], text[at:]
    if not before.endswith(("\n", "\r")):
        before += newline
    closer = unclosed(before)
    if closer is not None:
        before += closer + newline
    if section.end == len(text):
        return before + _item(fact, newline)
    # A heading that is indented like an item's text would become part of the item before it.
    indented = _INDENT.match(text, section.end)
    item = _item(fact, newline, indented[0] if indented else "")
    if at == section.end:
        item += newline
    return _one_line_end(before + item + after, newline)


def _item(fact: str, newline: str, indent: str = "") -> str:
    first, *more = _LINE_END.split(fact)
    lines = (f"{indent}{_CONTINUATION}{line}" if line.strip() else "" for line in more)
    return newline.join([f"{indent}- {first}", *lines]) + newline


def _headings(text: str, lines: list[Line]) -> list[Heading]:
    found: list[Heading] = []
    title: Line | None = None
    for line in lines:
        if line.kind is LineKind.UNDERLINE and title is not None:
            words = " ".join(text[title.start : line.start].split())
            found.append(Heading(line.level, words, title.number, title.start, line.next))
        if line.kind is not LineKind.HEADING:
            title = None
        elif match := ATX.match(body := text[line.start : line.end].lstrip("\ufeff \t")):
            words = _without_closing(body[match.end("marks") :].strip(" \t"))
            found.append(Heading(line.level, words, line.number, line.start, line.next))
            title = None
        elif title is None:
            title = line
    return found


def _without_closing(title: str) -> str:
    """Drop the number signs that may close a heading."""
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else title


def _end_of_content(text: str, section: Section) -> int:
    """Return where the line after the last line of a section that is not blank begins."""
    end = section.heading.end
    for line in scan(text):
        if section.heading.start <= line.start < section.end and line.kind is not LineKind.BLANK:
            end = line.next
    return end


def _separator(text: str, newline: str) -> str:
    """Return what must stand between a text and a section added to it."""
    if not text.strip("\ufeff"):
        return ""
    closer = unclosed(text)
    start = "" if text.endswith(("\n", "\r")) else newline
    if closer:
        return start + closer + newline + newline
    if text.endswith(("\n\n", "\r\n\r\n")):
        return ""
    return start + newline


def _one_line_end(text: str, newline: str) -> str:
    kept = text.rstrip(" \t\r\n")
    tail = text[len(kept) :]
    spaces = tail[: len(tail) - len(tail.lstrip(" \t"))]
    ending = _LINE_END.match(tail, len(spaces))
    return kept + spaces + (ending[0] if ending else newline)


def _bare(fact: str) -> str:
    words = " ".join(unicodedata.normalize("NFC", fact).split())
    words = _FINAL_MARK.sub("", words)
    return words[:1].casefold() + words[1:]
