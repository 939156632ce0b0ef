"""The search index of a workspace: one index per root, searched together.

Rules
- Scope first, then rank: what a search may not see is no part of its counts, averages or candidates.
- A search looks at the files before it looks at the index, so it sees an edit made just before.
- Without vectors everything works by words. An embedder that fails is named in the outcome, and the
  index without vectors is used meanwhile: vectors are all there or not at all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from reverie.config import Settings
from reverie.core.chunk import ChunkSize
from reverie.core.query import Query
from reverie.core.rank import Candidate, Corpus
from reverie.errors import EmbedderFailed
from reverie.local.indexdb import ChunkRow, FileRow
from reverie.local.indexer import ASKS, TURN, sync
from reverie.local.isolation import Rule, rule_for
from reverie.local.lexical import Place, View, Words, find_words
from reverie.local.neighbours import Located, locate
from reverie.local.rootindex import Recipe, RootIndex, Snapshot
from reverie.local.sources import Root
from reverie.local.vectors import compare, is_large, some, unit
from reverie.ports import Embedder
from reverie.types import Indexed, IndexStats, Isolation, Problem, Source, Workspace

__all__ = ["Finding", "FoundChunk", "SearchIndex"]

_SEEDS: Final = 200  # best chunks by words, and as many by vectors, that are ranked
_SURROUNDED: Final = 50  # of each, those whose neighbours are ranked with them
_RETRY_SECONDS: Final = 60.0  # how long an embedder that failed is left alone
_ROLES: Final = frozenset({"user", "human", "assistant", "model", "ai", "bot", "system", "tool"})
_PERSON: Final = frozenset({"user", "human"})


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A candidate's chunk and file, as the index has them."""

    root: Root
    chunk: ChunkRow
    file: FileRow


@dataclass(frozen=True, slots=True)
class Finding:
    """Everything that ranking needs to know about a query."""

    candidates: list[Candidate]
    corpus: Corpus
    files: int
    by_words: bool
    by_vectors: bool
    chunks: dict[str, FoundChunk]
    """By the candidates' keys."""
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Scene:
    """The visible part of the index during one search."""

    snapshots: list[tuple[RootIndex, Snapshot]] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    owner: list[int] = field(default_factory=list)
    """Which snapshot each view is of."""
    files: int = 0


class SearchIndex:
    """The indexes of all roots of one workspace. Safe to use from several threads."""

    def __init__(
        self,
        workspace: Workspace,
        roots: Sequence[Root],
        *,
        home: Path,
        settings: Settings,
        open_embedder: Callable[[], Embedder | None],
        clock: Callable[[], datetime],
    ) -> None:
        self.workspace = workspace
        self.roots = list(roots)
        self._home = home
        self._settings = settings
        self._clock = clock
        self._open_embedder = open_embedder
        self._embedder: Embedder | None = None
        self._opened = False
        self._failure = ""
        self._failed_at = -math.inf
        self._indexes: dict[tuple[Root, str], RootIndex] = {}

    def close(self) -> None:
        """Close every index."""
        for index in self._indexes.values():
            index.close()
        self._indexes.clear()

    # --- embedder and indexes ---------------------------------------------------------------------

    def embedder(self) -> Embedder | None:
        """Return the embedder, unless there is none or it failed a moment ago."""
        if self._failure and time.monotonic() - self._failed_at < _RETRY_SECONDS:
            return None
        if not self._opened:
            self._opened = True
            try:
                self._embedder = self._open_embedder()
            except EmbedderFailed as error:
                self._fail(error)
                self._opened = False
                return None
        return self._embedder

    def _fail(self, error: EmbedderFailed) -> None:
        self._failure = f"{error}. Searched by words alone."
        self._failed_at = time.monotonic()

    def _index(self, root: Root, embedder: Embedder | None) -> RootIndex:
        search = self._settings.search
        recipe = Recipe(
            ChunkSize(search.chunk_tokens, search.chunk_overlap),
            embedder,
            self._settings.memory.max_file_bytes,
            search.approximate_above,
        )
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
        source: Source | None = None,
        rebuild: bool = False,
        purge: bool = False,
    ) -> Indexed:
        """Take in what changed in the files of all roots, or of one source."""
        total = Indexed(0, 0, 0, 0, rebuilt=rebuild)
        for root in self.roots:
            if source is None or root.source is source:
                done = self._sync(root, wait, rebuild=rebuild, purge=purge)
                total = replace(
                    total,
                    files=total.files + done.files,
                    removed=total.removed + done.removed,
                    chunks=total.chunks + done.chunks,
                    embedded=total.embedded + done.embedded,
                    current=total.current and done.current,
                    problems=(*total.problems, *done.problems),
                )
        return total

    def _sync(self, root: Root, wait: float, *, rebuild: bool, purge: bool) -> Indexed:
        index = self._index(root, self.embedder())
        try:
            return sync(index, now=self._clock, wait=wait, rebuild=rebuild, purge=purge)
        except EmbedderFailed as error:
            self._fail(error)
            index = self._index(root, None)
            return sync(index, now=self._clock, wait=wait, rebuild=rebuild, purge=purge)

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
        embedder = self.embedder()
        vector = self._embed(embedder, text)
        with ExitStack() as stack:
            scene = self._scene(stack, embedder, source, isolation)
            words = find_words(scene.views, query.terms)
            near, mean, deviation = self._near(scene, vector)
            by_words = words.best(_SEEDS)
            around = [*by_words[:_SURROUNDED], *list(near)[:_SURROUNDED]]
            seeds = list(dict.fromkeys([*by_words, *near]))
            located = _locate(scene, seeds, set(around))
            candidates, chunks = _candidates(scene, located, words, near, vector)
        trust = getattr(embedder, "trust", None)
        corpus = Corpus(
            chunks=words.chunks,
            average_length=words.average_length,
            frequency=words.frequency,
            cosine_mean=mean,
            cosine_deviation=deviation,
            trust=trust(text) if trust else 1.0,
        )
        return Finding(
            candidates,
            corpus,
            scene.files,
            by_words=bool(query.terms),
            by_vectors=bool(near),
            chunks=chunks,
            warnings=(self._failure,) if self._failure and not self.embedder() else (),
        )

    def _embed(self, embedder: Embedder | None, text: str) -> list[float]:
        if embedder is None:
            return []
        try:
            vector = unit(embedder.embed([text])[0])
        except EmbedderFailed as error:
            self._fail(error)
            return []
        return vector if any(vector) else []

    def _scene(
        self,
        stack: ExitStack,
        embedder: Embedder | None,
        source: Source | None,
        isolation: Isolation | None,
    ) -> _Scene:
        scene = _Scene()
        for root, rule in self._visible(source, isolation):
            index = self._index(root, embedder)
            if not index.exists():
                continue
            snapshot = stack.enter_context(index.reading())
            only = rule.filter()
            scene.files += _totals(snapshot, rule)[0]
            for view in snapshot.views(only):
                scene.views.append(view)
                scene.owner.append(len(scene.snapshots))
            scene.snapshots.append((index, snapshot))
        return scene

    def _visible(
        self, source: Source | None, isolation: Isolation | None
    ) -> list[tuple[Root, Rule]]:
        roots = [root for root in self.roots if source is None or root.source is source]
        rules = [(root, rule_for(root, isolation, self.workspace)) for root in roots]
        return [(root, rule) for root, rule in rules if rule]

    def _near(
        self, scene: _Scene, vector: Sequence[float]
    ) -> tuple[dict[Place, float], float, float]:
        """Return the nearest places with their cosines, and mean and deviation of all."""
        if not vector:
            return {}, 0.0, 0.0
        large = is_large(sum(view.segment.size for view in scene.views))
        best: list[tuple[float, Place]] = []
        count = 0
        total = squares = 0.0
        for at, view in enumerate(scene.views):
            found = compare(view.segment, vector, visible=view.visible, limit=_SEEDS, large=large)
            best += [(value, (at, place)) for value, place in found.best]
            weight = view.chunks / found.count if found.count else 0.0  # a sample stands for all
            count += view.chunks if found.count else 0
            total += found.total * weight
            squares += found.squares * weight
        best.sort(key=lambda item: (-item[0], item[1]))
        mean = total / count if count else 0.0
        deviation = math.sqrt(max(squares / count - mean * mean, 0.0)) if count else 0.0
        return {place: value for value, place in best[:_SEEDS]}, mean, deviation

    # --- counting ---------------------------------------------------------------------------------

    def stats(
        self, *, source: Source | None = None, isolation: Isolation | None = None
    ) -> IndexStats:
        """Count what is indexed and visible."""
        embedder = self.embedder()
        files = chunks = tokens = size = 0
        last = ""
        sources: dict[Source, None] = {}
        problems: list[Problem] = []
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
    only = rule.filter()
    if only is None:
        return snapshot.db.totals()
    ranges = snapshot.db.ranges(only.where, only.values)
    return len(ranges), sum(item[1] for item in ranges), sum(item[2] for item in ranges)


def _locate(
    scene: _Scene, seeds: Sequence[Place], around: set[Place]
) -> list[tuple[Place, int, Located]]:
    """Find the rows of the seeds and of the neighbours that may be seen, with their places."""
    found: list[tuple[Place, int, Located]] = []
    for number, (_, snapshot) in enumerate(scene.snapshots):
        views = [at for at, owner in enumerate(scene.owner) if owner == number]
        own = [seed for seed in seeds if scene.owner[seed[0]] == number]
        ids = {seed: scene.views[seed[0]].segment.ids[seed[1]] for seed in own}
        places = {id_: seed for seed, id_ in ids.items()}
        beside = [id_ for seed, id_ in ids.items() if seed in around]
        for item in locate(snapshot.db, list(places), beside):
            place = places.get(item.chunk.id) or _place(scene, views, item.chunk.id)
            if place:
                found.append((place, number, item))
    return found


def _place(scene: _Scene, views: Sequence[int], id_: int) -> Place | None:
    for at in views:
        view = scene.views[at]
        place = view.segment.place(id_)
        if place is not None and (view.visible is None or view.visible[place]):
            return at, place
    return None


def _candidates(
    scene: _Scene,
    located: Sequence[tuple[Place, int, Located]],
    words: Words,
    near: dict[Place, float],
    vector: Sequence[float],
) -> tuple[list[Candidate], dict[str, FoundChunk]]:
    cosines = _cosines(scene, [place for place, _, _ in located], near, vector)
    counts = words.counts([place for place, _, _ in located])
    candidates: list[Candidate] = []
    chunks: dict[str, FoundChunk] = {}
    for (place, number, item), often in zip(located, counts, strict=True):
        row = item.chunk
        key = f"{number}:{row.id}"
        speaker = row.speaker.lower()
        candidates.append(
            Candidate(
                key=key,
                group=f"{number}/{item.group}",
                order=item.order,
                counts=often,
                length=scene.views[place[0]].segment.lengths[place[1]],
                cosine=cosines.get(place),
                speaker=speaker,
                turn=bool(row.flags & TURN) and speaker not in _ROLES,
                asks=bool(row.flags & ASKS),
                owner=speaker in _PERSON,
                date=(row.day // 10_000, row.day // 100 % 100, row.day % 100) if row.day else None,
            )
        )
        chunks[key] = FoundChunk(scene.snapshots[number][0].root, row, item.file)
    return candidates, chunks


def _cosines(
    scene: _Scene, places: Sequence[Place], near: dict[Place, float], vector: Sequence[float]
) -> dict[Place, float]:
    """Return the cosine of every place; those that were not among the nearest are computed."""
    if not vector:
        return {}
    found = dict(near)
    missing: dict[int, list[int]] = {}
    for at, place in places:
        if (at, place) not in found:
            missing.setdefault(at, []).append(place)
    large = is_large(sum(view.segment.size for view in scene.views))
    for at, some_places in missing.items():
        values = some(scene.views[at].segment, vector, some_places, large=large)
        found |= {(at, place): value for place, value in zip(some_places, values, strict=True)}
    return found
