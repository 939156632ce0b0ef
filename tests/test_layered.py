"""The layers of an agent over a real store: scaffold, prompt, working memory, notes, imports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reverie.core.layers.tree import FOLDERS, WORKING
from reverie.core.layers.working import open_items
from reverie.errors import BadSetting, NoteNotFound
from reverie.memory import Memory
from reverie.types import Skipped, TextPart, TurnMessage
from reverie.verbs.layers.notes import Noted
from reverie.verbs.layers.working import WorkingChanged


def put(memory: Memory, rel: str, text: str | bytes) -> Path:
    path = Path(memory.layers.root, rel)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def say(memory: Memory, text: str) -> None:
    memory.layers.append([TurnMessage("user", (TextPart(text),))])


# --- the tree -------------------------------------------------------------------------------------


def test_the_tree_is_made_once_and_what_its_owner_changes_or_removes_stays(memory: Memory) -> None:
    root = Path(memory.layers.root)
    mine = put(memory, "core/SOUL.md", "mine\n")

    memory.layers.scaffold()

    assert mine.read_text() == "mine\n"
    assert all((root / folder).is_dir() for folder in FOLDERS)
    assert oct((root / "semantic").stat().st_mode)[-3:] == "700"
    (root / "core" / "USER.md").unlink()
    assert memory.layers.scaffold().run == ""
    assert not (root / "core" / "USER.md").exists()


def test_making_the_tree_is_a_run_that_can_be_undone(memory: Memory) -> None:
    run = memory.layers.scaffold().run

    memory.undo(run)

    assert not Path(memory.layers.root, "core/AGENT.md").exists()


def test_an_agents_name_that_is_a_path_is_refused(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(settings={"memory.agent": "../other"})

    with pytest.raises(BadSetting):
        _ = memory.layers


# --- prompt ---------------------------------------------------------------------------------------


def test_a_prompt_of_nothing_writes_nothing(memory: Memory) -> None:
    prompt = memory.prompt(context=False)

    assert (prompt.text, prompt.parts) == ("", ())
    assert not Path(memory.layers.root).exists()


def test_every_core_file_is_in_the_prompt_and_other_working_files_are_not(
    memory: Memory, project: Path
) -> None:
    memory.layers.scaffold()
    put(memory, "core/ZEAL.md", "Always curious.\n")
    put(memory, "core/deeper/NOT.md", "deeper file\n")
    put(memory, "working/SCRATCH.md", "scratch text\n")
    put(memory, "semantic/facts.md", "semantic text\n")
    put(memory, "notes/zettel/x.md", "note text\n")
    (project / "AGENTS.md").write_text("Use British spelling.\n")
    say(memory, "hello there")

    prompt = memory.prompt()

    assert [(part.layer, part.name) for part in prompt.parts] == [
        ("core", "core/AGENT.md"),
        ("core", "core/SOUL.md"),
        ("core", "core/USER.md"),
        ("core", "core/ZEAL.md"),
        ("working", "working/WORKING_MEMORY.md"),
        ("context", "context"),
        ("history", "turn 1"),
    ]
    assert "Use British spelling." in prompt.text
    for text in ("deeper file", "scratch text", "semantic text", "note text"):
        assert text not in prompt.text
    assert memory.prompt() == prompt


def test_a_query_brings_the_recalled_block_and_memories_the_catalog(memory: Memory) -> None:
    memory.remember("We deploy only on Tuesdays")

    prompt = memory.prompt("when do we deploy?", context=False)

    assert [part.layer for part in prompt.parts] == ["catalog", "recalled"]
    assert "only on Tuesdays" in prompt.parts[-1].text


def test_a_file_that_cannot_be_read_is_said_and_the_rest_still_counts(
    memory: Memory, tmp_path: Path
) -> None:
    put(memory, "core/A.md", b"\xff\xfe")
    put(memory, "core/B.md", "fine\n")
    outside = tmp_path / "secret.md"
    outside.write_text("not for the prompt\n")
    Path(memory.layers.root, "core/C.md").symlink_to(outside)

    prompt = memory.prompt(context=False)

    assert [part.name for part in prompt.parts] == ["core/B.md"]
    assert [item.what for item in prompt.dropped] == ["core/A.md"]
    assert "not for the prompt" not in prompt.text
    assert [problem.code for problem in memory.layers.tree.problems] == ["path_escape"]


def test_replay_is_bounded_by_setting_and_argument(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(settings={"layers.replay_turns": 2})
    for n in range(5):
        say(memory, f"message {n}")

    assert [part.name for part in memory.prompt(context=False).parts] == ["turn 4", "turn 5"]
    assert len(memory.prompt(context=False, replay=4).parts) == 4
    assert memory.prompt(context=False, replay=0).parts == ()


# --- working memory -------------------------------------------------------------------------------


def test_an_operation_makes_the_tree_and_is_one_run(memory: Memory) -> None:
    done = memory.layers.change_working("add", "tasks", "ship it")

    assert isinstance(done, WorkingChanged)
    assert open_items(memory.layers.working())["Active Tasks"] == ["ship it"]
    memory.undo(done.run)
    assert open_items(memory.layers.working())["Active Tasks"] == []


def test_overflow_goes_to_the_archive_in_the_same_run(memory: Memory) -> None:
    memory.layers.scaffold()
    path = Path(memory.layers.root, WORKING)
    path.write_text(path.read_text().replace("limit: 8000", "limit: 300"))
    for n in range(6):
        done = memory.layers.change_working("add", "progress", f"step {n} " + "x" * 40)
        assert isinstance(done, WorkingChanged)

    assert done.moved[0].reason.startswith("moved to working/archive/2026-05.md")
    archive = Path(memory.layers.root, "working/archive/2026-05.md").read_text()
    kept = open_items(memory.layers.working())["Recent Progress"]
    assert len(kept) + archive.count("Recent Progress: ") == 6
    assert "step 0" in archive
    assert memory.prompt(context=False).dropped == ()
    memory.undo(done.run)
    assert (
        done.moved[0].what.partition(": ")[2]
        in open_items(memory.layers.working())["Recent Progress"]
    )


def test_a_dry_run_of_an_operation_changes_nothing(memory: Memory) -> None:
    done = memory.layers.change_working("add", "tasks", "ship it", dry_run=True)

    assert isinstance(done, WorkingChanged)
    assert (done.run, len(done.changes)) == ("", 1)
    assert not Path(memory.layers.root).exists()


# --- notes ----------------------------------------------------------------------------------------


def test_notes_are_written_linked_mapped_and_filed(memory: Memory) -> None:
    layers = memory.layers
    bread = layers.add_note("Bread needs time.", title="Bread", tags=["baking"])
    yeast = layers.add_note("Yeast is alive.", title="Yeast", folder="zettel")
    assert bread.id != yeast.id

    assert isinstance(layers.link_notes("bread", "yeast", why="it rises"), Noted)
    assert isinstance(layers.link_notes("bread", yeast.id), Skipped)
    assert isinstance(layers.link_notes("bread", "bread"), Skipped)
    assert isinstance(layers.map_notes("Baking", ["bread", "yeast"]), Noted)
    assert isinstance(layers.map_notes("baking", ["yeast"]), Skipped)

    shown = layers.note("Yeast")
    assert sorted(note.title for note in shown.backlinks) == ["Baking", "Bread"]
    assert [note.title for note in layers.note_map("Baking").links] == ["Bread", "Yeast"]
    assert [note.title for note in layers.review_notes().inbox] == ["Bread"]

    filed = layers.accept_note("bread")
    assert isinstance(filed, Noted)
    assert filed.path.endswith(f"notes/zettel/{bread.id}-bread.md")
    assert not Path(bread.path).exists()
    assert sorted(note.title for note in layers.note("Yeast").backlinks) == ["Baking", "Bread"]
    assert layers.review_notes().broken == ()
    assert isinstance(layers.accept_note("bread"), Skipped)
    assert [note.title for note in layers.notes(tag="baking").notes] == ["Bread"]
    assert [note.title for note in layers.notes(folder="maps").notes] == ["Baking"]
    with pytest.raises(NoteNotFound):
        layers.note_map("Cooking")


def test_two_notes_of_the_same_title_are_two_notes(memory: Memory) -> None:
    one, two = (memory.layers.add_note("Same.", title="Same") for _ in range(2))

    assert one.path != two.path
    assert len(memory.layers.notes().notes) == 2
    assert len(memory.layers.review_notes().twins) == 1


def test_a_note_is_found_by_search_and_not_in_the_prompt(memory: Memory) -> None:
    memory.layers.add_note("Kombucha wants a scoby.", title="Kombucha")

    assert "Kombucha" not in memory.prompt().text
    found = memory.search("kombucha scoby", min_score=0.0)
    assert any("kombucha" in hit.path for hit in found.results)


# --- imports --------------------------------------------------------------------------------------


def test_a_chat_log_is_imported_once_and_found_by_search(memory: Memory) -> None:
    log = json.dumps(
        [
            {"role": "user", "content": "What is the capital of Bhutan?"},
            {"role": "assistant", "content": "Thimphu is the capital of Bhutan."},
            {"role": "user", "content": "And of Nepal?"},
        ]
    )

    dry = memory.layers.import_chat(log, dry_run=True)
    first = memory.layers.import_chat(log)
    second = memory.layers.import_chat(log)

    assert (dry.appended, first.appended, first.unfinished) == (1, 1, 1)
    assert (second.appended, second.known) == (0, 1)
    found = memory.search("capital of Bhutan", source="chat", min_score=0.0)
    assert any("Thimphu" in hit.text for hit in found.results)


def test_secrets_in_a_turn_are_replaced_visibly(memory: Memory) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"

    done = memory.layers.append([TurnMessage("user", (TextPart(f"my token is {token}"),))])

    assert len(done.redactions) == 1
    files = list(Path(memory.layers.root, "history/turns").rglob("*.json"))
    assert token not in files[0].read_text()
    assert "[redacted:" in files[0].read_text()


def test_with_secrets_switched_off_turns_are_kept_as_they_are(
    open_memory: Callable[..., Memory],
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    memory = open_memory(settings={"secrets.policy": "off"})

    done: Any = memory.layers.append([TurnMessage("user", (TextPart(token),))])

    assert done.redactions == ()
    assert done.turns[0].messages[0].parts == (TextPart(token),)


@pytest.mark.parametrize("dialect", ["qwen", "claude"])
def test_in_anothers_home_the_layers_keep_clear_of_its_sub_agents(
    open_memory: Callable[..., Memory], tmp_path: Path, dialect: str
) -> None:
    memory = open_memory(home=tmp_path / "theirs", dialect=dialect)

    memory.initialise()

    assert not (tmp_path / "theirs" / "agents").exists()
    assert (tmp_path / "theirs" / "reverie-agents" / "default" / "core" / "AGENT.md").is_file()
    assert memory.prompt(context=False).parts
