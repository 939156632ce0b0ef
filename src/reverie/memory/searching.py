"""Search: the index, its tools and its watcher."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from reverie.errors import (
    DiskFull,
    FileFailed,
    IndexBroken,
    NotAFile,
    ReadOnly,
    StoreError,
)
from reverie.memory.opened import Opened
from reverie.once import once
from reverie.types import (
    Source,
)

if TYPE_CHECKING:
    from threading import Event

    from reverie.config import SecretSettings
    from reverie.memory.engine import Index
    from reverie.memory.filling import Filling
    from reverie.types import (
        Excerpt,
        Hit,
        Indexed,
        IndexStats,
        Isolation,
        SearchOutcome,
    )
    from reverie.types.ranking import Near
    from reverie.verbs.search import SourceName

# How long a search waits for another process that is indexing before it takes the last finished state.
SYNC_WAIT_SECONDS = 2.0
# The same while nothing was indexed yet: an empty answer would be taken for "there is no such memory".
FIRST_WAIT_SECONDS = 20.0
# How long a search goes on indexing itself before it answers from what is there.
SYNC_SECONDS = 20.0
_STEP_SECONDS = 1.0
# The same where a quicker embedder can answer meanwhile.
SLOW_SYNC_SECONDS = 2.0
_UNWRITTEN: Final = {
    kind.code: kind for kind in (DiskFull, ReadOnly, FileFailed, NotAFile, IndexBroken)
}
"""What kept an index from being written; a search goes on in memory, and says so."""
SENTENCE_MODELS: Final = ("multilingual",)
"""Providers on this machine whose cosines were measured, and are believed alone."""
_MEANWHILE: Final = (
    "vectors of the embedder you chose are still being made; until they are, the static ones answer, which"
    " know less. `reverie embedder status` says how far it is, `reverie index` waits for it"
)
_TOLD_IN_A_SEARCH: Final = {*_UNWRITTEN, "index_rebuilt"}

_Answer = TypeVar("_Answer")


def _healed(ask: Callable[[], _Answer]) -> _Answer:
    """Ask once more where the index turns out to be damaged: what was met is made anew first."""
    try:
        return ask()
    except IndexBroken:
        return ask()


@lru_cache(maxsize=1024)
def _masked(text: str, policy: SecretSettings) -> str:
    """Mask a passage; the same ones are found again and again."""
    from reverie.core.runs.planning import masked

    return masked(text, policy)


class SearchVerbs(Opened):
    """The verbs of the search index."""

    @once
    def search_index(self) -> Index:
        """The index of everything that is searched; opened when first used."""
        from reverie.models.embedders import LazyEmbedder

        return self.engine.open_index(LazyEmbedder(self._open_embedder))

    @once
    def _filling(self) -> Filling:
        """What answers while the vectors of another embedder are being made."""
        from reverie.memory.filling import Filling
        from reverie.models.embedded import EmbeddedEmbedder
        from reverie.models.embedders import LazyEmbedder

        index = self.search_index
        return Filling(index, lambda: self.engine.open_index(LazyEmbedder(EmbeddedEmbedder)))

    def _fills(self) -> bool:
        """Say whether vectors are being made behind our back, which who asks now need not wait for."""
        filling: Filling | None = self.__dict__.get("_filling")
        return filling is not None and filling.at_work

    def _has_stand_in(self) -> bool:
        """Say whether another embedder is quicker than the one that is wanted."""
        return self.embedder is None and self._provider() not in ("none", "embedded")

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
        from reverie.core.search.fading import Fading
        from reverie.verbs.search import search

        limits = self.settings.search

        def searched() -> SearchOutcome:
            fills = self._fills()
            late = () if fills else self._catch_up()
            index = self.search_index
            if fills or (self._has_stand_in() and index.is_filling()):
                index = self._filling.instead()
                index.sync(wait=SYNC_WAIT_SECONDS, seconds=SYNC_SECONDS)
                late = (_MEANWHILE,)
            today = self.clock().date()
            outcome = search(
                query,
                index=index,
                max_results=limits.max_results if max_results is None else max_results,
                min_score=limits.min_score if min_score is None else min_score,
                source=source,
                isolation=isolation,
                context_tokens=context_tokens,
                fading=Fading(today, limits.half_life_days),
                today=today,
            )
            whence = self._imported(outcome.results)
            results = tuple(
                replace(
                    hit,
                    text=self._shown(hit.text),
                    imported=whence.get(hit.path, ""),
                    passages=tuple(
                        replace(more, text=self._shown(more.text)) for more in hit.passages
                    ),
                )
                for hit in outcome.results
            )
            return replace(outcome, results=results, warnings=(*outcome.warnings, *late))

        return _healed(searched)

    def _near_topics(self, query: str, named: Collection[str] = ()) -> Near | None:
        """Tell what in managed memory means the same as a query, and how near the named memories are.

        None where the embedder was not measured as a sentence model: its cosines are not believed alone.
        """
        from reverie.memory.closeness import near_memories

        if self.embedder is None and self._provider() not in SENTENCE_MODELS:
            return None
        if self._fills():
            return None
        self._catch_up(Source.MEMORY)
        index, embedder = self.search_index, self._open_embedder()
        if embedder is None or index.is_filling():
            return None
        return near_memories(query, index=index, embedder=embedder, named=named)

    def _nearest(self, statement: str) -> Mapping[str, float]:
        """Name the topics of managed memory nearest in meaning to a statement, by path, nearest first.

        None where the sentence model would have to be loaded first: keeping a statement does not wait for it.
        """
        from reverie.core.search.query import read_query
        from reverie.core.topics.beside import near_ones

        if self.embedder is not None or self._provider() not in SENTENCE_MODELS:
            return {}
        if not getattr(self._open_embedder(), "is_loaded", False):
            return {}
        if self._fills():
            return {}
        self._catch_up(Source.MEMORY)
        if self.search_index.is_filling():
            return {}
        found = self.search_index.find(
            statement, read_query(statement), source=Source.MEMORY, isolation=None
        )
        cosines: dict[str, float] = {}
        for item in found.candidates:
            if item.cosine is not None:
                path = found.about(item.key)[0]
                cosines[path] = max(item.cosine, cosines.get(path, -1.0))
        return near_ones(statement, cosines)

    def _imported(self, hits: Sequence[Hit]) -> dict[str, str]:
        """Tell from where memories were imported; other files were not written by an import of ours."""
        named = {
            hit.path for hit in hits if hit.source is Source.MEMORY and hit.path.startswith("/")
        }
        return self.engine.imported(sorted(named))

    def _shown(self, text: str) -> str:
        """Mask what a person wrote into a file by hand: a result goes to an agent and its model."""
        return _masked(text, self.settings.secrets)

    def _catch_up(self, source: Source | None = None) -> tuple[str, ...]:
        """Look for changes before a search; what prevents it is a warning, the last state is there."""
        seconds = SLOW_SYNC_SECONDS if self._has_stand_in() else SYNC_SECONDS
        try:
            done = self.search_index.sync(wait=SYNC_WAIT_SECONDS, seconds=seconds, source=source)
            waits = source is None and not done.current and not done.left
            if waits and not self.search_index.stats().total_files:
                done = self.search_index.sync(wait=FIRST_WAIT_SECONDS, seconds=seconds)
        except StoreError as error:
            return (f"{str(error).rstrip('.')}. The last finished state was searched.",)
        notes = dict.fromkeys(
            problem.message for problem in done.problems if problem.code in _TOLD_IN_A_SEARCH
        )
        if done.left:
            return (
                f"{done.left} files are not indexed yet; `reverie index` continues with them",
                *notes,
            )
        if not done.current:
            return ("another process is indexing; the newest changes may be missing", *notes)
        return tuple(notes)

    def get(self, path: str, lines: str = "", *, isolation: Isolation | None = None) -> Excerpt:
        """Read lines of a file that is searched, as results name them."""
        from reverie.verbs.search import get

        def read() -> Excerpt:
            if path.startswith("chat://"):
                self._catch_up(Source.CHAT)
            found = get(path, lines, index=self.search_index, isolation=isolation)
            return replace(found, text=self._shown(found.text))

        return _healed(read)

    def stats(self, *, isolation: Isolation | None = None) -> IndexStats:
        """Count what is indexed and visible."""

        def counted() -> IndexStats:
            self._catch_up()
            return self.search_index.stats(isolation=isolation)

        return _healed(counted)

    def index(
        self,
        paths: Sequence[str] = (),
        *,
        remove: bool = False,
        rebuild: bool = False,
        purge: bool = False,
        on_step: Callable[[Indexed], None] | None = None,
    ) -> Indexed:
        """Bring the search index up to date; `paths` are searched from now on, or with `remove` no more.

        Args:
            rebuild: Read every file again; searches see the old state until it is done.
            purge: Leave nothing of removed texts anywhere in the index.
            on_step: Called every second or so with what was done, and how many files are left.
        """
        from reverie.core.search.indexing import taken_in

        if paths:
            kept = self.engine.name_paths(paths, remove=remove)
            if remove:
                self.search_index.drop_extras(kept)
            self._close_index()
        wait = self.settings.memory.lock_wait_seconds
        done = self.search_index.sync(
            wait=wait, rebuild=rebuild, purge=purge, seconds=_STEP_SECONDS if on_step else None
        )
        while on_step and done.left:
            on_step(done)
            done = taken_in(
                replace(done, left=0, current=True),
                self.search_index.sync(wait=wait, seconds=_STEP_SECONDS),
            )
        for problem in done.problems:
            if problem.code in _UNWRITTEN:
                raise _UNWRITTEN[problem.code](problem.message, path=problem.path)
        return done

    def watch(
        self, on_sync: Callable[[Indexed], None] = lambda _: None, *, stop: Event | None = None
    ) -> None:
        """Keep the search index up to date until `stop` is set."""
        self.search_index.watch(on_sync, stop=stop)

    def _close_index(self) -> None:
        filling = self.__dict__.pop("_filling", None)
        if filling:
            filling.close()
        index = self.__dict__.pop("search_index", None)
        if index:
            index.close()

    def close(self) -> None:
        """Close the search index too."""
        self._close_index()
        super().close()
