"""Small facts about text."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.plain import AnyCase, digest, has_digit, newline_of, width


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("数据库", 6), ("ｗｉｄｅ", 8), ("é", 1), ("e\u0301", 1), ("", 0)],
)
def test_width_counts_columns(text, columns):
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "end"),
    [("a\nb\n", "\n"), ("a\r\nb\r\n", "\r\n"), ("a\r\nb\nc\nd\n", "\n"), ("", "\n")],
)
def test_the_line_end_of_a_file_is_that_of_most_of_its_lines(text, end):
    assert newline_of(text) == end


def test_the_digest_of_bytes_that_were_not_utf8_is_the_digest_of_those_bytes():
    import hashlib

    assert digest(b"\xff".decode("utf-8", "surrogateescape")) == hashlib.sha256(b"\xff").hexdigest()


def test_no_letter_of_any_script_is_a_digit():
    every = map(chr, range(sys.maxunicode + 1))
    assert all(has_digit(char) == char.isdigit() for char in every)


@pytest.mark.parametrize(
    ("text", "found"), [("port8080", True), ("v2", True), ("٣", True), ("x²", True), ("三", False),
                        ("a-b", False), ("", False)]
)  # fmt: skip
def test_a_word_with_a_digit_in_it_is_told_from_one_without(text, found):
    assert has_digit(text) is found


@given(st.text(alphabet="aAbBéÉſKk \n", max_size=8))
@pytest.mark.parametrize("pattern", [r"\bab", "k", "s", r"\Aé|b\b", r"a\S"])
def test_a_pattern_finds_the_same_in_any_case(pattern, text):
    assert AnyCase(pattern).found_in(text) == bool(re.search(pattern, text, re.I))
