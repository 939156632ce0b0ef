"""Working memory: one small edit at a time, bounded, nothing lost."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.layers import working
from reverie.core.layers.tree import WORKING, scaffold
from reverie.core.layers.working import CONTEXT, PRIORITIES, PROGRESS, TASKS, Operation, WorkingPlan
from reverie.errors import ContentTooLarge, InvalidContent, InvalidQuery
from reverie.types import Skipped

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
FRESH = scaffold("x", core_limit=6000, working_limit=8000)[WORKING]


def done(
    text: str, action: working.Action, heading: str, words: str, limit: int = 8000
) -> WorkingPlan:
    made = working.plan(text, Operation(action, heading, words), now=NOW, limit=limit)
    assert isinstance(made, WorkingPlan)
    return made


def items(text: str, heading: str) -> list[str]:
    return working.open_items(text)[heading]


def test_a_task_is_added_and_closed_and_becomes_progress() -> None:
    text = done(FRESH, "add", TASKS, "- write the release notes").text
    text = done(text, "add", TASKS, "fix the login").text

    closed = done(text, "close", TASKS, "release notes")

    assert items(closed.text, TASKS) == ["fix the login"]
    assert items(closed.text, PROGRESS) == ["2026-05-01: Done: write the release notes"]
    assert closed.item == "write the release notes"


def test_each_operation_is_a_small_change() -> None:
    text = done(FRESH, "add", TASKS, "one").text

    assert text == FRESH.replace("## Active Tasks\n\n- None", "## Active Tasks\n\n- one")
    assert done(text, "drop", TASKS, "1").text == FRESH


def test_the_newest_priority_stands_first_and_setting_it_again_moves_it_there() -> None:
    text = done(FRESH, "add", PRIORITIES, "ship").text
    text = done(text, "add", PRIORITIES, "test").text
    assert items(text, PRIORITIES) == ["test", "ship"]

    text = done(text, "add", PRIORITIES, "Ship.").text
    assert items(text, PRIORITIES) == ["Ship.", "test"]


def test_what_is_there_already_is_not_added_twice() -> None:
    text = done(FRESH, "add", TASKS, "one").text

    again = working.plan(text, Operation("add", TASKS, "One."), now=NOW, limit=8000)

    assert isinstance(again, Skipped)
    assert again.reason == "already_there"


@pytest.mark.parametrize(
    ("query", "found"),
    [("2", "修复登录"), ("#1", "fix the login page"), ("修复登录", "修复登录"),
     ("login", "fix the login page"), ("проверить сборку", "проверить сборку сегодня")],
)  # fmt: skip
def test_an_item_is_found_by_number_or_by_words(query: str, found: str) -> None:
    text = FRESH
    for words in ("fix the login page", "修复登录", "проверить сборку сегодня"):
        text = done(text, "add", TASKS, words).text

    assert done(text, "drop", TASKS, query).item == found


def test_an_unclear_or_unknown_item_changes_nothing() -> None:
    text = done(
        done(FRESH, "add", TASKS, "fix login page").text, "add", TASKS, "fix login test"
    ).text

    with pytest.raises(InvalidQuery, match=r"1\. fix login page; 2\. fix login test"):
        done(text, "close", TASKS, "fix login")
    with pytest.raises(InvalidQuery):
        done(text, "close", TASKS, " ")
    for query in ("deploy", "7"):
        nothing = working.plan(text, Operation("close", TASKS, query), now=NOW, limit=8000)
        assert isinstance(nothing, Skipped)
        assert nothing.reason == "no_match"


@pytest.mark.parametrize("words", ["", " - ", "none", "\n"])
def test_nothing_is_not_written_down(words: str) -> None:
    with pytest.raises(InvalidContent):
        done(FRESH, "add", TASKS, words)


def test_what_alone_would_fill_it_is_refused() -> None:
    with pytest.raises(ContentTooLarge):
        done(FRESH, "add", TASKS, "x" * 5000)


def test_over_the_bound_the_oldest_progress_moves_first_and_is_listed() -> None:
    text = FRESH
    for n in range(4):
        text = done(text, "add", PROGRESS, f"step {n} " + "x" * 40).text
    text = done(text, "add", CONTEXT, "y" * 60).text
    limit = working.size(text)
    text = text.replace("limit: 8000", f"limit: {limit}")

    made = done(text, "add", TASKS, "z" * 90)

    assert [item.text.split()[1:3] for item in made.moved] == [["step", "0"], ["step", "1"]]
    assert items(made.text, TASKS) == ["z" * 90]
    assert len(items(made.text, PROGRESS)) == 2
    assert made.over == 0
    assert working.size(made.text) <= limit


def test_of_the_priorities_the_last_one_leaves_and_the_first_stays() -> None:
    text = FRESH
    for words in ("ship it", "test it", "plan it"):
        text = done(text, "add", PRIORITIES, f"{words} {'x' * 40}").text
    text = text.replace("limit: 8000", f"limit: {working.size(text)}")

    made = done(text, "add", TASKS, "z" * 60)

    assert [(item.heading, item.text.split()[0]) for item in made.moved] == [
        (PRIORITIES, "ship"),
        (PRIORITIES, "test"),
    ]
    assert [item.split()[0] for item in items(made.text, PRIORITIES)] == ["plan"]


def test_what_matters_least_gives_way_first() -> None:
    text = FRESH
    for heading in working.WORKING_HEADINGS:
        text = done(text, "add", heading, f"{heading} {'x' * 40}").text

    _, moved, over = working.fit(text.replace("limit: 8000", "limit: 1"), limit=1)

    assert [item.heading for item in moved] == [
        PROGRESS, CONTEXT, working.CHECKS, working.THREADS, TASKS, PRIORITIES,
    ]  # fmt: skip
    assert over > 0


def test_what_cannot_be_moved_is_said() -> None:
    text = "Prose that is nobody's list. " * 20

    made = done(text, "add", TASKS, "a task", limit=200)

    assert items(made.text, TASKS) == ["a task"]
    assert made.over == working.size(made.text) - 200


def test_the_archive_keeps_what_moved_with_its_day_and_heading() -> None:
    moved = [working.Moved(PROGRESS, "did it\nin two lines"), working.Moved(TASKS, "later")]

    text = working.archived(None, moved, now=NOW)
    again = working.archived(text, [*moved, working.Moved(TASKS, "more")], now=NOW)

    assert working.archive_path(NOW) == "working/archive/2026-05.md"
    assert text == (
        "# Archive of working memory, 2026-05\n\n"
        "- 2026-05-01, Recent Progress: did it\n  in two lines\n"
        "- 2026-05-01, Active Tasks: later\n"
    )
    assert again == text + "- 2026-05-01, Active Tasks: more\n"


@pytest.mark.parametrize(
    ("name", "heading"),
    [("tasks", TASKS), ("Task", TASKS), ("priority", PRIORITIES), ("recent progress", PROGRESS),
     ("context", CONTEXT), ("threads", working.THREADS), ("check", working.CHECKS)],
)  # fmt: skip
def test_headings_are_named_as_people_name_them(name: str, heading: str) -> None:
    assert working.heading_named(name) == heading


def test_an_unknown_heading_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidQuery, match="Open Threads"):
        working.heading_named("wishes")


operations = st.lists(
    st.tuples(
        st.sampled_from(working.WORKING_HEADINGS),
        st.text(min_size=1, max_size=60).filter(
            lambda text: working.clean_item(text).casefold() not in ("", "none")
        ),
    ),
    min_size=1,
    max_size=12,
)


@given(operations, st.integers(150, 600))
def test_within_any_bound_nothing_is_ever_lost(steps: list[tuple[str, str]], limit: int) -> None:
    text = FRESH.replace("limit: 8000", f"limit: {limit}")
    written: list[str] = []
    gone: list[str] = []
    for heading, words in steps:
        made = working.plan(text, Operation("add", heading, words), now=NOW, limit=limit)
        if isinstance(made, Skipped):
            continue
        text = made.text
        written.append(" ".join(made.item.split()))
        gone += [" ".join(item.text.split()) for item in made.moved]
        assert working.size(text) <= limit or made.over
    left = [item for found in working.open_items(text).values() for item in found]
    assert set(written) <= {*left, *gone}
