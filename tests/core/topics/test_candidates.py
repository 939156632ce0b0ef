"""Which topics a new statement is compared with: none that matters is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.claims.judgement import replaces
from reverie.core.claims.statement import says_same
from reverie.core.topics.candidates import entry_keys, exact_keys, near_keys
from reverie.types import Entry

PAIRS = [
    ("I live in Oslo", "I live in Rome"),
    ("I am 30", "I am now 31"),
    ("My name is Bob", "My name is Tom"),
    ("The staging port is 8080", "The staging port is 9090"),
    ("The office is in Oslo", "The office moved from Oslo to Rome"),
    ("We use Jenkins for billing", "We moved billing from Jenkins to Buildkite"),
    ("Ich wohne in Kiel", "Ich wohne jetzt in Bonn"),
    ("私は東京に住んでいます", "私は大阪に住んでいます"),
]


def _keys(text: str) -> set[str]:
    return entry_keys([Entry("", text)])


@given(st.text(min_size=1, max_size=200))
def test_the_same_statement_has_a_key_in_common(text: str) -> None:
    again = f" {text.upper().lower()}. "
    if says_same(text, again):
        assert set(exact_keys(again)) & _keys(text)


@given(st.lists(st.text("abc deß東", min_size=1, max_size=30), min_size=2, max_size=4))
def test_each_part_of_a_longer_text_is_found(parts: list[str]) -> None:
    text = "\n".join(f"- {part}" for part in parts)
    for key in exact_keys(text):
        assert key.startswith("\1=")


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_what_a_statement_may_replace_shares_a_key_with_it(old: str, new: str) -> None:
    from reverie.core.text.words import terms

    assert set(near_keys(new)) & (_keys(old) | set(terms(old))), replaces(new, old)


def test_keys_are_no_words() -> None:
    from reverie.core.text.words import terms

    keys = _keys("The staging port is 8080")
    assert keys
    assert not keys & set(terms("\n".join(keys)))
