"""Which files of a folder belong to its git repository, found out without running git.

Rules
- A `.git` that git itself would not take for a repository is none.
- A `.git` file is believed only if what it names points back, as git writes it for a worktree, or lies
  in the repository above, as that of a submodule does. Otherwise nothing is known to be tracked.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reverie.core.context.git_index import tracked_texts
from reverie.local.store.paths import find_project_root

__all__ = ["Listing", "listing"]

_INDEX_BYTES = 64 * 1024 * 1024
_POINTER_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class Listing:
    """What a repository tracks of the text files of a folder."""

    root: str
    """The repository's folder; empty where there is none."""
    files: frozenset[bytes] | None = None
    """Below the root; None where it cannot be told."""
    index: str = ""
    """The file that says so."""

    def holds(self, real: str) -> bool:
        """Say whether a file is tracked; where there is no repository every file belongs."""
        if not self.root:
            return True
        if self.files is None or not real.startswith(f"{self.root.rstrip('/')}/"):
            return False
        rel = real[len(self.root.rstrip("/")) + 1 :]
        # Some systems store names in another form than git does.
        forms = {rel, unicodedata.normalize("NFC", rel)}
        return any(os.fsencode(form) in self.files for form in forms)


def listing(folder: str) -> Listing:
    """Find the repository of a folder and what it tracks."""
    root = find_project_root(Path(folder))
    if root is None:
        return Listing("")
    marker = root / ".git"
    if marker.is_dir():
        if not any(os.path.lexists(marker / name) for name in ("HEAD", "index")):
            return Listing("")
        return _listed(root, marker)
    private = _private_folder(root, marker)
    return _listed(root, private) if private else Listing(str(root))


def _listed(root: Path, folder: Path) -> Listing:
    index = folder / "index"
    try:
        facts = os.lstat(index)
        mark: tuple[int, ...] = (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
    except OSError:
        mark = ()
    return Listing(str(root), _tracked(str(index), mark), str(index))


@lru_cache(maxsize=1)  # asked about link by link
def _tracked(index: str, _mark: tuple[int, ...]) -> frozenset[bytes] | None:
    """Read an index once for as long as it looks the same."""
    data = _read(Path(index), limit=_INDEX_BYTES)
    if data == b"":  # nothing was ever added
        return frozenset()
    return tracked_texts(data) if data else None


def _private_folder(root: Path, marker: Path) -> Path | None:
    """Return the folder that a `.git` file names, if that is the folder of this checkout."""
    named = _pointer(marker, "gitdir:")
    if not named:
        return None
    private = Path(os.path.realpath(root / named))
    back = _pointer(private / "gitdir")
    if back:
        return private if os.path.realpath(private / back) == str(marker) else None
    modules = [f"{folder}/.git/modules/".replace("//", "/") for folder in root.parents]
    return private if f"{private}/".startswith(tuple(modules)) else None


def _pointer(path: Path, mark: str = "") -> str:
    data = _read(path, limit=_POINTER_BYTES) or b""
    text = os.fsdecode(data).strip()
    return text.removeprefix(mark).strip() if text.startswith(mark) and "\0" not in text else ""


def _read(path: Path, *, limit: int) -> bytes | None:
    """Return a regular file's bytes, none if there is no such file; None if it may not be read."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return b""
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > limit:
            return None
        try:
            return file.read(limit)
        except OSError:
            return None
