"""Lists under headings, edited by span: how the layers keep small things in Markdown.

Rules
- An item is a list item at the margin, with all that is indented under it. Everything else (prose,
  code, comments, sub-headings) is the owner's and stays where it is.
- Where nothing is listed stands `- None`; the first item takes its place, the last one leaves it.
- A heading is found by its words, whatever its level and case; of two, the first counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reverie.core.markdown.lines import LineKind, scan, unclosed
from reverie.core.markdown.sections import Section, clean_fact, headings
from reverie.core.text.plain import newline_of
from reverie.types import Span

NONE: Final = "- None"
"""What stands under a heading that has nothing yet."""

_MARK: Final = re.compile(r"\ufeff?(?P<indent> {0,3})(?P<mark>[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_RULE: Final = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_TAG: Final = re.compile(r" {0,3}</?[A-Za-z]")
_LINE_END: Final = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_HIDDEN: Final = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f\ufeff\ud800-\udfff]")
_BLANK: Final = re.compile(r"[ \t]*(?:\r\n|\r|\n)")
_ESCAPE: Final = "\\"
_PLACEHOLDER: Final = NONE.removeprefix("- ")


@dataclass(frozen=True, slots=True)
class Bullet:
    """One list item: its words without the mark, and which characters of the text it is."""

    text: str
    span: Span
    mark: str = "-"
    """As it stands, with the spaces before it."""

    @property
    def line(self) -> str:
        """Its words on one line."""
        return " ".join(self.text.split())


def clean_item(text: str) -> str:
    """Make a text fit for one list item: no mark of its own, no hidden control characters.

    >>> clean_item("- ship it\\n\\nsoon ")
    'ship it\\n\\nsoon'
    """
    plain = clean_fact(_HIDDEN.sub("", _LINE_END.sub("\n", text)))
    while _MARK.match(plain) and plain[0] in "-*+":
        plain = clean_fact(_MARK.sub("", plain, count=1))
    while plain.startswith(f"{_ESCAPE}<"):  # written with an escape anyway
        plain = plain[1:]
    return "\n".join(line.rstrip() for line in plain.split("\n")).strip()


def section_of(text: str, heading: str) -> Section | None:
    """Find a section by the words of its heading."""
    wanted = _words(heading)
    found = headings(text)
    for at, item in enumerate(found):
        if _words(item.title) == wanted:
            ends = (later.start for later in found[at + 1 :] if later.level <= item.level)
            return Section(item, next(ends, len(text)))
    return None


def bullets(text: str, heading: str) -> list[Bullet]:
    """Return what is listed under a heading, in order; the placeholder is nothing."""
    return [item for item in _all_bullets(text, heading) if not _is_placeholder(item)]


def _all_bullets(text: str, heading: str) -> list[Bullet]:
    section = section_of(text, heading)
    if section is None:
        return []
    # A sub-heading begins something of its own.
    inner = [
        item.start for item in headings(text) if section.heading.end <= item.start < section.end
    ]
    end = min(inner, default=section.end)
    found: list[Bullet] = []
    open_item = raw = False
    for line in scan(text):
        if not section.heading.end <= line.start < end:
            continue
        words = text[line.start : line.end]
        # An HTML block reaches to the next blank line, whatever its lines look like.
        raw = line.kind is not LineKind.BLANK and (
            raw or (not line.nested and bool(_TAG.match(words)))
        )
        if raw:
            open_item = False
            continue
        mark = None if line.nested or line.kind is LineKind.CODE else _MARK.match(words)
        if mark and not _RULE.match(words) and line.kind is not LineKind.COMMENT:
            start = line.start + words.startswith("\ufeff")
            said = words[mark.end() :].strip()
            said = said[1:] if said.startswith(f"{_ESCAPE}<") else said
            found.append(Bullet(said, Span(start, line.next), mark["indent"] + mark["mark"]))
            open_item = True
        elif open_item and line.nested and line.kind is not LineKind.BLANK:
            last = found[-1]
            gap = text[last.span.end : line.start].count("\n") + 1
            words = last.text + "\n" * gap + words.strip()
            found[-1] = Bullet(words, Span(last.span.start, line.next), last.mark)
        elif line.kind is not LineKind.BLANK:
            open_item = False
    return found


def add_bullet(
    text: str, heading: str, item: str, *, order: Sequence[str] = (), first: bool = False
) -> str:
    """List a cleaned item under a heading, at the end or first; a missing heading is made.

    `order` says where a missing heading belongs among its siblings.
    """
    newline = newline_of(text)
    if section_of(text, heading) is None:
        text = _with_heading(text, heading, order, newline)
    there = _all_bullets(text, heading)
    near = there[0 if first else -1].mark if there else "-"
    mark = near if near[-1] in "-*+" else near[: len(near) - len(near.lstrip())] + "-"
    written = _written(item, mark, newline)
    if len(there) == 1 and _is_placeholder(there[0]):
        span = there[0].span
        after = text[span.end :]
        written += _tail(text, span, newline) + _apart(after, newline)
        return text[: span.start] + written + after
    if there:
        at = there[0].span.start if first else there[-1].span.end
        if first:
            return text[:at] + written + newline + text[at:]
        return _after(text, at, written, newline)
    section = section_of(text, heading)
    at = _end_of_content(text, section) if section else len(text)
    gap = newline if section and at > section.heading.end else ""
    return _after(text, at, gap + written, newline, blank=not gap)


def remove_bullet(text: str, heading: str, item: Bullet) -> str:
    """Take an item out; the last one leaves the placeholder."""
    span = item.span
    newline = newline_of(text)
    before, after = text[: span.start], text[span.end :]
    if len(_all_bullets(text, heading)) == 1:
        return before + NONE + _tail(text, span, newline) + _apart(after, newline) + after
    gap = _BLANK.match(after)
    if gap and _ends_blank(before):
        after = after[gap.end() :]
    return before + _apart(after, newline) + after


def replace_bullet(text: str, item: Bullet, words: str) -> str:
    """Put other words in the place of an item."""
    newline = newline_of(text)
    written = _written(words, item.mark, newline)
    tail = _tail(text, item.span, newline)
    return text[: item.span.start] + written + tail + text[item.span.end :]


def _with_heading(text: str, heading: str, order: Sequence[str], newline: str) -> str:
    """Add an empty section before the first of its later siblings, else at the end."""
    names = [_words(name) for name in order]
    later = names[names.index(_words(heading)) + 1 :] if _words(heading) in names else []
    found = headings(text)
    sibling = next((item for item in found if _words(item.title) in later), None)
    level = next((item.level for item in found if _words(item.title) in names), 2)
    title = f"{'#' * level} {heading}{newline}{newline}{NONE}{newline}"
    if sibling is not None:
        return text[: sibling.start] + title + newline + text[sibling.start :]
    if not text.strip("\ufeff"):
        return text + title
    closer = unclosed(text)
    start = "" if text.endswith(("\n", "\r")) else newline
    start += f"{closer}{newline}" if closer is not None else ""
    return text + start + newline + title


def _written(item: str, mark: str, newline: str) -> str:
    indent = " " * (len(mark) + 1)
    head, *rest = item.split("\n")
    if head.startswith("<"):  # it would open an HTML block, and what follows would be part of it
        head = _ESCAPE + head
    return newline.join([f"{mark} {head}", *(f"{indent}{line}" if line else "" for line in rest)])


def _after(text: str, at: int, written: str, newline: str, *, blank: bool = False) -> str:
    before, after = text[:at], text[at:]
    start = "" if not before or before.endswith(("\n", "\r")) else newline
    closer = unclosed(before + start)
    start += f"{closer}{newline}" if closer is not None else ""
    start += newline if blank and not before.endswith(("\n\n", "\r\n\r\n")) else ""
    # A file without a final line end keeps its habit.
    end = newline if after or before.endswith(("\n", "\r")) else ""
    return before + start + written + end + _apart(after, newline) + after


def _apart(after: str, newline: str) -> str:
    """Return the blank line without which the next line would become part of an item before it."""
    if not after or _BLANK.match(after) or _MARK.match(after) or after.startswith("#"):
        return ""
    return newline


def _ends_blank(before: str) -> bool:
    lines = re.split(r"\r\n|\r|\n", before)
    return len(lines) > 1 and not lines[-1] and not lines[-2].strip(" \t")


def _tail(text: str, span: Span, newline: str) -> str:
    return newline if text[span.start : span.end].endswith(("\n", "\r")) else ""


def _end_of_content(text: str, section: Section) -> int:
    end = section.heading.end
    inner = [
        item.start for item in headings(text) if section.heading.end <= item.start < section.end
    ]
    stop = min(inner, default=section.end)
    for line in scan(text):
        if section.heading.end <= line.start < stop and line.kind is not LineKind.BLANK:
            end = line.next
    return end


def _is_placeholder(item: Bullet) -> bool:
    return item.text.strip().casefold() == _PLACEHOLDER.casefold()


def _words(title: str) -> str:
    return " ".join(title.casefold().strip(" :*_").split())
