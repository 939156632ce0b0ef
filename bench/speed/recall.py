"""How long a recall takes with 100, 1,000 and 10,000 topics, and how that grows.

Three cases: the very first recall, which reads every file and stores their words; the first recall of
a later process (a hook at every prompt); and later ones of the same process (a daemon).
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from reverie.memory import Memory
from reverie.types import Kind

_SUBJECT_WORDS = """
deploy release branch merge review cache database migration backup replica dashboard latency alert pager
token session login parser tokenizer index vector search ranking schema endpoint gateway proxy billing
invoice customer contract office travel lunch tea coffee keyboard editor terminal shell theme font colour
"""
_SUBJECTS = _SUBJECT_WORDS.split()
_PLACES = ("Rome", "Oslo", "Lima", "Kyiv", "Cairo", "Quito", "Delhi", "Tokyo", "Hanoi", "Accra")
QUERIES = (
    "when may I deploy the billing gateway",
    "which editor theme and font",
    "where is the latency dashboard for Oslo",
    "who reviews a database migration before the release",
    "how tall is the tower in a far away town",
)


def run(*, quick: bool) -> Iterator[tuple[str, object]]:
    """Measure each size in a temporary home."""
    sizes = (100, 1000) if quick else (100, 1000, 10_000)
    medians: dict[int, float] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder, "home")
            fill(home, size)
            time.sleep(2.1)  # words of files that are seconds old are not stored
            build = _timed(home, QUERIES[0])
            cold = [_timed(home, query) for query in QUERIES]
            with Memory.open(folder, home=home, env={}) as memory:
                memory.recall(QUERIES[0])
                warm = [_recall_ms(memory, query) for query in QUERIES * (2 if size > 1000 else 8)]
        medians[size] = statistics.median(warm)
        yield (
            str(size),
            {
                "build_ms": build,
                "first_ms": statistics.median(cold),
                "p50_ms": medians[size],
                "p95_ms": sorted(warm)[int(0.95 * (len(warm) - 1))],
            },
        )
    smallest, largest = sizes[0], sizes[-1]
    yield (
        "growth",
        {"topics": largest / smallest, "time": medians[largest] / medians[smallest]},
    )


def fill(home: Path, size: int) -> None:
    """Write so many topics of sixty words, the same in every run."""
    chance = random.Random(7)  # the same memory in every run
    syllables = ["ba", "cor", "den", "fil", "gam", "hol", "jin", "kem", "lor", "mun", "nev", "pos"]
    rare = ["".join(chance.choices(syllables, k=3)) for _ in range(5000)]
    for number in range(size):
        kind = chance.choice(list(Kind))
        words = chance.choices(_SUBJECTS, k=3) + chance.choices(rare, k=57)
        chance.shuffle(words)
        body = ". ".join(" ".join(words[at : at + 12]) for at in range(0, 60, 12))
        path = home / "memories" / kind.value / f"note-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\nname: {words[0]} {chance.choice(_PLACES)} {number}\n"
            f"description: {' '.join(words[1:7])}\ntype: {kind.value}\n---\n\n{body}.\n\nWhy: {words[7]}\n",
            encoding="utf-8",
        )


def _timed(home: Path, query: str) -> float:
    begin = time.perf_counter()
    with Memory.open(home.parent, home=home, env={}) as memory:
        memory.recall(query)
    return (time.perf_counter() - begin) * 1000


def _recall_ms(memory: Memory, query: str) -> float:
    begin = time.perf_counter()
    memory.recall(query)
    return (time.perf_counter() - begin) * 1000
