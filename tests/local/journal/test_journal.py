"""The journal: what it remembers, and what happens when a process dies or the file breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.core.erasing.occurrences import WordsToErase
from reverie.core.text.plain import digest
from reverie.errors import Conflict, RunNotFound, UndoConflict
from reverie.types import Change, RunInfo, Scope
from reverie.types.writing import Planned
from tests.contract.test_carrying import export_with
from tests.local.store.test_filestore import RUN, put, topic


def file_of(memory, name):
    return Path(memory.workspace.project_memory, name)


def test_an_undo_can_itself_be_undone(memory):
    first = put(memory, "a.md", topic("one"))
    put(memory, "a.md", topic("two"))
    undone = memory.undo(memory.log()[0].id)
    assert file_of(memory, "a.md").read_text() == topic("one")
    again = memory.undo(undone.run)
    assert file_of(memory, "a.md").read_text() == topic("two")
    records = {run.id: run for run in memory.log()}
    assert records[undone.run].undone_by == again.run
    assert records[first.run].undone_by == ""


def test_undoing_an_older_run_keeps_what_came_later(memory):
    base = "---\nname: L\ntype: user\n---\n\n- a\n\n- b\n\n- c\n"
    put(memory, "l.md", base)
    second = put(memory, "l.md", base.replace("- a\n", "- a\n- added first\n"))
    put(memory, "l.md", base.replace("- a\n", "- a\n- added first\n") + "- added later\n")
    memory.undo(second.run)
    assert file_of(memory, "l.md").read_text() == base + "- added later\n"


def test_undo_says_which_later_run_is_in_the_way(memory):
    put(memory, "a.md", topic("one"))
    second = put(memory, "a.md", topic("two"))
    third = put(memory, "a.md", topic("three"))
    with pytest.raises(UndoConflict) as caught:
        memory.undo(second.run)
    assert third.run in str(caught.value)
    assert file_of(memory, "a.md").read_text() == topic("three")


def test_a_run_is_found_by_the_end_of_its_id_but_not_by_a_guess(memory):
    applied = put(memory, "a.md", topic())
    assert memory.journal.resolve(applied.run[-8:]) == applied.run
    for wrong in ("nope-nope", "", "%", "20"):
        with pytest.raises(RunNotFound):
            memory.journal.resolve(wrong)


def test_blame_says_which_run_brought_each_line(memory, clock):
    first = put(memory, "a.md", topic("one"))
    clock.advance(hours=1)
    second = put(memory, "a.md", topic("one") + "- a second line\n")
    with file_of(memory, "a.md").open("a") as file:
        file.write("- by hand\n")
    lines = memory.blame(str(file_of(memory, "a.md")))
    assert lines[0].run == first.run
    assert (lines[-2].run, lines[-2].text) == (second.run, "- a second line")
    assert lines[-1].verb == "external-edit"


def test_a_memory_keeps_its_age_through_a_checkout_and_an_undo(memory, clock):
    put(memory, "a.md", topic("one"))
    born = memory.store.topics()[0].updated
    clock.advance(days=3)
    file = file_of(memory, "a.md")
    text = file.read_text()
    file.unlink()
    file.write_text(text)  # as git checkout or rsync would
    assert memory.store.topics()[0].updated == born
    changed = put(memory, "a.md", topic("two"))
    assert memory.store.topics()[0].updated == clock()
    memory.undo(changed.run)
    assert memory.store.topics()[0].updated == born


def crash(memory, changes):
    """Record a run as `apply` does, then stop, as if the process had been killed."""
    deltas = [
        Planned(change.path, memory.store.read(change.path), change.text) for change in changes
    ]
    roots = [(memory.workspace.project_memory, Scope.PROJECT.value)]
    return memory.journal.begin(deltas, RUN, catalogs=roots)


def test_a_run_that_was_recorded_is_finished_when_memory_is_opened_again(memory, open_memory):
    put(memory, "a.md", topic("one"))
    root = memory.workspace.project_memory
    changes = [
        Change(f"{root}/a.md", topic("two"), digest(topic("one"))),
        Change(f"{root}/b.md", topic("new"), None),
    ]
    run = crash(memory, changes)
    again = open_memory()
    assert again.notices[0].code == "run_recovered"
    assert file_of(memory, "a.md").read_text() == topic("two")
    assert file_of(memory, "b.md").read_text() == topic("new")
    assert again.journal.record(run).status == "done"
    assert again.verify().ok


def test_a_half_written_run_is_taken_back_when_a_person_edited_one_of_its_files(
    memory, open_memory
):
    put(memory, "a.md", topic("one"))
    root = memory.workspace.project_memory
    run = crash(
        memory,
        [
            Change(f"{root}/a.md", topic("two"), digest(topic("one"))),
            Change(f"{root}/b.md", topic("new"), None),
        ],
    )
    file_of(memory, "b.md").write_text(topic("new"))  # the crash came after this file
    file_of(memory, "a.md").write_text(topic("by hand"))
    again = open_memory()
    assert again.journal.record(run).status == "rolled_back"
    assert file_of(memory, "a.md").read_text() == topic("by hand")
    assert not file_of(memory, "b.md").exists()


def test_a_corrupt_journal_is_kept_aside_and_memory_goes_on(memory, open_memory):
    put(memory, "a.md", topic("one"))
    memory.close()
    Path(memory.workspace.state, "journal.db").write_bytes(b"this is no database" * 100)
    again = open_memory()
    assert again.notices[0].code == "journal_corrupt"
    kept = Path(again.notices[0].path)
    assert kept.read_bytes().startswith(b"this is no database")
    assert [item.name for item in again.store.topics()] == ["Tabs"]
    put(again, "a.md", topic("two"))
    assert again.verify().ok


def test_verify_notices_a_damaged_text_and_a_stale_catalog(memory):
    put(memory, "a.md", topic("one"))
    file_of(memory, "MEMORY.md").write_text("")
    memory.journal.db.execute("UPDATE text SET data = x'00'")
    codes = {problem.code for problem in memory.verify().problems}
    assert codes == {"journal_text_broken", "catalog_stale"}


@pytest.mark.parametrize("edit", ["change", "remove", "add"])
def test_a_catalog_that_an_edit_of_topics_outdated_is_no_problem_and_the_next_run_follows(
    memory, edit
):
    put(memory, "a.md", topic("one"))
    put(memory, "b.md", topic("two"))
    path = file_of(memory, "a.md")
    match edit:
        case "change":
            path.write_text(path.read_text().replace("one", "eleven"))
        case "remove":
            path.unlink()
        case "add":
            file_of(memory, "c.md").write_text(topic("three"))
            file_of(memory, "c.md").chmod(0o600)
    before = file_of(memory, "MEMORY.md").read_text()
    assert memory.verify().ok
    assert file_of(memory, "MEMORY.md").read_text() == before  # looking writes nothing
    memory.log()  # an edit that was noted is no more of a problem
    assert memory.verify().ok
    put(memory, "d.md", topic("four"))
    assert memory.verify().ok
    catalog = file_of(memory, "MEMORY.md").read_text()
    wanted = {"change": ["eleven", "two"], "remove": ["two"], "add": ["one", "three", "two"]}[edit]
    assert [word for word in ("eleven", "one", "three", "two") if word in catalog] == wanted


def test_erasing_leaves_no_trace_of_the_words_in_the_journal_file(memory):
    secret = "the walrus sings at midnight"
    put(memory, "a.md", topic(secret))
    put(memory, "a.md", topic("nothing"))
    assert memory.journal.erase(WordsToErase(exact=(secret,))) == 1
    memory.close()
    for file in Path(memory.workspace.state).glob("journal.db*"):
        assert b"walrus" not in file.read_bytes()


def test_an_erased_run_cannot_be_undone(memory):
    first = put(memory, "a.md", topic("the walrus"))
    put(memory, "a.md", topic("nothing"))
    memory.journal.erase(WordsToErase(exact=("the walrus",)))
    with pytest.raises(UndoConflict, match="erased"):
        memory.undo(first.run)


def test_a_run_keeps_where_it_came_from(memory):
    info = RunInfo(verb="extract", session="s1", turn="t7", note="two facts", detail={"n": 2})
    path = f"{memory.workspace.user_memory}/a.md"
    memory.store.apply([Change(path, topic(), None)], info)
    record = memory.log()[0]
    assert (record.session, record.turn, record.note, record.detail) == (
        "s1",
        "t7",
        "two facts",
        {"n": 2},
    )


def test_a_first_write_that_was_refused_leaves_nothing_to_complain_of(memory):
    def refuse(run: RunInfo) -> RunInfo:
        raise Conflict("cancelled")

    memory.store.endorse = refuse
    with pytest.raises(Conflict, match="cancelled"):
        memory.remember("We deploy only on Tuesdays")
    assert memory.verify().problems == ()
    assert memory.log() == []


def test_a_journal_of_the_first_schema_is_brought_up_to_date_and_finds_undone_runs_by_index(
    memory, open_memory
):
    put(memory, "a.md", topic("one"))
    memory.undo(memory.log()[0].id)
    memory.journal.db.executescript("DROP INDEX run_undoes; PRAGMA user_version = 1")
    memory.close()
    again = open_memory()
    assert again.log()[1].undone_by == again.log()[0].id
    asked: list[str] = []
    again.journal.db.set_trace_callback(asked.append)
    again.log()
    again.journal.db.set_trace_callback(None)
    (question,) = [text for text in asked if "later.undoes" in text]
    plan = again.journal.db.execute(f"EXPLAIN QUERY PLAN {question}").fetchall()
    assert any("run_undoes" in row[3] for row in plan)


def test_a_journal_damaged_where_nobody_looked_is_set_aside_when_that_shows_and_told(open_memory):
    memory = open_memory()
    for number in range(40):
        memory.remember(f"Fact {number} about herons and harbours", kind="project")
    path, topics = memory.journal.path, len(memory.store.topics())
    memory.close()
    data = bytearray(path.read_bytes())
    data[3 * 4096 :] = b"?" * (len(data) - 3 * 4096)  # the first pages say nothing of it
    path.write_bytes(data)
    again = open_memory()
    assert again.log() == []
    assert "journal_corrupt" in [notice.code for notice in again.notices]
    assert again.journal.set_aside is not None
    assert len(again.store.topics()) == topics
    assert again.remember("Everything goes on", kind="project")
    assert len(again.log()) >= 1


def test_an_import_of_another_process_is_known_at_once(memory, open_memory, tmp_path):
    put(memory, "a.md", topic("one"))
    assert not memory.journal.has_imports()
    other = open_memory()
    put(other, "b.md", topic("two"))
    assert not memory.journal.has_imports()
    file = {"kind": "file", "at": "user/user/kestrel.md", "text": topic("three")}
    other.import_(export_with(tmp_path / "kept.jsonl", file))
    assert memory.journal.has_imports()
