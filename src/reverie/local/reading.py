"""Read what was found, from the file itself: the text of a chunk, or lines of a file.

Rules
- The index keeps no text. A chunk is read from its file and checked, so a hit is never stale.
- Only files that are searched can be read, by their real path: no link leads out of a root.
- Lines are those that results name: 1-based, inclusive; a conversation's are those of its shown text.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from reverie.core.chunk import ChunkSize, line_range
from reverie.core.tokens import estimate_tokens
from reverie.errors import InvalidPath, IsolationBlocked, NotText, PathEscape, ReverieError
from reverie.local.disk import read_text
from reverie.local.index import FoundChunk, SearchIndex
from reverie.local.isolation import rule_for
from reverie.local.sources import CHAT, Root, claims, load, shown_path
from reverie.types import Excerpt, Isolation

__all__ = ["Text", "excerpt", "read_chunk"]

_WHOLE: Final = 10**9


class Text(NamedTuple):
    """What stands on some lines."""

    text: str
    first: int
    last: int


def read_chunk(found: FoundChunk, *, limit: int, context_tokens: int = 0) -> Text | None:
    """Return a chunk's text, with as much around it as fits; None when its file changed since."""
    row = found.chunk
    whole: str | None = None
    if found.root.kind == "turns":
        whole = _shown(found.root, found.file.path, limit)
        text = whole[row.start : row.stop] if whole is not None else ""
        data = text.encode("utf-8", "surrogatepass")
    else:
        path = found.root.path / found.file.path if found.file.path else found.root.path
        try:
            with path.open("rb") as file:
                file.seek(row.start)
                data = file.read(row.stop - row.start)
        except OSError:
            return None
    if zlib.crc32(data) != row.crc:
        return None
    text = data.decode("utf-8", "surrogatepass")
    if not context_tokens:
        return Text(text, row.first, row.last)
    if whole is None:
        whole = read_text(path, limit=limit)
    return _grown(whole or "", Text(text, row.first, row.last), context_tokens)


def _grown(whole: str, text: Text, budget: int) -> Text:
    """Add lines after and before in turn while they fit."""
    total = line_range(whole, 1, 1)[1]
    lines = [line_range(whole, number, number)[0] for number in ()]
    lines = _lines(whole)
    first, last = text.first, text.last
    room = budget
    grows = True
    while grows:
        grows = False
        for step in (1, -1):
            number = last + 1 if step > 0 else first - 1
            if 1 <= number <= total and (cost := estimate_tokens(lines[number - 1]) + 1) <= room:
                room -= cost
                first, last = (first, number) if step > 0 else (number, last)
                grows = True
    return Text(line_range(whole, first, last)[0], first, last)
