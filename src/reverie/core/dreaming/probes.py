"""The probe gate: what could be recalled before a dream must be recalled after it.

Rules

* For every entry an operation touches, questions are made from its own words.
* A question has its evidence when one of the topics that recall would bring shows all the words of
  the entry, figures included. Asked before and after with the same scoring.
* An operation whose entry had evidence before and has none after is not done.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.text.remembered import remembered
from reverie.core.text.words import query_terms, terms
from reverie.core.topics.recall import recalled, select
from reverie.core.topics.relevance import term_counts

if TYPE_CHECKING:
    from reverie.config import RecallSettings
    from reverie.core.topics.relevance import Counts
    from reverie.types import EntryRef, Topic

MAX_RIVALS: Final = 200  # of a larger memory, those that share the most words with a question
_QUESTION_TERMS: Final = 6  # people ask with a few words


@dataclass(frozen=True, slots=True)
class Probe:
    """One question, and the words that its answer must show."""

    entry: EntryRef
    question: str
    evidence: frozenset[str]


def probes_for(entries: Iterable[EntryRef], *, count: int) -> list[Probe]:
    """Make up to `count` questions for each entry, from different words of it."""
    found: list[Probe] = []
    for entry in dict.fromkeys(entries):
        asked = query_terms(entry.summary)
        evidence = frozenset(terms(entry.summary))
        size = min(len(asked), _QUESTION_TERMS)
        step = max(1, (len(asked) - size) // max(count - 1, 1))
        starts = dict.fromkeys(min(at * step, len(asked) - size) for at in range(count))
        found += [Probe(entry, " ".join(asked[at : at + size]), evidence) for at in starts if asked]
    return found


def lost_probes(
    probes: Sequence[Probe],
    before: Sequence[Topic],
    after: Sequence[Topic],
    *,
    settings: RecallSettings,
) -> list[Probe]:
    """Return the questions whose evidence is found before, but not after."""
    if not probes:
        return []
    counts = _counting()
    old, new = _Asked(before, settings, counts), _Asked(after, settings, counts)
    return [probe for probe in probes if old.answers(probe) and not new.answers(probe)]


class _Asked:
    """Asks questions of one state of the memory."""

    def __init__(
        self, topics: Sequence[Topic], settings: RecallSettings, counts: Callable[[Topic], Counts]
    ) -> None:
        self.topics = topics
        self.settings = settings
        self.counts = counts
        self.holders: dict[str, set[int]] = defaultdict(set)
        if len(topics) > MAX_RIVALS:
            for number, topic in enumerate(topics):
                for term in _terms_of(topic.text):
                    self.holders[term].add(number)

    def answers(self, probe: Probe) -> bool:
        ranked = select(
            probe.question,
            self._rivals(probe),
            scoring=self.settings.scoring,
            counts=self.counts,
        )
        for item in ranked[: self.settings.limit]:
            shown = recalled(item, settings=self.settings)
            if probe.evidence <= _terms_of(f"{shown.name}\n{shown.description}\n{shown.text}"):
                return True
        return False

    def _rivals(self, probe: Probe) -> Sequence[Topic]:
        if not self.holders:
            return self.topics
        shared: Counter[int] = Counter()
        for term in query_terms(probe.question):
            shared.update(self.holders.get(term, ()))
        by_count: dict[int, list[int]] = defaultdict(list)
        for number, count in shared.items():
            by_count[count].append(number)
        most: list[int] = []
        for count in sorted(by_count, reverse=True):
            if len(most) < MAX_RIVALS:
                most += sorted(by_count[count])[: MAX_RIVALS - len(most)]
        whole = set.intersection(*(self.holders.get(term, set()) for term in probe.evidence))
        return [self.topics[number] for number in sorted({*most, *whole})]


def _counting() -> Callable[[Topic], Counts]:
    """Count the terms of each topic once: most are asked many times, and are the same before and after."""
    known: dict[tuple[str, str], Counts] = {}

    def counts(topic: Topic) -> Counts:
        key = (topic.rel, topic.text)
        if key not in known:
            known[key] = term_counts((topic.name, topic.description, topic.body))
        return known[key]

    return counts


@remembered(16384)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))
