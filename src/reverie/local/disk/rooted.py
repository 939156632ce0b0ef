"""Reading and writing below a root by open folders, so that no link can lead a write elsewhere.

Rules
- A path is a root and the names below it. The root is a real folder; each name below is opened from
  the folder above it and may not be a link. So whatever is swapped for a link, and whenever, a file
  is made, replaced or removed in a folder that was reached from the root, or not at all.
- Files are made, renamed and removed relative to the open folder, never by their whole path.
- A run may touch many folders: only some stay open, the others are opened again in the same way.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from reverie.errors import FileTooLarge, InvalidPath, NotAFile, NotText, PathEscape
from reverie.local.disk.os_errors import explained

TEMP_SUFFIX = ".reverie-tmp"
_TEMP_NAME_BYTES = 100
_OPEN_FOLDERS = 64
_TRIES = 16
_PART = 1 << 16
_STEP = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NOT_A_FOLDER = (errno.ENOTDIR, errno.ELOOP)


class Folders:
    """Open folders for the length of one piece of work."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Folder] = {}
        self._open: dict[Folder, None] = {}  # in the order of their last use

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for folder in self._open:
            folder.let_go()
        self._open.clear()
        self._known.clear()  # each knows this: without that they would wait for the collector of garbage

    def below(self, root: str, rel: str) -> Folder:
        """Return a folder by its names below a real root; it need not be there yet."""
        known = self._known.get((root, rel))
        if known is None:
            known = self._known[root, rel] = Folder(self, root, rel)
        return known

    def used(self, folder: Folder) -> None:
        """Keep a folder open, and close the one that was not used for longest."""
        self._open.pop(folder, None)
        self._open[folder] = None
        if len(self._open) > _OPEN_FOLDERS:
            oldest = next(iter(self._open))
            del self._open[oldest]
            oldest.let_go()


@contextmanager
def folder_below(root: Path, folder: Path) -> Iterator[Folder]:
    """Give a folder by its path below a root; the root itself may be a link, nothing below it."""
    with Folders() as folders:
        yield folders.below(os.path.realpath(root), names_below(root, folder))


def names_below(root: Path | str, path: Path | str) -> str:
    """Return the part of a path below its root, as the two are written."""
    above, text = os.fspath(root).rstrip("/"), os.fspath(path)
    if text == above or (not above and text == "/"):
        return ""
    rel = text[len(above) + 1 :]
    if not text.startswith(f"{above}/") or {"", ".", ".."} & set(rel.split("/")):
        raise InvalidPath(f"{text} is not a path below {above or '/'}", path=text)
    return rel


class Folder:
    """One folder below a root, opened when it is first used."""

    def __init__(self, pool: Folders, root: str, rel: str) -> None:
        self._pool = pool
        self._root = root
        self._names = rel.split("/") if rel else []
        self._descriptor: int | None = None
        self.path = f"{root.rstrip('/')}/{rel}" if rel else root

    def let_go(self) -> None:
        """Close the folder; it is opened again when it is needed."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def handle(self, *, make: bool = False, private: bool = True) -> int:
        """Return the descriptor of the open folder; `make` makes it where it is not there."""
        if self._descriptor is None:
            mode = None if not make else 0o700 if private else 0o777
            self._descriptor = self._opened(mode)
        self._pool.used(self)
        return self._descriptor

    def _opened(self, mode: int | None) -> int:
        path = self._root
        descriptor = _open_root(path, mode)
        for name in self._names:
            path = f"{path.rstrip('/')}/{name}"
            try:
                below = _step(descriptor, name, path, mode)
            finally:
                os.close(descriptor)
            descriptor = below
        return descriptor

    # --- what is in it ----------------------------------------------------------------------------

    def facts(self, name: str) -> os.stat_result | None:
        """Return what stands under a name, a link as itself; None when there is nothing."""
        try:
            return os.stat(name, dir_fd=self.handle(), follow_symlinks=False)
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        """List the folder; one that is not there is empty."""
        try:
            return os.listdir(self.handle())
        except FileNotFoundError:
            return []

    def read_text(self, name: str, *, limit: int) -> str | None:
        """Return a file's text as it stands, or None when there is no file; a link is refused."""
        data = self.read_bytes(name, limit=limit)
        return None if data is None else decoded(data, f"{self.path}/{name}")

    def read_bytes(self, name: str, *, limit: int) -> bytes | None:
        """Return a file's bytes, or None when there is no file; a link is refused."""
        path = f"{self.path}/{name}"
        with explained(Path(path)):
            try:
                # Non-blocking, so that a named pipe put in a memory folder cannot hang the reader.
                flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
                descriptor = os.open(name, flags, dir_fd=self.handle())
            except FileNotFoundError:
                return None
            except OSError as error:
                if error.errno == errno.ELOOP:
                    raise _linked(path) from None
                if error.errno == errno.ENXIO:  # a socket
                    raise not_regular(path) from None
                raise _named(error, path) from None
            return read_open(descriptor, path, limit=limit)

    # --- changing it ------------------------------------------------------------------------------

    def stage(self, name: str, data: bytes, *, private: bool) -> Staged:
        """Write `data` beside a file, on the disk, with the mode the file has or should have."""
        path = f"{self.path}/{name}"
        with explained(Path(path)):
            folder = self.handle(make=True, private=private)
            mode = self._mode(name, private=private)
            temp = temp_name(name)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                descriptor = os.open(temp, flags, 0o600, dir_fd=folder)
            except OSError as error:
                raise _named(error, path) from None
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fchmod(file.fileno(), mode)
                    os.fsync(file.fileno())
                    facts = os.fstat(file.fileno())
            except OSError:
                with suppress(OSError):
                    os.unlink(temp, dir_fd=folder)
                raise
        return Staged(self, temp, name, facts)

    def replace(self, temp: str, name: str, *, sync: bool = True) -> None:
        """Give a file another name in this folder, over what has that name."""
        with explained(Path(self.path, name)):
            folder = self.handle()
            os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
            if sync:
                os.fsync(folder)

    def move(self, name: str, target: Folder, new: str) -> None:
        """Move a file, folder or link into a folder of the same file system."""
        with explained(Path(self.path, name)):
            there = target.handle(make=True)
            here = self.handle()
            os.rename(name, new, src_dir_fd=here, dst_dir_fd=there)
            os.fsync(there)
            if target is not self:
                os.fsync(here)

    def unlink(self, name: str) -> None:
        """Remove a file or link; nothing there is fine."""
        with explained(Path(self.path, name)):
            try:
                os.unlink(name, dir_fd=self.handle())
            except FileNotFoundError:
                return
            os.fsync(self.handle())

    def clear_strays(self) -> None:
        """Remove temporary files that killed processes left here."""
        for name in self.names():
            if is_stray(name):
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=self.handle())

    def strays_of(self, name: str) -> list[str]:
        """Return temporary files that killed processes left here for a file."""
        start = temp_name(name).rsplit(".", 3)[0]
        return [item for item in self.names() if item.rsplit(".", 3)[0] == start and is_stray(item)]

    def sync(self) -> None:
        """Make renames, creations and removals survive a power cut."""
        os.fsync(self.handle())

    def _mode(self, name: str, *, private: bool) -> int:
        facts = self.facts(name)
        if facts is None:
            return 0o600 if private else 0o666 & ~_umask()
        if stat.S_ISLNK(facts.st_mode):
            raise _linked(f"{self.path}/{name}")
        if stat.S_ISDIR(facts.st_mode):
            raise NotAFile(
                f"{self.path}/{name} is a folder, where a file should be written; move it aside",
                path=f"{self.path}/{name}",
            )
        return stat.S_IMODE(facts.st_mode)


@dataclass(frozen=True, slots=True)
class Staged:
    """A new text already on the disk beside its target; one rename makes it real."""

    folder: Folder
    temp: str
    name: str
    facts: os.stat_result
    """As they are in place, too: whatever differs later was written by somebody else."""

    def commit(self, *, sync: bool = True) -> None:
        """Put the new text in place."""
        self.folder.replace(self.temp, self.name, sync=sync)

    def discard(self) -> None:
        """Forget the new text; never another one, which may have changed places with it."""
        with suppress(OSError):
            facts = self.folder.facts(self.temp)
            if facts is not None and facts.st_ino == self.facts.st_ino:
                os.unlink(self.temp, dir_fd=self.folder.handle())


# --- names of temporary files ---------------------------------------------------------------------


def temp_name(name: str) -> str:
    """Name a temporary file for another; its own name is cut in bytes, as file systems count."""
    short = os.fsencode(name)[:_TEMP_NAME_BYTES].decode("utf-8", "ignore")
    return f".{short}.{os.getpid()}.{secrets.token_hex(6)}{TEMP_SUFFIX}"


def is_stray(name: str) -> bool:
    """Say whether this is a temporary file whose process is gone."""
    if not name.endswith(TEMP_SUFFIX):
        return False
    try:
        os.kill(int(name.split(".")[-3]), 0)
    except (IndexError, ValueError, OverflowError, ProcessLookupError):
        return True
    except PermissionError:
        return False
    return False


# --- reading what is open -------------------------------------------------------------------------


def read_open(descriptor: int, path: str, *, limit: int) -> bytes:
    """Read a file that was just opened, at most `limit` bytes of it, and close it."""
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise not_regular(path)
        if facts.st_size > limit:
            raise FileTooLarge(
                f"{path} has {facts.st_size:,} bytes, over the limit of {limit:,}; split it, or raise"
                " memory.max_file_bytes",
                path=path,
            )
        # Not by a file object, which takes as long to make as a memory takes to read.
        parts = [os.read(descriptor, facts.st_size + 1)]
        while parts[-1]:
            parts.append(os.read(descriptor, _PART))
        return parts[0] if len(parts) <= 2 else b"".join(parts)
    finally:
        os.close(descriptor)


def decoded(data: bytes, path: str) -> str:
    """Return a file's bytes as text, line ends and BOM kept."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotText(
            f"{path} is not UTF-8 text (byte {error.start}); convert it, or move it elsewhere",
            path=path,
        ) from None


def not_regular(path: str) -> NotAFile:
    """Say that something else than a file is there."""
    return NotAFile(f"{path} is not a regular file; move it out of the memory", path=path)


# --- steps ----------------------------------------------------------------------------------------


def _open_root(root: str, mode: int | None) -> int:
    try:
        return _root(root)
    except FileNotFoundError:
        if mode is None:
            raise
    _make_root(root, mode)
    return _root(root)


def _root(root: str) -> int:
    try:
        return os.open(root, _STEP)
    except OSError as error:
        if error.errno in _NOT_A_FOLDER:
            raise _no_folder(root, linked=os.path.islink(root)) from None
        raise


def _make_root(root: str, mode: int) -> None:
    """Make a root and what is missing above it: a root is the person's own, not a stranger's."""
    missing = []
    while not os.path.lexists(root):
        missing.append(root)
        root = os.path.dirname(root)
    for folder in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(folder, mode)
        descriptor = os.open(os.path.dirname(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _step(above: int, name: str, path: str, mode: int | None) -> int:
    """Open one folder in another, which is made if `mode` is given and nothing is there."""
    for _ in range(_TRIES):
        try:
            return os.open(name, _STEP, dir_fd=above)
        except FileNotFoundError as error:
            if mode is None:
                raise _named(error, path) from None
        except OSError as error:
            if error.errno in _NOT_A_FOLDER:
                raise _no_folder(path, linked=_is_link(above, name)) from None
            raise _named(error, path) from None
        try:
            os.mkdir(name, mode, dir_fd=above)
        except FileExistsError:
            continue  # somebody was faster
        except OSError as error:
            raise _named(error, path) from None
        os.fsync(above)
    raise PathEscape(f"{path} keeps being replaced, so nothing was written", path=path)


def _is_link(above: int, name: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)
    except OSError:
        return True  # replaced in this very moment


def _no_folder(path: str, *, linked: bool) -> PathEscape | NotAFile:
    if linked:
        return _linked(path)
    return NotAFile(f"{path} is in the way: there should be a folder. Move it aside.", path=path)


def _linked(path: str) -> PathEscape:
    return PathEscape(
        f"{path} is a link, and links are not followed here, so nothing was read or written; put the"
        " real file or folder in its place",
        path=path,
    )


def _named(error: OSError, path: str) -> OSError:
    """Tell the whole path: by an open folder, only the last name is known to the error."""
    error.filename = path
    return error


def _umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value
