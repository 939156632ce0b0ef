"""Cut a run of lines into pieces of bounded size; where a good place to begin is comes from outside.

Rules
- Pieces are whole lines and advance: every line is in one, and none is empty or blank.
- A piece ends before a line that opens something, if one comes in its second half.
- Neighbouring pieces share the last lines of the former, up to the overlap.
- A line over the limit is cut inside, at a sentence end or a space, never inside a character that is
  put together from several.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from reverie.core.text.words import estimate_tokens

__all__ = ["ChunkSize", "Piece", "Row", "cut"]

# Where a line may be cut, best first: after a sentence, at a space.
_STOPS: Final = (re.compile(r"[.!?。！？…؟।]+[\"'”’»)\]】」』]*\s*"), re.compile(r"\s+"))
_JOINER: Final = "\u200d"


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """How large chunks may be, and how much neighbours of one section share, in tokens."""

    tokens: int = 400
    overlap: int = 80


class Row(NamedTuple):
    """One line: characters `start` to `end`, line end left out."""

    start: int
    end: int
    blank: bool
    opens: bool
    """A good place to begin a piece."""
    tokens: int


class Piece(NamedTuple):
    """Rows `first` to `last` (the latter left out), and the characters they are."""

    first: int
    last: int
    start: int
    end: int


def cut(text: str, rows: Sequence[Row], first: int, last: int, size: ChunkSize) -> Iterator[Piece]:
    """Cut the rows from `first` to `last` into pieces."""
    limit = max(size.tokens, 1)
    while last > first and rows[last - 1].blank:
        last -= 1
    begin = done = _past_blank(rows, first, last)  # rows before `done` are in a piece already
    while done < last:
        if rows[done].tokens > limit:
            yield from _cut_line(text, rows[done], done, limit)
            begin = done = _past_blank(rows, done + 1, last)
            continue
        stop = _reach(rows, begin, done, last, limit)
        yield _trimmed(rows, begin, stop)
        done = _past_blank(rows, stop, last)
        begin = _shared(rows, begin, stop, done, last, size)


def _past_blank(rows: Sequence[Row], at: int, last: int) -> int:
    while at < last and rows[at].blank:
        at += 1
    return at


def _shared(
    rows: Sequence[Row], begin: int, stop: int, done: int, last: int, size: ChunkSize
) -> int:
    """Find where the piece that goes on at `done` begins, to share the last rows of the one before."""
    if done >= last:
        return done
    room = min(size.overlap, size.tokens - sum(row.tokens for row in rows[stop : done + 1]))
    at = stop
    while at - 1 > begin and rows[at - 1].tokens <= room:
        at -= 1
        room -= rows[at].tokens
    at = _past_blank(rows, at, stop)
    return at if at < stop else done


def _reach(rows: Sequence[Row], begin: int, done: int, last: int, limit: int) -> int:
    """Find where a piece ends that begins at `begin` and takes at least the row `done`."""
    total = 0
    better = 0
    at = begin
    while at < last and total + rows[at].tokens <= limit:
        total += rows[at].tokens
        at += 1
        if at > done and at < last and rows[at].opens and total * 2 >= limit:
            better = at
    return at if at == last or not better else better


def _trimmed(rows: Sequence[Row], first: int, last: int) -> Piece:
    """Leave blank rows at the end out; the first row is not blank."""
    while rows[last - 1].blank:
        last -= 1
    return Piece(first, last, rows[first].start, rows[last - 1].end)


def _cut_line(text: str, row: Row, number: int, limit: int) -> Iterator[Piece]:
    at = row.start
    while at < row.end:
        end = _fitting(text, at, row.end, limit)
        if end < row.end:
            end = _seam(text, at, end)
        if text[at:end].strip():
            yield Piece(number, number + 1, at, end)
        at = end


def _fitting(text: str, start: int, last: int, limit: int) -> int:
    """Find how far a piece of at most `limit` tokens reaches."""
    end = min(last, start + 4 * limit)
    while end - start > 1 and (tokens := estimate_tokens(text[start:end])) > limit:
        end = start + min(end - start - 1, max(1, (end - start) * limit // tokens))
    return end


def _seam(text: str, start: int, end: int) -> int:
    """Move a cut back to the last stop in its final third, else out of a composed character."""
    for stop in _STOPS:
        found = [match.end() for match in stop.finditer(text, end - (end - start) // 3, end)]
        if found:
            return found[-1]
    at = end
    while at > start + 1 and (
        unicodedata.combining(text[at])
        or unicodedata.category(text[at]) in ("Mn", "Mc", "Me", "Sk")
        or _JOINER in text[at - 1 : at + 1]
    ):
        at -= 1
    return at if at > start + 1 else end
