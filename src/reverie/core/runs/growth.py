"""How a memory grew: the number of topics at the end of each day, by scope.

Rules
- Counted backwards from what is there now, so the last number is always right; where the journal no
  longer reaches, the curve begins at the number it cannot explain.
- A topic came with the first run that touched it, or, written by hand, when its text came to be. One
  that is gone left with the last run that touched it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from reverie.types import Scope


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """How many topics there were at the end of a day."""

    day: str
    user: int
    project: int


def growth(
    runs: Iterable[tuple[datetime, Sequence[tuple[str, Scope]]]],
    present: Mapping[str, tuple[Scope, datetime | None]],
    *,
    today: date,
) -> list[GrowthPoint]:
    """Return the days on which the number changed, oldest first, and today.

    Args:
        runs: Oldest first, each with the topic files it touched.
        present: The topics that are there, and since when each has its text.
    """
    first: dict[str, tuple[date, Scope]] = {}
    last: dict[str, tuple[date, int]] = {}
    for at, touched in runs:
        for path, scope in touched:
            first.setdefault(path, (at.date(), scope))
            last[path] = (at.date(), last.get(path, (at, 0))[1] + 1)
    change: dict[date, Counter[Scope]] = {}

    def add(day: date, scope: Scope, count: int) -> None:
        change.setdefault(min(day, today), Counter())[scope] += count

    for path, (scope, updated) in present.items():
        add(first[path][0] if path in first else (updated.date() if updated else today), scope, 1)
    for path in last.keys() - present.keys():
        day, times = last[path]
        add(day, first[path][1], -1)
        if times > 1:  # a single run can only be the one that removed it
            add(first[path][0], first[path][1], 1)

    left = Counter(scope for scope, _ in present.values())
    points: list[GrowthPoint] = []
    for day in sorted({*change, today}, reverse=True):
        points.append(GrowthPoint(day.isoformat(), left[Scope.USER], left[Scope.PROJECT]))
        for scope, count in change.get(day, Counter()).items():
            left[scope] = max(0, left[scope] - count)
    return points[::-1]
