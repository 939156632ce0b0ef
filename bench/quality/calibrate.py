"""Fit the weights of `core.search.confidence`: `python -m bench.quality.calibrate FOLDER...`.

Rules
- Every question is asked twice: of its own documents, and where what answers it was taken away. That is
  another scope, or the same documents without the right ones and those that stand beside them (`BESIDE` on
  each side, often of the same article). Every second one also among a few documents only.
- Every third one is also asked without vectors, and every third time a few words of a right document are
  asked for instead; these count less (`BLIND`, `KEYWORDS`).
- The half of the questions by which weights are fitted is chosen by a hash; the other half is only printed.
- Each set counts the same, and so do questions with and without an answer.
- `kept`: of the right documents among the first five, how many the default threshold leaves. `silent`: of the
  questions that nothing answers, how many get nothing. Both are of the weights in use, as questions are.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.quality.dataset import Dataset, Question, lay_out, load
from reverie.cli.terminal import echo
from reverie.core.search.confidence import WEIGHTS, Evidence, confidence, features
from reverie.core.search.query import read_query
from reverie.core.search.rank import rank, scored, weigh
from reverie.memory import Memory
from reverie.ports import Finding
from reverie.types import Isolation

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
MOST_QUESTIONS: Final = 120
BESIDE: Final = 5
SIZES: Final = (8, 15, 30, 60)
MIN_SCORE: Final = 0.35
MOST_PATHS: Final = 240  # documents that stay where some are taken away
RIDGE: Final = 0.2
BLIND: Final = 0.2
KEYWORDS: Final = 0.5
# Added to the constant so that the documents' default threshold keeps most right answers in every language.
SHIFT: Final = 0.3


@dataclass(frozen=True, slots=True)
class Case:
    """One question asked of some documents."""

    dataset: str
    fitted: bool
    answered: bool
    evidence: Evidence
    documents: tuple[tuple[bool, float], ...]
    """The first ten: whether each is right, and its share of the best."""
    worth: float = 1.0


def gather(dataset: Dataset) -> Iterator[Case]:
    """Ask the questions of a dataset, with what answers them and without."""
    rng = random.Random(7)
    questions = list(dataset.questions)
    step = max(len(questions) // MOST_QUESTIONS, 1)
    with tempfile.TemporaryDirectory() as name:
        project, home = Path(name) / "project", Path(name) / "home"
        (project / ".git").mkdir(parents=True)
        layout = lay_out(dataset, project=project, home=home)
        path_of = {id_: path for path, id_ in layout.paths.items()}
        with Memory.open(project, home=home, env={}) as memory:
            memory.index()
            for number, question in enumerate(questions[::step]):
                asked = [(question, 1.0)]
                if number % 3 == 0:
                    asked.append((_keywords(dataset, question, rng), KEYWORDS))
                allowed = layout.allowed[question.scope]
                other = [scope for scope in layout.allowed if scope != question.scope]
                if other:
                    places = [(allowed, True), (layout.allowed[rng.choice(other)], False)]
                else:
                    left = [path_of[id_] for id_ in _without(dataset, question)]
                    left = rng.sample(left, min(len(left), MOST_PATHS))
                    places = [(allowed, True), (tuple(left), False)]
                    if number % 2 == 0:
                        few = rng.sample(left, min(rng.choice(SIZES), len(left)))
                        right = [path_of[id_] for id_ in question.gold if id_ in path_of]
                        places += [((*few, *right), True), (tuple(few), False)]
                for one, worth in asked:
                    for paths, answered in places:
                        seen = Isolation(allowed_paths=paths)
                        found = memory.search_index.find(
                            one.text, read_query(one.text), source=None, isolation=seen
                        )
                        yield _case(dataset, one, found, layout.paths, answered, worth)
                        if number % 3 == 1:
                            yield _case(dataset, one, found, layout.paths, answered, BLIND)


def _keywords(dataset: Dataset, question: Question, rng: random.Random) -> Question:
    text = next(doc.text for doc in dataset.docs if doc.id in question.gold)
    words = list(dict.fromkeys(_WORD.findall(text))) or [question.text]
    return replace(
        question, text=" ".join(rng.sample(words, min(len(words), rng.choice((2, 3, 4)))))
    )


def _without(dataset: Dataset, question: Question) -> list[str]:
    ids = [doc.id for doc in dataset.docs]
    gone = {
        near
        for at, id_ in enumerate(ids)
        if id_ in question.gold
        for near in range(at - BESIDE, at + BESIDE + 1)
    }
    return [id_ for at, id_ in enumerate(ids) if at not in gone]


def _case(
    dataset: Dataset,
    question: Question,
    finding: Finding,
    ids: dict[str, str],
    answered: bool,
    worth: float,
) -> Case:
    query = read_query(question.text)
    candidates, corpus = list(finding.candidates), finding.corpus
    if worth == BLIND:
        candidates = [replace(candidate, cosine=None) for candidate in candidates]
        corpus = replace(corpus, cosine_mean=0.0, cosine_deviation=0.0, profile=None)
    gold = question.gold if answered else frozenset()
    shares: dict[str, float] = {}
    for hit in rank(query, candidates, corpus):
        shares.setdefault(ids[finding.about(hit.candidate.key)[0]], hit.share)
    evidence = weigh(query, candidates, corpus).evidence if candidates else Evidence(0.0)
    half = int(hashlib.sha256(question.id.encode()).hexdigest(), 16) % 2
    first = [(id_ in gold, share) for id_, share in list(shares.items())[:10]]
    return Case(dataset.name, half == 0, answered, evidence, tuple(first), worth)


def fit(cases: Sequence[Case]) -> dict[str, float]:
    """Fit the weights by Newton's method, with a little ridge."""
    some = [case for case in cases if case.fitted and _tells(case)]
    rows = [features(case.evidence) for case in some]
    matrix: Any = np.array([[row.get(name, 0.0) for name in WEIGHTS] for row in rows])
    right: Any = np.array([float(case.answered) for case in some])
    kinds = Counter((case.dataset, case.answered, case.worth) for case in some)
    worth: Any = np.array(
        [case.worth / kinds[case.dataset, case.answered, case.worth] for case in some]
    )
    worth /= worth.mean()
    weights: Any = np.zeros(len(WEIGHTS))
    for _ in range(40):
        likely = 1 / (1 + np.exp(-np.clip(matrix @ weights, -30, 30)))
        slope = matrix.T @ (worth * (right - likely)) - RIDGE * weights
        bend = (matrix * (worth * likely * (1 - likely))[:, None]).T @ matrix
        weights += np.linalg.solve(bend + RIDGE * np.eye(len(WEIGHTS)), slope)
    found = dict(zip(WEIGHTS, weights.tolist(), strict=True))
    return {**found, "one": found["one"] + SHIFT}


def _tells(case: Case) -> bool:
    """Leave out questions whose answer was not found: no threshold could keep it."""
    return bool(case.documents) and (
        not case.answered or any(right for right, _ in case.documents[:5])
    )


def table(cases: Sequence[Case]) -> Iterator[str]:
    """Say for each set how much the weights in use keep, and how often they are silent."""
    for name in sorted({case.dataset for case in cases}):
        for fitted in (True, False):
            own = [c for c in cases if (c.dataset, c.fitted, c.worth) == (name, fitted, 1.0)]
            right = kept = silent = asked = 0
            for case in own:
                sure = confidence(case.evidence)
                scores = [(good, scored(sure, share)) for good, share in case.documents]
                right += sum(good for good, _ in scores[:5])
                kept += sum(good and score >= MIN_SCORE for good, score in scores[:5])
                asked += not case.answered
                silent += not case.answered and all(score < MIN_SCORE for _, score in scores)
            half = "fitted" if fitted else "held out"
            shares = f"kept {100 * kept / max(right, 1):5.1f}  silent {100 * silent / max(asked, 1):5.1f}"
            yield f"{name:16} {half:9} {shares}"


def main() -> None:
    cases = [case for folder in sys.argv[1:] for case in gather(load(Path(folder)))]
    echo("\n".join(table(cases)))
    for name, weight in fit(cases).items():
        echo(f'    "{name}": {weight:.1f},')


if __name__ == "__main__":
    main()
