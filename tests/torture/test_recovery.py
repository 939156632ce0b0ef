"""Opening a large memory after a kill: what was interrupted is settled without reading every memory whole."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.types import Change, RunInfo, Scope
from tests.torture.amount import LARGE

TOPICS = 10_000 if LARGE else 400
TOPIC = "---\nname: Crate {0}\ndescription: where crate {0} is\ntype: project\n---\n\n- crate {0}: hall {1}\n"

pytestmark = [pytest.mark.slow, pytest.mark.torture]

DIES = "import sys; from tests.torture.test_recovery import die; die(*sys.argv[1:])"


def die(project: str, home: str, step: str) -> None:
    """Write a memory and end at one step, as a kill does: nothing is closed or taken back."""
    memory = Memory.open(project, home=home)
    journal = memory.journal
    do = getattr(journal, step)

    def do_and_die(*given, **more):
        if step == "begin":
            do(*given, **more)
        os._exit(9)

    setattr(journal, step, do_and_die)
    memory.remember("The heron stands in the reeds", kind="project", clean=True)


@pytest.mark.parametrize("step", ["begin", "finish"])
def test_settling_a_run_costs_less_than_reading_the_memory(project, tmp_path, step):
    home = tmp_path / "base"
    with Memory.open(project, home=home) as memory:
        root = memory.workspace.project_memory
        changes = [
            Change(f"{root}/project/{number}.md", TOPIC.format(number, number * 7), None)
            for number in range(TOPICS)
        ]
        memory.store.apply(changes, RunInfo(verb="test"))
    died = subprocess.run(
        [sys.executable, "-c", DIES, str(project), str(home), step],
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert died.returncode == 9

    gc.freeze()  # what other tests left in this process is not to be looked through here
    began = time.process_time()
    memory = Memory.open(project, home=home)
    settled = time.process_time() - began
    gc.unfreeze()
    assert "run_recovered" in [notice.code for notice in memory.notices]
    memory.close()
    shutil.rmtree(Path(memory.workspace.state, "recall"))  # else nothing is read: it was kept
    began = time.process_time()
    with Memory.open(project, home=home) as memory:
        opened = time.process_time() - began
        began = time.process_time()
        assert len(memory.store.topics(Scope.PROJECT)) == TOPICS + 1
        read = time.process_time() - began
        assert memory.verify().ok
    print(
        f"{TOPICS} topics: opened in {opened:.2f} s, settled in {settled:.2f} s, read in {read:.2f} s"
    )
    assert settled - opened < read * (1 if LARGE else 4)  # of few, what does not grow counts most
