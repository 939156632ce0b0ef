"""Values given to a name: which of them were drawn.

No value here is written out: all are drawn from a fixed seed, see `test_scanner`.
"""

from __future__ import annotations

import pytest

from reverie.core.secrets.given_values import entropy, is_drawn, is_secret
from reverie.core.secrets.names import Asks, How
from tests.core.secrets.test_scanner import HEX, drawn

KEY = drawn(32, HEX)
# Hexadecimal, long enough, with digits, and yet nobody drew it: a colour, a mask, a counter.
MADE = ["00ff" * 8, "a1" * 16, "0" * 31 + "f", "deadbeef0" * 3, "0x" + "f0" * 12]


@pytest.mark.parametrize("asks", [Asks.API_KEY, Asks.ACCESS, Asks.SECRET, Asks.TOKEN])
def test_a_drawn_hex_key_is_a_secret_in_any_case(asks: Asks) -> None:
    assert is_secret(KEY, asks)
    assert is_secret(KEY.upper(), asks)
    assert is_secret(f"0x{KEY}", asks)


@pytest.mark.parametrize("value", MADE)
@pytest.mark.parametrize("asks", [Asks.API_KEY, Asks.ACCESS, Asks.SECRET])
def test_hex_that_repeats_itself_is_no_key(value: str, asks: Asks) -> None:
    assert entropy(value.lower()) <= 2.5
    assert not is_secret(value, asks)
    assert not is_drawn(value)


def test_mixed_case_does_not_make_a_repeated_value_look_drawn() -> None:
    assert not is_secret("aAbB1aAbB1aAbB1aAbB1", Asks.API_KEY)
    assert not is_drawn("aAbB1CaAbB1CaAbB1CaAbB1C")


def test_where_only_something_drawn_can_be_meant_hex_needs_more() -> None:
    """Six different digits are enough behind `key:`, but not for a value that merely stands near."""
    value = "a1b2c3" * 6
    assert 2.5 < entropy(value) < 2.8
    assert is_secret(value, Asks.API_KEY)
    assert not is_drawn(value)
    assert not is_secret(value, Asks.API_KEY, How.NEIGHBOUR)
    assert is_secret(KEY, Asks.API_KEY, How.NEIGHBOUR)


def test_hex_without_a_digit_or_too_short_is_a_word() -> None:
    word = drawn(16, "abcdef1", seed="w").replace("1", "a")
    assert not is_secret("abcdefabcdefabcdefab", Asks.API_KEY)
    assert not is_drawn("abcdef" * 2 + "fabdce" * 2)
    assert not is_secret(word, Asks.API_KEY)
    assert is_secret(KEY[:16], Asks.API_KEY)
    assert not is_secret(KEY[:15], Asks.API_KEY)
    assert is_drawn(KEY[:16])
    assert not is_drawn(KEY[:15])


def test_a_hash_is_no_secret_where_hashes_are_usual() -> None:
    """Under a looser name sixteen are enough, elsewhere it takes the length of a key."""
    assert is_secret(KEY[:31], Asks.API_KEY)
    assert not is_secret(KEY[:31], Asks.SECRET)
    assert is_secret(KEY, Asks.SECRET)
