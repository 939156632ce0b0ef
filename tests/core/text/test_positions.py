"""The words of a text, and where each of them is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.positions import plain, readings, words_at


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Jean-Luc's plan", [("jean", "Jean"), ("luc", "Luc"), ("plan", "plan")]),
        ("O’Brien/Anna's", [("o", "O"), ("brien", "Brien"), ("anna", "Anna")]),
        ("quok\u00adka\u200dberry", [("quokkaberry", "quok\u00adka\u200dberry")]),
        ("Mu\u0308ller", [("muller", "Mu\u0308ller")]),
        ("ﬁnn ｗｉｄｅ", [("finn", "ﬁnn"), ("wide", "ｗｉｄｅ")]),
        ("紫鲸", [("紫", "紫"), ("鲸", "鲸")]),
        ("v1.2.3, 10.5", [("1.2.3", "1.2.3"), ("10.5", "10.5")]),
        ("2026-05-01T10", [("2026-05-01", "2026-05-01"), ("t10", "T10")]),
        ("0171-123-4567", [("0171", "0171"), ("123", "123"), ("4567", "4567")]),
        ("10.0.0.17:8080", [("10.0.0.17", "10.0.0.17"), ("8080", "8080")]),
        ("!? -- …", []),
    ],
)
def test_words_are_found_where_they_are_written(text, found):
    assert [(item.word, text[item.start : item.end]) for item in words_at(text)] == found


def test_a_capital_inside_parts_words_that_stay_glued():
    found = words_at("myMcDonald plan")
    assert [(item.word, item.glued) for item in found] == [
        ("my", False),
        ("mc", True),
        ("donald", True),
        ("plan", False),
    ]


def test_the_groups_of_a_long_number_are_no_numbers_by_themselves():
    assert [item.grouped for item in words_at("4111-1111-1111-1111 1234")] == [True] * 4 + [False]


@pytest.mark.parametrize(
    ("text", "word", "written"),
    [
        (r"a\nM\u00fcller", "muller", r"M\u00fcller"),
        (r"C:\\nancy", "nancy", "nancy"),
        (r"\ud835\udc00nna", "anna", r"\ud835\udc00nna"),
        ("https://x.example/M%C3%BCller%20plan", "muller", "M%C3%BCller"),
        ("a%FFAnna", "anna", "Anna"),
    ],
)
def test_escapes_are_read_as_they_are_meant(text, word, written):
    found = [
        text[item.start : item.end]
        for words in readings(text)
        for item in words
        if item.word == word
    ]
    assert written in found
    assert word in plain(text)


@given(st.text(max_size=80))
def test_places_are_in_order_and_within_the_text(text):
    for found in readings(text):
        last = 0
        for item in found:
            assert 0 <= item.start < item.end <= len(text)
            assert item.start >= last or text[item.start : item.end]
            last = item.start
            assert item.word
