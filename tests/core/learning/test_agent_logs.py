"""Transcripts of every agent give the same conversation."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.core.learning.agent_logs import read_records
from reverie.core.learning.chat_logs import read_chat
from reverie.core.learning.transcripts import read_messages

DATA = Path(__file__).parents[2] / "data" / "agents"
NOW = datetime(2026, 5, 2, tzinfo=UTC)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "qwen", "cursor"])
def test_what_the_person_said_and_the_answer_are_found(agent):
    text = (DATA / agent / "transcript.jsonl").read_text()
    records = read_records(text, session="s1")
    messages = read_messages(records).messages
    said = [item.text for item in messages if item.role == "user"]
    assert len(said) == 1
    assert said[0].startswith("Remember that we deploy the billing gateway only on Tuesdays.")
    import json

    log = read_chat("\n".join(map(json.dumps, records)), now=NOW)
    assert len(log.turns) == 1
    assert [item.role for item in log.turns[0].messages if item.role != "system"] == [
        "user",
        "assistant",
    ]
    assert log.turns[0].session


def test_a_last_line_that_is_half_written_is_passed_over():
    text = '{"role": "user", "content": "hello"}\n{"role": "assis'
    assert [item["content"] for item in read_records(text)] == ["hello"]


@pytest.mark.parametrize("text", ["", "[]", "3", '"x"', "null", "{}", "not json at all"])
def test_what_is_no_transcript_gives_no_messages(text):
    assert not read_messages(read_records(text)).messages
