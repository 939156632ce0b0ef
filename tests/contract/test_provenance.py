"""Imported memories are recalled as such, on every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reverie.core.text.plain import digest
from reverie.memory import Memory
from reverie.types import Change, Origin, RunInfo
from tests.contract.test_carrying import export_with

TEXT = (
    "---\nname: Kestrel\ndescription: About kestrels.\ntype: user\n---\nThe kestrel nests in May.\n"
)
FILE: dict[str, Any] = {"kind": "file", "at": "user/user/kestrel.md", "text": TEXT}
SAID = "Imported from jsonl on "


def edit(memory: Memory, text: str, origin: Origin) -> str:
    (topic,) = memory.store.topics()
    path = memory.store.real(topic.path)
    change = Change(path, text, digest(topic.text))
    return memory.store.apply([change], RunInfo("edit", origin=origin)).run


def test_an_imported_memory_says_so_until_the_person_changes_it(memory: Memory, tmp_path: Path):
    memory.import_(export_with(tmp_path / "x.jsonl", FILE))
    assert memory.log()[0].origin is Origin.IMPORT
    found = memory.recall("kestrel")
    assert SAID in found.block
    assert found.topics[0].imported.startswith("jsonl on ")
    (hit,) = memory.search("kestrel").results
    assert hit.imported.startswith("jsonl on ")
    edit(memory, TEXT + "And in June.\n", Origin.SYSTEM)
    assert SAID in memory.recall("kestrel").block
    run = edit(memory, TEXT + "And in July.\n", Origin.OWNER)
    assert "Imported" not in memory.recall("kestrel").block
    assert [hit.imported for hit in memory.search("kestrel").results] == [""]
    memory.undo(run)
    assert SAID in memory.recall("kestrel").block


def test_what_is_imported_later_says_so_in_a_memory_that_was_asked_before(
    memory: Memory, tmp_path: Path
):
    memory.remember("The otter sleeps by the river", name="Otter")
    assert [topic.imported for topic in memory.recall("otter").topics] == [""]
    assert [hit.imported for hit in memory.search("otter").results] == [""]
    memory.import_(export_with(tmp_path / "x.jsonl", FILE))
    assert memory.recall("kestrel").topics[0].imported.startswith("jsonl on ")
    assert memory.search("kestrel").results[0].imported.startswith("jsonl on ")
    assert [topic.imported for topic in memory.recall("otter").topics] == [""]


def test_what_a_person_remembered_says_nothing_of_the_kind(memory: Memory, tmp_path: Path):
    memory.remember("The kestrel nests in May", name="Kestrel")
    assert "Imported" not in memory.recall("kestrel").block


def test_runs_that_came_along_vouch_for_nothing(memory: Memory, tmp_path: Path):
    run = {
        "kind": "run",
        "id": "20260501-120000-deadbeef",
        "at": "2026-05-01T12:00:00Z",
        "verb": "remember",
        "status": "done",
        "origin": "owner",
        "deltas": [{"at": FILE["at"], "before": None, "after": digest(TEXT)}],
    }
    memory.import_(export_with(tmp_path / "one.jsonl", FILE))
    memory.import_(export_with(tmp_path / "two.jsonl", {"kind": "text", "text": TEXT}, run, FILE))
    assert memory.log()[0].id == run["id"]
    assert SAID in memory.recall("kestrel").block
