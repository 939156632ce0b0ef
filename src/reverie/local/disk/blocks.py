"""Files in blocks: written once, and read block by block, each of which is checked before it is used.

Rules
- Nothing is believed that was not checked: the head has a checksum, and so has every block. The head
  also names the file, so that two files cannot stand in for each other.
- It is read, not mapped: a mapped file that somebody cuts short kills the process.
- A block is read when it is first needed. A small file is read at once and does not stay open.
"""

from __future__ import annotations

import errno
import mmap
import os
import struct
import zlib
from array import array
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Final, TypeAlias

from reverie.local.disk.regular import regular

__all__ = ["Blocks", "Buffer", "pack", "store"]

Buffer: TypeAlias = bytes | bytearray

_HEAD: Final = struct.Struct(
    "<8s8sQQ"
)  # magic, the file's name, sizes of the facts and of the body
_SUM: Final = struct.Struct("<I")  # of head, facts and the table of checksums
_MOST_FACTS: Final = 4096
_BLOCK: Final = 16 * 1024  # what is read and checked at once; ten words of a query need few of them
_LARGE: Final = 1024 * 1024  # a larger file stays open and is read as needed


class Blocks:
    """An open file. Raises ValueError wherever it turns out not to be what was written."""

    __slots__ = (
        "_descriptor",
        "_reading",
        "_ready",
        "_start",
        "_sums",
        "body",
        "damaged",
        "facts",
        "name",
    )

    def __init__(self, path: Path, magic: bytes, data: bytes | None = None) -> None:
        """Open a file, or take `data` for its content."""
        self._descriptor = -1
        self.name = path.name
        self.damaged = False
        """Whether a block that was read later turned out not to be what was written."""
        size = len(data) if data is not None else 0
        if data is None:
            data, size = self._open(path)
        if len(data) < _HEAD.size:
            raise ValueError(f"{path} is too short")
        found, mark, facts, length = _HEAD.unpack_from(data)
        if found != magic or mark != _mark(path.name):
            raise ValueError(f"{path} is another kind of file, or has another's name")
        blocks = -(-length // _BLOCK)
        self._start = _HEAD.size + _SUM.size + facts + 4 * blocks
        if facts > _MOST_FACTS or size != self._start + length:
            raise ValueError(f"{path} has {size} bytes where {self._start + length} were expected")
        head = data[: self._start]
        if self._descriptor >= 0:
            head = os.pread(self._descriptor, self._start, 0)
        if len(head) != self._start or _head_sum(head) != _SUM.unpack_from(head, _HEAD.size)[0]:
            raise ValueError(f"{path} is damaged")
        self.facts = head[_HEAD.size + _SUM.size :][:facts]
        """What the head says about the body."""
        self._sums = array("I", head[_HEAD.size + _SUM.size + facts :])
        # Memory that nobody wrote to yet costs nothing, so what is not needed is not paid for.
        self.body = memoryview(mmap.mmap(-1, max(length, 1)))[:length]
        """As long as all of it; only what was needed is there."""
        self._ready = bytearray(blocks)
        self._reading = Lock()
        if self._descriptor < 0:
            self.body[:] = data[self._start :]
            self._check(0, blocks)

    @property
    def is_whole(self) -> bool:
        """Whether all of it is in memory and was checked."""
        return self._ready.find(0) < 0

    def _open(self, path: Path) -> tuple[bytes, int]:
        self._descriptor = regular(path, os.O_RDONLY)
        size = os.fstat(self._descriptor).st_size
        if size > _LARGE:
            return os.pread(self._descriptor, _HEAD.size, 0), size
        with os.fdopen(self._descriptor, "rb") as file:
            self._descriptor = -1
            data = file.read()
        return data, len(data)

    def __del__(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def need(self, start: int, stop: int) -> None:
        """Read what is not there yet of a range of the body."""
        block, end = start // _BLOCK, -(-stop // _BLOCK)
        if self._ready.find(0, block, end) < 0:
            return
        with self._reading:  # a block that one thread believes must not be read again by another
            while (block := self._ready.find(0, block, end)) >= 0:
                last = self._ready.find(1, block, end)
                last = end if last < 0 else last
                self._read(block * _BLOCK, min(last * _BLOCK, len(self.body)))
                self._check(block, last)
                block = last

    def _check(self, block: int, end: int) -> None:
        """Believe blocks that are in memory, if they are what was written."""
        for number in range(block, end):
            if zlib.crc32(self.body[number * _BLOCK : (number + 1) * _BLOCK]) != self._sums[number]:
                self.damaged = True
                raise ValueError(f"{self.name} is damaged")
        self._ready[block:end] = b"\1" * (end - block)

    def _read(self, start: int, stop: int) -> None:
        try:
            while start < stop:
                got = os.preadv(self._descriptor, [self.body[start:stop]], self._start + start)
                if not got:
                    raise OSError(errno.EIO, "it was cut short")
                start += got
        except OSError as error:
            self.damaged = True
            raise ValueError(f"{self.name} cannot be read ({error.strerror})") from error


def pack(name: str, magic: bytes, facts: bytes, body: Buffer) -> list[Buffer]:
    """Return the bytes of a file of this name, in pieces."""
    head = _HEAD.pack(magic, _mark(name), len(facts), len(body))
    with memoryview(body) as view:
        starts = range(0, len(body), _BLOCK)
        sums = array("I", [zlib.crc32(view[start : start + _BLOCK]) for start in starts]).tobytes()
    return [head, _SUM.pack(zlib.crc32(facts + sums, zlib.crc32(head))), facts, sums, body]


def store(path: Path, pieces: Iterable[Buffer]) -> None:
    """Write the pieces to a new file, on the disk."""
    with path.open("xb") as file:
        os.fchmod(file.fileno(), 0o600)
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def _head_sum(head: bytes) -> int:
    return zlib.crc32(head[_HEAD.size + _SUM.size :], zlib.crc32(head[: _HEAD.size]))


def _mark(name: str) -> bytes:
    return blake2b(os.fsencode(name), digest_size=8).digest()
