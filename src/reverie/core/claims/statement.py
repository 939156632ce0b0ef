"""Statements compared: the same one but for case, spaces and punctuation, or another one.

Similar words are no ground for anything here. Signs inside a word (`C++`, `.env`, `-5`, `10,000`) and a
question mark are part of what is said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

MOST_KEPT: Final = 2048
"""So many statements are kept as they were read. What is kept of one takes some six kilobytes in all, and a
process that stays sees ever new ones."""

_QUOTES: Final = "\"'“”‘’«»„‚`「」『』"
_ENDINGS: Final = f"{_QUOTES}.,;:!、。"
_BULLETS: Final = frozenset("-*+•>")
# Scripts that put no spaces between words: spaces and commas next to their letters say nothing.
_UNSPACED: Final = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff"
_GAPS: Final = re.compile(
    rf"(?<=[{_UNSPACED}])[\s,;:!、。]++|(?<![\s,;:!、。])[\s,;:!、。]++(?=[{_UNSPACED}])"
)
_LETTER: Final = re.compile(rf"[{_UNSPACED}]")
_TOKEN: Final = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


@lru_cache(maxsize=MOST_KEPT)
def statement_key(text: str) -> str:
    """Return a text without what does not change its meaning; equal keys are one statement."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = plain.split()
    if words and words[0] in _BULLETS:
        del words[0]
    kept = [word.lstrip(_QUOTES).rstrip(_ENDINGS) for word in words]
    key = " ".join(filter(None, kept))
    return key if key.isascii() else _GAPS.sub("", key)  # those scripts are not ASCII


def tokens(key: str) -> list[str]:
    """Split a key into words; letters of scripts without spaces stand alone."""
    return _TOKEN.findall(key)


def is_unspaced(word: str) -> bool:
    """Tell whether a word is a letter of a script that puts no spaces between words."""
    return len(word) == 1 and bool(_LETTER.match(word))


def joined(words: Sequence[str]) -> str:
    """Put words back together so that the patterns of every script can read them."""
    text = ""
    for word in words:
        glued = text and is_unspaced(word) and is_unspaced(text[-1])
        text += word if glued or not text else f" {word}"
    return text


def says_same(a: str, b: str) -> bool:
    """Tell whether two texts are one statement."""
    key = statement_key(a)
    return bool(key) and key == statement_key(b)
