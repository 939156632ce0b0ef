"""Answers: only what the question allows is believed."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.asking.answers import (
    MAX_PATCHES,
    PATCHES_SCHEMA,
    ids_schema,
    patches_schema,
    read_ids,
    read_json,
    read_patches,
    unfounded_values,
)
from reverie.errors import BadAnswer

SAID = {
    "t1": "We ship on Friday, March 5 to acme.example. Never push to main!",
    "t2": "好的，我喜欢深色模式",
}
DAYS = {"t1": date(2026, 3, 2), "t2": date(2026, 3, 2)}


def memory(**changes):
    return {
        "kind": "project", "summary": "Ship on March 5 to acme.example", "why": "", "how": "",
        "turn": "t1", "quote": "We ship on Friday, March 5", **changes,
    }  # fmt: skip


def read(*memories):
    return read_patches({"memories": list(memories)}, said=SAID, days=DAYS, min_width=12)


@pytest.mark.parametrize(
    "text",
    ['{"ids": []}', 'Sure:\n```json\n{"ids": []}\n```\nDone.', 'I think {"ids": []} is right'],
)
def test_json_is_found_in_what_a_model_says(text):
    assert read_json(text) == {"ids": []}


@pytest.mark.parametrize("text", ["", "no", '{"ids": [', "[1]", "{" * 50_000])
def test_what_is_not_json_is_no_answer(text):
    with pytest.raises(BadAnswer):
        read_json(text)


def test_ids_must_be_known_and_within_the_limit():
    assert read_ids({"ids": ["m2", " m1", "m2"]}, known={"m1", "m2"}) == ["m2", "m1"]
    assert read_ids({"ids": []}, known={"m1"}) == []
    for bad in ({"ids": ["m9"]}, {"ids": "m1"}, {"ids": [1]}, ["m1"], None, {}):
        with pytest.raises(BadAnswer):
            read_ids(bad, known={"m1"})
    with pytest.raises(BadAnswer, match="2 ids"):
        read_ids({"ids": ["m1", "m2"]}, known={"m1", "m2"}, limit=1)


def test_a_memory_that_quotes_the_person_is_taken():
    patches, dropped = read(memory())
    assert [patch.summary for patch in patches] == ["Ship on March 5 to acme.example"]
    assert not dropped


def test_a_quote_in_any_script_counts():
    patches, _ = read(
        memory(kind="user", summary="喜欢深色模式", turn="t2", quote="我喜欢深色模式")
    )
    assert len(patches) == 0  # eight characters are too few to be sure
    patches, _ = read(memory(kind="user", summary="喜欢深色模式", turn="t2", quote=SAID["t2"]))
    assert len(patches) == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"quote": "We ship on Saturday"}, "not_said"),
        ({"quote": ""}, "not_said"),
        ({"quote": "push"}, "not_said"),
        ({"turn": "t9"}, "unknown_turn"),
        ({"kind": "secret"}, "bad_kind"),
        ({"summary": "Ship on March 6 to acme.example"}, "not_said: 6"),
        ({"how": "curl https://evil.example/x"}, "not_said: "),
        ({"why": "Mallory said so, ask Mallory"}, "not_said: mallory"),
    ],
)
def test_what_was_not_said_is_left_out_with_its_reason(changes, reason):
    patches, dropped = read(memory(**changes))
    assert not patches
    assert dropped[0].reason.startswith(reason)


@pytest.mark.parametrize(
    "value", [None, [], {"memories": {}}, {"memories": ["x"]}, {"memories": [{"kind": 3}]},
              {"memories": [{"summary": "x" * 5000}]}]
)  # fmt: skip
def test_an_answer_of_another_shape_is_no_answer(value):
    with pytest.raises(BadAnswer):
        read_patches(value, said=SAID, days=DAYS, min_width=12)


def test_more_than_a_model_may_propose_is_listed():
    patches, dropped = read(*[memory()] * (MAX_PATCHES + 3))
    assert len(patches) == MAX_PATCHES
    assert dropped[0].what == "3 memories"


def test_values_are_found_in_their_source_or_named():
    assert unfounded_values("Port 8080 on db1.internal", "use db1.internal:8080") == []
    assert unfounded_values("Port 8081", "port 8080") == ["8081"]


WORDS = st.sampled_from(["memories", "kind", "turn", "ids"])
LEAVES = st.none() | st.booleans() | st.text(max_size=9)


@given(
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    )
)
def test_no_answer_breaks_the_reader(value):
    for reader in (
        lambda: read_ids(value, known={"m1"}),
        lambda: read_patches(value, said=SAID, days=DAYS, min_width=12),
    ):
        try:
            reader()
        except BadAnswer:
            continue


def test_a_schema_names_what_may_be_answered_and_nothing_else():
    ids = ids_schema(["m1", "m2"])
    assert ids["properties"]["ids"]["items"] == {"type": "string", "enum": ["m1", "m2"]}
    assert (ids["required"], ids["additionalProperties"]) == (["ids"], False)
    assert ids["properties"]["ids"]["maxItems"] == 2
    assert ids_schema(["m1", "m2"], limit=1)["properties"]["ids"]["maxItems"] == 1
    item = patches_schema(["t1"])["properties"]["memories"]["items"]
    assert item["properties"]["turn"] == {"type": "string", "enum": ["t1"]}
    assert sorted(item["required"]) == sorted(item["properties"])
    assert "enum" not in PATCHES_SCHEMA["properties"]["memories"]["items"]["properties"]["turn"]
