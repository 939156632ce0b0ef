"""What is code and what is not: every quick answer equals the parser's on the whole text."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.context.imports import directives
from reverie.core.markdown.code import by_parser, outside_code
from reverie.types import Span

# Involved structure: the line scan and the parser decide.
INVOLVED = [
    "# A @./h.md", "text @./t.md", "`a @./c.md b`", "a ` open", "close ` @./z.md", "- item @./i.md",
    "  - sub `x` @./s.md", "* x", "1. one @./o.md", "2. two", "```", "~~~", "````", "```py @./p.md", "  ```",
    "    @./ind.md", "  two @./two.md", "", "===", "> quote @./q.md", ">", "<!-- @import: c.md -->",
    "<!-- open @./op.md", "end --> @./e.md", "\t@./tab.md", "x <!-- @import: in.md --> y", "> ```",
    "- <!-- @import: li.md -->", "- ```", "<pre>", "</pre>", "<div>", "@./d.md </div>", "      @./deep.md",
    "      - @./six.md", "``` @./f", "\\` @./esc.md `", "<!-- @import: a.md --> <!-- @import: b.md -->",
    "   <!-- @import: s3.md -->", "    <!-- @import: s4.md -->", "<a title=' @./at.md '>",
    "`` @./dd.md ` x ``", "-      @./gap.md", "- -     @./gap2.md", "a\t@./tb.md",
]  # fmt: skip
# Plain structure: a glance decides, or hands over.
PLAIN = [
    "# A @./h.md", "text @./t.md", "`a @./c.md b`", "a ` open", "close ` @./z.md", "- item @./i.md", "- `",
    "* x @./st.md `", "1. one @./o.md", "```", "~~~", "````", "```py", "  two @./two.md",
    "   three @./th.md", "    four @./fo.md", "", "", "***", "===", "<!-- @import: c.md -->",
    "<!-- @import: d.md -->   ", "x <!-- @import: in.md --> y", "      @./deep.md", "``` a ` b", "- ", "-",
    "`` @./dd.md ` x ``", "-      @./gap.md", "> q @./q.md", "~~~ x",
]  # fmt: skip


def texts(lines):
    return st.lists(st.sampled_from(lines), min_size=1, max_size=10).map("\n".join)


@given(st.one_of(texts(INVOLVED), texts(PLAIN)))
def test_every_answer_is_the_parsers(text):
    spans = [item.span for item in directives(text)]
    assert outside_code(text, spans) == by_parser(text, spans)


def live(text):
    spans = [item.span for item in directives(text)]
    answers = outside_code(text, spans)
    return [
        text[span.start : span.end] for span, answer in zip(spans, answers, strict=True) if answer
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\n@./a.md\n```",
        "~~~~\n@./a.md\n~~~\n@./b.md\n~~~~",
        "    @./a.md",
        "x ` @./a.md ` y",
        "x `` ` @./a.md `` y",
        "- item\n\n  ```\n  @./a.md\n  ```",
        "> ```\n> @./a.md",
        "<pre>\n@./a.md\n</pre>",
        "<!-- see @./a.md -->",
        "---\ntitle: @./a.md\n---\n",
        "```\n<!-- @import: a.md -->\n```",
        "` <!-- @import: a.md --> `",
        "\\<!-- @import: a.md -->",
        "<!-- off: <!-- @import: a.md -->",
    ],
)
def test_nothing_in_code_or_comments_stands_as_it_reads(text):
    assert live(text) == []


@pytest.mark.parametrize(
    "text",
    ["@./a.md", "\\` @./a.md `", "- @./a.md", "> @./a.md", "# T @./a.md", "<div>\n@./a.md\n</div>"],
)
def test_text_outside_code_stands_as_it_reads(text):
    assert live(text) == ["@./a.md"]


def test_a_hostile_paragraph_takes_no_longer_than_its_length_allows():
    text = "![" * 40_000 + " ` @./a.md ` @./b.md"
    assert live(text) == ["@./b.md"]


def test_plain_texts_are_answered_without_loading_the_parser(monkeypatch):
    monkeypatch.setitem(sys.modules, "markdown_it", None)  # importing it would raise
    text = "# T\n\n- use `x`\n- see @./a.md\n\n```\n@./b.md\n```\n\n<!-- @import: c.md -->\n"
    assert live(text) == ["@./a.md", "<!-- @import: c.md -->"]


def test_many_places_in_one_paragraph_are_answered_together():
    text = "\n".join(f"line `{at}` @./{at}.md" for at in range(5_000))
    assert len(live(text)) == 5_000


def test_no_place_is_no_question():
    assert outside_code("anything", []) == []
    assert outside_code("@", [Span(0, 1)]) == [True]
