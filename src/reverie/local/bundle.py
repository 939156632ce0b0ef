"""What somebody wants to import: a file, a folder or a zip, read where it lies and never unpacked.

Rules
- Links are not followed, hidden files not read, names that lead elsewhere refused; each is reported.
- Sizes are counted while reading: what a zip claims about itself is not believed.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from io import BufferedReader, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from reverie.core.portable import folded, is_plain
from reverie.errors import FileTooLarge, InvalidContent, NotAFile, PathNotFound, TooLarge
from reverie.types import Dropped

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_FILES: Final = 200_000
MAX_FILE_BYTES: Final = 512 * 1024 * 1024
MAX_TOTAL_BYTES: Final = 4 * 1024 * 1024 * 1024
_BLOCK: Final = 1024 * 1024
_LOUD: Final = 200  # so many hidden or linked files are named one by one


def open_bundle(
    path: str | Path, *, max_file: int = MAX_FILE_BYTES, max_total: int = MAX_TOTAL_BYTES
) -> FolderBundle | ZipBundle:
    """Open a source, whatever it is; a single file is a folder of one."""
    source = Path(os.path.abspath(path))
    if not source.exists():
        raise PathNotFound(f"there is nothing at {path} to import", path=str(path))
    if source.is_dir():
        return FolderBundle(source, None, max_file=max_file, max_total=max_total)
    if not source.is_file():
        raise NotAFile(f"{path} is neither a file nor a folder", path=str(path))
    if zipfile.is_zipfile(source):
        return ZipBundle(source, max_file=max_file, max_total=max_total)
    return FolderBundle(source.parent, source.name, max_file=max_file, max_total=max_total)


class _Counted:
    """Counts what is read of all files together."""

    def __init__(self, *, max_file: int, max_total: int) -> None:
        self.dropped: list[Dropped] = []
        self._max_file = max_file
        self._left = max_total

    def blocks(self, name: str, file: IO[bytes]) -> Iterator[bytes]:
        """Yield a file's bytes, as long as it stays within the limits."""
        size = 0
        while block := file.read(_BLOCK):
            size += len(block)
            self._left -= len(block)
            if self._left < 0:
                raise TooLarge("there is more to read than an import takes; import it in parts")
            if size > self._max_file:
                raise FileTooLarge(f"{name} has more than {self._max_file:,} bytes", path=name)
            yield block

    def decoded(self, name: str, file: IO[bytes]) -> str | None:
        """Read a text; None, and the reason kept, when it is none or too large."""
        try:
            return b"".join(self.blocks(name, file)).decode("utf-8")
        except UnicodeDecodeError as error:
            self.dropped.append(Dropped(name, f"it is not UTF-8 text (byte {error.start})"))
        except FileTooLarge as error:
            self.dropped.append(Dropped(name, str(error)))
        return None


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

    def __init__(self, folder: Path, only: str | None, *, max_file: int, max_total: int) -> None:
        self._folder = folder
        self._counted = _Counted(max_file=max_file, max_total=max_total)
        self.root = only or folder.name
        self.names = (only,) if only else tuple(sorted(self._walk()))

    @property
    def dropped(self) -> list[Dropped]:
        """What is there but cannot be read."""
        return self._counted.dropped

    def _walk(self) -> Iterator[str]:
        found = hidden = 0
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
                if item.name.startswith("."):
                    hidden += item.name != ".git"
                    continue
                if item.is_symlink():
                    self.dropped.append(Dropped(name, "it is a link, and links are not followed"))
                elif item.is_dir(follow_symlinks=False):
                    stack.append(f"{name}/")
                elif not item.is_file(follow_symlinks=False) or not is_plain(name):
                    self.dropped.append(Dropped(name, "it is no regular file, or badly named"))
                elif found >= MAX_FILES:
                    raise TooLarge(f"there are more than {MAX_FILES:,} files; import them in parts")
                else:
                    found += 1
                    yield name
        if hidden:
            self.dropped.append(Dropped(f"{hidden} hidden files and folders", "they are settings"))

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


class ZipBundle:
    """The files of a zip, read inside it: nothing is written anywhere."""

    def __init__(self, path: Path, *, max_file: int, max_total: int) -> None:
        self._path = path
        self._counted = _Counted(max_file=max_file, max_total=max_total)
        self.root = path.stem
        with self._zip() as archive:
            self._infos = dict(self._usable(archive))
        self.names = tuple(sorted(self._infos))

    @property
    def dropped(self) -> list[Dropped]:
        """What is there but cannot be read."""
        return self._counted.dropped

    def _zip(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self._path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise InvalidContent(f"{self._path.name} cannot be read as a zip: {error}") from None

    def _usable(self, archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
        listing = archive.infolist()
        if len(listing) > MAX_FILES:
            raise TooLarge(f"there are more than {MAX_FILES:,} files in the zip")
        seen: set[str] = set()
        hidden = 0
        for info in listing:
            name = info.filename
            if info.is_dir():
                continue
            parts = name.split("/")
            if any(part.startswith(".") and part not in (".", "..") for part in parts) or (
                "__MACOSX" in parts
            ):
                hidden += 1
                continue
            mode = info.external_attr >> 16
            drive = len(name) > 1 and name[1] == ":"
            if not is_plain(name) or "\\" in info.orig_filename or drive:
                self.dropped.append(Dropped(name[:_LOUD], "its name leads out of the zip"))
            elif stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                self.dropped.append(Dropped(name, "it is a link or another special file"))
            elif info.flag_bits & 1:
                self.dropped.append(Dropped(name, "it is encrypted"))
            elif folded(name) in seen:
                self.dropped.append(Dropped(name, "the zip has another file of that name"))
            else:
                seen.add(folded(name))
                yield name, info
        if hidden:
            self.dropped.append(Dropped(f"{hidden} hidden files", "they are settings"))

    def text(self, name: str) -> str | None:
        """Return a file's text, or None when it cannot be read."""
        try:
            with self._zip() as archive, archive.open(self._infos[name]) as file:
                return self._counted.decoded(name, file)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
            self.dropped.append(Dropped(name, f"the zip is damaged here: {error}"))
        return None

    def lines(self, name: str) -> Iterator[str]:
        """Read a file line by line."""
        try:
            with self._zip() as archive, closing(archive.open(self._infos[name])) as file:
                yield from _lines(name, file, self._counted)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
            self.dropped.append(Dropped(name, f"the zip is damaged here: {error}"))

    def modified(self, name: str) -> datetime | None:
        """Return when a file was last written."""
        try:
            return datetime(*self._infos[name].date_time, tzinfo=UTC)
        except ValueError:
            return None
