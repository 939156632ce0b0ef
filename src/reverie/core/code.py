"""Which places of a Markdown text are code, asked of a real parser only where lines cannot tell.

Rules
- A place is marked with a character that the text does not have, the text is parsed, and where the
  mark comes out decides; so code spans, nested fences and links are exactly the parser's.
- Loading the parser takes longer than reading most context files, so the line scan answers first
  where it is certain. The tests hold both answers against each other.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from reverie.core.lines import Line, LineKind, scan
from reverie.types import Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["outside_code"]

_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_RAW: Final = re.compile(r"\s*<(?:script|pre|style|textarea)(?:[\s>]|$)", re.IGNORECASE)
_ITEM: Final = re.compile(r"\ufeff? {0,3}[-*+][ \t]+\S")
# With none of these in a block, there is no code span, link, reference or HTML in it.
_INLINE: Final = re.compile(r"[`<]|\]\(|\]:")
_PRIVATE: Final = range(0xE000, 0xF8FF)
_SENSIBLE: Final = (LineKind.TEXT, LineKind.HEADING, LineKind.UNDERLINE)


def outside_code(text: str, spans: Sequence[Span]) -> list[bool]:
    """Say for each span whether it stands as it reads: outside code, links and frontmatter.

    A span that begins with `<!--` must be an HTML comment of its own; any other must not be inside one.
    """
    answers = _by_lines(text, spans)
    open_ones = [at for at, answer in enumerate(answers) if answer is None]
    if open_ones:
        asked = _by_parser(text, [spans[at] for at in open_ones])
        for at, answer in zip(open_ones, asked, strict=True):
            answers[at] = answer
    return [bool(answer) for answer in answers]


def _by_lines(text: str, spans: Sequence[Span]) -> list[bool | None]:
    """Answer where the kinds of lines are enough; None where they are not."""
    lines = scan(text)
    starts = [line.start for line in lines]
    answers: list[bool | None] = []
    for span in spans:
        at = bisect.bisect_right(starts, span.start) - 1
        line = lines[at]
        if line.kind in (LineKind.CODE, LineKind.FENCE, LineKind.FRONTMATTER):
            answers.append(False)
        elif text.startswith("<!--", span.start):
            alone = text[line.start : line.end].strip("\ufeff \t") == text[span.start : span.end]
            answers.append(True if alone and line.kind is LineKind.COMMENT else None)
        elif line.kind in _SENSIBLE:
            block = _block(text, lines, at)
            quoted = any(part.lstrip().startswith(">") for part in block.splitlines())
            answers.append(None if quoted or _INLINE.search(block) else True)
        else:
            answers.append(None)
    return answers


def _block(text: str, lines: Sequence[Line], at: int) -> str:
    """Return the lines around one that inline syntax could reach: up to a blank or the next item."""

    def begins(index: int) -> bool:
        line = lines[index]
        return not line.nested and bool(_ITEM.match(text, line.start, line.end))

    first = last = at
    while first > 0 and lines[first - 1].kind in _SENSIBLE and not begins(first):
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].kind in _SENSIBLE and not begins(last + 1):
        last += 1
    return text[lines[first].start : lines[last].end]


def _by_parser(text: str, spans: Sequence[Span]) -> list[bool]:
    """Mark each span, parse, and see where the marks come out."""
    present = set(text)
    mark = next(chr(code) for code in _PRIVATE if chr(code) not in present)
    parts: list[str] = []
    done = 0
    for number, span in enumerate(spans):
        at = text.index("@", span.start) + 1
        parts += [text[done:at], f"{mark}{number}{mark}"]
        done = at
    marked = "".join([*parts, text[done:]])
    number = re.compile(f"{mark}([0-9]+){mark}")
    found: set[int] = set()
    for content, whole in _readable(_parser(), marked):
        if whole:
            comments = [(match.start(), match.end()) for match in _COMMENT.finditer(content)]
            for match in number.finditer(content):
                key = int(match[1])
                inside = next(((a, b) for a, b in comments if a <= match.start() < b), None)
                wanted = text[spans[key].start : spans[key].end]
                is_comment = inside and number.sub("", content[inside[0] : inside[1]]) == wanted
                if is_comment or (inside is None and not wanted.startswith("<!--")):
                    found.add(key)
        else:
            keys = (int(match[1]) for match in number.finditer(content))
            found.update(key for key in keys if not text.startswith("<!--", spans[key].start))
    return [at in found for at in range(len(spans))]


def _readable(parser: MarkdownIt, text: str) -> Iterator[tuple[str, bool]]:
    """Yield what stands as text, and raw HTML with True, outside code and link labels."""
    for token in parser.parse(text):
        if token.type == "html_block" and not _RAW.match(token.content):
            yield token.content, True
        elif token.type == "inline":
            yield from _inline(token.children or [])


def _inline(children: Sequence[Token]) -> Iterator[tuple[str, bool]]:
    links = 0
    for child in children:
        links += (child.type == "link_open") - (child.type == "link_close")
        if links == 0 and child.type in ("text", "html_inline"):
            yield child.content, child.type == "html_inline"


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")
