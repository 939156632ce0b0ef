"""What every index does the same while it takes texts in: the row of a file, checks of vectors, counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from reverie.core.search.chunk import searchable
from reverie.core.text.days import day_term, named_days
from reverie.core.text.languages import own_stems
from reverie.core.text.words import estimate_tokens, terms
from reverie.errors import EmbedderFailed
from reverie.types.ranking import FileRow

if TYPE_CHECKING:
    from reverie.core.search.documents import Document
    from reverie.ports import Embedder
    from reverie.types import Chunk, Indexed

MEANT_VERSION: Final = "1"
_FENCE: Final = "---"
_SAID: Final = ("name:", "title:", "description:")  # the keys of frontmatter that hold sentences
_MARKS: Final = re.compile(r"^[#>*+\-\s]+")
_END: Final = " .!?…。！？"


def index_terms(chunk: Chunk) -> tuple[list[str], int]:
    """Return the terms by which a chunk is found, and its length in words.

    Besides its words these are their stems in its own language, its day, and the days it names.
    """
    text = searchable(chunk)
    found = terms(text)
    days = named_days(text)
    if chunk.date:
        days.append(day_term(*chunk.date))
    stems = [stem for _, stem in own_stems(text)]
    return [*found, *stems, *dict.fromkeys(days)], len(found)


def file_row(
    document: Document | None, *, number: int, path: str, signature: str, first: int, problem: str
) -> FileRow:
    """Return the row of a text; None for the document: it cannot be searched, and `problem` says why."""
    chunks = document.chunks if document else ()
    return FileRow(
        id=number,
        path=path,
        signature=signature,
        digest=document.digest if document else "",
        first=first,
        chunks=len(chunks),
        tokens=sum(estimate_tokens(chunk.text) for chunk in chunks),
        title=chunks[0].title if chunks else "",
        label=document.label if document else "",
        group=document.group if document else "",
        order=document.order if document else 0,
        problem=problem,
    )


def check_vectors(embedder: Embedder, vectors: Sequence[Sequence[float]], count: int) -> int:
    """Return the dimension of vectors, or raise unless there is one of a single size for each text."""
    sizes = {len(vector) for vector in vectors}
    if len(vectors) != count or len(sizes) != 1 or sizes == {0}:
        raise EmbedderFailed(
            f"{embedder.identity} gave {len(vectors)} vectors of {sorted(sizes)} numbers for"
            f" {count} texts"
        )
    return sizes.pop()


def taken_in(done: Indexed, more: Indexed) -> Indexed:
    """Count both together."""
    return replace(
        done,
        files=done.files + more.files,
        removed=done.removed + more.removed,
        chunks=done.chunks + more.chunks,
        embedded=done.embedded + more.embedded,
        current=done.current and more.current,
        left=done.left + more.left,
        problems=(*done.problems, *more.problems),
    )


def meant(chunk: Chunk) -> str:
    """Return what a chunk says, each line of it once.

    A memory file says the same in its frontmatter, its title and its body, between keys that mean nothing.
    Words do not mind, but a sentence model takes all of it for part of the sentence.
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
