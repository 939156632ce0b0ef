"""What every store does, and every journal."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from reverie.core.text.plain import digest
from reverie.errors import (
    InvalidPath,
    PathEscape,
    RunNotFound,
    SecretRefused,
    StaleBase,
    UndoConflict,
)
from reverie.memory import Memory
from reverie.types import Change, Origin, RunInfo, Scope
from tests.conftest import FakeClock

RUN = RunInfo(verb="test")


def topic(name: str, body: str = "A fact.") -> str:
    return f"---\nname: {name}\ndescription: {body}\ntype: project\n---\n\n{body}\n"


def place(memory: Memory, rel: str, scope: Scope = Scope.PROJECT) -> str:
    return f"{memory.workspace.memory_root(scope)}/{rel}"


def put(memory: Memory, rel: str, text: str | None, scope: Scope = Scope.PROJECT) -> str:
    path = place(memory, rel, scope)
    before = memory.store.read(path)
    base = None if before is None else digest(before)
    return memory.store.apply([Change(path, text, base)], RUN).run


def test_what_is_applied_is_read_byte_for_byte(memory: Memory):
    for number, text in enumerate(
        [
            "\ufeffBOM\r\nCRLF\r\n",
            "no final newline",
            "",
            "日本語\tไทย\u200f עברית",
            "NUL \x00 inside",
        ]
    ):
        put(memory, f"project/{number}.md", text)
        assert memory.store.read(place(memory, f"project/{number}.md")) == text


def test_a_file_that_is_not_there_reads_as_none(memory: Memory):
    assert memory.store.read(place(memory, "project/none.md")) is None


def test_topics_come_newest_first_and_of_the_scope_asked_for(memory: Memory, clock: FakeClock):
    put(memory, "project/old.md", topic("Old"))
    clock.advance(hours=1)
    put(memory, "user/new.md", topic("New"), Scope.USER)
    assert [item.name for item in memory.store.topics()] == ["New", "Old"]
    assert [item.name for item in memory.store.topics(Scope.PROJECT)] == ["Old"]
    assert memory.store.topics(Scope.USER)[0].updated == clock()


def test_a_file_that_is_no_topic_is_named_with_the_reason(memory: Memory):
    put(memory, "project/plain.md", "no frontmatter\n")
    assert memory.store.topics() == []
    assert [item.path for item in memory.store.unreadable] == [place(memory, "project/plain.md")]


def test_the_catalog_lists_the_topics_of_its_folder(memory: Memory):
    put(memory, "project/a.md", topic("Alpha"))
    put(memory, "project/b.md", topic("Beta"))
    catalog = memory.store.read(place(memory, "MEMORY.md")) or ""
    assert "[Alpha](project/a.md)" in catalog
    assert "[Beta](project/b.md)" in catalog
    put(memory, "project/a.md", None)
    assert "Alpha" not in (memory.store.read(place(memory, "MEMORY.md")) or "")


def test_changes_are_written_all_or_none(memory: Memory):
    first, second = place(memory, "project/a.md"), place(memory, "project/b.md")
    with pytest.raises(StaleBase):
        memory.store.apply(
            [Change(first, topic("A"), None), Change(second, topic("B"), digest("other"))], RUN
        )
    assert memory.store.read(first) is None
    assert memory.log() == []


def test_a_change_planned_on_another_text_is_refused(memory: Memory):
    put(memory, "project/a.md", topic("A"))
    with pytest.raises(StaleBase):
        memory.store.apply([Change(place(memory, "project/a.md"), topic("B"), None)], RUN)


def test_nothing_to_change_makes_no_run(memory: Memory):
    text = topic("A")
    put(memory, "project/a.md", text)
    again = memory.store.apply([Change(place(memory, "project/a.md"), text, digest(text))], RUN)
    assert again.run == ""
    assert len(memory.log()) == 1


def test_a_secret_is_refused_and_nothing_is_written(memory: Memory):
    text = topic("Key", "AKIAIOSFODNN7EXAMPLE is the key, AKIAZ3MGNW4XKQ7LPE2R the other")
    with pytest.raises(SecretRefused):
        memory.store.apply([Change(place(memory, "project/key.md"), text, None)], RUN)
    assert memory.store.read(place(memory, "project/key.md")) is None


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "relative.md", "{project}/" + "../" * 12 + "x.md", "{state}/x.md", "\0"]
)
def test_a_path_outside_of_memory_is_never_written(memory: Memory, path: str):
    space = memory.workspace
    wanted = path.format(project=space.project_memory, state=space.state)
    with pytest.raises((PathEscape, InvalidPath)):
        memory.store.apply([Change(wanted, "text", None)], RUN)
    assert memory.log() == []


def test_an_endorsement_signs_a_run_or_stops_it(memory: Memory):
    memory.store.endorse = lambda run: replace(run, detail={"signed": True})
    put(memory, "project/a.md", topic("A"))
    assert memory.log()[0].detail["signed"] is True

    def refuse(run: RunInfo) -> RunInfo:
        raise UndoConflict("no")

    memory.store.endorse = refuse
    with pytest.raises(UndoConflict):
        put(memory, "project/b.md", topic("B"))
    assert memory.store.read(place(memory, "project/b.md")) is None


def test_writers_at_the_same_time_lose_nothing(memory: Memory):
    path = place(memory, "project/count.md")
    put(memory, "project/count.md", topic("Count", "0"))

    def add(number: int) -> None:
        for _ in range(100):
            before = memory.store.read(path) or ""
            change = Change(path, f"{before}- {number}\n", digest(before))
            try:
                memory.store.apply([change], RUN)
            except StaleBase:
                continue
            return
        raise AssertionError("never got through")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(8)))
    lines = (memory.store.read(path) or "").splitlines()[-8:]
    assert sorted(lines) == [f"- {number}" for number in range(8)]


# --- the journal ------------------------------------------------------------------------------------


def test_the_log_tells_who_did_what_newest_first(memory: Memory, clock: FakeClock):
    info = RunInfo(
        "note", "s1", "t1", Origin.AGENT, "c1", "why \x00 so", {"n": 1, "text": "ü\ud800"}
    )
    path = place(memory, "project/a.md")
    memory.store.apply([Change(path, topic("A"), None)], info)
    clock.advance(minutes=1)
    second = put(memory, "project/b.md", topic("B"))
    newest, oldest = memory.log()
    assert newest.id == second
    assert (oldest.verb, oldest.session, oldest.turn, oldest.client) == ("note", "s1", "t1", "c1")
    assert oldest.origin is Origin.AGENT
    assert oldest.detail["n"] == 1
    assert oldest.paths == (memory.store.real(path),)
    assert oldest.at == clock() - (newest.at - oldest.at)
    assert [run.id for run in memory.log(path=path)] == [oldest.id]
    assert [run.id for run in memory.journal.since(oldest.id, limit=5)] == [second]
    assert [run.id for run in memory.journal.since("", limit=1)] == [oldest.id]


def test_a_run_is_found_by_the_beginning_or_end_of_its_id(memory: Memory):
    run = put(memory, "project/a.md", topic("A"))
    assert memory.journal.resolve(run[-6:]) == run
    for wrong in ("nope", run[:3], "%", "_", "' OR 1=1 --"):
        with pytest.raises(RunNotFound):
            memory.journal.resolve(wrong)


def test_deltas_hold_the_text_before_and_after(memory: Memory):
    put(memory, "project/a.md", topic("A", "one"))
    run = put(memory, "project/a.md", topic("A", "two"))
    (delta,) = memory.journal.deltas(run)
    assert (delta.before, delta.after) == (topic("A", "one"), topic("A", "two"))
    assert "-one" in memory.diff(run)


def test_undo_takes_a_run_back_and_keeps_what_came_later(memory: Memory):
    lines = "".join(f"- line {number}\n" for number in range(9))
    put(memory, "project/a.md", topic("A") + lines)
    run = put(memory, "project/a.md", topic("A") + lines.replace("line 0", "first"))
    later = topic("A") + lines.replace("line 0", "first").replace("line 8", "last")
    put(memory, "project/a.md", later)
    memory.undo(run)
    text = memory.store.read(place(memory, "project/a.md")) or ""
    assert "line 0" in text
    assert "last" in text
    assert memory.log()[0].undoes == run
    assert next(item for item in memory.log() if item.id == run).undone_by == memory.log()[0].id


def test_the_log_names_the_runs_that_were_undone(memory: Memory):
    runs = [put(memory, f"{name}.md", topic(name)) for name in "abc"]
    assert memory.journal.log(undone=True) == []
    for run in runs[:2]:
        memory.undo(run)
    assert [item.id for item in memory.journal.log(undone=True)] == [runs[1], runs[0]]
    assert [item.id for item in memory.journal.log(undone=True, limit=1)] == [runs[1]]
    assert memory.journal.log(undone=True, verb="dream") == []
    assert len(memory.journal.log(undone=True, verb="test")) == 2


def test_undo_of_lines_changed_since_is_refused(memory: Memory):
    put(memory, "project/a.md", topic("A", "one"))
    run = put(memory, "project/a.md", topic("A", "two"))
    put(memory, "project/a.md", topic("A", "three"))
    with pytest.raises(UndoConflict):
        memory.undo(run)


def test_an_undone_file_has_its_old_age_again(memory: Memory, clock: FakeClock):
    put(memory, "project/a.md", topic("A", "one"))
    born = clock()
    clock.advance(days=3)
    run = put(memory, "project/a.md", topic("A", "two"))
    memory.undo(run)
    assert memory.store.topics()[0].updated == born


def test_blame_names_the_run_of_every_line(memory: Memory):
    first = put(memory, "project/a.md", topic("A") + "- one\n")
    second = put(memory, "project/a.md", topic("A") + "- one\n- two\n")
    lines = {line.text: line.run for line in memory.blame(place(memory, "project/a.md"))}
    assert (lines["- one"], lines["- two"]) == (first, second)


def test_verify_finds_nothing_wrong_with_what_was_applied(memory: Memory):
    memory.initialise()
    put(memory, "project/a.md", topic("A"))
    checked = memory.verify()
    assert checked.ok, checked.problems
    assert checked.runs == len(memory.log())


def test_another_opening_sees_what_was_written(memory: Memory, opener: Callable[..., Memory]):
    put(memory, "project/a.md", topic("A"))
    assert [item.name for item in opener().store.topics()] == ["A"]


def test_erased_words_are_nowhere(memory: Memory):
    memory.remember("The walrus code is zanzibar ninety.")
    memory.remember("Lunch is at noon.")
    memory.search("walrus")
    gone = memory.forget("walrus zanzibar", erase=True)
    assert gone.receipt is not None
    assert memory.verify_forgotten(gone.receipt).ok
    assert not memory.journal.contains(lambda text: "zanzibar" in text.lower())
    assert "noon" in memory.recall("when is lunch?").block


def test_erasing_reaches_every_name_that_a_moved_file_ever_had(memory: Memory):
    memory.remember("I keep a marabou named Zanzibar")
    for pinned in (True, False):
        [topic] = memory.store.topics()
        memory.pin(topic.scope, topic.rel, pinned=pinned)
    outcome = memory.forget("I keep a marabou named Zanzibar", erase=True)
    assert outcome.receipt is not None
    names = [path for run in memory.log() for path in run.paths]
    assert names
    assert not [path for path in names if "marabou" in path]
    assert memory.verify_forgotten(outcome.receipt).ok


def test_forgotten_but_not_erased_words_can_come_back(memory: Memory):
    memory.remember("The walrus code is zanzibar ninety.")
    gone = memory.forget("walrus zanzibar")
    assert memory.store.topics() == []
    memory.undo(gone.run)
    assert len(memory.store.topics()) == 1
