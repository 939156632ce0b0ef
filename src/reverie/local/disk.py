"""Reading and replacing single files: whole or not at all, byte for byte."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reverie.errors import FileTooLarge, NotAFile, NotText
from reverie.local.oserrors import explained

TEMP_SUFFIX = ".reverie-tmp"
_TEMP_NAME_BYTES = 100


def read_text(path: Path, *, limit: int) -> str | None:
    """Return a file's text as it stands (line ends and BOM kept), or None when there is no file."""
    data = read_bytes(path, limit=limit)
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotText(
            f"{path} is not UTF-8 text (byte {error.start}); convert it, or move it elsewhere",
            path=str(path),
        ) from None


def read_bytes(path: Path, *, limit: int) -> bytes | None:
    """Return a file's bytes, at most `limit` of them, or None when there is no file."""
    try:
        # Non-blocking, so that a named pipe put in a memory folder cannot hang the reader.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        with explained(path):
            raise error
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise NotAFile(
                f"{path} is not a regular file; move it out of the memory", path=str(path)
            )
        if facts.st_size > limit:
            raise FileTooLarge(
                f"{path} has {facts.st_size:,} bytes, over the limit of {limit:,}; split it, or raise"
                " memory.max_file_bytes",
                path=str(path),
            )
        with explained(path), os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Staged:
    """A new text already on the disk beside its target; one rename makes it real."""

    temp: Path
    target: Path

    def commit(self) -> None:
        """Put the new text in place."""
        self.temp.replace(self.target)
        sync_folder(self.target.parent)

    def discard(self) -> None:
        """Forget the new text."""
        self.temp.unlink(missing_ok=True)


def temp_beside(target: Path) -> Path:
    """Name a temporary file beside another; its own name is cut in bytes, as file systems count."""
    short = os.fsencode(target.name)[:_TEMP_NAME_BYTES].decode("utf-8", "ignore")
    return target.parent / f".{short}.{os.getpid()}.{secrets.token_hex(6)}{TEMP_SUFFIX}"


def stage(target: Path, data: bytes, *, private: bool) -> Staged:
    """Write `data` beside `target`, on the disk, with the mode the target has or should have."""
    with explained(target):
        make_folder(target.parent, private=private)
        if target.is_dir():
            raise NotAFile(f"{target} is a folder where a file is to be written; move it aside")
        temp = temp_beside(target)
        descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), _mode(target, private=private))
                os.fsync(file.fileno())
        except OSError:
            temp.unlink(missing_ok=True)
            raise
    return Staged(temp, target)


def write_atomic(target: Path, data: bytes, *, private: bool = True) -> None:
    """Replace one file: readers see the old bytes or the new ones, also after a power cut."""
    staged = stage(target, data, private=private)
    with explained(target):
        staged.commit()


def make_folder(folder: Path, *, private: bool) -> None:
    """Create a folder and its parents; private ones are for the owner alone."""
    with explained(folder):
        missing = [item for item in (folder, *folder.parents) if not item.exists()]
        for item in reversed(missing):
            item.mkdir(mode=0o700 if private else 0o777, exist_ok=True)
            sync_folder(item.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename, creation or removal in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def abandoned_temps(folder: Path) -> Iterator[Path]:
    """Yield temporary files that a killed process left in a folder."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        if name.endswith(TEMP_SUFFIX) and not _alive(name.split(".")[-3:-2]):
            yield folder / name


def _alive(pid: list[str]) -> bool:
    try:
        os.kill(int(pid[0]), 0)
    except (IndexError, ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _mode(target: Path, *, private: bool) -> int:
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except OSError:
        if private:
            return 0o600
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
