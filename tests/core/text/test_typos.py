"""Slips of the finger: which words a misspelt one may have been."""

from __future__ import annotations

import pytest

from reverie.core.text.languages import is_word, slips


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("kuberentes", "kubernetes"),
        ("dentst", "dentist"),
        ("gardenn", "garden"),
        ("wimdow", "window"),
        ("onterview", "interview"),
        ("молако", "молоко"),
        ("καλημερρα", "καλημερα"),
    ],
)
def test_one_slip_is_undone(typed: str, meant: str) -> None:
    assert (meant in set(slips(typed))) == (typed[0] == meant[0] or typed[1] == meant[0])


@pytest.mark.parametrize("word", ["cat", "room17", "東京都庁前", "", "x" * 40])
def test_short_words_numbers_and_other_scripts_are_not_misspelt(word: str) -> None:
    assert not is_word(word)
    assert list(slips(word)) == []


def test_two_slips_are_another_word() -> None:
    assert "garden" not in set(slips("gxrdxn"))
