"""Taking back what a run added to a list, when others changed the list right beside it.

Items of a list stand for themselves, so one goes without the others. Any other lines that touch may belong
together: nobody but the person can say what is meant then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

_ITEM: Final = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]")


def out_of_list(
    after: Sequence[str], now: Sequence[str], before: Sequence[str]
) -> list[str] | None:
    """Return the lines of now without what a run added; None when that is unclear.

    Args:
        after: The lines as the run left them.
        before: The lines as the run found them.

    >>> out_of_list(["- mine\\n"], ["- mine\\n", "- theirs\\n"], [])
    ['- theirs\\n']
    """
    left, there, first = _items(after), _items(now), _items(before)
    if left is None or there is None or first is None:
        return None
    added = Counter(left) - Counter(first)
    took_away, changed_since = Counter(first) - Counter(left), added - Counter(there)
    if took_away or changed_since:
        return None
    kept: list[str] = []
    for item in there:
        if added[item]:
            added[item] -= 1
        else:
            kept.extend(item)
    return kept


def _items(lines: Sequence[str]) -> list[tuple[str, ...]] | None:
    """Read lines as whole items, each with what is indented below it; None if they are not."""
    found: list[tuple[str, ...]] = []
    for line in lines:
        if _ITEM.match(line):
            found.append((line,))
        elif found and line[:1] in (" ", "\t"):
            found[-1] += (line,)
        else:
            return None
    return found
