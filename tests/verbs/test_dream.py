"""Dream: gated, validated, one run, and nothing lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reverie.core.text.plain import digest
from reverie.errors import StaleBase
from reverie.types import Change, Dreamed, Kind, RunInfo, Scope, Skipped
from reverie.verbs.dream import dream as verb
from reverie.verbs.dream import entry_dates
from tests.examples import examples
from tests.verb_contexts import context_of

RUN = RunInfo(verb="test")


def put(memory, rel, body, *, kind="project", scope=Scope.PROJECT, description="a note"):
    """Write one topic file."""
    text = f"---\nname: {rel.removesuffix('.md')}\ndescription: {description}\ntype: {kind}\n---\n\n{body}"
    path = f"{memory.workspace.memory_root(scope)}/{rel}"
    before = memory.store.read(path)
    memory.store.apply([Change(path, text, None if before is None else digest(before))], RUN)
    return path


def bodies(memory):
    return {topic.rel: topic.body.strip() for topic in memory.store.topics()}


def files(memory):
    """Every memory file's bytes, catalogs left out."""
    return {topic.path: topic.text for topic in memory.store.topics()}


def meta(memory):
    return json.loads(Path(memory.workspace.project_state, "meta.json").read_text())


def run_verb(memory, *, store=None, **options):
    return verb(context_of(memory, store=store or memory.store), **options)


def test_a_dream_merges_both_scopes_as_one_run_that_can_be_undone(memory):
    for scope in Scope:
        put(memory, "feedback/a.md", "Use tabs everywhere\n", kind="feedback", scope=scope)
        put(
            memory,
            "feedback/b.md",
            "use tabs everywhere.\n\nWhy: Go\n",
            kind="feedback",
            scope=scope,
        )
    before = files(memory)
    outcome = memory.dream(force=True)
    assert isinstance(outcome, Dreamed)
    assert outcome.status == "updated"
    assert outcome.scopes == (Scope.USER, Scope.PROJECT)
    assert outcome.touched_topics == (Kind.FEEDBACK,)
    assert outcome.deduped_entries == 2
    assert outcome.probes > 0
    assert bodies(memory) == {"feedback/a.md": "Use tabs everywhere\n\nWhy: Go"}
    assert len(memory.store.topics()) == 2
    assert memory.log()[0].verb == "dream"
    memory.undo(outcome.run)
    assert files(memory) == before


def test_a_dry_run_shows_the_plan_and_writes_nothing(memory):
    put(memory, "a.md", "Use tabs everywhere\n\nuse tabs everywhere\n")
    before = files(memory)
    outcome = memory.dream(dry_run=True)
    assert [op.op for op in outcome.ops] == ["merge"]
    assert (outcome.run, outcome.paths, outcome.dry_run) == ("", (), True)
    assert files(memory) == before
    assert not Path(memory.workspace.project_state, "meta.json").exists()


def test_nothing_to_do_is_noted_and_no_run_is_made(memory):
    put(memory, "a.md", "Use tabs everywhere\n")
    outcome = memory.dream(force=True)
    assert (outcome.status, outcome.run) == ("noop", "")
    assert meta(memory)["lastDreamStatus"] == "noop"
    assert meta(memory)["lastDreamAt"] == "2026-05-01T12:00:00.000Z"


def test_the_newer_value_stands_by_the_journal_not_by_the_time_of_the_file(memory, clock):
    put(memory, "old.md", "The API limit is 100 requests\n")
    clock.advance(days=3)
    put(memory, "new.md", "The API limit is 200 requests\n")
    clock.advance(days=3)
    # Another entry in the old file makes the file, but not the old entry, the newest.
    put(memory, "old.md", "The API limit is 100 requests\n\nKafka keeps events\n")
    memory.dream(force=True)
    assert bodies(memory) == {
        "old.md": "Kafka keeps events",
        "new.md": "The API limit is 200 requests\n\nWhy: Until 2026-05-04: The API limit is 100 requests",
    }


def test_relative_dates_count_from_the_day_they_were_written(memory, clock):
    put(memory, "a.md", "The freeze starts tomorrow\n")
    clock.advance(days=5)
    put(memory, "a.md", "The freeze starts tomorrow\n\nThe audit is due tomorrow\n")
    clock.advance(days=5)
    memory.dream(force=True)
    assert bodies(memory)["a.md"] == (
        "The freeze starts tomorrow (2026-05-02)\n\nThe audit is due tomorrow (2026-05-07)"
    )


def test_the_day_of_an_entry_survives_a_dream_that_rewrote_its_line(memory, clock):
    put(memory, "a.md", "The demo for ACME is due tomorrow, plan 7\n")
    clock.advance(days=2)
    put(memory, "b.md", "The demo for ACME is due tomorrow, plan 8\n")
    clock.advance(days=2)
    memory.dream(force=True)
    assert "(2026-05-02)" in bodies(memory)["a.md"]
    kept = json.loads(Path(memory.workspace.project_state, "entry-dates.json").read_text())
    assert sorted(value for dates in kept.values() for value in dates.values()) == [
        "2026-05-01T12:00:00.000Z", "2026-05-03T12:00:00.000Z",
    ]  # fmt: skip
    assert memory.dream(force=True).status == "noop"


def test_pinned_memories_are_not_touched(memory):
    put(memory, "pinned/a.md", "Use tabs everywhere, due tomorrow\n\nuse tabs everywhere\n")
    assert memory.dream(force=True).ops == ()


def test_stale_lines_of_a_catalog_are_pruned(memory):
    put(memory, "a.md", "Use tabs everywhere\n")
    catalog = Path(memory.workspace.project_memory, "MEMORY.md")
    good = catalog.read_text()
    catalog.write_text(good + "- [Gone](gone.md) — no longer here\n")
    outcome = memory.dream(force=True)
    assert [op.op for op in outcome.ops] == ["prune_catalog"]
    assert outcome.ops[0].lines == ("- [Gone](gone.md) — no longer here",)
    assert catalog.read_text() == good
    assert memory.dream(force=True).ops == ()
    assert memory.verify().ok
    assert [run.verb for run in memory.log()][:2] == ["dream", "external-edit"]
    assert [run.verb for run in memory.log()].count("external-edit") == 1


def test_a_line_for_a_memory_that_came_during_the_dream_is_not_pruned(open_memory):
    memory, other = open_memory(), open_memory()
    put(memory, "a.md", "Use tabs everywhere\n")
    topics = memory.store.topics

    def topics_and_then_another(scope=None):
        found = topics(scope)
        if not Path(memory.workspace.project_memory, "b.md").exists():
            put(other, "b.md", "The harbour opens at nine\n")
        return found

    memory.store.topics = topics_and_then_another
    assert memory.dream(force=True).ops == ()


# --- gates ----------------------------------------------------------------------------------------


def test_a_dream_is_due_after_a_day_and_five_sessions(memory, clock):
    sessions = {f"s{n}" for n in range(5)}
    first = run_verb(memory, session="s9", sessions_since=lambda _: sessions)
    assert isinstance(first, Dreamed)
    assert run_verb(memory, session="s9").reason == "same_session"
    clock.advance(hours=23)
    assert run_verb(memory, session="s8").reason == "min_hours"
    clock.advance(hours=2)
    few = run_verb(memory, session="s8", sessions_since=lambda _: {"s1", "s8", ""})
    assert few == Skipped("min_sessions", "1 new sessions since the last dream; 5 are due")
    again = run_verb(memory, session="s8", sessions_since=lambda _: sessions)
    assert again.reason == "scan_throttled", "counting reads files, so it is not done at every turn"
    clock.advance(minutes=11)
    assert isinstance(run_verb(memory, session="s8", sessions_since=lambda _: sessions), Dreamed)


def test_sessions_that_were_learnt_from_count(memory):
    for number in range(5):
        message = {"role": "user", "content": f"hello {number}"}
        memory.extract([message], session=f"s{number}")
    assert isinstance(memory.dream(session="s9"), Dreamed)
    assert meta(memory)["recentSessionIdsSinceDream"] == []


def test_sessions_in_the_chat_logs_of_the_agent_count(memory, clock):
    chats = Path(memory.workspace.project_state, "chats")
    chats.mkdir(parents=True)
    for number in range(5):
        record = {"sessionId": f"c{number}", "timestamp": clock().isoformat()}
        (chats / f"{number}.jsonl").write_text(json.dumps(record) + "\n")
    assert isinstance(memory.dream(session="now"), Dreamed)


def test_what_was_undone_is_not_dreamt_again_and_that_is_said(memory):
    put(memory, "feedback/a.md", "Use tabs everywhere\n", kind="feedback")
    put(memory, "feedback/b.md", "use tabs everywhere.\n", kind="feedback")
    first = memory.dream(force=True)
    assert [op.op for op in first.ops] == ["merge"]
    memory.undo(first.run)
    before = files(memory)
    second = memory.dream(force=True)
    assert (second.ops, second.run, files(memory)) == ((), "", before)
    assert [(item.what.split(":")[0], item.reason) for item in second.refused] == [
        ("merge 2 entries", f"run {first.run}, which did this, was undone")
    ]
    assert memory.dream(force=True, dry_run=True).ops == ()


def test_an_undo_bars_what_it_took_back_and_nothing_else(memory):
    put(memory, "feedback/a.md", "Use tabs everywhere\n", kind="feedback")
    put(memory, "feedback/b.md", "use tabs everywhere.\n", kind="feedback")
    memory.undo(memory.dream(force=True).run)
    put(memory, "feedback/c.md", "USE TABS everywhere!\n", kind="feedback")
    third = memory.dream(force=True)
    assert [[Path(ref.path).name for ref in op.removed] for op in third.ops] == [["c.md"]]
    assert sorted(bodies(memory)) == ["feedback/a.md", "feedback/b.md"]
    put(memory, "feedback/b.md", "Use tabs everywhere, always\n", kind="feedback")
    put(memory, "feedback/a.md", "use tabs everywhere, always\n", kind="feedback")
    assert [op.op for op in memory.dream(force=True).ops] == ["merge"]


def test_taking_the_undo_back_lets_it_be_dreamt_again(memory):
    put(memory, "feedback/a.md", "Use tabs everywhere\n", kind="feedback")
    put(memory, "feedback/b.md", "use tabs everywhere.\n", kind="feedback")
    first = memory.dream(force=True)
    undo = memory.undo(first.run)
    memory.undo(undo.run)
    assert len(bodies(memory)) == 1
    put(memory, "feedback/b.md", "use tabs everywhere.\n", kind="feedback")
    assert [op.op for op in memory.dream(force=True).ops] == ["merge"]


def steps_of_a_dream(memory):
    """Count what SQLite does in the journal for one dream that finds nothing to do."""
    steps = []
    memory.journal.db.set_progress_handler(lambda: steps.append(1), 10)
    assert memory.dream(force=True).ops == ()
    memory.journal.db.set_progress_handler(None, 10)
    return len(steps)


def test_a_dream_costs_no_more_after_many_dreams_and_other_runs(memory):
    def live():
        put(memory, "project/a.md", "Use tabs everywhere\n")
        put(memory, "project/b.md", "use tabs everywhere.\n\nWhy: Go\n")
        assert memory.dream(force=True).ops
        memory.forget("tabs everywhere")

    live()
    early = steps_of_a_dream(memory)
    for _ in range(15):
        live()
    assert steps_of_a_dream(memory) <= early * 1.2


def test_an_undone_dream_leaves_no_words_in_the_journals_details(memory):
    put(memory, "feedback/a.md", "Use tabs everywhere\n", kind="feedback")
    put(memory, "feedback/b.md", "use tabs everywhere.\n", kind="feedback")
    memory.dream(force=True)
    assert "tabs" not in json.dumps(dict(memory.log(limit=1)[0].detail))


@pytest.mark.parametrize("setting", ["memory.enabled", "dream.enabled"])
def test_a_switch_turns_it_off(open_memory, setting):
    assert open_memory(settings={setting: False}).dream().reason == "disabled"


def test_a_dream_that_finds_another_at_work_is_skipped(memory):
    put(memory, "a.md", "Use tabs everywhere\n\nuse tabs everywhere\n")
    with memory.state.try_lock("consolidation.lock"):
        assert memory.dream(force=True).reason == "locked"
        assert isinstance(memory.dream(dry_run=True), Dreamed), "looking needs no lock"
    assert len(memory.dream(force=True).ops) == 1


def test_a_truncated_meta_file_heals_and_does_not_freeze_the_gates(memory):
    memory.dream(force=True)
    path = Path(memory.workspace.project_state, "meta.json")
    path.write_text(path.read_text()[:30])
    assert isinstance(memory.dream(force=True), Dreamed)
    assert meta(memory)["lastDreamStatus"] == "noop"
    assert list(path.parent.glob("meta.json*corrupt*"))


# --- guards ---------------------------------------------------------------------------------------


def test_a_plan_that_loses_evidence_is_refused_and_told(open_memory):
    memory = open_memory(settings={"recall.limit": 1})
    # Once it stands in the long file alone, the rule ranks behind a file that has most of its words.
    long = "".join(f"- Fact number {n} of the long list\n" for n in range(120))
    put(memory, "a.md", f"{long}- Rotate the signing keys quarterly\n")
    put(
        memory, "b.md", "Rotate the signing keys quarterly\n", description="Rotate the signing keys"
    )
    put(
        memory,
        "c.md",
        "Signing keys are rotated\n",
        description="Rotate signing keys, signing keys",
    )
    put(memory, "d.md", "Use tabs everywhere\n\nuse tabs everywhere\n")
    outcome = memory.dream(force=True)
    assert [op.kept.summary for op in outcome.ops] == ["Use tabs everywhere"], "the rest is done"
    assert "b.md" in bodies(memory)
    (refused,) = outcome.refused
    assert refused.what == "merge: Rotate the signing keys quarterly"
    assert refused.reason.endswith("would no longer find it")


def test_a_stale_base_is_planned_again(memory):
    put(memory, "a.md", "Use tabs everywhere\n\nuse tabs everywhere\n")
    apply, failures = memory.store.apply, [StaleBase()]

    class Busy:
        def __getattr__(self, name):
            return getattr(memory.store, name)

        def apply(self, changes, run):
            if failures:
                raise failures.pop()
            return apply(changes, run)

    assert run_verb(memory, store=Busy(), force=True).status == "updated"


def test_a_cancelled_dream_writes_nothing(memory):
    put(memory, "a.md", "Use tabs everywhere\n\nuse tabs everywhere\n")
    before = files(memory)
    assert memory.dream(force=True, cancelled=lambda: True).reason == "cancelled"
    assert files(memory) == before


LINES = st.lists(
    st.sampled_from(
        ["- Use tabs everywhere", "- use TABS everywhere.", "- The limit is 5 per day",
         "- The limit is 6 per day", "- Never use mocks here", "- The demo is due tomorrow",
         "  Why: it was 7 once", "# Heading 8", "", "Some prose, not 9", "```\ncode 10\n```"]
    ),
    max_size=8,
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, min_size=1, max_size=3), st.sampled_from(["\n", "\r\n"]))
@example(
    [
        ["- Use tabs everywhere"] * 2 + ["- The limit is 5 per day"],
        [
            "Some prose, not 9",
            "- The limit is 5 per day",
            "# Heading 8",
            "Some prose, not 9",
            "  Why: it was 7 once",
        ],
    ],
    "\n",
)
def test_undo_restores_every_byte_and_a_second_dream_finds_nothing(
    open_memory, clock, tmp_path_factory, bodies, end
):
    memory = open_memory(home=tmp_path_factory.mktemp("dream"))
    for number, lines in enumerate(bodies):
        put(memory, f"t{number}.md", end.join(lines))
        clock.advance(hours=1)
    before = files(memory)
    outcome = memory.dream(force=True)
    after = files(memory)
    assert memory.dream(force=True).run == ""
    assert files(memory) == after
    if outcome.run:
        memory.undo(outcome.run)
    assert files(memory) == before
    memory.close()


def test_a_file_that_is_forgotten_while_a_dream_looks_stops_no_dream(memory):
    """Another process may remove a file between the list and the look at its lines."""
    gone = put(memory, "gone.md", "The otter sleeps\n")
    put(memory, "stays.md", "The heron stands\n")
    topics = memory.store.topics()
    when = entry_dates(context_of(memory))
    memory.store.apply([Change(gone, None, digest(memory.store.read(gone)))], RUN)
    assert {topic.rel: when(topic, 0) is not None for topic in topics} == {
        "gone.md": True,
        "stays.md": True,
    }
