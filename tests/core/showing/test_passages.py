"""A passage is shown once: without the head that says the same, or a title that a line begins with."""

from __future__ import annotations

import pytest

from reverie.core.showing.passages import shown_once, without_head

HEAD = "---\nname: We use tabs\ndescription: We use tabs\ntype: project\n---\n"


@pytest.mark.parametrize(
    ("title", "text", "shown"),
    [
        ("We use tabs", f"{HEAD}\nWe use tabs\n", ("", "We use tabs")),
        (
            "We use tabs",
            f"{HEAD}\n# we  use tabs\n\nSince May.\n",
            ("", "# we  use tabs\n\nSince May."),
        ),
        ("Rates", f"{HEAD}\nAn authority says so.\n", ("Rates", "An authority says so.")),
        ("Limits", "The limit is 300.", ("Limits", "The limit is 300.")),
        ("", "The limit is 300.", ("", "The limit is 300.")),
    ],
)
def test_a_title_is_shown_where_no_line_says_it(title, text, shown):
    assert shown_once(title, text) == shown


def test_a_head_with_nothing_behind_it_is_shown():
    assert without_head(HEAD) == HEAD
