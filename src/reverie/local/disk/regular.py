"""Open only what is a file: whoever opens a pipe for reading, or for writing, waits for its other end.

A hook opens files at every prompt, so this imports almost nothing.
"""

from __future__ import annotations

import os
from errno import ENOTSUP
from stat import S_ISREG


def regular(path: str | os.PathLike[str], flags: int, mode: int = 0o600) -> int:
    """Open a file at once, as an `opener` does; raise `OSError` where something else stands."""
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    if S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(ENOTSUP, "this is not a file", os.fspath(path))


def regular_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file; raise `OSError` where there is none, or something else."""
    with open(path, "rb", opener=regular) as file:
        return file.read()
