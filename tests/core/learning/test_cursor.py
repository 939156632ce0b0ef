"""The cursor: every message is read once, whatever happens to the history."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.learning.cursor import (
    MAX_SESSIONS,
    advanced,
    next_slice,
    read_cursor,
    write_cursor,
)
from reverie.types import CursorState, Message

NOW = datetime(2026, 3, 10, 9, 30, tzinfo=UTC)


def said(*texts):
    return [Message("user", text, id=text) for text in texts]


def read(record, messages, *, session="s1", limit=400, now=NOW):
    """Read one slice and return the texts and the record afterwards."""
    cursor = read_cursor(record, session=session)
    part = next_slice(messages, cursor, limit=limit)
    moved = advanced(cursor, messages, part, session=session, now=now)
    stored = json.loads(json.dumps(write_cursor(record, moved)))
    return [item.text for item in part.messages], stored


def test_only_new_messages_are_read():
    texts, record = read({}, said("a", "b"))
    assert texts == ["a", "b"]
    assert read(record, said("a", "b", "c"))[0] == ["c"]
    assert read(record, said("a", "b"))[0] == []


def test_the_record_has_the_fields_other_programs_know():
    _, record = read({"theirs": 1}, said("a", "b"))
    assert record["sessionId"] == "s1"
    assert record["processedOffset"] == 2
    assert record["updatedAt"] == "2026-03-10T09:30:00.000Z"
    assert record["theirs"] == 1


def test_another_session_begins_at_zero_and_the_first_keeps_its_place():
    _, record = read({}, said("a", "b"))
    texts, record = read(record, said("a", "b"), session="s2")
    assert texts == ["a", "b"]
    assert read(record, said("a", "b", "c"), session="s1")[0] == ["c"]


@pytest.mark.parametrize(
    ("history", "new"),
    [
        (("a", "B", "c"), ["B"]),  # edited, the same length
        (("summary of a and b", "c", "d"), ["summary of a and b", "d"]),  # compressed
        (("a", "other"), ["other"]),  # rewound, then went on
        (("a",), []),  # rewound
        (("x", "y", "z"), ["x", "y", "z"]),  # replaced, the same length
    ],
)
def test_a_rewritten_history_is_noticed_and_only_what_is_new_is_read(history, new):
    _, record = read({}, said("a", "b", "c"))
    texts, after = read(record, said(*history))
    assert texts == new
    assert read(after, said(*history))[0] == []


def test_slices_are_bounded_and_the_rest_waits():
    messages = said(*"abcdefg")
    record, found = {}, []
    for _ in range(3):
        texts, record = read(record, messages, limit=3)
        found.append(texts)
    assert found == [["a", "b", "c"], ["d", "e", "f"], ["g"]]


def test_a_rewritten_history_longer_than_a_slice_is_read_once():
    _, record = read({}, said(*"abcdef"))
    history = said("A", "b", "C", "d", "E", "f", "G")
    first, record = read(record, history, limit=2)
    second, record = read(record, history, limit=2)
    third, _ = read(record, history, limit=2)
    assert (first, second, third) == (["A", "C"], ["E", "G"], [])


def test_a_cursor_of_another_program_is_believed_by_its_offset():
    record = {"sessionId": "s1", "processedOffset": 2, "updatedAt": "2026-01-01T00:00:00.000Z"}
    assert read(record, said("a", "b", "c"))[0] == ["c"]
    assert read(record, said("a"))[0] == ["a"], "a history shorter than the offset was compressed"


@pytest.mark.parametrize(
    "record",
    [
        {"sessionId": "s1", "processedOffset": -4},
        {"sessionId": "s1", "processedOffset": "many"},
        {"sessionId": "s1", "processedOffset": True, "seen": 5, "fingerprint": []},
        {"sessionId": 7, "sessions": [1, 2]},
        {"sessions": {"s1": "x"}},
    ],
)
def test_a_record_with_odd_values_begins_at_zero(record):
    assert read(record, said("a"))[0] == ["a"]


def test_the_places_of_old_sessions_are_bounded_oldest_first():
    record = {}
    for number in range(MAX_SESSIONS + 5):
        at = NOW + timedelta(minutes=number)
        _, record = read(record, said("a"), session=f"s{number:03}", now=at)
    assert len(record["sessions"]) == MAX_SESSIONS
    assert "s000" not in record["sessions"]
    assert f"s{MAX_SESSIONS + 3:03}" in record["sessions"]


def test_a_fresh_cursor_is_empty():
    assert read_cursor({}, session="s9") == CursorState(session_id="s9")


HISTORIES = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8), min_size=1, max_size=6)


@given(HISTORIES, st.integers(1, 4))
def test_every_message_is_read_at_least_once_and_nothing_is_stuck(histories, limit):
    record, seen = {}, set()
    for history in histories:
        messages = said(*history)
        for _ in range(len(history) + 1):
            texts, record = read(record, messages, limit=limit)
            seen.update(texts)
        assert read(record, messages, limit=limit)[0] == []
        assert set(history) <= seen
