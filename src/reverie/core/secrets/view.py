"""A text as the scanner sees it: without disguises, and with the way back to the original.

Rules:

* Full-width and mathematical letters are folded one to one; invisible characters are dropped.
* A second view joins the parts of a token that Markdown marks, escapes or string literals split.
* Placeholders of earlier redactions become NUL characters, which no rule matches.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

SENTENCE_MARKS: Final = "，；！？（）"
"""Full-width marks that end a value, for no space follows them; they are not folded."""
_PLACEHOLDER: Final = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
_INVISIBLE: Final = re.compile(
    "\x1b\\[[0-9;]{0,12}m|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]+"
)
# Marks that split a token on the page but not in the eye: **ghp_**abc, `sk-`abc, "AKIA" + "X", \_
_JOINTS: Final = re.compile(
    r"(?<=[A-Za-z0-9_-])(?:[*`~]{1,3}|\\(?=[_*-])"
    r"|\"[ \t]{0,3}[+.&]?[ \t]{0,3}\"|'[ \t]{0,3}[+.&]?[ \t]{0,3}')(?=[A-Za-z0-9_-])"
)


@dataclass(frozen=True, slots=True)
class View:
    """A text made from another, and which of its characters came from where."""

    text: str
    cuts: tuple[int, ...] = (0,)
    """Positions from which on the shift of the same index holds."""
    shifts: tuple[int, ...] = (0,)
    parent: View | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a span of this view came from."""
        return self._source(start), self._source(end - 1) + 1

    def _source(self, at: int) -> int:
        here = at + self.shifts[bisect_right(self.cuts, at) - 1]
        return self.parent._source(here) if self.parent else here


def views(text: str) -> Iterator[View]:
    """Yield the text as it is seen, and once more with its split tokens joined if it has any."""
    view = _seen(text)
    yield view
    if _JOINTS.search(view.text):
        yield _without(view, _JOINTS)


def lower(text: str) -> str:
    """Return the lower-case form with every character at its place."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _seen(text: str) -> View:
    blanked = _PLACEHOLDER.sub(lambda match: "\0" * len(match[0]), text)
    if blanked.isascii() and "\x1b" not in blanked:
        return View(blanked)
    view = View(blanked.translate(_folding()))
    return _without(view, _INVISIBLE) if _INVISIBLE.search(view.text) else view


def _without(view: View, pattern: re.Pattern[str]) -> View:
    pieces: list[str] = []
    cuts, shifts = [0], [0]
    at = kept = 0
    for match in pattern.finditer(view.text):
        pieces.append(view.text[at : match.start()])
        kept += match.start() - at
        at = match.end()
        if cuts[-1] == kept:  # only at the very start of the text
            cuts.pop()
            shifts.pop()
        cuts.append(kept)
        shifts.append(at - kept)
    pieces.append(view.text[at:])
    return View("".join(pieces), tuple(cuts), tuple(shifts), view)


@cache
def _folding() -> dict[int, str]:
    table = dict.fromkeys((0xA0, 0x3000, 0x202F, 0x205F, *range(0x2000, 0x200B)), " ")
    for code in (*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800)):
        plain = unicodedata.normalize("NFKC", chr(code))
        if plain.isascii() and len(plain) == 1 and chr(code) not in SENTENCE_MARKS:
            table[code] = plain
    return table
