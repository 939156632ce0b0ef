"""Gather what may answer a query from the visible rows of a place.

Rules
- Scope first, then rank: the condition of what may be seen is part of every statement, so what is
  hidden is in no count, average or list of candidates.
- Words are found by one pass over the place's own chunks, and vectors likewise; the key begins with
  the tenant, so the work does not grow with other tenants.
- Ranking is not done here; see `core.rank`.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TYPE_CHECKING, Any, Final

from reverie.core.chunk import ChunkSize, join_lines, split_lines
from reverie.core.documents import ChunkRow, FileRow, Lines, grown, turn_document
from reverie.core.evidence import K1, MIN_AVERAGE_LENGTH, B
from reverie.core.neighbours import candidate_of, locate
from reverie.core.rank import Candidate, Corpus
from reverie.errors import ReverieError
from reverie.postgres.indexer import as_vector, read_text, term_number

if TYPE_CHECKING:
    from reverie.core.query import Query
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.place import Place
    from reverie.postgres.roots import Root, Visible
    from reverie.types import Source

_SEEDS: Final = 64
_SURROUNDED: Final = 24
_SAMPLE: Final = 2048
_OWN: Final = "c.tenant = %(tenant)s AND c.owner = %(owner)s AND c.project IN ('', %(project)s)"
_JOINED: Final = (
    "chunk c JOIN document d ON d.tenant = c.tenant AND d.owner = c.owner AND d.project = c.project"
    " AND d.id = c.file"
)
_CHUNK: Final = (
    "c.id, c.file, c.place, c.first, c.last, c.start, c.stop, c.crc, c.cid,"
    " c.speaker, c.flags, c.day"
)
_FILE: Final = (
    "d.id, d.path, '', d.hash, d.first, d.chunks, d.tokens, d.title, d.label,"
    " d.grp, d.ord, d.problem"
)

Key = tuple[str, int]
"""Whose chunk (its project), and its number."""


@dataclass(slots=True)
class Scene:
    """One search: a transaction, and what of the place may be seen in it."""

    db: Connection
    place: Place
    visible: Visible
    model: str
    """The embedder whose vectors count; empty: none."""
    approximate_above: int
    lengths: dict[Key, int] = field(default_factory=dict)
    roots: dict[Key, str] = field(default_factory=dict)
    """The root of each document that was looked up."""

    def execute(self, statement: str, values: Mapping[str, Any] | None = None) -> list[Any]:
        """Run a statement with the place's and the condition's values."""
        every = {**self.place.values, **self.visible.values, **(values or {})}
        return self.db.execute(statement, every, prepare=False).fetchall()


@dataclass(frozen=True, slots=True)
class Totals:
    """How much may be seen."""

    files: int
    chunks: int
    terms: int
    lacking: int
    """Documents without the wanted vectors."""


def totals(scene: Scene) -> Totals:
    """Count what may be seen."""
    row = scene.execute(
        "SELECT count(*), coalesce(sum(d.chunks), 0), coalesce(sum(d.terms), 0),"
        " count(*) FILTER (WHERE d.model <> %(model)s AND d.chunks > 0) FROM document d"
        " WHERE d.tenant = %(tenant)s AND d.owner = %(owner)s AND d.problem = ''"
        f" AND {scene.visible.where}",
        {"model": scene.model},
    )[0]
    return Totals(*(int(value) for value in row))


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
            f"SELECT {_CHUNK}, c.length FROM {_JOINED} WHERE {_OWN} AND c.project = %(here)s"
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


# --- words ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Words:
    """What the words of a query find."""

    counts: Mapping[Key, Mapping[str, int]]
    frequency: Mapping[str, int]
    best: Sequence[Key]


def find_words(scene: Scene, query: Query, known: Totals) -> Words:
    """Find every visible chunk with one of the words, and the best of them."""
    asked = list(dict.fromkeys(query.terms))
    if not asked:
        return Words({}, {}, ())
    numbers = [term_number(term) for term in asked]
    columns = ", ".join(
        f"c.counts[array_position(c.words, %(n{place})s::bigint)]" for place in range(len(asked))
    )
    values = {f"n{place}": number for place, number in enumerate(numbers)}
    rows = scene.execute(
        f"SELECT c.project, c.id, c.length, ARRAY[{columns}] FROM {_JOINED} WHERE {_OWN}"
        f" AND c.words && %(numbers)s::bigint[] AND {scene.visible.where}",
        {**values, "numbers": numbers},
    )
    counts: dict[Key, dict[str, int]] = {}
    frequency = dict.fromkeys(asked, 0)
    for project, number, length, some in rows:
        own = {term: count for term, count in zip(asked, some, strict=True) if count}
        counts[project, number] = own
        scene.lengths[project, number] = length
        for term in own:
            frequency[term] += 1
    weights = {
        term: math.log(1 + (known.chunks - often + 0.5) / (often + 0.5))
        * query.emphasis.get(term, 1.0)
        for term, often in frequency.items()
        if often
    }
    average = max(known.terms / max(known.chunks, 1), MIN_AVERAGE_LENGTH)

    def score(key: Key) -> tuple[float, str, int]:
        slow = K1 * (1 - B + B * scene.lengths[key] / average)
        value = sum(weights[term] * count / (count + slow) for term, count in counts[key].items())
        return value, key[0], -key[1]

    return Words(counts, frequency, nlargest(_SEEDS, counts, key=score))


# --- vectors ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Near:
    """The nearest chunks with their cosines, and mean and deviation of all."""

    cosines: Mapping[Key, float]
    mean: float = 0.0
    deviation: float = 0.0


_VECTORS: Final = (
    f"{_JOINED} JOIN vector v ON v.tenant = c.tenant AND v.owner = c.owner"
    " AND v.project = c.project AND v.chunk = c.id"
)


def find_near(scene: Scene, vector: Sequence[float], known: Totals) -> Near:
    """Find the nearest chunks; large places are searched by their own approximate index."""
    if not vector or known.lacking or not known.chunks:
        return Near({})
    if known.chunks > scene.approximate_above:
        return _near_by_index(scene, vector, known)
    rows = scene.execute(
        "WITH every AS MATERIALIZED (SELECT c.project, c.id, -(v.embedding <#> %(asked)s::halfvec)"
        f" AS cosine FROM {_VECTORS} WHERE {_OWN} AND {scene.visible.where})"
        " SELECT project, id, cosine, (SELECT avg(cosine) FROM every),"
        " (SELECT stddev_pop(cosine) FROM every) FROM every"
        " ORDER BY cosine DESC, project, id LIMIT %(seeds)s",
        {"asked": as_vector(vector), "seeds": _SEEDS},
    )
    if not rows:
        return Near({})
    found = {(row[0], row[1]): float(row[2]) for row in rows}
    return Near(found, float(rows[0][3]), float(rows[0][4] or 0.0))


def _near_by_index(scene: Scene, vector: Sequence[float], known: Totals) -> Near:
    size = len(vector)
    asked = {"asked": as_vector(vector), "seeds": _SEEDS}
    scene.db.execute("SELECT set_config('hnsw.ef_search', '200', true)")
    scene.db.execute("SELECT set_config('hnsw.iterative_scan', 'strict_order', true)")
    found: dict[Key, float] = {}
    nearest = (
        f"SELECT v.project, v.chunk, -(v.embedding::halfvec({size}) <#> %(asked)s::halfvec({size}))"
        " AS cosine FROM vector v WHERE v.tenant = %(tenant)s AND v.owner = %(owner)s"
        f" AND v.project = %(here)s ORDER BY v.embedding::halfvec({size})"
        f" <#> %(asked)s::halfvec({size}) LIMIT %(seeds)s * 4"
    )
    for project in sorted({root.project for _, root, _ in scene.visible.roots}):
        # Not prepared: the partial index is used only where the place stands there as a constant.
        rows = scene.execute(
            f"SELECT c.project, c.id, near.cosine FROM ({nearest}) AS near, {_JOINED}"
            f" WHERE {_OWN} AND c.project = near.project AND c.id = near.chunk"
            f" AND {scene.visible.where} ORDER BY near.cosine DESC LIMIT %(seeds)s",
            {**asked, "here": project},
        )
        found |= {(row[0], row[1]): float(row[2]) for row in rows}
    best = dict(nlargest(_SEEDS, found.items(), key=lambda item: item[1]))
    step = max(known.chunks // _SAMPLE, 1)
    row = scene.execute(
        "SELECT avg(cosine), stddev_pop(cosine) FROM (SELECT -(v.embedding <#> %(asked)s::halfvec)"
        f" AS cosine FROM {_VECTORS} WHERE {_OWN} AND c.id %% %(step)s = 0"
        f" AND {scene.visible.where}) AS picked",
        {**asked, "step": step},
    )[0]
    return Near(best, float(row[0] or 0.0), float(row[1] or 0.0))


def cosines_of(scene: Scene, keys: Sequence[Key], vector: Sequence[float]) -> dict[Key, float]:
    """Return the cosines of single chunks."""
    if not vector or not keys:
        return {}
    found: dict[Key, float] = {}
    for project in {project for project, _ in keys}:
        rows = scene.execute(
            "SELECT v.chunk, -(v.embedding <#> %(asked)s::halfvec) FROM vector v WHERE"
            " v.tenant = %(tenant)s AND v.owner = %(owner)s AND v.project = %(here)s"
            " AND v.chunk = ANY(%(ids)s)",
            {
                "asked": as_vector(vector),
                "here": project,
                "ids": [number for own, number in keys if own == project],
            },
        )
        found |= {(project, number): float(cosine) for number, cosine in rows}
    return found


# --- together ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A candidate's chunk and file."""

    root: Root
    chunk: ChunkRow
    file: FileRow


@dataclass(slots=True)
class Finding:
    """Everything that ranking needs to know about a query, and the way to what was found."""

    candidates: list[Candidate]
    corpus: Corpus
    files: int
    by_words: bool
    by_vectors: bool
    chunks: Mapping[str, FoundChunk]
    database: Database
    place: Place
    warnings: tuple[str, ...] = ()
    _texts: dict[str, str | None] = field(default_factory=dict)

    def about(self, key: str) -> tuple[str, Source, str]:
        """Return path, source and title of a candidate."""
        found = self.chunks[key]
        return (
            found.root.shown(found.file.path, found.file.label),
            found.root.source,
            found.file.title,
        )

    def lines(self, key: str, first: int, last: int) -> str | None:
        """Return lines of a candidate's file."""
        text = self._whole(self.chunks[key])
        return None if text is None else join_lines(split_lines(text), first, last)

    def read(self, key: str, *, context_tokens: int) -> Lines | None:
        """Return a candidate's text and lines; None when its file changed since."""
        found = self.chunks[key]
        text = self._whole(found)
        if text is None:
            return None
        row = found.chunk
        if found.file.label:
            data = text[row.start : row.stop].encode("utf-8", "surrogatepass")
        else:
            data = text.encode("utf-8")[row.start : row.stop]
        if zlib.crc32(data) != row.crc:
            return None
        lines = Lines(data.decode("utf-8", "surrogatepass"), row.first, row.last)
        return grown(split_lines(text), lines, context_tokens) if context_tokens else lines

    def _whole(self, found: FoundChunk) -> str | None:
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


def find(
    scene: Scene, query: Query, vector: Sequence[float], *, trust: float, database: Database
) -> Finding:
    """Gather candidates; `vector` is empty without an embedder."""
    known = totals(scene)
    words = find_words(scene, query, known)
    near = find_near(scene, vector, known)
    seeds = list(dict.fromkeys([*words.best, *near.cosines]))
    around = {*list(words.best)[:_SURROUNDED], *list(near.cosines)[:_SURROUNDED]}
    candidates, chunks = _candidates(scene, seeds, around, words, near, vector)
    corpus = Corpus(
        chunks=known.chunks,
        average_length=known.terms / max(known.chunks, 1),
        frequency=words.frequency,
        cosine_mean=near.mean,
        cosine_deviation=near.deviation,
        trust=trust,
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
    )


def _candidates(
    scene: Scene,
    seeds: Sequence[Key],
    around: set[Key],
    words: Words,
    near: Near,
    vector: Sequence[float],
) -> tuple[list[Candidate], dict[str, FoundChunk]]:
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
    chunks: dict[str, FoundChunk] = {}
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
