"""What a few documents come to in the index: chunks, vectors and words, one statement for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from reverie.errors import NotText
from reverie.postgres.search import passages

if TYPE_CHECKING:
    from reverie.postgres.database import Connection
    from reverie.postgres.place import Place

_COLUMNS: Final = {
    "id": "bigint", "file": "bigint", "place": "integer", "first": "integer", "last": "integer",
    "start": "integer", "stop": "integer", "crc": "bigint", "cid": "bytea", "speaker": "text",
    "flags": "integer", "day": "integer", "length": "integer", "words": "text", "counts": "text",
}  # fmt: skip
_CASTS: Final = {"words": "::bigint[]", "counts": "::smallint[]"}
"""Lists come as texts: a list of lists would be one long list."""


class Batch:
    """What a few documents come to."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.vectors: dict[int, str] = {}
        self.ranges: dict[str, tuple[int, int]] = {}
        """First and last chunk of each root: texts come root by root, and their numbers in a row."""
        self.counted: dict[tuple[str, str], tuple[int, int, int]] = {}

    def add(self, root: str, made: Sequence[dict[str, Any]], vectors: Mapping[bytes, str]) -> None:
        """Add the chunks of a document."""
        self.rows += made
        for row in made:
            vector = vectors.get(row["cid"])
            if vector is not None:
                self.vectors[row["id"]] = vector
        if made:
            low, _ = self.ranges.get(root, (made[0]["id"], 0))
            self.ranges[root] = (low, made[-1]["id"])

    def write(self, db: Connection, place: Place, project: str) -> None:
        """Put chunks, vectors, words and counts in: one statement for each."""
        here = {**place.values, "here": project}
        if self.rows:
            names = ", ".join(_COLUMNS)
            given = ", ".join(f"%({name})s::{kind}[]" for name, kind in _COLUMNS.items())
            made = ", ".join(f"n.{name}{_CASTS.get(name, '')}" for name in _COLUMNS)
            db.execute(
                f"INSERT INTO chunk (tenant, owner, project, {names}) SELECT %(tenant)s, %(owner)s,"
                f" %(here)s, {made} FROM unnest({given}) AS n ({names})",
                {**here, **{name: [row[name] for row in self.rows] for name in _COLUMNS}},
                prepare=False,
            )
        if self.vectors:
            db.execute(
                "INSERT INTO vector (tenant, owner, project, chunk, embedding) SELECT %(tenant)s,"
                " %(owner)s, %(here)s, n.id, n.embedding::halfvec FROM unnest(%(ids)s::bigint[],"
                " %(embeddings)s::text[]) AS n (id, embedding)",
                {**here, "ids": list(self.vectors), "embeddings": list(self.vectors.values())},
                prepare=False,
            )
        for root, (low, high) in self.ranges.items():
            passages.put_in(db, place, project, root, low, high)
        passages.count(db, place, project, self.counted)


def listed(numbers: Iterable[int]) -> str:
    """Write numbers as PostgreSQL reads a list of them."""
    return "{" + ",".join(map(str, numbers)) + "}"


def whole_text(data: bytes, name: str) -> str:
    """Read kept bytes as text, or raise when they are none."""
    try:
        return bytes(data).decode("utf-8")
    except UnicodeDecodeError:
        raise NotText(f"{name} is not UTF-8 text") from None


def as_vector(numbers: Sequence[float]) -> str:
    """Write a vector of length 1 as PostgreSQL reads it; zeros where it has no length."""
    values = [float(value) for value in numbers]
    length = sum(value * value for value in values) ** 0.5
    if not length or length != length or length == float("inf"):
        return "[" + ",".join("0" for _ in values) + "]"
    return "[" + ",".join(f"{value / length:.6g}" for value in values) + "]"
