"""FileStore: memory as Markdown files, and `apply`, the only way any of them is written.

Rules
- The order in `apply` is the whole safety argument: lock, recover, guard, check bases, scan for
  secrets, stage every new text on the disk, record the run, rename, rebuild catalogs, mark done.
- After a crash the next writer finishes a recorded run, or takes it back when a person edited one of
  its files meanwhile; nobody's text is overwritten.
- A file that changed without us is recorded as an external edit before anything else happens to it. An
  editor may save in the very moment of the rename: then its text stays (`swapping`), the run is taken back
  and planned anew. So each run of a file was planned on the text that the run before it left.
- Each change belongs to one root (`roots`) and is written by open folders (`rooted`), so that no link
  and no swap of a folder leads it elsewhere.
- What cannot be settled is told and waits; it stops neither other runs nor other projects. A catalog
  that cannot be read is generated anew and the old one kept beside it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.runs.planning import plan_change
from reverie.core.runs.run_store import RunStore, applied_run
from reverie.core.text.plain import digest
from reverie.core.topics.topic import CATALOG_NAME
from reverie.errors import (
    DiskFull,
    FileFailed,
    PathEscape,
    ReadOnly,
    ReverieError,
    StaleBase,
    StoreError,
)
from reverie.local.disk.files import read_text
from reverie.local.disk.locks import file_lock, folder_lock
from reverie.local.disk.os_errors import explained, unfinished
from reverie.local.disk.rooted import Folders
from reverie.local.store.catalogs import rebuild_catalogs
from reverie.local.store.hand_edits import HandEdits
from reverie.local.store.managed import ManagedFolder, newest_of
from reverie.local.store.paths import existing, inside, usable
from reverie.local.store.roots import Roots
from reverie.local.store.settling import Carried, parked, replace_text, settle, state_of, sweep
from reverie.types import (
    Applied,
    FileDelta,
    Problem,
    RunInfo,
    Scope,
)

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.local.disk.rooted import Staged
    from reverie.local.journal.journal import JournalDb, PendingRun
    from reverie.local.store.roots import Place
    from reverie.types import (
        Change,
        SecretFinding,
        Topic,
        Workspace,
    )
    from reverie.types.writing import Planned


class FileStore(RunStore["JournalDb"]):
    """The memory of one workspace on the local disk."""

    def __init__(
        self,
        workspace: Workspace,
        journal: JournalDb,
        *,
        settings: Settings,
        clock: Callable[[], datetime],
    ) -> None:
        super().__init__(workspace, journal, settings=settings, clock=clock)
        self._mine = threading.local()
        self._cleared: set[str] = set()
        """Folders in which nothing is left of killed processes, as far as this one saw."""
        self.roots = Roots(workspace)
        self.parked: list[Problem] = []
        """Runs that could not be settled when it was last tried, each with the reason."""
        self.folders = {
            scope: ManagedFolder(
                Path(workspace.memory_root(scope)),
                scope,
                journal,
                settings,
                real=self.roots.real(scope.value),
            )
            for scope in Scope
        }

    # --- reading ----------------------------------------------------------------------------------

    def read(self, path: str) -> str | None:
        """Return a file's text, or None when there is no file; none outside of the path's own root."""
        true = self.roots.locate(path).path if self.roots.holds(path) else usable(path)
        return read_text(Path(true), limit=self._limit)

    def read_all(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the texts of files; those that are gone or no text are left out."""
        texts: dict[str, str] = {}
        for path in paths:
            with suppress(ReverieError):
                text = self.read(path)
                if text is not None:
                    texts[path] = text
        return texts

    def real(self, path: str) -> str:
        """Return the true name of a path, by which the journal knows its file."""
        if self.roots.holds(path):
            return self.roots.locate(path).path
        return os.path.realpath(inside(Path("/"), Path(path)))

    @property
    def _limit(self) -> int:
        return self.settings.memory.max_file_bytes

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic of managed memory, newest first."""
        chosen = [scope] if scope else list(Scope)
        return newest_of(self.folders[one] for one in chosen)

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
        with self._writing(targets, run.verb), Folders() as folders:
            self._recover_locked()
            planned, redactions = self._plan(changes, folders, scan=scan)
            if not planned:
                return Applied(run="")
            items = list(planned.values())
            scopes = tuple(scope for scope in Scope if self._touches(scope, items))
            catalogs = [(self.workspace.memory_root(scope), scope.value) for scope in scopes]
            if (carried := self._carried) and carried.holds(items):
                self._settle_carried()
                carried = None
            self._by_hand.record([item.path for item in items])
            self._check_planned(items)
            staged = self._stage(planned, folders)
            try:
                run = self._endorsed(run)
                if carried:
                    catalogs = list(dict.fromkeys([*carried.catalogs, *catalogs]))
                run_id = self.journal.begin(
                    items,
                    run,
                    catalogs=catalogs,
                    undoes=undoes,
                    finishing=carried[:2] if carried else None,
                )
                self._mine.carried = None  # it is done
                # A failure from here on leaves the run pending: the next writer finishes it.
                try:
                    states = [
                        state_of(
                            place, item.after, replace_text(place, folders, item, staged.get(place))
                        )
                        for place, item in planned.items()
                    ]
                except StaleBase:
                    self._recover_run(self.journal.pending(run_id))
                    raise
                except StoreError as error:
                    raise unfinished(error, run_id) from error
            except BaseException:
                for ready in staged.values():
                    ready.discard()
                raise
            self._mine.carried = Carried(run_id, states, catalogs)
            later = getattr(self._mine, "together", False) and not any(
                _is_catalog(path) for path, *_ in states
            )
            notes = [] if later else self._settle_carried()
        applied = applied_run(run_id, items, scopes=scopes, redactions=redactions, notes=notes)
        self._announce(applied, run)
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
    def together(self) -> Iterator[bool]:
        """Write several runs while nobody else does; the catalogs are made anew once, after the last.

        A run is done when the next is recorded. So one never is, and after a crash the catalogs come with it.
        """
        with self.writing("several runs"):
            self._mine.together = True
            try:
                yield False
            finally:
                self._mine.together = False
                self._settle_carried()

    @property
    def _carried(self) -> Carried | None:
        """The run of this thread whose files are in place, and whose catalogs are still to be made."""
        return getattr(self._mine, "carried", None)

    def _settle_carried(self) -> list[str]:
        carried, self._mine.carried = self._carried, None
        if carried is None:
            return []
        try:
            return self._finish(*carried)
        except (DiskFull, ReadOnly, FileFailed) as error:
            # All files say what they should. The rest can be made again from them, and will be.
            self.parked.append(parked(carried.run, error))
            return [self.parked[-1].message]

    @contextmanager
    def _writing(self, targets: Iterable[Place], purpose: str) -> Iterator[None]:
        """Hold our own lock, and those of the folders written to against other base folders."""
        wait = self.settings.memory.lock_wait_seconds
        with ExitStack() as stack:
            stack.enter_context(self.writing(purpose))
            folders = {existing(Path(target.path).parent) for target in targets}
            for folder in sorted(folders):  # always in the same order: no deadlock
                stack.enter_context(folder_lock(folder, wait=wait))
            yield

    def _guard(self, change: Change) -> Place:
        place = self.roots.locate(change.path)
        path = place.path
        if _lies_in(self._state, path):
            raise PathEscape(f"{change.path} belongs to Reverie's own state", path=change.path)
        managed = place.kind != "base" or _lies_in(self.workspace.project_state, path)
        if not managed and not path.lower().endswith(".md"):
            raise PathEscape(
                f"{change.path}: in a project only Markdown files are written", path=change.path
            )
        if ".git" in place.rel.lower().split("/"):
            raise PathEscape(f"{change.path} belongs to git", path=change.path)
        return place

    def _plan(
        self, changes: Sequence[Change], folders: Folders, *, scan: bool
    ) -> tuple[dict[Place, Planned], list[SecretFinding]]:
        """Check bases and secrets under the lock; drop changes that change nothing."""
        planned: dict[Place, Planned] = {}
        redactions: list[SecretFinding] = []
        for change in changes:
            place = self._guard(change)
            made, found = plan_change(
                change,
                path=place.path,
                before=self._read(folders, place),
                secrets=self.settings.secrets if scan else None,
                new_name=os.path.relpath(place.path, existing(Path(place.path).parent)),
            )
            redactions.extend(found)
            if made is not None:
                planned[place] = made
        return planned, redactions

    def _check_planned(self, items: Iterable[Planned]) -> None:
        """Raise `StaleBase` where a hand came between planning and recording what hands did."""
        for item in items:
            known = self.journal.file_state(item.path)
            if known and (item.before is None or digest(item.before) != known.hash):
                raise StaleBase(
                    f"{item.path} changed since it was read, so nothing was written; try again",
                    path=item.path,
                )

    def _stage(self, planned: Mapping[Place, Planned], folders: Folders) -> dict[Place, Staged]:
        staged: dict[Place, Staged] = {}
        try:
            for folder in {place.folder_in(folders): None for place in planned}:
                if folder.path not in self._cleared:  # a listing of everything: once will do
                    with explained(Path(folder.path)):
                        folder.clear_strays()
                    self._cleared.add(folder.path)
            for place, item in planned.items():
                if item.after is not None:
                    data = item.after.encode("utf-8")
                    staged[place] = place.folder_in(folders).stage(
                        place.name, data, private=item.private
                    )
        except BaseException:
            for ready in staged.values():
                ready.discard()
            raise
        return staged

    def _read(self, folders: Folders, place: Place) -> str | None:
        return place.folder_in(folders).read_text(place.name, limit=self._limit)

    # --- catalogs ---------------------------------------------------------------------------------

    def rebuild_catalogs(
        self, others: Sequence[str] = (), *, scopes: Iterable[Scope] = Scope
    ) -> list[str]:
        """Write the catalogs of both scopes anew, or of some; return what did not fit.

        Args:
            others: Memory folders of other projects of this home, whose files were changed from here.
        """
        with self._writing([], "rebuilding catalogs"):
            self._recover_locked()
            roots = [(self.workspace.memory_root(scope), scope.value) for scope in scopes]
            roots += [(root, Scope.PROJECT.value) for root in others]
            return self._rebuild_catalogs([item for item in roots if Path(item[0]).is_dir()])

    def _rebuild_catalogs(self, catalogs: Iterable[tuple[str, str]]) -> list[str]:
        notes: list[str] = []
        for root, scope in catalogs:
            folder = self.folders[Scope(scope)]
            if str(folder.root) != root:  # a crashed run of another project of this home
                folder = ManagedFolder(Path(root), Scope(scope), self.journal, self.settings)
            notes += rebuild_catalogs(folder, self, adopt=self._adopt)
        return notes

    def _finish(
        self,
        run: str,
        states: Sequence[tuple[str, str | None, str]],
        catalogs: Iterable[tuple[str, str]],
    ) -> list[str]:
        """Make the catalogs anew and mark a run done; return what a person should know of them."""
        own = [state for state in states if _is_catalog(state[0])]
        if own:  # written by the run itself: what is made of them is no edit by hand
            self.journal.note_files(own, at=self.clock())
        notes = self._rebuild_catalogs(catalogs)
        self.journal.finish(run, [state for state in states if state not in own])
        return notes

    def _adopt(self, path: str) -> None:
        self._by_hand.record([path], adopt=True)

    # --- edits by others, crashes -----------------------------------------------------------------

    def notice_edits(self) -> list[str]:
        """Record every file we know that was changed or removed by hand; return their paths.

        Where nothing can be written none is recorded: whoever asks wants to read.
        """
        try:
            with self._writing([], "noticing edits"):
                self._recover_locked()
                return self._by_hand.record_all()
        except (ReadOnly, DiskFull):
            return []

    def edits(self) -> list[FileDelta]:
        """Return what was changed or removed by hand since we last looked; nothing is written."""
        return self._by_hand.found()

    @cached_property
    def _by_hand(self) -> HandEdits:
        return HandEdits(self.journal, self.roots, clock=self.clock, limit=self._limit)

    def sweep(self) -> None:
        """Remove what killed processes left in our folders: texts that were never put in place."""
        space = self.workspace
        memories = [str(folder.root) for folder in self.folders.values()]
        sweep(
            self.roots,
            places=[space.home, space.project_state, space.base],
            below=[space.state, space.agent_root, *memories],
        )

    def recover(self) -> list[str]:
        """Finish or take back runs whose process died; return their ids.

        What cannot be settled now is in `parked`: it must not keep anybody from reading.
        """
        pending = self.journal.pending_ids()
        if not pending:
            return []
        try:
            with self._writing([], "recovery"):
                return self._recover_locked()
        except StoreError as error:
            self.parked = [parked(run, error) for run in pending]
            return []

    def _recover_locked(self) -> list[str]:
        self.parked = []
        recovered: list[str] = []
        for run in self.journal.pending_ids():
            if self._carried and run == self._carried.run:
                continue
            try:
                self._recover_run(self.journal.pending(run))
            except ReverieError as error:
                self.parked.append(parked(run, error))
            else:
                recovered.append(run)
        return recovered

    def _recover_run(self, run: PendingRun) -> None:
        states = settle(run, self.roots, limit=self._limit)
        if states is None:
            self._rebuild_catalogs(run.catalogs)
            self.journal.roll_back(run.id)
        else:
            self._finish(run.id, states, run.catalogs)

    def _touches(self, scope: Scope, planned: Iterable[Planned]) -> bool:
        root = self.roots.real(scope.value)
        return any(_lies_in(root, item.path) for item in planned)

    @cached_property
    def _state(self) -> str:
        return os.path.realpath(self.workspace.state)


def _is_catalog(path: str) -> bool:
    return path.rpartition("/")[2] == CATALOG_NAME


def _lies_in(folder: str, path: str) -> bool:
    return path.startswith(f"{folder}/")
