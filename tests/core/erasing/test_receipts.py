"""Receipts: texts that cannot share a run of words are passed over, and the receipt is the same."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.erasing import receipts
from reverie.core.erasing.receipts import receipt_for, run_size, runs_of
from reverie.core.text.words import words
from reverie.types import Entry

NOW = datetime(2026, 11, 18, tzinfo=UTC)
WORD = st.sampled_from(
    ["the", "Report", "goes", "to", "MARA", "room17", "node.js", "parserConfig", "don't", "1,000", "--",
     "O'Brien", "won’t", "1st", "snake_case", "v1.2.3", "Grüße", "猫", "每周五", "a", "2026-11-18", "it's"]
)  # fmt: skip
TEXT = st.lists(WORD, max_size=14).map(" ".join)


@given(st.text(alphabet=st.characters(max_codepoint=126, exclude_characters="'"), max_size=60))
def test_the_words_of_plain_text_stand_in_it_letter_for_letter(text):
    assert all(word in text.lower() for word in words(text))


@given(st.lists(TEXT, min_size=1, max_size=3), st.lists(TEXT, max_size=5))
def test_a_receipt_does_not_depend_on_which_texts_were_passed_over(gone, remaining):
    entries = [Entry(f"e{at}", text) for at, text in enumerate(gone)]
    made = receipt_for(entries, remaining=remaining, now=NOW, salt="s", erased=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(receipts, "_may_share", lambda *_: True)
        assert made == receipt_for(entries, remaining=remaining, now=NOW, salt="s", erased=False)


@given(TEXT, TEXT)
def test_a_text_that_shares_a_run_is_never_passed_over(gone, other):
    found = words(gone)
    size = run_size(found)
    if size and {*runs_of(found, size)} & {*runs_of(words(other), size)}:
        assert receipts._may_share(other, [(found, size)])


def test_a_text_that_lacks_a_word_of_each_run_is_passed_over():
    found = words("The report goes to Mara on every second Friday")
    assert not receipts._may_share("The report goes to Nora on every third Friday", [(found, 5)])
