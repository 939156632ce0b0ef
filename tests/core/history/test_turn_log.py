"""Appending to a history: nothing twice, no secret, nothing unreadable, and each turn its own number."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reverie.core.history import turn_log
from reverie.core.history.turn_log import PLACED_BELOW, numbered, placed, record
from reverie.core.history.turns import encode
from reverie.errors import FileTooLarge
from reverie.types import SecretFinding, TextPart, Turn, TurnMessage

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def turn(text: str = "hello", *, source: str = "", seq: int = 1, session: str = "") -> Turn:
    said = (TurnMessage("user", (TextPart(text),)),)
    return Turn(seq, NOW, said, id=f"t{seq}", source=source, session=session)


def redact(text: str) -> tuple[str, list[SecretFinding]]:
    found = [SecretFinding("rule", 1, 1)] * text.count("hunter")
    return text.replace("hunter", "[hidden]"), found


def test_what_was_imported_before_or_comes_twice_is_left_out() -> None:
    drafts = [turn(source=source) for source in ("a:1", "a:2", "a:1", "a:3", "")]
    fresh = turn_log.distinct([*drafts, turn()], {"a:3"}, key=turn_log.plain)
    assert [draft.source for draft in fresh] == ["a:1", "a:2", "", ""]


def test_a_source_of_half_a_character_is_the_same_one_when_it_comes_again() -> None:
    drafts = [turn(source="a:\ud800"), turn(source="a:\ud800")]
    assert len(turn_log.distinct(drafts, set(), key=turn_log.plain)) == 1
    assert turn_log.distinct(drafts, {"a:?"}, key=turn_log.plain) == []


def test_secrets_are_replaced_everywhere_and_told_once_for_each_text() -> None:
    findings: list[SecretFinding] = []
    draft = turn("my hunter", source="hunter:1", session="of hunter")
    clean = turn_log.cleaned(draft, redact, findings)
    assert "hunter" not in encode(clean)
    assert clean.session == "of [hidden]"
    assert len(findings) == 1
    assert turn_log.cleaned(draft, None, findings) is draft


def test_two_masked_sources_stay_two() -> None:
    """Or the second would count as imported already."""
    one, two = (
        turn_log.cleaned(turn(source=source), redact, []).source
        for source in ("hunter", "[hidden]")
    )
    assert one.startswith("[hidden]:")
    assert two == "[hidden]"


def test_a_turn_that_takes_another_number_gets_a_name_and_keeps_the_one_it_has() -> None:
    named = turn_log.named(turn())
    assert named.source.startswith("turns:t1:")
    assert turn_log.named(turn("other")).source != named.source
    assert turn_log.named(turn(source="chat:7")).source == "chat:7"


def test_what_is_too_large_to_be_read_again_is_dropped_and_told() -> None:
    small, large = turn(), turn("x" * 500, source="chat:9")
    limit = len(turn_log.record(small))
    kept, dropped = turn_log.within([large, small], limit)
    assert kept == [small]
    (told,) = dropped
    assert "chat:9" in told.what
    assert f"{len(turn_log.record(large)):,} bytes" in told.reason
    assert turn_log.within([small], limit - 1)[0] == []


def test_numbers_go_on_above_the_last_and_ids_with_them() -> None:
    made, dropped = numbered([turn("a"), turn("b")], above=41, limit=10_000, single=False)
    assert [(item.seq, item.id) for item, _ in made] == [
        (42, "turn-00000000000000000042"),
        (43, "turn-00000000000000000043"),
    ]
    assert [data for _, data in made] == [record(item) for item, _ in made]
    assert dropped == ()


def test_a_turn_that_is_too_large_takes_no_number() -> None:
    drafts = [turn("a"), turn("x" * 5000, source="chat:1"), turn("b")]
    made, dropped = numbered(drafts, above=0, limit=1000, single=False)
    assert [item.seq for item, _ in made] == [1, 2]
    assert "chat:1" in dropped[0].what


def test_the_limit_itself_is_allowed() -> None:
    [(_, data)] = numbered([turn("a")], above=0, limit=10_000, single=True)[0]
    assert numbered([turn("a")], above=0, limit=len(data), single=True)[0]
    with pytest.raises(FileTooLarge, match=r"raise memory\.max_file_bytes"):
        numbered([turn("a")], above=0, limit=len(data) - 1, single=True)


def test_only_free_numbers_are_given_back_in_order_and_the_first_has_it() -> None:
    back = [turn("c", seq=7), turn("a", seq=3), turn("b", seq=5), turn("d", seq=7)]
    assert [item for item, _ in placed(back, {5})] == [back[1], back[0]]


def test_nobody_can_use_up_the_numbers() -> None:
    back = [turn("a", seq=PLACED_BELOW), turn("b", seq=PLACED_BELOW - 1)]
    assert [item.seq for item, _ in placed(back, set())] == [PLACED_BELOW - 1]
