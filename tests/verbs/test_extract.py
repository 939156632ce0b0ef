"""Extract: the new part of a conversation becomes memories, once, each with its turn."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from reverie.errors import ModelTimeout, ReadOnly, StaleBase
from reverie.local.store.filestore import FileStore
from reverie.testing import ScriptedModel
from reverie.types import Extracted, Kind, Message, RunInfo, Scope, Skipped
from reverie.verbs.extract import extract as verb
from tests.verb_contexts import context_of

TABS = "I prefer tabs over spaces in Go code."
KAFKA = "We decided to use Kafka instead of RabbitMQ because we need replay."


def user(text, number=1):
    return {"role": "user", "content": text, "id": f"u{number}"}


def answer(text="ok"):
    return {"role": "assistant", "content": text}


def summaries(memory):
    return sorted(entry.summary for topic in memory.store.topics() for entry in topic.entries)


def cursor_of(memory):
    return json.loads(Path(memory.workspace.project_state, "extract-cursor.json").read_text())


def run_verb(memory, messages, **replaced):
    """Call the verb itself, with what a test replaces."""
    info = RunInfo(verb="extract", session="s1")
    return verb(context_of(memory, **replaced), messages, session="s1", info=info)


@pytest.mark.parametrize(
    "file",
    [
        f"# Rules\n\n- {TABS}\n",
        f"Be kind. {TABS.upper()} Be brief.\n",
        "* i prefer **tabs** over spaces in `Go` code\n",
    ],
)
def test_what_the_context_files_say_already_is_not_stored_again(memory, project, file):
    (project / "AGENTS.md").write_text(file)
    outcome = memory.extract([user(f"{TABS} {KAFKA}"), answer()], session="s1")
    assert summaries(memory) == ["We decided to use Kafka instead of RabbitMQ"]
    assert [(item.what, item.reason) for item in outcome.dropped] == [(TABS[:-1], "in_context")]


def test_a_context_file_that_says_more_or_less_does_not_stop_a_memory(memory, project):
    (project / "AGENTS.md").write_text(
        "- I prefer tabs over spaces in Go code on Fridays.\n- I prefer tabs.\n"
    )
    memory.extract([user(TABS), answer()], session="s1")
    assert summaries(memory) == [TABS[:-1]]


def test_what_is_worth_keeping_is_stored_by_kind_and_scope(memory):
    outcome = memory.extract([user(f"{TABS} {KAFKA}"), answer()], session="s1")
    assert isinstance(outcome, Extracted)
    assert [(p.kind, p.scope, p.action, p.turn) for p in outcome.patches] == [
        (Kind.FEEDBACK, Scope.USER, "added", "u1"), (Kind.PROJECT, Scope.PROJECT, "added", "u1"),
    ]  # fmt: skip
    assert outcome.touched_topics == (Kind.FEEDBACK, Kind.PROJECT)
    assert outcome.strategy == "heuristic"
    assert summaries(memory) == [
        "I prefer tabs over spaces in Go code", "We decided to use Kafka instead of RabbitMQ",
    ]  # fmt: skip
    (kafka,) = memory.store.topics(Scope.PROJECT)
    assert kafka.entries[0].why == "we need replay"


def test_the_journal_names_session_and_turn(memory):
    memory.extract([user(TABS, 1), answer(), user(KAFKA, 2), answer()], session="s1")
    runs = {run.turn: run for run in memory.log()}
    assert set(runs) == {"u1", "u2"}
    assert {(run.verb, run.session) for run in runs.values()} == {("extract", "s1")}
    (path,) = runs["u2"].paths
    assert {line.turn for line in memory.blame(path)} == {"u2"}


def test_nothing_is_read_twice(memory):
    messages = [user(TABS), answer()]
    memory.extract(messages, session="s1")
    again = memory.extract(messages, session="s1")
    assert again == Skipped(
        "no_new_messages", "everything in this conversation has been read before"
    )
    assert len(memory.log()) == 1


def test_saying_it_again_in_another_session_changes_nothing(memory):
    memory.extract([user(TABS)], session="s1")
    outcome = memory.extract([user("I prefer tabs over spaces in Go code!", 9)], session="s2")
    assert [patch.action for patch in outcome.patches] == ["known"]
    assert outcome.runs == ()
    assert outcome.status == "noop"


def test_a_different_fact_never_overwrites_the_first(memory):
    memory.extract([user("Remember that the mirrors hold 100 packages in Rome.")], session="s1")
    memory.extract([user("Remember that the mirrors hold 200 packages in Oslo.")], session="s2")
    assert len(summaries(memory)) == 2


def test_a_new_value_takes_the_place_of_the_old_one(memory):
    memory.extract([user("Remember that the API limit is 100 requests.")], session="s1")
    memory.extract([user("Remember that the API limit is 200 requests.")], session="s2")
    [entry] = [entry for topic in memory.store.topics() for entry in topic.entries]
    assert entry.summary == "The API limit is 200 requests"
    assert entry.why.endswith(": The API limit is 100 requests")


def test_what_was_forgotten_does_not_come_back_with_its_session(memory):
    memory.extract([user(TABS), answer()], session="s1")
    memory.extract([user("hello there", 5), answer()], session="s2")
    memory.forget("tabs over spaces in Go")
    assert summaries(memory) == []
    memory.extract([user(TABS), answer(), user("thanks", 2)], session="s1")
    assert summaries(memory) == []


@pytest.mark.parametrize("erase", [False, True])
def test_what_was_forgotten_does_not_come_back_with_any_reading(memory, erase):
    talk = [user("Remember that the vault is below the stairs."), answer()]
    memory.extract(talk, session="s1")
    gone = memory.forget("The vault is below the stairs", erase=erase)
    assert summaries(memory) == []
    again = memory.extract(talk, session="s2")
    assert summaries(memory) == []
    assert [item.reason for item in again.dropped] == ["forgotten"]
    assert "vault" not in str(again.dropped)
    memory.remember("The vault is below the stairs")
    assert summaries(memory) == ["The vault is below the stairs"]
    assert gone.run


def test_a_sentence_of_what_was_forgotten_does_not_come_back_alone(memory):
    memory.remember("The vault is below the stairs. The safe is behind the clock.")
    memory.forget("vault below the stairs")
    said = [user("Remember that the safe is behind the clock."), answer()]
    again = memory.extract(said, session="s2")
    assert [item.reason for item in again.dropped] == ["forgotten"]
    assert summaries(memory) == []


def test_what_was_forgotten_stays_so_however_much_was_written_since(memory, monkeypatch):
    monkeypatch.setattr("reverie.verbs.undone.LOOKED_AT", 3)
    memory.remember("The vault is below the stairs")
    memory.forget("vault below the stairs")
    for number in range(6):
        memory.remember(f"Shelf {number} holds {number} boxes of tea")
    memory.extract([user("Remember that the vault is below the stairs.")], session="s2")
    assert not [text for text in summaries(memory) if "vault" in text]


def test_what_is_said_after_it_was_forgotten_is_learned(memory):
    memory.extract([user("Remember that the vault is below the stairs."), answer()], session="s1")
    run = memory.forget("The vault is below the stairs").run
    later = (memory.clock() + timedelta(hours=1)).isoformat()
    said = {
        "role": "user",
        "content": "Remember that the vault is below the stairs.",
        "timestamp": later,
    }
    memory.extract([said], session="s2")
    assert summaries(memory) == ["The vault is below the stairs"]
    assert run


def test_a_forgetting_that_was_taken_back_bars_nothing(memory):
    talk = [user("Remember that the vault is below the stairs."), answer()]
    memory.extract(talk, session="s1")
    memory.undo(memory.forget("The vault is below the stairs").run)
    assert memory.extract(talk, session="s2").patches[0].action == "known"


def test_only_the_turn_in_which_the_agent_wrote_memory_is_skipped(memory):
    wrote = {
        "role": "assistant",
        "content": [{"type": "tool_use", "name": "Write",
                     "input": {"file_path": f"{memory.workspace.user_memory}/user/a.md"}}],
    }  # fmt: skip
    first = [user(TABS), wrote]
    assert memory.extract(first, session="s1").reason == "memory_tool"
    outcome = memory.extract([*first, user(KAFKA, 2), answer()], session="s1")
    assert [patch.turn for patch in outcome.patches] == ["u2"], "later turns are read again"


@pytest.mark.parametrize("setting", ["memory.enabled", "extract.enabled"])
def test_a_switch_turns_it_off(open_memory, setting):
    memory = open_memory(settings={setting: False})
    assert memory.extract([user(TABS)], session="s1").reason == "disabled"
    assert summaries(memory) == []


def test_a_slice_without_words_of_the_user_moves_the_cursor(memory):
    assert memory.extract([answer(TABS)], session="s1").reason == "no_user_text"
    assert cursor_of(memory)["processedOffset"] == 1


def test_long_conversations_are_read_in_slices(open_memory):
    memory = open_memory(settings={"extract.max_slice_messages": 2})
    messages = [user(TABS, 1), answer(), user(KAFKA, 2), answer()]
    first = memory.extract(messages, session="s1")
    assert (first.read_messages, first.remaining) == (2, 2)
    assert [patch.turn for patch in first.patches] == ["u1"]
    second = memory.extract(messages, session="s1")
    assert [patch.turn for patch in second.patches] == ["u2"]
    assert second.remaining == 0


def test_a_dry_run_stores_nothing_and_leaves_the_cursor(memory):
    outcome = memory.extract([user(TABS)], session="s1", dry_run=True)
    assert [patch.action for patch in outcome.patches] == ["added"]
    assert summaries(memory) == []
    assert not Path(memory.workspace.project_state, "extract-cursor.json").exists()


def test_a_truncated_cursor_heals_and_nothing_is_stored_twice(memory):
    messages = [user(TABS), answer()]
    memory.extract(messages, session="s1")
    path = Path(memory.workspace.project_state, "extract-cursor.json")
    path.write_text(path.read_text()[:20])
    outcome = memory.extract(messages, session="s1")
    assert [patch.action for patch in outcome.patches] == ["known"]
    assert cursor_of(memory)["processedOffset"] == 2
    assert len(summaries(memory)) == 1


def test_a_secret_is_left_out_and_the_rest_of_the_turn_is_kept(memory):
    secret = "AKIA" + "QWERTYUIOPASDFGH"
    text = f"Remember that my AWS key is {secret}. {TABS}"
    outcome = memory.extract([user(text)], session="s1")
    assert [patch.summary for patch in outcome.patches] == ["I prefer tabs over spaces in Go code"]
    (dropped,) = outcome.dropped
    assert dropped.reason.startswith("secret")
    assert secret not in f"{dropped.what} {dropped.reason}"


def test_two_statements_of_one_turn_that_say_the_same_become_one(memory):
    outcome = memory.extract(
        [user("Never mock the database in tests. Please never mock the database in tests!")],
        session="s1",
    )
    assert [item.reason for item in outcome.dropped] == ["duplicate"]
    assert len(summaries(memory)) == 1


class Moved(FileStore):
    """A store in which somebody else wrote just before the first apply."""

    def __init__(self, store, error, times):
        super().__init__(store.workspace, store.journal, settings=store.settings, clock=store.clock)
        self.error, self.times = error, times

    def apply(self, changes, run):
        if self.times:
            self.times -= 1
            raise self.error
        return super().apply(changes, run)


def test_a_stale_base_is_planned_again_once(memory):
    outcome = run_verb(memory, [user(TABS)], store=Moved(memory.store, StaleBase(), 1))
    assert [patch.action for patch in outcome.patches] == ["added"]


def test_when_storing_fails_the_cursor_stays(memory):
    store = Moved(memory.store, ReadOnly(), 1)
    with pytest.raises(ReadOnly):
        run_verb(memory, [user(TABS)], store=store)
    assert not Path(memory.workspace.project_state, "extract-cursor.json").exists()
    assert [p.action for p in run_verb(memory, [user(TABS)], store=store).patches] == ["added"]


def test_a_cancelled_extraction_writes_nothing(memory):
    assert memory.extract([user(TABS)], session="s1", cancelled=lambda: True).reason == "cancelled"
    assert summaries(memory) == []


def test_a_model_may_propose_and_the_filters_still_decide(memory):
    said = "I work as a nurse at night. Is it late?"
    memories = [
        {"kind": "user", "summary": "Works as a nurse at night", "turn": "u1",
         "quote": "I work as a nurse at night", "why": "", "how": ""},
        {"kind": "user", "summary": "Is it late at night?", "turn": "u1",
         "quote": "work as a nurse", "why": "", "how": ""},
    ]  # fmt: skip
    model = ScriptedModel({"memories": memories})
    outcome = run_verb(memory, [user(said)], model=model)
    assert outcome.strategy == "model"
    assert [patch.summary for patch in outcome.patches] == ["Works as a nurse at night"]
    assert [item.reason for item in outcome.dropped] == ["question"]
    assert outcome.usage.tokens_in == 100


def test_a_model_that_cannot_tell_leaves_it_to_the_rules(memory):
    outcome = run_verb(memory, [user(TABS)], model=ScriptedModel(ModelTimeout("too slow")))
    assert outcome.strategy == "heuristic"
    assert outcome.usage.fallback == "model_timeout"
    assert len(outcome.patches) == 1


def test_messages_may_come_in_our_own_shape(memory):
    outcome = memory.extract([Message("user", TABS, id="m7")], session="s1")
    assert [patch.turn for patch in outcome.patches] == ["m7"]


def test_meta_is_kept_as_the_document_says(memory):
    memory.extract([user(TABS)], session="s1")
    meta = json.loads(Path(memory.workspace.project_state, "meta.json").read_text())
    assert meta["lastExtractionSessionId"] == "s1"
    assert meta["lastExtractionTouchedTopics"] == ["feedback"]
    assert meta["lastExtractionStatus"] == "updated"
    assert meta["recentSessionIdsSinceDream"] == ["s1"]


def test_the_recalled_block_of_a_turn_is_never_learnt(memory):
    memory.extract([user(TABS)], session="s1")
    block = memory.recall("tabs or spaces in Go?").block
    assert "tabs" in block
    outcome = memory.extract([user(f"{block}\n\ntabs or spaces in Go?", 3)], session="s2")
    assert outcome.patches == ()


def test_the_outcome_of_a_run_can_be_undone(memory):
    outcome = memory.extract([user(TABS)], session="s1")
    memory.undo(outcome.runs[0])
    assert summaries(memory) == []


def test_the_tree_of_qwen_code_is_used_in_place(open_memory):
    memory = open_memory(dialect="qwen")
    state = Path(memory.workspace.project_state)
    state.mkdir(parents=True)
    (state / "meta.json").write_text('{"version": 1, "createdAt": "2026-01-01T00:00:00.000Z"}\n')
    theirs = {"sessionId": "s1", "processedOffset": 2, "updatedAt": "2026-01-01T00:00:00.000Z"}
    (state / "extract-cursor.json").write_text(json.dumps(theirs))
    messages = [user(TABS, 1), answer(), user(KAFKA, 2), answer()]
    outcome = memory.extract(messages, session="s1")
    assert [patch.turn for patch in outcome.patches] == ["u2"], "Qwen Code read the first two"
    assert {key: cursor_of(memory)[key] for key in theirs} == {
        "sessionId": "s1", "processedOffset": 4, "updatedAt": "2026-05-01T12:00:00.000Z",
    }  # fmt: skip
    meta = json.loads((state / "meta.json").read_text())
    assert meta["createdAt"] == "2026-01-01T00:00:00.000Z"
