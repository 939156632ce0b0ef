"""Chunks: whole lines of one section, exact ranges, nothing lost, any text survives."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.chunk import (
    MAX_CHUNKS,
    MAX_LINES,
    MAX_TITLE_CHARS,
    ChunkSize,
    chunk_markdown,
    chunk_turn,
    join_lines,
    searchable,
    searched_lines,
    split_lines,
)
from reverie.core.showing.fence import fence
from reverie.core.text.words import estimate_tokens
from reverie.types import ReasoningPart, TextPart, ToolResultPart, Turn, TurnMessage

SMALL = ChunkSize(tokens=40, overlap=10)
LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["", "# One", "## Two", "```", "- item", "  more", "> said", "---", "Ann: hello there"]
        ),
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=120),
        st.text(alphabet="漢字かなทดสอบабв e\u0301", max_size=200),
        st.builds(
            lambda word, times: word * times,
            st.sampled_from(["word ", "漢字"]),
            st.integers(0, 400),
        ),
    ),
    max_size=30,
)
TEXTS = st.builds(
    lambda lines, end, bom, last: bom + end.join(lines) + last,
    LINES,
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["", "\n", "\r\n"]),
)


@given(TEXTS)
def test_every_chunk_stands_on_the_lines_it_names(text):
    lines = split_lines(text)
    for chunk in chunk_markdown(text, name="memory/x.md", size=SMALL):
        assert text[chunk.start : chunk.end] == chunk.text
        assert 1 <= chunk.first <= chunk.last <= len(lines)
        assert chunk.text in join_lines(lines, chunk.first, chunk.last)


@given(TEXTS)
def test_nothing_that_is_not_blank_is_left_out_and_no_chunk_is_blank(text):
    chunks = chunk_markdown(text, size=SMALL)
    covered = [False] * len(text)
    for chunk in chunks:
        assert chunk.text.strip()
        covered[chunk.start : chunk.end] = [True] * (chunk.end - chunk.start)
    left = "".join(char for char, seen in zip(text, covered, strict=True) if not seen)
    assert not left.removeprefix("\ufeff").strip()


@given(TEXTS)
def test_no_chunk_is_much_larger_than_the_limit(text):
    for chunk in chunk_markdown(text, size=SMALL):
        assert estimate_tokens(chunk.text) <= SMALL.tokens + 1


@given(TEXTS)
def test_chunks_come_in_order_and_each_goes_on_where_the_last_ended(text):
    chunks = chunk_markdown(text, size=SMALL)
    for one, following in pairwise(chunks):
        assert one.start < following.start
        assert one.end < following.end


def test_a_section_is_one_chunk_with_its_heading_and_knows_what_stands_above():
    text = "# Project\n\nIntro.\n\n## Decisions\n\nWe use JWT.\n\n### Why\n\nShort lived.\n"
    chunks = chunk_markdown(text, name="memory/auth.md")
    assert [(chunk.first, chunk.last, chunk.text) for chunk in chunks] == [
        (1, 3, "# Project\n\nIntro."),
        (5, 7, "## Decisions\n\nWe use JWT."),
        (9, 11, "### Why\n\nShort lived."),
    ]
    assert [chunk.context for chunk in chunks] == ["", "Project", "Project\nDecisions"]
    assert {chunk.title for chunk in chunks} == {"Project"}
    assert searchable(chunks[2]) == "Project\nDecisions\n### Why\n\nShort lived."


def test_a_heading_without_text_goes_with_what_follows():
    chunks = chunk_markdown("# Title\n\n## Part\n\ntext\n")
    assert [(chunk.first, chunk.last) for chunk in chunks] == [(1, 5)]


def test_a_hash_in_a_fence_begins_no_section():
    text = "# A\n\n```sh\n# not a heading\nls\n```\n"
    assert len(chunk_markdown(text)) == 1


def test_a_long_section_is_cut_before_list_items_and_its_pieces_share_lines():
    items = [f"- item {number} has some words to fill it" for number in range(20)]
    chunks = chunk_markdown("# List\n\n" + "\n".join(items) + "\n", size=SMALL)
    assert len(chunks) > 3
    assert all(chunk.text.startswith(("# List", "- item")) for chunk in chunks)
    assert all(b.first <= a.last for a, b in pairwise(chunks[1:]))
    assert all("List" in searchable(chunk) for chunk in chunks)


def test_a_line_over_the_limit_is_cut_at_sentence_ends_and_names_that_line():
    line = " ".join(f"Sentence number {number} ends here." for number in range(60))
    chunks = chunk_markdown(f"before\n\n{line}\n\nafter\n", size=SMALL)
    pieces = [chunk for chunk in chunks if chunk.first == 3]
    assert len(pieces) > 5
    assert all((chunk.first, chunk.last) == (3, 3) for chunk in pieces)
    assert "".join(chunk.text for chunk in pieces) == line
    assert all(chunk.text.rstrip().endswith(".") for chunk in pieces)


def test_chinese_is_counted_by_characters_so_its_chunks_are_not_four_times_too_large():
    text = "我们决定使用数据库。" * 100
    chunks = chunk_markdown(text, size=SMALL)
    assert all(len(chunk.text) <= 40 for chunk in chunks)
    assert "".join(chunk.text for chunk in chunks) == text


def test_a_transcript_is_cut_into_turns_with_their_speakers():
    text = (
        "Ann: Did you see the fox?\nBob: Yes, by the river.\nIt was red.\n"
        "Ann: Lovely.\nBob: It comes every day.\n"
    )
    chunks = chunk_markdown(text, name="talk.md")
    assert [(c.speaker, c.first, c.last, c.turn, c.asks) for c in chunks] == [
        ("Ann", 1, 1, True, True),
        ("Bob", 2, 3, True, False),
        ("Ann", 4, 4, True, False),
        ("Bob", 5, 5, True, False),
    ]


def test_key_and_value_lines_are_no_transcript():
    text = "Name: Ann\nRole: owner\nCity: Bern\nTeam: search\nSince: May\n"
    assert [chunk.turn for chunk in chunk_markdown(text)] == [False]


@pytest.mark.parametrize(
    ("text", "name", "date"),
    [
        ("text\n", "memory/2026-05-01.md", (2026, 5, 1)),
        ("# Log\n\n## 2026-04-30\n\nMoved house.\n", "log.md", (2026, 4, 30)),
        ("---\ndate: 2026-03-02\n---\n\nText.\n", "a.md", (2026, 3, 2)),
        ("- 2026-02-03: bought a boat\n", "a.md", (2026, 2, 3)),
        ("The plan of 2026-02-03 is old.\n", "a.md", None),
        ("nothing here\n", "a.md", None),
    ],
)
def test_a_date_comes_from_the_text_the_heading_the_name_or_the_frontmatter(text, name, date):
    assert chunk_markdown(text, name=name)[-1].date == date


def test_the_title_comes_from_the_frontmatter_the_first_heading_or_the_name():
    assert chunk_markdown("---\nname: Deploy steps\n---\n\nRun it.\n")[0].title == "Deploy steps"
    assert chunk_markdown("text\n\n# Heading\n\nmore\n")[0].title == "Heading"
    named = chunk_markdown("text\n", name="memory/api_design-notes.md")[0]
    assert named.title == "api design notes"
    assert "api design notes" in searchable(named)


def test_equal_text_under_equal_headings_has_an_equal_id_and_anything_else_another():
    one, same = (chunk_markdown("# A\n\n## B\n\ntext\n")[0].id for _ in range(2))
    assert one == same
    assert chunk_markdown("# A\n\nx\n\n## B\n\ntext\n")[1].id != one


def turn(*messages: TurnMessage) -> Turn:
    return Turn(7, datetime(2026, 5, 1, 9, 30, tzinfo=UTC), messages, session="s1")


def test_what_was_said_in_a_turn_is_searched_and_tools_and_thoughts_are_not():
    shown, chunks = chunk_turn(
        turn(
            TurnMessage("user", (TextPart("Where is the key?\nI lost it."),)),
            TurnMessage("assistant", (ReasoningPart("hmm"), TextPart("In the blue drawer."))),
            TurnMessage("tool", (ToolResultPart("1", "a listing"),)),
        )
    )
    lines = shown.split("\n")
    assert [(chunk.speaker, chunk.text) for chunk in chunks] == [
        ("user", "user:\n  Where is the key?\n  I lost it."),
        ("assistant", "assistant:\n  In the blue drawer."),
    ]
    for chunk in chunks:
        assert "\n".join(lines[chunk.first - 1 : chunk.last]) == chunk.text
        assert chunk.date == (2026, 5, 1)


def test_what_recall_had_put_into_a_turn_is_not_found_again():
    recalled = fence("- the drawer is blue")
    _, chunks = chunk_turn(turn(TurnMessage("user", (TextPart(f"before\n{recalled}after it"),))))
    assert [chunk.text for chunk in chunks] == ["user:\n  before", "  after it"]


@given(st.lists(st.text(max_size=80), min_size=1, max_size=4))
def test_any_turn_can_be_shown_and_cut(texts):
    shown, chunks = chunk_turn(turn(*(TurnMessage("user", (TextPart(text),)) for text in texts)))
    lines = split_lines(shown)
    for chunk in chunks:
        assert chunk.text in join_lines(lines, chunk.first, chunk.last)


@given(st.text())
def test_lines_put_together_again_are_the_text(text):
    lines = split_lines(text)
    body = text.removeprefix("\ufeff")
    assert "".join(lines) == body
    assert join_lines(lines, 1, len(lines)) == body.removesuffix("\n").removesuffix("\r")


@pytest.mark.slow
def test_a_heading_of_a_megabyte_costs_no_more_than_its_length() -> None:
    def chunks(words: int) -> tuple[float, int]:
        begin = time.process_time()
        found = chunk_markdown(f"# {'word ' * words}\n\ntext\n\n## more\n\ntext\n")
        assert all(len(chunk.context) <= 2 * MAX_TITLE_CHARS + 1 for chunk in found)
        return time.process_time() - begin, sum(len(chunk.context) for chunk in found)

    small, some = chunks(20_000)
    large, more = chunks(200_000)
    assert more < 15 * some
    assert large < 30 * max(small, 0.02)


@pytest.mark.slow
def test_of_a_text_with_too_many_sections_the_first_are_searched_and_that_is_known() -> None:
    text = "".join(f"# h{n}\nb\n" for n in range(MAX_CHUNKS + 5))
    found = chunk_markdown(text)
    assert len(found) == MAX_CHUNKS
    assert searched_lines(text, found) == found[-1].last == 2 * MAX_CHUNKS
    assert searched_lines("# a\nb\n", chunk_markdown("# a\nb\n")) is None


@pytest.mark.slow
def test_lines_beyond_the_most_are_left_out_and_that_is_known() -> None:
    text = "\n" * MAX_LINES + "the last words\n"
    found = chunk_markdown(text)
    assert found == []
    assert searched_lines(text, found) == 0
