"""Runs and turns that a stranger's export brings: they are shown, they steer nothing, they stop nothing."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie.core.history.turns import MAX_SEQ
from reverie.core.moving.record_kinds import ABOUT
from reverie.core.text.plain import digest
from reverie.memory import Memory
from reverie.types import TextPart, Turn, TurnMessage
from tests.conftest import NO_MODEL

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HEADER = {"kind": "reverie", "version": 1, "exported_at": "2026-01-01T00:00:00Z"}


def opened(folder: Path, **settings: object) -> Memory:
    project = folder / "project"
    project.mkdir()
    return Memory.open(
        project, home=folder / "base", env=NO_MODEL, clock=lambda: NOW, settings=settings
    )


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path) as memory:
        yield memory


def export(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "export.jsonl"
    lines = (HEADER, *records, {"kind": "end"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def run(name: str, *, text: str = "a", at: str = "user/user/a.md", **more: Any) -> dict[str, Any]:
    return {
        "kind": "run",
        "id": name,
        "at": "2026-01-01T00:00:00Z",
        "verb": "remember",
        "status": "done",
        "deltas": [{"at": at, "before": None, "after": digest(text)}],
        **more,
    }


def text(words: str = "a") -> dict[str, Any]:
    return {"kind": "text", "text": words}


def turn(number: int, words: str = "hello", source: str = "chatgpt:1") -> dict[str, Any]:
    said = [
        {"role": who, "parts": [{"type": "text", "text": words}]} for who in ("user", "assistant")
    ]
    record = {"schema_version": 2, "seq": number, "created_at": "2026-01-01T00:00:00Z"}
    return {"kind": "turn", "turn": {**record, "source": source, "messages": said}}


# --- runs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pairs",
    [
        [("run-a", "run-a")],
        [("run-a", "run-b"), ("run-b", "run-a")],
        [("run-a", "run-b"), ("run-b", "run-c"), ("run-c", "run-a")],
    ],
)
def test_runs_that_undo_each_other_in_a_circle_stop_nothing(memory, tmp_path, pairs):
    runs = [run(name, undoes=undone, verb="dream") for name, undone in pairs]
    memory.import_(export(tmp_path, text(), *runs))
    memory.remember("I drink my tea without sugar.")
    memory.dream(force=True)
    for item in memory.log():
        steps = 0
        while item.undone_by:
            item = memory.journal.record(item.undone_by)
            steps += 1
            assert steps <= len(pairs)


def test_a_run_from_elsewhere_does_not_say_that_one_of_ours_was_undone(memory, tmp_path):
    ours = memory.remember("I drink my tea without sugar.")
    memory.import_(export(tmp_path, text(), run("run-a", undoes=ours.run)))
    assert memory.journal.record(ours.run).undone_by == ""


def test_what_was_undone_elsewhere_is_still_known_as_such(memory, tmp_path):
    source = export(tmp_path, text(), run("run-a"), run("run-b", undoes="run-a"))
    memory.import_(source)
    assert memory.journal.record("run-a").undone_by == "run-b"


@pytest.mark.parametrize("keys", [5, "abc", {"a": 1}, [[1]], None, True])
def test_what_a_run_from_elsewhere_tells_of_itself_stops_no_dream(memory, tmp_path, keys):
    memory.import_(export(tmp_path, text(), run("run-a", verb="dream", detail={"keys": keys})))
    memory.remember("I drink my tea without sugar.")
    memory.dream(force=True)


@pytest.mark.parametrize("undone", [True, False])
def test_a_run_from_elsewhere_does_not_move_what_jobs_have_read(memory, tmp_path, undone):
    memory.layers.scaffold()
    memory.layers.append(list(own_turn().messages))
    before = state(memory)
    detail = {"job": "consolidate", "agent": memory.workspace.agent, "last_seq": 10**12}
    runs = [run("run-a", verb="cognition", detail={**detail, "first_seq": -(10**12)})]
    runs += [run("run-b", undoes="run-a")] if undone else []
    memory.import_(export(tmp_path, text(), *runs))
    memory.layers.notice_undone()
    assert state(memory) == before
    assert "mine" in memory.prompt(replay=5).text


def state(memory: Memory) -> dict[str, bytes]:
    folder = Path(memory.layers.root, "cognition")
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*.json"))}


@pytest.mark.parametrize("field", ["note", "session", "client", "turn", "verb"])
def test_a_secret_in_what_a_run_says_is_not_kept(memory, tmp_path, field):
    memory.import_(export(tmp_path, text(), run("run-a", **{field: f"token {SECRET}"})))
    assert SECRET not in repr(memory.journal.record("run-a"))


def test_a_secret_in_the_detail_or_in_a_file_name_of_a_run_is_not_kept(memory, tmp_path):
    detail = {"why": {"deep": [f"token {SECRET}"]}}
    named = run("run-b", at=f"user/user/{SECRET}.md")
    outcome = memory.import_(export(tmp_path, text(), run("run-a", detail=detail), named))
    assert outcome.counts.runs == 1
    assert SECRET not in repr((memory.log(), outcome))
    assert any("secret" in item.reason for item in outcome.refused)


# --- turns ----------------------------------------------------------------------------------------


def own_turn() -> Turn:
    said = (TurnMessage(who, (TextPart("mine"),)) for who in ("user", "assistant"))
    return Turn(0, NOW, tuple(said))


@pytest.mark.parametrize("number", [MAX_SEQ, MAX_SEQ - 1, MAX_SEQ // 2, 10**12])
@pytest.mark.parametrize("allow", [(), tuple(ABOUT)])
def test_no_number_of_a_turn_uses_up_the_numbers(memory, tmp_path, number, allow):
    source = "" if allow else "chatgpt:1"
    outcome = memory.import_(export(tmp_path, turn(number, source=source)), allow=allow)
    assert outcome.counts.turns == 1
    memory.layers.append(list(own_turn().messages))
    read = memory.layers.history.latest(10).turns
    assert len(read) == 2
    assert read[-1].seq < 10**9


def test_a_turn_too_large_to_be_read_again_is_left_out_and_named(tmp_path):
    limit = 100_000
    large = turn(3, "a" * limit), turn(4, "short", "chatgpt:2")
    with opened(tmp_path, **{"memory.max_file_bytes": limit}) as memory:
        outcome = memory.import_(export(tmp_path, *large))
        assert outcome.counts.turns == 1
        assert [item.seq for item in memory.layers.history.latest(10).turns] == [4]
    assert "over the limit" in outcome.dropped[0].reason


# --- many files -----------------------------------------------------------------------------------


def calls(work: Callable[[], object]) -> int:
    """Count the functions that a piece of work calls: a measure that no other process can change."""
    count = 0

    def seen(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


MANY = {
    "empty": lambda number: (f"{number}.md", ""),
    "with words": lambda number: (f"{number}.md", f"# Note {number}\n\nTea is served at {number}.\n"),
    "with one name": lambda number: (f"{number}/Tea.md", f"Tea is served at {number}.\n"),
    "deep": lambda number: ("a/" * 40 + f"{number}.md", f"Tea {number}\n"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("files", "shape"), [*((name, None) for name in MANY), ("with words", "topics")]
)
@pytest.mark.slow
def test_the_work_for_many_files_grows_with_their_number(tmp_path, files, shape):
    def work(count: int) -> int:
        folder = tmp_path / str(count)
        (folder / "project").mkdir(parents=True)
        with zipfile.ZipFile(folder / "notes.zip", "w") as archive:
            for number in range(count):
                archive.writestr(*MANY[files](number))
        with Memory.open(folder / "project", home=folder / "base", env=NO_MODEL) as memory:
            return calls(lambda: memory.import_(folder / "notes.zip", shape=shape))

    work(2)  # imports
    few, many = work(20), work(100)
    assert many < 5.5 * few
