"""How processor time grows with the memory: each figure at several sizes, and the slope between them.

Both engines are measured: files, and PostgreSQL where there is a server (see the bench `postgres`); of the
second what Python takes, not what the server does.

A slope of 1 in a plot with logarithms on both sides means: ten times the topics, ten times the time; 0 means
that size does not matter. Processor time, for what else runs on the machine changes it least. The files are
written to memory where the system has such a folder, so that no disk is measured.

    reverie bench growth --output growth.json && python -m bench.speed.plot growth.json docs/images/growth.svg
"""

from __future__ import annotations

import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bench.speed.postgres import open_tenant, prepare, running_server, texts
from bench.speed.recall import QUERIES, fill
from reverie.memory import Memory
from reverie.types import Change, RunInfo, Scope

_SIZES = (100, 1000, 10_000)
_QUICK = (100, 1000)
_LARGE = (100, 1000, 10_000, 100_000)
_ROUNDS = 12
_STATIC = {"embedder.provider": "embedded"}  # whatever is installed: to embed is no part of growth
_STATEMENTS = (
    "The {} report goes to Mara on every second Friday",
    "We call the {} gateway only over the internal proxy",
    "Deploys of {} need two reviewers and a green dashboard",
)


def run(*, quick: bool, large: bool = False) -> Iterator[tuple[str, object]]:
    """Measure each size of both engines; then how each figure grows."""
    sizes = _QUICK if quick else _LARGE if large else _SIZES
    yield from _of_files(sizes)
    with tempfile.TemporaryDirectory() as folder, running_server() as url:
        if url is not None:
            yield from _of_postgres(sizes, url, Path(folder))


def _of_files(sizes: Sequence[int]) -> Iterator[tuple[str, object]]:
    found: dict[int, dict[str, float]] = {}
    in_memory = Path("/dev", "shm")
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=in_memory if in_memory.is_dir() else None) as folder:
            mask = os.umask(0o077)  # what others can read would be a finding for each file
            try:
                fill(Path(folder, "home"), size)
            finally:
                os.umask(mask)
            time.sleep(2.1)  # words of files that are seconds old are not stored
            found[size] = dict(_measured(Path(folder)))
        yield str(size), found[size]
    yield "slope", _slopes(found)


def _of_postgres(sizes: Sequence[int], url: str, folder: Path) -> Iterator[tuple[str, object]]:
    service = prepare(url)
    found: dict[int, dict[str, float]] = {}
    for number, size in enumerate(sizes):
        with open_tenant(service, number, folder, settings=_STATIC) as memory:
            root = memory.workspace.memory_root(Scope.USER)
            changes = [Change(f"{root}/{rel}", text, None) for rel, text in texts(size)]
            memory.store.apply(changes, RunInfo(verb="bench"))
            found[size] = dict(_of_what_stays(memory))
        yield f"postgres {size}", found[size]
    yield "postgres slope", _slopes(found)


def _slopes(found: Mapping[int, Mapping[str, float]]) -> dict[str, float]:
    names = next(iter(found.values()))
    return {name: slope({size: found[size][name] for size in found}) for name in names}


def slope(times: Mapping[int, float]) -> float:
    """Return by which power of the size a time grows: the straight line through the logarithms."""
    points = [(math.log(size), math.log(max(taken, 1e-3))) for size, taken in times.items()]
    across = statistics.fmean(x for x, _ in points)
    up = statistics.fmean(y for _, y in points)
    return sum((x - across) * (y - up) for x, y in points) / sum(
        (x - across) ** 2 for x, _ in points
    )


def _measured(folder: Path) -> Iterator[tuple[str, float]]:
    home = folder / "home"
    with Memory.open(folder, home=home, env={}, settings=_STATIC) as memory:
        yield from _of_what_stays(memory)
    commands = {
        "process_ms": ["--version"],
        "process_hook_ms": ["hook", "prompt"],
        "process_recall_ms": ["recall", QUERIES[0]],
        "process_remember_ms": ["remember", "--scope", "user", _statement(99)],
        "process_doctor_ms": ["doctor"],
        "process_dream_ms": ["dream", "--dry-run", "--force"],
    }
    again = ["remember", "--dry-run", _statement(99)]
    for words in (["hook", "prompt"], again, ["doctor"], ["dream", "--dry-run", "--force"]):
        # Its bytecode is there from now on, as an installed package has it, and so are patterns as they were
        # compiled, which the first command after an update keeps.
        _of_a_process(folder, words)
    for name, words in commands.items():
        yield name, _of_a_process(folder, words)


def _of_what_stays(memory: Memory) -> Iterator[tuple[str, float]]:
    """Measure verbs in a process that stays."""
    yield "first_recall_ms", _cpu(lambda: memory.recall(QUERIES[0]))
    memory.recall(QUERIES[0])  # from the second look on the kernel tells what changed
    yield "recall_ms", _median(lambda at: memory.recall(QUERIES[at % len(QUERIES)]))
    for query in QUERIES:
        memory.search(query)
    yield "search_ms", _median(lambda at: memory.search(QUERIES[at % len(QUERIES)]))
    _remember(memory, 0)
    yield "remember_ms", _median(lambda at: _remember(memory, at + 1))
    yield "forget_ms", _median(lambda at: memory.forget(_word(at + 1)), rounds=3)


def _statement(number: int) -> str:
    return _STATEMENTS[number % len(_STATEMENTS)].format(_word(number))


def _word(number: int) -> str:
    return f"quagga{number}"


def _remember(memory: Memory, number: int) -> None:
    memory.remember(_statement(number), scope="user", kind="user")


def _median(once: Callable[[int], object], *, rounds: int = _ROUNDS) -> float:
    return statistics.median(_cpu(lambda at=at: once(at)) for at in range(rounds))  # type: ignore[misc]


def _cpu(once: Callable[[], object]) -> float:
    before = time.process_time()
    once()
    return (time.process_time() - before) * 1000


def _of_a_process(folder: Path, words: list[str]) -> float:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env |= {"PYTHONPYCACHEPREFIX": f"{folder}/bytecode", "REVERIE_RESIDENT": "off"}
    env["REVERIE_EMBEDDER"] = _STATIC["embedder.provider"]
    prompt = json.dumps({"session_id": "bench", "cwd": str(folder), "prompt": QUERIES[0]})
    home = ["--home", f"{folder}/home"]
    spoken = [*words, *home] if words[0] == "hook" else [*home, *words]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(  # our own interpreter and program
        [sys.executable, "-P", "-m", "reverie", *spoken],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
        input=prompt.encode(),
        env=env,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000
