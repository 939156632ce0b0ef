"""The search index under SIGKILL and under several processes: never half a file, never a wrong line."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reverie.memory import Memory
from tests.torture.amount import LARGE, SEED, rounds

ROUNDS = rounds(4)
FILES = 12
SECTIONS = 30

pytestmark = [pytest.mark.slow, pytest.mark.torture]

INDEXER = """
import sys
from tests.torture.test_index import open_small
memory = open_small(sys.argv[1], sys.argv[2])
print("ready", flush=True)
while True:
    memory.index(rebuild="--rebuild" in sys.argv)
    print("done", flush=True)
"""
SEARCHER = """
import sys
from tests.torture.test_index import check_whole, open_small
memory = open_small(sys.argv[1], sys.argv[2])
for _ in range(int(sys.argv[3])):
    check_whole(memory)
print("fine", flush=True)
"""


def open_small(project: str, home: str) -> Memory:
    return Memory.open(project, home=home, settings={"embedder.provider": "none"})


def write_generation(project: Path, number: int) -> None:
    """Write every file anew: each section says which generation it is of."""
    for file in range(FILES):
        sections = [
            f"## Part {part}\n\nfile{file} heron generation{number}\n" for part in range(SECTIONS)
        ]
        path = project / f"memory/file{file}.md"
        temp = path.with_suffix(".tmp")
        temp.write_text(f"# File {file}\n\n" + "\n".join(sections), encoding="utf-8")
        temp.replace(path)


def check_whole(memory: Memory) -> None:
    """A file is in the index with all its sections or not at all, and every hit is what stands there."""
    index = memory.search_index
    index.sync(wait=0.0)
    for root in index.roots:
        one = index._index(root, None)
        if not one.exists():
            continue
        with one.reading() as snapshot:
            counts = [count for _, count, _ in snapshot.db.ranges("1", ())]
            assert all(count in (SECTIONS, SECTIONS + 1) for count in counts), counts
            visible = sum(view.chunks for view in snapshot.views(None))
            assert visible == sum(counts)
    outcome = memory.search("heron part", max_results=5, min_score=0)
    for hit in outcome.results:
        assert "heron" in hit.text


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True
    )


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, str]:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "memory").mkdir()
    return project, str(tmp_path / "base")


def test_after_every_kill_each_file_is_whole_and_the_next_sync_finds_everything(place):
    project, home = place
    rng = random.Random(SEED)
    for number in range(ROUNDS):
        write_generation(project, number)
        more = ["--rebuild"] if number % 2 else []
        process = start(INDEXER, str(project), home, *more)
        assert process.stdout
        process.stdout.readline()
        time.sleep(rng.uniform(0.0, 0.3))
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
        process.stdout.close()
        with open_small(str(project), home) as memory:
            check_whole(memory)
            memory.index()
            for file in range(FILES):
                outcome = memory.search(f"file{file} generation{number}", min_score=0)
                assert outcome.stats.total_files == FILES
                assert outcome.results[0].path == f"memory/file{file}.md"
                assert all(f"generation{number}" in hit.text for hit in outcome.results)
    state = Path(home) / "state" / "index"
    assert len(list(state.rglob("*.seg"))) <= 16, "what a killed process left is removed"


def test_readers_in_other_processes_always_see_whole_files_while_one_rewrites_them(place):
    project, home = place
    write_generation(project, 0)
    with open_small(str(project), home) as memory:
        memory.index()
        searchers = [start(SEARCHER, str(project), home, "15" if LARGE else "4") for _ in range(3)]
        number = 0
        while any(process.poll() is None for process in searchers):
            number += 1
            write_generation(project, number)
            memory.index(rebuild=number % 3 == 0)
        for process in searchers:
            output, _ = process.communicate(timeout=60)
            assert (process.returncode, output) == (0, "fine\n")
        assert memory.search("heron", min_score=0).stats.total_files == FILES
