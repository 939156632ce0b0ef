"""Replacing or removing a file only while it says what it said when that was decided.

An editor knows nothing of our locks and can save at any moment. A rename over its text would destroy it
unseen. So the new text and the old one change places in one step of the system, and what came away is looked
at: if it is not what was expected, it goes back, and `StaleBase` says so.

What remains, and cannot be closed from outside: an editor that writes into a file it has open (instead of
replacing it), between our look at the old file and its removal. Where the system cannot let two files change
places, the file is read once more right before the rename, and the moment between those two remains as well.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import ReverieError, StaleBase
from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import temp_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.local.disk.rooted import Folder, Staged

_EXCHANGE = 2  # RENAME_EXCHANGE
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM, errno.EMLINK)
_TRIES = 16


def put(staged: Staged, before: str | None) -> None:
    """Put a staged text where `before` stands, or nothing for None.

    Raises:
        StaleBase: Something else stands there; it still does.
    """
    folder, temp, name = staged.folder, staged.temp, staged.name
    with explained(Path(folder.path, name)):
        if before is None:
            _put_new(folder, temp, name)
        elif _put_over(folder, temp, name, before):
            os.unlink(temp, dir_fd=folder.handle())
        folder.sync()


def remove(folder: Folder, name: str, before: str | None) -> None:
    """Remove the file that says `before`; nothing there is fine.

    Raises:
        StaleBase: It says something else; it still does.
    """
    temp = temp_name(name)
    with explained(Path(folder.path, name)):
        handle = folder.handle()
        try:
            os.rename(name, temp, src_dir_fd=handle, dst_dir_fd=handle)
        except FileNotFoundError:
            return
        if _says(folder, temp, before):
            os.unlink(temp, dir_fd=handle)
            folder.sync()
            return
        with suppress(FileExistsError):  # a later text of the same hand is there already
            _link(folder, temp, name)
        os.unlink(temp, dir_fd=handle)
        raise _stale(folder, name)


def _put_new(folder: Folder, temp: str, name: str) -> None:
    handle = folder.handle()
    try:
        _link(folder, temp, name)
    except FileExistsError:
        raise _stale(folder, name) from None
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        if folder.facts(name) is not None:
            raise _stale(folder, name) from None
        os.rename(temp, name, src_dir_fd=handle, dst_dir_fd=handle)
        return
    os.unlink(temp, dir_fd=handle)


def _put_over(folder: Folder, temp: str, name: str, before: str) -> bool:
    """Put a text in place of another; say whether that one now has the temporary name."""
    handle = folder.handle()
    try:
        placed = _number(folder, temp)
        _exchange(handle, temp, name)
    except FileNotFoundError:
        raise _stale(folder, name) from None
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        if not _says(folder, name, before):
            raise _stale(folder, name) from None
        os.rename(temp, name, src_dir_fd=handle, dst_dir_fd=handle)
        return False
    if _says(folder, temp, before):
        return True
    for _ in range(_TRIES):
        here = _number(folder, temp)
        _exchange(handle, temp, name)
        if _number(folder, temp) == placed:
            # Nobody came meanwhile, so what stands there is the hand's newest text.
            os.unlink(temp, dir_fd=handle)
            break
        placed = here
    raise _stale(folder, name)


def _says(folder: Folder, name: str, text: str | None) -> bool:
    wanted = (text or "").encode("utf-8")
    try:
        return folder.read_bytes(name, limit=len(wanted)) == wanted
    except ReverieError:  # longer, or no file at all
        return False


def _number(folder: Folder, name: str) -> int:
    return os.stat(name, dir_fd=folder.handle(), follow_symlinks=False).st_ino


def _link(folder: Folder, old: str, new: str) -> None:
    handle = folder.handle()
    os.link(old, new, src_dir_fd=handle, dst_dir_fd=handle, follow_symlinks=False)


def _exchange(handle: int, one: str, other: str) -> None:
    done = _system_call()(handle, os.fsencode(one), handle, os.fsencode(other), _EXCHANGE)
    if done != 0:
        import ctypes

        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), other)


@cache
def _system_call() -> Callable[[int, bytes, int, bytes, int], int]:
    """Find what lets two files change places; loaded by writers only, for it takes its time."""
    import ctypes

    try:
        found = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return _not_there
    found.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return found


def _not_there(*_: object) -> int:
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


def _stale(folder: Folder, name: str) -> StaleBase:
    path = f"{folder.path}/{name}"
    return StaleBase(
        f"{path} changed while it was being written, so nothing was written; try again", path=path
    )
