"""Opening a memory: the only place that builds one, and what all its verbs share."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from reverie.errors import ConfigError, StoreError
from reverie.local.disk import make_folder
from reverie.local.events import EventLog
from reverie.local.files import FileStore
from reverie.local.journal import JournalDb
from reverie.local.paths import open_workspace
from reverie.local.settings import choose_dialect, load_settings
from reverie.types import (
    Initialised,
    Problem,
)

if TYPE_CHECKING:
    from reverie.config import Resolved, Settings
    from reverie.dialect import Dialect
    from reverie.layered import Layers
    from reverie.local.state import LocalState
    from reverie.models.budget import UsageRow
    from reverie.ports import Embedder, Model, Store
    from reverie.telemetry import TelemetryEvent
    from reverie.types import (
        Workspace,
    )


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Opened:
    """What every verb needs: the workspace, the settings, the store, the journal."""

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
        self.recall_log = EventLog(state / "recalls.jsonl")
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
    ) -> Self:
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
        """Close the journal and the history."""
        if "layers" in self.__dict__:
            self.layers.close()
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

    def _open_embedder(self) -> Embedder | None:
        from reverie.models.embedders import adapt, open_embedder

        if self.embedder is not None:
            return adapt(self.embedder)
        return open_embedder(self.settings.embedder, self.env)

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
