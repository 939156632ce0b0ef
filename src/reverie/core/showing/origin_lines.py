"""The lines that say where a text comes from, and how no text can pretend to be one of them.

Rules
- A line of a file that reads like our marker gets a backslash before its dashes; a tag that reads like
  ours gets `&lt;`. Both stay readable, and equal input gives equal output.
- A path in a marker is one line without control characters, whatever the file is called.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import Final

from reverie.core.markdown.sections import WHITESPACE

__all__ = ["context_block", "imported_block", "shown_path", "without_markers", "without_tags"]

# Every character that somebody shows as a line end, and those shown as a space or not at all.
_ENDS: Final = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_SPACE: Final = (
    "[ \t\x1f\xa0\xad\u034f\u061c\u1680\u180e\u2000-\u200f\u202a-\u202f\u205f-\u2069\u3000\ufeff]"
)
_GAP: Final = f"{_SPACE}{{0,8}}"  # bounded: hostile text must not make the search slow
_DASH: Final = "[-\u2010-\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d]"
_MARKER: Final = re.compile(
    rf"(?:^|(?<=[{_ENDS}]))(?P<lead>{_SPACE}*)"
    rf"(?={_DASH}{{2,}}{_GAP}(?:end{_GAP}of{_GAP})?context{_GAP}from)",
    re.IGNORECASE,
)
_TAG: Final = re.compile(rf"<(?={_GAP}/?{_GAP}imported(?![\w-]))", re.IGNORECASE)
_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def context_block(shown: str, body: str) -> str:
    """Put a context file's text between its markers."""
    return f"--- Context from: {shown} ---\n{body}\n--- End of Context from: {shown} ---"


def imported_block(written: str, body: str) -> str:
    """Put an imported text between its tags."""
    name = _CONTROL.sub("", written)
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        name = name.replace(char, entity)
    return (
        f'<imported from="{name}">\n{body}\n</imported>'
        if body
        else f'<imported from="{name}">\n</imported>'
    )


def without_markers(text: str) -> str:
    """Return a text in which no line reads like a context marker."""
    if "context" not in text.lower():
        return text
    return _MARKER.sub(lambda match: match["lead"] + "\\", text)


def without_tags(text: str) -> str:
    """Return a text in which nothing reads like our tag around an import."""
    if "<" not in text:
        return text
    return _TAG.sub("&lt;", text)


def shown_path(path: str, *, cwd: str) -> str:
    """Return a path as its marker shows it: relative to the current folder, on one line."""
    folder, name = posixpath.split(path)
    relative = posixpath.normpath(posixpath.join(_relative(folder, cwd), name))
    readable = relative.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _CONTROL.sub("", _ANSI.sub("", readable)).strip(WHITESPACE)


@lru_cache(maxsize=256)
def _relative(folder: str, cwd: str) -> str:
    return posixpath.relpath(folder, cwd)
