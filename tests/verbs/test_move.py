"""Move: a memory in the other scope, with everything that belongs to it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reverie.errors import InvalidInput, TopicNotFound
from reverie.memory import Memory
from reverie.types import Kind, Scope, Skipped
from tests.conftest import NO_MODEL

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    project = tmp_path / "project"
    project.mkdir()
    times = iter(NOW + timedelta(days=day) for day in range(1000))
    with Memory.open(
        project, home=tmp_path / "home", env=NO_MODEL, clock=lambda: next(times)
    ) as opened:
        yield opened


def test_a_memory_moves_with_its_reason_its_dates_and_its_history(memory):
    memory.remember("Tests run on port 8000", scope="project", why="8080 is taken", how="make test")
    made = memory.remember("Tests now run on port 9000", scope="project")
    assert made.action == "superseded"
    [before] = memory.store.topics()
    moved = memory.move(made.entry, to="user")
    [after] = memory.store.topics()
    assert (after.scope, after.kind, after.updated) == (Scope.USER, Kind.USER, before.updated)
    assert after.name == before.name
    assert [(e.summary, e.why, e.how) for e in after.entries] == [
        (e.summary, e.why, e.how) for e in before.entries
    ]
    assert moved.entry == after.rel == before.rel.replace("project/", "user/")
    verbs = [run.verb for run in memory.topic_history(after)]
    assert verbs == ["move", "remember", "remember"]
    assert memory.verify().problems == ()
    memory.undo(moved.run)
    assert [(item.rel, item.text) for item in memory.store.topics()] == [(before.rel, before.text)]


def test_each_entry_keeps_the_day_on_which_it_came_to_be(memory):
    from reverie.verbs.dream import entry_dates

    made = memory.remember("- Tea at five\n- Coffee at nine", scope="user", kind="feedback")
    [before] = memory.store.topics()
    days = [entry_dates(memory.verb_context)(before, at) for at in range(2)]
    memory.move(made.entry, to=Scope.PROJECT)
    [after] = memory.store.topics()
    assert after.rel == before.rel, "a kind that belongs to both stays"
    assert [entry_dates(memory.verb_context)(after, at) for at in range(2)] == days


def test_a_name_that_is_taken_there_is_not_taken_twice(memory):
    memory.remember("Tea at five", scope="user", kind="user")
    mine = memory.remember("Tea at five", scope="project", kind="project")
    moved = memory.move(f"project:{mine.entry}", to="user")
    assert moved.entry == "user/tea-at-five-2.md"
    assert len(memory.store.topics()) == 2


def test_links_name_a_memory_as_it_is_called_now(memory):
    made = memory.remember("The parser lives in src", scope="project", kind="project")
    memory.remember(f"Read [[{made.entry}]] first", scope="project", name="pointer")
    moved = memory.move(made.entry, to="user")
    texts = [item.text for item in memory.store.topics(Scope.PROJECT)]
    assert [f"[[{moved.entry}]]" in text for text in texts] == [True]


def test_what_is_there_already_stays_and_what_is_not_known_is_told(memory):
    made = memory.remember("- Tea at five\n- Coffee at nine", scope="user")
    same = memory.move(made.entry, to="user")
    assert isinstance(same, Skipped)
    assert same.reason == "unchanged"
    with pytest.raises(InvalidInput, match="a file moves as a whole"):
        memory.move(f"{made.entry}:1", to="project")
    with pytest.raises(TopicNotFound):
        memory.move("user/nobody.md", to="project")


def test_a_dry_run_moves_nothing(memory):
    made = memory.remember("Tea at five", scope="user")
    shown = memory.move(made.entry, to="project", dry_run=True)
    assert shown.run == ""
    assert shown.summary.startswith("Would move")
    assert [item.scope for item in memory.store.topics()] == [Scope.USER]
