"""Lists under headings: added to and taken from without touching anything else."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reverie.core.markdown.bullets import (
    add_bullet,
    bullets,
    clean_item,
    remove_bullet,
    replace_bullet,
    section_of,
)

FILE = (
    "# Title\n\nIntro.\n\n## Tasks\n\n- one\n- two\n  more of two\n\nProse.\n\n## Notes\n\n- None\n"
)


def words(text: str, heading: str) -> list[str]:
    return [item.line for item in bullets(text, heading)]


def test_items_are_read_with_what_is_indented_under_them() -> None:
    assert words(FILE, "Tasks") == ["one", "two more of two"]
    assert words(FILE, "tasks:") == ["one", "two more of two"]
    assert words(FILE, "Notes") == []
    assert words(FILE, "Elsewhere") == []


def test_an_item_goes_to_the_end_of_the_list_or_first() -> None:
    assert "more of two\n- three\n\nProse." in add_bullet(FILE, "Tasks", "three")
    assert "## Tasks\n\n- zero\n- one\n" in add_bullet(FILE, "Tasks", "zero", first=True)


def test_the_first_item_takes_the_place_of_the_placeholder_and_the_last_leaves_it() -> None:
    added = add_bullet(FILE, "Notes", "a note")
    assert added == FILE.replace("- None", "- a note")
    assert remove_bullet(added, "Notes", bullets(added, "Notes")[0]) == FILE


def test_taking_an_item_out_keeps_its_neighbours() -> None:
    assert remove_bullet(FILE, "Tasks", bullets(FILE, "Tasks")[0]) == FILE.replace("- one\n", "")
    loose = "## A\n\n- a\n\n- b\n\n- c\n"
    assert remove_bullet(loose, "A", bullets(loose, "A")[1]) == "## A\n\n- a\n\n- c\n"


def test_a_missing_heading_is_made_where_it_belongs() -> None:
    order = ("Tasks", "Threads", "Notes")

    made = add_bullet(FILE, "Threads", "x", order=order)
    assert made.index("## Tasks") < made.index("## Threads\n\n- x\n\n## Notes")
    assert made.replace("## Threads\n\n- x\n\n", "") == FILE
    assert add_bullet("text", "Threads", "x", order=order) == "text\n\n## Threads\n\n- x\n"
    assert add_bullet("", "Threads", "x") == "## Threads\n\n- x\n"


def test_a_section_of_prose_gets_a_list_below_it() -> None:
    assert add_bullet("## A\nprose\n\n## B\n", "A", "x") == "## A\nprose\n\n- x\n\n## B\n"


def test_several_lines_stay_one_item() -> None:
    made = add_bullet(FILE, "Tasks", clean_item("first\n\n# not a heading\n- not an item"))

    assert words(made, "Tasks")[-1] == "first # not a heading - not an item"
    assert section_of(made, "not a heading") is None


def test_headings_and_lists_in_code_are_none() -> None:
    text = "```\n## Tasks\n- a\n```\n\n## Tasks\n\n```\n- b\n```\n\n- c\n<!-- - d -->\n* * *\n"

    assert words(text, "Tasks") == ["c"]


def test_a_sub_heading_begins_something_of_its_own() -> None:
    text = "## Tasks\n\n- a\n\n### Later\n\n- b\n"

    assert words(text, "Tasks") == ["a"]
    assert add_bullet(text, "Tasks", "x") == "## Tasks\n\n- a\n- x\n\n### Later\n\n- b\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## A\r\n\r\n- a\r\n", "## A\r\n\r\n- a\r\n- x\r\n"),
        ("\ufeff## A\n- a", "\ufeff## A\n- a\n- x"),
        ("## A\n* a\n", "## A\n* a\n* x\n"),
        ("## A\n1. a\n", "## A\n1. a\n- x\n"),
        ("A\n=\n- a\n", "A\n=\n- a\n- x\n"),
        ("## A\n  - a\n", "## A\n  - a\n  - x\n"),
        ("## A", "## A\n\n- x"),
        ("## A\n- None", "## A\n- x"),
        ("## A\n- a\n\n```\nopen", "## A\n- a\n- x\n\n```\nopen"),
    ],
)
def test_a_file_keeps_its_habits(text: str, expected: str) -> None:
    assert add_bullet(text, "A", "x") == expected


@pytest.mark.parametrize(
    ("given_text", "cleaned"),
    [
        ("  - - ship it. ", "ship it."),
        ("* ship\r\nit", "ship\nit"),
        ("a\u2028b\x00", "a\nb"),
        ("1. first", "1. first"),
        ("-5 degrees", "5 degrees"),
        ("完成任务", "完成任务"),
        ("\n \n", ""),
    ],
)
def test_items_are_cleaned(given_text: str, cleaned: str) -> None:
    assert clean_item(given_text) == cleaned


lines = st.sampled_from(
    ["## A", "## B", "### C", "# A", "- one", "- None", "* two", "- four\n  under", "1. three",
     "", "", "prose", "```", "~~~",
     "    code", "<!-- x", "-->", "> quote", "---", "===", "- - -", "<div>", "| a | b |",
     "\t- tab", "- \\<b>", "- <!-- y -->"]
)  # fmt: skip
files = st.builds(
    lambda before, after, end, last, bom: bom + end.join([*before, *after]) + (end if last else ""),
    st.lists(lines, max_size=3),
    st.lists(lines, max_size=8).map(lambda some: ["## A", "- zero", *some]) | st.lists(lines, max_size=8),
    st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from(["", "\ufeff"]),
)  # fmt: skip
items = (
    st.sampled_from(
        [
            "x",
            "a\nb",
            "<pre>",
            "\\<x",
            "```\ncode",
            "# h",
            "1. n",
            "<!-- open",
            "> q",
            "a\n\n\nb",
            "日本語",
            "---",
        ]
    )
    | st.text(max_size=30)
).map(clean_item)


def common(one: str, two: str) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b),
        min(len(one), len(two)),
    )


@given(files, items, st.booleans())
def test_adding_an_item_changes_nothing_else(text: str, item: str, first: bool) -> None:
    assume(item and item.casefold() != "none")
    before = words(text, "A")
    others = {name: words(text, name) for name in ("B", "C")}

    made = add_bullet(text, "A", item, first=first)

    shown = " ".join(item.split())
    after = words(made, "A")
    assert sorted(after) == sorted([*before, shown])
    assert (after[0] if first else after[-1]) == shown
    assert {name: words(made, name) for name in ("B", "C")} == others
    head = common(text, made)
    tail = common(text[head:][::-1], made[head:][::-1])
    assert text[head : len(text) - tail].strip() in "- None"  # only the placeholder goes


@given(files, st.integers(0, 5))
def test_removing_an_item_keeps_every_other_one(text: str, place: int) -> None:
    there = bullets(text, "A")
    assume(there)
    gone = there[place % len(there)]

    made = remove_bullet(text, "A", gone)

    left = [item.line for item in there if item is not gone]
    assert words(made, "A") == left
    assert words(made, "B") == words(text, "B")


@given(files, items)
def test_other_words_take_the_place_of_an_item(text: str, item: str) -> None:
    assume(item and item.casefold() != "none")
    there = bullets(text, "A")
    assume(there)

    made = replace_bullet(text, there[0], item)

    assert words(made, "A") == [" ".join(item.split()), *(it.line for it in there[1:])]
