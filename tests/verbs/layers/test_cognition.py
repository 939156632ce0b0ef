"""Background jobs end to end: when they run, what they write, what they remember, how they fail."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie.core.layers import jobs
from reverie.core.layers.tree import FACTS, PREFERENCES, PROJECTS, WORKING
from reverie.core.layers.working import open_items
from reverie.core.showing import fence
from reverie.errors import InvalidQuery, ModelTimeout
from reverie.layered import Layers
from reverie.memory import Memory
from reverie.testing import ScriptedModel, use
from reverie.types import Skipped, TextPart, Turn, TurnMessage
from reverie.verbs.layers.cognition import JobRun
from reverie.verbs.layers.prompt import consolidated
from tests.verb_contexts import context_of


@pytest.fixture
def layers(memory: Memory) -> Layers:
    memory.layers.scaffold()
    return memory.layers


def with_model(memory: Memory, *script: Any) -> tuple[Layers, ScriptedModel]:
    model = ScriptedModel(*script)
    return Layers(context_of(memory, model=model), engine=memory.engine), model


def say(layers: Layers, user: str, assistant: str = "Noted, I will keep that in mind.") -> int:
    messages = [
        TurnMessage("user", (TextPart(user),)),
        TurnMessage("assistant", (TextPart(assistant),)),
    ]
    return layers.append(messages).turns[0].seq


def ran(outcome: JobRun | Skipped) -> JobRun:
    assert isinstance(outcome, JobRun)
    return outcome


def text_of(layers: Layers, rel: str) -> str:
    return Path(layers.root, rel).read_text(encoding="utf-8")


def snapshot(layers: Layers) -> dict[str, bytes]:
    files = (
        path for path in Path(layers.root).rglob("*") if path.is_file() and path.suffix != ".lock"
    )
    return {str(path): path.read_bytes() for path in files}


def records(layers: Layers) -> list[dict[str, Any]]:
    return [json.loads(text_of(layers, name)) for name in layers.tree.controls("cognition/runs")]


def test_nothing_is_due_on_a_fresh_tree(layers: Layers) -> None:
    assert layers.think(startup=True) == []
    rows, problems = layers.job_status()
    assert [(row.job, row.due, row.new_turns, row.needed) for row in rows] == [
        ("working_memory.consolidate", "", 0, 6),
        ("semantic_memory.extract", "", 0, 12),
        ("verification_review", "", 0, 8),
    ]
    assert problems == []


def test_six_turns_bring_working_memory_up_to_date_and_replay_begins_anew(layers: Layers) -> None:
    layers.change_working("add", "tasks", "rotate the signing keys")
    for n in range(5):
        say(layers, f"Please look into question number {n} for me.")
    assert layers.think() == []
    say(layers, "By the way, rotate the signing keys is done.")
    assert len(layers.replay(99).turns) == 6

    (run,) = map(ran, layers.think())

    assert (run.job, run.cause, run.status, run.turns) == (jobs.CONSOLIDATE, "state", "done", 6)
    items = open_items(text_of(layers, WORKING))
    assert items["Active Tasks"] == []
    assert "2026-05-01: Done: rotate the signing keys" in items["Recent Progress"]
    assert layers.replay(99).turns == ()
    assert consolidated(layers.tree) == 6
    (record,) = records(layers)
    assert record["input"] == {"first_seq": 1, "last_seq": 6, "turns": 6}
    assert record["run"] == run.run
    assert layers.think() == []
    say(layers, "One more thing to talk about.")
    assert [turn.seq for turn in layers.replay(99).turns] == [7]


def test_what_was_learnt_is_kept_with_its_evidence_in_the_journal(
    memory: Memory, layers: Layers
) -> None:
    say(layers, "I prefer tabs over spaces.")
    say(layers, "We decided that the API limit is 100 requests per minute.")
    ran(layers.run_job("semantic"))
    say(layers, "We decided that the API limit is 250 requests per minute.")

    run = ran(layers.run_job("semantic"))

    assert "tabs over spaces" in text_of(layers, PREFERENCES)
    listed = text_of(layers, PROJECTS) + text_of(layers, FACTS)
    assert "250 requests per minute" in listed
    assert "Until 2026-05-01: " in listed
    assert "100 requests per minute" in listed
    detail = memory.journal.log(limit=1)[0].detail
    ((said, evidence),) = detail["evidence"].items()
    assert "250" in said
    assert evidence == ["turn-00000000000000000003"]
    assert run.turns == 1


def test_a_review_reports_and_writes_nothing_but_its_record(layers: Layers) -> None:
    layers.change_working("add", "tasks", "rotate the signing keys")
    say(layers, "I finished it: rotate the signing keys, done.")
    before = text_of(layers, WORKING)

    run = ran(layers.run_job("verification_review"))

    assert [item.code for item in run.report] == ["task_done"]
    assert run.run == ""
    assert text_of(layers, WORKING) == before
    assert records(layers)[-1]["report"][0]["fix"] == "reverie working done 1"


def test_a_run_is_bounded_and_the_rest_waits_for_the_next(layers: Layers) -> None:
    for n in range(20):
        say(layers, f"Please look into question number {n} for me.")

    first, second = ran(layers.run_job("work")), ran(layers.run_job("work"))

    assert (first.first_seq, first.last_seq, first.turns) == (1, 16, 16)
    assert (second.first_seq, second.last_seq, second.turns) == (17, 20, 4)
    assert consolidated(layers.tree) == 20


def test_a_failed_run_keeps_its_checkpoint_and_goes_on_when_the_cause_is_gone(
    layers: Layers,
) -> None:
    for n in range(6):
        say(layers, f"Please look into question number {n} for me.")
    path = Path(layers.root, WORKING)
    text = path.read_text(encoding="utf-8")
    path.write_bytes(b"\xff\xfe not text")

    (run,) = map(ran, layers.think())

    assert (run.status, run.error[:9]) == ("failed", "not_text:")
    assert consolidated(layers.tree) == 0
    assert layers.think() == []
    status = layers.job_status()[0][0]
    assert (status.checkpoint, status.failures, status.last_status) == (0, 1, "failed")

    path.write_text(text, encoding="utf-8")
    say(layers, "And one more question for the list.")
    (again,) = map(ran, layers.think())
    assert (again.status, again.turns) == ("done", 7)
    assert layers.job_status()[0][0].failures == 0


def test_killed_after_writing_and_before_the_checkpoint_a_job_repeats_without_effect(
    layers: Layers,
) -> None:
    for n in range(6):
        say(layers, f"TODO: answer question number {n}. I prefer option {n} over the others.")
    for job in (jobs.CONSOLIDATE, jobs.EXTRACT):
        ran(layers.run_job(job))
        before = {rel: text_of(layers, rel) for rel in (WORKING, FACTS, PREFERENCES, PROJECTS)}
        Path(layers.root, jobs.state_file(job)).unlink()

        again = ran(layers.run_job(job))

        assert (again.status, again.turns) == ("noop", 6)
        assert {rel: text_of(layers, rel) for rel in before} == before


def test_an_overdue_schedule_runs_once(layers: Layers, clock: Any) -> None:
    say(layers, "Please look into this question for me.")
    assert layers.think() == []
    clock.advance(days=5)

    causes = [(ran(item).job, ran(item).cause) for item in layers.think()]

    assert causes == [(job.name, "schedule") for job in jobs.JOBS]
    assert layers.think() == []


def test_the_owner_may_change_or_switch_off_a_job(layers: Layers) -> None:
    layers.tree.write_control(jobs.trigger_file(jobs.CONSOLIDATE), {"min_dirty": 1, "max_turns": 1})
    layers.tree.write_control(
        jobs.trigger_file(jobs.EXTRACT), {"enabled": False, "schedule": "never"}
    )
    say(layers, "Please look into this question for me.")

    assert [ran(item).turns for item in layers.think()] == [1]
    rows, problems = layers.job_status()
    assert [row.enabled for row in rows] == [True, False, True]
    assert [problem.code for problem in problems] == ["bad_trigger"]


def test_what_was_imported_teaches_but_is_not_what_is_going_on(layers: Layers) -> None:
    past = datetime(2024, 1, 2, tzinfo=UTC)
    said = (TurnMessage("user", (TextPart("I prefer oat milk in my coffee."),)),)
    layers.history.append_all([Turn(0, past, said, source="chatgpt:c:1")])

    consolidating, extracting = ran(layers.run_job("work")), ran(layers.run_job("semantic"))

    assert (consolidating.turns, consolidating.status) == (0, "noop")
    assert extracting.turns == 1
    assert "oat milk" in text_of(layers, PREFERENCES)
    assert open_items(text_of(layers, WORKING))["Recent Progress"] == []


def test_a_dry_run_says_what_it_would_write_and_writes_nothing(layers: Layers) -> None:
    say(layers, "TODO: write the documentation")
    before = snapshot(layers)

    run = ran(layers.run_job("work", dry_run=True))

    assert run.status == "planned"
    assert [change.path.rpartition("/")[2] for change in run.changes] == ["WORKING_MEMORY.md"]
    assert snapshot(layers) == before


def test_jobs_of_one_agent_run_one_at_a_time(layers: Layers) -> None:
    with layers.tree.try_lock("cognition") as held:
        assert held
        assert layers.think() == [Skipped("running", "another process runs the jobs of this agent")]
        assert isinstance(layers.run_job("work"), Skipped)
    assert isinstance(layers.run_job("work"), JobRun)


def test_switched_off_memory_does_not_think(open_memory: Any) -> None:
    layers = open_memory(settings={"memory.enabled": False}).layers

    assert [item.reason for item in layers.think()] == ["disabled"]
    assert isinstance(layers.run_job("work"), Skipped)


def test_an_unknown_job_is_refused_with_the_known_ones(layers: Layers) -> None:
    with pytest.raises(InvalidQuery, match="verification_review"):
        layers.run_job("memory")


# --- with a model ---------------------------------------------------------------------------------

AGENT_WORKING = f"agent/{WORKING}"


def test_an_agents_draft_is_taken_when_it_keeps_the_rules(memory: Memory, layers: Layers) -> None:
    say(layers, "What about the keys that we talked about?")
    wiser, model = with_model(
        memory,
        [use("read_file", path=AGENT_WORKING)],
        [
            use(
                "edit",
                path=AGENT_WORKING,
                old_string="## Open Threads\n\n- None",
                new_string="## Open Threads\n\n- keys",
            )
        ],
        "Noted the open question.",
    )

    run = ran(wiser.run_job("work"))
    wiser.close()

    assert (run.strategy, run.status, run.fallback) == ("model", "done", "")
    assert run.summary == "Noted the open question."
    assert run.usage.tokens_in == 300
    assert open_items(text_of(layers, WORKING))["Open Threads"] == ["keys"]
    system, user = model.calls[0].messages
    assert AGENT_WORKING in system.text
    assert "What about the keys" in user.text
    assert consolidated(layers.tree) == 1


def writes(rel: str, text: str) -> list[Any]:
    return [[use("write_file", path=f"agent/{rel}", content=text)], "done"]


@pytest.mark.parametrize(
    ("job", "script", "why"),
    [
        ("work", [ModelTimeout("30 s are over")], "model_timeout"),
        ("work", [[use("ls")]] * 8, "budget_spent"),
        ("work", ["All is well."], "nothing was written"),
        ("work", writes("core/AGENT.md", "obey me"), "it may not write"),
        ("work", writes("../../x.md", "out"), "remember_path_escape"),
        ("work", writes(WORKING, "# Working Memory\n"), "drops the heading"),
        ("semantic", writes(PREFERENCES, "# gone\n"), "loses: I prefer tea"),
        ("semantic", writes(FACTS, "# gone\n"), "drops the heading"),
    ],
)
def test_a_draft_that_breaks_a_rule_is_not_taken(
    memory: Memory, layers: Layers, job: str, script: list[Any], why: str
) -> None:
    path = Path(layers.root, PREFERENCES)
    path.write_text(path.read_text().replace("- None", "- I prefer tea", 1))
    say(layers, "TODO: write the docs. I prefer tabs over spaces.")
    wiser, _ = with_model(memory, *script)

    run = ran(wiser.run_job(job))
    wiser.close()

    assert (run.strategy, run.status) == ("deterministic", "done")
    assert why in run.fallback
    assert "I prefer tea" in path.read_text()
    assert records(layers)[-1]["fallback"] == run.fallback


def test_a_review_by_a_model_is_kept_and_its_edits_are_not(memory: Memory, layers: Layers) -> None:
    say(layers, "We moved to Porto.")
    before = {rel: text_of(layers, rel) for rel in (WORKING, FACTS)}
    wiser, _ = with_model(memory, "The facts do not mention Porto.")
    meddling, _ = with_model(memory, *writes(FACTS, "changed"))

    good, bad = ran(wiser.run_job("verif")), ran(meddling.run_job("verif"))
    wiser.close()
    meddling.close()

    assert good.detail["review"] == "The facts do not mention Porto."
    assert (good.strategy, bad.strategy, bad.fallback) == (
        "model",
        "deterministic",
        "it changes files",
    )
    assert {rel: text_of(layers, rel) for rel in before} == before


def test_what_recall_injected_is_not_shown_to_the_model(memory: Memory, layers: Layers) -> None:
    say(layers, f"Look at this, please. {fence.fence('injected memory')}")
    wiser, model = with_model(memory, "nothing to do")

    ran(wiser.run_job("semantic"))
    wiser.close()

    assert "injected memory" not in model.calls[0].messages[1].text


def test_a_file_edited_while_a_model_thinks_is_not_overwritten(
    memory: Memory, layers: Layers
) -> None:
    path = Path(layers.root, WORKING)

    def edited_by_hand(_: object) -> str:
        if "by hand" not in path.read_text():
            path.write_text(path.read_text().replace("- None", "- by hand", 1))
        return "done"

    say(layers, "TODO: write the docs")
    adds_task = [
        use("edit", path=AGENT_WORKING, old_string="## Active Tasks\n\n- None",
            new_string="## Active Tasks\n\n- write the docs")
    ]  # fmt: skip
    wiser, _ = with_model(memory, adds_task, edited_by_hand, adds_task, "done")

    run = ran(wiser.run_job("work"))
    wiser.close()

    assert (run.status, run.strategy) == ("done", "model")
    items = open_items(path.read_text())
    assert items["Current Priorities"] == ["by hand"]
    assert items["Active Tasks"] == ["write the docs"]


# --- undone runs ----------------------------------------------------------------------------------


def test_an_undone_consolidation_is_replayed_and_not_repeated_by_itself(
    memory: Memory, layers: Layers, clock: Any
) -> None:
    for n in range(6):
        say(layers, f"Please look into question number {n} for me.")
    (first,) = map(ran, layers.think())
    before = text_of(layers, WORKING)
    memory.undo(first.run)
    undone = text_of(layers, WORKING)
    assert undone != before
    assert consolidated(layers.tree) == 0
    assert [turn.seq for turn in layers.replay(99).turns] == [1, 2, 3, 4, 5, 6]

    assert layers.think() == []
    clock.advance(minutes=1)
    manual = ran(layers.run_job("consolidate"))
    clock.advance(minutes=1)
    assert (manual.status, manual.turns) == ("noop", 0)
    assert [item.what for item in manual.dropped] == ["turns 1 to 6"]
    assert f"run {first.run} was undone" in manual.dropped[0].reason
    assert text_of(layers, WORKING) == undone
    assert consolidated(layers.tree) == 0
    assert ran(layers.run_job("consolidate")).dropped == ()  # said once by a run, always by status
    (row, *_), _ = layers.job_status()
    assert [(item.run, item.first_seq, item.last_seq) for item in row.undone] == [(first.run, 1, 6)]

    for n in range(6, 12):
        say(layers, f"Please look into question number {n} for me.")
    second = ran(layers.run_job("consolidate"))
    assert (second.first_seq, second.last_seq) == (7, 12)
    assert "question number 0" not in text_of(layers, WORKING)
    assert consolidated(layers.tree) == 12


def test_the_turns_of_an_undone_run_are_read_again_on_demand(
    memory: Memory, layers: Layers
) -> None:
    assert layers.run_job("consolidate", again=True) == Skipped(
        "nothing_undone", "no run of working_memory.consolidate was undone"
    )
    for n in range(6):
        say(layers, f"Please look into question number {n} for me.")
    (first,) = map(ran, layers.think())
    wanted = text_of(layers, WORKING)
    memory.undo(first.run)
    planned = ran(layers.run_job("consolidate", again=True, dry_run=True))
    assert (planned.status, planned.turns) == ("planned", 6)

    redone = ran(layers.run_job("consolidate", again=True))

    assert (redone.status, redone.first_seq, redone.last_seq) == ("done", 1, 6)
    assert text_of(layers, WORKING) == wanted
    assert consolidated(layers.tree) == 6
    (row, *_), _ = layers.job_status()
    assert (row.undone, row.checkpoint) == ((), 6)
    memory.undo(redone.run)  # and this one can be undone too
    (row, *_), _ = layers.job_status()
    assert [item.run for item in row.undone] == [redone.run]


def test_reading_an_older_run_again_does_not_put_replay_back(
    memory: Memory, layers: Layers
) -> None:
    for n in range(6):
        say(layers, f"Please look into question number {n} for me.")
    (first,) = map(ran, layers.think())
    memory.undo(first.run)
    for n in range(6, 12):
        say(layers, f"Please look into question number {n} for me.")
    layers.run_job("consolidate")
    assert consolidated(layers.tree) == 12

    redone = ran(layers.run_job("consolidate", again=True))

    assert (redone.status, redone.last_seq) == ("done", 6)
    assert consolidated(layers.tree) == 12
    assert layers.replay(99).turns == ()


def test_imported_turns_at_the_end_stay_covered_when_the_next_run_looks(layers: Layers) -> None:
    for n in range(6):
        say(layers, f"Please look into question number {n} for me.")
    said = (TurnMessage("user", (TextPart("I prefer oat milk in my coffee."),)),)
    layers.history.append_all(
        [Turn(0, datetime(2024, 1, 2, tzinfo=UTC), said, source="chatgpt:c:1")]
    )
    layers.think()
    assert (
        consolidated(layers.tree) == 7
    )  # it saw that there is nothing of its own behind the sixth

    layers.run_job("consolidate")

    assert consolidated(layers.tree) == 7


def test_undoing_two_runs_replays_from_the_older_one(memory: Memory, layers: Layers) -> None:
    runs = []
    for start in (0, 6):
        for n in range(start, start + 6):
            say(layers, f"Please look into question number {n} for me.")
        runs += [run for run in map(ran, layers.think()) if run.job == jobs.CONSOLIDATE]
    for run in reversed(runs):
        memory.undo(run.run)
    assert consolidated(layers.tree) == 0
    assert [turn.seq for turn in layers.replay(99).turns] == list(range(1, 13))


def test_undoing_the_newer_of_two_runs_replays_from_there(memory: Memory, layers: Layers) -> None:
    runs = []
    for start in (0, 6):
        for n in range(start, start + 6):
            say(layers, f"Please look into question number {n} for me.")
        runs += [run for run in map(ran, layers.think()) if run.job == jobs.CONSOLIDATE]
    memory.undo(runs[1].run)
    assert consolidated(layers.tree) == 6
    layers.run_job("consolidate")
    assert consolidated(layers.tree) == 6


def test_taking_an_undo_back_covers_the_turns_again(memory: Memory, layers: Layers) -> None:
    for n in range(6):
        say(layers, f"Please look into question number {n} for me.")
    (first,) = map(ran, layers.think())
    undo = memory.undo(first.run)
    assert consolidated(layers.tree) == 0
    memory.undo(undo.run)
    assert consolidated(layers.tree) == 6
    (row, *_), _ = layers.job_status()
    assert row.undone == ()


def test_an_undone_extraction_is_not_learnt_again_until_asked(
    memory: Memory, layers: Layers
) -> None:
    say(layers, "I prefer tabs over spaces.")
    learnt = ran(layers.run_job("semantic"))
    memory.undo(learnt.run)
    assert "tabs" not in text_of(layers, PREFERENCES)
    say(layers, "I prefer dark mode in all editors.")
    next_run = ran(layers.run_job("semantic"))
    assert "turns 1 to 1" in [item.what for item in next_run.dropped]
    assert "tabs" not in text_of(layers, PREFERENCES)
    assert "dark mode" in text_of(layers, PREFERENCES)
    ran(layers.run_job("semantic", again=True))
    assert "tabs" in text_of(layers, PREFERENCES)


def test_a_failed_second_reading_leaves_the_undone_run_to_be_read(
    memory: Memory, layers: Layers
) -> None:
    say(layers, "I prefer tabs over spaces.")
    memory.undo(ran(layers.run_job("semantic")).run)
    path = Path(layers.root, PREFERENCES)
    kept = path.read_bytes()
    path.write_bytes(b"\xff\xfe not text")
    assert ran(layers.run_job("semantic", again=True)).status == "failed"
    path.write_bytes(kept)
    assert ran(layers.run_job("semantic", again=True)).status == "done"


def test_undoing_the_run_of_one_agent_leaves_another_alone(open_memory: Any) -> None:
    runs = {}
    for name in ("ada", "bob"):
        memory = open_memory(settings={"memory.agent": name})
        memory.layers.scaffold()
        say(memory.layers, "I prefer tabs over spaces.")
        runs[name] = ran(memory.layers.run_job("consolidate")).run
        if name == "bob":
            memory.undo(runs["bob"])
            assert consolidated(memory.layers.tree) == 0
    ada = open_memory(settings={"memory.agent": "ada"})
    assert consolidated(ada.layers.tree) == 1
    (row, *_), _ = ada.layers.job_status()
    assert row.undone == ()


def test_a_run_is_undone_by_the_beginning_of_its_name_too(
    memory: Memory, layers: Layers, clock: Any
) -> None:
    clock.advance(days=1)  # so that the day alone names the run, until the undo is one of that day
    say(layers, "Please look into one question for me.")
    run = ran(layers.run_job("consolidate")).run
    memory.undo(run[:8])
    assert consolidated(layers.tree) == 0
