"""The passage that matters: which lines of a long body answer the question, within a budget.

Rules:

* A body that fits is shown whole. Otherwise the part with the best matches is shown, whole
  paragraphs where possible, and marked where something was left out.
* Cuts fall between characters as people see them, never inside one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from reverie.core.text.words import terms

OMITTED: Final = "…"
_BLOCK: Final = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+")
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？…])\s*|\n")


@dataclass(frozen=True, slots=True)
class Passage:
    """Part of a text."""

    text: str
    start: int
    """Where it begins in the text it was taken from."""
    end: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    worth: int


def best_passage(text: str, *, matched: Collection[str], limit: int) -> Passage:
    """Choose at most `limit` characters around the words that were matched."""
    stripped = text.strip()
    start = len(text) - len(text.lstrip())
    if len(stripped) <= limit:
        return Passage(stripped, start, start + len(stripped), truncated=False)
    room = max(limit - 2 * (len(OMITTED) + 1), 1)
    blocks = [_Block(m.start(), m.end(), _worth(m[0], matched)) for m in _BLOCK.finditer(text)]
    best = max(range(len(blocks)), key=lambda at: (blocks[at].worth, -at))
    block = blocks[best]
    if block.end - block.start > room:
        begin, end = _window(text, block, matched, room)
    else:
        begin, end = _grown(blocks, best, room)
    shown = text[begin:end].strip()
    begin += len(text[begin:end]) - len(text[begin:end].lstrip())
    end = begin + len(shown)
    head = "" if not text[:begin].strip() else f"{OMITTED}\n"
    tail = "" if not text[end:].strip() else f"\n{OMITTED}"
    return Passage(f"{head}{shown}{tail}", begin, end, truncated=True)


def line_range(text: str, start: int, end: int) -> str:
    """Name the lines of a range as `first-last`, 1-based and inclusive."""
    first = text.count("\n", 0, start) + 1
    last = text.count("\n", 0, max(start, end - 1)) + 1
    return f"{first}-{last}"


def _worth(text: str, matched: Collection[str]) -> int:
    """Count the distinct matched words first, repetitions hardly."""
    found = [term for term in terms(text) if term in matched] if matched else []
    return 100 * len(set(found)) + min(len(found), 99)


def _grown(blocks: list[_Block], best: int, room: int) -> tuple[int, int]:
    """Add neighbours to the best block while they fit: what follows first, then what precedes."""
    first = last = best
    while True:
        after = last + 1 < len(blocks) and blocks[last + 1].end - blocks[first].start <= room
        before = first > 0 and blocks[last].end - blocks[first - 1].start <= room
        if before and (not after or blocks[first - 1].worth >= blocks[last + 1].worth):
            first -= 1
        elif after:
            last += 1
        else:
            return blocks[first].start, blocks[last].end


def _window(text: str, block: _Block, matched: Collection[str], room: int) -> tuple[int, int]:
    """Choose sentences inside one long block; a sentence longer than the room is cut."""
    cuts = [block.start]
    cuts += [
        m.end() for m in _SENTENCE.finditer(text, block.start, block.end) if m.end() > cuts[-1]
    ]
    cuts += [block.end] if cuts[-1] < block.end else []
    pieces = [_Block(a, b, _worth(text[a:b], matched)) for a, b in pairwise(cuts)]
    best = max(range(len(pieces)), key=lambda at: (pieces[at].worth, -at))
    if pieces[best].end - pieces[best].start <= room:
        return _grown(pieces, best, room)
    return _cut(text, pieces[best], matched, room)


def _cut(text: str, piece: _Block, matched: Collection[str], room: int) -> tuple[int, int]:
    step = max(room // 2, 1)
    starts = range(piece.start, max(piece.end - room, piece.start) + step, step)
    start = max(starts, key=lambda at: (_worth(text[at : at + room], matched), -at))
    start = min(start, max(piece.end - room, piece.start))
    return _boundary(text, start), _boundary(text, min(start + room, piece.end))


def _boundary(text: str, at: int) -> int:
    while 0 < at < len(text) and (unicodedata.combining(text[at]) or text[at] in "\u200d\ufe0f"):
        at -= 1
    return at
