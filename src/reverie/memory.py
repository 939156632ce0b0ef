"""Memory: the opened memory of one workspace, and the only place that builds one.

One short method per verb; each calls a verb over this workspace's store. The command line, the
daemon, the MCP server and the hooks are faces of this class.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from reverie.errors import ConfigError, StoreError
from reverie.local import audit
from reverie.local.disk import make_folder
from reverie.local.events import EventLog
from reverie.local.files import FileStore
from reverie.local.journal import JournalDb
from reverie.local.paths import open_workspace
from reverie.local.settings import choose_dialect, load_settings
from reverie.types import (
    Applied,
    Archived,
    BlameLine,
    Context,
    ContextWritten,
    Dreamed,
    Excerpt,
    Extracted,
    FileDelta,
    Forgotten,
    ImportFormat,
    Indexed,
    IndexStats,
    Initialised,
    Isolation,
    Kind,
    Origin,
    Problem,
    Prompt,
    Recalled,
    Receipt,
    Remembered,
    RunInfo,
    RunRecord,
    Saved,
    SaveScope,
    Scope,
    SearchOutcome,
    Skipped,
    Source,
    Strategy,
    Trust,
    Verified,
    Workspace,
)

if TYPE_CHECKING:
    from reverie.dialect import Dialect
    from reverie.config import Resolved, Settings
    from threading import Event

    from reverie.layered import Layers
    from reverie.local.index import SearchIndex
    from reverie.local.state import LocalState
    from reverie.models.budget import UsageRow
    from reverie.ports import Embedder, Model, Store
    from reverie.telemetry import TelemetryEvent
    from reverie.verbs.search import SourceName

# How long a search waits for another process that is indexing before it takes the last finished state.
SYNC_WAIT_SECONDS = 2.0


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


class Memory:
    """An opened memory. Use it as a context manager, or close it."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        dialect: Dialect,
        resolved: Resolved,
        clock: Callable[[], datetime] = _utc_now,
        env: Mapping[str, str] | None = None,
        model: Model | None = None,
        embedder: object | None = None,
    ) -> None:
        self.workspace = workspace
        self._given_model = model
        self.embedder = embedder
        """Turns texts into vectors instead of the embedder of the settings."""
        self.dialect = dialect
        self.resolved = resolved
        self.clock = clock
        self.env = os.environ if env is None else env
        self.notices: list[Problem] = []
        """What happened while opening that a person should know."""
        state = Path(workspace.state)
        self.journal = JournalDb(
            state / "journal.db", clock=clock, wait=self.settings.memory.lock_wait_seconds
        )
        self.event_log = EventLog(state / "events.jsonl")
        self.usage_log = EventLog(state / "usage.jsonl")
        self.store = FileStore(workspace, self.journal, settings=self.settings, clock=clock)
        if self.journal.set_aside:
            self.notices.append(
                Problem(
                    "journal_corrupt",
                    f"the journal could not be read. It was kept as {self.journal.set_aside} and a new"
                    " one begun; your memories are untouched, older runs can no longer be undone.",
                    str(self.journal.set_aside),
                )
            )
        for run in self.store.recover():
            self.notices.append(
                Problem("run_recovered", f"run {run} was interrupted; it is settled now")
            )

    @classmethod
    def open(
        cls,
        workspace: str | Path = ".",
        *,
        home: str | Path | None = None,
        dialect: str | None = None,
        settings: Mapping[str, Any] | None = None,
        clock: Callable[[], datetime] = _utc_now,
        env: Mapping[str, str] | None = None,
        model: Model | None = None,
        embedder: object | None = None,
    ) -> Memory:
        """Open the memory of a folder; `settings` are dotted keys that win over every file."""
        env = os.environ if env is None else env
        names = choose_dialect(dialect, home=home, env=env)
        resolved = load_settings(
            Path(workspace).resolve(), dialect=names, home=home, env=env, arguments=settings
        )
        place = open_workspace(
            workspace, dialect=names, settings=resolved.settings.memory, env=env, home=home
        )
        return cls(place, dialect=names, resolved=resolved, clock=clock, env=env, model=model,
                   embedder=embedder)  # fmt: skip

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.resolved.settings

    @cached_property
    def state(self) -> LocalState:
        """The state files beside the project's memory."""
        from reverie.local.state import LocalState

        return LocalState(
            Path(self.workspace.project_state),
            locks=Path(self.workspace.state) / "locks" / self.workspace.project_id,
            clock=self.clock,
            wait=self.settings.memory.lock_wait_seconds,
            stale_after=self.settings.dream.lock_stale_hours * 3600,
        )

    @cached_property
    def layers(self) -> Layers:
        """The layers of this workspace's agent."""
        from reverie.layered import Layers

        return Layers(
            self.workspace,
            store=self.store,
            settings=self.settings,
            clock=self.clock,
            model=lambda: self._model_for("cognition"),
        )

    @cached_property
    def model(self) -> Model | None:
        """The chat model: the one given, else that of the settings; None means none is used."""
        if self._given_model is not None:
            return self._given_model
        from reverie.models.opening import open_model

        try:
            return open_model(self.settings.model, self.env)
        except ConfigError as error:
            self.notices.append(Problem("model_unusable", str(error), fix="reverie config list"))
            return None

    def _model_for(self, verb: str) -> Model | None:
        from reverie.models.opening import budgeted

        settings = self.settings.model
        return budgeted(self.model, verb, settings=settings, log=self.usage_log, clock=self.clock)

    def about_model(self) -> str:
        """Say which model is used, or what one would add."""
        from reverie.models.opening import about_model

        model = self.model
        trouble = [item.message for item in self.notices if item.code == "model_unusable"]
        return about_model(model, settings=self.settings.model, problem="".join(trouble[:1]))

    def usage(self) -> list[UsageRow]:
        """Add up what models cost, by model and verb."""
        from reverie.models.opening import usage_of

        return usage_of(self.usage_log)

    def close(self) -> None:
        """Close the journal, the search index and the history."""
        if "layers" in self.__dict__:
            self.layers.close()
        self._close_index()
        self.journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def initialise(self, *, dry_run: bool = False) -> Initialised:
        """Make the folders of this workspace and its empty catalogs; what is there stays."""
        place = self.workspace
        folders = [Path(place.user_memory), Path(place.project_memory), Path(self.layers.root)]
        created = [str(folder) for folder in folders if not folder.is_dir()]
        if not dry_run:
            for folder in folders:
                make_folder(folder, private=True)
            self.store.rebuild_catalogs()
            self.layers.scaffold()
        names = self.settings.context.names or self.dialect.context_names
        places = [Path(place.home), Path(place.base), Path(place.base, self.dialect.config_dir)]
        candidates = [folder / name for folder in places for name in names]
        found = [str(path) for path in candidates if path.is_file()]
        found += [topic.path for topic in self.store.topics()]
        return Initialised(tuple(created), tuple(found))

    # --- context files ----------------------------------------------------------------------------

    def context(
        self,
        *,
        include: Sequence[str] = (),
        extensions: Sequence[str] = (),
        trusted: bool | None = None,
        format: ImportFormat | None = None,
    ) -> Context:
        """Load the context files of the current folder, imports expanded."""
        from reverie.local.discover import ContextOptions, load_context

        options = ContextOptions(tuple(include), tuple(extensions), trusted, format)
        return load_context(
            self.workspace,
            dialect=self.dialect,
            settings=self.settings.context,
            env=self.env,
            options=options,
        )

    def save(
        self,
        fact: str,
        *,
        scope: str | None = None,
        modified_by_user: bool = False,
        modified_content: str | None = None,
        base: str | None = None,
        dry_run: bool = False,
        origin: Origin = Origin.OWNER,
    ) -> Saved | Skipped:
        """Add a fact to the global or the project's context file.

        `modified_content` is the file's whole text as a person edited it, `base` the digest of the
        text they began with.
        """
        from reverie.verbs import save as verb

        edited = None
        if modified_by_user and modified_content is not None:
            edited = verb.Edited(modified_content, base)
        return verb.save(
            fact,
            scope=scope,
            store=self.store,
            workspace=self.workspace,
            dialect=self.dialect,
            settings=self.settings,
            edited=edited,
            dry_run=dry_run,
            origin=origin,
        )

    def write_context(
        self, content: str, *, scope: SaveScope, mode: Literal["append", "replace"] = "append"
    ) -> ContextWritten:
        """Append lines to a context file's section of saved facts, or replace the file."""
        from reverie.verbs.rewrite import rewrite

        return rewrite(
            content,
            scope=scope,
            mode=mode,
            store=self.store,
            workspace=self.workspace,
            dialect=self.dialect,
            settings=self.settings,
        )

    def archive_context(
        self, *, scope: SaveScope = "project", dry_run: bool = False
    ) -> Archived | Skipped:
        """Move a context file's content into a dated archive and leave an import of it."""
        from reverie.verbs.archive import archive
        from reverie.verbs.save import save_places

        places = save_places(
            "", workspace=self.workspace, dialect=self.dialect, settings=self.settings
        )
        path = os.path.realpath(next(item.path for item in places if item.scope == scope))
        shared = Path(self.workspace.base, self.dialect.config_dir)
        return archive(
            path,
            folder=str((Path(self.workspace.home) if scope == "global" else shared) / "archive"),
            store=self.store,
            now=self.clock(),
            private=scope == "global",
            dry_run=dry_run,
        )

    def trust(self, path: str | None = None, *, trusted: bool | None = True) -> Trust:
        """Record that a folder is trusted, that it is not, or (None) neither."""
        from reverie.local import trust

        folder = Path(self.workspace.cwd, path) if path else Path(self.workspace.base)
        wait = self.settings.memory.lock_wait_seconds
        return trust.record(self.workspace, folder, trusted=trusted, wait=wait)

    def trusted(self, path: str | None = None) -> Trust:
        """Say whether a folder is trusted, and who says so."""
        from reverie.local import trust

        records = trust.read_records(trust.trust_file(self.workspace))
        folder = Path(self.workspace.cwd, path) if path else Path(self.workspace.base)
        return trust.decide(str(folder), records, default=self.settings.context.folder_trust)

    # --- layers -----------------------------------------------------------------------------------

    def prompt(self, query: str = "", *, context: bool = True, replay: int | None = None) -> Prompt:
        """Assemble the layered system prompt; a query adds what is recalled for it."""
        return self.layers.prompt(
            context=self.context().text if context else "",
            recalled=self.recall(query).block if query.strip() else "",
            replay=replay,
        )

    # --- managed memory ---------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        scope: Scope | None = None,
        kind: Kind | None = None,
        name: str | None = None,
        why: str | None = None,
        how: str | None = None,
        clean: bool = False,
        dry_run: bool = False,
        info: RunInfo | None = None,
    ) -> Remembered:
        """Keep one thing; what says the same already is updated, unless `clean`."""
        from reverie.verbs.remember import remember

        model = self._model_for("remember")
        return remember(
            text,
            store=self._confined() if model else self.store,
            settings=self.settings,
            workspace=self.workspace,
            dialect=self.dialect,
            scope=scope,
            kind=kind,
            name=name,
            why=why,
            how=how,
            clean=clean,
            info=info,
            dry_run=dry_run,
            model=model,
            now=self.clock(),
        )

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        exclude: Collection[str] = (),
        strategy: Strategy | None = None,
        wait: bool = False,
    ) -> Recalled:
        """Bring back what matters for a turn, as one block for a prompt; `wait` for the model."""
        from reverie.telemetry import recall_event
        from reverie.verbs.recall import recall

        started = time.monotonic()
        outcome = recall(
            query,
            store=self.store,
            settings=self.settings,
            now=self.clock(),
            limit=limit,
            exclude=exclude,
            strategy=strategy,
            model=self._model_for("recall"),
            wait=wait,
        )
        self._note(recall_event(query, outcome, duration_ms=_since(started)))
        return outcome

    def forget(
        self,
        query: str = "",
        *,
        erase: bool = False,
        dry_run: bool = False,
        ids: Collection[str] | None = None,
        limit: int | None = None,
        info: RunInfo | None = None,
    ) -> Forgotten:
        """Remove what a query means, or the entries named; with `erase` from the journal too."""
        from reverie.local.erasing import ErasingStore
        from reverie.verbs.forget import forget

        return forget(
            query,
            store=ErasingStore(self.store),
            settings=self.settings,
            now=self.clock(),
            erase=erase,
            dry_run=dry_run,
            ids=ids,
            limit=limit,
            info=info,
            model=None if ids else self._model_for("forget"),
        )

    def extract(
        self,
        messages: Sequence[object],
        *,
        session: str,
        info: RunInfo | None = None,
        dry_run: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Extracted | Skipped:
        """Learn from the part of a conversation that was not read before."""
        from reverie.telemetry import extract_event
        from reverie.verbs.extract import extract

        started = time.monotonic()
        outcome: Extracted | Skipped | None = None
        try:
            outcome = extract(
                messages,
                store=self.store,
                state=self.state,
                settings=self.settings,
                workspace=self.workspace,
                dialect=self.dialect,
                now=self.clock(),
                session=session,
                info=info or RunInfo(verb="extract", session=session),
                dry_run=dry_run,
                cancelled=cancelled,
                model=self._model_for("extract"),
            )
        finally:
            if not isinstance(outcome, Skipped) and not dry_run:
                self._note(extract_event(outcome, duration_ms=_since(started)))
        return outcome

    def dream(
        self,
        *,
        session: str = "",
        force: bool = False,
        dry_run: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Dreamed | Skipped:
        """Consolidate memory when it is time, or with `force` now; `dry_run` shows the plan."""
        from reverie.local.sessions import sessions_since
        from reverie.telemetry import dream_event
        from reverie.verbs.dream import dream

        model = self._model_for("dream")
        started = time.monotonic()
        folder = Path(self.workspace.project_state)
        first = iter((True,))  # hand edits are looked for once, not for every file
        outcome: Dreamed | Skipped | None = None
        try:
            outcome = dream(
                store=self._confined() if model else self.store,
                state=self.state,
                settings=self.settings,
                workspace=self.workspace,
                dialect=self.dialect,
                now=self.clock(),
                session=session,
                force=force,
                dry_run=dry_run,
                sessions_since=lambda since: sessions_since([folder / "chats", folder], since),
                blame=lambda path: audit.blame(self.store, path, notice=next(first, False)),
                cancelled=cancelled,
                model=model,
            )
        finally:
            if not isinstance(outcome, Skipped) and not dry_run:
                trigger: Literal["auto", "manual"] = "manual" if force else "auto"
                self._note(dream_event(outcome, duration_ms=_since(started), trigger=trigger))
        return outcome

    def doctor(self) -> list[Problem]:
        """Report what is off in the memory, each with the command that puts it right."""
        from reverie.verbs.doctor import doctor

        self.store.topics()
        unreadable = self.store.unreadable
        return doctor(
            store=self.store, settings=self.settings, now=self.clock(), unreadable=unreadable
        )

    # --- search -----------------------------------------------------------------------------------

    @cached_property
    def search_index(self) -> SearchIndex:
        """The index of everything that is searched; opened when first used."""
        from reverie.local.index import open_index

        return open_index(
            self.workspace,
            settings=self.settings,
            open_embedder=self._open_embedder,
            clock=self.clock,
            env=self.env,
        )

    def _open_embedder(self) -> Embedder | None:
        from reverie.models.embedders import adapt, open_embedder

        if self.embedder is not None:
            return adapt(self.embedder)
        return open_embedder(self.settings.embedder, self.env)

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        source: SourceName = "all",
        isolation: Isolation | None = None,
        context_tokens: int = 0,
    ) -> SearchOutcome:
        """Find what answers a query in memory, conversations and extra paths."""
        from reverie.verbs.search import search

        limits = self.settings.search
        synced = self.search_index.sync(wait=SYNC_WAIT_SECONDS)
        outcome = search(
            query,
            index=self.search_index,
            max_results=limits.max_results if max_results is None else max_results,
            min_score=limits.min_score if min_score is None else min_score,
            source=source,
            isolation=isolation,
            context_tokens=context_tokens,
        )
        if synced.current:
            return outcome
        late = "another process is indexing; the newest changes may be missing"
        return replace(outcome, warnings=(*outcome.warnings, late))

    def get(self, path: str, lines: str = "", *, isolation: Isolation | None = None) -> Excerpt:
        """Read lines of a file that is searched, as results name them."""
        from reverie.verbs.search import get

        if path.startswith("chat://"):
            self.search_index.sync(wait=SYNC_WAIT_SECONDS, source=Source.CHAT)
        return get(path, lines, index=self.search_index, isolation=isolation)

    def stats(self, *, isolation: Isolation | None = None) -> IndexStats:
        """Count what is indexed and visible."""
        self.search_index.sync(wait=SYNC_WAIT_SECONDS)
        return self.search_index.stats(isolation=isolation)

    def index(
        self,
        paths: Sequence[str] = (),
        *,
        remove: bool = False,
        rebuild: bool = False,
        purge: bool = False,
    ) -> Indexed:
        """Bring the search index up to date; `paths` are searched from now on, or with `remove` no more.

        Args:
            rebuild: Read every file again; searches see the old state until it is done.
            purge: Leave nothing of removed texts anywhere in the index.
        """
        from reverie.local.extras import add_paths, remove_paths

        if paths:
            change = remove_paths if remove else add_paths
            change(self.workspace, paths, env=self.env, now=self.clock())
            self._close_index()
        wait = self.settings.memory.lock_wait_seconds
        return self.search_index.sync(wait=wait, rebuild=rebuild, purge=purge)

    def watch(
        self, on_sync: Callable[[Indexed], None] = lambda _: None, *, stop: Event | None = None
    ) -> None:
        """Keep the search index up to date until `stop` is set."""
        from reverie.local.watch import watch

        watch(self.search_index, on_sync, settings=self.settings.search, stop=stop)

    def _close_index(self) -> None:
        index = self.__dict__.pop("search_index", None)
        if index:
            index.close()

    # --- the journal ------------------------------------------------------------------------------

    def log(self, *, limit: int = 50, path: str | None = None) -> list[RunRecord]:
        """Return what was written, newest first; hand edits since are noted first."""
        self.store.notice_edits()
        return self.journal.log(limit=limit, path=self._absolute(path) if path else None)

    def events(self, *, limit: int = 50, name: str | None = None) -> list[dict[str, Any]]:
        """Return the newest events first."""
        return self.event_log.read(limit=limit, name=name)

    def diff(self, run: str, *, reverse: bool = False) -> str:
        """Return a run as a unified diff."""
        deltas = self.journal.deltas(self.journal.resolve(run))
        if reverse:
            deltas = [FileDelta(item.path, item.after, item.before) for item in deltas]
        return "".join(audit.unified_diff(item) for item in deltas)

    def blame(self, path: str) -> list[BlameLine]:
        """Say for every line of a file which run brought it."""
        return audit.blame(self.store, self._absolute(path))

    def undo(self, run: str) -> Applied:
        """Take a run back; the undo is itself a run."""
        return audit.undo(self.store, run, RunInfo(verb="undo"))

    def verify(self) -> Verified:
        """Check journal, files and catalogs."""
        return audit.verify(self.store)

    def verify_forgotten(self, receipt: str | Receipt) -> Verified:
        """Check that nothing is left of what a receipt stands for (its id, its file, or itself)."""
        from reverie.local.erasing import find_receipt, verify_forgotten

        known = receipt if isinstance(receipt, Receipt) else find_receipt(self.journal, receipt)
        return verify_forgotten(self.workspace, self.journal, known)

    def _note(self, event: TelemetryEvent) -> None:
        """Log what ran, and tell OpenTelemetry where the host uses it."""
        from reverie import telemetry

        with suppress(StoreError):  # a disk that is full or read-only must not stop the work itself
            self.event_log.add(event.name, event.as_record(), at=self.clock())
        if telemetry.wanted(sys.modules, self.env):
            telemetry.emit(event, now_ns=time.time_ns)

    def _confined(self) -> Store:
        """Return the store for what an agent drafted: it writes below the memory folders only."""
        from reverie.local.confined import ConfinedStore

        return ConfinedStore(self.store)

    def _absolute(self, path: str) -> str:
        """Find a path as people name it: from the current folder, or inside a memory folder."""
        candidates = [
            Path(base) / path
            for base in (
                self.workspace.cwd,
                self.workspace.base,
                self.workspace.project_memory,
                self.workspace.user_memory,
            )
        ]
        found = next((item for item in candidates if item.exists()), candidates[0])
        return os.path.realpath(found)
