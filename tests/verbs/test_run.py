"""The runner: a plan is made again when somebody wrote, and contention reaches nobody."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import reverie
from reverie.core.text.plain import digest
from reverie.types import Applied, Change, Plan, RunInfo
from reverie.verbs.run import NOTHING, run

SOURCE = Path(reverie.__file__).parent
GIVEN_TO_THE_RUNNER = {"verbs/lookback.py": 1, "verbs/move.py": 1, "verbs/moving/importing.py": 1}
"""Where a function that applies is handed to `run`, because it does more than that."""


def test_nobody_but_the_runner_applies_changes():
    found: dict[str, int] = {}
    above_the_engines = ["verbs", "memory", "adapters", "daemon", "mcp", "hooks", "cli"]
    for path in [
        *(item for room in above_the_engines for item in (SOURCE / room).rglob("*.py")),
        SOURCE / "layered.py",
    ]:
        text = path.read_text(encoding="utf-8")
        calls = [
            node
            for node in (ast.walk(ast.parse(text)) if "apply" in text else ())
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "apply"
        ]
        if calls and "bench" not in path.parts:  # what is measured there is the engine itself
            found[path.relative_to(SOURCE).as_posix()] = len(calls)
    assert found == GIVEN_TO_THE_RUNNER


class Moving:
    """A store in which another process writes before each of the next `times` writes."""

    def __init__(self, store, times: int, change) -> None:
        self.store, self.times, self.change = store, times, change

    def writing(self, purpose: str):
        self.change = lambda: None  # whoever else follows our lock waits now
        return self.store.writing(purpose)

    def apply(self, changes, info) -> Applied:
        if self.times:
            self.times -= 1
            self.change()
        return self.store.apply(changes, info)


def test_a_plan_is_made_again_while_nobody_else_can_write(memory, project):
    path = f"{project}/AGENTS.md"
    looks: list[str | None] = []

    def plan() -> Plan[str]:
        now = memory.store.read(path)
        looks.append(now)
        base = None if now is None else digest(now)
        change = Change(path, (now or "") + "mine\n", base, private=False)
        return Plan((change,), RunInfo(verb="test"), lambda applied: applied.run)

    store = Moving(memory.store, 5, lambda: Path(path).write_text("theirs\n"))
    assert run(plan, store=store)
    assert looks == [None, "theirs\n"]
    assert Path(path).read_text() == "theirs\nmine\n"


def test_a_plan_without_changes_says_what_it_has_to_say(memory):
    told = run(lambda: Plan((), RunInfo(verb="test"), lambda applied: applied), store=memory.store)
    assert told is NOTHING


SAVER = """
import sys
from reverie.memory import Memory
memory = Memory.open(sys.argv[1], home=sys.argv[2], settings={"memory.lock_wait_seconds": 300})
for number in range(int(sys.argv[4])):
    memory.save(f"fact {number} of {sys.argv[3]}", scope="project")
    memory.remember(f"Note {number} of {sys.argv[3]} is kept", clean=True)
"""


@pytest.mark.slow
def test_of_a_hundred_saves_by_four_processes_none_is_refused(project, tmp_path):
    home = str(tmp_path / "base")
    names = ["ann", "bob", "cat", "dan"]
    crowd = [
        subprocess.Popen([sys.executable, "-c", SAVER, str(project), home, name, "25"])
        for name in names
    ]
    assert [one.wait() for one in crowd] == [0, 0, 0, 0]
    text = (project / "AGENTS.md").read_text()
    facts = {f"- fact {number} of {name}" for name in names for number in range(25)}
    assert facts == {line for line in text.splitlines() if line.startswith("- fact")}
