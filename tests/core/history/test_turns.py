"""Turn records: whatever is written is read back, whatever is old is understood."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.history import turns
from reverie.errors import TurnUnreadable
from reverie.types import (
    OtherPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Turn,
    TurnMessage,
)

NOW = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)

# A high half followed by a low half is one character in JSON, so it is not text of its own.
texts = st.text().map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
)
halves = st.sampled_from(["\ud800", "a\udfff", "\udc00b", "\ud83d "])
any_text = texts | halves
plain_keys = st.text(st.characters(codec="ascii", categories=["L"]), min_size=1, max_size=8).map(
    lambda key: f"x-{key}"
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain_keys, inner, max_size=3),
    max_leaves=6,
)
extras = st.dictionaries(plain_keys, json_values, max_size=2)
parts = (
    st.builds(TextPart, any_text, extras)
    | st.builds(ReasoningPart, any_text, extras)
    | st.builds(ToolCallPart, any_text, any_text, any_text.filter(bool), extras)
    | st.builds(ToolResultPart, any_text, any_text, st.booleans(), extras)
    | st.builds(OtherPart, st.sampled_from(["image", "audio", "tool-call", ""]), extras)
)
messages = st.builds(
    TurnMessage,
    st.sampled_from(["user", "assistant", "tool", "system", "developer"]),
    st.lists(parts, max_size=4).map(tuple),
    extras,
)
moments = st.datetimes(min_value=datetime(1971, 1, 1), timezones=st.just(UTC))
turn_values = st.builds(
    Turn,
    seq=st.integers(1, turns.MAX_SEQ),
    created_at=moments,
    messages=st.lists(messages, max_size=4).map(tuple),
    id=any_text.filter(bool),
    session=any_text,
    source=any_text,
    extra=extras,
)


@given(turn_values)
def test_any_turn_survives_writing_and_reading(turn: Turn) -> None:
    text = turns.encode(turn)

    assert turns.decode(text.encode("utf-8").decode("utf-8")) == (turn, 2)


@given(turn_values)
def test_a_record_of_version_three_is_read_with_all_it_adds(turn: Turn) -> None:
    record = json.loads(turns.encode(turn))
    record["schema_version"] = 3

    assert turns.decode(json.dumps(record)) == (turn, 3)


legacy_calls = st.builds(
    lambda id, name, arguments, nested: (
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        if nested
        else {"ID": id, "Name": name, "Arguments": arguments}
    ),
    texts, texts, texts, st.booleans(),
)  # fmt: skip


@st.composite
def legacy_records(draw: st.DrawFn) -> dict[str, Any]:
    title = draw(st.booleans())

    def spell(name: str) -> str:
        words = name.split("_")
        return (
            "".join(word.upper() if word == "id" else word.title() for word in words)
            if title
            else name
        )

    def message() -> dict[str, Any]:
        found: dict[str, Any] = {
            spell("role"): draw(st.sampled_from(["user", "assistant", "tool"]))
        }
        for name, values in (
            ("content", texts),
            ("phase", st.sampled_from(["", "final", "commentary", "odd"])),
            ("tool_calls", st.lists(legacy_calls, max_size=2)),
            ("tool_call_id", texts),
            ("provider_raw", st.fixed_dictionaries({}, optional={"reasoning_content": texts})),
        ):
            if draw(st.booleans()):
                found[spell(name)] = draw(values)
        found.update(draw(extras))
        return found

    record = {
        spell("id"): draw(texts),
        spell("seq"): draw(st.integers(1, turns.MAX_SEQ)),
        spell("created_at"): "2026-05-01T10:00:00Z",
        spell("messages"): [message() for _ in range(draw(st.integers(0, 3)))],
        **draw(extras),
    }
    if draw(st.booleans()):
        record[spell("schema_version")] = draw(st.sampled_from([0, 1]))
    return record


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


SAID_OTHERWISE = {"function", "final", "commentary", "2026-05-01T10:00:00Z"}


@given(legacy_records())
def test_an_old_record_loses_no_text_in_its_upgrade(record: dict[str, Any]) -> None:
    decoded = turns.decode(json.dumps(record))
    again = turns.decode(turns.encode(decoded.turn))

    assert decoded.version in (0, 1)
    assert again == (decoded.turn, 2)
    kept = list(strings(json.loads(turns.encode(decoded.turn))))
    for text in strings(record):
        assert text in kept or text in SAID_OTHERWISE or not text


def test_an_old_record_in_either_spelling_becomes_ordered_parts() -> None:
    snake = {
        "id": "turn-7", "seq": 7, "created_at": "2026-05-01T10:00:00Z",
        "messages": [
            {"role": "user", "content": "  read it "},
            {"role": "assistant", "content": "I will.", "phase": "commentary",
             "tool_calls": [{"id": "c1", "name": "read", "arguments": ""}],
             "provider_raw": {"reasoning_content": "hm"}},
            {"role": "tool", "content": "ok", "tool_call_id": "c1"},
        ],
    }  # fmt: skip
    title = {
        "ID": "turn-7", "Seq": 7, "CreatedAt": "2026-05-01T10:00:00Z",
        "Messages": [
            {"Role": "user", "Content": "  read it "},
            {"Role": "assistant", "Content": "I will.", "Phase": "commentary",
             "ToolCalls": [{"ID": "c1", "Name": "read", "Arguments": ""}],
             "ProviderRaw": {"reasoning_content": "hm"}},
            {"Role": "tool", "Content": "ok", "ToolCallID": "c1"},
        ],
    }  # fmt: skip

    expected = Turn(
        seq=7,
        created_at=NOW,
        id="turn-7",
        messages=(
            TurnMessage("user", (TextPart("  read it "),)),
            TurnMessage(
                "assistant",
                (
                    ReasoningPart("hm"),
                    TextPart("I will.", {"disposition": "commentary"}),
                    ToolCallPart("c1", "read", "{}"),
                ),
                {"provider_raw": {"reasoning_content": "hm"}},
            ),
            TurnMessage("tool", (ToolResultPart("c1", "ok"),)),
        ),
    )
    assert turns.decode(json.dumps(snake)) == (expected, 0)
    assert turns.decode(json.dumps(title)) == (expected, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[]",
        '{"schema_version": 2}',
        '{"schema_version": 4, "seq": 1, "created_at": "2026-05-01T10:00:00Z", "messages": []}',
        '{"schema_version": true, "seq": 1, "created_at": "2026-05-01T10:00:00Z", "messages": []}',
        '{"schema_version": 2, "seq": 0, "created_at": "2026-05-01T10:00:00Z", "messages": []}',
        '{"schema_version": 2, "seq": 1, "created_at": "yesterday", "messages": []}',
        '{"schema_version": 2, "seq": 1, "created_at": "2026-05-01T10:00:00Z", "messages": [{}]}',
        '{"schema_version": 2, "seq": 1, "created_at": "2026-05-01T10:00:00Z",'
        ' "messages": [{"role": "user", "parts": ["x"]}]}',
        '{"seq": 1, "created_at": "2026-05-01T10:00:00Z"}',
        '{"seq": 1, "created_at": "2026-05-01T10:00:00Z", "messages": [{"content": "x"}]}',
        '{"a":' * 100_000,
    ],
)
def test_what_is_no_turn_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(TurnUnreadable) as refused:
        turns.decode(text)
    assert str(refused.value)


def test_the_file_name_decides_the_number_and_the_folder_stands_in_for_a_date() -> None:
    text = '{"schema_version": 2, "seq": 3, "messages": []}'

    turn = turns.decode(text, seq=9, day=NOW).turn

    assert (turn.seq, turn.created_at, turn.id) == (9, NOW, turns.turn_id(9))


def test_a_turn_lies_in_the_folder_of_its_day_in_utc() -> None:
    late = datetime(2026, 5, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))

    assert turns.turn_path(7, late) == "2026/04/30/00000000000000000007.json"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-05-01T10:00:00Z", NOW),
        ("2026-05-01T12:00:00+02:00", NOW),
        ("2026-05-01T10:00:00.123456789Z", NOW.replace(microsecond=123456)),
        ("2026-05-01 10:00:00", NOW),
        (1777629600, NOW),
        (1777629600.0, NOW),
        (1777629600000, NOW),
        (True, None),
        (float("inf"), None),
        ("tomorrow", None),
        (None, None),
    ],
)
def test_moments_are_read_as_programs_write_them(written: object, meant: datetime | None) -> None:
    assert turns.read_time(written) == meant


def test_a_broken_part_of_a_known_kind_is_kept_whole() -> None:
    part = {"type": "text", "text": ["not", "a", "text"], "note": 1}

    assert turns.read_part(part) == OtherPart("text", {"text": ["not", "a", "text"], "note": 1})


@given(turn_values)
def test_in_a_rendered_turn_no_text_stands_where_speakers_stand(turn: Turn) -> None:
    shown = turns.render(turn, reasoning=True)

    margin = [line for line in shown.splitlines() if line and not line.startswith("  ")]
    count = sum(len(message.parts) for message in turn.messages)
    assert len(margin) == 1 + count


def test_a_long_tool_payload_is_cut_visibly() -> None:
    turn = Turn(1, NOW, (TurnMessage("tool", (ToolResultPart("c", "x" * 3000),)),))

    assert "[952 more characters left out]" in turns.render(turn)


def test_only_what_was_said_aloud_counts_as_said() -> None:
    turn = Turn(
        1,
        NOW,
        (
            TurnMessage("user", (TextPart("hello"), OtherPart("image", {}))),
            TurnMessage("assistant", (ReasoningPart("hm"), TextPart("hi"), ToolCallPart("1", "x"))),
            TurnMessage("tool", (ToolResultPart("1", "secret"), TextPart("also not"))),
        ),
    )

    assert list(turns.said(turn)) == [("user", "hello"), ("assistant", "hi")]
    assert list(turns.said(turn, "assistant")) == [("assistant", "hi")]


def test_every_text_id_and_name_of_a_message_is_reached_when_texts_are_changed() -> None:
    message = TurnMessage(
        "assistant",
        (
            TextPart("a", {"k": ["a", {"z": "a"}]}),
            ReasoningPart("a"),
            ToolCallPart("a", "a", "a"),
            ToolResultPart("a", "a"),
            OtherPart("a", {"url": "a"}),
        ),
        {"note": "a", "n": 1},
    )

    (changed,) = turns.map_texts([message], str.upper)

    assert changed == TurnMessage(
        "ASSISTANT",
        (
            TextPart("A", {"K": ["A", {"Z": "A"}]}),
            ReasoningPart("A"),
            ToolCallPart("A", "A", "A"),
            ToolResultPart("A", "A"),
            OtherPart("A", {"URL": "A"}),
        ),
        {"NOTE": "A", "N": 1},
    )


def test_a_turn_can_be_read_as_a_transcript() -> None:
    turn = Turn(
        3,
        NOW,
        (
            TurnMessage("user", (TextPart("one"), TextPart("two"))),
            TurnMessage("assistant", (ToolCallPart("c", "read"),)),
            TurnMessage("tool", (ToolResultPart("c", "answer"),)),
            TurnMessage("developer", (TextPart("rules"),)),
        ),
        id="turn-3",
    )

    found = [(m.role, m.text, m.id, m.tool_name) for m in turns.as_messages(turn)]

    assert found == [
        ("user", "one\n\ntwo", "turn-3/0", ""),
        ("assistant", "", "turn-3/1", "read"),
        ("tool", "answer", "turn-3/2", ""),
        ("system", "rules", "turn-3/3", ""),
    ]
