"""Search at growing sizes, against plain SQLite full text search on the same texts in the same run.

Rules
- Warm queries are timed with the look at every file before them, as `Memory.search` does it, and
  without, as a ranking alone. Processor time is told beside the time that passed: on a busy machine
  only the first can be compared between runs.
- A cold process has its bytecode compiled, as an installed package has, and takes turns with the start
  of Python with numpy, which is what it is compared with.
"""

from __future__ import annotations

import os
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from reverie.memory import Memory
from reverie.verbs.search import search

_SIZES = (1_000, 10_000, 100_000)
_QUICK = _SIZES[:2]
_LARGEST = 1_000_000
_ROUNDS = 7
_SECTIONS = 25  # chunks of one file
_QUERIES = 60
_QUERY_WORDS = 7
_WORDS = 30_000
_SYLLABLES = "ba ko ri ten mo lu sa vi ner dor pa mi sel tra qua en fo gil has jo"


def run(*, quick: bool, large: bool = False) -> Iterator[tuple[str, object]]:
    """Measure 1,000, 10,000 and 100,000 chunks, and a million with `large`."""
    sizes = _QUICK if quick else _SIZES
    for size in (*sizes, _LARGEST) if large else sizes:
        with tempfile.TemporaryDirectory() as folder:
            yield f"{size:,} chunks", _measure(Path(folder), size)


def _measure(folder: Path, size: int) -> dict[str, object]:
    project, home = folder / "project", folder / "home"
    (project / ".git").mkdir(parents=True)
    _write(project, size)
    queries = list(_queries(size))
    plain = _plain(folder / "plain.db", size, queries)
    with Memory.open(project, home=home) as memory:
        begin, work = time.perf_counter(), worked()
        indexed = memory.index()
        index_s, index_work_s = time.perf_counter() - begin, worked() - work
        memory.index()  # what was too fresh to be sure of is settled now
        index = memory.search_index
        for query in queries[:10]:
            memory.search(query)
        warm = _times(queries, lambda query: search(query, index=index, min_score=0))
        whole = _times(queries, lambda query: memory.search(query, min_score=0))
        disk = memory.stats().bytes_on_disk
    command = [
        sys.executable,
        "-P",
        "-m",
        "reverie",
        "--home",
        str(home),
        "-C",
        str(project),
        "search",
    ]
    env = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    cold, numpy = _started(
        [[*command, queries[1]], [sys.executable, "-P", "-c", "import numpy"]], env=env
    )
    return {
        "index, s per 1,000": index_s / indexed.chunks * 1000,
        "index, processor s per 1,000, all processes": index_work_s / indexed.chunks * 1000,
        "index / FTS5": index_s / plain["index_s"],
        "query p50, ms": warm["p50"],
        "query p95, ms": warm["p95"],
        "query p50, processor ms": warm["cpu_p50"],
        "query p95, processor ms": warm["cpu_p95"],
        "FTS5 query p50, ms": plain["p50"],
        "FTS5 query p95, ms": plain["p95"],
        "query p50 / FTS5": warm["p50"] / plain["p50"],
        "query p95 / FTS5": warm["p95"] / plain["p95"],
        "with a look at the files p50, ms": whole["p50"],
        "with a look at the files p95, ms": whole["p95"],
        "with a look at the files p50, processor ms": whole["cpu_p50"],
        "with a look at the files p95, processor ms": whole["cpu_p95"],
        "cold process, ms": cold,
        "cold process / python with numpy": cold / numpy,
        "memory of the cold process, MB": _memory([*command, queries[2]], env=env),
        "disk, MB": disk / 1e6,
        "disk / FTS5": disk / plain["bytes"],
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
    return {"index_s": spent, "bytes": float(path.stat().st_size), **times}


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
    rng = random.Random(size)  # the same texts every time
    words, weights = _vocabulary()
    for _ in range(size):
        yield " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(25, 90)))


def _queries(size: int) -> Iterator[str]:
    rng = random.Random(-size)
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


def _times(queries: Sequence[str], call: Callable[[str], object]) -> dict[str, float]:
    """Return median and 95th percentile in milliseconds, as passed and as worked."""
    passed: list[float] = []
    worked: list[float] = []
    for query in queries:
        begin, work = time.perf_counter(), time.process_time()
        call(query)
        passed.append((time.perf_counter() - begin) * 1000)
        worked.append((time.process_time() - work) * 1000)
    return {
        "p50": statistics.median(passed),
        "p95": _high(passed),
        "cpu_p50": statistics.median(worked),
        "cpu_p95": _high(worked),
    }


def worked() -> float:
    """Return the processor seconds of this process and of those it started that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def _high(values: Sequence[float]) -> float:
    return sorted(values)[min(int(len(values) * 0.95), len(values) - 1)]


def _started(commands: Sequence[Sequence[str]], *, env: Mapping[str, str]) -> list[float]:
    """Return the median milliseconds of starting each command and waiting for its end, in turns."""
    spent: list[list[float]] = [[] for _ in commands]
    for _ in range(_ROUNDS + 1):
        for times, command in zip(spent, commands, strict=True):
            begin = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)
            times.append((time.perf_counter() - begin) * 1000)
    return [statistics.median(times[1:]) for times in spent]  # the first one fills caches


def _memory(command: Sequence[str], *, env: Mapping[str, str]) -> float:
    """Return the largest resident size of a command in megabytes."""
    script = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, *command],
        check=True,
        capture_output=True,
        text=True,
        env=env,
    )
    scale = 1e6 if sys.platform == "darwin" else 1e3
    return float(done.stdout) / scale
