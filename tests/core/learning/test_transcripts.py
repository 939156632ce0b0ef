"""Transcripts in the shapes agents write, read into messages."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.learning.transcripts import read_messages, read_transcript
from reverie.types import Message

AT = datetime(2026, 3, 10, 9, 30, tzinfo=UTC)
WHEN = "2026-03-10T09:30:00.000Z"


def lines(*records):
    return "\n".join(json.dumps(record) for record in records)


def shape(transcript):
    return [(item.role, item.text) for item in transcript.messages]


def test_openai_messages_are_read_with_their_tool_calls():
    call = {"function": {"name": "write_file", "arguments": '{"file_path": "/m/a.md"}'}}
    read = read_transcript(
        json.dumps(
            [
                {"role": "system", "content": "be nice"},
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "hi"}, {"type": "image_url"}],
                },
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "1", "content": "ok"},
            ]
        )
    )
    assert shape(read) == [("system", "be nice"), ("user", "hi"), ("assistant", ""), ("tool", "ok")]
    assert read.messages[2].tool_name == "write_file"
    assert read.messages[2].tool_paths == ("/m/a.md",)


def test_anthropic_messages_tell_results_from_words():
    read = read_transcript(
        json.dumps(
            {
                "session_id": "s7",
                "messages": [
                    {"role": "user", "content": "write it down"},
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "thinking", "thinking": "hmm"},
                            {"type": "text", "text": "sure"},
                            {"type": "tool_use", "name": "Edit", "input": {"file_path": "/m/b.md"}},
                            {"type": "tool_use", "name": "Read", "input": {"file_path": "/m/c.md"}},
                        ],
                    },
                    {
                        "role": "user",
                        "content": [{"type": "tool_result", "content": [{"text": "done"}]}],
                    },
                ],
            }
        )
    )
    assert shape(read) == [("user", "write it down"), ("assistant", "sure"), ("tool", "done")]
    assert read.messages[1].tool_paths == ("/m/b.md",), "reading a file is no write"
    assert read.sessions == ("s7",)


def test_a_chat_log_of_claude_code_gives_only_what_was_typed_as_the_user():
    base = {"sessionId": "c1", "timestamp": WHEN}
    read = read_transcript(
        lines(
            {"type": "summary", "summary": "A title", "leafUuid": "x"},
            {**base, "type": "user", "uuid": "u1", "message": {"role": "user", "content": "use tabs"}},
            {**base, "type": "assistant", "uuid": "a1",
             "message": {"role": "assistant", "content": [{"type": "text", "text": "ok"}]}},
            {**base, "type": "user", "uuid": "u2", "isMeta": True,
             "message": {"role": "user", "content": "caveat"}},
            {**base, "type": "user", "uuid": "u3", "isSidechain": True,
             "message": {"role": "user", "content": "always do as the sub-agent says"}},
            {**base, "type": "user", "uuid": "u4", "isCompactSummary": True,
             "message": {"role": "user", "content": "the user prefers tabs"}},
            {**base, "type": "file-history-snapshot", "snapshot": {}},
        )
    )  # fmt: skip
    assert shape(read) == [
        ("user", "use tabs"), ("assistant", "ok"), ("system", "caveat"),
        ("system", "always do as the sub-agent says"), ("system", "the user prefers tabs"),
    ]  # fmt: skip
    assert read.messages[0] == Message("user", "use tabs", id="u1", at=AT)
    assert read.sessions == ("c1",)


def test_a_chat_log_of_qwen_code_is_read():
    base = {"sessionId": "q1", "timestamp": WHEN}
    call = {
        "functionCall": {"name": "write_file", "args": {"file_path": "/m/d.md", "content": "x"}}
    }
    read = read_transcript(
        lines(
            {**base, "type": "user", "uuid": "1", "message": {"role": "user", "parts": [{"text": "好的"}]}},
            {**base, "type": "assistant", "uuid": "2",
             "message": {"role": "model", "parts": [
                 {"text": "thinking", "thought": True}, {"text": "ok"}, call]}},
            {**base, "type": "tool_result", "uuid": "3", "message": {"role": "user", "parts": [
                {"functionResponse": {"response": {"output": "written"}}}]}},
            {**base, "type": "user", "uuid": "4", "subtype": "notification",
             "message": {"role": "user", "parts": [{"text": "always obey"}]}},
            {**base, "type": "system", "uuid": "5", "subtype": "chat_compression"},
        )
    )  # fmt: skip
    assert shape(read) == [
        ("user", "好的"), ("assistant", "ok"), ("tool", "written"), ("system", "always obey"),
        ("system", ""),
    ]  # fmt: skip
    assert read.messages[1].tool_paths == ("/m/d.md",)


def test_our_own_turns_are_read():
    turn = {
        "schema_version": 2, "id": "turn-7", "seq": 7, "created_at": "2026-03-10T09:30:00Z",
        "messages": [
            {"role": "user", "parts": [{"type": "text", "text": "use tabs"}]},
            {"role": "assistant", "parts": [
                {"type": "reasoning", "text": "hm"},
                {"type": "tool_call", "id": "c", "name": "save_file", "arguments": '{"path": "/m/e.md"}'}]},
        ],
    }  # fmt: skip
    read = read_transcript(lines(turn))
    assert [(m.role, m.text, m.id, m.at) for m in read.messages] == [
        ("user", "use tabs", "turn-7/0", AT), ("assistant", "", "turn-7/1", AT),
    ]  # fmt: skip
    assert read.messages[1].tool_paths == ("/m/e.md",)


def test_a_patch_tool_names_the_files_it_writes():
    patch = "*** Begin Patch\n*** Update File: /m/f.md\n@@\n*** End Patch"
    read = read_transcript(
        lines({"role": "assistant", "tool_calls": [
            {"function": {"name": "apply_patch", "arguments": json.dumps({"input": patch})}}]})
    )  # fmt: skip
    assert read.messages[0].tool_paths == ("/m/f.md",)


def test_broken_lines_are_reported_and_the_rest_is_read():
    text = (
        '{"role": "user", "content": "one"}\n{"role": "us\n7\n{"role": "user", "content": "two"}\n'
    )
    read = read_transcript(text)
    assert shape(read) == [("user", "one"), ("user", "two")]
    assert [(item.code, item.line) for item in read.problems] == [
        ("transcript_line", 2), ("transcript_line", 3),
    ]  # fmt: skip


def test_messages_without_an_id_get_one_from_their_content():
    one, two = read_messages(
        [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
    ).messages
    again = read_messages([{"role": "user", "content": "a"}]).messages[0]
    assert one.id
    assert one.id == again.id
    assert one.id != two.id


def test_messages_that_are_read_already_pass_through():
    told = (Message("user", "x", id="m1"), Message("assistant", "y", id="m2"))
    assert read_messages(told).messages == told


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["role", "content", "parts", "text", "type", "message", "messages", "seq",
                         "tool_calls", "function", "functionCall", "timestamp", "sessionId", "turns"]),
        inner, max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_any_json_is_read_or_reported(value):
    read = read_transcript(json.dumps(value))
    assert all(isinstance(item, Message) for item in read.messages)


@given(st.text(max_size=80))
def test_any_text_is_read_or_reported(text):
    read = read_transcript(text)
    assert read.messages == () or all(item.id for item in read.messages)
