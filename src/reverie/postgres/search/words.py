"""The words of a place's topics, stored: which topics hold a word, and how often.

Rules
- What is stored may lag behind the files, and the place notes how far it is (`Mark`): a recall looks
  at the mark, brings the words up to date if need be, and then reads nothing but them.
- The words of a file go in the transaction that rewrites or removes it, so that no copy outlives what
  was forgotten; the new ones come with the next recall, some topics at a time.
- Everything here that writes holds the place's rows of `space`, as `apply` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

from reverie.core.text.words import TOKENIZER_VERSION
from reverie.core.topics.relevance import term_counts
from reverie.core.topics.scoring import text_length
from reverie.postgres.database import MINE
from reverie.postgres.search.batch import listed
from reverie.types import Topic

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from reverie.core.topics.scoring import Question
    from reverie.postgres.database import Asked, Connection
    from reverie.postgres.place import Place

    Parse = Callable[[bytes, str, datetime], Topic | None]
    """Reads a topic: content, path, since when. None: the file is none."""

RECIPE: Final = f"1/{TOKENIZER_VERSION}"
"""Changes when stored words would."""
BUCKET: Final = 128
_COUNTS: Final = Struct("<BIII")
"""A topic's place in the bucket; the counts in name, description and body."""
_BATCH: Final = 1000
"""So many topics at a time: each time all files are looked over, and writers wait for the end."""
_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(here)s"
_NOWHERE: Final = frozenset[int]()

Key = tuple[int, int]
"""A word's number, and a bucket."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far the stored words of a project (or the person) are, and how much they cover."""

    current: bool
    topics: int
    lengths: tuple[int, ...]


def term_number(term: str) -> int:
    """Return the number a term is known by."""
    data = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(data, "little", signed=True)


# --- reading ----------------------------------------------------------------------------------------


def marks(db: Connection, place: Place) -> dict[str, Mark]:
    """Return the marks of a place, by project."""
    rows = db.execute(
        f"SELECT project, revision, worded, topics, lengths FROM space WHERE {MINE}", place.values
    )
    return {
        project: Mark(worded == _stamp(revision), topics, tuple(lengths))
        for project, revision, worded, topics, lengths in rows
    }


def ask_postings(db: Connection, place: Place, question: Question | None) -> Asked:
    """Ask which topics hold the words of a question: by word, its buckets and sizes, and what they hold."""
    words = [term_number(term) for term in question.asked] if question else []
    return db.execute(
        "SELECT project, word, string_agg(int8send(bucket::bigint) || int8send(octet_length(counts)::bigint),"
        " ''::bytea ORDER BY bucket), string_agg(counts, ''::bytea ORDER BY bucket) FROM posting"
        f" WHERE {MINE} AND word = ANY(%(words)s) GROUP BY project, word",
        {**place.values, "words": words},
        binary=True,
    )


def _stamp(revision: int) -> str:
    return f"{revision} {RECIPE}"


# --- keeping up -------------------------------------------------------------------------------------


def drop(db: Connection, place: Place, paths: Sequence[str]) -> None:
    """Take out the words of files; whoever asks holds the place."""
    rows = db.execute(
        f"DELETE FROM topic WHERE {MINE} AND path = ANY(%(paths)s) RETURNING project, number, words",
        {**place.values, "paths": list(paths)},
    ).fetchall()
    for project in {row[0] for row in rows}:
        edit = _Edit()
        for _, number, words in (row for row in rows if row[0] == project):
            edit.take_out(number, words)
        edit.write(db, place, project)


def catch_up(db: Connection, place: Place, roots: Mapping[str, str], parse: Parse) -> bool:
    """Store the words of some topics that are lacking; return whether that was all.

    Args:
        db: The transaction, which ends soon after: it holds the place.
        place: Whose topics.
        roots: The folder of topics of each project.
        parse: Reads a topic.
    """
    # A memory that was just brought in has no statistics, and a nested loop over it takes minutes.
    db.execute("SET LOCAL enable_nestloop = off")
    spaces = db.execute(
        f"SELECT project, revision, worded FROM space WHERE {MINE} ORDER BY project FOR UPDATE",
        place.values,
    ).fetchall()
    whole = True
    for project, revision, worded in spaces:
        if worded == _stamp(revision) or project not in roots:
            continue
        values = {**place.values, "here": project}
        if worded.partition(" ")[2] not in ("", RECIPE):
            db.execute(f"DELETE FROM topic WHERE {_HERE}", values)
            db.execute(f"DELETE FROM posting WHERE {_HERE}", values)
            db.execute(f"UPDATE space SET worded = '' WHERE {_HERE}", values)
        if _catch_up(db, place, project, roots[project], parse):
            db.execute(
                "UPDATE space SET worded = %(worded)s, topics = t.topics, lengths = t.lengths FROM"
                " (SELECT count(number) AS topics, ARRAY[coalesce(sum(lengths[1]), 0),"
                " coalesce(sum(lengths[2]), 0), coalesce(sum(lengths[3]), 0)]::bigint[] AS lengths"
                f" FROM topic WHERE {_HERE}) AS t WHERE {_HERE}",
                {**values, "worded": _stamp(revision)},
            )
        else:
            whole = False
    return whole


def _catch_up(db: Connection, place: Place, project: str, root: str, parse: Parse) -> bool:
    values = {**place.values, "here": project, "low": f"{root}/", "high": f"{root}0"}
    edit = _Edit()
    gone = db.execute(
        f"DELETE FROM topic t WHERE {_HERE} AND NOT EXISTS (SELECT FROM file f WHERE"
        " f.tenant = t.tenant AND f.owner = t.owner AND f.project = t.project AND f.path = t.path"
        " AND f.hash = t.hash) RETURNING t.number, t.words",
        values,
    )
    for number, words in gone:
        edit.take_out(number, words)
    lacking = db.execute(
        f"SELECT path, hash, at, content FROM file f WHERE {_HERE} AND path >= %(low)s"
        " AND path < %(high)s AND NOT EXISTS (SELECT FROM topic t WHERE t.tenant = f.tenant"
        " AND t.owner = f.owner AND t.project = f.project AND t.path = f.path)"
        " ORDER BY path LIMIT %(batch)s",
        {**values, "batch": _BATCH},
    ).fetchall()
    numbers = _free_numbers(db, values, len(lacking))
    rows: list[tuple[str, str, int | None, list[int], list[int]]] = []
    for path, key, at, content in lacking:
        topic = parse(bytes(content), path, at)
        if topic is None:  # noted all the same, so that nobody looks at it again
            rows.append((path, key, None, [0, 0, 0], []))
            continue
        texts = (topic.name, topic.description, topic.body)
        number = next(numbers)
        held = edit.put_in(number, term_counts(texts))
        rows.append((path, key, number, [text_length(text) for text in texts], held))
    edit.write(db, place, project)
    paths, hashes, given, lengths, words = zip(*rows, strict=True) if rows else ((),) * 5
    db.execute(
        "INSERT INTO topic (tenant, owner, project, path, hash, number, lengths, words) SELECT"
        " %(tenant)s, %(owner)s, %(here)s, k.path, k.hash, k.number, k.lengths::int[],"
        " k.words::bigint[] FROM unnest(%(paths)s::text[], %(hashes)s::text[], %(numbers)s::int[],"
        " %(lengths)s::text[], %(words)s::text[]) AS k (path, hash, number, lengths, words)",
        {
            **values,
            "paths": list(paths),
            "hashes": list(hashes),
            "numbers": list(given),
            "lengths": [listed(some) for some in lengths],
            "words": [listed(some) for some in words],
        },
    )
    return len(lacking) < _BATCH


def _free_numbers(db: Connection, values: Mapping[str, Any], most: int) -> Iterator[int]:
    """Return the lowest numbers that are free: they keep the buckets full."""
    rows = db.execute(
        f"SELECT n FROM generate_series(0, %(most)s + (SELECT count(number)::int FROM topic WHERE"
        f" {_HERE})) AS n WHERE n NOT IN (SELECT number FROM topic WHERE {_HERE}"
        " AND number IS NOT NULL) ORDER BY n LIMIT %(most)s",
        {**values, "most": most},
    ).fetchall()
    return iter([row[0] for row in rows])


@dataclass(slots=True)
class _Edit:
    """What is to become of the counts of words, bucket by bucket."""

    out: dict[Key, set[int]] = field(default_factory=dict)
    new: dict[Key, list[bytes]] = field(default_factory=dict)

    def take_out(self, number: int | None, words: Sequence[int]) -> None:
        """Forget the words of a topic."""
        if number is not None:
            bucket, at = divmod(number, BUCKET)
            for word in words:
                self.out.setdefault((word, bucket), set()).add(at)

    def put_in(self, number: int, counts: Mapping[str, Sequence[int]]) -> list[int]:
        """Note the words of a topic; return their numbers."""
        bucket, at = divmod(number, BUCKET)
        words: list[int] = []
        for term, found in counts.items():
            words.append(term_number(term))
            self.new.setdefault((words[-1], bucket), []).append(_COUNTS.pack(at, *found))
        return words

    def write(self, db: Connection, place: Place, project: str) -> None:
        """Rewrite the rows."""
        keys = sorted({*self.out, *self.new})
        if not keys:
            return
        values: dict[str, Any] = {**place.values, "here": project}
        rows: dict[Key, bytes] = {}
        for bucket in sorted({bucket for _, bucket in keys}):
            own = {
                **values,
                "bucket": bucket,
                "words": [key[0] for key in keys if key[1] == bucket],
            }
            taken = db.execute(
                f"DELETE FROM posting WHERE {_HERE} AND bucket = %(bucket)s"
                " AND word = ANY(%(words)s) RETURNING word, counts",
                own,
            )
            for word, counts in taken:
                key = (word, bucket)
                rows[key] = b"".join(_kept(bytes(counts), self.out.get(key, _NOWHERE)))
        for key, some in self.new.items():
            rows[key] = rows.get(key, b"") + b"".join(some)
        full = sorted(key for key, counts in rows.items() if counts)
        db.execute(
            "INSERT INTO posting (tenant, owner, project, word, bucket, counts) SELECT %(tenant)s,"
            " %(owner)s, %(here)s, k.* FROM unnest(%(words)s::bigint[], %(buckets)s::int[],"
            " %(counts)s::bytea[]) AS k",
            {
                **values,
                "words": [word for word, _ in full],
                "buckets": [bucket for _, bucket in full],
                "counts": [rows[key] for key in full],
            },
        )


def _kept(counts: bytes, out: set[int] | frozenset[int]) -> Iterator[bytes]:
    for start in range(0, len(counts), _COUNTS.size):
        if counts[start] not in out:
            yield counts[start : start + _COUNTS.size]
