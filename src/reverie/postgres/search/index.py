"""The search index of a place: kept beside the memory, brought up to date before each search."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from reverie.core.search.chunk import ChunkSize
from reverie.core.search.documents import CHAT
from reverie.core.search.found import Whole
from reverie.core.search.question import embed_question, failure_told
from reverie.errors import DiskFull, EmbedderFailed, LaneLost, ReadOnly, UntrustedFolder
from reverie.postgres.database import MINE
from reverie.postgres.leases import try_lease
from reverie.postgres.place import plain
from reverie.postgres.search.finding import find, shown_text
from reverie.postgres.search.held import gather
from reverie.postgres.search.indexer import Indexer, Recipe, ask_marks, deadline
from reverie.postgres.search.roots import name_file, roots_of, rule_for, visible
from reverie.postgres.search.seeking import Scene, totals
from reverie.types import Indexed, IndexStats, Problem, Source

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.errors import StoreError
    from reverie.ports import Embedder, EmbedderSlot
    from reverie.postgres.database import Asked, Connection, Database
    from reverie.postgres.place import Place
    from reverie.postgres.search.finding import Finding
    from reverie.postgres.search.held import Held
    from reverie.postgres.search.roots import Root
    from reverie.postgres.store.rowstore import PgStore
    from reverie.types import Isolation, Workspace
    from reverie.types.ranking import Query

_PAUSE_SECONDS: Final = 0.05
_LOOK_SECONDS: Final = 30.0
_RETRY_SECONDS: Final = 5.0
"""How long an index that could not be written is left alone; nobody waits for what fails again."""
_IN_MEMORY: Final = "What the search index lacks is searched in memory, by its words alone."


class PgIndex:
    """The index of one place. Safe to use from several threads and daemons."""

    def __init__(
        self,
        database: Database,
        place: Place,
        workspace: Workspace,
        store: PgStore,
        *,
        settings: Settings,
        embedder: EmbedderSlot,
        clock: Callable[[], datetime],
        closed: Callable[[Asked | None], bool],
        ask_closed: Callable[[Connection], Asked],
    ) -> None:
        self._closed = closed
        self._ask_closed = ask_closed
        self._was_closed: bool | None = None
        """What the last look said of the project; whoever relies on it looks again with its question."""
        self._database = database
        self._place = place
        self._workspace = workspace
        self._store = store
        self._settings = settings
        self._clock = clock
        self._embedder = embedder
        self._guard = threading.Lock()
        self._held: Held | None = None
        """What the index lacks, while it cannot be written."""
        self._trouble = Problem("", "")
        self._retry_at = 0.0
        self._last: datetime | None = None
        self._roots = roots_of(workspace)

    @property
    def roots(self) -> list[Root]:
        """What is searched now: nothing that came with a project that is not trusted."""
        return self._open_roots(self._closed(None))

    def _open_roots(self, closed: bool) -> list[Root]:
        self._was_closed = closed
        return [root for root in self._roots if not (closed and root.provenance)]

    @property
    def searched(self) -> list[str]:
        """The folders that are searched."""
        return [root.folder for root in self.roots]

    def is_filling(self) -> bool:
        """Say no: rows are there with or without their vectors."""
        return False

    def close(self) -> None:
        """Close nothing: connections belong to the pool."""

    def _recipe(self, embedder: Embedder | None) -> Recipe:
        search = self._settings.search
        return Recipe(ChunkSize(search.chunk_tokens, search.chunk_overlap), embedder)

    # --- keeping up -------------------------------------------------------------------------------

    def sync(
        self,
        *,
        wait: float,
        seconds: float | None = None,
        source: Source | None = None,  # noqa: ARG002  # one look covers all
        rebuild: bool = False,
        purge: bool = False,  # noqa: ARG002  # rows that are gone are gone
    ) -> Indexed:
        """Take in what changed since the last time."""
        embedder = self._embedder.get()
        try:
            return self._sync(embedder, wait=wait, seconds=seconds, rebuild=rebuild)
        except EmbedderFailed as error:
            self._embedder.failed(error)
            return self._sync(None, wait=wait, seconds=seconds, rebuild=rebuild)

    def _sync(
        self, embedder: Embedder | None, *, wait: float, seconds: float | None, rebuild: bool
    ) -> Indexed:
        with self._database.reading(self._place) as db:
            trust, asked = self._ask_closed(db), ask_marks(db, self._place)
        roots = self._open_roots(self._closed(trust))
        indexer = Indexer(self._database, self._place, roots, self._recipe(embedder))
        marks = indexer.marks(asked)
        if marks and not rebuild and all(now == indexed for now, indexed in marks.values()):
            self._held = None
            return indexer.done
        now = {project: at for project, (at, _) in marks.items()}
        held = self._held is not None and self._held.marks == now
        if held and not rebuild and time.monotonic() < self._retry_at:
            return replace(indexer.done, problems=(self._trouble,))
        try:
            done = self._write(indexer, wait=wait, seconds=seconds, rebuild=rebuild)
        except (DiskFull, ReadOnly) as error:
            return self._hold(roots, marks, error, deadline(seconds))
        self._held = None
        return done

    def _write(
        self, indexer: Indexer, *, wait: float, seconds: float | None, rebuild: bool
    ) -> Indexed:
        patience = deadline(wait)
        while True:
            with try_lease(self._database, self._place, "index") as lease:
                if lease:
                    # Another process may take over from one that was frozen for too long.
                    with suppress(LaneLost):
                        done = indexer.run(lease, rebuild=rebuild, is_over=deadline(seconds))
                        self._last = self._clock()
                        return done
            if patience():
                return replace(indexer.done, current=False)
            time.sleep(_PAUSE_SECONDS)

    def _hold(
        self,
        roots: Sequence[Root],
        marks: Mapping[str, tuple[str, str]],
        error: StoreError,
        is_over: Callable[[], bool],
    ) -> Indexed:
        """Hold in memory what the index lacks; vectors are not made for it."""
        indexer = Indexer(self._database, self._place, roots, self._recipe(None))
        with self._guard:
            self._held, left = gather(indexer, marks, self._held, is_over)
            self._trouble = Problem(error.code, f"{error}. {_IN_MEMORY}")
            self._retry_at = time.monotonic() + _RETRY_SECONDS
        problems = (*indexer.done.problems, self._trouble)
        return replace(indexer.done, current=not left, left=left, problems=problems)

    def drop_extras(self, kept: Sequence[str]) -> None:
        """Drop nothing: this engine has no extra paths."""

    def watch(
        self, on_sync: Callable[[Indexed], None], *, stop: threading.Event | None = None
    ) -> None:
        """Look for changes now and then until `stop` is set."""
        stop = stop or threading.Event()
        while True:
            on_sync(self.sync(wait=_LOOK_SECONDS))
            if stop.wait(self._settings.search.debounce_seconds):
                return

    # --- searching --------------------------------------------------------------------------------

    def find(
        self,
        text: str,
        query: Query,
        *,
        source: Source | None = None,
        isolation: Isolation | None = None,
    ) -> Finding:
        """Gather what may answer a query."""
        asked = embed_question(self._embedder, text, as_vector=lambda some: [*map(float, some)])
        embedder = asked.embedder if asked.vector else None

        while True:
            closed = self._closed(None) if self._was_closed is None else self._was_closed
            trust: list[Asked] = []

            def scene_in(
                db: Connection, closed: bool = closed, trust: list[Asked] = trust
            ) -> Scene:
                trust.append(self._ask_closed(db))
                return self._scene(db, self._open_roots(closed), source, isolation, embedder)

            found = find(self._database, self._place, scene_in, query, asked, self._held)
            self._was_closed = self._closed(trust[0])
            if self._was_closed == closed:
                break
        return replace(found, warnings=failure_told(self._embedder))

    def _scene(
        self,
        db: Connection,
        roots: Sequence[Root],
        source: Source | None,
        isolation: Isolation | None,
        embedder: Embedder | None,
    ) -> Scene:
        # The planner knows nothing of a tenant that came after its last look at the tables, takes it for
        # one row and joins by loops in loops, which is quadratic. Hash joins are linear, known or not.
        db.execute("SET LOCAL enable_nestloop = off")
        seen = visible(roots, self._workspace, source=source, isolation=isolation)
        model = plain(embedder.identity) if embedder else ""
        return Scene(db, self._place, seen, model, self._settings.search.approximate_above)

    # --- reading ----------------------------------------------------------------------------------

    def whole(self, path: str, *, isolation: Isolation | None = None) -> Whole:
        """Return the whole text that a path in a result means."""
        if path.startswith(CHAT):
            return self._turn(path, isolation)
        first: Whole | None = None
        closed = self._closed(None)
        for named in name_file(path, self._roots, self._workspace):
            rule_for(named.root, isolation, self._workspace).check(named.rel, "", path=path)
            text = self._store.read(named.path)
            shown = named.root.shown(named.rel, "")
            found = Whole(shown, text, named.root.source, named.root.provenance)
            if text is not None and closed and named.root.provenance:
                raise UntrustedFolder(
                    f"{path} came with the project, which is not trusted, so it is not read;"
                    " `reverie trust` changes that",
                    path=path,
                )
            if text is not None:
                return found
            first = first or found
        return first or Whole(path, None, Source.MEMORY)

    def _turn(self, path: str, isolation: Isolation | None) -> Whole:
        with self._database.reading(self._place) as db:
            for root in self.roots:
                if root.kind != "turns":
                    continue
                row = db.execute(
                    "SELECT path, grp, ord FROM document WHERE tenant = %(tenant)s"
                    " AND owner = %(owner)s AND project = %(here)s AND root = %(root)s"
                    " AND label = %(label)s AND label <> ''",
                    {
                        **self._place.values,
                        "here": root.project,
                        "root": root.name,
                        "label": plain(path),
                    },
                ).fetchone() or self._held_turn(root, path)
                if row is None:
                    continue
                rule_for(root, isolation, self._workspace).check(row[0], row[1], path=path)
                text = self._database.rows(
                    self._place,
                    f"SELECT record FROM turn WHERE {MINE} AND agent = %(agent)s AND seq = %(seq)s",
                    agent=root.name.partition("/")[2],
                    seq=row[2],
                )
                data = bytes(text[0][0]) if text else None
                return Whole(path, shown_text(data, root, row[0], row[2]), root.source)
        return Whole(path, None, Source.CHAT)

    def _held_turn(self, root: Root, path: str) -> tuple[str, str, int] | None:
        found = self._held.labelled(path) if self._held else None
        if found is None or found.root.name != root.name:
            return None
        return found.file.path, found.file.group, found.file.order

    # --- counting ---------------------------------------------------------------------------------

    def stats(
        self, *, source: Source | None = None, isolation: Isolation | None = None
    ) -> IndexStats:
        """Count what is indexed and visible."""
        embedder = self._embedder.get()
        roots = self.roots
        with self._database.transaction(self._place) as db:
            scene = self._scene(db, roots, source, isolation, embedder)
            known = totals(scene)
            rows = scene.execute(
                "SELECT d.project, d.root, coalesce(sum(d.tokens), 0) FROM document d"
                " WHERE d.tenant = %(tenant)s AND d.owner = %(owner)s AND d.problem = ''"
                f" AND {scene.visible.where} GROUP BY 1, 2"
            )
            failed = scene.execute(
                "SELECT d.project, d.root, d.path, d.problem FROM document d WHERE"
                " d.tenant = %(tenant)s AND d.owner = %(owner)s AND d.problem <> ''"
                f" AND {scene.visible.where}"
            )
        by_name = {(root.project, root.name): root for root in roots}
        sources = dict.fromkeys(by_name[project, root].source for project, root, _ in rows)
        held = list(self._held.seen(scene.visible)) if self._held else []
        sources |= dict.fromkeys(one.root.source for one in held)
        return IndexStats(
            total_files=known.files + len(held),
            total_chunks=known.chunks + sum(len(one.chunks) for one in held),
            last_indexed=self._last,
            sources=tuple(sources),
            total_tokens=sum(int(tokens) for _, _, tokens in rows)
            + sum(one.file.tokens for one in held),
            embedding_model=embedder.identity if embedder else "",
            bytes_on_disk=0,
            problems=tuple(
                Problem("not_searched", why, path=by_name[project, root].shown(path, ""))
                for project, root, path, why in failed
            ),
        )
