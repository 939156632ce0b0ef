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
