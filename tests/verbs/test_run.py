"""The runner: dry runs and looking write nothing, and contention reaches nobody."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.cli import run as reverie
from reverie.types import Applied, Change, Plan, RunInfo
from reverie.verbs.run import NOTHING, run

LOOKING = [
    ["log"],
    ["log", "--events"],
    ["log", "--usage"],
    ["context"],
    ["recall", "tea"],
    ["search", "tea"],
    ["stats"],
    ["doctor"],
    ["verify"],
    ["prompt"],
    ["history", "list"],
    ["history", "replay"],
    ["notes", "list"],
    ["config", "list"],
    ["trust", "--show"],
    ["status"],
    ["get", "user/{topic}"],
    ["blame", "{path}"],
    ["diff", "{run}"],
    ["undo", "{run}", "--dry-run"],
    ["remember", "I like coffee", "--dry-run"],
    ["save", "fact", "--scope", "project", "--dry-run"],
    ["forget", "tea", "--dry-run"],
    ["forget", "tea", "--erase", "--everywhere", "--dry-run"],
    ["dream", "--dry-run"],
    ["export", "{target}", "--with-journal"],
    ["context", "archive", "--dry-run"],
    ["extract", "--session", "s", "--dry-run", "{chat}"],
    ["import", "{vault}", "--from", "markdown", "--dry-run"],
]


def rows(memory) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of the journal that says what was done, and every file of memory and project."""
    db = memory.journal.db
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in sorted(tables)}  # noqa: S608


def files(*roots: Path) -> dict[str, bytes]:
    every = (path for root in roots for path in sorted(root.rglob("*")))
    return {str(path): path.read_bytes() for path in every if path.is_file()}


@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
def test_looking_and_dry_runs_write_no_row_and_no_file(command, memory, project, tmp_path, capsys):
    kept = memory.remember("I like tea", clean=True)
    memory.remember("I like tea.", clean=True)
    path = Path(kept.path)
    path.write_text(path.read_text() + "\n- by hand\n")  # what a person edited must not matter
    (project / "AGENTS.md").write_text("# Rules\n\nBe kind.\n")
    chat = tmp_path / "chat.jsonl"
    chat.write_text(json.dumps({"role": "user", "content": "I prefer tabs over spaces in Go."}))
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "note.md").write_text("# Note\n\nfrom elsewhere\n")
    names = {
        "vault": str(tmp_path / "vault"),
        "target": str(tmp_path / "out"),
        "path": kept.path,
        "run": kept.run,
        "chat": str(chat),
        "topic": path.name,
    }
    memory.layers  # noqa: B018  # opening an agent's tree makes it, once
    places = (Path(memory.workspace.user_memory), Path(memory.workspace.project_memory), project)
    before, there = rows(memory), files(*places)
    words = [word.format(**names) for word in command]
    assert reverie(["-C", str(project), "--json", *words]) in (0, 1), capsys.readouterr().err
    assert rows(memory) == before
    assert files(*places) == there


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
        base = (
            None
            if now is None
            else __import__("reverie.core.text.plain", fromlist=["digest"]).digest(now)
        )
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
