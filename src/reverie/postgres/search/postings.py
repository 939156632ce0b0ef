"""The topics that hold words of a question, found in what is stored of each word.

Which words a topic holds, and whether its name or description does, is all that decides whether it is
relevant. So topics are sorted by this alone, as one number each, and only one topic of each sort and those
that turn out to be relevant are looked at more closely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from reverie.postgres.search.words import BUCKET

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.int64]

Doc = tuple[str, int]
"""Whose topic (its project), and its number."""
Hits = dict[str, tuple[int, int, int]]
"""The question's terms in a topic: how often each stands in its name, description and body."""
Row = tuple[str, bytes, bytes]
"""Of a word in a project: the buckets with their sizes, and what they hold."""
_PROJECT: Final = 1 << 40
"""More than the numbers of topics reach; sets those of two projects apart."""


class Postings:
    """What is stored of a question's words."""

    def __init__(self, held: Mapping[str, Sequence[Row]]) -> None:
        self._projects = sorted({project for rows in held.values() for project, _, _ in rows})
        self._held = held
        self.frequency = {
            term: sum(len(stored) for _, _, stored in rows) // _stored().itemsize
            for term, rows in held.items()
        }
        """In how many topics each word stands."""

    def relevant(
        self, strong: Iterable[str], enough: Callable[[Mapping[str, Any]], bool]
    ) -> dict[Doc, Hits]:
        """Return the topics with what they hold that hold a strong term, and enough altogether."""
        import numpy as np

        found = {term: self._topics(self._held[term]) for term in strong}
        if not found:
            return {}
        topics = np.unique(np.concatenate([topic for topic, _ in found.values()]))
        buckets = np.unique(topics // BUCKET)
        sorts = np.zeros(len(topics), np.uint64)
        places: list[tuple[str, Numbers, NDArray[Any]]] = []
        for at, (term, rows) in enumerate(self._held.items()):
            own, counts = found[term] if term in found else self._topics(rows, buckets)
            place = np.searchsorted(topics, own)
            place[place == len(topics)] = 0
            among = topics[place] == own
            place, counts = place[among], counts[among]
            shown = (counts["name"] > 0) | (counts["description"] > 0)
            sorts[place] += np.where(shown, _mark(2 * at), _mark(2 * at + 1))
            places.append((term, place, counts))
        _, one_of_each, sort = np.unique(sorts, return_index=True, return_inverse=True)
        samples = _opened(one_of_each, len(topics), places)
        good = np.array([enough(samples[at]) for at in one_of_each.tolist()], bool)
        chosen = np.flatnonzero(good[sort])
        opened = _opened(chosen, len(topics), places)
        return {self._doc(int(topics[at])): opened[at] for at in chosen.tolist()}

    def _topics(
        self, rows: Sequence[Row], within: Numbers | None = None
    ) -> tuple[Numbers, NDArray[Any]]:
        """Return the topics that hold a word, as numbers, and what they hold of it."""
        import numpy as np

        topics: list[Numbers] = []
        counts: list[NDArray[Any]] = []
        for project, heads, stored in rows:
            head = np.frombuffer(heads, ">i8").reshape(-1, 2).astype(np.int64)
            bucket = head[:, 0] + self._projects.index(project) * (_PROJECT // BUCKET)
            many = head[:, 1] // _stored().itemsize
            own = np.frombuffer(stored, _stored())
            if within is not None:
                kept = np.isin(bucket, within)
                own = own[np.repeat(kept, many)]
                bucket, many = bucket[kept], many[kept]
            topics.append(np.repeat(bucket * BUCKET, many) + own["at"])
            counts.append(own)
        return np.concatenate(topics), np.concatenate(counts)

    def _doc(self, topic: int) -> Doc:
        project, number = divmod(topic, _PROJECT)
        return self._projects[project], number


def _opened(
    wanted: Numbers, size: int, places: Sequence[tuple[str, Numbers, NDArray[Any]]]
) -> dict[int, Hits]:
    """Return what some topics hold, in the order of the question."""
    import numpy as np

    hits: dict[int, Hits] = {at: {} for at in wanted.tolist()}
    is_wanted = np.zeros(size, bool)
    is_wanted[wanted] = True
    for term, place, counts in places:
        mask = is_wanted[place]
        for at, (_, *often) in zip(place[mask].tolist(), counts[mask].tolist(), strict=True):
            hits[at][term] = (often[0], often[1], often[2])
    return hits


@cache
def _stored() -> np.dtype[Any]:
    """How a topic is stored in a bucket of a word; see `words`."""
    import numpy as np

    return np.dtype([("at", "u1"), ("name", "<u4"), ("description", "<u4"), ("body", "<u4")])


@cache
def _mark(number: int) -> np.uint64:
    """Return a number of 64 bits: sums of different ones are different, as far as anybody will see."""
    import numpy as np

    return np.uint64(int.from_bytes(blake2b(number.to_bytes(4), digest_size=8).digest()))
