"""The dream's lock file: one owner, known by a token, held by the operating system.

Rules
- The kernel's lock decides; it is never stolen from a live holder and never outlives a dead one.
- The first line is the process id, as agents that know only that expect it; the second tells host,
  start and a random token, because ids are used again and mean nothing on another machine.
- A lock file without our second line is another program's: it counts while its process lives and
  it is not stale. One of another host, where the kernel cannot tell, counts until it is stale.
- Only the owner removes the file, and only if it still holds the owner's token.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from reverie.local.disk.locks import held
from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import folder_below

_MAX_BYTES = 4096
_TRIES = 16  # each one lost to somebody who released or took it in the very moment


@contextmanager
def try_own(path: Path, *, stale_after: float, root: Path | None = None) -> Iterator[bool]:
    """Own the lock file for the block, or yield False at once when somebody else does."""
    token = secrets.token_hex(16)
    with folder_below(root or path.parent, path.parent) as opened:
        with explained(path):
            folder = opened.handle(make=True)
            descriptor = _acquire(folder, path.name, token, stale_after)
        if descriptor is None:
            yield False
            return
        held.add(descriptor)
        try:
            yield True
        finally:
            if descriptor in held:  # not in a forked child
                held.discard(descriptor)
                with explained(path):
                    _release(folder, path.name, descriptor, token)


def _acquire(folder: int, name: str, token: str, stale_after: float) -> int | None:
    for _ in range(_TRIES):
        if (made := _create(folder, name, token)) is not None:
            return made
        try:
            flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
            descriptor = os.open(name, flags, dir_fd=folder)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        if not _is_same(
            folder, name, descriptor
        ):  # released or replaced between opening and locking
            os.close(descriptor)
            continue
        if _still_held(descriptor, stale_after):
            os.close(descriptor)
            return None
        _sign(descriptor, token)
        return descriptor
    return None


def _create(folder: int, name: str, token: str) -> int | None:
    """Make the file appear signed and locked at once, or return None when there is one."""
    temp = f".{name}.{os.getpid()}.{secrets.token_hex(6)}"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(temp, flags, 0o600, dir_fd=folder)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        _sign(descriptor, token)
        os.link(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    finally:
        os.unlink(temp, dir_fd=folder)
    return descriptor


def _sign(descriptor: int, token: str) -> None:
    owner = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "startedAt": datetime.now(UTC).isoformat(),
        "token": token,
    }
    text = f"{os.getpid()}\n{json.dumps(owner)}\n"
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)


def _still_held(descriptor: int, stale_after: float) -> bool:
    """Judge a file on which nobody on this machine holds the kernel's lock."""
    text = os.pread(descriptor, _MAX_BYTES, 0).decode("utf-8", "replace")
    fresh = time.time() - os.fstat(descriptor).st_mtime <= stale_after
    first, _, rest = text.strip().partition("\n")
    try:
        owner = json.loads(rest)
        host = owner["host"]
    except (ValueError, KeyError, TypeError):
        return fresh and _is_alive(first)
    return fresh and bool(host != socket.gethostname())


def _is_alive(pid: str) -> bool:
    try:
        number = int(pid)
        if number <= 0:
            return False
        os.kill(number, 0)
    except (ValueError, OverflowError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _is_same(folder: int, name: str, descriptor: int) -> bool:
    try:
        there = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    mine = os.fstat(descriptor)
    return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)


def _release(folder: int, name: str, descriptor: int, token: str) -> None:
    try:
        text = os.pread(descriptor, _MAX_BYTES, 0).decode("utf-8", "replace")
        if token in text and _is_same(folder, name, descriptor):
            os.unlink(name, dir_fd=folder)
    finally:
        os.close(descriptor)
