"""Reading and replacing single files: whole or not at all, byte for byte.

Whoever writes names the root the file belongs to, or the file's folder is the root itself. Below a root
no link is followed (see `rooted`).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import TEMP_SUFFIX as TEMP_SUFFIX
from reverie.local.disk.rooted import (
    decoded,
    folder_below,
    is_stray,
    not_regular,
    read_open,
    temp_name,
)


def read_text(path: Path | str, *, limit: int) -> str | None:
    """Return a file's text as it stands (line ends and BOM kept), or None when there is no file."""
    data = read_bytes(path, limit=limit)
    return None if data is None else decoded(data, str(path))


def read_bytes(path: Path | str, *, limit: int) -> bytes | None:
    """Return a file's bytes, at most `limit` of them, or None when there is no file."""
    with explained(path):
        try:
            # Non-blocking, so that a named pipe put in a memory folder cannot hang the reader.
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ENXIO:  # a socket
                raise not_regular(str(path)) from None
            raise
        return read_open(descriptor, str(path), limit=limit)


def temp_beside(target: Path) -> Path:
    """Name a temporary file beside another."""
    return target.parent / temp_name(target.name)


def write_atomic(
    target: Path, data: bytes, root: Path | None = None, *, private: bool = True
) -> None:
    """Replace one file: readers see the old bytes or the new ones, also after a power cut."""
    with explained(target), folder_below(root or target.parent, target.parent) as folder:
        folder.clear_strays()
        folder.stage(target.name, data, private=private).commit()


def make_folder(folder: Path, root: Path | None = None, *, private: bool) -> None:
    """Create a folder and its parents; private ones are for the owner alone."""
    with explained(folder), folder_below(root or folder, folder) as made:
        made.handle(make=True, private=private)


def remove_file(path: Path, root: Path | None = None) -> None:
    """Remove a file or a link; nothing there is fine."""
    with explained(path), folder_below(root or path.parent, path.parent) as folder:
        folder.unlink(path.name)


def sync_folder(folder: Path) -> None:
    """Make a rename, creation or removal in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def abandoned_temps(folder: Path) -> Iterator[Path]:
    """Yield temporary files that a killed process left in a folder."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        if is_stray(name):
            yield folder / name
