"""The history of an agent at 1,000, 10,000 and 100,000 turns: open, append, replay, search."""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.speed.search import worked
from reverie.core.history import turns
from reverie.memory import Memory
from reverie.types import TextPart, ToolCallPart, ToolResultPart, Turn, TurnMessage

SIZES = (1_000, 10_000, 100_000)
PER_DAY = 100
_START = datetime(2020, 1, 1, 8, tzinfo=UTC)
_WORDS = [
    "deploy", "release", "login", "cache", "index", "memory", "parser", "queue", "token", "schema",
    "retry", "timeout", "branch", "merge", "test", "fixture", "config", "header", "cookie", "session",
    "worker", "thread", "lock", "journal", "backup", "restore", "metric", "alert", "budget",
]  # fmt: skip


def run(*, quick: bool) -> Iterator[tuple[str, object]]:
    """Measure each size in a home of its own; the plain write of the same bytes is the baseline."""
    sizes = SIZES[:1] if quick else SIZES
    figures: dict[str, dict[str, Any]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="reverie-bench-") as folder:
            measured = _measure(Path(os.path.realpath(folder)), size, quick=quick)
        figures[f"turns_{size}"] = measured
        yield f"turns_{size}", measured
    yield from _growth(figures).items()


def _growth(figures: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Divide each size's times by those of the smallest: what does not grow stays near 1."""
    first, *others = figures
    least = figures[first]
    timed = [name for name, value in least.items() if isinstance(value, dict)]
    return {
        f"{name}_over_{first}": {
            what: figures[name][what]["p50"] / least[what]["p50"] for what in timed
        }
        for name in others
    }


def _measure(folder: Path, size: int, *, quick: bool) -> dict[str, Any]:
    rounds = 20 if quick else 50
    project = folder / "project"
    (project / ".git").mkdir(parents=True)
    home = folder / "home"
    chance = random.Random(size)  # the same text in every run, nothing secret
    _fill(home / "agents" / "default" / "history" / "turns", size, chance)
    options = {"embedder.provider": "none", "secrets.policy": "off"}
    with Memory.open(project, home=home, settings=options) as memory:
        index_all = _timed(lambda: memory.layers.history)
    with Memory.open(project, home=home, settings=options) as memory:
        open_warm = _timed(lambda: memory.layers.history)
        history = memory.layers.history
        appended = [_timed(lambda: history.append(_messages(chance))) for _ in range(rounds)]
        replayed = [_timed(lambda: history.replay(6, checkpoint=0)) for _ in range(rounds)]
        got = [_timed(lambda: history.get(chance.randint(1, size))) for _ in range(rounds)]
        prompted = [_timed(lambda: memory.prompt(context=False)) for _ in range(5)]
        # A search waits only so long for the index; the rest is done here, not in what is measured.
        work = worked()
        search_index = _timed(memory.index)
        work = worked() - work
        searched = [
            _timed(lambda: memory.search(" ".join(chance.sample(_WORDS, 3)), source="chat"))
            for _ in range(rounds)
        ]
    plain = [_timed(lambda: _write_plainly(folder, chance)) for _ in range(rounds)]
    return {
        "index_all_s": index_all,
        "open_ms": open_warm * 1000,
        "append_ms": _spread(appended),
        "append_ratio": statistics.median(appended) / statistics.median(plain),
        "replay_6_ms": _spread(replayed),
        "get_ms": _spread(got),
        "prompt_ms": _spread(prompted),
        "search_index_s": search_index,
        "search_index_processor_s": work,
        "search_ms": _spread(searched),
    }


def _messages(chance: random.Random) -> tuple[TurnMessage, ...]:
    def words(count: int) -> str:
        return " ".join(chance.choices(_WORDS, k=count))

    call = ToolCallPart("c1", "read", '{"path": "a.py"}')
    return (
        TurnMessage("user", (TextPart(words(20)),)),
        TurnMessage("assistant", (TextPart(words(5)), call)),
        TurnMessage("tool", (ToolResultPart("c1", words(60)),)),
        TurnMessage("assistant", (TextPart(words(40)),)),
    )


def _fill(folder: Path, size: int, chance: random.Random) -> None:
    """Write turns as a history would have, without waiting for the disk."""
    for seq in range(1, size + 1):
        at = _START + timedelta(days=(seq - 1) // PER_DAY, seconds=seq % PER_DAY)
        path = folder / turns.turn_path(seq, at)
        if (seq - 1) % PER_DAY == 0:
            path.parent.mkdir(parents=True)
        path.write_text(turns.encode(Turn(seq, at, _messages(chance))), encoding="utf-8")


def _write_plainly(folder: Path, chance: random.Random) -> None:
    """Write the bytes of one turn and wait for the disk: the least that any append costs."""
    text = turns.encode(Turn(1, _START, _messages(chance)))
    descriptor = os.open(folder / "plain.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(descriptor, text.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _timed(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {
        "p50": statistics.median(ordered) * 1000,
        "p95": ordered[min(len(ordered) - 1, round(len(ordered) * 0.95))] * 1000,
    }
