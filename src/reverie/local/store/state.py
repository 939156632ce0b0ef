"""The state files beside a project's memory: `meta.json`, `extract-cursor.json`, the dream's lock.

Rules
- A file is replaced whole or not at all, and changed only under a lock: no update is lost.
- A file that cannot be read is kept aside under a name with the time and started afresh, so that one
  torn write never stops extraction or freezes the dream's gates.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.errors import DiskFull, FileTooLarge, NotAFile, NotText, ReadOnly
from reverie.local.disk.locks import file_lock
from reverie.local.disk.owner_lock import try_own
from reverie.local.disk.rooted import folder_below
from reverie.local.store.control import read_json, write_json

if TYPE_CHECKING:
    from reverie.types import Problem

_MAX_BYTES = 4 * 1024 * 1024


class LocalState:
    """State files of one project; the `StateFiles` of the local engine."""

    def __init__(
        self,
        folder: Path,
        *,
        locks: Path,
        clock: Callable[[], datetime],
        wait: float = 10.0,
        stale_after: float = 3600.0,
        root: Path | None = None,
    ) -> None:
        self.folder = folder
        self._root = root or folder
        """Below it no link is followed: the project, where the files lie in the project."""
        self.locks = locks
        self.clock = clock
        self.wait = wait
        self.stale_after = stale_after
        self.problems: list[Problem] = []
        """Files that were kept aside, for whoever opened the memory to tell."""

    def read_state(self, name: str) -> dict[str, Any]:
        """Return a state file, empty when there is none."""
        path = self.folder / name
        try:
            with folder_below(self._root, self.folder) as folder:
                text = folder.read_text(name, limit=_MAX_BYTES)
            value = {} if text is None else json.loads(text.removeprefix("\ufeff"))
            if isinstance(value, dict):
                return value
        except (ValueError, RecursionError, NotText, NotAFile, FileTooLarge):
            pass
        try:
            with self._writing(name):  # healing writes: nobody may put a good file there meanwhile
                return read_json(path, self._root, now=self.clock(), problems=self.problems)
        except (ReadOnly, DiskFull):
            return read_json(path, self._root, now=self.clock(), problems=self.problems)

    def update_state(
        self, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        """Read, change and replace a state file as one step; return what it now holds."""
        path = self.folder / name
        with self._writing(name):
            before = read_json(path, self._root, now=self.clock(), problems=self.problems)
            after = change(dict(before))
            if after != before:
                write_json(path, after, self._root)
        return after

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Own a lock file for a block, or yield False when somebody else owns it."""
        return try_own(self.folder / name, root=self._root, stale_after=self.stale_after)

    def _writing(self, name: str) -> AbstractContextManager[None]:
        return file_lock(self.locks / f"{name}.lock", wait=self.wait, purpose=f"updating {name}")
