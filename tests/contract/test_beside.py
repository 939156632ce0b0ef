"""What every engine keeps beside the memory: state, control files, logs, history, context."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from reverie.errors import NotAllowed
from reverie.memory import Memory
from reverie.types import Change, RunInfo, TextPart, Turn, TurnMessage
from tests.conftest import FakeClock


def said(*texts: str) -> list[TurnMessage]:
    roles = ("user", "assistant")
    return [TurnMessage(roles[n % 2], (TextPart(text),)) for n, text in enumerate(texts)]


def test_a_state_file_is_empty_until_it_is_updated(memory: Memory):
    assert memory.state.read_state("meta.json") == {}
    kept = memory.state.update_state("meta.json", lambda old: {**old, "n": 1, "ü\x00": ["\ud800"]})
    assert memory.state.read_state("meta.json") == kept == {"n": 1, "ü\x00": ["\ud800"]}


def test_updates_of_a_state_file_do_not_get_lost(memory: Memory):
    def add(_: int) -> None:
        memory.state.update_state("n.json", lambda old: {"n": old.get("n", 0) + 1})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(20)))
    assert memory.state.read_state("n.json") == {"n": 20}


def test_a_lock_has_one_owner(memory: Memory, opener: Callable[..., Memory]):
    other = opener()
    with memory.state.try_lock("consolidation.lock") as mine:
        assert mine
        with other.state.try_lock("consolidation.lock") as theirs:
            assert not theirs
        with other.state.try_lock("another.lock") as free:
            assert free
    with other.state.try_lock("consolidation.lock") as now:
        assert now


def test_a_tree_lists_its_markdown_and_its_control_files(memory: Memory):
    memory.layers.scaffold()
    tree = memory.layers.tree
    assert "core/AGENT.md" in tree.markdown("core")
    assert tree.read_control("cognition/state/x.json") == {}
    tree.write_control("cognition/state/x.json", {"n": 1})
    assert tree.read_control("cognition/state/x.json") == {"n": 1}
    assert "cognition/state/x.json" in tree.controls("cognition")
    with tree.try_lock("job") as mine, tree.try_lock("other") as other:
        assert mine
        assert other


def test_records_come_back_newest_first_and_by_name(memory: Memory, clock: FakeClock):
    memory.event_log.add("one", {"n": 1, "text": "ü\x00"}, at=clock())
    memory.event_log.add("two", {"n": 2}, at=clock())
    memory.usage_log.add("one", {"n": 3}, at=clock())
    assert [item["n"] for item in memory.event_log.read()] == [2, 1]
    assert [item["n"] for item in memory.event_log.read(name="one")] == [1]
    assert memory.event_log.read(limit=1)[0]["name"] == "two"


# --- history ----------------------------------------------------------------------------------------


def test_turns_are_numbered_and_read_back_whole(memory: Memory):
    history = memory.layers.history
    first = memory.layers.append(said("Hello \x00 \ud800", "Hi"), session="s1").turns[0]
    memory.layers.append(said("Again", "Yes"), session="s1")
    assert history.head() == 2
    assert history.count() == 2
    kept = history.get(1)
    assert kept is not None
    assert kept.session == "s1"
    assert kept.seq == first.seq == 1
    assert [turn.seq for turn in history.latest(1).turns] == [2]
    assert [turn.seq for turn in history.latest(5, before=2).turns] == [1]
    assert [turn.seq for turn in history.take(1, limit=5)] == [2]
    assert [turn.seq for turn in history.recent(5, checkpoint=1)] == [2]
    assert history.get(99) is None
    assert memory.layers.append([], session="s1").turns == ()


def test_imported_turns_come_once_and_are_not_our_own(memory: Memory, clock: FakeClock):
    history = memory.layers.history
    draft = Turn(0, clock(), tuple(said("a", "b")), source="chat:1")
    done = history.append_all([draft, draft, replace(draft, source="chat:2")])
    assert (len(done.turns), done.known) == (2, 1)
    assert history.append_all([draft]).known == 1
    assert history.recent(5, checkpoint=0) == ()
    assert len(history.take(0, limit=5)) == 2


def test_a_source_that_no_column_can_hold_is_known_again(memory: Memory, clock: FakeClock):
    draft = Turn(0, clock(), tuple(said("a", "b")), source="chat:\x00\ud800")
    history = memory.layers.history
    assert len(history.append_all([draft]).turns) == 1
    assert history.holds(draft)
    assert history.append_all([draft, draft]).known == 2
    assert history.count() == 1


def test_turns_that_come_back_keep_their_numbers_and_none_is_lost(memory: Memory, clock: FakeClock):
    history = memory.layers.history
    history.append(said("here already", "yes"))
    there = history.get(1)
    assert there is not None
    back = [
        Turn(seq, clock(), tuple(said(text, "ok")), id=f"turn-{seq:020d}")
        for seq, text in ((7, "seven"), (3, "three"), (1, "one"), (7, "another seven"))
    ]
    done = history.restore([*back, there])
    assert done.known == 1
    texts = {turn.seq: turn.messages[0].parts[0] for turn in history.take(0, limit=10)}
    assert {seq: part.text for seq, part in texts.items() if isinstance(part, TextPart)} == {
        1: "here already",
        3: "three",
        7: "seven",
        8: "one",
        9: "another seven",
    }
    again = history.restore([*back, there])
    assert (again.turns, again.known) == ((), 5)


def test_a_secret_in_a_turn_is_replaced(memory: Memory):
    done = memory.layers.append(said("my key is AKIAZ3MGNW4XKQ7LPE2R", "ok"))
    assert done.redactions
    kept = memory.layers.history.get(1)
    assert "AKIAZ3MGNW4XKQ7LPE2R" not in str(kept)


def test_numbers_are_given_once_to_writers_at_the_same_time(memory: Memory):
    history = memory.layers.history

    def add(number: int) -> int:
        return history.append(said(str(number), "ok")).turns[0].seq

    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(add, range(12)))
    assert sorted(numbers) == list(range(1, 13))


# --- context and the rest ---------------------------------------------------------------------------


def test_a_saved_fact_is_loaded_with_the_context(memory: Memory):
    memory.save("Always run the tests.", scope="project")
    memory.save("Prefer short answers.", scope="global")
    text = memory.context().text
    assert "Always run the tests." in text
    assert "Prefer short answers." in text


def test_trust_decides_whether_the_projects_files_are_loaded(memory: Memory):
    memory.save("Always run the tests.", scope="project")
    assert memory.trusted().trusted
    assert memory.trusted().verdict == memory.context().verdict == "unknown"
    memory.trust(trusted=False)
    assert not memory.trusted().trusted
    assert memory.trusted().verdict == "untrusted"
    assert "Always run" not in memory.context().text
    memory.trust(trusted=None)
    assert memory.trusted().trusted
    assert memory.trust().verdict == "trusted"


def test_trust_decides_whether_what_came_with_the_project_is_found(memory: Memory):
    path = f"{memory.workspace.base}/MEMORY.md"
    if memory.engine.name == "local":
        Path(path).write_text("# Notes\n\nthe walrus protocol\n")
    else:
        change = Change(path, "# Notes\n\nthe walrus protocol\n", None)
        memory.store.apply([change], RunInfo(verb="save"))
    (hit,) = memory.search("walrus protocol").results
    assert (hit.path, hit.provenance) == ("MEMORY.md", "repository")
    files = memory.stats().total_files
    memory.trust(trusted=False)
    assert memory.search("walrus protocol", min_score=0).results == ()
    assert memory.stats().total_files == files - 1
    with pytest.raises(NotAllowed):
        memory.get("MEMORY.md")
    memory.trust()
    assert memory.get("MEMORY.md").provenance == "repository"


def test_no_secret_of_a_context_file_enters_the_prompt(opener: Callable[..., Memory]):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    opener(**{"secrets.policy": "off"}).save(f"The token is {secret}", scope="project")
    context = opener().context()
    assert secret not in context.text
    assert [item.reason for item in context.diagnostics] == ["secret"]


def test_the_verbs_work_end_to_end(memory: Memory, clock: FakeClock):
    memory.initialise()
    memory.remember("The staging database runs on port 5433.")
    memory.remember("I prefer tabs.", scope="user")
    memory.extract(
        [
            {"role": "user", "content": "Remember that our deploys happen on Tuesday mornings."},
            {"role": "assistant", "content": "Noted: deploys happen on Tuesday mornings."},
        ],
        session="s1",
    )
    assert "5433" in memory.recall("which port does staging use?").block
    memory.layers.append(said("My cat is called Biscuit.", "Lovely."), session="s1")
    memory.layers.add_note("A note about gardens", title="Gardens")
    assert memory.layers.change_working("add", "Current Focus", "Ship it")
    assert "Biscuit" in memory.prompt("cat").text
    clock.advance(days=2)
    assert memory.dream(force=True)
    assert memory.verify().ok
    assert memory.doctor() is not None
    assert memory.events()


@pytest.mark.parametrize("name", ["project/the-staging-database.md", "MEMORY.md"])
def test_a_path_is_found_from_the_memory_folder(memory: Memory, name: str):
    memory.remember("The staging database", name="The staging database")
    found = memory.blame(name) if name != "MEMORY.md" else memory.log(path=name)
    assert found is not None


def test_what_was_heard_waits_is_kept_dropped_and_undone(memory: Memory):
    said = "Our parser lives in src/parse.rs. My sister lives near Ghent."
    memory.extract([{"role": "user", "content": said}], session="s1")
    mine, ours = sorted(memory.heard(), key=lambda item: item.scope, reverse=True)
    kept = memory.keep_heard(ours.id)
    dropped = memory.drop_heard(mine.id)
    assert memory.heard() == []
    memory.extract([{"role": "user", "content": said}], session="s2")
    assert memory.heard() == []
    for run in (dropped.run, kept.run):
        memory.undo(run)
    assert {item.id for item in memory.heard()} == {mine.id, ours.id}
