"""Shares with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Case: TypeAlias = tuple[str, bool]
"""What kind of case it was, and whether it came out right."""

_Z = 1.959964  # 95 %


@dataclass(frozen=True, slots=True)
class Figure:
    """A share in percent and its 95 % interval after Wilson, which holds near 0 and 100, too."""

    right: int
    total: int
    percent: float
    low: float
    high: float


def wilson(right: int, total: int) -> Figure:
    """Return a share with its interval; of nothing, everything is possible."""
    if not total:
        return Figure(0, 0, 0.0, 0.0, 100.0)
    share = right / total
    wide = 1 + _Z * _Z / total
    middle = (share + _Z * _Z / (2 * total)) / wide
    half = _Z * math.sqrt(share * (1 - share) / total + _Z * _Z / (4 * total * total)) / wide
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Figure(right, total, *(round(100 * x, 2) for x in (share, low, high)))


def figures(cases: Sequence[Case]) -> dict[str, Figure]:
    """Return the figure of all cases and, if there are several kinds, of each kind."""
    found = {"all": wilson(sum(right for _, right in cases), len(cases))}
    kinds = list(dict.fromkeys(kind for kind, _ in cases))
    if len(kinds) > 1:
        for kind in kinds:
            own = [right for other, right in cases if other == kind]
            found[kind] = wilson(sum(own), len(own))
    return found
