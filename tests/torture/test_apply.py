"""Real processes, killed at random moments, and many writers at once.

`make test` runs a few rounds; `make torture` runs as many as REVERIE_TORTURE says.
"""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reverie.core.text.plain import digest
from reverie.errors import StaleBase
from reverie.memory import Memory
from reverie.types import Change, RunInfo
from tests.torture.amount import LARGE, SEED, rounds

ROUNDS = rounds(5)
FILES = 5
HEAD = "---\nname: File {file}\ndescription: generation {number}\ntype: project\n---\n\n"
TOPIC = HEAD + "generation {number}\n"

pytestmark = [pytest.mark.slow, pytest.mark.torture]

WRITER = """
import sys
from tests.torture.test_apply import write_generations
write_generations(sys.argv[1], sys.argv[2])
"""
APPENDER = """
import sys
from tests.torture.test_apply import append_facts
append_facts(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
"""


def generation(root: str, number: int, memory: Memory) -> list[Change]:
    """One change of several files at once: all of one number, or none."""
    changes = []
    for file in range(FILES):
        path = f"{root}/project/file{file}.md"
        now = memory.store.read(path)
        text = TOPIC.format(file=file, number=number)
        changes.append(Change(path, text, None if now is None else digest(now)))
    return changes


def write_generations(project: str, home: str) -> None:
    """Apply one generation after the other and say so after each, until killed."""
    memory = Memory.open(project, home=home)
    root = memory.workspace.project_memory
    first = memory.store.read(f"{root}/project/file0.md")
    number = int(re.search(r"generation (\d+)", first).group(1)) if first else 0
    while True:
        number += 1
        memory.store.apply(generation(root, number, memory), RunInfo(verb="torture"))
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


def append_facts(project: str, home: str, name: str, count: int) -> None:
    """Append facts to one file that everybody appends to, planning again when it moved on."""
    memory = Memory.open(project, home=home, settings={"memory.lock_wait_seconds": 120})
    path = f"{memory.workspace.user_memory}/user/shared.md"
    for number in range(count):
        while True:
            now = memory.store.read(path)
            text = now if now is not None else "---\nname: Shared\ntype: user\n---\n\n"
            line = f"- fact {number} of {name}\n"
            try:
                memory.store.apply(
                    [Change(path, text + line, None if now is None else digest(now))],
                    RunInfo(verb="append"),
                )
            except StaleBase:
                continue
            break
    memory.close()


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_after_every_kill_each_acknowledged_change_is_there_and_each_run_is_whole(
    project, tmp_path
):
    home = str(tmp_path / "base")
    dice = random.Random(SEED)
    for round_number in range(ROUNDS):
        writer = start(WRITER, str(project), home)
        acknowledged = int(writer.stdout.readline())
        # Wait for a few more acknowledgements, then strike somewhere inside the next one.
        for _ in range(dice.randrange(4)):
            acknowledged = int(writer.stdout.readline())
        time.sleep(dice.random() * 0.02)  # the random moment itself, not synchronisation
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate()
        acknowledged = max([acknowledged, *(int(line) for line in rest.split("\n")[:-1] if line)])

        memory = Memory.open(project, home=home)
        root = memory.workspace.project_memory
        numbers = {
            int(
                re.search(
                    r"generation (\d+)", memory.store.read(f"{root}/project/file{n}.md")
                ).group(1)
            )
            for n in range(FILES)
        }
        context = f"seed {SEED}, round {round_number}"
        assert len(numbers) == 1, f"a run was left half written ({context}): {numbers}"
        assert numbers.pop() >= acknowledged, f"an acknowledged change is gone ({context})"
        verified = memory.verify()
        assert verified.ok, f"{context}: {verified.problems}"
        catalog = Path(root, "MEMORY.md").read_text()
        number = re.search(
            r"generation (\d+)", memory.store.read(f"{root}/project/file0.md")
        ).group(0)
        assert catalog.count(number) == FILES, context
        assert not list(Path(root).rglob("*.reverie-tmp")), context
        memory.close()


def test_eight_processes_appending_to_one_file_lose_nothing(project, tmp_path):
    home = str(tmp_path / "base")
    count = 200 if LARGE else 12
    names = [f"writer-{number}" for number in range(8)]
    writers = [start(APPENDER, str(project), home, name, str(count)) for name in names]
    for writer in writers:
        assert writer.wait(timeout=900) == 0
        writer.stdout.close()
    memory = Memory.open(project, home=home)
    text = memory.store.read(f"{memory.workspace.user_memory}/user/shared.md")
    lines = [line for line in text.splitlines() if line.startswith("- fact")]
    assert len(lines) == 8 * count
    assert set(lines) == {f"- fact {number} of {name}" for name in names for number in range(count)}
    assert memory.verify().ok
    memory.close()
