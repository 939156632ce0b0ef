"""Appending a line to a log that several processes write: one write each, and a bound on its size."""

from __future__ import annotations

import os

ROTATE_BYTES = 4 * 1024 * 1024


def append_line(path: str, line: str, *, limit: int = ROTATE_BYTES) -> None:
    """Append text; a file that grew beyond the limit becomes `<path>.1`, over the one before."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        os.write(descriptor, line.encode())
        full = os.fstat(descriptor).st_size > limit
    finally:
        os.close(descriptor)
    if full:
        os.replace(path, f"{path}.1")
