"""Choose hits around ranking: which neighbours to bring in before, which near-duplicates to drop after."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from reverie.core.search.rank import Candidate, Ranked

__all__ = ["diversify", "missing_neighbours"]


def missing_neighbours(candidates: Iterable[Candidate], *, reach: int = 3) -> set[tuple[str, int]]:
    """Name the places next to candidates that are no candidates yet.

    An answer often shares no word with the question that stands before it, so the index must hand in
    the neighbours of its best finds (some fifty suffice) as candidates too.
    """
    known = {(candidate.group, candidate.order) for candidate in candidates}
    around = {
        (group, order + step)
        for group, order in known
        for step in range(-reach, reach + 1)
        if order + step >= 0
    }
    return around - known


def diversify(
    ranked: Sequence[Ranked],
    limit: int,
    alike: Callable[[Candidate, Candidate], float],
    *,
    threshold: float = 0.8,
) -> list[Ranked]:
    """Take the best hits, leaving out those that say nearly the same as a better one.

    Args:
        alike: Similarity of two candidates, 0 to 1, such as the Jaccard similarity of their terms.
        threshold: Hits more alike than this are one hit.
    """
    kept: list[Ranked] = []
    for hit in ranked:
        if len(kept) >= limit:
            break
        if all(alike(hit.candidate, other.candidate) < threshold for other in kept):
            kept.append(hit)
    return kept
