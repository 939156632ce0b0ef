"""What the default threshold keeps and where it is silent; and the weights of `core.search.confidence`.

    python -m bench.quality.calibrate [--embedder embedded] [--questions 120] [--fit] FOLDER...

Rules
- Every question is asked of its own documents, and again where what answers it was taken away: of another
  scope, or of the same documents without the right ones and those beside them (`BESIDE` on each side, often
  of the same article). Every second one also among a few documents only, with the right ones and without.
- The half of the questions by which weights are fitted is chosen by a hash; the other half is only printed.
- `found`: the share of right documents among the first five, whatever their score. `kept`: of these, how many
  the default threshold leaves. `silent`: of the questions that nothing answers, how many get nothing.
- `--fit` looks for the weights for which every set comes closest to `GOALS`, on the choosing half: softened
  counts, so that there is a slope to follow. Each set and kind of question counts the same.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.quality.dataset import Dataset, Question, lay_out, load
from reverie.cli.terminal import echo
from reverie.core.search.confidence import WEIGHTS, features
from reverie.core.search.query import read_query
from reverie.core.search.rank import as_read, scored, weigh
from reverie.memory import Memory
from reverie.types import Isolation
from reverie.verbs.search import ranked

BESIDE: Final = 5
SIZES: Final = (8, 15, 30, 60)
MIN_SCORE: Final = 0.35
MOST_PATHS: Final = 240  # documents that stay where some are taken away
GOALS: Final = {True: 0.985, False: 0.82}  # kept of what was found, silent where nothing is
STEPS: Final = 1_500
RATE: Final = 0.03
SOFTNESS: Final = 2.5
RIDGE: Final = 0.002
NEVER_AGAINST: Final = frozenset(
    {"ahead", "above_tenth", "matched", "passage", "sentence", "first_sentence"}
    | {"sense", "sense_uncovered", "beside", "beside_uncovered", "long"}
)


@dataclass(frozen=True, slots=True)
class Case:
    """One question asked of some documents."""

    dataset: str
    kind: str
    fitted: bool
    answered: bool
    features: dict[str, float]
    documents: tuple[tuple[bool, float, float], ...]
    """The first ten: whether each is right, its score, and its share of the best."""
    missed: int = 0
    """Right documents that are not among them."""


def gather(dataset: Dataset, *, embedder: str, most: int) -> Iterator[Case]:
    """Ask the questions of a dataset, with what answers them and without."""
    rng = random.Random(7)
    questions = list(dataset.questions)
    step = max(len(questions) // most, 1)
    with tempfile.TemporaryDirectory() as name:
        project, home = Path(name) / "project", Path(name) / "home"
        (project / ".git").mkdir(parents=True)
        layout = lay_out(dataset, project=project, home=home)
        path_of = {id_: path for path, id_ in layout.paths.items()}
        settings = {"embedder.provider": embedder}
        with Memory.open(project, home=home, env={}, settings=settings) as memory:
            memory.index()
            for number, question in enumerate(questions[::step]):
                other = [scope for scope in layout.allowed if scope != question.scope]
                places = [("all", layout.allowed[question.scope], True)]
                if other:
                    places.append(("all", layout.allowed[rng.choice(other)], False))
                else:
                    left = [path_of[id_] for id_ in _without(dataset, question)]
                    left = rng.sample(left, min(len(left), MOST_PATHS))
                    places.append(("all", tuple(left), False))
                    if number % 2 == 0:
                        few = rng.sample(left, min(rng.choice(SIZES), len(left)))
                        right = [path_of[id_] for id_ in question.gold if id_ in path_of]
                        places.append(("few", (*few, *right), True))
                        places.append(("few", tuple(few), False))
                for kind, paths, answered in places:
                    seen = Isolation(allowed_paths=paths)
                    yield _case(dataset, kind, question, memory, layout.paths, answered, seen)


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
    kind: str,
    question: Question,
    memory: Memory,
    ids: dict[str, str],
    answered: bool,
    seen: Isolation,
) -> Case:
    query = read_query(question.text)
    finding, hits = ranked(question.text, index=memory.search_index, isolation=seen)

    def text(key: str) -> str:
        found = finding.read(key, context_tokens=0)
        return found[0] if found else ""

    gold = question.gold if answered else frozenset()
    documents: dict[str, tuple[bool, float, float]] = {}
    for hit in hits:
        id_ = ids[finding.about(hit.candidate.key)[0]]
        documents.setdefault(id_, (id_ in gold, hit.score, hit.share))
    numbers: dict[str, float] = {}
    if finding.candidates and not query.talk:  # what conversations get is no weighted sum
        weighed = weigh(query, finding.candidates, finding.corpus)
        numbers = features(as_read(query, finding.candidates, weighed, text))
    half = int(hashlib.sha256(question.id.encode()).hexdigest(), 16) % 2
    first = tuple(documents.values())[:10]
    missed = len(gold) - sum(right for right, _, _ in first[:5])
    return Case(dataset.name, kind, half == 0, answered, numbers, first, missed)


def fit(cases: Sequence[Case]) -> dict[str, float]:
    """Look for the weights that come closest to the goals in every set."""
    names = list(WEIGHTS)
    rows: list[list[float]] = []
    bars: list[float] = []
    signs: list[float] = []
    groups: list[int] = []
    known: dict[tuple[str, str, bool], int] = {}
    for case in cases:
        if not case.fitted or not case.features:
            continue
        row = [case.features.get(name, 0.0) for name in names]
        group = known.setdefault((case.dataset, case.kind, case.answered), len(known))
        spoken = bool(case.features.get("spoken"))
        shares = [share for right, _, share in case.documents[:5] if right] or [1.0]
        for share in shares if case.answered else [1.0]:
            reached = scored(1.0, share, spoken=spoken)
            if reached > MIN_SCORE:
                rows.append(row)
                bars.append(_logit(min(MIN_SCORE / reached, 0.985)))
                signs.append(1.0 if case.answered else -1.0)
                groups.append(group)
    goals = np.array([GOALS[answered] for _, _, answered in known])
    free = [at for at, name in enumerate(names) if name in NEVER_AGAINST]
    return dict(zip(names, _descend(rows, bars, signs, groups, goals, free), strict=True))


def _descend(
    rows: Sequence[Sequence[float]],
    bars: Sequence[float],
    signs: Sequence[float],
    groups: Sequence[int],
    goals: Any,
    never_against: Sequence[int],
) -> list[float]:
    """Follow the slope of what is missing to the goals (Adam), from the weights in use."""
    matrix, bar, sign, group = map(np.array, (rows, bars, signs, groups))
    sizes = np.bincount(group, minlength=len(goals))
    start: Any = np.array(list(WEIGHTS.values()))
    weights = start.copy()
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        reached = 1 / (
            1 + np.exp(-np.clip(SOFTNESS * sign * (matrix @ weights - bar), -30.0, 30.0))
        )
        share = np.bincount(group, weights=reached, minlength=len(goals)) / sizes
        missing = 0.05 + 1 / (1 + np.exp(-12.0 * (goals - share)))
        slope = -(missing / sizes)[group] * reached * (1 - reached) * SOFTNESS * sign
        slope = matrix.T @ slope + RIDGE * (weights - start)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        moved = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights = weights - RATE * moved
        weights[never_against] = np.maximum(weights[never_against], 0.0)
    return [float(weight) for weight in weights]


def _logit(x: float) -> float:
    return math.log(x / (1 - x))


def table(cases: Sequence[Case]) -> Iterator[str]:
    """Say for each set how much is found, how much is kept, and how often nothing is shown."""
    yield f"{'set':16} {'half':9} found@5   kept  silent   few: kept  silent"
    for name in sorted({case.dataset for case in cases}):
        for fitted in (True, False):
            cells: list[str] = []
            for kind in ("all", "few"):
                own = [c for c in cases if (c.dataset, c.fitted, c.kind) == (name, fitted, kind)]
                first = [c.documents[:5] for c in own if c.answered]
                right = sum(good for some in first for good, _, _ in some)
                kept = sum(good and score >= MIN_SCORE for some in first for good, score, _ in some)
                wanted = right + sum(c.missed for c in own if c.answered)
                none = [c for c in own if not c.answered]
                silent = sum(all(score < MIN_SCORE for _, score, _ in c.documents) for c in none)
                shares = [(right, wanted), (kept, right), (silent, len(none))]
                cells += [f"{100 * a / b:6.1f}" if b else "     -" for a, b in shares]
            half = "choosing" if fitted else "held out"
            yield f"{name:16} {half:9} {' '.join(cells[:3])}     {' '.join(cells[4:])}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--embedder", default="embedded")
    parser.add_argument("--questions", type=int, default=120)
    parser.add_argument("--fit", action="store_true")
    asked = parser.parse_args()
    cases = [
        case
        for folder in asked.folders
        for case in gather(load(folder), embedder=asked.embedder, most=asked.questions)
    ]
    echo("\n".join(table(cases)))
    if asked.fit:
        for name, weight in fit(cases).items():
            echo(f'    "{name}": {weight:.1f},')


if __name__ == "__main__":
    main()
