"""Titles: the name, the one line and the file name that a memory gets from its own words."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from reverie.core.text.plain import ends_abbreviated, width
from reverie.core.topics.catalog import shorten

MAX_NAME_COLUMNS: Final = 60
MAX_DESCRIPTION_CHARS: Final = 150
MAX_SLUG_BYTES: Final = 80

_MARKUP: Final = re.compile(r"\A(?:#{1,6}\s+|[-*+•>]\s+|\d{1,3}[.)]\s+|\*\*|__|`)+")
_SENTENCE_END: Final = re.compile(r"(?<=[^\s.][.!?])\s|(?<=[。！？])")
_EDGES: Final = " \t.,;:!?。，；：！？、*_"
_PAIRS: Final = {
    "(": ")", "[": "]", "{": "}", "“": "”", "«": "»", "（": "）", "「": "」", "『": "』", "【": "】",
    '"': '"', "'": "'", "`": "`",
}  # fmt: skip
_CLOSING: Final = {closing: opening for opening, closing in _PAIRS.items()}
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|memory)", re.I)


def title_of(content: str) -> str:
    """Make a short name from the first words of a text."""
    first = next((line.strip() for line in content.split("\n") if line.strip()), "")
    head = first[: 20 * MAX_NAME_COLUMNS]  # more of it never shows, and trimming brackets is slow
    first = _trimmed(_first_sentence(_MARKUP.sub("", head)))
    if width(first) <= MAX_NAME_COLUMNS:
        return first or "note"
    used, cut = 0, len(first)
    for at, char in enumerate(first):
        used += width(char)
        if used > MAX_NAME_COLUMNS:
            cut = at
            break
    space = first.rfind(" ", cut // 2, cut)
    return _trimmed(first[: space if space > 0 else cut])


def _first_sentence(text: str) -> str:
    for end in _SENTENCE_END.finditer(text):
        before = text[: end.start()]
        if not before.endswith(".") or not ends_abbreviated(before[:-1]):
            return before
    return text


def _trimmed(text: str) -> str:
    """Take punctuation off both ends, and brackets and quotes unless both of a pair stay."""
    while True:
        text = text.strip(_EDGES)
        first, last = text[:1], text[-1:]
        if len(text) > 1 and _PAIRS.get(first) == last and _encloses(text):
            text = text[1:-1]
        elif last in _CLOSING and _lone(text, _CLOSING[last], last):
            text = text[:-1]
        elif first in _PAIRS and _lone(text, first, _PAIRS[first]):
            text = text[1:]
        else:
            return text


def _lone(text: str, opening: str, closing: str) -> bool:
    """Say whether a pair is not complete."""
    if opening == closing:  # a mark between letters is an apostrophe
        return len(re.findall(rf"(?<!\w){opening}|{opening}(?!\w)", text)) % 2 == 1
    return text.count(opening) != text.count(closing)


def _encloses(text: str) -> bool:
    """Say whether the first and the last character are one pair around all the rest."""
    opening, closing = text[0], text[-1]
    if opening == closing:
        return text.count(opening) == 2
    depth = 0
    for char in text[:-1]:
        depth += (char == opening) - (char == closing)
        if depth == 0:
            return False
    return True


def description_of(content: str) -> str:
    """Make the one line that the catalog shows."""
    return shorten(" ".join(_MARKUP.sub("", content.strip()).split()), MAX_DESCRIPTION_CHARS)


def slug(name: str) -> str:
    """Make a readable file name of a title in any script."""
    folded = unicodedata.normalize("NFC", name[: 2 * MAX_SLUG_BYTES].lower())
    kept = "".join(
        char if char.isalnum() or unicodedata.category(char) in ("Mn", "Mc") else "-"
        for char in folded
    )
    kept = re.sub(r"-{2,}", "-", kept).strip("-")
    while len(kept.encode("utf-8", "surrogatepass")) > MAX_SLUG_BYTES:
        shorter = kept.rpartition("-")[0]
        kept = shorter if len(shorter) > len(kept) // 2 else kept[:-1]
    kept = kept.strip("-")
    return f"{kept or 'note'}-note" if _RESERVED.fullmatch(kept or "note") else kept or "note"
