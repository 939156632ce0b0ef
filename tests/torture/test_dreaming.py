"""Many processes dream at once: exactly one does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.types import Change, RunInfo

PROCESSES = 8

# Each waits for the starting signal, then dreams; the winner holds the lock until all have tried.
DREAMER = """
import json, sys
from reverie.memory import Memory

project, home = sys.argv[1:3]
with Memory.open(project, home=home) as memory:
    apply = memory.store.apply

    def slow_apply(changes, run):
        print("dreaming", flush=True)
        sys.stdin.readline()  # until everybody has tried
        return apply(changes, run)

    memory.store.apply = slow_apply
    print("ready", flush=True)
    sys.stdin.readline()
    outcome = memory.dream(force=True)
    told = outcome.status if hasattr(outcome, "status") else outcome.reason
    print(json.dumps([type(outcome).__name__, told]), flush=True)
"""


@pytest.mark.slow
def test_of_eight_processes_that_dream_at_once_exactly_one_runs(memory, project):
    body = "Use tabs everywhere\n\nuse tabs everywhere\n"
    text = f"---\nname: a\ndescription: b\ntype: feedback\n---\n\n{body}"
    path = f"{memory.workspace.project_memory}/a.md"
    memory.store.apply([Change(path, text, None)], RunInfo(verb="test"))
    home = memory.workspace.home
    running = [
        subprocess.Popen(
            [sys.executable, "-c", DREAMER, str(project), home],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    # The losers answer at once; the winner says that it dreams and waits.
    first = [process.stdout.readline().strip() for process in running]
    assert sorted(first) == ['["Skipped", "locked"]'] * (PROCESSES - 1) + ["dreaming"]
    winner = running[first.index("dreaming")]
    winner.stdin.write("done\n")
    winner.stdin.flush()
    assert json.loads(winner.stdout.readline()) == ["Dreamed", "updated"]
    for process in running:
        process.stdin.close()
        assert process.wait(timeout=30) == 0
        process.stdout.close()
    assert [run.verb for run in memory.log()].count("dream") == 1
    assert Path(path).read_text().count("tabs") == 1
    assert not Path(memory.workspace.project_state, "consolidation.lock").exists()
