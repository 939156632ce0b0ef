"""The file behind a database that can be thrown away: a whole state, then what changed since.

Rules
- The state is an image of a database, and each commit a record behind it. A commit is one record
  appended, or a new file put in the place of the old one.
- Everything has a checksum and is in memory before it is believed. An image that is not what was
  written is broken. Records count up to the first that is not whole: what they made is an
  earlier finished state, and the next look at the files brings it up to date.
- Readers need no lock and write nothing.
- Each image has a mark of its own, drawn at random. The kernel gives the number of a file that was thrown
  away to the next one, so a number alone does not tell that this is still the file that was read.
"""

from __future__ import annotations

import errno
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from reverie.errors import StoreError
from reverie.local.disk.files import make_folder, temp_beside
from reverie.local.disk.regular import regular

__all__ = ["Content", "IndexFile"]

_MAGIC: Final = b"reverie-index 4\n"
_HEAD: Final = struct.Struct(
    "<QIQ"
)  # size of the image, its checksum and its mark; then the checksum of all this
_RECORD: Final = struct.Struct(
    "<II"
)  # size of the record and its checksum; then the checksum of both
_SUM: Final = struct.Struct("<I")
_IMAGE_AT: Final = len(_MAGIC) + _HEAD.size + _SUM.size
_RECORD_AT: Final = _RECORD.size + _SUM.size
_RECORDS: Final = 256 * 1024  # so much may be left to replay to whoever opens the file
_NOTHING_THERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_SHARE: Final = 8  # and while much is written at once, this part of the image


class Content(NamedTuple):
    """What was read: an image with its records, or only records that were added."""

    image: memoryview | None
    records: list[memoryview]


class IndexFile:
    """What one reader or writer knows of the file."""

    def __init__(self, path: Path, error: type[StoreError]) -> None:
        self.path = path
        self._error = error
        self._image = self._end = 0
        """How long the image is with its head, and where the last whole record ends."""
        self._seen: tuple[int, ...] = ()
        self._mark = 0
        self._torn = False

    def broken(self, how: str) -> StoreError:
        """Say what is wrong with the file."""
        path = str(self.path)
        return self._error(f"{path} {how}; it is rebuilt from the files", path=path)

    # --- reading ----------------------------------------------------------------------------------

    def all(self) -> Content | None:
        """Read the file; None when there is none."""
        data = self._read()
        if data is None:
            return None
        view = memoryview(data)
        if len(view) < _IMAGE_AT or not data.startswith(_MAGIC):
            raise self.broken("is no index of this version")
        size, image, mark = _HEAD.unpack_from(view, len(_MAGIC))
        (own,) = _SUM.unpack_from(view, len(_MAGIC) + _HEAD.size)
        found = view[_IMAGE_AT : _IMAGE_AT + size]
        if zlib.crc32(view[: _IMAGE_AT - _SUM.size]) != own or zlib.crc32(found) != image:
            raise self.broken("is damaged")
        self._mark = mark
        self._image = self._end = _IMAGE_AT + size
        return Content(found, list(self._records(view[self._end :])))

    def more(self) -> Content | None:
        """Read what was added since, or all of it when it is another file; None: nothing changed."""
        try:
            facts = _facts(os.stat(self.path))
        except FileNotFoundError as error:
            raise self.broken("is gone") from error
        if facts == self._seen:
            return None
        if facts[:2] == self._seen[:2]:
            data = self._read(added=True)
            if data is not None:
                if self._seen[2] < self._end:
                    raise self.broken("was cut short")
                return Content(None, list(self._records(memoryview(data))))
        found = self.all()
        if found is None:
            raise self.broken("is gone")
        return found

    def _read(self, *, added: bool = False) -> bytes | None:
        """Read the file, or what was added to it; None when there is none, or not the one that was read."""
        try:
            with open(self.path, "rb", opener=regular) as file:
                facts = _facts(os.fstat(file.fileno()))
                if added:
                    if facts[:2] != self._seen[:2] or _mark_of(file.read(_IMAGE_AT)) != self._mark:
                        return None
                    file.seek(self._end)
                self._seen = facts
                return file.read()
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return None
            raise self.broken(f"cannot be read ({error.strerror})") from error

    def _records(self, view: memoryview) -> Iterator[memoryview]:
        at = 0
        self._torn = False
        while at < len(view):
            found = _record(view[at:])
            if found is None:
                self._torn = True
                return
            yield found
            at += _RECORD_AT + len(found)
            self._end += _RECORD_AT + len(found)

    def is_gone(self) -> bool:
        """Say whether the file that was read was thrown away."""
        return bool(self._seen) and not self.path.exists()

    # --- writing ----------------------------------------------------------------------------------

    def is_long(self) -> bool:
        """Say whether it would pay to replace the records by an image."""
        return self._end - self._image > _RECORDS

    def append(self, content: bytes) -> bool:
        """Add a record; False: an image is to be written instead."""
        head = _RECORD.pack(len(content), zlib.crc32(content))
        record = head + _SUM.pack(zlib.crc32(head)) + content
        room = max(_RECORDS, self._image // _SHARE) - (self._end - self._image)
        if not self._image or self._torn or len(record) > room:
            return False
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            if os.fstat(descriptor).st_size != self._end:
                raise self.broken("was changed by somebody else")
            try:
                rest = memoryview(record)
                while rest:
                    rest = rest[os.write(descriptor, rest) :]
            except BaseException:
                os.ftruncate(descriptor, self._end)
                raise
            self._end += len(record)
            self._seen = _facts(os.fstat(descriptor))
        finally:
            os.close(descriptor)
        return True

    def replace(self, image: bytes) -> None:
        """Write a whole state in the place of everything."""
        mark = int.from_bytes(os.urandom(8), "little")
        head = _MAGIC + _HEAD.pack(len(image), zlib.crc32(image), mark)
        make_folder(self.path.parent, private=True)
        temp = temp_beside(self.path)
        try:
            with temp.open("xb") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(head + _SUM.pack(zlib.crc32(head)))
                file.write(image)
                file.flush()
                os.fsync(file.fileno())
            temp.replace(self.path)
        except BaseException:
            temp.unlink(missing_ok=True)
            raise
        self._mark = mark
        self._image = self._end = _IMAGE_AT + len(image)
        self._torn = False
        self._seen = _facts(os.stat(self.path))


def _facts(found: os.stat_result) -> tuple[int, ...]:
    """Return what changes when a file does; the first two stay while it only grows."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _mark_of(head: bytes) -> int | None:
    if len(head) < _IMAGE_AT or not head.startswith(_MAGIC):
        return None
    return int(_HEAD.unpack_from(head, len(_MAGIC))[2])


def _record(view: memoryview) -> memoryview | None:
    """Return the content of the record at the start, or None when it is not whole."""
    if len(view) < _RECORD_AT:
        return None
    size, content = _RECORD.unpack_from(view)
    (own,) = _SUM.unpack_from(view, _RECORD.size)
    found = view[_RECORD_AT : _RECORD_AT + size]
    whole = zlib.crc32(view[: _RECORD.size]) == own and len(found) == size
    return found if whole and zlib.crc32(found) == content else None
