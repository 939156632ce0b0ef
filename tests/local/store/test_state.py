"""State files: whole or not at all, healed when torn, never half updated."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest

from reverie.local.store.state import LocalState


@pytest.fixture
def state(tmp_path, clock):
    return LocalState(tmp_path / "project", locks=tmp_path / "locks", clock=clock)


def test_a_file_that_is_not_there_is_empty(state):
    assert state.read_state("meta.json") == {}
    assert not state.folder.exists(), "reading creates nothing"


def test_what_is_written_is_json_with_two_spaces_and_a_last_line_end(state):
    state.update_state("meta.json", lambda meta: {**meta, "version": 1, "名": "記憶"})
    text = (state.folder / "meta.json").read_text(encoding="utf-8")
    assert text == '{\n  "version": 1,\n  "名": "記憶"\n}\n'
    assert (state.folder / "meta.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "torn", [b"", b'{"sessionId": "s1", "proc', b"[1, 2]", b"\xff\xfe\x00", b"null", b'"x"']
)
@pytest.mark.parametrize("name", ["meta.json", "extract-cursor.json"])
def test_a_torn_file_is_kept_aside_and_begun_anew(state, name, torn):
    state.folder.mkdir()
    (state.folder / name).write_bytes(torn)
    assert state.read_state(name) == {}
    state.update_state(name, lambda before: {**before, "version": 1})
    assert state.read_state(name) == {"version": 1}
    (kept,) = state.folder.glob(f"{name}*corrupt*")
    assert kept.read_bytes() == torn
    assert "20260501T120000Z" in kept.name
    assert [problem.code for problem in state.problems] == ["control_file_corrupt"]


def test_an_update_that_changes_nothing_writes_nothing(state):
    state.update_state("meta.json", lambda _: {"a": 1})
    before = (state.folder / "meta.json").stat().st_ino
    state.update_state("meta.json", lambda meta: meta)
    assert (state.folder / "meta.json").stat().st_ino == before


def test_updates_from_many_threads_are_all_kept(state):
    def count():
        for _ in range(20):
            state.update_state("meta.json", lambda meta: {"n": meta.get("n", 0) + 1})

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state.read_state("meta.json") == {"n": 80}


COUNTER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from reverie.local.store.state import LocalState
state = LocalState(Path(sys.argv[1]), locks=Path(sys.argv[2]), clock=lambda: datetime.now(UTC))
for _ in range(25):
    state.update_state("meta.json", lambda meta: {"n": meta.get("n", 0) + 1})
"""


@pytest.mark.slow
def test_updates_from_many_processes_are_all_kept(state, tmp_path):
    args = [sys.executable, "-c", COUNTER, str(state.folder), str(state.locks)]
    running = [subprocess.Popen(args) for _ in range(4)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0, 0]
    assert json.loads((state.folder / "meta.json").read_text()) == {"n": 100}
