"""Search at growing sizes, against plain SQLite full text search on the same texts in the same run."""

from __future__ import annotations

import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from reverie.memory import Memory
from reverie.verbs.search import search

_SIZES = (1_000, 10_000, 100_000)
_LARGEST = 1_000_000
_SECTIONS = 25  # chunks of one file
_QUERIES = 60
_QUERY_WORDS = 7
_WORDS = 30_000
_SYLLABLES = "ba ko ri ten mo lu sa vi ner dor pa mi sel tra qua en fo gil has jo"


def run(*, quick: bool) -> dict[str, object]:
    """Measure 1,000, 10,000 and 100,000 chunks, and a million when there is time."""
    sizes = _SIZES if quick else (*_SIZES, _LARGEST)
    numpy_ms = _started([sys.executable, "-c", "import numpy"], rounds=5)
    figures: dict[str, object] = {"python_and_numpy_ms": numpy_ms}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            figures[str(size)] = _measure(Path(folder), size, numpy_ms)
    return figures


def _measure(folder: Path, size: int, numpy_ms: float) -> dict[str, object]:
    project, home = folder / "project", folder / "home"
    (project / ".git").mkdir(parents=True)
    _write(project, size)
    queries = list(_queries(size))
    plain = _plain(folder / "plain.db", size, queries)
    with Memory.open(project, home=home) as memory:
        begin = time.perf_counter()
        indexed = memory.index()
        index_s = time.perf_counter() - begin
        memory.index()  # what was too fresh to be sure of is settled now
        index = memory.search_index
        search(queries[0], index=index)
        warm = _times(queries, lambda query: search(query, index=index, min_score=0))
        whole = _times(queries[:20], lambda query: memory.search(query, min_score=0))
        disk = memory.stats().bytes_on_disk
    command = [sys.executable, "-m", "reverie", "--home", str(home), "-C", str(project)]
    cold_ms = _started([*command, "search", queries[1]], rounds=5)
    return {
        "chunks": indexed.chunks,
        "index_s_per_1000": index_s / indexed.chunks * 1000,
        "index_ratio": index_s / plain["index_s"],
        "query_p50_ms": warm[0],
        "query_p95_ms": warm[1],
        "query_p50_ratio": warm[0] / plain["p50_ms"],
        "query_p95_ratio": warm[1] / plain["p95_ms"],
        "with_look_at_files_p50_ms": whole[0],
        "cold_process_ms": cold_ms,
        "cold_to_python_and_numpy": cold_ms / numpy_ms,
        "memory_mb": _memory([*command, "search", queries[2]]),
        "disk_mb": disk / 1e6,
        "disk_ratio": disk / plain["bytes"],
        "fts5_p50_ms": plain["p50_ms"],
        "fts5_p95_ms": plain["p95_ms"],
        "fts5_mb": plain["bytes"] / 1e6,
    }


def _plain(path: Path, size: int, queries: Sequence[str]) -> dict[str, float]:
    """Do the same with SQLite's own full text search: one table, words joined by OR."""
    begin = time.perf_counter()
    db = sqlite3.connect(path)
    with db:
        db.execute("CREATE VIRTUAL TABLE chunk USING fts5 (text)")
        db.executemany("INSERT INTO chunk VALUES (?)", ((text,) for text in _texts(size)))
    spent = time.perf_counter() - begin
    statement = "SELECT rowid FROM chunk WHERE chunk MATCH ? ORDER BY bm25(chunk) LIMIT 6"

    def find(query: str) -> None:
        words = " OR ".join(f'"{word}"' for word in query.split())
        db.execute(statement, (words,)).fetchall()

    times = _times(queries[: _QUERIES if size < _LARGEST else 10], find)
    db.close()
    return {
        "index_s": spent,
        "p50_ms": times[0],
        "p95_ms": times[1],
        "bytes": float(path.stat().st_size),
    }


# --- texts ----------------------------------------------------------------------------------------


def _vocabulary() -> tuple[list[str], list[float]]:
    words = []
    syllables = _SYLLABLES.split()
    for number in range(_WORDS):
        parts: list[str] = []
        rest = number
        while rest or not parts:
            parts.append(syllables[rest % len(syllables)])
            rest //= len(syllables)
        words.append("".join(parts))
    return words, list(accumulate(1 / (place + 10) ** 1.05 for place in range(_WORDS)))


def _texts(size: int) -> Iterator[str]:
    """Yield texts whose words are as unevenly frequent as those of a language."""
    rng = random.Random(size)  # noqa: S311  # the same texts every time
    words, weights = _vocabulary()
    for _ in range(size):
        yield " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(25, 90)))


def _queries(size: int) -> Iterator[str]:
    rng = random.Random(-size)  # noqa: S311
    words, weights = _vocabulary()
    for _ in range(_QUERIES):
        yield " ".join(rng.choices(words, cum_weights=weights, k=_QUERY_WORDS))


def _write(project: Path, size: int) -> None:
    file: list[str] = []
    number = 0
    for place, text in enumerate(_texts(size), 1):
        head, _, rest = text.partition(" ")
        file.append(f"## {head}\n\n{rest}.\n")
        if len(file) == _SECTIONS or place == size:
            path = project / "memory" / f"{number // 500:04d}" / f"{number:06d}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(file), encoding="utf-8")
            file = []
            number += 1


# --- clocks ---------------------------------------------------------------------------------------


def _times(queries: Sequence[str], call: Callable[[str], object]) -> tuple[float, float]:
    """Return median and 95th percentile in milliseconds."""
    spent = []
    for query in queries:
        begin = time.perf_counter()
        call(query)
        spent.append((time.perf_counter() - begin) * 1000)
    spent.sort()
    return statistics.median(spent), spent[min(int(len(spent) * 0.95), len(spent) - 1)]


def _started(command: Sequence[str], *, rounds: int) -> float:
    """Return the median milliseconds of starting a process and waiting for its end."""
    spent = []
    for _ in range(rounds + 1):
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        spent.append((time.perf_counter() - begin) * 1000)
    return statistics.median(spent[1:])  # the first one reads files that are not cached yet


def _memory(command: Sequence[str]) -> float:
    """Return the largest resident size of a command in megabytes."""
    script = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command], check=True, capture_output=True, text=True
    )
    scale = 1e6 if sys.platform == "darwin" else 1e3
    return float(done.stdout) / scale
