"""What somebody wants to import: a file, a folder or a zip, read where it lies and never unpacked.

Rules
- Links are not followed, hidden files not read, names that lead elsewhere refused; each is reported.
- Sizes are counted while reading: what a zip claims about itself is not believed, not even how many
  files it lists. A zip that unpacks to very many times its size is a bomb.
- Whatever is wrong with a zip, a reader of it sees a text that is missing and why.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from io import BufferedReader, FileIO, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from reverie.config import ImportSettings, MemorySettings
from reverie.core.moving.export_format import folded, is_plain
from reverie.core.moving.record_kinds import HIDDEN_REASON
from reverie.errors import (
    FileTooLarge,
    InvalidContent,
    NotAFile,
    PathNotFound,
    ReverieError,
    TooLarge,
)
from reverie.local.store.paths import usable
from reverie.types import Dropped

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BLOCK: Final = 1024 * 1024
_LOUD: Final = 200  # so many characters of a name that leads elsewhere are shown
_SPARE: Final = 16 * 1024 * 1024  # so much a small zip may unpack to, whatever the ratio
_LISTED: Final = b"PK\x01\x02"  # begins each entry of a zip's list
_ENTRY_BYTES: Final = 400  # of that list, on an average that no export comes near
_STREAMED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What can be unpacked piece by piece; of the others, a few bytes may become gigabytes at once."""
_STUMBLES: Final = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError, OSError, ValueError,
    LookupError, ArithmeticError, RuntimeError, MemoryError,
)  # fmt: skip
"""What the standard library raises on damaged bytes, whichever of its checks sees them first."""


def open_bundle(
    path: str | Path,
    limits: ImportSettings | None = None,
    *,
    max_note: int = MemorySettings().max_file_bytes,
) -> FolderBundle | ZipBundle:
    """Open a source, whatever it is; a single file is a folder of one.

    Args:
        limits: How much is read.
        max_note: Largest Markdown file.
    """
    source = Path(usable(os.path.abspath(usable(path))))
    if not os.path.exists(source):
        raise PathNotFound(f"there is nothing at {path} to import", path=str(path))
    limits = limits or ImportSettings()
    counted = _Counted(limits, max_note)
    if source.is_dir():
        return FolderBundle(source, None, counted)
    if not source.is_file():
        raise NotAFile(f"{path} is neither a file nor a folder", path=str(path))
    if _is_zip(source):
        return ZipBundle(source, counted)
    return FolderBundle(source.parent, source.name, counted)


def _is_zip(path: Path) -> bool:
    try:
        return zipfile.is_zipfile(path)
    except zipfile.BadZipFile:  # it is one, and damaged
        return True


class _Counted:
    """Counts what is read of all files together."""

    def __init__(self, limits: ImportSettings, max_note: int) -> None:
        self.limits = limits
        self.dropped: list[Dropped] = []
        self._max_note = max_note
        self._left = limits.max_total_bytes
        self._over = "there is more to read than imports.max_total_bytes; import it in parts"

    def expect_zip(self, size: int) -> None:
        """Allow no more than what an honest zip of this size holds."""
        most = size * self.limits.max_ratio + _SPARE
        if most < self._left:
            self._left = most
            self._over = (
                f"the zip unpacks to more than {self.limits.max_ratio} times its size, as a bomb does."
                " If you trust it, unpack it and import the folder, or raise imports.max_ratio"
            )

    def blocks(self, name: str, file: IO[bytes]) -> Iterator[bytes]:
        """Yield a file's bytes, as long as it stays within the limits."""
        most, setting = self.limits.max_file_bytes, "imports.max_file_bytes"
        if name.lower().endswith(".md") and self._max_note < most:
            most, setting = self._max_note, "memory.max_file_bytes"
        size = 0
        while block := file.read(_BLOCK):
            size += len(block)
            self._left -= len(block)
            if self._left < 0:
                raise TooLarge(self._over)
            if size > most:
                raise FileTooLarge(f"{name} has more than {most:,} bytes ({setting})", path=name)
            yield block

    def decoded(self, name: str, file: IO[bytes]) -> str | None:
        """Read a text; None, and the reason kept, when it is none or too large."""
        data = bytearray()
        try:
            for block in self.blocks(name, file):
                data += block
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            self.dropped.append(Dropped(name, f"it is not UTF-8 text (byte {error.start})"))
        except FileTooLarge as error:
            self.dropped.append(Dropped(name, str(error)))
        return None

    def too_many(self) -> TooLarge:
        """Return the error for a source of too many files."""
        most = self.limits.max_files
        return TooLarge(
            f"there are more than {most:,} files (imports.max_files); import them in parts"
        )


class _Measured(RawIOBase):
    """A file that counts what is read of it."""

    def __init__(self, name: str, file: IO[bytes], counted: _Counted) -> None:
        self._blocks = counted.blocks(name, file)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill a buffer as far as the next block goes."""
        if not self._rest:
            self._rest = memoryview(next(self._blocks, b""))
        view = memoryview(buffer)
        size = min(len(view), len(self._rest))
        view[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def _lines(name: str, file: IO[bytes], counted: _Counted) -> Iterator[str]:
    """Read line by line; bytes that are no UTF-8 show as such, and JSON then fails on its line."""
    raw = BufferedReader(_Measured(name, file, counted))
    yield from TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape", newline="\n")


class FolderBundle:
    """The files of a folder, or one of them."""

    def __init__(self, folder: Path, only: str | None, counted: _Counted) -> None:
        self._folder = folder
        self._counted = counted
        self.root = only or folder.name
        self.names = (only,) if only else tuple(sorted(self._walk()))

    @property
    def dropped(self) -> list[Dropped]:
        """What is there but cannot be read."""
        return self._counted.dropped

    def _walk(self) -> Iterator[str]:
        found = 0
        stack = [""]
        while stack:
            prefix = stack.pop()
            try:
                with os.scandir(self._folder / prefix) as listing:
                    items = sorted(listing, key=lambda item: item.name)
            except OSError as error:
                self.dropped.append(Dropped(prefix or ".", error.strerror or str(error)))
                continue
            for item in items:
                name = f"{prefix}{item.name}"
                found += 1
                if found > self._counted.limits.max_files:
                    raise self._counted.too_many()
                if item.name.startswith("."):
                    if item.name != ".git":
                        self.dropped.append(Dropped(name, HIDDEN_REASON))
                    continue
                if item.is_symlink():
                    self.dropped.append(Dropped(name, "it is a link, and links are not followed"))
                elif item.is_dir(follow_symlinks=False):
                    stack.append(f"{name}/")
                elif not item.is_file(follow_symlinks=False) or not is_plain(name):
                    self.dropped.append(
                        Dropped(name, "it is not a regular file, or has a bad name")
                    )
                else:
                    yield name

    def _open(self, name: str) -> IO[bytes] | None:
        try:
            flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
            descriptor = os.open(self._folder / name, flags)
        except OSError as error:
            self.dropped.append(Dropped(name, error.strerror or str(error)))
            return None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            self.dropped.append(Dropped(name, "it is no regular file"))
            return None
        return os.fdopen(descriptor, "rb")

    def text(self, name: str) -> str | None:
        """Return a file's text, or None when it cannot be read."""
        file = self._open(name)
        if file is None:
            return None
        with file:
            return self._counted.decoded(name, file)

    def lines(self, name: str) -> Iterator[str]:
        """Read a file line by line."""
        file = self._open(name)
        if file is not None:
            with file:
                yield from _lines(name, file, self._counted)

    def modified(self, name: str) -> datetime | None:
        """Return when a file was last written."""
        try:
            return datetime.fromtimestamp(os.lstat(self._folder / name).st_mtime, UTC)
        except OSError:
            return None

    def close(self) -> None:
        """Nothing stays open."""


class _Listing(BufferedReader):
    """A zip whose list of files is bounded before it is read: listing costs more than the bytes do."""

    def __init__(self, path: Path, counted: _Counted) -> None:
        super().__init__(FileIO(path))
        self._counted: _Counted | None = counted

    def read(self, size: int | None = -1) -> bytes:
        """Read some bytes; raise when they are a list of too many files."""
        counted = self._counted
        if counted is not None and size is not None:
            most = counted.limits.max_files
            if size > most * _ENTRY_BYTES:
                raise counted.too_many()
            data = super().read(size)
            if data.count(_LISTED) > most:
                raise counted.too_many()
            return data
        return super().read(size)

    def listed(self) -> None:
        """Say that from now on files are read, which are bounded otherwise."""
        self._counted = None


def _hidden_part(name: str) -> str:
    """Return a name up to its first hidden part; empty when nothing of it is hidden."""
    parts = name.split("/")
    for count, part in enumerate(parts, 1):
        if part == "__MACOSX" or (part.startswith(".") and part not in (".", "..")):
            return "/".join(parts[:count])
    return ""


class ZipBundle:
    """The files of a zip, read inside it: nothing is written anywhere."""

    def __init__(self, path: Path, counted: _Counted) -> None:
        self._counted = counted
        self.root = path.stem
        self._file = _Listing(path, counted)
        try:
            counted.expect_zip(os.fstat(self._file.fileno()).st_size)
            self._archive = zipfile.ZipFile(self._file)
            self._file.listed()
            self._infos = dict(self._usable(self._archive.infolist()))
        except ReverieError:
            self.close()
            raise
        except _STUMBLES as error:
            self.close()
            raise InvalidContent(f"{path.name} cannot be read as a zip: {error}") from None
        self.names = tuple(sorted(self._infos))

    @property
    def dropped(self) -> list[Dropped]:
        """What is there but cannot be read."""
        return self._counted.dropped

    def _usable(self, listing: Sequence[zipfile.ZipInfo]) -> Iterator[tuple[str, zipfile.ZipInfo]]:
        seen: set[str] = set()
        concealed: dict[str, None] = {}
        for info in listing:
            name = info.filename
            if info.is_dir():
                continue
            if hidden := _hidden_part(name):
                concealed.setdefault(hidden[:_LOUD])
                continue
            mode = info.external_attr >> 16
            drive = len(name) > 1 and name[1] == ":"
            if not is_plain(name) or "\\" in info.orig_filename or drive:
                self.dropped.append(Dropped(name[:_LOUD], "its name leads out of the zip"))
            elif stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                self.dropped.append(Dropped(name, "it is a link or another special file"))
            elif info.flag_bits & 1:
                self.dropped.append(Dropped(name, "it is encrypted"))
            elif info.compress_type not in _STREAMED:
                self.dropped.append(
                    Dropped(
                        name, "it is packed in an unusual way; unpack the zip, import the folder"
                    )
                )
            elif folded(name) in seen:
                self.dropped.append(Dropped(name, "the zip has another file of that name"))
            else:
                seen.add(folded(name))
                yield name, info
        self.dropped.extend(Dropped(name, HIDDEN_REASON) for name in concealed)

    def text(self, name: str) -> str | None:
        """Return a file's text, or None when it cannot be read."""
        try:
            with self._archive.open(self._infos[name]) as file:
                return self._counted.decoded(name, file)
        except ReverieError:
            raise
        except _STUMBLES as error:
            self._damaged(name, error)
        return None

    def lines(self, name: str) -> Iterator[str]:
        """Read a file line by line."""
        try:
            with self._archive.open(self._infos[name]) as file:
                yield from _lines(name, file, self._counted)
        except ReverieError:
            raise
        except _STUMBLES as error:
            self._damaged(name, error)

    def _damaged(self, name: str, error: Exception) -> None:
        self.dropped.append(Dropped(name, f"the zip is damaged here: {error}"))

    def modified(self, name: str) -> datetime | None:
        """Return when a file was last written."""
        try:
            return datetime(*self._infos[name].date_time, tzinfo=UTC)
        except ValueError:
            return None

    def close(self) -> None:
        self._file.close()
