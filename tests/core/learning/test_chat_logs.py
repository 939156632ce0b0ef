"""Logs of other agents become turns that hold everything the log held."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.history import turns
from reverie.core.learning.chat_logs import ChatLog, read_chat
from reverie.types import (
    OtherPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Turn,
    TurnMessage,
)

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def read(value: Any) -> ChatLog:
    return read_chat(value if isinstance(value, str) else json.dumps(value), now=NOW)


def lines(*records: Any) -> str:
    return "\n".join(
        record if isinstance(record, str) else json.dumps(record) for record in records
    )


def claude(kind: str, content: Any, uuid: str, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **more.pop("message", {})}
    base = {
        "type": kind,
        "uuid": uuid,
        "sessionId": "s1",
        "timestamp": "2026-04-01T09:00:00Z",
        "message": message,
    }
    return {**base, **more}


CLAUDE = lines(
    {"type": "summary", "summary": "An old talk", "leafUuid": "x"},
    claude("user", "<command-name>/clear</command-name>", "m0", isMeta=True),
    claude("user", "Fix the login", "u1"),
    claude(
        "assistant",
        [{"type": "thinking", "thinking": "hm", "signature": "sig"}],
        "a1",
        message={"id": "msg1", "model": "m"},
    ),
    claude(
        "assistant",
        [{"type": "text", "text": "I look."}],
        "a2",
        message={"id": "msg1", "model": "m"},
    ),
    claude(
        "assistant",
        [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file": "a.py"}}],
        "a3",
        message={"id": "msg1", "model": "m"},
    ),
    claude(
        "user",
        [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "is_error": True,
                "content": [{"type": "text", "text": "no file"}],
            }
        ],
        "r1",
        toolUseResult={"x": 1},
    ),
    claude("user", "sub-agent talk", "x1", isSidechain=True),
    {"type": "system", "uuid": "n1", "sessionId": "s1", "content": "a notice"},
    "{broken",
    claude("assistant", [{"type": "text", "text": "Fixed."}], "a4", message={"id": "msg2"}),
    claude(
        "user",
        [{"type": "text", "text": "Thanks"}, {"type": "image", "source": {"data": "…"}}],
        "u2",
        timestamp="2026-04-02T09:00:00Z",
    ),
    claude("assistant", "You are welcome.", "a5", timestamp="2026-04-02T09:00:01Z"),
)


def test_a_claude_code_log_becomes_turns() -> None:
    log = read(CLAUDE)

    first, second = log.turns
    assert first == Turn(
        seq=0,
        created_at=datetime(2026, 4, 1, 9, tzinfo=UTC),
        session="s1",
        source="claude-code:s1:u1",
        messages=(
            TurnMessage("system", (TextPart("<command-name>/clear</command-name>"),)),
            TurnMessage("user", (TextPart("Fix the login"),)),
            TurnMessage(
                "assistant",
                (
                    ReasoningPart("hm", {"signature": "sig"}),
                    TextPart("I look."),
                    ToolCallPart("t1", "Read", '{"file": "a.py"}'),
                ),
                {"model": "m"},
            ),
            TurnMessage("tool", (ToolResultPart("t1", "no file", True),)),
            TurnMessage("assistant", (TextPart("Fixed."),)),
        ),
    )
    assert second.messages[0].parts == (
        TextPart("Thanks"),
        OtherPart("image", {"source": {"data": "…"}}),
    )
    assert second.source == "claude-code:s1:u2"
    assert [problem.line for problem in log.problems] == [10]
    assert (log.unfinished, log.left_out) == (0, 1)


def qwen(kind: str, parts: list[Any], uuid: str, **more: Any) -> dict[str, Any]:
    role = {"user": "user", "assistant": "model", "tool_result": "user"}[kind]
    return {
        "uuid": uuid,
        "parentUuid": None,
        "sessionId": "q1",
        "timestamp": "2026-03-01T08:00:00.000Z",
        "type": kind,
        "cwd": "/w",
        "version": "1",
        "message": {"role": role, "parts": parts},
        **more,
    }


def test_a_qwen_code_log_becomes_turns() -> None:
    log = read(
        lines(
            qwen("user", [{"text": "列出文件"}], "u1"),
            qwen(
                "assistant",
                [
                    {"text": "思考", "thought": True},
                    {"text": "好的"},
                    {"functionCall": {"id": "f1", "name": "ls", "args": {"path": "."}}},
                ],
                "a1",
            ),
            qwen(
                "tool_result",
                [{"functionResponse": {"id": "f1", "name": "ls", "response": {"output": "a\nb"}}}],
                "r1",
            ),
            qwen("user", [{"text": "a notification"}], "n1", subtype="notification"),
            qwen("assistant", [{"text": "两个文件"}], "a2"),
            {"uuid": "t", "sessionId": "q1", "type": "system", "subtype": "custom_title"},
        )
    )

    (turn,) = log.turns
    assert turn.source == "qwen-code:q1:u1"
    assert [(message.role, message.parts) for message in turn.messages] == [
        ("user", (TextPart("列出文件"),)),
        (
            "assistant",
            (ReasoningPart("思考"), TextPart("好的"), ToolCallPart("f1", "ls", '{"path": "."}')),
        ),
        ("tool", (ToolResultPart("f1", "a\nb"),)),
        ("system", (TextPart("a notification"),)),
        ("assistant", (TextPart("两个文件"),)),
    ]


OPENAI = {
    "id": "chat-1",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Weather?"},
                {"type": "image_url", "image_url": {"url": "x"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "look it up",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "get", "arguments": '{"q":1}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
        {"role": "assistant", "content": "Sunny."},
        {"role": "user", "content": "yes"},
        {"role": "assistant", "content": "Good."},
        {"role": "user", "content": "yes"},
        {"role": "assistant", "content": "Good."},
        {"role": "user", "content": "And tomorrow?"},
    ],
}


def test_openai_messages_become_turns_and_an_open_question_waits() -> None:
    log = read(OPENAI)

    assert [(message.role, message.parts) for message in log.turns[0].messages] == [
        ("system", (TextPart("Be brief."),)),
        ("user", (TextPart("Weather?"), OtherPart("image_url", {"image_url": {"url": "x"}}))),
        ("assistant", (ReasoningPart("look it up"), ToolCallPart("c1", "get", '{"q":1}'))),
        ("tool", (ToolResultPart("c1", "sunny"),)),
        ("assistant", (TextPart("Sunny."),)),
    ]
    assert len(log.turns) == 3
    assert log.unfinished == 1
    assert {turn.session for turn in log.turns} == {"chat-1"}
    assert all(turn.created_at == NOW for turn in log.turns)
    assert len({turn.source for turn in log.turns}) == 3


def test_a_log_that_grew_names_its_old_turns_as_before() -> None:
    grown = {**OPENAI, "messages": [*OPENAI["messages"], {"role": "assistant", "content": "Rain."}]}

    before, after = read(OPENAI), read(grown)

    assert [turn.source for turn in after.turns][:3] == [turn.source for turn in before.turns]
    assert (len(after.turns), after.unfinished) == (4, 0)


def test_items_of_the_responses_interface_become_turns() -> None:
    log = read(
        [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "Sum?"}],
            },
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "add"}]},
            {"type": "function_call", "call_id": "c1", "name": "add", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "3"},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "3"}],
            },
        ]
    )

    (turn,) = log.turns
    assert [part for message in turn.messages for part in message.parts] == [
        TextPart("Sum?"),
        ReasoningPart("add"),
        ToolCallPart("c1", "add", "{}"),
        ToolResultPart("c1", "3"),
        TextPart("3"),
    ]


def node(
    name: str, parent: str | None, role: str, content: dict[str, Any] | None, **more: Any
) -> dict[str, Any]:
    facts = {
        "author": {"role": role},
        "content": content,
        "id": name,
        "create_time": 1714557600.5,
        **more,
    }
    return {"id": name, "parent": parent, "children": [], "message": facts if content else None}


def said(*parts: Any) -> dict[str, Any]:
    return {"content_type": "text", "parts": list(parts)}


EXPORT = [
    {
        "title": "Bread",
        "conversation_id": "c-1",
        "create_time": 1714557600.0,
        "current_node": "n7",
        "mapping": {
            item["id"]: item
            for item in (
                node("root", None, "system", None),
                node("n1", "root", "user", said("How long to proof?")),
                node(
                    "n2",
                    "n1",
                    "assistant",
                    said("An hour."),
                ),
                node(
                    "n1b",
                    "root",
                    "user",
                    said(
                        "How long to proof, cold?",
                        {"content_type": "image_asset_pointer", "asset_pointer": "file://1"},
                    ),
                ),
                node(
                    "n3",
                    "n1b",
                    "assistant",
                    {
                        "content_type": "thoughts",
                        "thoughts": [{"summary": "Think", "content": "cold is slow"}],
                    },
                ),
                node(
                    "n4",
                    "n3",
                    "assistant",
                    {"content_type": "code", "text": "search('proof')"},
                    recipient="browser",
                ),
                node("n5", "n4", "tool", {"content_type": "execution_output", "text": "12 h"}),
                node(
                    "n6",
                    "n5",
                    "assistant",
                    said(""),
                    metadata={"is_visually_hidden_from_conversation": True},
                ),
                node("n7", "n6", "assistant", said("Twelve hours.")),
            )
        },
    },
    {"title": "Empty", "mapping": {}, "conversation_id": "c-2"},
]


def test_a_chatgpt_export_is_read_along_its_current_branch() -> None:
    log = read(EXPORT)

    (turn,) = log.turns
    assert turn.session == "c-1"
    assert turn.source == "chatgpt:c-1:n1b"
    assert turn.created_at == datetime(2024, 5, 1, 10, 0, 0, 500000, tzinfo=UTC)
    assert [(message.role, message.parts) for message in turn.messages] == [
        (
            "user",
            (
                TextPart("How long to proof, cold?"),
                OtherPart("image_asset_pointer", {"asset_pointer": "file://1"}),
            ),
        ),
        ("assistant", (ReasoningPart("Think\n\ncold is slow"),)),
        ("assistant", (ToolCallPart("n4", "browser", "search('proof')"),)),
        ("tool", (ToolResultPart("n4", "12 h"),)),
        ("assistant", (TextPart("Twelve hours."),)),
    ]
    assert log.left_out == 2


def test_our_own_turns_can_be_brought_from_another_tree() -> None:
    turn = Turn(7, NOW, (TurnMessage("user", (TextPart("hi"),)),), id="turn-7")

    log = read(turns.encode(turn))

    (found,) = log.turns
    assert (found.messages, found.seq) == (turn.messages, 0)
    assert found.source.startswith("turns:turn-7:")
    assert (
        read(lines(json.loads(turns.encode(turn)), {"seq": 1, "messages": "x"})).problems[0].line
        == 2
    )


def test_a_loop_in_an_export_ends() -> None:
    mapping = {"a": node("a", "b", "user", said("x")), "b": node("b", "a", "assistant", said("y"))}

    assert len(read([{"mapping": mapping, "current_node": "b"}]).turns) == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "parts",
                    "text",
                    "type",
                    "message",
                    "mapping",
                    "messages",
                    "tool_calls",
                    "uuid",
                    "functionCall",
                    "author",
                    "seq",
                    "schema_version",
                    "parent",
                    "current_node",
                    "id",
                ]
            ),
            inner | st.sampled_from(["user", "assistant", "tool", "text", "tool_use"]),
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(json_values | st.text(max_size=40))
def test_whatever_is_read_nothing_breaks_and_every_turn_can_be_written(value: Any) -> None:
    log = read_chat(value if isinstance(value, str) else json.dumps(value), now=NOW)

    for turn in log.turns:
        assert turn.messages
        text = turns.encode(Turn(1, turn.created_at, turn.messages))
        assert turns.decode(text).turn.messages == turn.messages
