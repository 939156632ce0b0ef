"""The memory of a workspace on the disk as records without machine names, and back again.

Rules
- Carried are managed memory, the agent's layers and history, the context files that were written or
  found here, the state files, and the runs that touched any of these. Not carried: settings, trust,
  the search index, tasks, telemetry, hidden files, and other projects.
- An address leads below the root it names and nowhere else, links followed or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.moving.carriers import (
    as_records,
    check_place,
    keep_state,
    keep_turns,
    roots_of,
    states,
)
from reverie.core.moving.export_format import (
    AGENT,
    CONTEXT,
    HOME,
    NOT_FILES,
    PROJECT,
    ROOTS,
    USER,
    check_file_address,
    is_plain,
    split_address,
)
from reverie.core.text.plain import digest
from reverie.errors import InvalidPath, JournalCorrupt, PathEscape, ReverieError
from reverie.local.disk.files import TEMP_SUFFIX, read_text
from reverie.local.journal.adopting import adopt, note_dates
from reverie.local.store.paths import inside
from reverie.types import (
    Dropped,
    PortableFile,
    PortableRun,
    PortableState,
    PortableText,
    Turn,
    TurnsKept,
)

if TYPE_CHECKING:
    from reverie.local.history.turn_store import History
    from reverie.local.store.agent_tree import LocalTree
    from reverie.local.store.filestore import FileStore
    from reverie.local.store.state import LocalState
    from reverie.types import PortableRecord, RunRecord

_PAGE = 200


class LocalCarrier:
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
        self._store = store
        self._journal = store.journal
        self._tree = tree
        self._history = history
        self._state = state
        self._context = context
        """Places where context files are looked for besides those the journal knows."""
        space = store.workspace
        self._roots = roots_of(space)
        pairs = list(self._roots.items())
        both = {*pairs, *((name, os.path.realpath(root)) for name, root in pairs)}
        self._prefixes = sorted(both, key=lambda item: (-len(item[1]), ROOTS.index(item[0])))
        self._others = tuple(
            f"{os.path.realpath(place)}/"
            for place in (f"{space.home}/projects", f"{space.home}/{space.agents}", space.state)
        )
        self.dropped: list[Dropped] = []

    # --- addresses --------------------------------------------------------------------------------

    def address(self, path: str) -> str | None:
        """Return the address of a file, or None when it is not of this memory."""
        for name, root in self._prefixes:
            if path.startswith(f"{root}/"):
                rel = path[len(root) + 1 :]
                other = name == HOME and path.startswith(self._others)
                return f"{name}/{rel}" if is_plain(rel) and not other else None
        return None

    def path(self, at: str) -> str:
        """Return the path of an address that a file may be written to."""
        root, rel = check_file_address(at)
        real = str(inside(Path(self._roots[root]), rel))
        check_place(at, self.address(real), self._roots)
        return real

    def _journal_path(self, at: str) -> str:
        root, rel = split_address(at)
        return os.path.realpath(f"{self._roots[root]}/{rel}")

    # --- reading ----------------------------------------------------------------------------------

    def records(self, *, journal: bool) -> Iterator[PortableRecord]:
        """Read everything, a record at a time."""
        self.dropped = []
        if journal:
            yield from self._runs()
        yield from self.files()
        yield from states(self._state, self._tree)
        seq = 0
        while page := self._history.since(seq, limit=_PAGE).turns:
            yield from page
            seq = page[-1].seq

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

    def _runs(self) -> Iterator[PortableText | PortableRun]:
        sent: set[str] = set()
        last, foreign = "", 0
        while page := self._journal.since(last, limit=_PAGE):
            last = page[-1].id
            for record in page:
                if record.status == "pending":
                    continue
                try:
                    run = list(self._run(record, sent))
                except JournalCorrupt as error:
                    self.dropped.append(Dropped(f"run {record.id}", str(error)))
                    continue
                foreign += bool(record.paths) and not run  # an erasure may have touched no file
                yield from run
        if foreign:
            what = f"{foreign} runs of other projects"
            self.dropped.append(Dropped(what, "an export covers one project"))

    def _run(self, record: RunRecord, sent: set[str]) -> Iterator[PortableText | PortableRun]:
        raw = [(self.address(item.path), item) for item in self._journal.raw_deltas(record.id)]
        ours = [(at, item) for at, item in raw if at]
        if not ours:
            return
        if len(ours) < len(raw):
            what = f"{len(raw) - len(ours)} files of run {record.id}"
            self.dropped.append(Dropped(what, "they are of another project"))
        deltas = [(at, item.before, item.after, item.private) for at, item in ours]
        yield from as_records(record, deltas, sent)

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
        return keep_state(state, files=self._state, tree=self._tree, dry_run=dry_run)

    def keep_turns(self, turns: Sequence[Turn], *, dry_run: bool = False) -> TurnsKept:
        """Put turns into the history: numbered ones under their numbers, others at its end."""
        return keep_turns(turns, history=self._history, dry_run=dry_run)

    def close(self) -> None:
        """Close the history."""
        self._history.close()
