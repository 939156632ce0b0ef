"""Opening a memory: the only place that builds one, and what all its verbs share."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from reverie.errors import ConfigError, StoreError
from reverie.local.engine import LocalEngine
from reverie.local.settings import choose_dialect, load_settings
from reverie.local.store.paths import open_workspace, real_folder
from reverie.once import once
from reverie.types import (
    Initialised,
    Problem,
)

if TYPE_CHECKING:
    from reverie.config import Resolved, Settings
    from reverie.dialect import Dialect
    from reverie.layered import Layers
    from reverie.memory.engine import Engine
    from reverie.models.agents.model import Site
    from reverie.models.budget import UsageRow
    from reverie.ports import Embedder, Model, StateFiles
    from reverie.telemetry import TelemetryEvent
    from reverie.types import (
        Workspace,
    )
    from reverie.verbs.verb_context import VerbContext


_AGENT_VERBS: Final = frozenset({"extract", "dream", "forget"})
"""What an agent that serves as the model is asked for: seldom, and where nobody waits for a prompt."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


def unknown_scope(env: Mapping[str, str], dialect: Dialect) -> list[Problem]:
    """Tell of a project scope that nobody knows; it counts as the usual one, the git root."""
    value = env.get(dialect.scope_env, "").strip()
    if value.lower() in ("", "workspace", "git-root"):
        return []
    message = (
        f"{dialect.scope_env} is {value[:40]!r}, which is not known; the project is the git root."
        " Set it to workspace, or to git-root."
    )
    return [Problem("unknown_scope", message)]


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
        engine: Engine | None = None,
    ) -> None:
        self.workspace = workspace
        self._given_model = model
        self.embedder = embedder
        """Turns texts into vectors instead of the embedder of the settings."""
        self.dialect = dialect
        self.resolved = resolved
        self.clock = clock
        self.env = os.environ if env is None else env
        self.engine: Engine = engine or LocalEngine(
            workspace, settings=self.settings, dialect=dialect, clock=clock, env=self.env
        )
        self.notices: list[Problem] = self.engine.notices
        """What happened while opening, or since, that a person should know."""
        self.notices[:0] = [*resolved.problems, *unknown_scope(self.env, dialect)]
        self.store = self.engine.store
        self.journal = self.engine.journal
        self.event_log = self.engine.log("events")
        self.usage_log = self.engine.log("usage")
        self.recall_log = self.engine.log("recalls")

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
        engine: str | None = None,
    ) -> Self:
        """Open the memory of a folder; `settings` are dotted keys that win over every file.

        Args:
            engine: `postgresql://...` keeps memory there; whose it is, the settings engine.tenant,
                engine.user and engine.project say.
        """
        env = os.environ if env is None else env
        names = choose_dialect(dialect, home=home, env=env)
        arguments = {**(settings or {}), **({"engine.url": engine} if engine else {})}
        resolved = load_settings(
            real_folder(workspace), dialect=names, home=home, env=env, arguments=arguments
        )
        place = open_workspace(
            workspace, dialect=names, settings=resolved.settings.memory, env=env, home=home
        )
        kept: Engine | None = None
        if resolved.settings.engine.url:
            from reverie.postgres.engine import open_engine

            kept = open_engine(
                resolved.settings, dialect=names, clock=clock, env=env, project=place.project_id
            )
            place = kept.workspace
        return cls(place, dialect=names, resolved=resolved, clock=clock, env=env, model=model,
                   embedder=embedder, engine=kept)  # fmt: skip

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.resolved.settings

    @property
    def state(self) -> StateFiles:
        """The state files beside the project's memory."""
        return self.engine.state

    @property
    def verb_context(self) -> VerbContext:
        """What the verbs work with; the only place that makes it."""
        from reverie.verbs.verb_context import VerbContext

        return VerbContext(
            store=self.store,
            settings=self.settings,
            workspace=self.workspace,
            dialect=self.dialect,
            clock=self.clock,
            state=lambda: self.state,
            model_for=self._model_for,
            confined=self.engine.confined,
            concerned=lambda *about: self.engine.ranker.concerned(*about),
            nearest=self._nearest,
            erasing=self.engine.erasing,
        )

    def _nearest(self, statement: str) -> Mapping[str, float]:
        """Name the topics nearest in meaning; whoever can search overrides it."""
        raise NotImplementedError

    @once
    def layers(self) -> Layers:
        """The layers of this workspace's agent."""
        from reverie.layered import Layers

        return Layers(self.verb_context, engine=self.engine)

    @once
    def model(self) -> Model | None:
        """The chat model: the one given, else that of the settings; None means none is used."""
        if self._given_model is not None:
            return self._given_model
        from reverie.models.opening import open_model

        try:
            return open_model(self.settings.model, self.env, site=self._agent_site)
        except ConfigError as error:
            self.notices.append(Problem("model_unusable", str(error), fix="reverie config list"))
            return None

    def _agent_site(self) -> Site:
        """Say where on this machine an agent is asked that serves as the model."""
        from reverie.memory.agent_site import agent_site

        return agent_site(Path(self.workspace.state), self.env)

    def _model_for(self, verb: str) -> Model | None:
        from reverie.core.agents.naming import is_agent
        from reverie.models.opening import budgeted

        if self.model is not None and is_agent(self.model.name) and verb not in _AGENT_VERBS:
            return None
        settings = self.settings.model
        return budgeted(self.model, verb, settings=settings, log=self.usage_log, clock=self.clock)

    def about_model(self) -> str:
        """Say which model is used, or what one would add; and whether agents look back by themselves."""
        from reverie.models.opening import about_model, about_reflecting

        model, settings = self.model, self.settings.model
        trouble = [item.message for item in self.notices if item.code == "model_unusable"]
        log, now = self.usage_log, self.clock()
        told = about_model(model, settings=settings, problem="".join(trouble[:1]), log=log, now=now)
        if self.settings.hooks.reflect:
            told = f"{told} · {about_reflecting(settings=settings, log=log, now=now)}"
        return told

    def usage(self) -> list[UsageRow]:
        """Add up what models cost, by model and verb."""
        from reverie.models.opening import usage_of

        return usage_of(self.usage_log)

    def close(self) -> None:
        """Close the engine and the history."""
        if "layers" in self.__dict__:
            self.layers.close()
        self.engine.close()

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
        from reverie.core.context.hierarchy import context_places

        place = self.workspace
        folders = [place.user_memory, place.project_memory, self.layers.root]
        created = self.engine.make_folders(folders, dry_run=dry_run)
        if not dry_run:
            self.store.rebuild_catalogs()
            self.layers.scaffold()
        candidates = context_places(
            self.settings.context, self.dialect, home=place.home, base=place.base
        )
        found = [path for path in candidates if self.engine.is_file(path)]
        found += [topic.path for topic in self.store.topics()]
        return Initialised(tuple(created), tuple(found))

    def _provider(self) -> str:
        from reverie.models.embedders import chosen_provider

        return chosen_provider(self.settings.embedder, self.env)

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

    def _absolute(self, path: str) -> str:
        """Find a path as people name it: from the current folder, or inside a memory folder."""
        return self.engine.find(path)
