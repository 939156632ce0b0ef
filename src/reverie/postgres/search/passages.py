"""The words of a place's chunks, stored by word: which chunks hold a word, how often, how long they are.

Rules
- Words are kept in the transaction that keeps or takes the chunks, and so is what each root holds.
- Whoever writes here has locked the project's row of `space` (`hold`), so that two of them, an indexer and
  one who erases, never wait for each other in a circle.
- No statement joins: a planner that has not seen a tenant takes everything of it for one row, and joins by
  loops in loops. What is wanted is named by whole keys instead.
- Numbers of chunks only grow, so buckets thin out where texts are often rewritten. Before that costs, all
  chunks get new numbers in a row (`compact`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from reverie.postgres.events import make_spaces

if TYPE_CHECKING:
    from reverie.postgres.database import Connection
    from reverie.postgres.place import Place

BUCKET: Final = 256
MOST_COUNT: Final = 255
"""More often in one chunk makes no difference to a score; the file engine counts as far."""
STAMP: Final = "words/1"
"""Stands in the mark of a place whose words are kept here."""
_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(here)s"
_THIN: Final = 8
"""Compacted when there are this many times as many numbers as chunks,"""
_MANY: Final = 64 * BUCKET
"""and at least so many."""
_WORDS: Final = (
    "SELECT %(tenant)s, %(owner)s, %(here)s, root, word, id / 256, array_agg((id %% 256)"
    " | (least(often, 255)::bigint << 8) | (length::bigint << 16) ORDER BY id)"
)
_INTO: Final = "INSERT INTO passage_word (tenant, owner, project, root, word, bucket, held)"


def hold(db: Connection, place: Place, project: str) -> None:
    """Lock the words of a project (or, empty, the person) until the transaction ends."""
    make_spaces(db, place, (project,))
    values = {**place.values, "here": project}
    db.execute(f"SELECT 1 FROM space WHERE {_HERE} FOR UPDATE", values)


def put_in(db: Connection, place: Place, project: str, root: str, first: int, last: int) -> None:
    """Keep the words of the chunks from one number to another, which are of one root."""
    db.execute(
        f"{_INTO} {_WORDS} FROM (SELECT %(root)s::text AS root, id, length, unnest(words) AS word,"
        f" unnest(counts) AS often FROM chunk WHERE {_HERE} AND id BETWEEN %(first)s AND %(last)s)"
        " AS c GROUP BY root, word, id / 256 ON CONFLICT (tenant, owner, project, root, word, bucket)"
        " DO UPDATE SET held = passage_word.held || EXCLUDED.held",
        {**place.values, "here": project, "root": root, "first": first, "last": last},
        prepare=False,
    )


def take_out(
    db: Connection, place: Place, project: str, roots: Iterable[str], chunks: Iterable[int]
) -> None:
    """Forget the words of some chunks, which are still there."""
    buckets: dict[int, list[int]] = {}
    for number in chunks:
        buckets.setdefault(number // BUCKET, []).append(number)
    names = sorted(set(roots))
    for bucket, some in sorted(buckets.items()):
        values = {
            **place.values,
            "here": project,
            "roots": names,
            "bucket": bucket,
            "chunks": some,
            "places": [number % BUCKET for number in some],
        }
        rows = (
            f"{_HERE} AND root = ANY(%(roots)s) AND bucket = %(bucket)s AND word = ANY(ARRAY("
            f"SELECT DISTINCT unnest(words) FROM chunk WHERE {_HERE} AND id = ANY(%(chunks)s)))"
        )
        db.execute(
            "UPDATE passage_word SET held = ARRAY(SELECT one FROM unnest(held) AS one"
            f" WHERE one %% 256 <> ALL(%(places)s::bigint[])) WHERE {rows}",
            values,
            prepare=False,
        )
        db.execute(
            f"DELETE FROM passage_word WHERE {rows} AND cardinality(held) = 0",
            values,
            prepare=False,
        )


def count(
    db: Connection,
    place: Place,
    project: str,
    changes: Mapping[tuple[str, str], tuple[int, int, int]],
) -> None:
    """Add to what roots hold, by root and embedder: files, chunks and terms, which may be negative."""
    for (root, model), (files, chunks, terms) in sorted(changes.items()):
        db.execute(
            "INSERT INTO shelf (tenant, owner, project, root, model, files, chunks, terms) VALUES"
            " (%(tenant)s, %(owner)s, %(here)s, %(root)s, %(model)s, %(files)s, %(chunks)s, %(terms)s)"
            " ON CONFLICT (tenant, owner, project, root, model) DO UPDATE SET"
            " files = shelf.files + EXCLUDED.files, chunks = shelf.chunks + EXCLUDED.chunks,"
            " terms = shelf.terms + EXCLUDED.terms",
            {
                **place.values,
                "here": project,
                "root": root,
                "model": model,
                "files": files,
                "chunks": chunks,
                "terms": terms,
            },
        )


def drop(db: Connection, place: Place, project: str, documents: Sequence[int]) -> None:
    """Take documents out of the index, with their chunks, words and vectors."""
    if not documents:
        return
    hold(db, place, project)
    values: dict[str, Any] = {**place.values, "here": project, "ids": list(documents)}
    rows = db.execute(
        f"DELETE FROM document WHERE {_HERE} AND id = ANY(%(ids)s)"
        " RETURNING root, model, problem, first, chunks, terms",
        values,
    ).fetchall()
    gone: dict[tuple[str, str], tuple[int, int, int]] = {}
    chunks: list[int] = []
    for root, model, problem, first, some, terms in rows:
        chunks += range(first, first + some)
        if not problem:
            add(gone, root, model, -1, -some, -terms)
    values["chunks"] = chunks
    take_out(db, place, project, {row[0] for row in rows}, chunks)
    db.execute(f"DELETE FROM chunk WHERE {_HERE} AND id = ANY(%(chunks)s)", values)
    db.execute(f"DELETE FROM vector WHERE {_HERE} AND chunk = ANY(%(chunks)s)", values)
    count(db, place, project, gone)


def add(
    changes: dict[tuple[str, str], tuple[int, int, int]],
    root: str,
    model: str,
    files: int,
    chunks: int,
    terms: int,
) -> None:
    """Note a change of what a root holds."""
    known = changes.get((root, model), (0, 0, 0))
    changes[root, model] = (known[0] + files, known[1] + chunks, known[2] + terms)


def rebuild(db: Connection, place: Place, project: str) -> None:
    """Make the words and counts of a project anew from its chunks, on the server."""
    hold(db, place, project)
    values = {**place.values, "here": project}
    # All of a place is read, so a join by hashes is right whatever the planner takes it for.
    db.execute("SET LOCAL enable_nestloop = off")
    db.execute(f"DELETE FROM passage_word WHERE {_HERE}", values)
    db.execute(f"DELETE FROM shelf WHERE {_HERE}", values)
    db.execute(
        f"{_INTO} {_WORDS} FROM (SELECT d.root, c.id, c.length, unnest(c.words) AS word,"
        " unnest(c.counts) AS often FROM chunk c JOIN document d ON d.tenant = c.tenant"
        " AND d.owner = c.owner AND d.project = c.project AND d.id = c.file WHERE"
        " c.tenant = %(tenant)s AND c.owner = %(owner)s AND c.project = %(here)s) AS c"
        " GROUP BY root, word, id / 256",
        values,
        prepare=False,
    )
    db.execute(
        "INSERT INTO shelf (tenant, owner, project, root, model, files, chunks, terms)"
        " SELECT tenant, owner, project, root, model, count(*), sum(chunks), sum(terms)"
        f" FROM document WHERE {_HERE} AND problem = '' GROUP BY 1, 2, 3, 4, 5",
        values,
    )
    db.execute("SET LOCAL enable_nestloop = on")


def compact(db: Connection, place: Place, project: str) -> bool:
    """Give all chunks numbers in a row if they have become too few for theirs; say whether it was done."""
    hold(db, place, project)
    values = {**place.values, "here": project}
    row = db.execute(
        f"SELECT (SELECT max(id) - min(id) + 1 FROM chunk WHERE {_HERE}),"
        f" (SELECT sum(chunks) FROM document WHERE {_HERE}), (SELECT chunk FROM space WHERE {_HERE})",
        values,
    ).fetchone()
    if not row or not row[1] or row[0] < max(_MANY, _THIN * row[1]):
        return False
    db.execute("SET LOCAL enable_nestloop = off")
    moved = (
        f"(SELECT id, first, %(base)s + sum(chunks) OVER (ORDER BY id) - chunks AS start FROM document"
        f" WHERE {_HERE})"
    )
    # New numbers lie above all old ones, so that no two are ever the same in between.
    values["base"] = row[2]
    own = "x.tenant = %(tenant)s AND x.owner = %(owner)s AND x.project = %(here)s"
    for statement in (
        f"UPDATE vector x SET chunk = x.chunk - m.first + m.start FROM chunk c JOIN {moved} AS m"
        f" ON m.id = c.file WHERE {own} AND c.tenant = x.tenant AND c.owner = x.owner"
        " AND c.project = x.project AND c.id = x.chunk",
        f"UPDATE chunk x SET id = x.id - m.first + m.start FROM {moved} AS m"
        f" WHERE {own} AND x.file = m.id",
        f"UPDATE document x SET first = m.start FROM {moved} AS m WHERE {own} AND x.id = m.id",
        f"UPDATE space SET chunk = chunk + (SELECT sum(chunks) FROM document WHERE {_HERE})"
        f" WHERE {_HERE}",
    ):
        db.execute(statement, values, prepare=False)
    rebuild(db, place, project)
    return True
