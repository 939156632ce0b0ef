"""Lines of a Markdown text: what each one is, so that text can be read and edited by span.

Rules
- Fences (``` and ~~~, indented, longer closers), indented code, HTML blocks and frontmatter hold no
  headings; what stands in a list item belongs to the item. The tests compare with a real parser.
- A line ends at LF, CRLF or CR, as in CommonMark; no other character ends a line.
- Block structure only: for code spans see `code`, which asks that parser.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

__all__ = ["ATX", "Line", "LineKind", "scan", "unclosed"]

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_FENCE: Final = re.compile(r"(?P<mark>`{3,}(?=[^`]*$)|~{3,})")
_CLOSER: Final = re.compile(r"(`{3,}|~{3,})[ \t]*$")
ATX: Final = re.compile(r"(?P<marks>#{1,6})(?:[ \t]|$)")
_UNDERLINE: Final = re.compile(r"(=+|-+)[ \t]*$")
_ITEM: Final = re.compile(r"(?P<mark>[-+*]|(?P<number>\d{1,9})[.)])(?P<gap>[ \t]+|$)")
_RAW: Final = re.compile(r"<(script|pre|style|textarea)(?:[\s>]|$)", re.IGNORECASE)
_RAW_END: Final = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
# The other HTML blocks of CommonMark: declarations, which end at a mark, and tags, which end at a
# blank line. The names are those that may interrupt a paragraph.
_DECLARED: Final = (("<?", "?>"), ("<![CDATA[", "]]>"))
_DECLARATION: Final = re.compile(r"<![A-Za-z]")
_TAG: Final = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details"
    r"|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr"
    r"|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search"
    r"|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|/?>|$)",
    re.IGNORECASE,
)
_ATTRIBUTE: Final = r"""\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
_LONE_TAG: Final = re.compile(
    rf"(?:<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)[ \t]*$"
)
_STARTS: Final = frozenset("`~#=-*_+<>0123456789")  # what a line must begin with to begin a block
_MAX_NESTING: Final = 100  # list items within list items; deeper ones are text
_BLANK_LINE: Final = "\n"
_KEY: Final = re.compile(r"[^\s:#\-][^:]*:(?:\s|$)")


class LineKind(StrEnum):
    """What a line is, as far as editing by lines needs it."""

    TEXT = "text"
    BLANK = "blank"
    HEADING = "heading"
    UNDERLINE = "underline"
    """The `===` or `---` under a heading; the lines of its title are HEADING."""
    FENCE = "fence"
    CODE = "code"
    """Inside a fence, indented code, or raw HTML such as `<pre>`."""
    COMMENT = "comment"
    FRONTMATTER = "frontmatter"


class Line(NamedTuple):  # quicker to make than a dataclass, and a text has many
    """One line: characters `start` to `end` without its line end, which reaches to `next`."""

    number: int
    start: int
    end: int
    next: int
    kind: LineKind
    level: int = 0
    """Of a heading at the top level; headings inside list items are their item's text."""
    item: bool = False
    """Begins a list item at the top level."""
    nested: bool = False
    """Inside a list item (its first line is not)."""


def scan(text: str) -> list[Line]:
    """Say of every line what it is.

    >>> [line.kind.value for line in scan("# A\\n```\\n# b\\n```\\n")]
    ['heading', 'fence', 'code', 'fence']
    """
    return _Scanner(text).run()


def unclosed(text: str) -> str | None:
    """Say what must follow so that a new line at the left margin begins a block of its own.

    None: nothing is open. "": a blank line. Else the line that closes the fence, comment or raw block.
    """
    scanner = _Scanner(text)
    scanner.run()
    return scanner.closer


class _Scanner:
    """The state between lines: which list items, which fence, which paragraph are open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.items: list[int] = []
        """Content columns of the open list items, outermost first."""
        self.fence = ""
        self.fence_indent = 0
        self.until: re.Pattern[str] | str = ""
        """What ends the comment or raw block we are in."""
        self.block_kind = LineKind.COMMENT
        self.tag = ""
        self.paragraph = -1
        """Index of the first line of the open paragraph, or -1."""
        self.paragraph_depth = 0
        self.quote = False
        """The open paragraph stands in a block quote."""
        self.quote_fence = ""
        self.bare_item = False
        """The line before was a list mark alone; a blank line after it ends the item."""
        self.kinds: list[tuple[LineKind, int, bool, bool]] = []

    @property
    def closer(self) -> str | None:
        if self.items or not (self.fence or self.until):
            return None  # the next line at the margin ends a list item and all that is open in it
        if self.fence:
            return " " * self.fence_indent + self.fence
        if isinstance(self.until, str):
            return self.until.strip("\n")
        return f"</{self.tag}>"

    def run(self) -> list[Line]:
        raw = _LINE.findall(self.text)
        skip = _frontmatter_lines(raw)
        for index, full in enumerate(raw):
            if index < skip:
                self._add(LineKind.FRONTMATTER)
                continue
            line = full.rstrip("\r\n")
            if index == 0:
                line = line.removeprefix("\ufeff")
            if line[:1].isalpha() and not self.items and not self.fence and not self.until:
                # Most lines begin with a letter, which starts no block.
                self.quote_fence = ""
                self._text(index)
                continue
            self._line(index, line)
        lines: list[Line] = []
        start = 0
        for number, (full, (kind, level, item, nested)) in enumerate(
            zip(raw, self.kinds, strict=True), 1
        ):
            end = start + len(full)
            lines.append(Line(number, start, end - _eol(full), end, kind, level, item, nested))
            start = end
        return lines

    def _add(self, kind: LineKind, level: int = 0) -> None:
        self.kinds.append((kind, level, False, bool(self.items)))

    def _line(self, index: int, line: str) -> None:
        body = line.lstrip(" \t")
        indent = _column(line[: len(line) - len(body)])
        if not body.startswith(">"):
            self.quote_fence = ""
        if not body:
            self._blank()
            self.bare_item = False
            return
        self.bare_item = False
        if self.items and indent < self.items[-1]:
            if self._lazy(body, indent):
                self._add(LineKind.TEXT)
                return
            while self.items and indent < self.items[-1]:
                self.items.pop()
                self.fence = ""
                self.until = ""
            if self.paragraph_depth > len(self.items):
                self.paragraph = -1
        if not self._inside(body, indent):
            self._start(index, body, indent)

    def _blank(self) -> None:
        if self.fence or self.until not in ("", _BLANK_LINE):
            self._add(LineKind.CODE if self.fence else self.block_kind)
            return
        self.until = ""
        if self.bare_item and self.items:
            self.items.pop()
        self._add(LineKind.BLANK)
        self.paragraph = -1

    def _inside(self, body: str, indent: int) -> bool:
        """Handle a line inside an open fence, comment or raw block."""
        if self.fence:
            match = _CLOSER.match(body)
            if (
                match
                and match[1].startswith(self.fence)
                and indent - (self.items[-1] if self.items else 0) < 4
            ):
                self.fence = ""
                self._add(LineKind.FENCE)
            else:
                self._add(LineKind.CODE)
            return True
        if self.until:
            self._add(self.block_kind)
            if self._ends(body):
                self.until = ""
            return True
        return False

    def _start(self, index: int, body: str, indent: int) -> None:
        """Handle a line that may begin something."""
        relative = indent - (self.items[-1] if self.items else 0)
        if relative >= 4:
            if self.paragraph >= 0:
                self._text(index)
            else:
                self._add(LineKind.CODE)
            return
        first = body[0]
        if first not in _STARTS:
            self._text(index)
        elif first in "`~" and (match := _FENCE.match(body)):
            self._add(LineKind.FENCE)
            self.fence, self.fence_indent, self.paragraph = match["mark"], indent, -1
        elif first == "#" and (match := ATX.match(body)):
            self._heading(len(match["marks"]))
        elif first in "=-" and self._underlines(body):
            self._underline(1 if first == "=" else 2)
        elif _is_rule(body):
            self._add(LineKind.TEXT)
            self.paragraph = -1
        elif first == ">":
            self._quote(index, body)
        elif first == "<" and self._raw_block(body):
            pass
        elif (match := _ITEM.match(body)) and self._may_begin(match, body):
            self._item(index, match, body, indent)
        else:
            self._text(index)

    def _text(self, index: int) -> None:
        self._add(LineKind.TEXT)
        if self.paragraph < 0:
            self.paragraph, self.quote, self.paragraph_depth = index, False, len(self.items)

    def _heading(self, level: int) -> None:
        if self.items:
            self._add(LineKind.TEXT)
        else:
            self._add(LineKind.HEADING, level)
        self.paragraph = -1

    def _underlines(self, body: str) -> bool:
        if self.paragraph < 0 or self.quote or self.paragraph_depth != len(self.items):
            return False
        return bool(_UNDERLINE.match(body))

    def _underline(self, level: int) -> None:
        if self.items:
            self._add(LineKind.TEXT)
        else:
            for at in range(self.paragraph, len(self.kinds)):
                self.kinds[at] = (LineKind.HEADING, level, False, False)
            self._add(LineKind.UNDERLINE, level)
        self.paragraph = -1

    def _raw_block(self, body: str) -> bool:
        self.block_kind = LineKind.TEXT
        if body.startswith("<!--"):
            self.until, self.block_kind = "-->", LineKind.COMMENT
        elif match := _RAW.match(body):
            self.until, self.block_kind, self.tag = _RAW_END, LineKind.CODE, match[1].lower()
        elif _TAG.match(body) or (self.paragraph < 0 and _LONE_TAG.match(body)):
            self.until = _BLANK_LINE
        elif _DECLARATION.match(body):
            self.until = ">"
        elif found := next((end for start, end in _DECLARED if body.startswith(start)), ""):
            self.until = found
        else:
            return False
        self._add(self.block_kind)
        if self._ends(body):
            self.until = ""
        self.paragraph = -1
        return True

    def _ends(self, body: str) -> bool:
        if isinstance(self.until, str):
            return self.until in body
        return bool(self.until.search(body))

    def _may_begin(self, match: re.Match[str], body: str) -> bool:
        """A paragraph is interrupted only by an item with text, numbered one if numbered."""
        if len(self.items) >= _MAX_NESTING:
            return False
        if self.paragraph < 0 or self.quote or self.paragraph_depth < len(self.items):
            return True
        empty = not body[match.end() :].strip(" \t")
        return not empty and match["number"] in (None, "1")

    def _item(self, index: int, match: re.Match[str], body: str, indent: int) -> None:
        rest = body[match.end() :]
        column = indent + len(match["mark"])
        after = _column(match["gap"], column)
        gap = after - column
        self.paragraph = -1
        at = len(self.kinds)
        nested = bool(self.items)
        if not rest or gap >= 5:  # nothing yet, or one space and then indented code
            self._add(LineKind.CODE if rest else LineKind.TEXT)
            self.items.append(column + 1)
            self.bare_item = not rest
        else:
            self.items.append(after)
            self._start(index, rest, after)
        self.kinds[at] = (self.kinds[at][0], self.kinds[at][1], not nested, nested)

    def _quote(self, index: int, body: str) -> None:
        self._add(LineKind.TEXT)
        inner = body[1:].lstrip("> \t")
        if self.quote_fence:  # code in the quote: no paragraph that a later line could continue
            self.paragraph = -1
            if inner.startswith(self.quote_fence) and _CLOSER.match(inner):
                self.quote_fence = ""
        elif (
            not inner or any(start.match(inner) for start in (_FENCE, ATX, _RAW)) or _is_rule(inner)
        ):
            self.paragraph = -1
            match = _FENCE.match(inner)
            self.quote_fence = match["mark"] if match else ""
        elif self.paragraph < 0 or not self.quote:
            self.paragraph, self.quote, self.paragraph_depth = index, True, len(self.items)

    def _lazy(self, body: str, indent: int) -> bool:
        """Say whether a line short of its item's column still continues the item's paragraph."""
        if (
            self.paragraph < 0
            or self.fence
            or self.until
            or self.paragraph_depth != len(self.items)
        ):
            return False
        if body[0] not in _STARTS:
            return True
        outer = max((column for column in self.items if column <= indent), default=0)
        if indent - outer >= 4:
            return True
        starts = (_FENCE, ATX, _RAW, _TAG, _DECLARATION, _ITEM)
        return not (
            body.startswith((">", "<!--", "<?", "<![CDATA["))
            or any(start.match(body) for start in starts)
            or _is_rule(body)
        )


def _frontmatter_lines(raw: list[str]) -> int:
    """Count the lines of YAML frontmatter, fences included; a rule at the top is none."""
    if not raw or raw[0].removeprefix("\ufeff").rstrip() != "---":
        return 0
    seen_key = False
    for count, full in enumerate(raw[1:], 2):
        line = full.rstrip()
        if line in ("---", "..."):
            return count if seen_key else 0
        if not seen_key and line and not line.startswith("#"):
            if not _KEY.match(full):
                return 0
            seen_key = True
    return 0


def _is_rule(body: str) -> bool:
    """Say whether a line is a thematic break: three or more of one sign, and nothing else."""
    sign = body[0]
    return sign in "-*_" and not body.strip(f"{sign} \t") and body.count(sign) >= 3


def _column(space: str, start: int = 0) -> int:
    """Return the column after some spaces and tabs; a tab reaches to the next multiple of four."""
    if "\t" not in space:
        return start + len(space)
    column = start
    for char in space:
        column += 4 - column % 4 if char == "\t" else 1
    return column


def _eol(full: str) -> int:
    return 2 if full.endswith("\r\n") else 1 if full.endswith(("\n", "\r")) else 0
