"""How a memory grew, counted backwards from what is there."""

from __future__ import annotations

from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.runs.growth import growth
from reverie.types import Scope

TODAY = date(2026, 5, 10)


def at(day: int) -> datetime:
    return datetime(2026, 5, day, 12, tzinfo=UTC)


def run(day: int, *paths: str, scope: Scope = Scope.PROJECT):
    return at(day), [(path, scope) for path in paths]


def shown(points):
    return [(point.day[-2:], point.user, point.project) for point in points]


def test_nothing_is_a_line_at_zero():
    assert shown(growth([], {}, today=TODAY)) == [("10", 0, 0)]


def test_a_topic_came_with_its_first_run_and_stays_through_later_ones():
    runs = [run(1, "a"), run(3, "b"), run(5, "a")]
    present = {"a": (Scope.PROJECT, at(5)), "b": (Scope.PROJECT, at(3))}
    assert shown(growth(runs, present, today=TODAY)) == [("01", 0, 1), ("03", 0, 2), ("10", 0, 2)]


def test_one_that_is_gone_was_there_from_its_first_to_its_last_run():
    runs = [run(1, "a", scope=Scope.USER), run(4, "a", scope=Scope.USER)]
    assert shown(growth(runs, {}, today=TODAY)) == [("01", 1, 0), ("04", 0, 0), ("10", 0, 0)]


def test_what_a_single_run_removed_was_there_before():
    assert shown(growth([run(4, "a")], {}, today=TODAY)) == [("04", 0, 0), ("10", 0, 0)]


def test_files_written_by_hand_count_from_when_their_text_came_to_be():
    present = {"a": (Scope.USER, at(2)), "b": (Scope.USER, None)}
    assert shown(growth([], present, today=TODAY)) == [("02", 1, 0), ("10", 2, 0)]


@given(
    st.lists(st.tuples(st.integers(1, 20), st.lists(st.sampled_from("abcd"), max_size=3))),
    st.sets(st.sampled_from("abcdef")),
)
def test_the_last_number_is_what_is_there_and_none_is_negative(days, names):
    runs = [run(day, *paths) for day, paths in sorted(days)]
    present = dict.fromkeys(names, (Scope.PROJECT, None))
    points = growth(runs, present, today=TODAY)
    assert points[-1].project == len(present)
    assert all(point.user >= 0 and point.project >= 0 for point in points)
    assert [point.day for point in points] == sorted({point.day for point in points})
