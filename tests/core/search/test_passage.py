"""The passage that matters, within its budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.passage import OMITTED, best_passage, line_range
from reverie.core.text.words import terms

FILLER = "\n\n".join(
    f"Paragraph {n} about nothing in particular, long enough to take some room." for n in range(40)
)


def test_a_short_body_is_shown_whole() -> None:
    found = best_passage("\n\nshort body\n", matched={"short"}, limit=100)
    assert (found.text, found.truncated) == ("short body", False)


def test_the_paragraph_with_the_words_is_shown_however_late_it_comes() -> None:
    body = f"{FILLER}\n\nThe spare token is in the grey locker.\n\n{FILLER}"
    found = best_passage(body, matched=set(terms("spare token locker")), limit=400)
    assert "grey locker" in found.text
    assert found.text.startswith(OMITTED)
    assert found.text.endswith(OMITTED)
    assert len(found.text) <= 400
    assert body[found.start : found.end] in found.text


def test_without_words_the_head_is_shown() -> None:
    found = best_passage(FILLER, matched=frozenset(), limit=200)
    assert found.text.startswith("Paragraph 0")
    assert found.truncated


def test_one_endless_line_is_cut_where_the_words_are() -> None:
    body = "x y z " * 500 + "needle in here " + "x y z " * 500
    found = best_passage(body, matched={"needl"}, limit=120)
    assert "needle" in found.text
    assert len(found.text) <= 120


def test_lines_are_counted_from_one_and_inclusive() -> None:
    assert line_range("a\nb\nc\n", 0, 1) == "1-1"
    assert line_range("a\nb\nc\n", 2, 5) == "2-3"


@given(
    st.lists(
        st.sampled_from(
            ["para one.", "needle here. More.", "", "项目进度。更多", "e\u0301" * 30, "- item"]
        ),
        max_size=30,
    ),
    st.integers(10, 200),
)
def test_a_passage_is_within_its_limit_and_part_of_the_text(lines: list[str], limit: int) -> None:
    body = "\n".join(lines)
    found = best_passage(body, matched={"needl"}, limit=limit)
    assert len(found.text) <= max(limit, 6)
    assert body[found.start : found.end] in found.text
    assert found.truncated or found.text == body.strip()


LINES = [f"Line {letter} says nothing of interest to us." for letter in "abcdefgh"]


def test_paragraphs_around_the_best_one_are_added_while_they_fit() -> None:
    body = "\n\n".join([*LINES[:3], "The needle is here, in the middle.", *LINES[3:]])
    three = sum(map(len, LINES[:3])) + 20
    found = best_passage(body, matched={"needl"}, limit=three)
    assert "needle" in found.text
    assert len(found.text) <= three
    assert found.text.count("Line") == 2
    at = body.index("The needle")
    assert found.start < at < found.end
    assert "Line c" in found.text  # what stands right beside it, not something else that fits


def test_of_the_neighbours_the_one_that_has_a_word_too_is_shown() -> None:
    best, other = (
        "A needle and a thread, needle and thread.",
        "Another needle, all alone in this one.",
    )
    room = len(best) + len(other) + 10
    for body in ([LINES[0], best, other, LINES[1]], [LINES[0], other, best, LINES[1]]):
        found = best_passage("\n\n".join(body), matched={"needl", "thread"}, limit=room)
        assert best in found.text
        assert other in found.text


def test_inside_one_long_paragraph_whole_sentences_are_shown() -> None:
    body = " ".join([*LINES, "The needle is in this sentence.", *LINES])
    found = best_passage(body, matched={"needl"}, limit=140)
    assert "The needle is in this sentence." in found.text
    inside = found.text.strip(f"{OMITTED}\n")
    assert inside.startswith(("Line", "The"))
    assert inside.endswith(".")
    assert len(found.text) <= 140


def test_a_word_near_the_end_of_an_endless_line_is_shown_with_what_stands_before_it() -> None:
    body = "x y z " * 500 + "needle"
    found = best_passage(body, matched={"needl"}, limit=120)
    assert found.text.endswith("needle")
    assert len(found.text) > 60
    assert found.end == len(body)
