"""How near memories are to a prompt, by the search index and the sentence model, and in which order.

Rules
- Candidates and their order are those of a search (`core.search.rank`); a recall only has another bar.
- Only the nearest few are compared with ordinary prompts, and those that the caller names. What a memory has
  in common with ordinary prompts is kept: it changes only with the memory.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Final

from reverie.core.questions.closeness import closeness, mean_of_others
from reverie.core.search.indexing import meant
from reverie.core.search.query import read_query
from reverie.core.search.question import MEASURED
from reverie.core.search.rank import rank
from reverie.types import Chunk, Source
from reverie.types.ranking import Near

if TYPE_CHECKING:
    from reverie.core.questions.closeness import Spread
    from reverie.ports import Embedder, Finding, SearchPort
    from reverie.types.ranking import Candidate, Query

__all__ = ["near_memories"]

LOOKED_AT: Final = 4
WORTH_A_LOOK: Final = 0.12  # a cosine below this is never near enough
_KEPT: Final = 8_192

_guard: Final = Lock()
_spreads: Final[OrderedDict[bytes, tuple[Spread, Spread]]] = OrderedDict()


def near_memories(
    prompt: str, *, index: SearchPort, embedder: Embedder, named: Collection[str]
) -> Near | None:
    """Tell how near the nearest memories are, and those that are named by their paths.

    None where nothing can be told: the embedder was not measured as a sentence model, or does not know the
    script.
    """
    query = read_query(prompt)
    found = index.find(prompt, query, source=Source.MEMORY, isolation=None)
    corpus = found.corpus
    profile = corpus.profile
    if profile is None or profile.centred or profile.name not in MEASURED or corpus.trust < 1:
        return None
    best = _best(found)
    nearest = sorted(best, key=lambda path: best[path], reverse=True)[:LOOKED_AT]
    looked_at = {path for path in nearest if best[path][0] >= WORTH_A_LOOK}
    close: dict[str, float] = {}
    for path in looked_at | (best.keys() & set(named)):
        cosine, key = best[path]
        spreads = _spreads_of(found, key, embedder)
        if spreads is not None:
            mean = mean_of_others(cosine, mean=corpus.cosine_mean, count=corpus.chunks)
            close[path] = closeness(cosine, mean=mean, work=spreads[0], everyday=spreads[1])

    def alike(statement: str) -> Mapping[str, float]:
        others = index.find(statement, read_query(statement), source=Source.MEMORY, isolation=None)
        return {path: cosine for path, (cosine, _) in _best(others).items()}

    return Near(
        close,
        lambda: _places(query, found.candidates, found),
        {path: cosine for path, (cosine, _) in best.items()},
        alike,
    )


def _best(found: Finding) -> dict[str, tuple[float, str]]:
    """Return for each file the cosine and the key of its nearest candidate."""
    best: dict[str, tuple[float, str]] = {}
    for item in found.candidates:
        if item.cosine is not None:
            path = found.about(item.key)[0]
            best[path] = max((item.cosine, item.key), best.get(path, (-1.0, "")))
    return best


def _places(query: Query, candidates: Sequence[Candidate], found: Finding) -> Mapping[str, int]:
    """Return the places of the candidates' files in the order of a search."""
    places: dict[str, int] = {}
    for hit in rank(query, candidates, found.corpus):
        places.setdefault(found.about(hit.candidate.key)[0], len(places))
    return places


def _spreads_of(found: Finding, key: str, embedder: Embedder) -> tuple[Spread, Spread] | None:
    """Tell how near ordinary prompts are to a candidate; None when its file changed since."""
    lines = found.read(key, context_tokens=0)
    if lines is None:
        return None
    text, first, last = lines
    said = meant(Chunk(text, first, last, 0, len(text), ""))
    mark = hashlib.blake2b(f"{embedder.identity}\0{said}".encode(), digest_size=16).digest()
    with _guard:
        known = _spreads.get(mark)
    if known is None:
        from reverie.models.background import background_of

        known = background_of(embedder).spreads(embedder.embed([said])[0])
        with _guard:
            _spreads[mark] = known
            while len(_spreads) > _KEPT:
                _spreads.popitem(last=False)
    return known
