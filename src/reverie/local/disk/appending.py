"""Appending a line to a log that several processes write: one write each, and a bound on its size.

A record ends with a checksum of itself, so that a line of which a byte changed is not believed.
"""

from __future__ import annotations

import os
import zlib

from reverie.local.disk.regular import regular

ROTATE_BYTES = 4 * 1024 * 1024


def append_line(path: str, line: str, *, limit: int = ROTATE_BYTES) -> None:
    """Append text; a file that grew beyond the limit becomes `<path>.1`, over the one before."""
    descriptor = regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW)
    try:
        os.write(descriptor, line.encode())
        full = os.fstat(descriptor).st_size > limit
    finally:
        os.close(descriptor)
    if full:
        os.replace(path, f"{path}.1")


def append_record(path: str, record: str, *, limit: int = ROTATE_BYTES) -> None:
    """Append a JSON object, sealed."""
    append_line(path, f"{sealed(record)}\n", limit=limit)


def sealed(record: str) -> str:
    """Return a JSON object that is not empty, with its checksum as the last value."""
    return f'{record[:-1]}{_SEAL}{_sum(record[:-1])}"}}'


def unsealed(line: str) -> str | None:
    """Return the object of a line as it was before it was sealed; None where a byte changed."""
    if line[-_SEALED:-_SUM] != _SEAL:
        return line  # of an older version, or another program's
    record = line[:-_SEALED]
    return f"{record}}}" if line[-_SUM:] == f'{_sum(record)}"}}' else None


_SEAL = ',"crc":"'
_SUM = 10  # eight digits, and the two characters that end the object
_SEALED = len(_SEAL) + _SUM


def _sum(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"
