"""What each line of a Markdown text is, held against a real parser."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reverie.core.markdown.lines import LineKind, scan, unclosed
from reverie.core.markdown.sections import headings
from tests import linear

PARSER = MarkdownIt("commonmark")

# Whole lines that begin, continue or end every kind of block; any sequence of them is a text.
LINES = [
    "# A", "## B", "### C ##", "text", "more text", "- item", "  - sub", "* x", "1. one", "2. two", "-",
    "```", "~~~", "````", "```py", "   ```", "  ```", "    ```", "    indented", "  two", "   three", "",
    "***", "===", "--", "> quote", ">", "> ```", "<!-- c -->", "<!-- open", "end -->", "\ttab", "- # H",
    "  ## in item", "- ```", "<pre>", "</pre>", "<div>", "<b>", "<?x", "<!X", "<p>a", "x <b> y",
    "      deep", "      - six", "    - four", "10) ten", "   ## h3", "-      code", "\\# no", "####### no",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(LINES), min_size=1, max_size=9).map(lambda lines: "\n".join(lines))


def kinds(text):
    return [line.kind.value for line in scan(text)]


def seen_by_the_parser(text):
    return [
        (int(token.tag[1]), token.map[0] + 1)
        for token in PARSER.parse(text)
        if token.type == "heading_open" and token.level == 0
    ]


@given(TEXTS)
@example("- a\nb\n---")
@example("> ```\n> x\ntext\n---")
@example("-\n\n  ## in item")
def test_headings_are_where_a_parser_sees_them(text):
    assert [(item.level, item.line) for item in headings(text)] == seen_by_the_parser(text)


@given(st.text(alphabet="a#-=`~<>! \t\r\n0.\ufeff", max_size=80))
def test_lines_cover_the_text_without_gap_or_overlap(text):
    lines = scan(text)
    assert "".join(text[line.start : line.next] for line in lines) == text
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    assert all("\n" not in text[line.start : line.end] for line in lines)


def test_a_heading_in_a_fence_is_code():
    assert kinds("```\n## no\n```\n## yes\n") == ["fence", "code", "fence", "heading"]


def test_a_fence_is_closed_only_by_one_as_long_and_of_its_kind():
    text = "````\n```\n~~~~\n## no\n`````\n## yes\n"
    assert kinds(text) == ["fence", "code", "code", "code", "fence", "heading"]


def test_frontmatter_holds_no_headings():
    assert kinds("---\nname: x\n# comment\n---\n# yes\n")[:4] == ["frontmatter"] * 4
    assert [item.title for item in headings("---\nname: x\n# comment\n---\n# yes\n")] == ["yes"]


def test_a_rule_at_the_top_is_no_frontmatter():
    assert [item.title for item in headings("---\n# yes\n\ntext\n---\n")] == ["yes", "text"]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("## a b ##", "a b"),
        ("# a#", "a#"),
        ("### ###", ""),
        ("#", ""),
        ("#\ta \t#", "a"),
        ("# a # b", "a # b"),
    ],
)
def test_a_heading_may_be_closed(line, title):
    assert [item.title for item in headings(line)] == [title]


def test_a_byte_order_mark_does_not_hide_a_heading():
    assert [item.title for item in headings("\ufeff# yes\n")] == ["yes"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_of_commonmark_ends_a_line(end):
    assert [item.line for item in headings(end.join(["# a", "", "# b"]))] == [1, 3]


@pytest.mark.parametrize("char", ["\v", "\f", "\x1c", "\x85", "\u2028"])
def test_no_other_character_ends_a_line(char):
    assert headings(f"text{char}# no\n") == []


@pytest.mark.parametrize(
    ("text", "closer"),
    [
        ("text\n", None),
        ("```py\nx\n", "```"),
        ("  ~~~~\nx\n", "  ~~~~"),
        ("<!-- x\n", "-->"),
        ("<pre>\nx\n", "</pre>"),
        ("<div>\nx\n", ""),
        ("- ```\n  x\n", None),
    ],
)
def test_what_is_still_open_at_the_end_can_be_closed(text, closer):
    assert unclosed(text) == closer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begin", "piece", "end"),
    [
        ("# a", " ", "b"),
        ("# ", "# ", "b"),
        ("", "- ", "b"),
        ("", "> ", ""),
        ("--", " ", "b"),
        ("<a", " b", ""),
        ("<a", " ", "b"),
        ("", "`", " `"),
        ("", "=", "b"),
        ("", "\t", "b"),
    ],
)
def test_a_hostile_line_is_read_in_linear_time(begin, piece, end):
    def line(size):
        return f"text\n{begin}{piece * (size // len(piece))}{end}\n"

    assert max(linear.growth(scan, line, sizes=(2_000, 20_000, 200_000))) <= linear.LINEAR


def test_a_line_of_ten_thousand_list_marks_is_read():
    assert scan("- " * 10_000 + "x")[0].kind is LineKind.TEXT
