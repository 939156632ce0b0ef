"""Small facts about text."""

from __future__ import annotations

import pytest

from reverie.core.text import digest, newline_of, width


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
