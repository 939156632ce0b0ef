"""What a chunk means, as text for an embedder: what it says, once, without the marks around it.

A memory file says the same in its frontmatter, its title and its body, between keys that mean nothing. Words
do not mind, but a sentence model takes all of it for part of the sentence.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.types import Chunk

__all__ = ["MEANT_VERSION", "meant"]

MEANT_VERSION: Final = "1"
_FENCE: Final = "---"
_SAID: Final = ("name:", "title:", "description:")  # the keys of frontmatter that hold sentences
_MARKS: Final = re.compile(r"^[#>*+\-\s]+")
_END: Final = " .!?…。！？"


def meant(chunk: Chunk) -> str:
    """Return what a chunk says, each line of it once.

    A title that is the beginning of what it stands above says nothing more.
    """
    head, body = _parts(chunk)
    below = {_key(line) for line in body}
    keys = sorted({*below, *map(_key, head)})
    begun = {one for one, other in pairwise(keys) if other.startswith(one)} | below
    kept: dict[str, str] = {}
    for line in (*(title for title in head if _key(title) not in begun), *body):
        kept.setdefault(_key(line), line)
    kept.pop("", None)
    return "\n".join(kept.values()) or chunk.text


def _parts(chunk: Chunk) -> tuple[list[str], list[str]]:
    """Return titles and descriptions, and the lines of the text, all without marks."""
    lines = chunk.text.splitlines()
    head = chunk.context.splitlines()
    if chunk.first == 1 and lines and lines[0].strip() == _FENCE:
        end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() == _FENCE), 0)
        for line in lines[1:end]:
            head += [line[len(key) :].strip(" '\"") for key in _SAID if line.startswith(key)]
        lines = lines[end + 1 :] if end else lines
    return _bare(head), _bare(lines)


def _bare(lines: Sequence[str]) -> list[str]:
    return [_MARKS.sub("", line).strip() for line in lines]


def _key(line: str) -> str:
    return line.casefold().rstrip(_END)
