"""WordAt: the words of a text, each with the place where it is written.

Rules:

* Words are split finer than for search: at every joiner, and where a capital begins inside a word.
  A short number with its points, colons or dashes is one word, a long one (a telephone) its groups.
* What is only written otherwise is read as it is meant: width, accents, invisible characters, and the
  escapes of JSON and of addresses. The place is always that in the text as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from reverie.core.text import scripts
from reverie.core.text.words import CAMEL, compatible, normalize

LONG_NUMBER: Final = 9
"""A number of so many digits is written with other marks between them by everybody."""
_Reader = Callable[[str], Iterator[tuple[str, int, int]]]
_PIECE: Final = re.compile(r"[^-.'’:/\\@&+,_#]+")
_CLITIC: Final = re.compile(r"(?i)s|re|ve|ll|d|m|t")
_NUMBER: Final = re.compile(r"[vV]?\d+")
_JOINTS: Final = frozenset("-.:/,")
# One backslash and what it stands for; a line end or a quotation mark is nothing to be read.
_JSON_ESCAPE: Final = re.compile(r'(?:\\u[0-9a-fA-F]{4})+|\\[nrtbf"/\\]')
_URL_ESCAPE: Final = re.compile(r"(?:%[0-9a-fA-F]{2})+")
# What changes together with what follows it when compatible forms are made one.
_CLUSTER: Final = re.compile(
    "[\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\ud7b0-\ud7fb\uffa0-\uffdc]+"
    "|(?s:.)[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0711\u0730-\u074a\u093c\u09bc\u09be\u09d7\u0a3c\u0b3c\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0c56\u0cc2"
    "\u0cd5\u0cd6\u0d3e\u0d57\u0dca\u0dcf\u0ddf\u102e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a"
    "\ufe20-\ufe2f\uff9e\uff9f]*"
)


@dataclass(frozen=True, slots=True)
class WordAt:
    """One word, and where it stands."""

    word: str
    start: int
    end: int
    glued: bool = False
    """It goes on from the word before: only a capital parts them."""
    grouped: bool = False
    """It is a group of a long number, and no number by itself."""


@dataclass(frozen=True, slots=True)
class _View:
    """A text as it is meant, and for each of its characters from where to where it is written."""

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def place(self, start: int, end: int) -> tuple[int, int]:
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def words_at(text: str) -> list[WordAt]:
    """Return the words of a text as it stands, in order."""
    return list(_words(_compatible(_View(text))))


def readings(text: str) -> Iterator[list[WordAt]]:
    """Yield the words of a text once for every way in which it can be meant."""
    yield words_at(text)
    for sign, escape, meant in _ESCAPES:
        if sign in text and (view := _unescaped(text, escape, meant)):
            yield list(_words(_compatible(view)))


def plain(text: str) -> str:
    """Return a text in all its readings, normalised: a word that is not in it is not in the text."""
    read = [_read(text, escape, meant) for sign, escape, meant in _ESCAPES if sign in text]
    return normalize("\n".join([text, *read]))


def _read(text: str, escape: re.Pattern[str], meant: _Reader) -> str:
    return escape.sub(lambda match: "".join(char for char, _, _ in meant(match[0])), text)


def _words(view: _View) -> Iterator[WordAt]:
    pattern = scripts.ASCII_UNIT if view.text.isascii() else scripts.UNIT
    for match in pattern.finditer(view.text):
        unit, at = match[0], match.start()
        if unit.isascii() and unit.isalpha() and (unit[1:].islower() or len(unit) == 1):
            yield WordAt(unit.lower(), *view.place(at, at + len(unit)))  # nearly every word
            continue
        if not unit.isascii() and scripts.CJK_START.match(unit):
            pieces = [(char, at + n, at + n + 1) for n, char in enumerate(unit)]
        elif not unit.isascii() and scripts.CLUSTERED_START.match(unit):
            found = scripts.CLUSTER.finditer(unit)
            pieces = [(item[0], at + item.start(), at + item.end()) for item in found]
        else:
            yield from _spaced(view, unit, at)
            continue
        for word, start, end in pieces:
            yield WordAt(word, *view.place(start, end))


def _spaced(view: _View, unit: str, at: int) -> Iterator[WordAt]:
    """Yield the words of a unit of letters and digits."""
    pieces = list(_pieces(unit))
    number = 0
    while number < len(pieces):
        chain = _chain(unit, pieces[number:])
        if len(chain) > 1:
            yield from _numbers(view, unit, at, chain)
            number += len(chain)
            continue
        start, end = pieces[number]
        glued = number > 0 and pieces[number - 1][1] == start
        word = _folded(unit[start:end])
        if word:
            yield WordAt(word, *view.place(at + start, at + end), glued=glued)
        number += 1


def _pieces(unit: str) -> Iterator[tuple[int, int]]:
    for match in _PIECE.finditer(unit):
        start, end = match.span()
        if start and unit[start - 1] in "'’" and _CLITIC.fullmatch(match[0]):
            continue  # "Anna's" is Anna
        cuts = [start, *(start + cut.start() for cut in CAMEL.finditer(match[0])), end]
        yield from pairwise(cuts)


def _chain(unit: str, pieces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the numbers at the beginning that one and the same mark joins."""
    found: list[tuple[int, int]] = []
    joint = ""
    for start, end in pieces:
        number = unit[start:end]
        if not (_NUMBER.fullmatch(number) if not found else number.isdigit()):
            break
        if found:
            between = unit[found[-1][1] : start]
            if between not in _JOINTS or between != (joint or between):
                break
            joint = between
        found.append((start, end))
    return found


def _numbers(view: _View, unit: str, at: int, chain: Sequence[tuple[int, int]]) -> Iterator[WordAt]:
    first, last = chain[0][0] + (unit[chain[0][0]] in "vV"), chain[-1][1]
    whole = unit[first:last]
    if sum(char.isdigit() for char in whole) < LONG_NUMBER:
        yield WordAt(_folded(whole), *view.place(at + first, at + last))
        return
    for start, end in [(first, chain[0][1]), *chain[1:]]:
        place = view.place(at + start, at + end)
        yield WordAt(_folded(unit[start:end]), *place, grouped=True)


@lru_cache(maxsize=1 << 14)
def _folded(piece: str) -> str:
    return normalize(piece)


# --- as it is meant -------------------------------------------------------------------------------


def _compatible(view: _View) -> _View:
    """Make compatible forms one and leave out what cannot be seen."""
    text = view.text
    if text.isascii() or compatible(text) == text:
        return view
    shown: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTER.finditer(text):
        meant = match[0] if match[0].isascii() else compatible(match[0])
        start, end = view.place(*match.span())
        if len(meant) == len(match[0]) == 1:
            shown.append(meant)
            starts.append(start)
            ends.append(end)
            continue
        shown.append(meant)
        starts += [start] * len(meant)
        ends += [end] * len(meant)
    return _View("".join(shown), starts, ends)


def _unescaped(text: str, escape: re.Pattern[str], meant: _Reader) -> _View | None:
    """Return a text with its escapes read; None when it has none."""
    found = list(escape.finditer(text))
    if not found:
        return None
    shown: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for match in [*found, None]:
        start, end = match.span() if match else (len(text), len(text))
        shown.append(text[at:start])
        starts += range(at, start)
        ends += range(at + 1, start + 1)
        if match:
            for char, first, last in meant(match[0]):
                shown.append(char)
                starts.append(start + first)
                ends.append(start + last)
        at = end
    return _View("".join(shown), starts, ends)


def _from_json(escape: str) -> Iterator[tuple[str, int, int]]:
    if escape[1] != "u":
        yield {"/": "/", "\\": "\\"}.get(escape[1], " "), 0, 2
        return
    units = [int(escape[at + 2 : at + 6], 16) for at in range(0, len(escape), 6)]
    at = 0
    while at < len(units):
        pair = 0xD800 <= units[at] < 0xDC00 and at + 1 < len(units)
        pair = pair and 0xDC00 <= units[at + 1] < 0xE000
        code = (
            0x10000 + ((units[at] - 0xD800) << 10) + units[at + 1] - 0xDC00 if pair else units[at]
        )
        size = 2 if pair else 1
        yield chr(code), at * 6, (at + size) * 6
        at += size


def _from_url(escape: str) -> Iterator[tuple[str, int, int]]:
    at = 0
    for char in bytes.fromhex(escape.replace("%", "")).decode("utf-8", "surrogateescape"):
        size = 3 * len(char.encode("utf-8", "surrogateescape"))
        yield char, at, at + size
        at += size


_ESCAPES: Final = (("\\", _JSON_ESCAPE, _from_json), ("%", _URL_ESCAPE, _from_url))
