"""Turn texts into chunks: pieces that are found as one, each with the exact lines it stands on.

Rules
- A chunk is a run of whole lines of one section; a heading without text goes with what follows.
  Sections and lines over the limit are cut, see `cut`.
- A transcript (`Name: words` on most lines) is cut into its turns, each whole, with its speaker.
- Of one text at most `MAX_LINES` lines and `MAX_CHUNKS` chunks count, and a title at most
  `MAX_TITLE_CHARS`: no single file can hold up a search. Whoever cuts a text says so.
- Lines are 1-based and inclusive and end at LF, CRLF or CR. The text of a chunk is a slice of the
  file, so reading its lines brings it back, character for character.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from reverie.core.history import turns
from reverie.core.markdown import frontmatter
from reverie.core.markdown.lines import LineKind, scan
from reverie.core.markdown.sections import headings
from reverie.core.search.pieces import ChunkSize, Row, cut
from reverie.core.showing.fence import TAG, strip_recall_blocks
from reverie.core.text.days import dates_in
from reverie.core.text.plain import digest
from reverie.core.text.words import estimate_tokens
from reverie.types import Chunk, TextPart, Turn

if TYPE_CHECKING:
    from reverie.core.markdown.lines import Line
    from reverie.core.markdown.sections import Heading
    from reverie.core.search.pieces import Piece

__all__ = [
    "CHUNK_VERSION",
    "ChunkSize",
    "chunk_markdown",
    "chunk_turn",
    "join_lines",
    "searchable",
    "searched_lines",
    "split_lines",
]

# The index stores it; a different value means rebuild. Raise it whenever chunks change.
CHUNK_VERSION: Final = "2"

MAX_CHUNKS: Final = 20_000  # more than any file of prose has within the limit of its bytes
MAX_LINES: Final = 250_000
MAX_TITLE_CHARS: Final = 300  # it is part of every chunk below it
_ID_CHARS: Final = 32
_DATED_HEAD: Final = 60  # a date counts as the chunk's own if it stands in its first characters
_UNHEARD: Final = frozenset({"system", "developer", "tool", "function"})
_MIN_TURNS: Final = 4
_TURN_SHARE: Final = 0.6
_SPEAKER: Final = re.compile(
    r"[ ]{0,3}(?:[-*+] )?(?:\*\*|__|[<\[])?(?P<name>[^\W\d_][\w .'’-]{0,30}?)(?:\*\*|__|[>\]])?"
    r"[ ]?[:：](?:\*\*|__)?(?:\s+\S|(?<=：)\S|(?<=>:)\S)"
)
_ITEM: Final = re.compile(r"[ ]{0,3}(?:[-+*]|\d{1,9}[.)])[ \t]")
_ASKS: Final = re.compile(r"[?？؟][\"'”’»)\]】」』*_\s]*\Z")
_SEPARATORS: Final = re.compile(r"[\W_]+")
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_DIGIT: Final = re.compile(r"\d")
_END: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the chunks of one file have in common."""

    title: str = ""
    date: tuple[int, int, int] | None = None
    speaker: str = ""
    section: int = 0
    trail: tuple[str, ...] = ()
    """The title, and the headings above that may be no part of the chunk."""


def searchable(chunk: Chunk) -> str:
    """Return the text by which a chunk is found: its title and headings, and itself."""
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


def split_lines(text: str) -> list[str]:
    """Split a text into its lines, line ends kept; a byte order mark is no part of the first."""
    return _LINE.findall(text.removeprefix("\ufeff"))


def join_lines(lines: Sequence[str], first: int, last: int) -> str:
    """Return the lines `first` to `last` (1-based, inclusive) without the last line's end."""
    kept = "".join(lines[max(first - 1, 0) : last])
    return kept.removesuffix("\n").removesuffix("\r")


def chunk_markdown(text: str, *, name: str = "", size: ChunkSize | None = None) -> list[Chunk]:
    """Cut a Markdown text; `name` is its file name, which may carry a title and a date."""
    return list(islice(_pieces(text, name, size or ChunkSize()), MAX_CHUNKS))


def searched_lines(text: str, chunks: Sequence[Chunk]) -> int | None:
    """Say up to which line a text was cut into chunks; None: all of it."""
    if len(chunks) < MAX_CHUNKS and _head(text) == text:
        return None
    return chunks[-1].last if chunks else 0


def _head(text: str) -> str:
    """Return the lines of a text that count."""
    if len(text) <= MAX_LINES:
        return text
    end = next((match.end() for match in islice(_END.finditer(text), MAX_LINES - 1, None)), None)
    return text if end is None else text[:end]


def _pieces(whole: str, name: str, size: ChunkSize) -> Iterator[Chunk]:
    text = _head(whole)
    lines = scan(text)
    rows = _rows(text, lines)
    found = headings(text, lines)
    facts = _facts(text, name, found)
    spoken = _spoken(text, lines)
    if spoken:
        for (first, speaker), (last, _) in zip(spoken, [*spoken[1:], (len(rows), "")], strict=True):
            said = _Facts(facts.title, facts.date, speaker, 0, facts.trail)
            yield from (_chunk(text, piece, said) for piece in cut(text, rows, first, last, size))
        return
    for number, (first, last, above) in enumerate(_sections(rows, found)):
        date = next((day for item in reversed(above) if (day := _day(item.title))), facts.date)
        for piece in cut(text, rows, first, last, size):
            trail = [item.title[:MAX_TITLE_CHARS] for item in above if item.line <= piece.first]
            section = _Facts(facts.title, date, "", number, (*facts.trail, *trail))
            yield _chunk(text, piece, section)


def chunk_turn(turn: Turn, *, size: ChunkSize | None = None) -> tuple[str, list[Chunk]]:
    """Show a turn of an agent's history, and cut what was said in it out of the shown text.

    Tools and thoughts are shown but not searched, and neither is what recall had put in.
    """
    size = size or ChunkSize()
    moment = turn.created_at
    lines = [turns.first_line(turn)]
    heard: list[tuple[str, TextPart, int, int]] = []
    for message in turn.messages:
        for part in message.parts:
            first = len(lines)
            lines += turns.part_lines(message.role, part)
            if isinstance(part, TextPart) and message.role not in _UNHEARD:
                heard.append((message.role, part, first, len(lines)))
    shown = "\n".join(lines) + "\n"
    rows = _shown_rows(lines)
    chunks: list[Chunk] = []
    for role, part, first, last in heard:
        facts = _Facts(date=(moment.year, moment.month, moment.day), speaker=role)
        for start, stop in _own_words(role, part, lines, first, last):
            chunks += [_chunk(shown, piece, facts) for piece in cut(shown, rows, start, stop, size)]
    return shown, chunks


# --- Markdown -------------------------------------------------------------------------------------


def _facts(text: str, name: str, found: Sequence[Heading]) -> _Facts:
    head = frontmatter.read(text)
    values = head.values if head else {}
    stem = name.rpartition("/")[2].rpartition(".")[0] or name
    title = values.get("title") or values.get("name") or ""
    title = title or next((item.title for item in found if item.level == 1), "")
    named = _SEPARATORS.sub(" ", stem).strip()
    if any(map(str.isalpha, named)):  # a number or a date alone names nothing
        title = title or named
    date = _day(stem) or _day(values.get("date") or values.get("created") or "")
    title = title[:MAX_TITLE_CHARS]
    return _Facts(title, date, trail=(title,))


def _rows(text: str, lines: Sequence[Line]) -> list[Row]:
    rows: list[Row] = []
    after_blank = False
    for line in lines:
        # A byte order mark is no part of the first line; reading the line leaves it out too.
        start = line.start + (line.number == 1 and text.startswith("\ufeff"))
        blank = line.kind is LineKind.BLANK
        words = text[start : line.end]
        plain = line.kind not in (LineKind.CODE, LineKind.COMMENT, LineKind.FRONTMATTER)
        opens = plain and not line.nested and (after_blank or bool(_ITEM.match(words)))
        rows.append(
            Row(start, line.end, blank or not words.strip(), opens, estimate_tokens(words) + 1)
        )
        after_blank = blank
    return rows


def _sections(
    rows: Sequence[Row], found: Sequence[Heading]
) -> Iterator[tuple[int, int, list[Heading]]]:
    """Yield the sections as rows, each with its headings; one without text goes with the next."""
    starts = [item.line - 1 for item in found]
    first = 0
    above: list[Heading] = []
    if any(not row.blank for row in rows[: starts[0] if starts else len(rows)]):
        first = starts[0] if starts else len(rows)
        yield 0, first, []
    for at, heading in enumerate(found):
        above = [item for item in above if item.level < heading.level] + [heading]
        last = starts[at + 1] if at + 1 < len(starts) else len(rows)
        body = next((n for n in range(starts[at], last) if rows[n].start >= heading.end), last)
        if last < len(rows) and all(row.blank for row in rows[body:last]):
            continue
        yield first, last, above
        first = last


def _spoken(text: str, lines: Sequence[Line]) -> list[tuple[int, str]]:
    """Find the turns of a transcript: the row where each begins and who speaks; else nothing."""
    words = [line for line in lines if line.kind is LineKind.TEXT]
    matches = [
        (line, _SPEAKER.match(text[line.start : line.end].lstrip("\ufeff"))) for line in words
    ]
    found = [(line.number - 1, " ".join(match["name"].split())) for line, match in matches if match]
    if len(found) < _MIN_TURNS or len(found) < _TURN_SHARE * len(words):
        return []
    names = Counter(name for _, name in found)
    # Two or more who speak again and again; `Key: value` lines have each key once.
    if len(names) < 2 or len(found) < 2 * len(names):
        return []
    return found if not found[0][0] else [(0, ""), *found]


# --- turns of an agent's history ------------------------------------------------------------------


def _shown_rows(lines: Sequence[str]) -> list[Row]:
    rows: list[Row] = []
    start = 0
    for line in lines:
        rows.append(
            Row(start, start + len(line), not line.strip(), True, estimate_tokens(line) + 1)
        )
        start += len(line) + 1
    return rows


def _own_words(
    role: str, part: TextPart, lines: Sequence[str], first: int, last: int
) -> Iterator[tuple[int, int]]:
    """Yield the runs of rows that recall did not bring; usually all of them."""
    if TAG not in part.text.lower():
        yield first, last
        return
    kept = turns.part_lines(role, TextPart(strip_recall_blocks(part.text)))
    at = 0
    begin: int | None = None
    for number in range(first, last):
        own = at < len(kept) and lines[number] == kept[at]
        at += own
        if own and begin is None:
            begin = number
        elif not own and begin is not None:
            yield begin, number
            begin = None
    if begin is not None:
        yield begin, last


# --- chunks ---------------------------------------------------------------------------------------


def _chunk(text: str, piece: Piece, facts: _Facts) -> Chunk:
    words = text[piece.start : piece.end]
    context = "\n".join(dict.fromkeys(part for part in facts.trail if part and part not in words))
    return Chunk(
        text=words,
        first=piece.first + 1,
        last=piece.last,
        start=piece.start,
        end=piece.end,
        id=digest(f"{context}\0{words}")[:_ID_CHARS],
        context=context,
        title=facts.title,
        date=_day(words[:_DATED_HEAD], at_start=True) or facts.date,
        speaker=facts.speaker,
        turn=bool(facts.speaker),
        asks=bool(_ASKS.search(words)),
        section=facts.section,
    )


def _day(text: str, *, at_start: bool = False) -> tuple[int, int, int] | None:
    """Find the first complete date in a short text."""
    if not _DIGIT.search(text):
        return None
    if at_start and not _SEPARATORS.sub("", text[:12])[:1].isdigit():
        return None
    for year, month, day in dates_in(text):
        if year and month and day:
            return year, month, day
    return None
