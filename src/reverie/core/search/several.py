"""Search for several questions at once: each is judged by itself, and the whole of them as well.

Rules
- What answers one of two questions shares little with the other, and would be left out beside what answers
  that one. So every question orders and judges the same candidates by its own words, and a candidate counts
  as it counts for the one that it answers best.
- The index is asked once, for all words together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.core.questions.asking import ASKING
from reverie.core.questions.several import questions_in
from reverie.core.search.query import read_query

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from reverie.core.search.rank import Ranked
    from reverie.types.ranking import Query

__all__ = ["best_of", "queries_in"]


def queries_in(text: str, whole: Query, *, today: date | None = None) -> list[Query]:
    """Return the queries of a text that asks several things; none where it asks one.

    Args:
        whole: What the text was read as; what words stand for comes from it.
    """
    if whole.talk:
        return []
    found: list[Query] = []
    for part in questions_in(text):
        own = read_query(part, today=today)
        said = set(own.terms).intersection(whole.terms)
        forms = {
            form: tuple(base for base in bases if base in said)
            for form, bases in whole.forms.items()
            if said.intersection(bases)
        }
        terms = tuple(term for term in whole.terms if term in said or term in forms)
        emphasis = {term: whole.emphasis[term] for term in forms if term in whole.emphasis}
        emphasis |= {term: own.emphasis[term] for term in terms if term in own.emphasis}
        asks = any(own.emphasis.get(term, 1.0) > ASKING for term in said)
        if asks and set(terms) != set(whole.terms):
            found.append(
                replace(
                    own,
                    terms=terms,
                    forms=forms,
                    emphasis=emphasis,
                    identifiers=own.identifiers.intersection(terms),
                    numbers=own.numbers.intersection(terms),
                    writing=whole.writing,
                )
            )
    return found


def best_of(rankings: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """Merge the orders of the same candidates: each as it counts where it counts most."""
    best: dict[str, Ranked] = {}
    for hits in rankings:
        for hit in hits:
            known = best.get(hit.candidate.key)
            if known is None or _worth(hit) > _worth(known):
                best[hit.candidate.key] = hit
    return sorted(
        best.values(),
        key=lambda hit: (*(-one for one in _worth(hit)), hit.candidate.group, hit.candidate.order),
    )


def _worth(hit: Ranked) -> tuple[float, float]:
    return hit.score, hit.sure * hit.share
