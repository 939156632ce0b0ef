"""The pieces of a unigram model: how a text is cut into them."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.models.unigram import UNKNOWN, Unigram


def model_of(*pieces: tuple[str, float]) -> bytes:
    """Write a model file as SentencePiece does: a message for each piece, then what is not read."""
    found = b""
    for piece, score in (("<unk>", 0.0), *pieces):
        raw = piece.encode()
        body = bytes([10, len(raw)]) + raw + b"\x15" + struct.pack("<f", score)
        found += bytes([10, len(body)]) + body
    return found + b"\x12\x02\x08\x01"


SMALL = Unigram(
    model_of(("▁", -3.0), ("a", -2.0), ("b", -2.0), ("ab", -3.0), ("▁ab", -3.5), ("1", -2.0))
)


def test_the_division_with_the_best_sum_of_scores_is_taken():
    assert SMALL.ids("ab") == [5]
    assert SMALL.ids("aab") == [1, 2, 4]


@pytest.mark.parametrize("text", ["ab ab", "  ab\t\n ab ", "ab\u3000ab", "ａｂ ab", "ab\ufeffab"])
def test_spaces_and_widths_of_letters_make_no_difference(text: str):
    assert SMALL.ids(text) == [5, 5]


def test_letters_that_no_piece_has_are_one_unknown_piece():
    assert SMALL.ids("xyz") == [1, UNKNOWN]
    assert SMALL.ids("axyzb") == [1, 2, UNKNOWN, 3]


@pytest.mark.parametrize("text", ["", " ", "\n\x01"])
def test_a_text_without_anything_to_cut_is_one_unknown_piece(text: str):
    assert SMALL.ids(text) == [UNKNOWN]


@given(st.text())
def test_any_text_can_be_cut(text: str):
    found = SMALL.ids(text)
    assert found
    assert all(0 <= number < len(SMALL) for number in found)


def test_a_file_that_is_no_model_is_refused():
    with pytest.raises((ValueError, LookupError)):
        Unigram(b"\n\x40\n\x01a")
