"""Gather what may answer a query from the visible part of an index.

Rules
- The best chunks by words and the nearest by vectors are candidates, and so are those that stand
  beside the very best: an answer often shares no word with its question.
- Ranking is not done here; see `core.rank`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.core.search.found import SEEDS, SURROUNDED, Findings, FoundChunk
from reverie.core.search.neighbours import candidate_of, locate
from reverie.local.search.lexical import find_words, standing
from reverie.local.search.reading import read_chunk, read_whole
from reverie.local.search.root_index import no_surprise
from reverie.local.search.sources import shown_path
from reverie.local.search.vectors import compare, is_large, some
from reverie.types.ranking import Corpus

if TYPE_CHECKING:
    from reverie.core.search.documents import Lines
    from reverie.core.search.neighbours import Located
    from reverie.core.search.question import QuestionVector
    from reverie.local.search.lexical import Place, View, Words
    from reverie.local.search.root_index import RootIndex, Snapshot
    from reverie.local.search.sources import Root
    from reverie.types.ranking import Candidate, Query

__all__ = ["Finding", "Scene", "find"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Findings["Root"]):
    """What was found, and the files it is read from."""

    max_file_bytes: int
    views: Sequence[View]
    places: Mapping[str, Place]
    """Where the candidates stand in the views, by their keys."""
    indexes: Sequence[RootIndex] = ()
    """Whose views these are; one of which turns out to be damaged is not read again."""

    def frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return in how many of the chunks that may be seen some terms stand."""
        with no_surprise(self.indexes):
            return find_words(self.views, standing(self.views, terms)).frequency

    def counts(self, terms: Sequence[str], keys: Sequence[str]) -> list[dict[str, int]]:
        """Return how often any terms stand in some candidates."""
        with no_surprise(self.indexes):
            return find_words(self.views, terms).counts([self.places[key] for key in keys])

    def read(self, key: str, *, context_tokens: int) -> Lines | None:
        """Return a candidate's text and lines; None when its file changed since."""
        found = self.chunks[key]
        return read_chunk(
            found.root,
            found.file.path,
            found.chunk,
            limit=self.max_file_bytes,
            context_tokens=context_tokens,
        )

    def _shown(self, found: FoundChunk[Root]) -> str:
        return shown_path(found.root, found.file.path, found.file.label)

    def _whole(self, found: FoundChunk[Root]) -> str | None:
        return read_whole(found.root, found.file.path, limit=self.max_file_bytes)


@dataclass(slots=True)
class Scene:
    """The visible part of the index during one search."""

    snapshots: list[tuple[Root, Snapshot]] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    owner: list[int] = field(default_factory=list)
    """Which snapshot each view is of."""
    indexes: list[RootIndex] = field(default_factory=list)
    files: int = 0
    max_file_bytes: int = 0


def find(scene: Scene, query: Query, asked: QuestionVector) -> Finding:
    """Gather candidates by words, and by meaning where the question has a vector."""
    vector = asked.vector
    words = find_words(scene.views, query.terms, query.emphasis)
    near, mean, deviation = _near(scene, vector)
    best = words.best(SEEDS)
    around = {*best[:SURROUNDED], *list(near)[:SURROUNDED]}
    located = _locate(scene, list(dict.fromkeys([*best, *near])), around)
    candidates, chunks = _candidates(scene, located, words, near, vector)
    places = {made.key: place for made, (place, _, _) in zip(candidates, located, strict=True)}
    corpus = Corpus(
        chunks=words.chunks,
        average_length=words.average_length,
        frequency=words.frequency,
        cosine_mean=mean,
        cosine_deviation=deviation,
        trust=asked.trust,
        profile=asked.profile,
    )
    return Finding(
        candidates,
        corpus,
        scene.files,
        by_words=bool(query.terms),
        by_vectors=bool(near),
        chunks=chunks,
        max_file_bytes=scene.max_file_bytes,
        views=scene.views,
        places=places,
    )


def _near(scene: Scene, vector: Sequence[float]) -> tuple[dict[Place, float], float, float]:
    """Return the nearest places with their cosines, and mean and deviation of all."""
    if not vector:
        return {}, 0.0, 0.0
    large = is_large(sum(view.segment.size for view in scene.views))
    best: list[
        tuple[float, Place]
    ] = []  # with the cosine's sign turned, so that they sort as they are
    count = 0
    total = squares = 0.0
    for at, view in enumerate(scene.views):
        found = compare(view.segment, vector, visible=view.visible, limit=SEEDS, large=large)
        best += [(-value, (at, place)) for value, place in found.best]
        weight = view.chunks / found.count if found.count else 0.0  # a sample stands for all
        count += view.chunks if found.count else 0
        total += found.total * weight
        squares += found.squares * weight
    best.sort()
    mean = total / count if count else 0.0
    deviation = math.sqrt(max(squares / count - mean * mean, 0.0)) if count else 0.0
    return {place: -turned for turned, place in best[:SEEDS]}, mean, deviation


def _locate(
    scene: Scene, seeds: Sequence[Place], around: set[Place]
) -> list[tuple[Place, int, Located]]:
    """Find the rows of the seeds and of the neighbours that may be seen, with their places."""
    found: list[tuple[Place, int, Located]] = []
    for number, (_, snapshot) in enumerate(scene.snapshots):
        views = [at for at, owner in enumerate(scene.owner) if owner == number]
        own = [seed for seed in seeds if scene.owner[seed[0]] == number]
        ids = {seed: scene.views[seed[0]].segment.ids[seed[1]] for seed in own}
        places = {id_: seed for seed, id_ in ids.items()}
        beside = [id_ for seed, id_ in ids.items() if seed in around]
        for item in locate(snapshot.kept, list(places), beside):
            place = places.get(item.chunk.id) or _place(scene, views, item.chunk.id)
            if place:
                found.append((place, number, item))
    return found


def _place(scene: Scene, views: Sequence[int], id_: int) -> Place | None:
    for at in views:
        view = scene.views[at]
        place = view.segment.place(id_)
        if place is not None and (view.visible is None or view.visible[place]):
            return at, place
    return None


def _candidates(
    scene: Scene,
    located: Sequence[tuple[Place, int, Located]],
    words: Words,
    near: dict[Place, float],
    vector: Sequence[float],
) -> tuple[list[Candidate], dict[str, FoundChunk[Root]]]:
    cosines = _cosines(scene, [place for place, _, _ in located], near, vector)
    counts = words.counts([place for place, _, _ in located])
    candidates: list[Candidate] = []
    chunks: dict[str, FoundChunk[Root]] = {}
    for (place, number, item), often in zip(located, counts, strict=True):
        made = candidate_of(
            item,
            number,
            counts=often,
            length=scene.views[place[0]].segment.lengths[place[1]],
            cosine=cosines.get(place),
        )
        candidates.append(made)
        chunks[made.key] = FoundChunk(scene.snapshots[number][0], item.chunk, item.file)
    return candidates, chunks


def _cosines(
    scene: Scene, places: Sequence[Place], near: dict[Place, float], vector: Sequence[float]
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
