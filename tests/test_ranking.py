"""Ranking on some 200 public questions: what `Memory.search` finds today, it finds tomorrow.

The data, where it comes from and its licences: tests/data/ranking/README.md. To see the figures of
a change, and to write them down when they are better: `python -m tests.test_ranking`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie.memory import Memory
from reverie.types import Hit, Isolation, Passage, SearchOutcome, TextPart, Turn, TurnMessage

DATA = Path(__file__).parent / "data" / "ranking"
FIGURES = DATA / "figures.json"
SETS = sorted(path.name for path in DATA.iterdir() if path.is_dir())
NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
MOST = 20  # documents asked for
EMBEDDER = "embedded"  # the figures are those of the static vectors, which every installation has
BESIDE = 5  # files on each side of a right one that are often of the same article


def rows(name: str, what: str) -> list[dict[str, Any]]:
    text = (DATA / name / f"{what}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def fill(memory: Memory, name: str) -> dict[str, str]:
    """Put the documents where a person has them, files or a conversation; return their ids by path."""
    docs = rows(name, "docs")
    if "chat" in docs[0]:
        drafts = [
            Turn(0, NOW, (TurnMessage(doc["role"], (TextPart(doc["text"]),)),), session=doc["chat"])
            for doc in docs
        ]
        made = memory.layers.history.append_all(drafts).turns
        return {
            f"chat://{turn.session}/{turn.seq}": doc["id"]
            for turn, doc in zip(made, docs, strict=True)
        }
    folder = Path(memory.workspace.project_root, "memory")
    folder.mkdir()
    for number, doc in enumerate(docs):
        (folder / f"{number:03d}.md").write_text(doc["text"] + "\n", encoding="utf-8")
    return {f"memory/{number:03d}.md": doc["id"] for number, doc in enumerate(docs)}


def measured(memory: Memory, name: str) -> dict[str, float]:
    """Return the mean over the questions.

    Of the ranking: a right one first, and the share of right ones found, whatever the score. As delivered:
    of the right ones among the first five, how many the default threshold keeps; and of the questions asked
    where what answers them was taken away, how many get nothing.
    """
    ids = fill(memory, name)
    memory.index()
    figures = {"first": 0.0, "recall@5": 0.0, "recall@10": 0.0, "silent": 0.0}
    questions = rows(name, "questions")
    right = kept = 0
    for question in questions:
        text, gold = question["text"], set(question["gold"])
        seen = (
            Isolation(allowed_paths=(f"chat://{question['chat']}",)) if "chat" in question else None
        )
        places = _places(memory.search(text, max_results=MOST, min_score=0, isolation=seen))
        found = list(dict.fromkeys(ids[place.path] for place in places))
        figures["first"] += bool(found) and found[0] in gold
        for most in (5, 10):
            figures[f"recall@{most}"] += len(gold.intersection(found[:most])) / len(gold)
        shown = {
            ids[at.path] for at in _places(memory.search(text, max_results=MOST, isolation=seen))
        }
        right += len(gold.intersection(found[:5]))
        kept += len(gold.intersection(found[:5]) & shown)
        figures["silent"] += not memory.search(
            text, isolation=_without(name, question, ids)
        ).results
    means = {key: value / len(questions) for key, value in figures.items()} | {"kept": kept / right}
    return {key: round(100 * value, 1) for key, value in means.items()}


def _places(outcome: SearchOutcome) -> list[Hit | Passage]:
    """Return all that is shown, in the order of scores: of a conversation, every turn counts."""
    places: list[Hit | Passage] = [*outcome.results]
    places += [more for hit in outcome.results for more in hit.passages]
    return sorted(places, key=lambda place: -place.score)


def _without(name: str, question: dict[str, Any], ids: dict[str, str]) -> Isolation:
    """Hide what answers a question: another conversation, or all files but those and what is beside them."""
    if "chat" in question:
        chats = sorted({doc["chat"] for doc in rows(name, "docs")} - {question["chat"]})
        return Isolation(allowed_paths=(f"chat://{chats[0]}",))
    places = list(ids)
    gone = {
        near
        for at, path in enumerate(places)
        if ids[path] in question["gold"]
        for near in range(at - BESIDE, at + BESIDE + 1)
    }
    return Isolation(allowed_paths=tuple(p for at, p in enumerate(places) if at not in gone))


def test_the_set_is_the_size_that_was_promised() -> None:
    assert sum(len(rows(name, "questions")) for name in SETS) >= 200
    assert sum(path.stat().st_size for path in DATA.rglob("*.jsonl")) < 1_500_000
    for name in SETS:
        ids = {doc["id"] for doc in rows(name, "docs")}
        assert all(ids >= set(question["gold"]) for question in rows(name, "questions"))


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_what_is_found_today_is_found_tomorrow(name: str, memory: Memory) -> None:
    """One question may be lost to chance, such as another version of a library; two are too many."""
    known = json.loads(FIGURES.read_text(encoding="utf-8"))[name]
    assert memory._provider() == EMBEDDER
    found = measured(memory, name)
    lost = {key: value for key, value in found.items() if value < known["floor"][key]}
    assert not lost, f"measured before: {known['measured']}"


# --- measuring anew -------------------------------------------------------------------------------


@contextmanager
def fresh() -> Iterator[Memory]:
    with tempfile.TemporaryDirectory() as name:
        project = Path(name, "project")
        (project / ".git").mkdir(parents=True)
        settings = {"embedder.provider": EMBEDDER}
        with Memory.open(project, home=Path(name, "home"), env={}, settings=settings) as memory:
            yield memory


def main() -> None:
    figures: dict[str, Any] = {}
    for name in SETS:
        with fresh() as memory:
            found = measured(memory, name)
        questions = len(rows(name, "questions"))
        margin = 150 / questions  # between one question and two
        figures[name] = {
            "documents": len(rows(name, "docs")),
            "questions": questions,
            "measured": found,
            "floor": {key: round(value - margin, 1) for key, value in found.items()},
        }
        print(name, found)
    if "--write" in sys.argv:
        FIGURES.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
