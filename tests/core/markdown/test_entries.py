"""Entries: what is one remembered thing, in every form people and models write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.markdown.entries import read_entries, split_fields

LINES = st.lists(
    st.sampled_from(
        [
            "", "plain line", "- item", "  - nested", "* star", "1. one", "# heading", "Why: because",
            "**Why:** because", "  **How to apply**: so", "- How to apply: so", "```", "~~~", "---", "===",
            "Rules:", "<!-- note", "-->", "<!-- c -->", "    code", "为什么：因为", "_No entries yet._",
            "\t- tab",
            "> quote", "| a | b |", "***", "項目：", "Why:", "\u2028", "`x`",
        ]
    ),
    max_size=25,
)  # fmt: skip
BODIES = st.tuples(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda t: t[1].join(t[0]) + (t[1] if t[2] else "")
)


def parts(text: str) -> list[tuple[str, str, str]]:
    return [(entry.summary, entry.why, entry.how) for entry in read_entries(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Use tabs\n\nWhy: habit\nHow to apply: in Python\n",
        "Use tabs\nWhy: habit\n\nHow to apply: in Python\n",
        "Use tabs\n\n**Why:** habit\n\n**How to apply:** in Python\n",
        "Use tabs\n\n**Why**: habit\n**How to apply**: in Python\n",
        "Use tabs\n\n_Why:_ habit\n*How to apply:* in Python\n",
        "- Use tabs\n  Why: habit\n  How to apply: in Python\n",
        "- Use tabs\n  - **Why:** habit\n  - **How to apply:** in Python\n",
        "* Use tabs\n    - Why: habit\n    - How_to_apply: in Python\n",
        "- Use tabs\n- Why: habit\n- How to apply: in Python\n",
        "1. Use tabs\n   WHY: habit\n   how to apply：in Python\n",
        "Use tabs\n\nWhy:\nhabit\n\nHow to apply:\n\nin Python\n",
        "# Style\n\nUse tabs\n\n<!-- by hand -->\nWhy: habit\nHow to apply: in Python",
        "Use tabs\n\n为什么：habit\n如何应用：in Python\n",
        "Use tabs\n\nПочему: habit\nКак применять: in Python\n",
        "Use\ntabs\n\nPourquoi : habit\nComment appliquer : in\nPython\n",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_reasons_and_uses_are_found_in_every_form(text: str, end: str) -> None:
    assert parts(text.replace("\n", end)) == [("Use tabs", "habit", "in Python")]


def test_items_and_paragraphs_are_entries_and_structure_is_not() -> None:
    text = (
        "# Head\n\nFor commits:\n- small\n- signed\n  with a key\n\nA paragraph\nof two lines.\n\n"
        "Another one.\n---\nTitle\n=====\nlast\n"
    )
    assert [entry.summary for entry in read_entries(text)] == [
        "small", "signed with a key", "A paragraph of two lines.", "Another one.", "last",
    ]  # fmt: skip


def test_code_under_an_entry_belongs_to_it_and_is_never_read_as_entries() -> None:
    text = "Run it so\n\n```sh\n- not an item\n\nWhy: not a reason\n```\n\n- next\n"
    found = read_entries(text)
    assert [entry.why for entry in found] == ["", ""]
    assert text[found[0].span.start : found[0].span.end].endswith("```\n")
    assert found[1].summary == "next"


def test_a_list_under_how_to_apply_belongs_to_it() -> None:
    assert parts("Do it\n\n**How to apply:**\n- here\n- there\n") == [
        ("Do it", "", "- here - there")
    ]


def test_a_reason_with_nothing_before_it_is_an_entry_of_its_own() -> None:
    assert parts("Why: because\n") == [("Why: because", "", "")]


@given(BODIES)
def test_entries_are_whole_lines_in_order_and_never_overlap(text: str) -> None:
    at = 0
    for entry in read_entries(text):
        assert at <= entry.span.start < entry.span.end <= len(text)
        assert entry.span.start == 0 or text[entry.span.start - 1] == "\n"
        assert entry.span.end == len(text) or text[entry.span.end - 1] == "\n"
        for part in (entry.summary_span, entry.why_span, entry.how_span):
            if part:
                assert entry.span.start <= part.start <= part.end <= entry.span.end
        at = entry.span.end


@given(BODIES)
def test_the_line_ends_make_no_difference(text: str) -> None:
    assert parts(text.replace("\r\n", "\n")) == parts(
        text.replace("\r\n", "\n").replace("\n", "\r\n")
    )


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    read_entries(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use tabs", ("Use tabs", "", "")),
        ("Use tabs. Why: habit. How to apply: Python.", ("Use tabs.", "habit.", "Python.")),
        ("用制表符。原因：习惯。如何应用：Python", ("用制表符。", "习惯。", "Python")),
        ("a\n  b\n\nWhy: c\nd\n\ne", ("a\n  b\n\n\ne", "c\nd", "")),
        ("Why: it is the title", ("Why: it is the title", "", "")),
        ("the reason: x", ("the reason: x", "", "")),
    ],
)
def test_labels_in_a_given_text_are_taken_out(text: str, expected: tuple[str, str, str]) -> None:
    assert split_fields(text) == expected
