"""The memory of a workspace on the disk as records without machine names, and back again.

Rules
- An address leads below the root it names and nowhere else, links followed or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.moving.carriers import MemoryCarrier, check_place
from reverie.core.moving.export_format import (
    AGENT,
    CONTEXT,
    HOME,
    NOT_FILES,
    PROJECT,
    USER,
    check_file_address,
    split_address,
)
from reverie.core.text.plain import digest
from reverie.errors import InvalidPath, PathEscape, ReverieError
from reverie.local.disk.files import TEMP_SUFFIX, read_text
from reverie.local.journal.adopting import adopt, note_dates
from reverie.local.store.paths import inside
from reverie.types import (
    Dropped,
    PortableFile,
    PortableRun,
    PortableState,
    PortableText,
)

if TYPE_CHECKING:
    from reverie.local.history.turn_store import History
    from reverie.local.store.agent_tree import LocalTree
    from reverie.local.store.filestore import FileStore
    from reverie.local.store.state import LocalState


class LocalCarrier(MemoryCarrier):
    """The `Carrier` of the local engine."""

    def __init__(
        self,
        store: FileStore,
        *,
        tree: LocalTree,
        history: History,
        state: LocalState,
        context: Sequence[str],
    ) -> None:
        super().__init__(
            store.workspace,
            runs=store.journal,
            tree=tree,
            history=history,
            state=state,
            real=os.path.realpath,
        )
        self._store = store
        self._journal = store.journal
        self._context = context
        """Places where context files are looked for besides those the journal knows."""

    # --- addresses --------------------------------------------------------------------------------

    def path(self, at: str) -> str:
        """Return the path of an address that a file may be written to."""
        root, rel = check_file_address(at)
        real = str(inside(Path(self._roots[root]), rel))
        check_place(at, self.address(real), self._roots)
        return real

    # --- reading ----------------------------------------------------------------------------------

    def files(self) -> Iterator[PortableFile]:
        """Read the files alone."""
        for root in (USER, PROJECT, AGENT):
            prefix = f"{os.path.realpath(self._roots[root])}/"
            ages = self._journal.versions(prefix)
            for rel in self._below(root):
                at = f"{root}/{rel}"
                if not at.startswith(NOT_FILES):
                    yield from self._file(at, f"{prefix}{rel}", ages, private=True)
        known = [*map(os.path.realpath, self._context), *self._journal.file_states()]
        found = {self.address(path): path for path in known}
        for at, real in sorted((at, real) for at, real in found.items() if at):
            if at.startswith((f"{HOME}/", f"{CONTEXT}/")) and at.lower().endswith(".md"):
                ages = self._journal.versions(real)
                yield from self._file(at, real, ages, private=at.startswith(HOME))

    def _below(self, root: str) -> Iterator[str]:
        base, stack, hidden = self._roots[root], [""], 0
        while stack:
            prefix = stack.pop()
            try:
                with os.scandir(f"{base}/{prefix}") as listing:
                    items = sorted(listing, key=lambda item: item.name)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                self.dropped.append(Dropped(f"{root}/{prefix[:100]}", str(error.strerror)))
                continue
            for item in items:
                rel = f"{prefix}{item.name}"
                if item.name.startswith("."):
                    hidden += not item.name.endswith(TEMP_SUFFIX)
                elif item.is_dir(follow_symlinks=False):
                    stack.append(f"{rel}/")
                else:
                    yield rel
        if hidden:
            self.dropped.append(Dropped(f"{hidden} hidden files in {root}/", "they are no memory"))

    def _file(
        self, at: str, path: str, ages: dict[str, dict[str, datetime]], *, private: bool
    ) -> Iterator[PortableFile]:
        try:
            check_file_address(at)
            real = str(inside(Path(self._roots[at.partition("/")[0]]), path))
            text = read_text(Path(real), limit=self._store.settings.memory.max_file_bytes)
            if text is None:
                return
            updated = ages.get(real, {}).get(digest(text))
            updated = updated or datetime.fromtimestamp(os.stat(real).st_mtime, UTC)
        except ReverieError as error:
            self.dropped.append(Dropped(at, str(error)))
        else:
            yield PortableFile(at, text, updated, private)

    # --- writing ----------------------------------------------------------------------------------

    def date(self, files: Sequence[PortableFile]) -> None:
        """Remember since when files have had their content, before they are written."""
        note_dates(
            self._journal,
            [(self._journal_path(item.at), item.text, item.updated) for item in files if item.updated],
        )  # fmt: skip

    def adopt(self, texts: Sequence[PortableText], runs: Sequence[PortableRun]) -> set[str]:
        """Take runs into the journal as they are; return the ids of those that were new."""
        return adopt(self._journal, texts, runs, path=self._journal_path)

    def keep_state(self, state: PortableState, *, dry_run: bool = False) -> bool:
        """Put a state file in place where there is none."""
        root, rel = split_address(state.at)
        try:
            inside(Path(self._roots[root]), rel)
        except PathEscape as error:
            raise InvalidPath(str(error), path=state.at) from None
        return super().keep_state(state, dry_run=dry_run)
