"""Several runs that are written together: each by itself in the journal, and the catalogs made once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reverie.core.text.plain import digest
from reverie.errors import DiskFull, StaleBase
from reverie.local.store import filestore
from reverie.memory import Memory
from reverie.types import Change, RunInfo, Scope
from tests.conftest import NO_MODEL

RUN = RunInfo(verb="test")
TOPIC = "---\nname: {0}\ndescription: about {0}\ntype: user\n---\n\n{0} it is\n"


def put(memory, name, text=None, *, scope=Scope.PROJECT):
    path = f"{memory.workspace.memory_root(scope)}/user/{name}.md"
    now = memory.store.read(path)
    change = Change(path, text or TOPIC.format(name), None if now is None else digest(now))
    return memory.store.apply([change], RUN)


def catalog(memory, scope=Scope.PROJECT):
    return Path(memory.workspace.memory_root(scope), "MEMORY.md").read_text()


def test_each_run_is_one_of_its_own_and_the_catalog_lists_all(memory):
    with memory.store.together():
        runs = [put(memory, name).run for name in ("tea", "ferry", "harbour")]
    assert [(run.id, run.status) for run in memory.log()] == [(run, "done") for run in runs[::-1]]
    assert all(name in catalog(memory) for name in ("tea", "ferry", "harbour"))
    assert memory.store.edits() == []

    memory.undo(runs[1])
    assert "ferry" not in catalog(memory)
    assert memory.store.read(f"{memory.workspace.project_memory}/user/tea.md") == TOPIC.format(
        "tea"
    )
    assert [memory.verify().problems, memory.store.edits()] == [(), []]


def test_the_catalogs_are_made_once_for_all_runs(memory, monkeypatch):
    put(memory, "before")
    made = []
    rebuild = filestore.rebuild_catalogs

    def counted(folder, store, **more):
        made.append(folder.scope)
        return rebuild(folder, store, **more)

    monkeypatch.setattr(filestore, "rebuild_catalogs", counted)
    with memory.store.together():
        for number in range(6):
            put(memory, f"topic-{number}", scope=list(Scope)[number % 2])
        assert made == []
    assert sorted(made) == sorted(Scope)
    assert "topic-4" in catalog(memory, Scope.USER)
    assert "topic-5" in catalog(memory, Scope.PROJECT)


def test_a_file_that_two_of_them_write_was_edited_by_nobody_else(memory):
    with memory.store.together():
        put(memory, "tea")
        put(memory, "tea", TOPIC.format("green tea"))
        put(memory, "ferry")
    assert [run.verb for run in memory.log()] == ["test"] * 3
    assert "green tea" in catalog(memory)
    assert memory.store.edits() == []


def test_a_hand_that_edits_a_file_of_an_earlier_one_is_seen(memory):
    with memory.store.together():
        path = Path(put(memory, "tea").paths[0])
        path.write_text(TOPIC.format("coffee"))
        put(memory, "ferry")
    assert [edit.after for edit in memory.store.edits()] == [TOPIC.format("coffee")]
    assert "coffee" in catalog(memory)


def test_one_that_is_refused_takes_nothing_from_the_others(memory):
    with memory.store.together():
        put(memory, "tea")
        path = f"{memory.workspace.project_memory}/user/tea.md"
        with pytest.raises(StaleBase):
            memory.store.apply([Change(path, "other", digest("what never was"))], RUN)
        put(memory, "ferry")
    assert [run.status for run in memory.log()] == ["done", "done"]
    assert "tea" in catalog(memory)
    assert "ferry" in catalog(memory)


def test_an_error_of_who_writes_leaves_what_was_written_whole(memory):
    def broken():
        with memory.store.together():
            put(memory, "tea")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    assert [run.status for run in memory.log()] == ["done"]
    assert "tea" in catalog(memory)


def test_a_disk_without_room_for_the_catalogs_leaves_the_last_run_for_the_next_writer(
    memory, monkeypatch
):
    def full(*_, **__):
        raise DiskFull("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(filestore, "rebuild_catalogs", full)
        with memory.store.together():
            put(memory, "tea")
            put(memory, "ferry")
        assert [problem.code for problem in memory.store.parked] == ["run_parked"]
    put(memory, "harbour")
    assert [run.status for run in memory.log()] == ["done"] * 3
    assert all(name in catalog(memory) for name in ("tea", "ferry", "harbour"))


KILLED = """
import os, sys
from reverie.memory import Memory
from reverie.types import Scope
from tests.local.store.test_together import put
memory = Memory.open(sys.argv[1], home=sys.argv[2], env={})
with memory.store.together():
    put(memory, "tea")
    put(memory, "harbour", scope=Scope.USER)
    put(memory, "ferry")
    os._exit(9)
"""


def test_what_a_killed_process_wrote_together_is_finished_with_its_catalogs(tmp_path):
    project, home = tmp_path / "project", tmp_path / "home"
    (project / ".git").mkdir(parents=True)
    done = subprocess.run([sys.executable, "-c", KILLED, str(project), str(home)], check=False)
    assert done.returncode == 9
    with Memory.open(project, home=home, env=NO_MODEL) as memory:
        assert [run.status for run in memory.log()] == ["done"] * 3
        assert "tea" in catalog(memory)
        assert "ferry" in catalog(memory)
        assert "harbour" in catalog(memory, Scope.USER)
        assert memory.store.edits() == []
