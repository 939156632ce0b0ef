"""Does meaning arrive: sixty memories and forty questions, through the public face at its defaults.

Rules
- Each memory is remembered by itself; each question is asked by `Memory.search` and by `Memory.recall`.
- A question is answered when its memory is among what is shown. Everything else that is shown is irrelevant.
  An unanswerable question is answered by silence.
- One set is for choosing, one for reporting; both are ours, and stand in `tests/data/meaning`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reverie.memory import Memory

__all__ = ["KINDS", "SETS", "Asked", "MeaningReport", "evaluate_meaning"]

SETS: Final = Path(__file__).resolve().parents[2] / "tests" / "data" / "meaning"
KINDS: Final = ("words", "paraphrase", "language", "unanswerable")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, and what was shown for it."""

    kind: str
    text: str
    answered: bool
    irrelevant: int


@dataclass(frozen=True, slots=True)
class MeaningReport:
    """What one face showed for all questions of a set."""

    asked: tuple[Asked, ...]

    def answered(self, kind: str) -> tuple[int, int]:
        """Count the answered questions of a kind, and all of it."""
        some = [item.answered for item in self.asked if item.kind == kind]
        return sum(some), len(some)

    @property
    def irrelevant(self) -> float:
        """How many memories that do not answer were shown for a question, on average."""
        return sum(item.irrelevant for item in self.asked) / max(len(self.asked), 1)


def evaluate_meaning(
    path: Path, *, embedder: str = "auto", **search: float
) -> dict[str, MeaningReport]:
    """Ask all questions of a set; returns what `search` and `recall` showed."""
    data = json.loads(path.read_text("utf-8"))
    memories: list[str] = data["memories"]
    with tempfile.TemporaryDirectory() as name:
        project = Path(name) / "project"
        (project / ".git").mkdir(parents=True)
        settings = {"embedder.provider": embedder}
        with Memory.open(project, home=Path(name) / "home", settings=settings) as memory:
            for text in memories:
                memory.remember(text, scope="user")
            memory.index()  # else a busy machine answers by static vectors until the model's are made

            def searched(question: str) -> list[str]:
                return [hit.text for hit in memory.search(question, **search).results]  # type: ignore[arg-type]

            def recalled(question: str) -> list[str]:
                return [item.text for item in memory.recall(question).topics]

            faces: dict[str, Callable[[str], list[str]]] = {"search": searched, "recall": recalled}
            return {
                face: MeaningReport(
                    tuple(_asked(item, memories, ask(item["text"])) for item in data["questions"])
                )
                for face, ask in faces.items()
            }


def _asked(item: dict[str, object], memories: list[str], shown: list[str]) -> Asked:
    answer = item["answer"]
    wanted = memories[answer] if isinstance(answer, int) else None
    right = sum(wanted is not None and wanted.rstrip(".") in text for text in shown)
    found = bool(right) if wanted is not None else not shown
    return Asked(str(item["kind"]), str(item["text"]), found, len(shown) - right)
