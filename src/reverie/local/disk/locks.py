"""Cross-process locks held by the operating system.

Rules
- The kernel owns the lock: it is never stolen from a live holder and never outlives a dead one, so
  there are no timestamps, no process ids to guess about and nothing to clean up.
- A lock file says who holds it, for the message of whoever waits; that text decides nothing.
- Waiting is bounded.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from reverie.errors import Locked
from reverie.local.disk.files import make_folder
from reverie.local.disk.os_errors import explained
from reverie.local.disk.regular import regular_bytes

held: set[int] = set()
"""Open files whose locks are this process's own."""


def _drop_inherited() -> None:
    # A forked child shares the parent's open file, and with it the lock; closing its copy leaves
    # the lock with the parent alone.
    for descriptor in held:
        os.close(descriptor)
    held.clear()


os.register_at_fork(after_in_child=_drop_inherited)


@contextmanager
def file_lock(path: Path, *, wait: float, purpose: str = "") -> Iterator[None]:
    """Hold the lock on a lock file, or raise `Locked` with its holder after `wait` seconds."""
    with explained(path):
        make_folder(path.parent, private=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
    held.add(descriptor)
    try:
        _acquire(descriptor, path, wait)
        # Who holds it is for the message of whoever waits; on a full disk there is no room to say so.
        with suppress(OSError):
            _sign(descriptor, purpose)
        try:
            yield
        finally:
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
    finally:
        held.discard(descriptor)
        os.close(descriptor)


@contextmanager
def folder_lock(folder: Path, *, wait: float) -> Iterator[None]:
    """Hold the lock on a folder itself: two homes that write one project exclude each other."""
    with explained(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    held.add(descriptor)
    try:
        _acquire(descriptor, folder, wait)
        yield
    finally:
        held.discard(descriptor)
        os.close(descriptor)


def holder_of(path: Path) -> str:
    """Describe who holds a lock file, as far as it says."""
    try:
        facts = json.loads(regular_bytes(path).decode("utf-8"))
        return f"{facts['command']} (process {facts['pid']} on {facts['host']}, {facts['purpose']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def _acquire(descriptor: int, path: Path, wait: float) -> None:
    deadline = time.monotonic() + wait
    pause = 0.002
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                holder = holder_of(path)
                raise Locked(
                    f"{holder} is writing and did not finish within {wait:g} s; nothing was changed."
                    " Try again, or stop it if it hangs.",
                    path=str(path),
                    holder=holder,
                ) from None
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        else:
            return


def _sign(descriptor: int, purpose: str) -> None:
    facts = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "command": " ".join([Path(sys.argv[0]).name or "python", *sys.argv[1:2]]),
        "purpose": purpose,
    }
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps(facts).encode(), 0)
