"""Daily notes fade: a file named by its date counts half after each half-life, if the person wants that.

Rules
- Only a file whose own name is a date fades; `MEMORY.md`, topics and everything undated never does.
- A query that names a day asks for that day, so nothing fades then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from reverie.core.search.rank import Ranked
    from reverie.types.ranking import Query

__all__ = ["Fading", "faded"]

_DAILY: Final = re.compile(r"(?:^|/)([0-9]{4})-([0-9]{2})-([0-9]{2})\.[A-Za-z]+$")


@dataclass(frozen=True, slots=True)
class Fading:
    """How fast daily notes fade; without a half-life they do not."""

    today: date
    half_life_days: float


def faded(
    query: Query, hits: Sequence[Ranked], fading: Fading, *, path: Callable[[str], str]
) -> list[Ranked]:
    """Order hits anew, daily notes by their age.

    Args:
        path: Returns the path of a candidate by its key.
    """
    if not fading.half_life_days or query.dates:
        return list(hits)
    aged = [
        hit._replace(score=round(hit.score * _share(path(hit.candidate.key), fading), 4))
        for hit in hits
    ]
    return sorted(aged, key=lambda hit: -hit.score)


def _share(path: str, fading: Fading) -> float:
    match = _DAILY.search(path)
    if not match:
        return 1.0
    try:
        written = date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return 1.0
    age = max((fading.today - written).days, 0)
    return float(0.5 ** (age / fading.half_life_days))
