"""What is read of a turn is what was written, or it is not believed."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.history import sealing, turns
from reverie.errors import TurnUnreadable
from reverie.types import TextPart, ToolCallPart, Turn, TurnMessage
from tests.core.history.test_turns import turn_values

NOW = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)
SAID = TurnMessage("user", (TextPart("The ferry leaves at 7, not at 8. 渡轮 \U0001f6a2"),))
CALLED = TurnMessage("assistant", (ToolCallPart("c1", "look", '{"at": 7}'),))
TURN = Turn(7, NOW, (SAID, CALLED), id=turns.turn_id(7), session="s", extra={"mood": 0.5})


@given(turn_values)
def test_every_turn_is_read_back_from_its_sealed_record(turn):
    text = turns.encode_sealed(turn)
    assert turns.decode(text).turn == turns.decode(turns.encode(turn)).turn
    assert sealing.FIELD not in turns.decode(text).turn.extra


@pytest.mark.parametrize("seed", range(20))
def test_no_flipped_bit_is_believed(seed):
    data = turns.encode_sealed(TURN).encode()
    rng = random.Random(seed)
    for _ in range(100):
        flipped = bytearray(data)
        flipped[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        try:
            found = turns.decode(flipped.decode(), seq=7).turn
        except (TurnUnreadable, UnicodeDecodeError):
            continue
        extra = {key: value for key, value in found.extra.items() if key in TURN.extra}
        assert (found.messages, found.session, extra) == (TURN.messages, TURN.session, TURN.extra)
        assert (found.seq, found.created_at, found.id) == (TURN.seq, TURN.created_at, TURN.id)


def test_another_layout_of_the_same_record_is_the_same_turn():
    record = json.loads(turns.encode_sealed(TURN))
    compact = json.dumps(dict(reversed(record.items())), separators=(",", ":"))
    assert turns.decode(compact.replace("\n", "\r\n")).turn == TURN


def test_a_record_without_a_checksum_is_taken_as_it_is():
    edited = turns.encode(TURN).replace("at 7", "at 9")
    assert "at 9" in turns.render(turns.decode(edited).turn)


def test_an_edited_record_says_how_to_keep_the_edit():
    edited = turns.encode_sealed(TURN).replace("at 7", "at 9")
    with pytest.raises(TurnUnreadable, match=r"edited by hand.*reverie_checksum"):
        turns.decode(edited)


def test_a_whole_record_in_the_place_of_another_is_not_believed():
    with pytest.raises(TurnUnreadable, match="of turn 7, not of turn 8"):
        turns.decode(turns.encode_sealed(TURN), seq=8)


def test_what_we_change_on_purpose_is_sealed_again():
    before = turns.encode_sealed(TURN)
    clean = sealing.resealed(before.replace("ferry", "[erased]"), before=before)
    assert "[erased]" in turns.render(turns.decode(clean, seq=7).turn)


@pytest.mark.parametrize(
    "before",
    [turns.encode_sealed(TURN).replace("at 7", "at 9"), turns.encode(TURN), "[1]", "no JSON", "[" * 99999],
    ids=["damaged", "unsealed", "list", "text", "deep"],
)  # fmt: skip
def test_what_was_not_sealed_or_not_whole_does_not_become_so(before):
    after = before.replace("ferry", "[erased]")
    assert sealing.resealed(after, before=before) == after


@given(st.text())
def test_any_text_may_be_given_for_a_record(text):
    assert sealing.resealed(text, before=text) == text
