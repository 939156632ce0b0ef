"""Which Markdown files a memory folder holds, and the mark by which a change of one is noticed.

A hook lists the folders at every prompt in a fresh process, so this imports nothing but `os` and
what is part of the interpreter.
"""

from __future__ import annotations

import os
from errno import ELOOP, ENAMETOOLONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CATALOG = "memory.md"
"""The name, in small letters, of the files that are catalogs and never topics."""


def markdown_files(
    root: str | os.PathLike[str],
) -> Iterator[tuple[str, os.DirEntry[str], os.stat_result]]:
    """Yield Markdown files below a folder; hidden ones are left out, linked folders not entered."""
    stack = [(os.fspath(root), "")]
    while stack:
        folder, prefix = stack.pop()
        try:
            with os.scandir(folder) as listing:
                items = list(listing)
        except OSError as error:
            if not is_no_folder(error):
                raise
            continue
        items.sort(key=lambda item: item.name)
        for item in items:
            if item.name.startswith("."):
                continue
            if item.is_dir(follow_symlinks=False):
                stack.append((item.path, f"{prefix}{item.name}/"))
            elif item.name.endswith(".md"):
                try:
                    facts = item.stat()
                except OSError:  # a link that points nowhere, or a file just removed
                    continue
                yield f"{prefix}{item.name}", item, facts


def is_no_folder(error: OSError) -> bool:
    """Say whether there is no folder that could be listed, which is no failure."""
    if isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError):
        return True
    # So deep that no file in it could be opened, or a link that leads in a circle.
    return error.errno in (ENAMETOOLONG, ELOOP)


def signature(facts: os.stat_result) -> str:
    """Return what changes whenever a file is written."""
    return f"{facts.st_mtime_ns}:{facts.st_size}:{facts.st_ino}"
