"""The layers document as told, through the command line, with two agents side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reverie.cli import run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "base"


@pytest.fixture
def reverie(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Call the command line as an agent; JSON comes back parsed."""

    def call(*arguments: str, agent: str = "ada", status: int = 0) -> Any:
        monkeypatch.setenv("REVERIE_MEMORY__AGENT", agent)
        capsys.readouterr()
        assert run(["-C", str(project), "--home", str(home), "--json", *arguments]) == status
        return json.loads(capsys.readouterr().out)

    return call


def files_below(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def test_each_layer_has_its_place(reverie: Callable[..., Any], home: Path) -> None:
    reverie("init")

    tree = home / "agents" / "ada"
    for folder in (
        "core", "working", "semantic", "history/turns", "history/state", "history/quarantine", "cognition",
        "notes/inbox", "notes/zettel", "notes/maps",
    ):  # fmt: skip
        assert (tree / folder).is_dir()
    for file in (
        "core/AGENT.md", "core/USER.md", "core/SOUL.md", "working/WORKING_MEMORY.md", "semantic/facts.md",
        "semantic/preferences.md", "semantic/projects.md",
    ):  # fmt: skip
        assert (tree / file).is_file()


def test_core_and_working_memory_are_injected_and_nothing_else_is(
    reverie: Callable[..., Any], home: Path
) -> None:
    reverie("init")
    tree = home / "agents" / "ada"
    (tree / "core" / "SOUL.md").write_text("I speak in short sentences.\n")
    (tree / "working" / "DRAFT.md").write_text("a private draft\n")
    (tree / "semantic" / "facts.md").write_text("a durable fact\n")
    (tree / "notes" / "zettel" / "n.md").write_text("an atomic note\n")
    reverie("working", "task", "answer the letter")

    prompt = reverie("prompt")

    assert set(prompt["layers"]) == {"core", "working"}
    assert "I speak in short sentences." in prompt["text"]
    assert "answer the letter" in prompt["text"]
    for hidden in ("a private draft", "a durable fact", "an atomic note"):
        assert hidden not in prompt["text"]
    assert prompt["tokens"] > sum(part["tokens"] for part in prompt["parts"]) > 0


def test_working_memory_holds_the_six_kinds_of_active_state(reverie: Callable[..., Any]) -> None:
    reverie("working", "priority", "the release")
    reverie("working", "task", "write the notes")
    reverie("working", "task", "tag the commit")
    reverie("working", "thread", "who signs it?")
    reverie("working", "progress", "the build is green")
    reverie("working", "check", "the mirror is in sync")
    reverie("working", "context", "Ana is away until Monday")
    done = reverie("working", "done", "tag the commit")
    assert done["run"]

    items = reverie("working")["items"]

    assert {heading: len(found) for heading, found in items.items()} == {
        "Current Priorities": 1,
        "Active Tasks": 1,
        "Open Threads": 1,
        "Recent Progress": 2,
        "Pending Checks": 1,
        "Temporary Context": 1,
    }
    assert items["Recent Progress"][-1].endswith("Done: tag the commit")
    assert reverie("working", "drop", "threads", "1")["item"] == "who signs it?"
    assert reverie("working", "done", "fly to the moon", status=4)["reason"] == "no_match"


def test_turns_are_json_files_by_day_with_ordered_parts(
    reverie: Callable[..., Any], home: Path, tmp_path: Path
) -> None:
    exchange = tmp_path / "exchange.json"
    exchange.write_text(
        json.dumps(
            [
                {"role": "user", "content": "Read a.txt"},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "I need the file"},
                    {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.txt"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "hello"},
                ]},
                {"role": "assistant", "content": "It says hello."},
            ]
        )
    )  # fmt: skip

    appended = reverie("history", "append", str(exchange), "--session", "s1")

    history = home / "agents" / "ada" / "history"
    (file,) = (history / "turns").rglob("*.json")
    record = json.loads(file.read_text())
    assert record.pop("reverie_checksum")  # of the file, not of the turn: no face shows it
    assert file.relative_to(history / "turns").as_posix() == (
        record["created_at"][:10].replace("-", "/") + "/00000000000000000001.json"
    )
    assert (record["schema_version"], record["seq"], appended["seq"], record["session"]) == (
        2,
        1,
        1,
        "s1",
    )
    assert [[part["type"] for part in message["parts"]] for message in record["messages"]] == [
        ["text"],
        ["reasoning", "tool_call"],
        ["tool_result"],
        ["text"],
    ]
    assert json.loads((history / "state" / "head.json").read_text())["last_seq"] == 1
    assert reverie("history", "show", "1") == record
    (replayed,) = reverie("history", "replay")["turns"]
    assert replayed == record


def test_old_history_is_upgraded_at_the_start_and_unreadable_turns_are_set_aside(
    reverie: Callable[..., Any], home: Path
) -> None:
    day = home / "agents/ada/history/turns/2025/01/02"
    day.mkdir(parents=True)
    old = {
        "Seq": 1,
        "CreatedAt": "2025-01-02T03:04:05Z",
        "Messages": [{"Role": "user", "Content": "hi"}],
    }
    (day / "00000000000000000001.json").write_text(json.dumps(old))
    (day / "00000000000000000002.json").write_text("{ this is not json")

    turns = reverie("history", "list")["turns"]

    assert [turn["messages"][0]["parts"] for turn in turns] == [[{"type": "text", "text": "hi"}]]
    assert json.loads((day / "00000000000000000001.json").read_text())["schema_version"] == 2
    kept = home / "agents/ada/history/quarantine/2025/01/02/00000000000000000002.json"
    assert kept.read_text() == "{ this is not json"
    assert reverie("history", "append", "--user", "next", "--assistant", "yes")["seq"] == 2


def test_semantic_memory_is_learnt_from_turns_and_fetched_by_search(
    reverie: Callable[..., Any], home: Path
) -> None:
    reverie("init")
    reverie(
        "history",
        "append",
        "--user",
        "I prefer metric units in all reports.",
        "--assistant",
        "Noted.",
    )

    (run_of,) = reverie("cognition", "run", "semantic_memory.extract")

    assert run_of["status"] == "done"
    text = (home / "agents/ada/semantic/preferences.md").read_text()
    assert "metric units" in text
    assert "metric units" not in reverie("prompt", "--replay", "0")["text"]
    hits = reverie("search", "metric units", "--min-score", "0")["results"]
    assert any(hit["path"].endswith("semantic/preferences.md") for hit in hits)
    (detail,) = [run["detail"] for run in reverie("log")["runs"] if run["verb"] == "cognition"]
    assert list(detail["evidence"].values()) == [["turn-00000000000000000001"]]


def test_the_notebook_has_an_inbox_atomic_notes_and_maps(
    reverie: Callable[..., Any], home: Path
) -> None:
    inbox = reverie("notes", "add", "Levain: feed it twice a day")
    zettel = reverie("notes", "add", "Gluten is a network", "--zettel", "--tag", "baking")
    reverie("notes", "link", inbox["id"], zettel["id"], "--why", "structure")
    reverie("notes", "map", "Baking", "--add", zettel["id"])

    notes = home / "agents/ada/notes"
    assert [path.partition("/")[0] for path in files_below(notes)] == ["inbox", "maps", "zettel"]
    backlinks = reverie("notes", "show", zettel["id"])["backlinks"]
    assert {note["id"] for note in backlinks} == {"baking", inbox["id"]}
    assert [note["id"] for note in reverie("notes", "review")["inbox"]] == [inbox["id"]]
    reverie("notes", "review", "--accept", inbox["id"])
    assert reverie("notes", "review")["inbox"] == []
    assert [note["id"] for note in reverie("notes", "map", "Baking")["notes"]] == [zettel["id"]]


def test_two_agents_share_a_home_and_nothing_else(reverie: Callable[..., Any], home: Path) -> None:
    for agent in ("ada", "bob"):
        reverie("init", agent=agent)
        reverie("working", "task", f"task of {agent}", agent=agent)
        reverie(
            "history",
            "append",
            "--user",
            f"I am speaking to {agent}",
            "--assistant",
            "Yes.",
            agent=agent,
        )
        reverie("notes", "add", f"note of {agent}", agent=agent)

    for agent, other in (("ada", "bob"), ("bob", "ada")):
        prompt = reverie("prompt", agent=agent)["text"]
        assert f"I am {agent}, an assistant" in prompt
        assert f"task of {agent}" in prompt
        assert f"speaking to {agent}" in prompt
        assert other not in prompt
        assert [note["title"] for note in reverie("notes", "list", agent=agent)["notes"]] == [
            f"note of {agent}"
        ]
        assert [turn["seq"] for turn in reverie("history", "list", agent=agent)["turns"]] == [1]
    before = (home / "agents/bob/working/WORKING_MEMORY.md").read_bytes()
    reverie("cognition", "run", "work", agent="ada")
    assert (home / "agents/bob/working/WORKING_MEMORY.md").read_bytes() == before


def test_logs_of_other_agents_are_imported(reverie: Callable[..., Any], tmp_path: Path) -> None:
    log = tmp_path / "chat.jsonl"
    lines = [
        {"type": "user", "uuid": "u1", "sessionId": "s", "timestamp": "2026-01-02T03:04:05Z",
         "message": {"role": "user", "content": "hello"}},
        {"type": "assistant", "uuid": "a1", "sessionId": "s", "timestamp": "2026-01-02T03:04:06Z",
         "message": {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}},
    ]  # fmt: skip
    log.write_text("\n".join(json.dumps(line) for line in lines) + "\n{oops\n")

    (dry,) = reverie("history", "import", str(log), "--dry-run")
    (done,) = reverie("history", "import", str(log))

    assert dry["outcome"]["appended"] == done["outcome"]["appended"] == 1
    assert len(done["outcome"]["problems"]) == 1
    (turn,) = reverie("history", "list")["turns"]
    assert (turn["source"], turn["created_at"]) == ("claude-code:s:u1", "2026-01-02T03:04:05Z")
    assert reverie("history", "replay")["turns"] == []


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("history", "show", "9"), 4, "path_not_found"),
        (("history", "import", "nowhere.json"), 4, "path_not_found"),
        (("history", "append", "--user", ""), 2, "invalid_content"),
        (("notes", "show", "nothing"), 4, "note_not_found"),
        (("notes", "add", " "), 2, "invalid_content"),
        (("working", "drop", "wishes", "1"), 2, "invalid_query"),
        (("cognition", "run", "sleep"), 2, "invalid_query"),
    ],
)
def test_bad_input_gets_a_code_and_a_status(
    reverie: Callable[..., Any], arguments: tuple[str, ...], status: int, code: str
) -> None:
    assert reverie(*arguments, status=status)["error"]["code"] == code
