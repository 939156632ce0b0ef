"""Extraction: a labelled table of turns, what is not speech, and the document's filters."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.learning.extraction import (
    filter_patches,
    find_patches,
    turns_of,
    writes_memory,
)
from reverie.core.showing.fence import fence
from reverie.types import Dropped, Kind, Message, Patch

TABLE = json.loads(
    (Path(__file__).parents[2] / "data" / "extraction_table.json").read_text(encoding="utf-8")
)
NOW = datetime(2026, 3, 10, 9, 30, tzinfo=UTC)


def found(text, *, role="user", at=NOW):
    """Return what one message gives."""
    message = Message(role, text, id="t1", at=at)
    return find_patches([message], memory_roots=["/m"], cwd="/w", now=NOW, min_width=12).patches


def judged(case):
    """Return how many memories of a case were right, wrong and missed."""
    text = re.sub(r"\{\{recall:(.*?)\}\}", lambda m: fence(m[1]), case["text"], flags=re.S)
    patches = found(text, role=case["role"], at=datetime.fromisoformat(case["at"]))
    wanted = list(case["expect"])
    right = 0
    for patch in patches:
        hit = next((item for item in wanted if _fits(item, patch)), None)
        if hit is not None:
            wanted.remove(hit)
            right += 1
    return right, len(patches) - right, len(wanted)


def _fits(wanted, patch):
    return (
        patch.kind.value in wanted["kinds"]
        and all(word in f"{patch.summary} {patch.how}" for word in wanted["contains"])
        and all(word in patch.why for word in wanted.get("why", []))
    )


def test_the_table_is_large_and_mixed():
    cases = TABLE["held_out"] + TABLE["held_out_late"] + TABLE["development"]
    assert len(cases) >= 80
    assert len({case["id"] for case in cases}) == len(cases)
    assert sum(not case["expect"] for case in cases) >= 30


@pytest.mark.parametrize("part", ["held_out", "held_out_late", "development"])
def test_precision_is_at_least_nine_in_ten(part):
    results = [judged(case) for case in TABLE[part]]
    right, wrong, missed = (sum(column) for column in zip(*results, strict=True))
    assert right / (right + wrong) >= 0.9
    assert right / (right + missed) >= 0.5, "precision comes first, but not alone"


def test_a_recalled_block_is_never_learnt_from_wherever_it_stands():
    block = fence("I prefer tabs over spaces.\nWe decided to use Kafka because of replay.")
    for text in (
        block,
        f"hi\n\n{block}\n\nthanks",
        "\n".join(f"> {line}" for line in block.split("\n")),
    ):
        assert found(text) == ()


def test_of_a_very_long_message_both_ends_are_read_and_the_rest_is_told():
    text = "I prefer tabs over spaces.\n" + "word " * 20_000 + "\nI work as a nurse."
    message = Message("user", text, id="t1", at=NOW)
    outcome = find_patches([message], memory_roots=[], cwd="/", now=NOW, min_width=12)
    assert [patch.summary for patch in outcome.patches] == [
        "I prefer tabs over spaces", "I work as a nurse",
    ]  # fmt: skip
    assert [item.reason for item in outcome.dropped] == ["too_long"]


def test_each_memory_names_its_turn_and_its_reason():
    (patch,) = found("We decided to use Kafka instead of RabbitMQ because we need replay.")
    assert patch == Patch(
        Kind.PROJECT, "We decided to use Kafka instead of RabbitMQ", "we need replay",
        turn="t1", form="decision",
    )  # fmt: skip


def test_a_date_counts_from_the_day_of_the_turn_not_of_the_run():
    early = datetime(2026, 1, 5, tzinfo=UTC)
    (patch,) = found("The code freeze starts next Monday.", at=early)
    assert "2026-01-12" in patch.summary


def test_a_turn_in_which_the_agent_wrote_memory_is_left_alone_and_others_are_not():
    messages = [
        Message("user", "I prefer tabs over spaces.", id="u1"),
        Message(
            "assistant", "saved", id="a1", tool_name="write_file", tool_paths=("/m/user/tabs.md",)
        ),
        Message("user", "I work as a nurse.", id="u2"),
        Message("assistant", "noted", id="a2"),
    ]
    outcome = find_patches(messages, memory_roots=["/m"], cwd="/w", now=NOW, min_width=12)
    assert [patch.turn for patch in outcome.patches] == ["u2"]
    assert outcome.handled == 1
    assert Dropped("turn u1", "memory_tool") in outcome.dropped


@pytest.mark.parametrize(
    ("message", "wrote"),
    [
        (Message("assistant", "", tool_paths=("/m/a.md",)), True),
        (Message("assistant", "", tool_paths=("../m/a.md",)), True),
        (Message("assistant", "", tool_paths=("/mm/a.md",)), False),
        (Message("assistant", "", tool_paths=("/w/m/a.md",)), False),
        (Message("assistant", "", tool_name="mcp__reverie__remember"), True),
        (Message("assistant", "", tool_name="save_memory"), True),
        (Message("assistant", "", tool_name="memory_search"), False),
        (Message("user", "", tool_name="save_memory"), False),
    ],
)
def test_direct_writes_to_memory_are_noticed(message, wrote):
    assert writes_memory(message, ["/m"], "/w") is wrote


def test_a_turn_ends_where_the_user_speaks_after_an_answer():
    roles = ["user", "user", "assistant", "tool", "assistant", "user", "assistant"]
    turns = turns_of([Message(role, str(i)) for i, role in enumerate(roles)])
    assert [[m.text for m in turn] for turn in turns] == [["0", "1", "2", "3", "4"], ["5", "6"]]


@pytest.mark.parametrize(
    ("summary", "reason"),
    [
        ("too short", "too_short"),
        ("短すぎる", "too_short"),
        ("以后回复不要加总结", ""),  # nine characters, eighteen columns
        ("Should we always use UTC?", "question"),
        ("我们要一直用 UTC 吗？", "question"),
        ("هل نستخدم Redis دائما؟", "question"),
        ("I am currently debugging the parser", "temporary"),
        ("目前先用测试环境的数据库", "temporary"),
        ("Never push to main now that it is protected", ""),
        ("Nowhere else is this documented", ""),
        ("从现在起回复都用中文", ""),
    ],
)
def test_the_filters_are_right_for_every_script(summary, reason):
    kept, dropped = filter_patches([Patch(Kind.FEEDBACK, summary)], min_width=12)
    assert [item.reason for item in dropped] == ([reason] if reason else [])
    assert len(kept) == (0 if reason else 1)


def test_what_is_said_twice_is_kept_once_per_kind():
    patches = [
        Patch(Kind.USER, "I prefer  TABS over spaces"),
        Patch(Kind.USER, "i prefer tabs over spaces"),
        Patch(Kind.FEEDBACK, "I prefer tabs over spaces"),
    ]
    kept, dropped = filter_patches(patches, min_width=12)
    assert [patch.kind for patch in kept] == [Kind.USER, Kind.FEEDBACK]
    assert [item.reason for item in dropped] == ["duplicate"]


@given(st.text(max_size=300))
def test_any_message_is_read_without_harm(text):
    for patch in found(text):
        assert patch.summary.strip()
        assert patch.turn == "t1"
