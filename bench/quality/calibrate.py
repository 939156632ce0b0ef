"""Fit the weights of `core.search.confidence`: `python -m bench.quality.calibrate FOLDER...`.

Rules
- Every question is asked twice: of its own documents, and where what answers it was taken away. That is
  another scope, or the same documents without the right ones and those that stand beside them (`BESIDE` on each
  side, which are often of the same article). Every second one also among a few documents only.
- The half of the questions by which weights are fitted is chosen by a hash; the other half is only printed.
- Each set counts the same, and so do questions with and without an answer.
- `kept`: of the right documents among the first five, how many the default threshold leaves. `silent`: of the
  questions that nothing answers, how many get nothing.
"""

from __future__ import annotations

import hashlib
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.quality.dataset import Dataset, Question, lay_out, load
from reverie.cli.terminal import echo
from reverie.core.search.confidence import WEIGHTS, Evidence, confidence, features
from reverie.core.search.query import read_query
from reverie.core.search.rank import rank, scored, weigh
from reverie.memory import Memory
from reverie.types import Isolation

MOST_QUESTIONS: Final = 120
BESIDE: Final = 5
SIZES: Final = (8, 15, 30, 60)
MIN_SCORE: Final = 0.35
RIDGE: Final = 0.2
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
                allowed = layout.allowed[question.scope]
                other = [scope for scope in layout.allowed if scope != question.scope]
                yield _case(memory, dataset, question, allowed, layout.paths, answered=True)
                if other:
                    allowed = layout.allowed[rng.choice(other)]
                    yield _case(memory, dataset, question, allowed, layout.paths, answered=False)
                    continue
                left = _without(dataset, question)
                for some in (left, rng.sample(left, min(rng.choice(SIZES), len(left)))):
                    if some is not left and number % 2:
                        continue
                    paths = [path_of[id_] for id_ in some]
                    yield _case(memory, dataset, question, paths, layout.paths, answered=False)
                    if some is not left:
                        paths += [path_of[id_] for id_ in question.gold if id_ in path_of]
                        yield _case(memory, dataset, question, paths, layout.paths, answered=True)


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
    memory: Memory,
    dataset: Dataset,
    question: Question,
    allowed: Sequence[str],
    ids: dict[str, str],
    *,
    answered: bool,
) -> Case:
    query = read_query(question.text)
    seen = Isolation(allowed_paths=tuple(allowed))
    finding = memory.search_index.find(question.text, query, source=None, isolation=seen)
    gold = question.gold if answered else frozenset()
    shares: dict[str, float] = {}
    for hit in rank(query, finding.candidates, finding.corpus):
        shares.setdefault(ids[finding.about(hit.candidate.key)[0]], hit.share)
    found = finding.candidates
    evidence = weigh(query, found, finding.corpus).evidence if found else Evidence(0.0)
    half = int(hashlib.sha256(question.id.encode()).hexdigest(), 16) % 2
    first = [(id_ in gold, share) for id_, share in list(shares.items())[:10]]
    return Case(dataset.name, half == 0, answered, evidence, tuple(first))


def fit(cases: Sequence[Case]) -> dict[str, float]:
    """Fit the weights by Newton's method, with a little ridge."""
    some = [case for case in cases if case.fitted and _tells(case)]
    rows = [features(case.evidence) for case in some]
    matrix: Any = np.array([[row.get(name, 0.0) for name in WEIGHTS] for row in rows])
    right: Any = np.array([float(case.answered) for case in some])
    kinds = [(case.dataset, case.answered) for case in some]
    worth: Any = np.array([1 / kinds.count(kind) for kind in kinds])
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
            own = [case for case in cases if (case.dataset, case.fitted) == (name, fitted)]
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
