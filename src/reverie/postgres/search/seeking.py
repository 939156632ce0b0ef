"""The statements of a search: what of a place may be seen, which of it holds words or lies near.

Rules
- Scope first, then rank: the condition of what may be seen is part of every statement, so what is
  hidden is in no count, average or list of candidates.
- Words are found by one pass over the place's own chunks, and vectors likewise; the key begins with
  the tenant, so the work does not grow with other tenants.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TYPE_CHECKING, Any, Final

from reverie.core.search.found import SEEDS
from reverie.core.search.signals import K1, MIN_AVERAGE_LENGTH, B
from reverie.postgres.search.indexer import as_vector
from reverie.postgres.search.words import term_number

if TYPE_CHECKING:
    from reverie.postgres.database import Connection
    from reverie.postgres.place import Place
    from reverie.postgres.search.roots import Visible
    from reverie.types.ranking import Query

_SAMPLE: Final = 2048
OWN: Final = "c.tenant = %(tenant)s AND c.owner = %(owner)s AND c.project IN ('', %(project)s)"
JOINED: Final = (
    "chunk c JOIN document d ON d.tenant = c.tenant AND d.owner = c.owner AND d.project = c.project"
    " AND d.id = c.file"
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
    columns, values = _counted(numbers)
    rows = scene.execute(
        f"SELECT c.project, c.id, c.length, {columns} FROM {JOINED} WHERE {OWN}"
        f" AND c.words && %(numbers)s::bigint[] AND {scene.visible.where}",
        {**values, "numbers": numbers},
    )
    counts: dict[Key, dict[str, int]] = {}
    frequency = dict.fromkeys(asked, 0)
    for project, number, length, some in rows:
        own = _present(asked, some)
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

    return Words(counts, frequency, nlargest(SEEDS, counts, key=score))


def known_words(scene: Scene, terms: Sequence[str]) -> dict[str, int]:
    """Return in how many visible chunks some words stand; words that stand in none are left out."""
    asked = {term_number(term): term for term in terms}
    rows = scene.execute(
        f"SELECT word, count(*) FROM {JOINED}, unnest(c.words) AS word WHERE {OWN}"
        f" AND c.words && %(numbers)s::bigint[] AND word = ANY(%(numbers)s::bigint[])"
        f" AND {scene.visible.where} GROUP BY word",
        {"numbers": list(asked)},
    )
    return {asked[int(word)]: int(often) for word, often in rows}


def count_words(
    db: Connection, place: Place, terms: Sequence[str], keys: Sequence[Key]
) -> dict[Key, dict[str, int]]:
    """Return how often terms stand in some chunks."""
    asked = list(dict.fromkeys(terms))
    found: dict[Key, dict[str, int]] = {key: {} for key in keys}
    if not asked:
        return found
    columns, values = _counted([term_number(term) for term in asked])
    for project in sorted({project for project, _ in keys}):
        rows = db.execute(
            f"SELECT c.id, {columns} FROM chunk c WHERE {OWN} AND c.project = %(here)s"
            " AND c.id = ANY(%(ids)s)",
            {
                **place.values,
                **values,
                "here": project,
                "ids": [number for own, number in keys if own == project],
            },
            prepare=False,
        )
        for number, some in rows:
            found[project, number] = _present(asked, some)
    return found


def _counted(numbers: Sequence[int]) -> tuple[str, dict[str, int]]:
    """Return the counts of words in a chunk `c` as one column, and the column's values."""
    columns = ", ".join(
        f"c.counts[array_position(c.words, %(n{place})s::bigint)]" for place in range(len(numbers))
    )
    return f"ARRAY[{columns}]", {f"n{place}": number for place, number in enumerate(numbers)}


def _present(asked: Sequence[str], counts: Sequence[int | None]) -> dict[str, int]:
    return {term: count for term, count in zip(asked, counts, strict=True) if count}


# --- vectors ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Near:
    """The nearest chunks with their cosines, and mean and deviation of all."""

    cosines: Mapping[Key, float]
    mean: float = 0.0
    deviation: float = 0.0


_VECTORS: Final = (
    f"{JOINED} JOIN vector v ON v.tenant = c.tenant AND v.owner = c.owner"
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
        f" AS cosine FROM {_VECTORS} WHERE {OWN} AND {scene.visible.where})"
        " SELECT project, id, cosine, (SELECT avg(cosine) FROM every),"
        " (SELECT stddev_pop(cosine) FROM every) FROM every"
        " ORDER BY cosine DESC, project, id LIMIT %(seeds)s",
        {"asked": as_vector(vector), "seeds": SEEDS},
    )
    if not rows:
        return Near({})
    found = {(row[0], row[1]): float(row[2]) for row in rows}
    return Near(found, float(rows[0][3]), float(rows[0][4] or 0.0))


def _near_by_index(scene: Scene, vector: Sequence[float], known: Totals) -> Near:
    size = len(vector)
    asked = {"asked": as_vector(vector), "seeds": SEEDS}
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
            f"SELECT c.project, c.id, near.cosine FROM ({nearest}) AS near, {JOINED}"
            f" WHERE {OWN} AND c.project = near.project AND c.id = near.chunk"
            f" AND {scene.visible.where} ORDER BY near.cosine DESC LIMIT %(seeds)s",
            {**asked, "here": project},
        )
        found |= {(row[0], row[1]): float(row[2]) for row in rows}
    best = dict(nlargest(SEEDS, found.items(), key=lambda item: item[1]))
    step = max(known.chunks // _SAMPLE, 1)
    row = scene.execute(
        "SELECT avg(cosine), stddev_pop(cosine) FROM (SELECT -(v.embedding <#> %(asked)s::halfvec)"
        f" AS cosine FROM {_VECTORS} WHERE {OWN} AND c.id %% %(step)s = 0"
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
