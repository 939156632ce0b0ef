"""Which places of a Markdown text are code, asked of a real parser only where lines cannot tell.

Rules
- A place is marked with a character that the text does not have, the text is parsed, and where the
  mark comes out decides; so code spans, nested fences and comments are exactly the parser's.
- Loading the parser takes longer than reading most context files, so it is the last to be asked: a
  glance settles texts of plain structure, the line scan most others, and only paragraphs in doubt are
  parsed. The tests hold all answers against those of the parser on the whole text.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from reverie.core.markdown.lines import LineKind, scan
from reverie.types import Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

    from reverie.core.markdown.lines import Line

__all__ = ["outside_code"]

# A comment that nobody closes goes to the end; looking for its end again and again would be slow.
_UNSEEN: Final = re.compile(r"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)|<[^<>]*+>")
_RAW: Final = re.compile(r"\s*<(?:script|pre|style|textarea)(?:[\s>]|$)", re.IGNORECASE)
_QUOTE: Final = re.compile(r"^[ \t]*>", re.MULTILINE)
# Lines whose meaning depends on those before them: structure behind an indent, a list mark or a quote
# mark, HTML other than a comment of one line, other line ends than LF, frontmatter.
_INVOLVED: Final = re.compile(
    r"[\r\t]|^(?:[ >*+\-0-9.)]+(?:`{3}|~{3}|<)|<(?!!--(?:(?!-->)[^\n])*-->[ ]*$))|\A\ufeff?---",
    re.MULTILINE,
)
_FENCE: Final = re.compile(r"^(?P<mark>`{3,}|~{3,})(?P<rest>[^\n]*)$", re.MULTILINE)
_DIVIDER: Final = "\n\n***\n\n"
_NEAR: Final = 200  # nobody indents further; hostile lines are not copied for each place in them
_PRIVATE: Final = range(0xE000, 0xF8FF)
_READABLE: Final = (LineKind.TEXT, LineKind.HEADING, LineKind.UNDERLINE)
_NEVER: Final = (LineKind.CODE, LineKind.FENCE, LineKind.FRONTMATTER)


def outside_code(text: str, spans: Sequence[Span]) -> list[bool]:
    """Say for each span, in order, whether it stands as it reads: outside code and frontmatter.

    A span that begins with `<!--` must be an HTML comment of its own; any other must not be inside one.
    """
    glance = _at_a_glance(text, spans)
    if None not in glance:
        return [bool(answer) for answer in glance]
    lines = scan(text)
    starts = [line.start for line in lines]
    blocks, pieces = _blocks(lines), _pieces(lines)
    plain: dict[int, bool] = {}
    answers: list[bool] = []
    doubtful: dict[int, list[int]] = {}
    for number, span in enumerate(spans):
        at = bisect.bisect_right(starts, span.start) - 1
        line = lines[at]
        answers.append(line.kind not in _NEVER)
        if line.kind in _NEVER or (
            text.startswith("<!--", span.start) and _alone(text, lines, at, span)
        ):
            continue
        if line.kind in _READABLE and not text.startswith("<!--", span.start):
            first = blocks[at]
            if first not in plain:
                plain[first] = _is_plain(_slice(text, lines, blocks, first))
            if plain[first]:
                continue
        doubtful.setdefault(pieces[at], []).append(number)
    for number, answer in zip(
        (number for numbers in doubtful.values() for number in numbers),
        _asked(text, lines, pieces, spans, doubtful),
        strict=True,
    ):
        answers[number] = answer
    return answers


def _asked(
    text: str,
    lines: Sequence[Line],
    pieces: Sequence[int],
    spans: Sequence[Span],
    doubtful: dict[int, list[int]],
) -> list[bool]:
    """Parse the pieces in doubt in one go, with rules between them that end whatever is open."""
    parts: list[str] = []
    moved: list[Span] = []
    size = 0
    for first, numbers in doubtful.items():
        shift = size - lines[first].start
        moved += [Span(spans[n].start + shift, spans[n].end + shift) for n in numbers]
        parts.append(_slice(text, lines, pieces, first) + _DIVIDER)
        size += len(parts[-1])
    return by_parser("".join(parts), moved) if moved else []


def _at_a_glance(text: str, spans: Sequence[Span]) -> list[bool | None]:
    """Answer for a text whose fences all stand at the margin; None where a closer look is needed."""
    if _INVOLVED.search(text):
        return [None] * len(spans)
    fences: list[int] = []
    opened = ""
    for match in _FENCE.finditer(text):
        if not opened:
            if match["mark"][0] == "`" and "`" in match["rest"]:
                continue
            opened = match["mark"]
            fences.append(match.start())
        elif match["mark"].startswith(opened) and not match["rest"].strip(" "):
            opened = ""
            fences.append(match.end())
    answers: list[bool | None] = []
    line, line_may_be_code = Span(0, 0), False
    reach, plain = Span(0, 0), False
    for span in spans:  # in order, so what was found out about a line or a block may still hold
        if bisect.bisect_right(fences, span.start) % 2:
            answers.append(False)
            continue
        if span.end > line.end:
            end = text.find("\n", span.end)
            line = Span(text.rfind("\n", 0, span.start) + 1, end if end >= 0 else len(text))
            line_may_be_code = text.find("     ", line.start, line.end) >= 0
            line_may_be_code |= text.startswith("    ", line.start)
        if text.startswith("<!--", span.start):
            answers.append(True if _fills(text, line, span) else None)
        elif line_may_be_code:
            answers.append(None)
        else:
            if span.end > reach.end:
                reach = _reach(text, line.start, span.end)
                plain = _is_plain(text[reach.start : reach.end])
            answers.append(True if plain else None)
    return answers


def _fills(text: str, line: Span, span: Span) -> bool:
    """Say whether a comment stands alone on its line, not indented."""
    at_margin = span.start == line.start
    return at_margin and line.end - span.end < _NEAR and not text[span.end : line.end].strip(" ")


def _reach(text: str, start: int, end: int) -> Span:
    """Return the text inline syntax could reach: up to a blank line or a list item at the margin."""
    if not text.startswith("- ", start):
        blank = max(text.rfind("\n\n", 0, start), 0)
        start = max(text.rfind("\n- ", blank, start), blank)
    blank = text.find("\n\n", end)
    blank = blank if blank >= 0 else len(text)
    item = text.find("\n- ", end, blank)
    return Span(start, item if item >= 0 else blank)


def _is_plain(block: str) -> bool:
    """Say whether a block has no code span, no HTML and no quote in it."""
    return "`" not in block and "<" not in block and not _QUOTE.search(block)


def by_parser(text: str, spans: Sequence[Span]) -> list[bool]:
    """Mark each span, parse the text, and see where the marks come out."""
    present = set(text)
    mark = next(chr(code) for code in _PRIVATE if chr(code) not in present)
    parts: list[str] = []
    done = 0
    for number, span in enumerate(spans):
        at = text.index("@", span.start) + 1
        parts += [text[done:at], f"{mark}{number}{mark}"]
        done = at
    pattern = re.compile(f"{mark}([0-9]+){mark}")
    found: set[int] = set()
    for content, is_html in _readable(_parser(), "".join([*parts, text[done:]])):
        unseen = [match.span() for match in _UNSEEN.finditer(content)] if is_html else []
        for match in pattern.finditer(content):
            span = spans[int(match[1])]
            near = bisect.bisect_right(unseen, (match.start(), len(content))) - 1
            start, end = unseen[near] if near >= 0 else (0, 0)
            if not text.startswith("<!--", span.start):
                stands = match.start() >= end
            elif end - start > span.end - span.start + _NEAR:
                stands = False
            else:
                stands = pattern.sub("", content[start:end]) == text[span.start : span.end]
            if stands:
                found.add(int(match[1]))
    return [number in found for number in range(len(spans))]


def _alone(text: str, lines: Sequence[Line], at: int, span: Span) -> bool:
    """Say whether a comment fills its line, so that the line scan saw it begin and end there."""
    line = lines[at]
    if line.kind is not LineKind.COMMENT:
        return False
    before = lines[at - 1] if at else None
    if before and before.kind is LineKind.COMMENT and "-->" not in text[before.start : before.end]:
        return False
    if span.start - line.start > _NEAR or line.end - span.end > _NEAR:
        return False
    return text[line.start : line.end].strip("\ufeff \t") == text[span.start : span.end]


def _blocks(lines: Sequence[Line]) -> list[int]:
    """Return for each line the first line that inline syntax could reach it from."""
    found: list[int] = []
    before = False
    for at, line in enumerate(lines):
        readable = line.kind in _READABLE
        found.append(found[-1] if readable and before and not line.item else at)
        before = readable
    return found


def _pieces(lines: Sequence[Line]) -> list[int]:
    """Return for each line the first line of the part around it that can be parsed by itself."""
    found: list[int] = []
    for at, line in enumerate(lines):
        cut = at == 0 or (not line.nested and lines[at - 1].kind is LineKind.BLANK)
        found.append(at if cut else found[-1])
    return found


def _slice(text: str, lines: Sequence[Line], groups: Sequence[int], first: int) -> str:
    last = bisect.bisect_right(groups, first) - 1
    return text[lines[first].start : lines[last].next]


def _readable(parser: MarkdownIt, text: str) -> Iterator[tuple[str, bool]]:
    """Yield what stands as text, and raw HTML with True, outside code."""
    for token in parser.parse(text):
        if token.type == "html_block" and not _RAW.match(token.content):
            yield token.content, True
        elif token.type == "inline":
            for child in token.children or []:
                if child.type in ("text", "html_inline"):
                    yield child.content, child.type == "html_inline"


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").disable("reference")
    # Only what decides about code: the other rules change nothing here, and some of them take
    # quadratic time on hostile text.
    parser.inline.ruler.enableOnly(
        ["text", "newline", "escape", "backticks", "autolink", "html_inline"]
    )
    parser.inline.ruler2.enableOnly([])
    return parser
