"""Forget, over the real store: removed, undoable, or erased without a trace."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from reverie.core.wire import to_wire
from reverie.errors import (
    InvalidInput,
    InvalidQuery,
    MemoryUnavailable,
    PathNotFound,
    TopicNotFound,
    UndoConflict,
)
from reverie.memory import Memory
from reverie.types import Change, Kind, RunInfo, Scope
from reverie.verbs.forget import forget
from tests.verb_contexts import context_of


def every_byte(memory: Memory) -> str:
    """Everything readable below the base folder, the journal's texts unpacked."""
    found = []
    for path in Path(memory.workspace.home).rglob("*"):
        if path.is_file():
            found.append(path.name + "\n" + path.read_bytes().decode("utf-8", "ignore"))
    texts: list[str] = []
    memory.journal.contains(lambda text: bool(texts.append(text)))
    return "\n".join(found + texts)


def test_forgetting_removes_one_entry_and_undo_brings_it_back(memory: Memory) -> None:
    path = Path(memory.remember("I prefer tabs").path)
    before = path.read_bytes()
    outcome = memory.forget("forget that I like tabs")
    assert [item.summary for item in outcome.removed_entries] == ["I prefer tabs"]
    assert (outcome.touched_topics, outcome.touched_scopes) == ((Kind.USER,), (Scope.USER,))
    assert outcome.summary == "Forgot 1 entry from: user."
    assert not path.exists()
    memory.undo(outcome.run)
    assert path.read_bytes() == before


def test_siblings_prose_and_line_ends_stay(memory: Memory) -> None:
    path = Path(memory.workspace.user_memory, "user.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    head = "\ufeff---\r\nname: me\r\ntype: user\r\n---\r\n\r\n# Me\r\n\r\n"
    text = f"{head}- likes tea\r\n- prefers tabs\r\n\r\nProse: stays."
    path.write_bytes(text.encode())
    memory.forget("prefers tabs")
    assert path.read_bytes() == text.replace("- prefers tabs\r\n", "").encode()


def test_both_scopes_are_searched(memory: Memory) -> None:
    memory.remember("Berlin is my home")
    memory.remember("The Berlin server is slow")
    outcome = memory.forget("everything about Berlin")
    assert outcome.touched_scopes == (Scope.USER, Scope.PROJECT)
    assert memory.store.topics() == []


def test_a_dry_run_previews_and_changes_nothing(memory: Memory) -> None:
    memory.remember("I prefer tabs")
    outcome = memory.forget("tabs", dry_run=True)
    assert outcome.removed_entries
    assert outcome.deltas[0].after is None
    assert (outcome.run, outcome.receipt) == ("", None)
    assert len(memory.store.topics()) == 1


def test_nothing_that_matches_is_an_outcome(memory: Memory) -> None:
    memory.remember("I prefer tabs")
    outcome = memory.forget("elephants")
    assert (outcome.removed_entries, outcome.run, outcome.strategy) == ((), "", "none")
    assert outcome.summary.startswith("Nothing in memory matches")


def test_entries_can_be_named_and_an_unknown_name_is_an_error(memory: Memory) -> None:
    entry = memory.remember("I prefer tabs").entry
    with pytest.raises(TopicNotFound):
        memory.forget(ids=["user/none.md"])
    assert memory.forget(ids=[f"user:{entry}"]).removed_entries[0].id == entry


def test_a_limit_says_what_it_left(memory: Memory) -> None:
    for place in ("Rome", "Oslo", "Lima"):
        memory.remember(f"The {place} office has a piano", kind=Kind.PROJECT)
    outcome = memory.forget("piano", limit=2)
    assert len(outcome.removed_entries) == 2
    assert len(outcome.dropped) == 1
    assert len(memory.store.topics()) == 1


@pytest.mark.parametrize("query", ["", " \n"])
def test_a_blank_query_is_an_error(memory: Memory, query: str) -> None:
    with pytest.raises(InvalidQuery):
        memory.forget(query)


def test_memory_that_is_switched_off_says_so(open_memory) -> None:
    with pytest.raises(MemoryUnavailable):
        open_memory(settings={"memory.enabled": False}).forget("tabs")


# --- erasing --------------------------------------------------------------------------------------


def test_erasing_leaves_no_trace_and_the_receipt_proves_it(memory: Memory) -> None:
    memory.remember("Zanzibar holidays are planned with Ophelia. Why: Ophelia knows a marabou")
    memory.remember("I like tea")
    plain = memory.forget("Zanzibar holidays with Ophelia", dry_run=True)
    assert plain.removed_entries
    outcome = memory.forget("Zanzibar holidays with Ophelia", erase=True)
    assert outcome.receipt is not None
    assert outcome.receipt.erased
    left = every_byte(memory).lower()
    for word in ("zanzibar", "ophelia", "marabou"):
        assert word not in left
    assert memory.verify_forgotten(outcome.receipt).ok
    assert memory.verify_forgotten(outcome.receipt.id).ok
    assert memory.verify().ok
    with pytest.raises(UndoConflict):
        memory.undo(outcome.run)
    assert [topic.entries[0].summary for topic in memory.store.topics()] == ["I like tea"]


def test_erasing_one_entry_keeps_the_file_but_not_its_telling_name(memory: Memory) -> None:
    path = Path(memory.remember("I keep a marabou named Zanzibar").path)
    path.write_text(path.read_text() + "\nI like tea.\n")
    memory.store.notice_edits()
    outcome = memory.forget("marabou named Zanzibar", erase=True)
    assert len(outcome.removed_entries) == 1
    left = every_byte(memory).lower()
    assert "zanzibar" not in left
    assert "marabou" not in left
    [topic] = memory.store.topics()
    assert topic.entries[0].summary == "I like tea."
    assert outcome.receipt is not None
    assert memory.verify_forgotten(outcome.receipt).ok


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I keep a marabou named Zanzibar", "marabou"),
        ("我养了一只名叫桑给巴尔的秃鹳作为宠物", "秃鹳"),
    ],
)
def test_erasing_reaches_every_name_that_a_moved_file_ever_had(
    memory: Memory, text: str, word: str
) -> None:
    memory.remember(text)
    [first] = memory.store.topics()
    memory.pin(first.scope, first.rel, pinned=True)
    [second] = memory.store.topics()
    memory.pin(second.scope, second.rel, pinned=False)
    outcome = memory.forget(text, erase=True)
    assert outcome.receipt is not None
    left = every_byte(memory).lower()
    assert word not in left
    assert json.dumps(word)[1:-1] not in left
    assert memory.verify_forgotten(outcome.receipt).ok
    assert memory.verify().ok


def test_erasing_leaves_the_names_of_living_files_alone(memory: Memory) -> None:
    memory.remember("I keep a marabou named Zanzibar")
    [told] = memory.store.topics()
    memory.pin(told.scope, told.rel, pinned=True)
    path = Path(memory.workspace.memory_root(told.scope), "other", Path(told.path).name)
    text = "---\nname: Tea\ndescription: Tea\ntype: user\n---\n\nI like green tea.\n"
    memory.store.apply([Change(str(path), text, None)], RunInfo(verb="test"))
    memory.forget("marabou named Zanzibar", erase=True)
    assert memory.log(path=str(path))
    assert memory.blame(str(path))[-1].run


def test_the_proof_looks_at_notes_history_and_stores_too(memory: Memory) -> None:
    said = "I keep a marabou named Zanzibar"
    memory.remember(said)
    memory.layers.add_note(said, title="Pets")
    outcome = memory.forget("marabou named Zanzibar", erase=True)
    assert outcome.receipt is not None
    found = memory.verify_forgotten(outcome.receipt)
    assert [Path(item.path).parent.name for item in found.problems] == ["inbox"]


def test_the_receipt_finds_what_comes_back(memory: Memory) -> None:
    memory.remember("I keep a marabou named Zanzibar")
    outcome = memory.forget("marabou named Zanzibar", erase=True)
    assert outcome.receipt is not None
    memory.remember("I keep a marabou named Zanzibar")
    found = memory.verify_forgotten(outcome.receipt)
    assert {item.code for item in found.problems} == {"trace_found"}


def test_without_erase_the_journal_still_knows_and_nothing_claims_otherwise(memory: Memory) -> None:
    memory.remember("I keep a marabou named Zanzibar")
    outcome = memory.forget("marabou named Zanzibar")
    assert outcome.receipt is not None
    assert not outcome.receipt.erased
    assert memory.verify_forgotten(outcome.receipt).ok
    assert memory.journal.contains(lambda text: "Zanzibar" in text)


def test_the_journal_holds_the_receipt_but_not_the_query(memory: Memory) -> None:
    memory.remember("I keep a marabou named Zanzibar")
    memory.forget("marabou named Zanzibar", erase=True)
    with sqlite3.connect(memory.journal.path) as db:
        rows = str(
            db.execute("SELECT * FROM run").fetchall()
            + db.execute("SELECT * FROM change").fetchall()
        )
    db.close()
    assert "forgot-" in rows
    assert "marabou" not in rows.lower()


def test_a_receipt_can_be_read_from_a_file(memory: Memory, tmp_path: Path) -> None:
    memory.remember("I keep a marabou named Zanzibar")
    outcome = memory.forget("marabou named Zanzibar", erase=True)
    file = tmp_path / "receipt.json"
    file.write_text(json.dumps(to_wire(outcome)))
    assert memory.verify_forgotten(str(file)).ok
    file.write_text("[]")
    with pytest.raises(InvalidInput):
        memory.verify_forgotten(str(file))
    with pytest.raises(PathNotFound):
        memory.verify_forgotten("forgot-000000000000")


def test_erasing_leaves_nothing_in_the_search_index_either(memory):
    memory.remember("The walrus codeword is tangerine moonlight")
    memory.remember("The office plant needs water")
    assert memory.search("tangerine moonlight").results
    receipt = memory.forget("walrus codeword tangerine moonlight", erase=True).receipt
    assert memory.search("tangerine moonlight").results == ()
    memory.close()
    for file in Path(memory.workspace.state).rglob("*"):
        if file.is_file():
            assert b"tangerine" not in file.read_bytes(), file
    assert receipt is not None


def test_a_trace_in_the_search_index_comes_with_the_command_that_takes_it_out(memory):
    memory.remember("We deploy on Tuesdays at noon")
    memory.search("deploy")
    receipt = memory.forget("We deploy on Tuesdays at noon").receipt
    assert {item.fix for item in memory.verify_forgotten(receipt.id).problems} == {
        "reverie index --purge"
    }
    memory.index(purge=True)
    assert memory.verify_forgotten(receipt.id).ok


def test_an_entry_that_moved_up_while_another_went_is_not_taken_for_it(memory: Memory) -> None:
    path = f"{memory.workspace.user_memory}/user/drinks.md"
    head = "---\nname: drinks\ndescription: what I drink\ntype: user\n---\n\n"
    items = ["- Green tea in the morning", "- Black coffee at noon", "- Warm milk at night"]
    memory.store.apply([Change(path, head + "\n\n".join(items) + "\n", None)], RunInfo("test"))
    inner = memory.engine.erasing()

    class Racing:
        """A store in which somebody else forgets the first entry, once, just before we write."""

        raced = False

        def __getattr__(self, name: str):
            return getattr(inner, name)

        def apply(self, changes: list[Change], run: RunInfo):
            if not self.raced:
                self.raced = True
                memory.forget("Green tea in the morning")
            return inner.apply(changes, run)

    done = forget(context_of(memory, erasing=Racing), "Black coffee at noon")
    assert [item.summary for item in done.removed_entries] == ["Black coffee at noon"]
    [left] = memory.store.topics()
    assert [entry.summary for entry in left.entries] == ["Warm milk at night"]
