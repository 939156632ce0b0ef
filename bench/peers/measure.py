"""Running a peer over the data, and what its answers are worth.

Rules
- Each scope of a dataset (one conversation, one person) is a memory of its own, and is asked its own
  questions only.
- Time is processor time of the process and of what it started; a busy machine changes it little.
- `recall@k` is the share of the right documents among the first k, averaged over the questions.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.peers.known import Peer
from bench.peers.setting_up import ROOT, environment, interpreter

K: Final = 10


@dataclass(frozen=True, slots=True)
class Data:
    """Documents and questions by scope."""

    name: str
    docs: dict[str, list[dict[str, str]]]
    questions: dict[str, list[dict[str, Any]]]

    @property
    def sizes(self) -> tuple[int, int]:
        """How many documents and questions there are."""
        return sum(map(len, self.docs.values())), sum(map(len, self.questions.values()))


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one peer on one dataset."""

    peer: str
    dataset: str
    recall5: float = 0.0
    recall10: float = 0.0
    fill_seconds: float = 0.0
    query_ms: float = 0.0
    first_seconds: float = 0.0
    megabytes: float = 0.0
    failed: str = ""


def read(folder: Path, *, scopes: int, questions: int) -> Data:
    """Read a dataset: its first scopes, and so many of their questions, evenly spread; 0 means all."""
    docs: dict[str, list[dict[str, str]]] = {}
    for row in _lines(folder / "docs.jsonl"):
        docs.setdefault(row["scope"], []).append(row)
    kept = list(docs)[:scopes] if scopes else list(docs)
    known = {scope: {doc["id"] for doc in docs[scope]} for scope in kept}
    asked = [
        row
        for row in _lines(folder / "queries.jsonl")
        if row["scope"] in known and known[row["scope"]].intersection(row["gold"])
    ]
    if questions and questions < len(asked):
        asked = [asked[at * len(asked) // questions] for at in range(questions)]
    by_scope: dict[str, list[dict[str, Any]]] = {}
    for row in asked:
        by_scope.setdefault(row["scope"], []).append(row)
    return Data(folder.name, {scope: docs[scope] for scope in kept}, by_scope)


def measure(peer: Peer, data: Data, *, work: Path, python: str, seconds: float) -> Row:
    """Fill a peer's memory, ask it everything, and count."""
    folder = work / peer.name.replace(" ", "-").replace(",", "") / data.name
    shutil.rmtree(folder, ignore_errors=True)
    filled, spent, firsts = 0.0, [], []
    found: dict[str, list[str]] = {}
    try:
        program = interpreter(peer, python)
        env = environment(peer, folder / "home")
        for number, (scope, docs) in enumerate(data.docs.items()):
            asked = data.questions.get(scope, [])
            given = {
                "folder": str(folder / "store" / str(number)),
                "docs": docs,
                "questions": asked,
                "k": K,
            }
            job = folder / f"{number}.json"
            job.write_text(json.dumps(given), encoding="utf-8")
            filled += _phase(program, peer, "fill", job, env, seconds)["cpu"]
            if asked:
                answered = _phase(program, peer, "ask", job, env, seconds)
                found |= answered["found"]
                spent += answered["spent"]
                firsts.append(answered["first"])
    except Exception as error:  # noqa: BLE001  # a peer that does not run is a row that says so
        return Row(peer.name, data.name, failed=" ".join(str(error).split())[-200:])
    files = [file for file in (folder / "store").rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    shutil.rmtree(folder, ignore_errors=True)
    return Row(
        peer.name,
        data.name,
        _recall(data, found, 5),
        _recall(data, found, 10),
        round(filled, 2),
        round(1000 * median(spent or [0.0]), 2),
        round(median(firsts), 2),
        round(size / 1e6, 2),
    )


def table(rows: list[Row], data: Data) -> str:
    """Write the rows of one dataset as Markdown."""
    documents, questions = data.sizes
    lines = [
        f"**{data.name}**: {documents:,} documents in {len(data.docs)}, {questions:,} questions",
        "",
        "| | recall@5 | recall@10 | fill, s | question, ms | first answer, s | MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        if row.failed:
            lines.append(f"| {row.peer} | did not run: {row.failed} | | | | | |")
            continue
        lines.append(
            f"| {row.peer} | {row.recall5:.1f} | {row.recall10:.1f} | {row.fill_seconds:.1f} |"
            f" {row.query_ms:.1f} | {row.first_seconds:.2f} | {row.megabytes:.1f} |"
        )
    return "\n".join(lines)


def as_json(rows: list[Row]) -> str:
    """Write the rows for programs."""
    return json.dumps([asdict(row) for row in rows], indent=2)


def _phase(
    program: str, peer: Peer, phase: str, job: Path, env: dict[str, str], seconds: float
) -> dict[str, Any]:
    words = [program, "-m", "bench.peers.worker", peer.adapter, phase, str(job)]
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=seconds)
    if done.returncode:
        told = done.stderr.strip().splitlines()
        raise RuntimeError(told[-1] if told else "it failed")
    figures: dict[str, Any] = json.loads(Path(f"{job}.{phase}").read_text(encoding="utf-8"))
    return figures


def _recall(data: Data, found: dict[str, list[str]], k: int) -> float:
    questions = [item for asked in data.questions.values() for item in asked]
    shares = []
    for question in questions:
        gold, first = set(question["gold"]), dict.fromkeys(found.get(question["id"], []))
        shares.append(len(gold.intersection(list(first)[:k])) / len(gold))
    return round(100 * sum(shares) / len(shares), 2)


def _lines(file: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
