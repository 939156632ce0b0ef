"""The statements of a search: what of a place may be seen, which of it holds words or lies near.

Rules
- Scope first, then rank: the condition of what may be seen is part of every statement, so what is
  hidden is in no count, average or list of candidates.
- Words are scored where they lie: one statement reads the postings of the question's words, and sends the
  best chunks. Vectors are compared within the place; every key begins with the tenant, so the work does not
  grow with other tenants.
- Asking and reading are two steps, so that several questions travel together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING, Any, Final

from reverie.core.search.found import SEEDS
from reverie.core.search.signals import K1, MIN_AVERAGE_LENGTH, B
from reverie.postgres.search.batch import as_vector
from reverie.postgres.search.words import term_number

if TYPE_CHECKING:
    from reverie.postgres.database import Asked, Connection
    from reverie.postgres.place import Place
    from reverie.postgres.search.roots import Visible
    from reverie.types.ranking import Query


_SAMPLE: Final = 2048
_OWN: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project IN ('', %(project)s)"

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

    def ask(
        self, statement: str, values: Mapping[str, Any] | None = None, *, binary: bool = False
    ) -> Asked:
        """Send a statement with the place's and the condition's values."""
        every = {**self.place.values, **self.visible.values, **(values or {})}
        return self.db.execute(statement, every, prepare=False, binary=binary)

    def execute(self, statement: str, values: Mapping[str, Any] | None = None) -> list[Any]:
        """Run a statement."""
        return self.ask(statement, values).fetchall()


@dataclass(frozen=True, slots=True)
class Totals:
    """How much may be seen."""

    files: int
    chunks: int
    terms: int
    lacking: int
    """Chunks without the wanted vectors."""

    def plus(self, more: Totals) -> Totals:
        """Count both together."""
        return Totals(
            self.files + more.files,
            self.chunks + more.chunks,
            self.terms + more.terms,
            self.lacking + more.lacking,
        )


def _known(visible: Visible) -> str:
    """Return what counts the files, chunks and terms that may be seen, and chunks of other embedders."""
    if visible.whole:
        what, where = "sum(files)", f"shelf WHERE {_OWN} AND root = ANY(%(shelves)s)"
    else:
        what = "count(*)"
        where = f"document d WHERE {_OWN} AND problem = '' AND {visible.where}"
    return (
        f"SELECT coalesce({what}, 0)::bigint AS files, coalesce(sum(chunks), 0)::bigint AS chunks,"
        " coalesce(sum(terms), 0)::bigint AS terms, coalesce(sum(chunks) FILTER"
        f" (WHERE model <> %(model)s), 0)::bigint AS lacking FROM {where}"
    )


def totals(scene: Scene) -> Totals:
    """Count what may be seen."""
    return Totals(*scene.execute(_known(scene.visible), {"model": scene.model})[0])


# --- words ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Words:
    """What the words of a query find, and how much there is to find."""

    known: Totals
    frequency: Mapping[str, int]
    best: Sequence[Key]


def _seen(visible: Visible) -> str:
    """Return what lists the chunks that may be seen."""
    return (
        "SELECT project, generate_series(first, first + chunks - 1) AS id FROM document d"
        f" WHERE {_OWN} AND {visible.where}"
    )


def _held(visible: Visible) -> str:
    """Return the postings `held` of the asked words, as far as they may be seen."""
    rows = (
        "SELECT project, word, bucket, held FROM passage_word"
        f" WHERE {_OWN} AND root = ANY(%(shelves)s) AND word = ANY(%(numbers)s::bigint[])"
    )
    if visible.whole:
        return f"held AS MATERIALIZED ({rows})"
    return (
        f"seen AS MATERIALIZED ({_seen(visible)}), held AS MATERIALIZED (SELECT project, word, bucket,"
        f" array_agg(one) AS held FROM (SELECT project, word, bucket, unnest(held) AS one FROM ({rows})"
        " AS stored) AS each WHERE (project, bucket * 256 + one %% 256) IN (SELECT project, id FROM seen)"
        " GROUP BY project, word, bucket)"
    )


_OFTEN: Final = (
    "often AS MATERIALIZED (SELECT word, sum(cardinality(held))::bigint AS often"
    " FROM held GROUP BY word)"
)


def ask_words(scene: Scene, query: Query) -> Asked:
    """Ask for the best chunks with one of the words, in how many each word stands, and the totals."""
    asked = list(dict.fromkeys(query.terms))
    return scene.ask(
        f"WITH known AS MATERIALIZED ({_known(scene.visible)}), {_held(scene.visible)}, {_OFTEN},"
        " slow AS MATERIALIZED (SELECT %(k1)s * %(b)s / greatest(terms::float8 / greatest(chunks, 1),"
        " %(least)s) AS each FROM known), weighed AS MATERIALIZED (SELECT word,"
        " ln(1 + ((SELECT chunks FROM known) - often + 0.5::float8) / (often + 0.5::float8))"
        " * (%(emphasis)s::float8[])[array_position(%(numbers)s::bigint[], word)] AS weight FROM often),"
        " best AS MATERIALIZED (SELECT project, id, sum(weight * often / (often + %(k1)s * (1 - %(b)s)"
        " + length * (SELECT each FROM slow))) AS score FROM (SELECT project, bucket * 256 + one %% 256"
        " AS id, weight, one >> 8 & 255 AS often, one >> 16 AS length FROM (SELECT h.project, h.bucket,"
        " w.weight, unnest(h.held) AS one FROM held h JOIN weighed w USING (word)) AS packed) AS each"
        # Rounded, for the last bits depend on the order in which words were added up.
        " GROUP BY project, id ORDER BY (sum(weight * often / (often + %(k1)s * (1 - %(b)s) + length"
        " * (SELECT each FROM slow))) * 1e9)::bigint DESC, project DESC, id LIMIT %(seeds)s)"
        " SELECT k.*, ARRAY(SELECT word FROM often ORDER BY word), ARRAY(SELECT often FROM often"
        " ORDER BY word), ARRAY(SELECT project FROM best), ARRAY(SELECT id FROM best) FROM known k",
        {
            "model": scene.model,
            "numbers": [term_number(term) for term in asked],
            "emphasis": [query.emphasis.get(term, 1.0) for term in asked],
            "k1": K1,
            "b": B,
            "least": MIN_AVERAGE_LENGTH,
            "seeds": SEEDS,
        },
        binary=True,
    )


def read_words(asked: Asked, query: Query) -> Words:
    """Read what the words found."""
    files, chunks, terms, lacking, words, often, projects, ids = asked.fetchall()[0]
    held = dict(zip(words, often, strict=True))
    frequency = {term: held.get(term_number(term), 0) for term in query.terms}
    best = list(zip(projects, ids, strict=True))
    return Words(Totals(files, chunks, terms, lacking), frequency, best)


def known_words(scene: Scene, terms: Sequence[str]) -> dict[str, int]:
    """Return in how many visible chunks some words stand; words that stand in none are left out."""
    asked = {term_number(term): term for term in terms}
    rows = scene.execute(
        f"WITH {_held(scene.visible)}, {_OFTEN} SELECT word, often FROM often",
        {"numbers": list(asked)},
    )
    return {asked[word]: often for word, often in rows}


# --- vectors ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Near:
    """The nearest chunks with their cosines, and mean and deviation of all."""

    cosines: Mapping[Key, float]
    mean: float = 0.0
    deviation: float = 0.0


_SHOWN: Final = "(v.project, v.chunk) IN (SELECT project, id FROM seen)"
_MY: Final = "v.tenant = %(tenant)s AND v.owner = %(owner)s AND v.project IN ('', %(project)s)"


def ask_near(scene: Scene, vector: Sequence[float]) -> Asked | None:
    """Ask for the nearest chunks, unless some have no vector or there are too many to compare."""
    if not vector:
        return None
    return scene.ask(
        f"WITH known AS MATERIALIZED ({_known(scene.visible)}), seen AS MATERIALIZED"
        f" ({_seen(scene.visible)}), every AS MATERIALIZED (SELECT v.project,"
        f" v.chunk, -(v.embedding <#> %(asked)s::halfvec) AS cosine FROM vector v WHERE {_MY}"
        f" AND {_SHOWN} AND (SELECT lacking = 0 AND chunks <= %(above)s FROM known)), best AS"
        " (SELECT * FROM every ORDER BY cosine DESC, project, chunk LIMIT %(seeds)s)"
        " SELECT (SELECT lacking = 0 AND chunks > %(above)s FROM known),"
        " (SELECT avg(cosine) FROM every), (SELECT stddev_pop(cosine) FROM every),"
        " ARRAY(SELECT project FROM best), ARRAY(SELECT chunk FROM best), ARRAY(SELECT cosine FROM best)",
        {
            "asked": as_vector(vector),
            "seeds": SEEDS,
            "model": scene.model,
            "above": scene.approximate_above,
        },
        binary=True,
    )


def read_near(asked: Asked | None) -> Near | None:
    """Read the nearest chunks; None where there are too many to compare with every one."""
    if asked is None:
        return Near({})
    large, mean, deviation, projects, chunks, cosines = asked.fetchall()[0]
    if large:
        return None
    found = dict(zip(zip(projects, chunks, strict=True), map(float, cosines), strict=True))
    return Near(found, float(mean or 0.0), float(deviation or 0.0))


def near_by_index(scene: Scene, vector: Sequence[float], known: Totals) -> Near:
    """Find the nearest chunks of a large place by its own approximate index."""
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
            f"WITH seen AS MATERIALIZED ({_seen(scene.visible)}) SELECT v.project, v.chunk, v.cosine"
            f" FROM ({nearest}) AS v WHERE {_SHOWN} ORDER BY v.cosine DESC LIMIT %(seeds)s",
            {**asked, "here": project},
        )
        found |= {(row[0], row[1]): float(row[2]) for row in rows}
    best = dict(nlargest(SEEDS, found.items(), key=lambda item: item[1]))
    step = max(known.chunks // _SAMPLE, 1)
    row = scene.execute(
        f"WITH seen AS MATERIALIZED ({_seen(scene.visible)}) SELECT avg(cosine), stddev_pop(cosine)"
        f" FROM (SELECT -(v.embedding <#> %(asked)s::halfvec) AS cosine FROM vector v WHERE {_MY}"
        f" AND v.chunk %% %(step)s = 0 AND {_SHOWN}) AS picked",
        {**asked, "step": step},
    )[0]
    return Near(best, float(row[0] or 0.0), float(row[1] or 0.0))
