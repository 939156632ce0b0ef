"""The local engine: Markdown files on the disk, SQLite and an index beside them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from reverie.core.text.plain import digest
from reverie.errors import (
    ConfigError,
    DiskFull,
    InvalidInput,
    JournalCorrupt,
    ReadOnly,
    ReverieError,
)
from reverie.local.disk.files import make_folder, read_text
from reverie.local.journal.journal import JournalDb
from reverie.local.store.catalogs import kept_aside
from reverie.local.store.events import EventLog
from reverie.local.store.filestore import FileStore
from reverie.local.store.owners import shared_with
from reverie.local.store.paths import claimed_checkout, main_checkout, usable
from reverie.once import once
from reverie.types import Problem, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.config import Settings
    from reverie.core.context.hierarchy import ContextOptions
    from reverie.core.runs.views import ConfinedStore
    from reverie.core.topics.advice import Scan
    from reverie.dialect import Dialect
    from reverie.local.erasing.beside import ErasingStore
    from reverie.local.history.turn_audit import TurnAudit
    from reverie.local.history.turn_store import History
    from reverie.local.moving.carrier import LocalCarrier
    from reverie.local.recall.ranking import Ranker
    from reverie.local.search.index import SearchIndex
    from reverie.local.store.agent_tree import LocalTree
    from reverie.local.store.managed import Known
    from reverie.local.store.state import LocalState
    from reverie.ports import EmbedderSlot
    from reverie.types import Context, Receipt, Trust, Verified, Workspace
    from reverie.types.turns import Redact


class LocalEngine:
    """Everything of one workspace that is kept on this machine's disk."""

    name: Literal["local", "postgres"] = "local"

    def __init__(
        self,
        workspace: Workspace,
        *,
        settings: Settings,
        dialect: Dialect,
        clock: Callable[[], datetime],
        env: Mapping[str, str],
    ) -> None:
        self.workspace = workspace
        self._settings = settings
        self._dialect = dialect
        self._clock = clock
        self._env = env
        self.notices: list[Problem] = []
        """What happened while opening that a person should know."""
        self._state = Path(workspace.state)
        self.journal = JournalDb(
            self._state / "journal.db", clock=clock, wait=settings.memory.lock_wait_seconds
        )
        self.store = FileStore(workspace, self.journal, settings=settings, clock=clock)
        for scope, folder in self.store.folders.items():
            folder.known = partial(self._known, scope)
        if self.journal.set_aside:
            self._tell_set_aside(self.journal.set_aside)
        self.journal.on_set_aside = self._tell_set_aside
        self._settle_runs()
        self.notices += self.store.parked
        for scope in Scope:
            self.notices += kept_aside(Path(workspace.memory_root(scope)))
        if settings.memory.worktrees == "shared":
            self.notices += _unproven_worktree(workspace)
        if dialect.slug == "dashed":
            self.notices += _split_folder(workspace, settings.memory.worktrees)

    def _tell_set_aside(self, kept: Path) -> None:
        self.notices.append(
            Problem(
                "journal_corrupt",
                f"the journal could not be read. It was kept as {kept} and a new one was started; your"
                " memories are untouched, older runs can no longer be undone.",
                str(kept),
            )
        )

    def _settle_runs(self) -> None:
        """Finish or take back what a crash interrupted; where nothing can be written, say so instead."""
        try:
            if self.journal.unwritable:
                raise self.journal.unwritable
            for run in self.store.recover():
                self.notices.append(
                    Problem("run_recovered", f"run {run} was interrupted; it is settled now")
                )
        except JournalCorrupt as error:  # memory is in the files: what can be done without it is
            self.notices.append(Problem(error.code, str(error), path=str(self.journal.path)))
        except (ReadOnly, DiskFull) as error:
            self.notices.append(
                Problem(
                    error.code,
                    f"{error} Until then memory can be read but not changed, and what is recalled or"
                    " searched is not logged.",
                    path=str(self.journal.path),
                )
            )

    def log(self, name: Literal["events", "usage", "recalls"]) -> EventLog:
        """Return one of the logs beside the journal."""
        return EventLog(self._state / f"{name}.jsonl")

    @once
    def state(self) -> LocalState:
        """The state files beside the project's memory."""
        from reverie.local.store.state import LocalState

        return LocalState(
            Path(self.workspace.project_state),
            locks=self._state / "locks" / self.workspace.project_id,
            clock=self._clock,
            wait=self._settings.memory.lock_wait_seconds,
            stale_after=self._settings.dream.lock_stale_hours * 3600,
            root=Path(self.workspace.base) if self.workspace.keeps_memory_in_project else None,
        )

    @once
    def ranker(self) -> Ranker:
        """What finds topics for a recall without reading them all."""
        from reverie.local.recall.ranking import Ranker

        return Ranker(
            self.workspace,
            journal=self.journal,
            settings=self._settings,
            dialect=self._dialect,
            env=self._env,
        )

    def _known(self, scope: Scope) -> Known:
        return self.ranker.known(scope)

    # --- layers -----------------------------------------------------------------------------------

    def tree(self) -> LocalTree:
        """Open the folder of the agent."""
        from reverie.local.store.agent_tree import LocalTree

        return LocalTree(self.workspace.agent_root, clock=self._clock)

    def history(self, redact: Redact | None) -> History:
        """Open the history of the agent; opening it upgrades and heals it."""
        from reverie.local.history.turn_store import History

        return History(
            Path(self.workspace.agent_root, "history"),
            index=self._state / "agents" / self.workspace.agent / "history.db",
            clock=self._clock,
            redact=redact,
            max_bytes=self._settings.memory.max_file_bytes,
            wait=self._settings.memory.lock_wait_seconds,
        )

    # --- context and trust ------------------------------------------------------------------------

    def context(self, options: ContextOptions) -> Context:
        """Load the context files that apply to the current folder."""
        from reverie.local.context.discover import load_context

        return load_context(
            self.workspace,
            dialect=self._dialect,
            settings=self._settings.context,
            env=self._env,
            options=options,
            secrets=self._settings.secrets,
        )

    def trust(self, path: str | None, *, trusted: bool | None) -> Trust:
        """Record that a folder is trusted, that it is not, or (None) neither."""
        from reverie.local.context import trust

        wait = self._settings.memory.lock_wait_seconds
        default = self._settings.context.folder_trust
        return trust.record(
            self.workspace, self._folder(path), trusted=trusted, wait=wait, default=default
        )

    def trusted(self, path: str | None = None) -> Trust:
        """Say whether a folder is trusted, and who says so."""
        from reverie.local.context import trust

        records = trust.read_records(trust.trust_file(self.workspace))
        default = self._settings.context.folder_trust
        folder = self._folder(path)
        if path:
            trust.checked(folder, records)
        return trust.decide(str(folder), records, default=default)

    def closed_scopes(self) -> tuple[Scope, ...]:
        """Name the memory that lies in a project nobody trusts; asked each time, as trust changes."""
        local = self.workspace.keeps_memory_in_project
        return (Scope.PROJECT,) if local and self._is_closed() else ()

    def whence(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Tell for each path and text whence it came if the person did not say it here; else nothing."""
        if not (self.workspace.keeps_memory_in_project or self.journal.has_imports()):
            return dict.fromkeys(texts, "")
        return {path: self._whence(path, text) for path, text in texts.items()}

    def imported(self, paths: Sequence[str]) -> dict[str, str]:
        """Tell for each file as it is now from where it was imported; where nothing is known, nothing."""
        texts: dict[str, str] = {}
        real: dict[str, str] = {}
        for path in paths if self.journal.has_imports() else ():
            with suppress(ReverieError):  # it became something else since it was found
                name = self.store.real(path)
                text = read_text(Path(name), limit=self._settings.memory.max_file_bytes)
                if text is not None:
                    real[path], texts[name] = name, text
        known = self.journal.imported(texts)
        return {path: known[name] for path, name in real.items()}

    def _whence(self, path: str, text: str) -> str:
        local = self.workspace.keeps_memory_in_project
        real = self.store.real(path)
        known = self.journal.imported({real: text})[real]
        if known or not local:
            return known
        if not path.startswith(f"{self.workspace.project_memory}/"):
            return ""
        return "" if self.journal.version(real, digest(text)) else "the project's folder"

    def _folder(self, path: str | None) -> Path:
        return Path(self.workspace.cwd, usable(path)) if path else Path(self.workspace.base)

    def is_file(self, path: str) -> bool:
        """Say whether there is such a file."""
        return Path(path).is_file()

    def make_folders(self, folders: Sequence[str], *, dry_run: bool) -> list[str]:
        """Make folders that are not there; return which those were."""
        missing = [folder for folder in folders if not Path(folder).is_dir()]
        for folder in () if dry_run else folders:
            make_folder(Path(folder), private=True)
        return missing

    def find(self, path: str) -> str:
        """Find a path as people name it: from the current folder, or inside a memory folder."""
        space = self.workspace
        bases = (space.cwd, space.base, space.project_memory, space.user_memory)
        usable(path, text=True)
        candidates = [Path(base) / path for base in bases]
        # Not `Path.exists`, which raises for a name that is too long to be there.
        found = next((item for item in candidates if os.path.exists(item)), candidates[0])
        return os.path.realpath(found)

    # --- verbs that need more than the ports ------------------------------------------------------

    def carrier(self, redact: Redact | None) -> LocalCarrier:
        """Return what moves the whole memory, in and out."""
        from reverie.local.moving.carrier import LocalCarrier

        return LocalCarrier(
            self.store,
            tree=self.tree(),
            history=self.history(redact),
            state=self.state,
            context=self._context_files(),
        )

    def _context_files(self) -> list[str]:
        """Name the places where context files of the person and the project are looked for."""
        from reverie.core.context.hierarchy import context_places

        space = self.workspace
        return context_places(
            self._settings.context, self._dialect, home=space.home, base=space.base
        )

    def confined(self) -> ConfinedStore:
        """Return the store for what an agent drafted: it writes below the memory folders only."""
        from reverie.core.runs.views import ConfinedStore

        return ConfinedStore(self.store, in_memory=self.store.roots.in_memory)

    def erasing(self) -> ErasingStore:
        """Return the store that can also take words out of its journal and everything beside it."""
        from reverie.local.erasing.beside import ErasingStore

        context = self._context_files()
        return ErasingStore(self.store, own_home=self._dialect.own_home, context=context)

    def indexed(self) -> bool:
        """Say whether there is a search index that may hold copies of erased words."""
        return (self._state / "index").is_dir()

    def sessions_since(self, since: datetime | None) -> set[str]:
        """Return the ids of sessions with something said after a moment."""
        from reverie.local.history.sessions import sessions_since

        folder = Path(self.workspace.project_state)
        return sessions_since([folder / "chats", folder], since)

    def verify(self) -> Verified:
        """Check journal, files and catalogs."""
        from reverie.local.erasing.beside import unfinished
        from reverie.local.store import audit

        erasing = unfinished(Path(self.workspace.state)) is not None
        found = audit.verify(self.store, erasing=erasing)
        return replace(found, problems=(*found.problems, *self._turns().unreadable()))

    def looking_for_secrets(self) -> AbstractContextManager[Scan]:
        """Return what lists the secrets of a text; texts that held none are known again."""
        from reverie.local.recall.clean_texts import CleanTexts

        return CleanTexts(self.workspace.state, self._settings.secrets.allow)

    def set_aside(self) -> list[Problem]:
        """Return what was set aside because it could not be read or believed."""
        from reverie.local.tasks.task_file import kept_aside as queue_kept_aside

        return [*self._turns().quarantined(), *queue_kept_aside(self._state)]

    def _turns(self) -> TurnAudit:
        from reverie.local.history.turn_audit import TurnAudit

        root = Path(self.workspace.agent_root, "history")
        return TurnAudit(root, max_bytes=self._settings.memory.max_file_bytes)

    def find_receipt(self, name: str) -> Receipt:
        """Find a receipt by its id, or read it from a file."""
        from reverie.local.erasing.beside import find_receipt

        return find_receipt(self.journal, name)

    def verify_forgotten(self, receipt: Receipt) -> Verified:
        """Look for what a receipt says is gone."""
        from reverie.local.erasing.beside import verify_forgotten

        return verify_forgotten(self.workspace, self.journal, receipt)

    # --- search -----------------------------------------------------------------------------------

    def open_index(self, embedder: EmbedderSlot) -> SearchIndex:
        """Open the search index; nothing is read or made before it is used."""
        from reverie.local.search.index import open_index

        return open_index(
            self.workspace,
            settings=self._settings,
            embedder=embedder,
            clock=self._clock,
            env=self._env,
            closed=self._is_closed,
        )

    def _is_closed(self) -> bool:
        """Say whether nothing that came with the project's folder may be used."""
        try:
            return self.trusted().verdict == "untrusted"
        except ConfigError:  # a broken list of trusted folders trusts nothing
            return True

    def name_paths(self, paths: Sequence[str], *, remove: bool) -> list[str]:
        """Name further paths to search, or take them back; return all that are named now."""
        from reverie.local.search.extra_paths import add_paths, remove_paths

        if not paths:
            raise InvalidInput("name the paths to search")
        change = remove_paths if remove else add_paths
        return change(self.workspace, paths, env=self._env, now=self._clock())

    def close(self) -> None:
        """Close the journal; what recall learned about the topics is kept for the next process."""
        for folder in self.store.folders.values():
            folder.known = None
        if "ranker" in self.__dict__:
            self.ranker.close()
        self.journal.close()


def _unproven_worktree(workspace: Workspace) -> list[Problem]:
    """Tell when a folder says it is a worktree of a repository that does not know it."""
    claimed = claimed_checkout(Path(workspace.project_root)) if workspace.project_root else None
    if claimed is None or claimed[1]:
        return []
    return [
        Problem(
            "worktree_unproven",
            f"{workspace.project_root}/.git says that this is a worktree of {claimed[0]}, but that"
            " repository does not know it, so this folder has a memory of its own. If you moved it,"
            " run `git worktree repair` in it.",
            f"{workspace.project_root}/.git",
            fix="git worktree repair",
        )
    ]


def _split_folder(workspace: Workspace, worktrees: str) -> list[Problem]:
    """Tell when the agent's own folder is another project's, so that this one got its own."""
    projects = Path(workspace.home, "projects")
    root = Path(workspace.base)
    if workspace.project_root and worktrees == "shared":
        root = main_checkout(root)
    name = workspace.project_id
    other = shared_with(root, name, projects=projects, state=Path(workspace.state))
    if not other or workspace.keeps_memory_in_project:
        return []
    return [
        Problem(
            "memory_folder_split",
            f"the agent's own name for the folder of this project is also that of {other}, whose it"
            f" is. The memory of {root} is kept apart, in {projects / name}; the agent itself does"
            " not look there.",
            str(projects / name),
        )
    ]
