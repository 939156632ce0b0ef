"""Sections, and facts added to them: nothing else in the file may change."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reverie.core.markdown.sections import (
    append_fact,
    clean_fact,
    find_section,
    headings,
    list_items,
    same_fact,
)
from tests.core.markdown.test_lines import LINES

HEADER = "## Added Memories"
PARSER = MarkdownIt("commonmark")

MARKDOWN = st.lists(
    st.sampled_from([*LINES, HEADER, "- A", "- B", "", "", "## Next"]), max_size=12
).flatmap(
    lambda lines: st.tuples(
        st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n", "\n\n", "  \n", "\n\n\n"])
    ).map(lambda ends: ends[0].join(lines) + ends[1])
)
ANY_TEXT = st.one_of(MARKDOWN, st.text(max_size=200), MARKDOWN.map(lambda text: "\ufeff" + text))
FACTS = st.one_of(
    st.text(min_size=1, max_size=60),
    st.lists(st.sampled_from(["a", "## b", "```", "- c", "", "    d", "<!-- e", "> f", "1. g"]))
    .map("\n".join),
).map(lambda text: clean_fact(text.replace("\x00", ""))).filter(bool)  # fmt: skip


def shared(one, other):
    """Count the characters two texts begin with in common."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def items(text):
    section = find_section(text, HEADER)
    assert section is not None
    return list_items(text, section)


# The document's table, with our header for its own.
@pytest.mark.parametrize(
    ("before", "fact", "after"),
    [
        ("", "F", f"{HEADER}\n- F\n"),
        ("intro", "F", f"intro\n\n{HEADER}\n- F\n"),
        ("intro\n", "F", f"intro\n\n{HEADER}\n- F\n"),
        ("intro\n\n", "F", f"intro\n\n{HEADER}\n- F\n"),
        (f"{HEADER}\n- A\n\n## Next\ntext", "B", f"{HEADER}\n- A\n- B\n\n## Next\ntext\n"),
        (f"{HEADER}\n", "F", f"{HEADER}\n- F\n"),
        (HEADER, "F", f"{HEADER}\n- F\n"),
        (f"{HEADER}\n- A\n\n\n", "B", f"{HEADER}\n- A\n- B\n"),
        (f"{HEADER}\n- A\n## Next\n", "B", f"{HEADER}\n- A\n- B\n\n## Next\n"),
    ],
)
def test_a_fact_is_added_as_the_document_says(before, fact, after):
    assert append_fact(before, fact, header=HEADER) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A blank line under the heading, and several before the next one, are their owner's.
        (f"{HEADER}\n\n- A\n\n\n## Next\n", f"{HEADER}\n\n- A\n- F\n\n\n## Next\n"),
        # CRLF and a byte order mark stay.
        (f"\ufeff{HEADER}\r\n- A\r\n", f"\ufeff{HEADER}\r\n- A\r\n- F\r\n"),
        ("\ufeff", f"\ufeff{HEADER}\n- F\n"),
        # Trailing spaces of the last item are a hard line break.
        (f"{HEADER}\n- A  \n", f"{HEADER}\n- A  \n- F\n"),
        # The header in a fence, in prose or in a comment is no section.
        (f"```\n{HEADER}\n```\n", f"```\n{HEADER}\n```\n\n{HEADER}\n- F\n"),
        (f"See {HEADER} here\n", f"See {HEADER} here\n\n{HEADER}\n- F\n"),
        (f"<!--\n{HEADER}\n-->\n", f"<!--\n{HEADER}\n-->\n\n{HEADER}\n- F\n"),
        # A longer heading is another one.
        (f"{HEADER} of mine\n", f"{HEADER} of mine\n\n{HEADER}\n- F\n"),
        # A heading in a fence does not end the section, whatever the fence looks like.
        (
            f"{HEADER}\nText\n   ~~~~\n## no\n~~~\n   ~~~~~\n\n## Next\n",
            f"{HEADER}\nText\n   ~~~~\n## no\n~~~\n   ~~~~~\n- F\n\n## Next\n",
        ),
        (
            f"{HEADER}\n- A\n  ```\n  ## no\n  ```\n\n## Next\n",
            f"{HEADER}\n- A\n  ```\n  ## no\n  ```\n- F\n\n## Next\n",
        ),
        # Subsections belong to the section; a heading of a higher level ends it.
        (f"{HEADER}\n### Sub\n- A\n\n# Top\n", f"{HEADER}\n### Sub\n- A\n- F\n\n# Top\n"),
        (f"{HEADER}\n- A\n\nNext\n----\n", f"{HEADER}\n- A\n- F\n\nNext\n----\n"),
        # What was left open would swallow the fact, so it is closed first.
        ("```\ncode\n", f"```\ncode\n```\n\n{HEADER}\n- F\n"),
        (f"{HEADER}\n```\ncode", f"{HEADER}\n```\ncode\n```\n- F\n"),
        (f"{HEADER}\n<div>x</div>\n\n## Next\n", f"{HEADER}\n<div>x</div>\n\n- F\n\n## Next\n"),
    ],
)  # fmt: skip
def test_everything_else_in_the_file_stays(before, after):
    assert append_fact(before, "F", header=HEADER) == after


@given(ANY_TEXT, FACTS)
@example(f"{HEADER}\n<div>\n- x", "y")
@example("<!-- open", "y")
@example(f"{HEADER}\n   ## Indented", "one\ntwo")
def test_saving_any_fact_into_any_text_keeps_every_other_byte(before, fact):
    after = append_fact(before, fact, header=HEADER)
    kept = before.rstrip(" \t\r\n")
    start = shared(kept, after)
    end = shared(kept[::-1], after.rstrip(" \t\r\n")[::-1])
    assert start + end >= len(kept), "only one piece was put in"
    if find_section(before, HEADER) is None:
        assert after.startswith(before)
    assert after.endswith("\n")
    assert not after.endswith(("\n\n", "\n\r\n"))


@given(ANY_TEXT, FACTS)
def test_a_saved_fact_is_found_again(before, fact):
    after = append_fact(before, fact, header=HEADER)
    assert any(same_fact(item, fact) for item in items(after))


@given(ANY_TEXT, FACTS)
def test_a_saved_fact_brings_no_heading_but_its_own(before, fact):
    after = append_fact(before, fact, header=HEADER)
    brought = len(headings(after)) - len(headings(before))
    assert brought == (1 if find_section(before, HEADER) is None else 0)


@given(MARKDOWN, st.text(alphabet="abc xyz", min_size=1).filter(str.strip))
def test_a_parser_sees_the_fact_as_a_list_item(before, fact):
    after = append_fact(before, clean_fact(fact), header=HEADER)
    tokens = PARSER.parse(after)
    shown = [
        tokens[at + 2].content
        for at, token in enumerate(tokens[:-2])
        if token.type == "list_item_open" and tokens[at + 2].type == "inline"
    ]
    assert clean_fact(fact) in shown


def test_a_fact_of_several_lines_stays_one_item():
    text = append_fact(f"{HEADER}\n- A\n", "one\n\n## two\r\n```\nthree", header=HEADER)
    assert text == f"{HEADER}\n- A\n- one\n\n  ## two\n  ```\n  three\n"
    assert append_fact(text, "B", header=HEADER) == text + "- B\n"
    assert items(text) == ["A", "one ## two ``` three"]


@pytest.mark.parametrize(
    ("fact", "clean"),
    [
        ("- - dashes first", "dashes first"),
        ("---\t-- x", "x"),
        ("  plain  ", "plain"),
        ("\u3000全角\u3000", "全角"),
        ("a - b", "a - b"),
        ("---", ""),
        ("-5 degrees", "5 degrees"),
    ],
)
def test_leading_dashes_are_stripped(fact, clean):
    assert clean_fact(fact) == clean


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("User likes tabs", "user  likes\n tabs.", True),
        ("使用制表符", "使用制表符。", True),
        ("use -V", "use -v", False),
        ("cafe\u0301", "caf\u00e9", True),
        ("tabs", "no tabs", False),
    ],
)
def test_facts_are_the_same_only_if_nothing_that_matters_differs(one, other, same):
    assert same_fact(one, other) is same


def test_list_items_keep_their_continuation_lines_and_skip_code():
    text = f"{HEADER}\n\n- one\n  more\nlazy\n* two\n\n```\n- code\n```\n+ three\n\n## Next\n- no\n"
    assert items(text) == ["one more lazy", "two", "three"]
