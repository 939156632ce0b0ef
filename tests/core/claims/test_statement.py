"""Statements: one and the same but for case, spaces and punctuation, or two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.claims.statement import says_same, statement_key


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Use tabs.", "use   tabs"),
        ("USE TABS!", "Use tabs"),
        ("- Use tabs", "Use tabs"),
        ("Say “hello”", 'say "hello"'),
        ("我喜欢茶。", "我喜欢茶"),
        ("使用 Python 开发", "使用Python开发"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("Straße", "STRASSE"),
    ],
)
def test_case_spaces_and_punctuation_say_nothing(a: str, b: str) -> None:
    assert says_same(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Use C", "Use C++"),
        ("The limit is 5", "The limit is -5"),
        ("It costs 10.5", "It costs 105"),
        ("It costs 10,000", "It costs 10 000"),
        ("Edit .env", "Edit env"),
        ("We deploy on Friday", "We deploy on Friday?"),
        ("Use a/b", "Use a b"),
        ("Use __init__", "Use init"),
        ("Tabs over spaces", "Spaces over tabs"),
        ("Do push", "Do not push"),
        ("", ""),
    ],
)
def test_everything_else_does(a: str, b: str) -> None:
    assert not says_same(a, b)


@given(st.text(max_size=80))
def test_a_key_has_the_same_key(text: str) -> None:
    key = statement_key(text)
    assert statement_key(f"  {text}  ") == key
    assert statement_key(text.upper()) == statement_key(text.upper().casefold())
