"""Where an export goes: one JSONL file, or a plain folder; made aside and put in place by a rename.

Rules
- What is there already stays, unless it is an earlier export and `force` is given. A link is not
  followed: a cloned repository may bring one of the very name that somebody chooses.
- In a folder every memory keeps its bytes. A name that hides (`.reverie`) or that a file system may
  not tell from another one gets a plain one; the manifest has the true address.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from reverie.core.history import turns
from reverie.core.moving import export_format
from reverie.core.moving.formats import JOURNAL, MANIFEST, TURNS
from reverie.errors import TargetExists
from reverie.local.disk.files import make_folder, sync_folder, temp_beside
from reverie.local.disk.os_errors import explained
from reverie.local.store.paths import usable
from reverie.types import (
    Counts,
    Dropped,
    PortableFile,
    PortableRun,
    PortableState,
    PortableText,
    Turn,
)

if TYPE_CHECKING:
    from reverie.types import PortableHeader, PortableRecord


def export_target(path: Path | str) -> Path:
    """Return the place that a person named for an export; only folders above it may be links."""
    named = usable(os.path.abspath(usable(path)))
    if os.path.islink(named):
        raise TargetExists(
            f"{named} is a link, which is not followed; name what it leads to instead"
        )
    return Path(os.path.realpath(named))


class JsonlTarget:
    """One file, a record a line."""

    wants_runs = False

    def __init__(self, target: Path, *, force: bool = False) -> None:
        self._target = target
        self._force = force
        self._temp = temp_beside(target)
        self._file: IO[str] | None = None
        self.dropped: list[Dropped] = []

    def open(self, header: PortableHeader) -> None:
        """Begin the file."""
        if self._target.exists() and (self._target.is_dir() or not self._force):
            raise TargetExists(
                f"{self._target} already exists; choose another name, or use --force"
            )
        with explained(self._target):
            make_folder(self._target.parent, private=False)
            descriptor = os.open(self._temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(descriptor, "w", encoding="utf-8", newline="\n")
        self._write(export_format.encode_header(header))

    def put(self, record: PortableRecord) -> None:
        """Write one record."""
        self._write(export_format.encode(record))

    def _write(self, line: str) -> None:
        assert self._file is not None  # noqa: S101  # opened first
        with explained(self._target):
            self._file.write(line)

    def finish(self, counts: Counts) -> None:
        """Put the file in place."""
        self._write(export_format.encode_end(counts))
        assert self._file is not None  # noqa: S101  # opened first
        with explained(self._target):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._temp.replace(self._target)
            sync_folder(self._target.parent)

    def discard(self) -> None:
        """Leave nothing behind."""
        if self._file is not None:
            with suppress(OSError):  # what is not written yet has no room here, either
                self._file.close()
        self._temp.unlink(missing_ok=True)


class FolderTarget:
    """A folder of the same Markdown files, with a manifest."""

    wants_runs = False

    def __init__(self, target: Path, *, force: bool = False, journal: bool = False) -> None:
        self._target = target
        self._force = force
        self._journal = journal
        self.temp = temp_beside(target)
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self._manifest: IO[str] | None = None
        self._runs: IO[str] | None = None
        self.dropped: list[Dropped] = []

    def open(self, header: PortableHeader) -> None:
        """Begin the folder."""
        self._check()
        with explained(self._target):
            make_folder(self._target.parent, private=False)
            self.temp.mkdir(mode=0o700)
            self._manifest = self._begin(MANIFEST, header)
            self._runs = self._begin(JOURNAL, header) if self._journal else None

    def _check(self) -> None:
        target = self._target
        if target.exists() and not target.is_dir():
            raise TargetExists(f"{target} already exists and is not a folder")
        if target.is_dir() and any(target.iterdir()):
            if not self._force:
                raise TargetExists(f"{target} is not empty; choose another folder, or use --force")
            if not (target / MANIFEST).is_file():
                raise TargetExists(
                    f"{target} is not an earlier export (it has no {MANIFEST}), so it is not replaced"
                )

    def _begin(self, name: str, header: PortableHeader) -> IO[str]:
        file = (self.temp / name).open("x", encoding="utf-8", newline="\n")
        os.fchmod(file.fileno(), 0o600)
        file.write(export_format.encode_header(header))
        return file

    def put(self, record: PortableRecord) -> None:
        """Write one record: a file of its own, or a line of the manifest or the journal."""
        assert self._manifest is not None  # noqa: S101  # opened first
        with explained(self._target):
            match record:
                case PortableFile():
                    name = self.stored(record.at)
                    self._write(name, record.text.encode("utf-8"))
                    if record.updated:
                        stamp = record.updated.timestamp()
                        os.utime(self.temp / name, (stamp, stamp))
                    self._manifest.write(export_format.encode(record, stored=name))
                case PortableState():
                    self._manifest.write(export_format.encode(record))
                case Turn():
                    name = TURNS + turns.turn_path(record.seq, record.created_at)
                    self._write(name, turns.encode(record).encode("utf-8"))
                case PortableText() | PortableRun():
                    if self._runs is not None:
                        self._runs.write(export_format.encode(record))

    def stored(self, at: str) -> str:
        """Return the name under which a file is stored."""
        if at not in self._names:
            plain = "/".join(f"_{part}" if part.startswith(".") else part for part in at.split("/"))
            stem, ending = posixpath.splitext(plain)
            name, number = plain, 1
            while export_format.folded(name) in self._taken:
                number += 1
                name = f"{stem}~{number}{ending}"
            self._taken.add(export_format.folded(name))
            self._names[at] = name
        return self._names[at]

    def _write(self, name: str, data: bytes) -> None:
        path = self.temp / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)

    def finish(self, counts: Counts) -> None:
        """Put the folder in place."""
        with explained(self._target):
            for file in (self._manifest, self._runs):
                if file is not None:
                    file.write(export_format.encode_end(counts))
                    file.close()
            self._complete()
            old = None
            if self._target.is_dir():
                self._check()  # once more: what is to be replaced must still be what it was
                old = temp_beside(self._target)
                self._target.rename(old)
            self.temp.rename(self._target)
            sync_folder(self._target.parent)
            if old is not None:
                shutil.rmtree(old)

    def _complete(self) -> None:
        """Do what remains before the folder is shown."""

    def discard(self) -> None:
        """Leave nothing behind."""
        for file in (self._manifest, self._runs):
            if file is not None:
                with suppress(OSError):  # what is not written yet has no room here, either
                    file.close()
        shutil.rmtree(self.temp, ignore_errors=True)
