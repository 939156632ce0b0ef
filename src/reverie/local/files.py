"""FileStore: memory as Markdown files, and `apply`, the only way any of them is written.

Rules
- The order in `apply` is the whole safety argument: lock, recover, guard, check bases, scan for
  secrets, stage every new text on the disk, record the run, rename, rebuild catalogs, mark done.
- After a crash the next writer finishes a recorded run, or takes it back when a person edited one of
  its files meanwhile; nobody's text is overwritten.
- A file that changed without us is recorded as an external edit before anything else happens to it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.planning import plan_change
from reverie.core.text import digest
from reverie.errors import PathEscape, ReverieError
from reverie.local.disk import (
    abandoned_temps,
    read_text,
    stage,
    sync_folder,
    write_atomic,
)
from reverie.local.journal import JournalDelta
from reverie.local.listing import signature
from reverie.local.locks import file_lock, folder_lock
from reverie.local.managed import ManagedFolder, seconds
from reverie.local.oserrors import explained
from reverie.local.paths import inside, within
from reverie.types import (
    Applied,
    FileDelta,
    Origin,
    RunInfo,
    Scope,
)

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.core.planning import Planned
    from reverie.local.disk import (
        Staged,
    )
    from reverie.local.journal import FileState, JournalDb, PendingRun
    from reverie.types import (
        Change,
        Problem,
        SecretFinding,
        Topic,
        Workspace,
    )

_EXTERNAL = RunInfo(verb="external-edit", origin=Origin.OWNER, note="edited outside Reverie")


class FileStore:
    """The memory of one workspace on the local disk."""

    def __init__(
        self,
        workspace: Workspace,
        journal: JournalDb,
        *,
        settings: Settings,
        clock: Callable[[], datetime],
    ) -> None:
        self.workspace = workspace
        self.journal = journal
        self.settings = settings
        self.clock = clock
        self.listeners: list[Callable[[Applied, RunInfo], None]] = []
        self.endorse: Callable[[RunInfo], RunInfo] = _as_it_is
        """Asked just before a run is recorded: may sign it, or raise so that nothing is written."""
        self._mine = threading.local()
        self.folders = {
            scope: ManagedFolder(Path(workspace.memory_root(scope)), scope, journal, settings)
            for scope in Scope
        }

    # --- reading ----------------------------------------------------------------------------------

    def read(self, path: str) -> str | None:
        """Return a file's text, or None when there is no file."""
        return read_text(Path(path), limit=self.settings.memory.max_file_bytes)

    def real(self, path: str) -> str:
        """Return the true name of a path, by which the journal knows its file."""
        return os.path.realpath(inside(Path("/"), Path(path)))

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic of managed memory, newest first."""
        chosen = [scope] if scope else list(Scope)
        found = [topic for one in chosen for topic in self.folders[one].topics()]
        return sorted(found, key=lambda topic: (-seconds(topic.updated), topic.path))

    @property
    def unreadable(self) -> list[Problem]:
        """Memory files the last `topics()` could not use, each with the reason."""
        return [problem for folder in self.folders.values() for problem in folder.problems]

    # --- writing ----------------------------------------------------------------------------------

    def apply(
        self, changes: Sequence[Change], run: RunInfo, *, undoes: str = "", scan: bool = True
    ) -> Applied:
        """Write all changes as one run, or none of them; return when they are durable.

        `scan=False` is for undo and erasing: they bring no text that was not in memory before.
        """
        targets = [self._guard(change) for change in changes]
        with self._writing(targets, run.verb):
            self._recover_locked()
            planned, redactions = self._plan(changes, scan=scan)
            if not planned:
                return Applied(run="")
            scopes = tuple(scope for scope in Scope if self._touches(scope, planned))
            catalogs = [(self.workspace.memory_root(scope), scope.value) for scope in scopes]
            self._record_external_edits([Path(item.path) for item in planned])
            deltas = [
                JournalDelta(item.path, item.before, item.after, item.private) for item in planned
            ]
            staged = self._stage(planned)
            try:
                run = self.endorse(run)
                run_id = self.journal.begin(deltas, run, catalogs=catalogs, undoes=undoes)
            except BaseException:
                for item in staged:
                    item.discard()
                raise
            self._replace(planned, staged)
            notes = self._rebuild_catalogs(catalogs)
            self.journal.finish(run_id, [_state(Path(item.path), item.after) for item in planned])
        applied = Applied(
            run=run_id,
            paths=tuple(item.path for item in planned),
            scopes=scopes,
            redactions=tuple(redactions),
            catalog_notes=tuple(notes),
        )
        for listener in self.listeners:
            listener(applied, run)
        return applied

    @contextmanager
    def writing(self, purpose: str) -> Iterator[None]:
        """Keep every other writer of this home waiting; whoever holds it may apply meanwhile."""
        if getattr(self._mine, "held", False):
            yield
            return
        lock = Path(self.workspace.state) / "write.lock"
        wait = self.settings.memory.lock_wait_seconds
        with file_lock(lock, wait=wait, purpose=purpose):
            self._mine.held = True
            try:
                yield
            finally:
                self._mine.held = False

    @contextmanager
    def _writing(self, targets: Iterable[Path], purpose: str) -> Iterator[None]:
        """Hold our own lock, and those of the folders written to against other base folders."""
        wait = self.settings.memory.lock_wait_seconds
        with ExitStack() as stack:
            stack.enter_context(self.writing(purpose))
            folders = {_existing(target.parent) for target in targets}
            for folder in sorted(folders):  # always in the same order: no deadlock
                stack.enter_context(folder_lock(folder, wait=wait))
            yield

    def writable_roots(self) -> list[Path]:
        """Return the folders that changes may touch."""
        space = self.workspace
        return [
            Path(root) for root in (space.user_memory, space.project_memory, space.home, space.base)
        ]

    def _guard(self, change: Change) -> Path:
        path = Path(change.path)
        roots = self.writable_roots()
        if not path.is_absolute() or not within(roots, path):
            raise PathEscape(
                f"{change.path} is outside the memory and the project, so it is not written",
                path=change.path,
            )
        real = Path(os.path.realpath(path))
        if within([Path(self.workspace.state)], real):
            raise PathEscape(f"{change.path} belongs to Reverie's own state", path=change.path)
        managed = within([Path(self.workspace.home), Path(self.workspace.project_state)], real)
        if not managed and real.suffix.lower() != ".md":
            raise PathEscape(
                f"{change.path}: in a project only Markdown files are written", path=change.path
            )
        return real

    def _plan(
        self, changes: Sequence[Change], *, scan: bool
    ) -> tuple[list[Planned], list[SecretFinding]]:
        """Check bases and secrets under the lock; drop changes that change nothing."""
        planned: dict[Path, Planned] = {}
        redactions: list[SecretFinding] = []
        for change in changes:
            path = self._guard(change)
            before = read_text(path, limit=self.settings.memory.max_file_bytes)
            made, found = plan_change(
                change,
                path=str(path),
                before=before,
                secrets=self.settings.secrets if scan else None,
            )
            redactions.extend(found)
            if made is not None:
                planned[path] = made
        return list(planned.values()), redactions

    def _stage(self, planned: Sequence[Planned]) -> list[Staged]:
        staged: list[Staged] = []
        try:
            for item in planned:
                for stray in abandoned_temps(Path(item.path).parent):
                    stray.unlink(missing_ok=True)
                if item.after is not None:
                    data = item.after.encode("utf-8")
                    staged.append(stage(Path(item.path), data, private=item.private))
        except BaseException:
            for ready in staged:
                ready.discard()
            raise
        return staged

    def _replace(self, planned: Sequence[Planned], staged: Sequence[Staged]) -> None:
        # A failure in here leaves the run pending: the next writer finishes it from the journal.
        for item in staged:
            with explained(item.target):
                item.commit()
        for gone in planned:
            if gone.after is None:
                path = Path(gone.path)
                with explained(path):
                    path.unlink(missing_ok=True)
                    sync_folder(path.parent)

    # --- catalogs ---------------------------------------------------------------------------------

    def rebuild_catalogs(self, others: Sequence[str] = ()) -> list[str]:
        """Write the catalogs of both scopes anew; return what did not fit.

        Args:
            others: Memory folders of other projects of this home, whose files were changed from here.
        """
        with self._writing([], "rebuilding catalogs"):
            self._recover_locked()
            roots = [(self.workspace.memory_root(scope), scope.value) for scope in Scope]
            roots += [(root, Scope.PROJECT.value) for root in others]
            return self._rebuild_catalogs([item for item in roots if Path(item[0]).is_dir()])

    def _rebuild_catalogs(self, catalogs: Iterable[tuple[str, str]]) -> list[str]:
        notes: list[str] = []
        for root, scope in catalogs:
            folder = self.folders[Scope(scope)]
            if str(folder.root) != root:  # a crashed run of another project of this home
                folder = ManagedFolder(Path(root), Scope(scope), self.journal, self.settings)
            files, more = folder.catalogs()
            notes.extend(more)
            for path, text in files.items():
                if read_text(path, limit=self.settings.memory.max_file_bytes) == text:
                    continue
                self._record_external_edits([Path(os.path.realpath(path))], adopt=True)
                if text is None:
                    path.unlink(missing_ok=True)
                else:
                    write_atomic(path, text.encode("utf-8"))
                self.journal.note_files([_state(path, text)], at=self.clock())
        return notes

    # --- edits by others, crashes -----------------------------------------------------------------

    def notice_edits(self) -> list[str]:
        """Record every file we know that was changed or removed by hand; return their paths."""
        with self._writing([], "noticing edits"):
            self._recover_locked()
            return self._record_external_edits([Path(path) for path in self.journal.file_states()])

    def edits(self) -> list[FileDelta]:
        """Return what was changed or removed by hand since we last looked; nothing is written."""
        found: list[FileDelta] = []
        for path, known in self.journal.file_states().items():
            same, now = self._seen_again(Path(path), known)
            if not same:
                found.append(FileDelta(path, self._last_known(path, known.hash), now))
        return found

    def _seen_again(self, path: Path, known: FileState) -> tuple[bool, str | None]:
        """Say whether a file says what it last said, and its text where that had to be read."""
        try:
            facts = os.stat(path)
        except FileNotFoundError:
            return False, None
        if signature(facts) == known.signature:
            return True, None
        now = read_text(path, limit=self.settings.memory.max_file_bytes)
        return now is not None and digest(now) == known.hash, now

    def _record_external_edits(self, paths: Iterable[Path], *, adopt: bool = False) -> list[str]:
        """Record files that changed without us; `adopt` also those we never wrote."""
        edited: list[str] = []
        for path in paths:
            known = self.journal.file_state(str(path))
            if known is None:
                text = read_text(path, limit=self.settings.memory.max_file_bytes) if adopt else None
                if text:
                    run = self.journal.begin([JournalDelta(str(path), None, text)], _EXTERNAL)
                    self.journal.finish(run, [_state(path, text)])
                    edited.append(str(path))
                continue
            same, now = self._seen_again(path, known)
            if not same:
                before = self._last_known(str(path), known.hash)
                run = self.journal.begin([JournalDelta(str(path), before, now)], _EXTERNAL)
                self.journal.finish(run, [_state(path, now)])
                edited.append(str(path))
            elif now is not None:
                self.journal.note_files([_state(path, now)], at=self.clock())
        return edited

    def _last_known(self, path: str, key: str) -> str | None:
        """Return the text we last saw; catalogs are generated and not kept, so theirs is empty."""
        runs = self.journal.history(path)
        return runs[-1][1] if runs and digest(runs[-1][1] or "") == key else ""

    def sweep(self) -> None:
        """Remove what killed processes left beside the memories: texts that were never put in place."""
        for folder in self.folders.values():
            for place in (folder.root, *(item for item in folder.root.rglob("*") if item.is_dir())):
                for stray in abandoned_temps(place):
                    stray.unlink(missing_ok=True)

    def recover(self) -> list[str]:
        """Finish or take back runs whose process died; return their ids."""
        if not self.journal.pending():
            return []
        with self._writing([], "recovery"):
            return self._recover_locked()

    def _recover_locked(self) -> list[str]:
        recovered = self.journal.pending()
        for run in recovered:
            self._recover_run(run)
        return [run.id for run in recovered]

    def _recover_run(self, run: PendingRun) -> None:
        limit = self.settings.memory.max_file_bytes
        now: dict[str, str | None] = {}
        undisturbed = True
        for delta in run.deltas:
            try:
                now[delta.path] = read_text(Path(delta.path), limit=limit)
                undisturbed &= now[delta.path] in (delta.before, delta.after)
            except ReverieError:  # somebody put something else there: theirs stays
                undisturbed = False
        for delta in run.deltas:
            for stray in abandoned_temps(Path(delta.path).parent):
                stray.unlink(missing_ok=True)
            wanted = delta.after if undisturbed else delta.before
            if delta.path not in now or now[delta.path] == wanted:
                continue
            if not undisturbed and now[delta.path] != delta.after:
                continue
            if wanted is None:
                with explained(Path(delta.path)):
                    Path(delta.path).unlink(missing_ok=True)
            else:
                write_atomic(Path(delta.path), wanted.encode("utf-8"), private=delta.private)
        self._rebuild_catalogs(run.catalogs)
        if undisturbed:
            states = [_state(Path(delta.path), delta.after) for delta in run.deltas]
            self.journal.finish(run.id, states)
        else:
            self.journal.roll_back(run.id)

    def _touches(self, scope: Scope, planned: Iterable[Planned]) -> bool:
        root = Path(os.path.realpath(self.workspace.memory_root(scope)))
        return any(root in Path(item.path).parents for item in planned)


def _as_it_is(run: RunInfo) -> RunInfo:
    return run


def _existing(folder: Path) -> Path:
    while not folder.is_dir():
        folder = folder.parent
    return folder


def _state(path: Path, text: str | None) -> tuple[str, str | None, str]:
    return os.path.realpath(path), text, "" if text is None else signature(os.stat(path))
