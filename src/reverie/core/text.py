"""Small facts about text that several rules need: its hash, its width, its line ends."""

from __future__ import annotations

import unicodedata

from reverie.core.hashing import sha256


def digest(text: str) -> str:
    """Return the content hash by which changes are planned on a text.

    Surrogates (bytes that were not UTF-8, kept by `surrogateescape`) are hashed as those bytes.
    """
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def width(text: str) -> int:
    """Count columns: wide East Asian characters count two, combining marks none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def newline_of(text: str) -> str:
    """Return the line end a file uses, so that added lines look like its own."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf and crlf * 2 >= text.count("\n") else "\n"
