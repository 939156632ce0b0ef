"""The search index of a workspace: one index per root, searched together.

Rules
- Scope first, then rank: what a search may not see is no part of its counts, averages or candidates.
- A search looks at the files before it looks at the index, so it sees an edit made just before.
- Without vectors everything works by words. An embedder that fails is named in the outcome, and the
  index without vectors is used meanwhile: vectors are all there or not at all.
- Whatever is wrong with an index, the answer is the one that the files give: it is made anew, and where
  nothing can be written, in memory. Both are told.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.search.chunk import ChunkSize
from reverie.core.search.found import Whole
from reverie.core.search.indexing import taken_in
from reverie.core.search.question import embed_question, failure_told
from reverie.errors import (
    EmbedderFailed,
    IndexBroken,
    PathEscape,
    StoreError,
    UntrustedFolder,
)
from reverie.local.resting import Resting, rests
from reverie.local.search.extra_paths import named_paths
from reverie.local.search.finding import Scene, find
from reverie.local.search.indexer import FILLING, Job, rebuilt, sync
from reverie.local.search.isolation import filter_of, rule_for
from reverie.local.search.reading import is_below, name_file, read_whole
from reverie.local.search.root_index import HeldIndex, Recipe, RootIndex, no_surprise
from reverie.local.search.sources import CHAT, links_out, places, roots_of, shown_path
from reverie.local.search.vectors import unit
from reverie.types import Indexed, IndexStats, Problem, Source

if TYPE_CHECKING:
    from threading import Event

    from reverie.config import Settings
    from reverie.core.search.isolation import Rule
    from reverie.local.search.finding import Finding
    from reverie.local.search.reading import Named
    from reverie.local.search.root_index import Snapshot
    from reverie.local.search.sources import Root
    from reverie.ports import Embedder, EmbedderSlot
    from reverie.types import Isolation, Workspace
    from reverie.types.ranking import Query

__all__ = ["SearchIndex", "open_index"]


class SearchIndex(Resting):
    """The indexes of all roots of one workspace. Safe to use from several threads."""

    def __init__(
        self,
        workspace: Workspace,
        roots: Sequence[Root],
        *,
        home: Path,
        settings: Settings,
        embedder: EmbedderSlot,
        clock: Callable[[], datetime],
        closed: Callable[[], bool] = lambda: False,
        refused: Sequence[Problem] = (),
    ) -> None:
        self.workspace = workspace
        self._roots = list(roots)
        self._closed = closed
        self._refused = tuple(refused)
        self._home = home
        self._settings = settings
        self._clock = clock
        self._embedder = embedder
        self._indexes: dict[tuple[Root, str], RootIndex] = {}
        self._held: dict[tuple[Root, str], RootIndex] = {}
        """Those that cannot be written now, in memory."""
        self._guard = threading.Lock()
        rests(self)

    @property
    def roots(self) -> list[Root]:
        """What is searched now: nothing that came with a project that is not trusted."""
        shut = self._shut()
        return [root for root in self._roots if root not in shut]

    def _shut(self) -> list[Root]:
        """List what nobody may see; asked for each time, because trust changes."""
        came = [root for root in self._roots if root.provenance]
        return came if came and self._closed() else []

    def rest(self) -> None:
        """Close what can be opened again."""
        with self._guard:
            indexes = list(self._indexes.values())
        for index in indexes:
            index.close()

    def close(self) -> None:
        for index in self._indexes.values():
            index.close()
        self._indexes.clear()
        self._held.clear()

    def _recipe(self, embedder: Embedder | None) -> Recipe:
        search = self._settings.search
        return Recipe(
            ChunkSize(search.chunk_tokens, search.chunk_overlap),
            embedder,
            self._settings.memory.max_file_bytes,
            search.approximate_above,
        )

    def _index(self, root: Root, embedder: Embedder | None) -> RootIndex:
        """Return the index of a root: the one in memory while the other cannot be written."""
        recipe = self._recipe(embedder)
        with self._guard:
            return self._held.get((root, recipe.identity)) or self._kept(root, recipe)

    def _kept(self, root: Root, recipe: Recipe) -> RootIndex:
        key = (root, recipe.identity)
        if key not in self._indexes:
            wait = self._settings.memory.lock_wait_seconds
            self._indexes[key] = RootIndex(root, self._home, recipe, wait=wait)
        return self._indexes[key]

    # --- keeping up -------------------------------------------------------------------------------

    def sync(
        self,
        *,
        wait: float,
        seconds: float | None = None,
        source: Source | None = None,
        rebuild: bool = False,
        purge: bool = False,
    ) -> Indexed:
        """Take in what changed in the files of all roots, or of one source; see `indexer.Job`."""
        job = Job(now=self._clock, wait=wait, seconds=seconds, rebuild=rebuild, purge=purge)
        total = Indexed(0, 0, 0, 0, rebuilt=rebuild, problems=self._refused)
        for root in self.roots:
            if source is None or root.source is source:
                total = taken_in(total, self._sync(root, job))
        return total

    def _sync(self, root: Root, job: Job) -> Indexed:
        try:
            return self._sync_index(root, self._embedder.get(), job)
        except EmbedderFailed as error:
            self._embedder.failed(error)
            return self._sync_index(root, None, job)

    def _sync_index(self, root: Root, embedder: Embedder | None, job: Job) -> Indexed:
        recipe = self._recipe(embedder)
        key = (root, recipe.identity)
        with self._guard:
            kept = self._kept(root, recipe)
        try:
            done = sync(kept, job)
        except StoreError as error:
            trouble = Problem(error.code, str(error), path=str(error.evidence.get("path", "")))
        else:
            if not kept.broken:
                with self._guard:
                    self._held.pop(key, None)
                return done
            trouble = rebuilt(kept.broken)
        with self._guard:
            if key not in self._held:
                self._held[key] = HeldIndex(root, self._home, recipe)
            held = self._held[key]
        done = sync(held, job)
        return replace(done, problems=(*done.problems, trouble))

    def is_filling(self) -> bool:
        """Say whether an index is being made for the first time and lacks files yet."""
        embedder = self._embedder.get()
        for index in (self._index(root, embedder) for root in self.roots):
            if index.exists():
                with index.reading() as snapshot:
                    if snapshot.db.meta(FILLING):
                        return True
        return False

    def drop_extras(self, kept: Sequence[str]) -> None:
        """Throw away the indexes of extra paths that are searched no more."""
        searched = {*kept, *self._settings.search.extra_paths}
        for root in self.roots:
            if root.kind == "extra" and not searched & {str(root.path), root.given}:
                index = self._index(root, self._embedder.get())
                index.discard()
                shutil.rmtree(index.folder.parent, ignore_errors=True)

    @property
    def searched(self) -> list[str]:
        """The folders and files that are searched."""
        return [str(place) for root in self.roots for place in places(root)]

    def watch(self, on_sync: Callable[[Indexed], None], *, stop: Event | None = None) -> None:
        """Sync after every change of the files until `stop` is set."""
        from reverie.local.search.watch import watch

        watch(self, on_sync, settings=self._settings.search, stop=stop)

    # --- searching --------------------------------------------------------------------------------

    def find(
        self,
        text: str,
        query: Query,
        *,
        source: Source | None = None,
        isolation: Isolation | None = None,
    ) -> Finding:
        """Gather what may answer a query: the best chunks by words and by vectors, and those beside."""
        try:
            return self._find(text, query, source, isolation)
        except IndexBroken as error:
            self.sync(wait=self._settings.memory.lock_wait_seconds, source=source)
            found = self._find(text, query, source, isolation)
            return replace(found, warnings=(*found.warnings, rebuilt(error).message))

    def _find(
        self, text: str, query: Query, source: Source | None, isolation: Isolation | None
    ) -> Finding:
        asked = embed_question(self._embedder, text, as_vector=unit)
        with ExitStack() as stack:
            scene = self._scene(stack, asked.embedder, source, isolation)
            stack.enter_context(no_surprise(scene.indexes))
            found = find(scene, query, asked)
            found = replace(found, indexes=scene.indexes)
        return replace(found, warnings=failure_told(self._embedder))

    def _scene(
        self,
        stack: ExitStack,
        embedder: Embedder | None,
        source: Source | None,
        isolation: Isolation | None,
    ) -> Scene:
        scene = Scene(max_file_bytes=self._settings.memory.max_file_bytes)
        for root, rule in self._visible(source, isolation):
            index = self._index(root, embedder)
            if not index.exists():
                continue
            snapshot = stack.enter_context(index.reading())
            scene.indexes.append(index)
            only = filter_of(rule)
            scene.files += _totals(snapshot, rule)[0]
            for view in snapshot.views(only):
                scene.views.append(view)
                scene.owner.append(len(scene.snapshots))
            scene.snapshots.append((root, snapshot))
        return scene

    def _visible(
        self, source: Source | None, isolation: Isolation | None
    ) -> list[tuple[Root, Rule]]:
        roots = [root for root in self.roots if source is None or root.source is source]
        rules = [(root, rule_for(root, isolation, self.workspace)) for root in roots]
        return [(root, rule) for root, rule in rules if rule]

    # --- reading ----------------------------------------------------------------------------------

    def whole(self, path: str, *, isolation: Isolation | None = None) -> Whole:
        """Return the whole text that a path in a result means."""
        if path.startswith(CHAT):
            return self._turn(path, isolation)
        named = self._named(path)
        rule_for(named.root, isolation, self.workspace).check(named.rel, "", path=path)
        text = read_whole(named.root, named.rel, limit=self._settings.memory.max_file_bytes)
        shown = shown_path(named.root, named.rel, "")
        return Whole(shown, text, named.root.source, named.root.provenance)

    def _named(self, path: str) -> Named:
        """Find the file that a path means; say so if it is one of a project that is not trusted."""
        shut = self._shut()
        if not shut:
            return name_file(path, self._roots, self.workspace)
        try:
            named = name_file(path, self.roots, self.workspace)
        except PathEscape:
            name_file(path, shut, self.workspace)  # raises the same if it is none of theirs
        else:
            if not is_below(shut, named.path):
                return named
        raise UntrustedFolder(
            f"{path} came with {self.workspace.base}, which is not trusted, so it is not read;"
            " `reverie trust` changes that",
            path=path,
        )

    def _turn(self, path: str, isolation: Isolation | None) -> Whole:
        for root in self.roots:
            index = self._index(root, self._embedder.get())
            if root.kind != "turns" or not index.exists():
                continue
            with index.reading() as snapshot:
                file = snapshot.db.labelled(path)
            if file is None:
                continue
            rule_for(root, isolation, self.workspace).check(file.path, file.group, path=path)
            text = read_whole(root, file.path, limit=self._settings.memory.max_file_bytes)
            return Whole(path, text, root.source)
        return Whole(path, None, Source.CHAT)

    # --- counting ---------------------------------------------------------------------------------

    def stats(
        self, *, source: Source | None = None, isolation: Isolation | None = None
    ) -> IndexStats:
        """Count what is indexed and visible."""
        embedder = self._embedder.get()
        files = chunks = tokens = size = 0
        last = ""
        sources: dict[Source, None] = {}
        problems = list(self._refused)
        for root, rule in self._visible(source, isolation):
            index = self._index(root, embedder)
            if not index.exists():
                continue
            with index.reading() as snapshot:
                some_files, some_chunks, some_tokens = _totals(snapshot, rule)
                last = max(last, snapshot.db.meta("indexed") or "")
                for rel, reason in snapshot.db.problems():
                    if rule.permits(rel, ""):
                        problems.append(Problem("not_searched", reason, path=str(root.path / rel)))
            files, chunks = files + some_files, chunks + some_chunks
            tokens += some_tokens
            size += index.size_on_disk() if rule.everything else 0
            if some_files:
                sources[root.source] = None
        return IndexStats(
            total_files=files,
            total_chunks=chunks,
            last_indexed=datetime.fromisoformat(last) if last else None,
            sources=tuple(sources),
            total_tokens=tokens,
            embedding_model=embedder.identity if embedder else "",
            bytes_on_disk=size,
            problems=tuple(problems),
        )


def _totals(snapshot: Snapshot, rule: Rule) -> tuple[int, int, int]:
    only = filter_of(rule)
    if only is None:
        return snapshot.db.totals()
    ranges = snapshot.db.ranges(only.where, only.values)
    return len(ranges), sum(item[1] for item in ranges), sum(item[2] for item in ranges)


def open_index(
    workspace: Workspace,
    *,
    settings: Settings,
    embedder: EmbedderSlot,
    clock: Callable[[], datetime],
    env: Mapping[str, str],
    closed: Callable[[], bool] = lambda: False,
) -> SearchIndex:
    """Open the search index of a workspace; nothing is read or made before it is used.

    Args:
        closed: Says whether what came with the project's folder may not be seen.
    """
    extra = [*settings.search.extra_paths, *named_paths(workspace, now=clock())]
    return SearchIndex(
        workspace,
        roots_of(workspace, extra, env=env),
        refused=links_out(workspace, extra, env=env),
        home=Path(workspace.state) / "index",
        settings=settings,
        embedder=embedder,
        clock=clock,
        closed=closed,
    )
