"""Read what was found, from the file itself: the text of a chunk, or lines of a file.

Rules
- The index keeps no text. A chunk is read from its file and checked, so a hit is never stale.
- Only files that are searched can be read, by their real path: no link leads out of a root.
- Lines are those that results name: 1-based, inclusive; a conversation's are those of its shown text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reverie.core.search.chunk import ChunkSize, split_lines
from reverie.core.search.documents import grown
from reverie.core.search.found import lines_of, part_of_turn
from reverie.errors import PathEscape
from reverie.local.disk.files import read_text
from reverie.local.disk.regular import regular
from reverie.local.search.sources import claims, load, path_of
from reverie.local.store.paths import usable

if TYPE_CHECKING:
    from reverie.core.search.documents import Lines
    from reverie.local.search.sources import Root
    from reverie.types import Workspace
    from reverie.types.ranking import ChunkRow

__all__ = ["Named", "is_below", "name_file", "read_chunk", "read_whole"]


class Named(NamedTuple):
    """A file that may be read, by the root it belongs to."""

    root: Root
    rel: str
    path: Path


def name_file(path: str, roots: Sequence[Root], workspace: Workspace) -> Named:
    """Find the file that a path means: as results name it, or from a memory folder."""
    usable(path.strip())
    starts = dict.fromkeys((workspace.base, workspace.cwd, *(str(root.path) for root in roots)))
    files = [root for root in roots if root.kind != "turns"]
    missing: Named | None = None
    for start in starts:
        there = Path(start) / path
        named = next((found for root in files if (found := _named(root, there))), None)
        if os.path.lexists(there):
            missing = named
            break
        missing = missing or named
    if missing is None:
        raise PathEscape(
            f"{path} is not among the files that are searched, so it is not read here;"
            " `reverie index PATH` adds a file or folder",
            path=path,
        )
    return missing


def is_below(roots: Sequence[Root], path: Path) -> bool:
    """Say whether a file belongs to one of some roots, by whatever name."""
    return any(_named(root, path) for root in roots)


def _named(root: Root, path: Path) -> Named | None:
    """Say how a path is called below a root, if it belongs to it."""
    real, here = os.path.realpath(path), os.path.realpath(root.path)
    if real == here:
        return Named(root, "", Path(real)) if root.kind == "extra" else None
    if not real.startswith(here.rstrip("/") + "/"):
        return None
    rel = real[len(here.rstrip("/")) + 1 :]
    catalog = root.kind == "managed" and rel.endswith(".md")
    return Named(root, rel, Path(real)) if catalog or claims(root, rel) else None


def read_whole(root: Root, rel: str, *, limit: int) -> str | None:
    """Return the text whose lines results name; None when the file is gone."""
    if root.kind != "turns":
        return read_text(root.path / rel if rel else root.path, limit=limit)
    document = load(root, rel, size=ChunkSize(), limit=limit)
    return document.text if document else None


def read_chunk(
    root: Root, rel: str, row: ChunkRow, *, limit: int, context_tokens: int = 0
) -> Lines | None:
    """Return a chunk, with as many lines around it as fit; None when its file changed since."""
    whole: str | None = None
    if root.kind == "turns":
        whole = read_whole(root, rel, limit=limit)
        data = part_of_turn(whole or "", row)
    else:
        try:
            descriptor = regular(path_of(root, rel), os.O_RDONLY)
            try:
                data = os.pread(descriptor, row.stop - row.start, row.start)
            finally:
                os.close(descriptor)
        except OSError:
            return None
    found = lines_of(data, row)
    if found is None or not context_tokens:
        return found
    if whole is None:
        whole = read_whole(root, rel, limit=limit)
    return grown(split_lines(whole or ""), found, context_tokens)
