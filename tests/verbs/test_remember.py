"""Remember, over the real store."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.errors import (
    ContentTooLarge,
    InvalidContent,
    InvalidInput,
    MemoryUnavailable,
    SecretRefused,
)
from reverie.memory import Memory
from reverie.types import Applied, Change, Kind, RunInfo, Scope
from reverie.verbs.remember import remember
from tests.verb_contexts import context_of


def test_a_memory_is_written_catalogued_and_undoable(memory: Memory) -> None:
    outcome = memory.remember("I prefer tabs over spaces. Why: habit")
    assert (outcome.action, outcome.kind, outcome.scope) == ("added", Kind.USER, Scope.USER)
    assert outcome.files_touched == (outcome.path,)
    assert outcome.touched_scopes == (Scope.USER,)
    assert outcome.strategy == "heuristic"
    catalog = Path(memory.workspace.user_memory, "MEMORY.md")
    assert catalog.read_text() == (
        "- [I prefer tabs over spaces](user/i-prefer-tabs-over-spaces.md) — I prefer tabs over spaces.\n"
    )
    memory.undo(outcome.run)
    assert memory.store.topics() == []
    assert catalog.read_text() == ""


def test_saying_it_again_changes_nothing(memory: Memory) -> None:
    memory.remember("I prefer tabs")
    again = memory.remember("i prefer TABS.")
    assert (again.action, again.run, again.files_touched) == ("known", "", ())
    assert len(memory.store.topics()) == 1


def test_saying_more_leaves_what_was_said_before(memory: Memory) -> None:
    first = memory.remember("I prefer tabs")
    more = memory.remember("I prefer tabs in Python files")
    assert (more.action, more.similar) == ("added", (first.entry,))
    assert first.entry in more.summary
    assert {topic.entries[0].summary for topic in memory.store.topics()} == {
        "I prefer tabs",
        "I prefer tabs in Python files",
    }


def test_what_changed_is_shown_and_the_past_keeps_its_date(memory: Memory) -> None:
    memory.remember("I live in Paris")
    moved = memory.remember("I now live in Lyon")
    assert (moved.action, moved.replaced) == ("superseded", "I live in Paris")
    [topic] = memory.store.topics()
    assert topic.name == "I now live in Lyon"
    shown = memory.recall("where do I live?").block
    assert "Lyon" in shown
    assert "Paris" not in shown, "the past is for who asks about it"
    shown = memory.recall("where did I live before?").block
    assert shown.index("Lyon") < shown.index("Until ")
    assert memory.undo(moved.run)
    assert memory.store.topics()[0].entries[0].summary == "I live in Paris"


def test_search_shows_what_holds_and_the_past_to_who_asks_about_it(memory: Memory) -> None:
    memory.remember("I live in Paris")
    memory.remember("I now live in Lyon")

    def shown(query: str) -> str:
        return "\n".join(hit.text for hit in memory.search(query).results)

    assert "Lyon" in shown("where do I live")
    assert "Paris" not in shown("where do I live")
    assert "Until " in shown("where did I live before")
    assert "Paris" in shown("where did I live before")
    assert shown("Paris").index("Until ") < shown("Paris").index("in Paris"), (
        "it says that it is past"
    )


def test_a_change_goes_where_the_old_statement_is(memory: Memory) -> None:
    memory.remember("I live in Leeds.")
    moved = memory.remember("We moved to Bristol last weekend.")
    assert (moved.action, moved.replaced) == ("superseded", "I live in Leeds")
    assert moved.scope is Scope.USER
    memory.remember("The gateway is owned by team Red.")
    ours = memory.remember("I sold the Civic.", scope="project")
    assert ours.action == "added"


def test_a_change_with_no_word_in_common_is_found_among_many(memory: Memory) -> None:
    memory.remember("I work at Nokia.")
    for number in range(40):
        memory.remember(f"The new service {number} at Ericsson got port {number}.", clean=True)
    done = memory.remember("I got a new job at Ericsson.")
    assert (done.action, done.replaced) == ("superseded", "I work at Nokia")


def test_a_person_says_what_is_outdated(memory: Memory) -> None:
    first = memory.remember("Standup is at nine")
    done = memory.remember("We have no standup", replaces=first.entry)
    assert (done.action, done.path) == ("superseded", first.path)


def test_another_fact_gets_a_place_of_its_own(memory: Memory) -> None:
    memory.remember("We deploy only on Tuesdays")
    other = memory.remember("We deploy only on Fridays")
    assert other.action == "added"
    assert other.similar == ("project/we-deploy-only-on-tuesdays.md",)
    assert {topic.entries[0].summary for topic in memory.store.topics()} == {
        "We deploy only on Tuesdays",
        "We deploy only on Fridays",
    }


def test_a_file_that_is_no_topic_is_never_overwritten(memory: Memory) -> None:
    taken = Path(memory.workspace.user_memory, "user", "i-like-tea.md")
    taken.parent.mkdir(parents=True)
    taken.write_text("my own notes\n")
    outcome = memory.remember("I like tea")
    assert outcome.path.endswith("user/i-like-tea-2.md")
    assert taken.read_text() == "my own notes\n"


def test_a_dry_run_shows_the_file_and_writes_nothing(memory: Memory) -> None:
    outcome = memory.remember("I like tea", dry_run=True)
    assert outcome.delta is not None
    assert "I like tea" in (outcome.delta.after or "")
    assert (outcome.run, memory.store.topics()) == ("", [])
    assert not Path(outcome.path).exists()


def test_the_words_of_a_recalled_block_are_not_remembered_again(memory: Memory) -> None:
    memory.remember("I like green tea")
    block = memory.recall("green tea").block
    with pytest.raises(InvalidContent):
        memory.remember(block)
    outcome = memory.remember(f"{block}I also like coffee", kind=Kind.USER)
    assert "green" not in (outcome.delta.after if outcome.delta and outcome.delta.after else "")


@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_nothing_to_remember_is_an_error(memory: Memory, text: str) -> None:
    with pytest.raises(InvalidContent):
        memory.remember(text)


def test_a_text_over_the_limit_is_refused_and_one_at_the_limit_is_not(memory: Memory) -> None:
    with pytest.raises(ContentTooLarge):
        memory.remember("x" * 65_537)
    assert memory.remember("x " * 32_768, kind=Kind.USER).action == "added"


def test_a_secret_is_refused_and_nothing_is_written(memory: Memory) -> None:
    with pytest.raises(SecretRefused):
        memory.remember("my token is ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a")
    assert memory.store.topics() == []


def test_memory_that_is_switched_off_says_so(open_memory) -> None:
    memory = open_memory(settings={"memory.enabled": False})
    with pytest.raises(MemoryUnavailable):
        memory.remember("I like tea")


class _Racing:
    """A store in which somebody else writes between reading and writing, once."""

    def __init__(self, memory: Memory) -> None:
        self._store = memory.store
        self._other = memory
        self.races = 1

    def topics(self, scope: Scope | None = None):
        return self._store.topics(scope)

    def read(self, path: str) -> str | None:
        return self._store.read(path)

    def writing(self, purpose: str):
        return self._store.writing(purpose)

    def apply(self, changes: list[Change], run: RunInfo) -> Applied:
        if self.races:
            self.races -= 1
            path = Path(changes[0].path)
            path.write_text(path.read_text() + "\n- I like cats\n")
        return self._store.apply(changes, run)


def test_if_somebody_writes_meanwhile_it_is_planned_again(memory: Memory) -> None:
    path = Path(memory.remember("I like tea").path)
    outcome = remember(context_of(memory, store=_Racing(memory)), "I like tea. Why: it is warm")
    assert outcome.action == "known"
    assert "Why: it is warm" in path.read_text()
    assert "I like cats" in path.read_text()


def test_several_interruptions_reach_nobody(memory: Memory) -> None:
    path = Path(memory.remember("I like tea").path)
    store = _Racing(memory)
    store.races = 4
    remember(context_of(memory, store=store), "I like tea. Why: it is warm")
    assert "Why: it is warm" in path.read_text()
    assert path.read_text().count("I like cats") == 4


# --- update ---------------------------------------------------------------------------------------


def test_an_update_takes_the_place_of_the_entry_it_names(memory):
    made = memory.remember("The team meets in the blue room", scope="user")
    done = memory.update(made.entry, "Meetings are held on the roof terrace", why="more air")
    assert (done.action, done.replaced) == ("superseded", "The team meets in the blue room")
    [topic] = memory.store.topics()
    assert topic.name == "Meetings are held on the roof terrace"
    assert topic.description == "Meetings are held on the roof terrace"
    [entry] = topic.entries
    assert entry.summary == "Meetings are held on the roof terrace"
    assert entry.why.startswith("more air; Until ")
    assert "The team meets in the blue room" in entry.why


def test_an_update_that_says_the_same_changes_nothing(memory):
    made = memory.remember("The team meets in the blue room", scope="user")
    done = memory.update(made.entry, "the team meets in the blue room!")
    assert (done.action, done.run) == ("known", "")


def test_a_title_of_several_entries_tells_nothing_that_was_updated(memory):
    made = memory.remember("- Anna leads the harbour crew\n- Tea is at five", scope="user")
    memory.update(f"{made.entry}:1", "Bert leads the harbour crew")
    [topic] = memory.store.topics()
    assert "Anna" not in topic.name
    assert "Anna" not in topic.description
    assert [entry.summary for entry in topic.entries] == [
        "Bert leads the harbour crew",
        "Tea is at five",
    ]


def test_an_id_that_both_scopes_have_must_say_whose(memory):
    for scope in ("user", "project"):
        memory.remember("Tea is at five", scope=scope, kind="feedback")
    with pytest.raises(InvalidInput, match="user:feedback/tea-is-at-five"):
        memory.update("feedback/tea-is-at-five.md", "Tea is at six")
    done = memory.update("project:feedback/tea-is-at-five.md", "Tea is at six")
    assert done.scope is Scope.PROJECT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I am vegetarian.", "I am no longer vegetarian."),
        ("We support Python 3.9.", "We dropped support for Python 3.9."),
    ],
)
def test_a_title_never_says_what_does_not_hold_any_more(memory: Memory, old: str, new: str) -> None:
    memory.remember(old)
    assert memory.remember(new).action == "superseded"
    [topic] = memory.store.topics()
    assert topic.name == new.rstrip(".")
