"""How well search finds what answers a question, as a person gets it, beside simple methods.

Rules
- Reverie is asked through `Memory.search` at its defaults, and once more with `min_score=0`. The best
  passage of each result and its other passages count, in the order of their scores.
- BM25 is a fair one, with stems, stop words and the stems of each language; beside it, min-max fusion of the
  same with the bundled static vectors, half each, and grep.
- hit@k: an answer is among the first k documents. recall@k: the share of answers among them. nDCG@10: the
  same, counting how far up. evidence@n: the share of answers of which a passage is within the first n tokens
  of returned text; this is what a model gets to read.
- Each figure has a 95 % interval from a thousand resamples of the questions, always the same ones.
"""

from __future__ import annotations

import math
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import mul
from pathlib import Path
from typing import Final, TypeAlias

from bench.quality.bm25 import Bm25
from bench.quality.dataset import Dataset, Doc, Question, lay_out
from reverie.core.text.languages import own_stems
from reverie.core.text.words import estimate_tokens, terms
from reverie.memory import Memory
from reverie.models.embedded import EmbeddedEmbedder
from reverie.types import Hit, Isolation, Passage

__all__ = ["Figure", "Report", "evaluate"]

HITS: Final = (1, 5, 10)
RECALLS: Final = (5, 10)
BUDGETS: Final = (500, 1_000, 2_000)
_RESAMPLES: Final = 1_000
MOST: Final = 10  # documents that search is asked for
_DEEP: Final = 50  # documents that a simple method returns at most

Found: TypeAlias = list[tuple[str, int]]
"""Documents in order with the tokens that showing each costs; one may come again with another passage."""
Method: TypeAlias = Callable[[Question], Found]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean in percent and its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of one dataset, by method (and, for ours, by category), then by measure."""

    dataset: str
    documents: int
    questions: int
    methods: dict[str, dict[str, Figure]]
    categories: dict[str, dict[str, Figure]]
    milliseconds: dict[str, float]
    """Median time of one query, by method."""


def evaluate(dataset: Dataset, *, limit: int = 0, embedder: str = "embedded") -> Report:
    """Measure search and its baselines on a dataset; `limit` takes that many questions, evenly spread."""
    questions = list(dataset.questions)
    if limit and limit < len(questions):
        questions = [questions[at * len(questions) // limit] for at in range(limit)]
    with tempfile.TemporaryDirectory() as name:
        project, home = Path(name) / "project", Path(name) / "home"
        (project / ".git").mkdir(parents=True)
        layout = lay_out(dataset, project=project, home=home)
        settings = {"embedder.provider": embedder}
        with Memory.open(project, home=home, env={}, settings=settings) as memory:
            memory.index()

            def asked(question: Question, min_score: float | None) -> Found:
                seen = Isolation(allowed_paths=layout.allowed[question.scope])
                hits = memory.search(
                    question.text, max_results=MOST, min_score=min_score, isolation=seen
                ).results
                places: list[Hit | Passage] = [
                    *hits,
                    *(more for hit in hits for more in hit.passages),
                ]
                places.sort(key=lambda place: -place.score)
                return [(layout.paths[place.path], estimate_tokens(place.text)) for place in places]

            methods: dict[str, Method] = {
                "reverie": lambda question: asked(question, None),
                "reverie, min_score 0": lambda question: asked(question, 0.0),
                "bm25": _bm25(dataset.docs),
                "bm25 + vectors": _fusion(dataset.docs),
                "grep": _grep(dataset.docs),
            }
            return _report(dataset, questions, methods)


def _report(dataset: Dataset, questions: Sequence[Question], methods: dict[str, Method]) -> Report:
    orders = {doc.id: doc.order for doc in dataset.docs}
    figures: dict[str, dict[str, Figure]] = {}
    categories: dict[str, dict[str, Figure]] = {}
    times: dict[str, float] = {}
    for name, method in methods.items():
        rows: list[dict[str, float]] = []
        spent: list[float] = []
        for question in questions:
            start = time.perf_counter()
            found = method(question)
            spent.append((time.perf_counter() - start) * 1000)
            rows.append(_measures(question, _earlier(found, question, orders)))
        figures[name] = _figures(rows)
        times[name] = sorted(spent)[len(spent) // 2]
        if name == "reverie":
            kinds = [question.category for question in questions]
            for kind in sorted(set(kinds)):
                own = [row for row, other in zip(rows, kinds, strict=True) if other == kind]
                categories[kind] = _figures(own)
    return Report(dataset.name, len(dataset.docs), len(questions), figures, categories, times)


def _earlier(found: Found, question: Question, orders: dict[str, int | None]) -> Found:
    """Leave out what came after the question was asked."""
    if question.before is None:
        return found
    return [(id_, cost) for id_, cost in found if (orders[id_] or 0) < question.before]


def _measures(question: Question, found: Found) -> dict[str, float]:
    order = list(dict.fromkeys(id_ for id_, _ in found))
    gold = question.gold
    row = {f"hit@{k}": float(any(id_ in gold for id_ in order[:k])) for k in HITS}
    row |= {f"recall@{k}": len(gold.intersection(order[:k])) / len(gold) for k in RECALLS}
    gain = sum(1 / math.log2(at + 2) for at, id_ in enumerate(order[:10]) if id_ in gold)
    row["nDCG@10"] = gain / sum(1 / math.log2(at + 2) for at in range(min(10, len(gold))))
    for budget in BUDGETS:
        row[f"evidence@{budget}"] = len(gold & _within(found, budget)) / len(gold)
    return row


def _within(found: Found, budget: int) -> set[str]:
    """Return the documents of which a passage fits; the first that does not ends the list."""
    seen: set[str] = set()
    for id_, cost in found:
        if cost > budget:
            break
        budget -= cost
        seen.add(id_)
    return seen


def _figures(rows: Sequence[dict[str, float]]) -> dict[str, Figure]:
    rng = random.Random(len(rows))  # the same resamples every time
    samples = [rng.choices(range(len(rows)), k=len(rows)) for _ in range(_RESAMPLES)]
    found: dict[str, Figure] = {}
    for name in rows[0]:
        values = [100 * row[name] for row in rows]
        means = sorted(sum(values[at] for at in sample) / len(sample) for sample in samples)
        low, high = means[round(0.025 * _RESAMPLES)], means[round(0.975 * _RESAMPLES) - 1]
        found[name] = Figure(*(round(x, 2) for x in (sum(values) / len(values), low, high)))
    return found


# --- baselines ------------------------------------------------------------------------------------


def _by_scope(docs: Iterable[Doc]) -> dict[str, list[Doc]]:
    scopes: dict[str, list[Doc]] = {}
    for doc in docs:
        scopes.setdefault(doc.scope, []).append(doc)
    return scopes


def _bm25(docs: Sequence[Doc]) -> Method:
    """BM25 over whole documents, with stems and without stop words."""
    scores = _word_scores(docs)
    return lambda question: _best(*scores(question))


def _fusion(docs: Sequence[Doc]) -> Method:
    """The same and the cosines of static vectors, each scaled to 0..1 and added, half each."""
    embedder = EmbeddedEmbedder()
    scores = _word_scores(docs)
    built: dict[str, list[Sequence[float]]] = {}

    def find(question: Question) -> Found:
        own, by_words = scores(question)
        if question.scope not in built:
            built[question.scope] = [
                list(map(float, one)) for one in embedder.embed(doc.text for doc in own)
            ]
        asked = list(map(float, embedder.embed([question.text])[0]))
        cosines = [sum(map(mul, asked, vector)) for vector in built[question.scope]]
        both = zip(_scaled(by_words), _scaled(cosines), strict=True)
        return _best(own, [(one + other) / 2 for one, other in both])

    return find


def _scaled(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


def _word_scores(docs: Sequence[Doc]) -> Callable[[Question], tuple[list[Doc], list[float]]]:
    scopes = _by_scope(docs)
    built: dict[str, Bm25] = {}

    def find(question: Question) -> tuple[list[Doc], list[float]]:
        own = scopes[question.scope]
        if question.scope not in built:
            built[question.scope] = Bm25([_stems(doc.text) for doc in own])
        return own, built[question.scope].scores(_stems(question.text))

    return find


def _stems(text: str) -> list[str]:
    return [*terms(text), *(stem for _, stem in own_stems(text))]


def _grep(docs: Sequence[Doc]) -> Method:
    """What grep for any of the words brings, the documents with the most different words first."""
    scopes = {
        scope: [(doc, doc.text.lower()) for doc in own] for scope, own in _by_scope(docs).items()
    }

    def find(question: Question) -> Found:
        own = scopes[question.scope]
        wanted = set(re.findall(r"\w{2,}", question.text.lower()))
        scores = [float(sum(word in text for word in wanted)) for _, text in own]
        return _best([doc for doc, _ in own], scores)

    return find


def _best(docs: Sequence[Doc], scores: Sequence[float]) -> Found:
    order = sorted(range(len(docs)), key=lambda at: -scores[at])[:_DEEP]
    return [(docs[at].id, estimate_tokens(docs[at].text)) for at in order if scores[at] > 0]
