"""Taking items out of a list that others write to as well."""

from __future__ import annotations

import pytest

from reverie.core.runs.list_items import out_of_list


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("before", "after", "now", "kept"),
    [
        ("", "- mine\n", "- mine\n- theirs\n", "- theirs\n"),
        ("", "- mine\n", "- theirs\n- mine\n", "- theirs\n"),
        ("", "- mine\n", "- a\n- mine\n- b\n", "- a\n- b\n"),
        ("", "1. mine\n", "1. mine\n2) theirs\n", "2) theirs\n"),
        ("- old\n", "- old\n- mine\n", "- mine\n- theirs\n", "- theirs\n"),
        ("", "- mine\n  with more\n", "- mine\n  with more\n- b\n  c\n", "- b\n  c\n"),
        ("- same\n", "- same\n- same\n", "- same\n- same\n- b\n", "- same\n- b\n"),
    ],
)
def test_an_item_goes_and_its_neighbours_stay(before, after, now, kept):
    assert out_of_list(lines(after), lines(now), lines(before)) == lines(kept)


@pytest.mark.parametrize(
    ("before", "after", "now"),
    [
        ("", "- mine\n", "- mine, changed\n"),
        ("", "- mine\n", "- mine\n  Why: because\n"),
        ("", "- mine\n", "- mine\nWhy: because\n"),
        ("", "## Heading\n- mine\n", "## Heading\n- mine\n- theirs\n"),
        ("- old\n", "- new\n", "- new\n- theirs\n"),
        ("", "  hanging\n", "  hanging\n- b\n"),
    ],
)
def test_what_may_belong_together_is_left_to_the_person(before, after, now):
    assert out_of_list(lines(after), lines(now), lines(before)) is None
