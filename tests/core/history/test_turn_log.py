"""Numbers, records and sources of turns: what every engine's history relies on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reverie.core.history.turn_log import PLACED_BELOW, distinct, numbered, placed, plain, record
from reverie.errors import FileTooLarge
from reverie.types import TextPart, Turn, TurnMessage

AT = datetime(2026, 5, 1, tzinfo=UTC)


def turn(text: str, *, seq: int = 0, source: str = "") -> Turn:
    return Turn(seq, AT, (TurnMessage("user", (TextPart(text),)),), source=source)


def test_numbers_go_on_above_the_last_and_ids_with_them():
    made, dropped = numbered([turn("a"), turn("b")], above=41, limit=10_000, single=False)
    assert [(item.seq, item.id) for item, _ in made] == [
        (42, "turn-00000000000000000042"),
        (43, "turn-00000000000000000043"),
    ]
    assert [data for _, data in made] == [record(item) for item, _ in made]
    assert dropped == ()


def test_a_turn_that_is_too_large_takes_no_number():
    drafts = [turn("a"), turn("x" * 5000, source="chat:1"), turn("b")]
    made, dropped = numbered(drafts, above=0, limit=1000, single=False)
    assert [item.seq for item, _ in made] == [1, 2]
    assert "chat:1" in dropped[0].what


def test_the_limit_itself_is_allowed():
    [(_, data)] = numbered([turn("a")], above=0, limit=10_000, single=True)[0]
    assert numbered([turn("a")], above=0, limit=len(data), single=True)[0]
    with pytest.raises(FileTooLarge, match=r"raise memory\.max_file_bytes"):
        numbered([turn("a")], above=0, limit=len(data) - 1, single=True)


def test_only_free_numbers_are_given_back_in_order_and_the_first_has_it():
    back = [turn("c", seq=7), turn("a", seq=3), turn("b", seq=5), turn("d", seq=7)]
    assert [item for item, _ in placed(back, {5})] == [back[1], back[0]]


def test_nobody_can_use_up_the_numbers():
    back = [turn("a", seq=PLACED_BELOW), turn("b", seq=PLACED_BELOW - 1)]
    assert [item.seq for item, _ in placed(back, set())] == [PLACED_BELOW - 1]


def test_a_source_counts_once_and_turns_without_one_always():
    drafts = [
        turn("a", source="x"),
        turn("b", source="x"),
        turn("c"),
        turn("d"),
        turn("e", source="y"),
    ]
    fresh = distinct(drafts, {"y"}, key=plain)
    assert fresh == [drafts[0], drafts[2], drafts[3]]
