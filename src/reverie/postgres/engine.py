"""The PostgreSQL engine: everything of one workspace in the rows of one place."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from reverie.core.context.hierarchy import Places, assemble, context_names, project_names
from reverie.core.erasing.everywhere import ERASURE_UNFINISHED
from reverie.core.erasing.receipts import receipt_in, receipt_of_runs
from reverie.core.runs.views import ConfinedStore
from reverie.errors import InvalidInput
from reverie.once import once
from reverie.postgres.database import give_back
from reverie.postgres.events import PgEvents
from reverie.postgres.place import Place, workspace_of
from reverie.postgres.sites import open_database
from reverie.postgres.store.audit import verify, verify_forgotten
from reverie.postgres.store.context import RowReader
from reverie.postgres.store.journal import PgJournal
from reverie.postgres.store.logs import PgLog
from reverie.postgres.store.rowstore import PgStore
from reverie.postgres.store.state import PgState, PgTree
from reverie.postgres.store.stores import ErasingRows
from reverie.types import Problem, Trust

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.core.context.hierarchy import ContextOptions
    from reverie.core.topics.advice import Scan
    from reverie.dialect import Dialect
    from reverie.ports import EmbedderSlot
    from reverie.postgres.carrier import PgCarrier
    from reverie.postgres.database import Asked
    from reverie.postgres.history import PgHistory
    from reverie.postgres.search.index import PgIndex
    from reverie.postgres.search.ranking import PgRanker
    from reverie.types import Context, Receipt, Scope, SecretFinding, Verified
    from reverie.types.turns import Redact


_TRUST: Final = "trust.json"


class PostgresEngine:
    """Everything of one place. Engines of one process share their connections."""

    name: Literal["local", "postgres"] = "postgres"

    def __init__(
        self,
        place: Place,
        *,
        settings: Settings,
        dialect: Dialect,
        clock: Callable[[], datetime],
        env: Mapping[str, str],
    ) -> None:
        self.place = place
        self._settings = settings
        self._dialect = dialect
        self._clock = clock
        self._env = env
        self.notices: list[Problem] = []
        self.workspace = workspace_of(place, dialect=dialect, agent=settings.memory.agent)
        # Where the directory says that the tenant is.
        self.database, self._pool, self.server = open_database(settings.engine)
        self._open = True
        self.journal = PgJournal(self.database, place, clock=clock)
        self.store = PgStore(
            self.database, self.workspace, place, self.journal, settings=settings, clock=clock
        )
        self.events = PgEvents(self.database, place, clock=clock)

    def log(self, name: Literal["events", "usage", "recalls"]) -> PgLog:
        """Return one of the logs."""
        return PgLog(self.database, self.place, name)

    @once
    def state(self) -> PgState:
        """The state files of the project."""
        return PgState(self.database, self.place)

    @once
    def ranker(self) -> PgRanker:
        """What finds topics for a recall without reading them all."""
        from reverie.postgres.search.ranking import PgRanker

        return PgRanker(self.database, self.place, self.store)

    # --- layers -----------------------------------------------------------------------------------

    def tree(self) -> PgTree:
        """Open the folder of the agent."""
        return PgTree(self.database, self.place, self.store, root=self.workspace.agent_root)

    def history(self, redact: Redact | None) -> PgHistory:
        """Open the history of the agent."""
        from reverie.postgres.history import PgHistory

        return PgHistory(
            self.database,
            self.place,
            self.workspace.agent,
            clock=self._clock,
            redact=redact,
            max_bytes=self._settings.memory.max_file_bytes,
        )

    # --- context and trust ------------------------------------------------------------------------

    def context(self, options: ContextOptions) -> Context:
        """Load the context files of the person and the project; they are rows like all memory."""
        settings = self._settings.context
        verdict = self.trusted().verdict
        if options.trusted is not None:
            verdict = "trusted" if options.trusted else "untrusted"
        places = Places(
            workspace=self.workspace,
            names=context_names(settings, self._dialect),
            project_names=project_names(settings, self._dialect),
            config_dir=self._dialect.config_dir,
            user_home=self.workspace.home,
            trusted=verdict != "untrusted",
            verdict=verdict,
            extensions=(),
            include=(),
            import_roots=(),
        )
        return assemble(
            places,
            RowReader(self.store, limit=settings.max_file_bytes),
            settings=settings,
            format=options.format or settings.format,
            clean=self._cleaned,
            notes=[],
            depends=[],
        )

    def _cleaned(self, text: str) -> tuple[str, Sequence[SecretFinding]]:
        """Take the secrets out of a text that goes into a prompt."""
        from reverie.core.secrets.scanner import redact

        secrets = self._settings.secrets
        return (text, ()) if secrets.policy == "off" else redact(text, allow=secrets.allow)

    def trust(self, path: str | None, *, trusted: bool | None) -> Trust:
        """Record whether the project's context files are loaded; None takes the record away."""
        if path:
            raise InvalidInput("this engine has no folders to trust; leave the path out")
        self.state.update_state(_TRUST, lambda _: {} if trusted is None else {"trusted": trusted})
        return self.trusted()

    def trusted(self, path: str | None = None) -> Trust:
        """Say whether the project's context files are loaded, and who says so."""
        return self._judged(self.state.read_state(_TRUST), path)

    def _is_closed(self, asked: Asked | None) -> bool:
        """Say whether the project's files are kept out; what was asked for before costs nothing."""
        if asked is None:
            return self.trusted().verdict == "untrusted"
        return self._judged(self.state.read_asked(asked)).verdict == "untrusted"

    def _judged(self, state: Mapping[str, object], path: str | None = None) -> Trust:
        known = state.get("trusted")
        base = path or self.workspace.base
        if isinstance(known, bool):
            return Trust(base, known, self.workspace.base, "trusted" if known else "untrusted")
        default = self._settings.context.folder_trust
        return Trust(base, default, "context.folder_trust", "unknown" if default else "untrusted")

    def closed_scopes(self) -> tuple[Scope, ...]:
        """No memory of a database came with a project's folder."""
        return ()

    def whence(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Tell for each path and text from where it was imported; else nothing."""
        told = {path: self.ranker.whence(self.store.real(path), texts[path]) for path in texts}
        lacking = {self.store.real(path): texts[path] for path in texts if told[path] is None}
        known = self.journal.imported(lacking)
        return {
            path: known[self.store.real(path)] if said is None else said
            for path, said in told.items()
        }

    def imported(self, paths: Sequence[str]) -> dict[str, str]:
        """Tell for each file as it is now from where it was imported; those that are gone are left out."""
        if not paths:
            return {}
        with self.database.reading(self.place) as db:
            contents = self.store.ask_contents(db, paths)
            arrivals = self.journal.ask_arrivals(db, paths)
        texts = {
            self.store.real(path): text for path, text in self.store.texts(contents, paths).items()
        }
        known = self.journal.read_arrivals(arrivals, texts)
        return {
            path: known[self.store.real(path)] for path in paths if self.store.real(path) in known
        }

    # --- paths ------------------------------------------------------------------------------------

    def is_file(self, path: str) -> bool:
        """Say whether there is such a file."""
        return self.store.read(path) is not None

    def make_folders(self, folders: Sequence[str], *, dry_run: bool) -> list[str]:  # noqa: ARG002
        """Make nothing: a folder is there when a file is in it."""
        return [folder for folder in folders if not self.store.paths(folder)]

    def find(self, path: str) -> str:
        """Find a path as people name it: from the project's root, or inside a memory folder."""
        space = self.workspace
        bases = (space.base, space.project_memory, space.user_memory)
        candidates = [self.store.real(posixpath.join(base, path)) for base in bases]
        return next((item for item in candidates if self.is_file(item)), candidates[0])

    # --- verbs that need more than the ports ------------------------------------------------------

    def carrier(self, redact: Redact | None) -> PgCarrier:
        """Return what moves the whole memory, in and out."""
        from reverie.postgres.carrier import PgCarrier

        return PgCarrier(
            self.database,
            self.place,
            self.store,
            tree=self.tree(),
            history=self.history(redact),
            state=self.state,
        )

    def confined(self) -> ConfinedStore:
        """Return the store for what an agent drafted: it writes below the memory folders only."""
        return ConfinedStore(self.store, in_memory=self.store.in_memory)

    def erasing(self) -> ErasingRows:
        """Return the store that can also take words out of its journal, tasks, logs and events."""
        return ErasingRows(self.store, self.database, self.place)

    def indexed(self) -> bool:
        """Say that there is an index, which may hold titles of what was erased."""
        return True

    def sessions_since(self, since: datetime | None) -> set[str]:
        """Return the ids of sessions with something said after a moment."""
        rows = self.database.rows(
            self.place,
            "SELECT DISTINCT session FROM turn WHERE tenant = %(tenant)s AND owner = %(owner)s"
            " AND project = '' AND session <> '' AND (%(since)s::timestamptz IS NULL"
            " OR at > %(since)s)",
            since=since,
        )
        return {row[0] for row in rows}

    def verify(self) -> Verified:
        """Check journal, files and catalogs."""
        found = verify(self.database, self.place, self.store)
        if self.erasing().written_down() is None:
            return found
        return replace(found, problems=(*found.problems, ERASURE_UNFINISHED))

    def looking_for_secrets(self) -> AbstractContextManager[Scan]:
        """Return what lists the secrets of a text."""
        from reverie.core.secrets.scanner import scan

        return nullcontext(scan)

    def set_aside(self) -> list[Problem]:
        """Return what was set aside; rows stay where they are."""
        return []

    def find_receipt(self, name: str) -> Receipt:
        """Find a receipt by the id that `forget` printed, or read it from a file."""
        if name.endswith(".json"):
            try:
                text = Path(name).read_text(encoding="utf-8")
            except (OSError, ValueError) as error:
                raise InvalidInput(f"{name} cannot be read as a receipt: {error}") from error
            return receipt_in(text, name)
        return receipt_of_runs(name, self.journal.log(limit=1_000_000))

    def verify_forgotten(self, receipt: Receipt) -> Verified:
        """Look for what a receipt says is gone."""
        return verify_forgotten(self.database, self.place, self.journal, receipt)

    # --- search -----------------------------------------------------------------------------------

    def open_index(self, embedder: EmbedderSlot) -> PgIndex:
        """Open the search index."""
        from reverie.postgres.search.index import PgIndex

        return PgIndex(
            self.database,
            self.place,
            self.workspace,
            self.store,
            settings=self._settings,
            embedder=embedder,
            clock=self._clock,
            closed=self._is_closed,
            ask_closed=lambda db: self.state.ask_state(db, _TRUST),
        )

    def name_paths(self, paths: Sequence[str], *, remove: bool) -> list[str]:
        """Refuse: files of some machine are no part of a shared memory."""
        raise InvalidInput(
            f"{', '.join(paths)}: this engine searches what it keeps; further paths cannot be"
            f" {'taken out' if remove else 'named'}. `reverie import` brings files in."
        )

    def close(self) -> None:
        """Give the connections back."""
        if self._open:
            self._open = False
            give_back(self._pool)


def open_engine(
    settings: Settings,
    *,
    dialect: Dialect,
    clock: Callable[[], datetime],
    env: Mapping[str, str],
    project: str,
) -> PostgresEngine:
    """Open the engine the settings name; `project` is used where they name none."""
    chosen = settings.engine
    where = Place(chosen.tenant, chosen.user, chosen.project or project)
    pooled = replace(settings, engine=replace(chosen, tenant=where.tenant, user=where.owner,
                                              project=where.project))  # fmt: skip
    return PostgresEngine(where, settings=pooled, dialect=dialect, clock=clock, env=env)
