"""Gather what may answer a query from the visible rows of a place.

Ranking is not done here; see `core.rank`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from reverie.core.search.chunk import ChunkSize, split_lines
from reverie.core.search.documents import grown, turn_document
from reverie.core.search.found import SURROUNDED, Findings, FoundChunk, lines_of, part_of_turn
from reverie.core.search.neighbours import candidate_of, locate
from reverie.errors import ReverieError
from reverie.postgres.search.indexer import read_text
from reverie.postgres.search.seeking import (
    JOINED,
    OWN,
    Scene,
    cosines_of,
    count_words,
    find_near,
    find_words,
    known_words,
    totals,
)
from reverie.types.ranking import Candidate, ChunkRow, Corpus, FileRow

if TYPE_CHECKING:
    from reverie.core.search.documents import Lines
    from reverie.core.search.question import QuestionVector
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.place import Place
    from reverie.postgres.search.roots import Root, Visible
    from reverie.postgres.search.seeking import Key, Near, Words
    from reverie.types.ranking import Query

_CHUNK: Final = (
    "c.id, c.file, c.place, c.first, c.last, c.start, c.stop, c.crc, c.cid,"
    " c.speaker, c.flags, c.day"
)
_FILE: Final = (
    "d.id, d.path, '', d.hash, d.first, d.chunks, d.tokens, d.title, d.label,"
    " d.grp, d.ord, d.problem"
)


class Rows:
    """The rows of one project (or the person) that may be seen, as `locate` wants them."""

    def __init__(self, scene: Scene, project: str) -> None:
        self._scene = scene
        self._project = project

    def chunks(self, ids: Iterable[int]) -> list[ChunkRow]:
        """Return chunks by their numbers, in order."""
        wanted = sorted(set(ids))
        if not wanted:
            return []
        rows = self._scene.execute(
            f"SELECT {_CHUNK}, c.length FROM {JOINED} WHERE {OWN} AND c.project = %(here)s"
            f" AND c.id = ANY(%(ids)s) AND {self._scene.visible.where} ORDER BY c.id",
            {"here": self._project, "ids": wanted},
        )
        found: list[ChunkRow] = []
        for *row, length in rows:
            item = ChunkRow._make(row)
            self._scene.lengths[self._project, item.id] = length
            found.append(item)
        return found

    def files(self, ids: Sequence[int]) -> dict[int, FileRow]:
        """Return files by their numbers."""
        rows = self._files("AND d.id = ANY(%(ids)s)", {"ids": list(ids)})
        return {row.id: row for row in rows}

    def around(self, group: str, order: int, reach: int) -> list[FileRow]:
        """Return the files of a group before, at and after a place, in order."""
        values = {"grp": group, "ord": order, "reach": reach}
        same = "AND d.grp = %(grp)s AND d.grp <> ''"
        before = self._files(
            f"{same} AND d.ord < %(ord)s ORDER BY d.ord DESC LIMIT %(reach)s", values
        )
        after = self._files(
            f"{same} AND d.ord >= %(ord)s ORDER BY d.ord LIMIT %(reach)s + 1", values
        )
        return [*reversed(before), *after]

    def _files(self, tail: str, values: Mapping[str, Any]) -> list[FileRow]:
        rows = self._scene.execute(
            f"SELECT d.root, {_FILE} FROM document d WHERE d.tenant = %(tenant)s"
            " AND d.owner = %(owner)s AND d.project = %(here)s"
            f" AND {self._scene.visible.where} {tail}",
            {**values, "here": self._project},
        )
        found: list[FileRow] = []
        for root, *row in rows:
            item = FileRow._make(row)
            self._scene.roots[self._project, item.id] = root
            found.append(item)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Findings["Root"]):
    """What was found, and the rows it is read from."""

    database: Database
    place: Place
    visible: Visible
    _texts: dict[str, str | None] = field(default_factory=dict)

    def frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return in how many of the chunks that may be seen some terms stand."""
        with self.database.transaction(self.place) as db:
            return known_words(Scene(db, self.place, self.visible, "", 0), terms)

    def counts(self, terms: Sequence[str], keys: Sequence[str]) -> list[dict[str, int]]:
        """Return how often any terms stand in some candidates."""
        places = [self._key(key) for key in keys]
        with self.database.transaction(self.place) as db:
            found = count_words(db, self.place, terms, places)
        return [found[place] for place in places]

    def _key(self, key: str) -> Key:
        found = self.chunks[key]
        return found.root.project, found.chunk.id

    def read(self, key: str, *, context_tokens: int) -> Lines | None:
        """Return a candidate's text and lines; None when its file changed since."""
        found = self.chunks[key]
        text = self._whole(found)
        if text is None:
            return None
        row = found.chunk
        spoken = bool(found.file.label)
        data = part_of_turn(text, row) if spoken else text.encode("utf-8")[row.start : row.stop]
        lines = lines_of(data, row)
        return (
            grown(split_lines(text), lines, context_tokens) if lines and context_tokens else lines
        )

    def _shown(self, found: FoundChunk[Root]) -> str:
        return found.root.shown(found.file.path, found.file.label)

    def _whole(self, found: FoundChunk[Root]) -> str | None:
        name = f"{found.root.name}\0{found.file.path}"
        if name not in self._texts:
            with self.database.transaction(self.place) as db:
                self._texts[name] = shown_text(
                    db, self.place, found.root, found.file.path, found.file.order
                )
        return self._texts[name]


def shown_text(db: Connection, place: Place, root: Root, path: str, order: int) -> str | None:
    """Return the text whose lines results name; None when it is gone or cannot be read."""
    try:
        text = read_text(db, place, root, path, order)
        if text is None or root.kind != "turns":
            return text
        return turn_document(text, seq=order, size=ChunkSize()).text
    except ReverieError:
        return None


def find(scene: Scene, query: Query, asked: QuestionVector, *, database: Database) -> Finding:
    """Gather candidates by words, and by meaning where the question has a vector."""
    vector = asked.vector
    known = totals(scene)
    words = find_words(scene, query, known)
    near = find_near(scene, vector, known)
    seeds = list(dict.fromkeys([*words.best, *near.cosines]))
    around = {*list(words.best)[:SURROUNDED], *list(near.cosines)[:SURROUNDED]}
    candidates, chunks = _candidates(scene, seeds, around, words, near, vector)
    corpus = Corpus(
        chunks=known.chunks,
        average_length=known.terms / max(known.chunks, 1),
        frequency=words.frequency,
        cosine_mean=near.mean,
        cosine_deviation=near.deviation,
        trust=asked.trust,
        profile=asked.profile,
    )
    return Finding(
        candidates,
        corpus,
        known.files,
        by_words=bool(query.terms),
        by_vectors=bool(near.cosines),
        chunks=chunks,
        database=database,
        place=scene.place,
        visible=scene.visible,
    )


def _candidates(
    scene: Scene,
    seeds: Sequence[Key],
    around: set[Key],
    words: Words,
    near: Near,
    vector: Sequence[float],
) -> tuple[list[Candidate], dict[str, FoundChunk[Root]]]:
    located = [
        (project, item)
        for project in sorted({project for project, _ in seeds})
        for item in locate(
            Rows(scene, project),
            [number for own, number in seeds if own == project],
            [number for own, number in seeds if own == project and (own, number) in around],
        )
    ]
    cosines = dict(near.cosines)
    if cosines:
        missing = [(project, item.chunk.id) for project, item in located]
        cosines |= cosines_of(scene, [key for key in missing if key not in cosines], vector)
    candidates: list[Candidate] = []
    chunks: dict[str, FoundChunk[Root]] = {}
    for project, item in located:
        key = (project, item.chunk.id)
        number = scene.visible.number(project, scene.roots[project, item.file.id])
        made = candidate_of(
            item,
            number,
            counts=words.counts.get(key, {}),
            length=scene.lengths[key],
            cosine=cosines.get(key),
        )
        candidates.append(made)
        chunks[made.key] = FoundChunk(scene.visible.root(number), item.chunk, item.file)
    return candidates, chunks
