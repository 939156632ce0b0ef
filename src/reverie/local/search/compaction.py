"""Keep the segments of an index few and alive: join small ones, drop what is dead.

Rules
- Only neighbours are joined, so chunks stay in the order of their numbers.
- A joined segment is on the disk before it is named, and its parts are removed after they are not.
- Joining moves numbers about; no text is read and nothing is embedded again.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from reverie.errors import IndexBroken
from reverie.local.search.index_db import SegmentRow
from reverie.local.search.segment import packed_join

if TYPE_CHECKING:
    from reverie.local.search.index_db import IndexDb
    from reverie.local.search.root_index import RootIndex

__all__ = ["tidy"]

_TIER: Final = 8  # segments of one size before they are joined, and the factor between sizes
_DEAD_SHARE: Final = 0.3


def tidy(index: RootIndex, db: IndexDb, *, purge: bool = False) -> None:
    """Join what has become many or mostly dead, and remove files that nobody names.

    Args:
        purge: Leave no dead chunk at all.
    """
    limit = 0.0 if purge else _DEAD_SHARE
    while chosen := _to_join(db.segments(), limit):
        _join(index, db, chosen)
    if db.replaced():
        raise IndexBroken(f"{index.folder} is gone; the index is rebuilt")
    index.drop_segments({row.name for row in db.segments()})
    if purge:
        db.rewrite()
    else:
        db.settle()


def _join(index: RootIndex, db: IndexDb, rows: Sequence[SegmentRow]) -> None:
    parts = [(index.open_segment(row.name), frozenset(row.dead_places())) for row in rows]
    size = sum(row.chunks for row in rows) - sum(len(dead) for _, dead in parts)
    name = f"{rows[0].first:010d}-{secrets.token_hex(4)}.seg"
    if size:
        dimension, signs_above = parts[0][0].dimension, index.recipe.signs_above
        index.keep_segment(
            name, packed_join(name, parts, dimension=dimension, signs_above=signs_above)
        )
    with db.transaction():
        db.drop_segments([row.name for row in rows])
        if size:
            length = sum(row.terms - row.dead_terms for row in rows)
            db.put_segment(SegmentRow(name, rows[0].first, size, length, b"", 0))
        db.next_generation()


def _to_join(rows: Sequence[SegmentRow], dead_share: float) -> list[SegmentRow]:
    """Choose neighbouring segments of like size that have become many, or one that is mostly dead."""
    for row in rows:
        if row.dead and len(row.dead_places()) > dead_share * row.chunks:
            return [row]
    tiers = [_tier(row.chunks) for row in rows]
    for tier in range(max(tiers, default=0) + 1):
        start = len(rows)
        while start and tiers[start - 1] <= tier:
            start -= 1
        if len(rows) - start >= _TIER:
            return list(rows[start:])
    return []


def _tier(chunks: int) -> int:
    tier = 0
    while chunks >= _TIER:
        chunks //= _TIER
        tier += 1
    return tier
