"""The folder of one agent on the disk: its Markdown files, and the files that steer its jobs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from reverie.core.layers.tree import FOLDERS
from reverie.errors import InvalidPath, Locked, PathEscape
from reverie.local.disk.files import make_folder
from reverie.local.disk.locks import file_lock
from reverie.local.store.control import read_json, write_json
from reverie.local.store.listing import markdown_files
from reverie.local.store.paths import inside, usable
from reverie.types import Problem


class LocalTree:
    """One agent's folder."""

    def __init__(self, root: str, *, clock: Callable[[], datetime]) -> None:
        self.root = root
        self._clock = clock
        self.problems: list[Problem] = []
        """Control files that were kept aside, and links that lead out of the tree."""

    def make_folders(self) -> None:
        for folder in FOLDERS:
            make_folder(Path(self.root, folder), Path(self.root), private=True)

    def markdown(self, folder: str) -> list[str]:
        """Return the Markdown files below a folder, sorted; links out of the tree are left out."""
        found: list[str] = []
        for rel, item, _ in markdown_files(Path(self.root, usable(folder or "."))):
            try:
                inside(Path(self.root), item.path)
            except (PathEscape, InvalidPath) as error:
                self.problems.append(Problem(error.code, str(error), path=item.path))
            else:
                found.append(f"{folder}/{rel}")
        return sorted(found)

    def read_control(self, name: str) -> dict[str, Any]:
        """Return a control file, empty when there is none; an unreadable one is kept aside."""
        root = Path(self.root)
        return read_json(root / name, root, now=self._clock(), problems=self.problems)

    def write_control(self, name: str, value: dict[str, Any]) -> None:
        """Replace a control file."""
        write_json(Path(self.root, name), value, Path(self.root))

    def controls(self, folder: str) -> list[str]:
        """Return the control files below a folder, sorted."""
        found: list[str] = []
        for place, _, names in os.walk(Path(self.root, folder)):
            rel = Path(place).relative_to(self.root).as_posix()
            found += [
                f"{rel}/{name}" for name in names if name.endswith(".json") and name[0] != "."
            ]
        return sorted(found)

    @contextmanager
    def try_lock(self, name: str) -> Iterator[bool]:
        """Hold a lock for as long as the block runs, or yield False when another holds it."""
        held = file_lock(Path(self.root, "cognition/state", f"{name}.lock"), wait=0.0, purpose=name)
        try:
            held.__enter__()
        except Locked:
            yield False
            return
        try:
            yield True
        finally:
            held.__exit__(None, None, None)
