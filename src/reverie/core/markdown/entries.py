"""Entries: which characters of a Markdown body are one remembered thing, its reason and its use.

Rules:

* A list item or a paragraph is an entry. Headings, comments, rules between lines and a line that
  only leads into a list ("For commits:") are structure, not entries.
* `Why:` and `How to apply:` lines belong to the entry before them: plain, bold with the colon
  inside or outside, indented, as list items, in the languages of `LABELS`.
* What is nested, indented or fenced under an entry belongs to it.
* Reading never loses anything: an entry knows its lines, and the text itself stays the truth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from reverie.types import Span

PLACEHOLDERS: Final = frozenset({"_No entries yet._", "_No detailed entries yet._"})

LABELS: Final = {
    "why": (
        "why", "reason", "rationale", "为什么", "為什麼", "原因", "理由", "なぜ", "이유", "왜",
        "почему", "причина", "pourquoi", "raison", "warum", "grund", "por qué", "por que", "motivo",
        "perché", "γιατί", "เหตุผล", "ทำไม",
    ),
    "how": (
        "how to apply", "how_to_apply", "how-to-apply", "howtoapply", "如何应用", "如何應用",
        "如何使用", "适用场景", "適用場景", "应用方式", "適用方法", "適用", "使い方", "적용 방법",
        "적용", "как применять", "применение", "comment appliquer", "application", "anwendung",
        "wie anwenden", "cómo aplicar", "como aplicar", "come applicare", "πώς εφαρμόζεται",
        "วิธีใช้",
    ),
}  # fmt: skip

_LINE: Final = re.compile(r"[^\n]*\n?")
_INDENT: Final = re.compile(r"[ \t]*")
_BULLET: Final = re.compile(r"(?P<lead>[ \t]*(?:[-*+•]|\d{1,9}[.)、])[ \t]+)(?=\S)")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_RULE: Final = re.compile(r" {0,3}([-*_])(?:[ \t]*+\1){2,}+[ \t]*+")
_UNDERLINE: Final = re.compile(r" {0,3}={2,}[ \t]*")
_FENCE: Final = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)")
_KINDS: Final = {label: kind for kind, labels in LABELS.items() for label in labels}
_FIELD: Final = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+)?(?P<open>\*{1,3}|_{1,3}|)(?P<label>"
    + "|".join(re.escape(label) for label in sorted(_KINDS, key=len, reverse=True))
    + r")[ \t]*(?:(?P=open)[ \t]*[:：]|[:：][ \t]*(?P=open))[ \t]*",
    re.IGNORECASE,
)
_LEAD_IN: Final = re.compile(r"[:：][*_]{0,3}[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class EntryText:
    """One entry and where each of its parts stands, in characters of the text that was read."""

    summary: str
    why: str
    how: str
    span: Span
    """Its whole lines."""
    summary_span: Span
    why_span: Span | None
    how_span: Span | None
    bullet: str
    """What stands before the summary on its first line: `- `, `2. `, or nothing for a paragraph."""


@dataclass(slots=True)
class _Open:
    """An entry that is still being read."""

    start: int
    end: int
    bullet: str
    indent: int
    part: str = "summary"
    blank: bool = False
    pieces: dict[str, list[Span]] = field(default_factory=dict)

    def own(self, start: int, end: int, line_end: int) -> None:
        self.pieces.setdefault(self.part, []).append(Span(start, end))
        self.end = line_end
        self.blank = False

    def is_empty(self, text: str) -> bool:
        return not any(text[s.start : s.end].strip() for s in self.pieces.get(self.part, ()))


class _Reader:
    """Reads a body line by line; `entries` is the result."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.entries: list[EntryText] = []
        self.current: _Open | None = None
        self.fence = ""
        self.comment = False

    def line(self, start: int, line_end: int) -> None:
        content = self.text[start:line_end].rstrip("\r\n")
        end = start + len(content)
        if self.fence:
            self._fenced(content, start, end, line_end)
        elif self.comment or content.lstrip().startswith("<!--"):
            self.comment = "-->" not in content
            self._pause()
        elif not content.strip():
            self._pause()
        elif self._is_structure(content):
            self.close()
        elif self.current and (match := _FIELD.match(content)):
            self.current.part = _KINDS[match["label"].lower()]
            self.current.own(start + match.end(), end, line_end)
        elif match := _FENCE.match(content):
            self._open_fence(match, start, end, line_end)
        elif match := _BULLET.match(content):
            self._bullet(match, start, end, line_end)
        else:
            self._plain(content, start, end, line_end)

    def close(self) -> None:
        if self.current:
            self.entries.append(self._built(self.current))
        self.current = None

    def _pause(self) -> None:
        if self.current:
            self.current.blank = True

    def _is_structure(self, content: str) -> bool:
        if _UNDERLINE.fullmatch(content) and self.current and not self.current.blank:
            self.current = None  # the paragraph above was a heading
            return True
        return bool(
            _HEADING.match(content) or _RULE.fullmatch(content) or content.strip() in PLACEHOLDERS
        )

    def _fenced(self, content: str, start: int, end: int, line_end: int) -> None:
        mark = content.strip()
        if len(mark) >= len(self.fence) and set(mark) == {self.fence[0]}:
            self.fence = ""
        if self.current:
            self.current.own(start, end, line_end)

    def _open_fence(self, match: re.Match[str], start: int, end: int, line_end: int) -> None:
        if match["mark"][0] == "`" and "`" in match["info"]:  # inline code, not a fence
            self._plain(self.text[start:end], start, end, line_end)
            return
        self.fence = match["mark"]
        if self.current:
            self.current.own(start, end, line_end)

    def _bullet(self, match: re.Match[str], start: int, end: int, line_end: int) -> None:
        now = self.current
        indent = _width(_INDENT.match(match["lead"])[0])  # type: ignore[index]  # matches always
        if now and now.bullet and indent > now.indent + 1:
            now.own(start, end, line_end)
            return
        if now and not now.bullet and now.part != "summary" and self._continues(now):
            now.own(start, end, line_end)
            return
        if now and not now.bullet and now.part == "summary" and self._leads_in(now):
            self.current = None
        self.close()
        self.current = _Open(start, line_end, match["lead"].lstrip(), indent)
        self.current.own(start + match.end(), end, line_end)

    def _plain(self, content: str, start: int, end: int, line_end: int) -> None:
        now = self.current
        indented = _width(_INDENT.match(content)[0]) >= 2  # type: ignore[index]  # matches always
        if now and (indented or self._continues(now)):
            now.own(start, end, line_end)
            return
        self.close()
        self.current = _Open(start, line_end, "", 0)
        self.current.own(start + len(content) - len(content.lstrip()), end, line_end)

    def _continues(self, now: _Open) -> bool:
        return not now.blank or (now.part != "summary" and now.is_empty(self.text))

    def _leads_in(self, now: _Open) -> bool:
        return bool(_LEAD_IN.search(self.text[now.start : now.end].rstrip("\r\n")))

    def _built(self, now: _Open) -> EntryText:
        spans = {part: Span(pieces[0].start, pieces[-1].end) for part, pieces in now.pieces.items()}
        words = {
            part: " ".join(self.text[s.start : s.end].strip() for s in pieces).strip()
            for part, pieces in now.pieces.items()
        }
        return EntryText(
            summary=words["summary"],
            why=words.get("why", ""),
            how=words.get("how", ""),
            span=Span(now.start, now.end),
            summary_span=spans["summary"],
            why_span=spans.get("why"),
            how_span=spans.get("how"),
            bullet=now.bullet,
        )


def read_entries(text: str, start: int = 0) -> list[EntryText]:
    """Read the entries of a text from a position on; spans count from the beginning of the text."""
    reader = _Reader(text)
    for match in _LINE.finditer(text, start):
        if match[0]:
            reader.line(match.start(), match.end())
    reader.close()
    return reader.entries


def split_fields(text: str) -> tuple[str, str, str]:
    """Take `Why:` and `How to apply:` out of a text somebody wrote: (content, why, how).

    Labels count at the start of a line, or after the end of a sentence within it.
    """
    parts: dict[str, list[str]] = {"summary": [], "why": [], "how": []}
    part = "summary"
    for line in _SENTENCE_FIELD.sub("\n", text).split("\n"):
        match = _FIELD.match(line)
        if match and any(piece.strip() for piece in parts["summary"]):
            part = _KINDS[match["label"].lower()]
            line = line[match.end() :]
        elif part != "summary" and not line.strip():
            part = "summary"
        parts[part].append(line)
    summary, why, how = ("\n".join(parts[name]).strip() for name in ("summary", "why", "how"))
    return summary, why, how


_SENTENCE_FIELD: Final = re.compile(
    r"(?:(?<=[.!?;。！？；])[ \t]+|(?<=[。！？；]))(?=\*{0,3}(?:"
    + "|".join(re.escape(label) for label in sorted(_KINDS, key=len, reverse=True))
    + r")\*{0,3}[ \t]*[:：])",
    re.IGNORECASE,
)


def _width(indent: str) -> int:
    return len(indent.expandtabs(4))
