"""Which lines of two texts are the same: in time that grows with the texts, whatever they say.

The standard library compares every line with every equal one, so a few thousand equal lines take it minutes.

Rules
- What both begin and end with is the same. Between, lines that each text has once are anchors, in the
  longest order that both have them in; between two anchors the same is done again.
- What has no anchors is left to the standard library while it is small, and counts as different else.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import Final, TypeAlias

_SMALL: Final = 40_000  # pairs of lines that are compared one by one
_ROUNDS: Final = 30  # so often anchors are looked for between anchors

_Span: TypeAlias = tuple[int, int, int, int, int]
"""From and to in one text, from and to in the other, and how many rounds are left."""


class LineMatcher(SequenceMatcher[str]):
    """Matches lines; everything that is made from the matches works as in the standard library."""

    def __init__(
        self,
        isjunk: Callable[[str], bool] | None = None,
        a: Sequence[str] = (),
        b: Sequence[str] = (),
        autojunk: bool = False,
    ) -> None:
        # The lines themselves are not given to it: it would look through them first.
        super().__init__(isjunk, "", "", autojunk)
        self.a, self.b = a, b
        self.matching_blocks: list[Match] | None = None

    def get_matching_blocks(self) -> list[Match]:
        """Return what is the same, in order, and an empty block at the end."""
        if self.matching_blocks is None:
            ends = (len(self.a), len(self.b))
            found = sorted(_same(self.a, self.b))
            self.matching_blocks = [*_joined(found), Match(*ends, 0)]
        return self.matching_blocks


def unified(
    before: Sequence[str], after: Sequence[str], *, source: str, target: str
) -> Iterator[str]:
    """Yield the lines of a unified diff."""
    groups = list(LineMatcher(None, before, after).get_grouped_opcodes(3))
    if groups:
        yield f"--- {source}\n"
        yield f"+++ {target}\n"
    for group in groups:
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for what, start, end, other, other_end in group:
            if what == "equal":
                yield from (f" {line}" for line in before[start:end])
                continue
            yield from (f"-{line}" for line in before[start:end])
            yield from (f"+{line}" for line in after[other:other_end])


def _range(start: int, end: int) -> str:
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _same(a: Sequence[str], b: Sequence[str]) -> Iterator[Match]:
    spans: list[_Span] = [(0, len(a), 0, len(b), _ROUNDS)]
    while spans:
        low, high, other, other_high, rounds = spans.pop()
        begin = _shared(a, b, low, high, other, other_high, step=1)
        if begin:
            yield Match(low, other, begin)
            low, other = low + begin, other + begin
        end = _shared(a, b, low, high, other, other_high, step=-1)
        if end:
            high, other_high = high - end, other_high - end
            yield Match(high, other_high, end)
        if low == high or other == other_high:
            continue
        if (high - low) * (other_high - other) <= _SMALL:
            small = SequenceMatcher(None, a[low:high], b[other:other_high], autojunk=False)
            for block in small.get_matching_blocks():
                if block.size:
                    yield Match(low + block.a, other + block.b, block.size)
            continue
        anchors = _anchors(a, b, low, high, other, other_high) if rounds else []
        for at, there in anchors:
            yield Match(at, there, 1)
            spans.append((low, at, other, there, rounds - 1))
            low, other = at + 1, there + 1
        if anchors:
            spans.append((low, high, other, other_high, rounds - 1))


def _shared(
    a: Sequence[str],
    b: Sequence[str],
    low: int,
    high: int,
    other: int,
    other_high: int,
    *,
    step: int,
) -> int:
    """Count the lines that two spans have in common from their beginning, or from their end."""
    most = min(high - low, other_high - other)
    count = 0
    at, there = (low, other) if step > 0 else (high - 1, other_high - 1)
    while count < most and a[at + count * step] == b[there + count * step]:
        count += 1
    return count


def _anchors(
    a: Sequence[str], b: Sequence[str], low: int, high: int, other: int, other_high: int
) -> list[tuple[int, int]]:
    """Return lines that stand once in both spans, in the longest order that is the same in both."""
    once, once_there = Counter(a[low:high]), Counter(b[other:other_high])
    where = {b[at]: at for at in range(other, other_high) if once_there[b[at]] == 1}
    pairs = [(at, where[a[at]]) for at in range(low, high) if once[a[at]] == 1 and a[at] in where]
    return _longest_rising(pairs)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, there) in enumerate(pairs):
        place = bisect_left(tails, there)
        before.append(ends[place - 1] if place else -1)
        if place == len(tails):
            tails.append(there)
            ends.append(number)
        else:
            tails[place], ends[place] = there, number
    found: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _joined(found: Sequence[Match]) -> Iterator[Match]:
    """Join blocks that follow one another in both texts."""
    open_block: Match | None = None
    for block in found:
        if open_block and (open_block.a + open_block.size, open_block.b + open_block.size) == (
            block.a,
            block.b,
        ):
            open_block = Match(open_block.a, open_block.b, open_block.size + block.size)
            continue
        if open_block:
            yield open_block
        open_block = block
    if open_block:
        yield open_block
