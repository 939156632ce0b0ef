"""Schemas made from value classes hold for what `to_wire` makes of their values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from reverie.core.wire import to_wire
from reverie.errors import InvalidArgument
from reverie.mcp.arguments import checked
from reverie.mcp.more import SURFACES
from reverie.mcp.shapes import schema_of, wire
from reverie.types import Hit, Kind, Origin, RunRecord, Scope, SearchOutcome, SearchStats, Source


@dataclass(frozen=True)
class Inner:
    kind: Kind
    note: str | None = None


@dataclass(frozen=True)
class Outer:
    when_made: datetime
    mode: Literal["a", "b"]
    parts: tuple[Inner, ...]
    score: float
    facts: dict[str, Any]


def test_a_schema_describes_the_wire():
    schema = schema_of(Outer)
    value = Outer(datetime(2026, 1, 2, tzinfo=UTC), "a", (Inner(Kind.USER),), 1.5, {"x": 1})
    Draft202012Validator(schema).validate(to_wire(value))
    assert list(schema["properties"]) == ["whenMade", "mode", "parts", "score", "facts"]
    wrong = {**to_wire(value), "mode": "c"}
    assert not Draft202012Validator(schema).is_valid(wrong)


@pytest.mark.parametrize(
    "value",
    [
        SearchOutcome(
            "q", (Hit("p", "1-2", "t", 0.5, Source.CHAT),), 1, "keyword", SearchStats(1, 1)
        ),
        RunRecord(
            "id", datetime(2026, 1, 2, tzinfo=UTC), "save", "done", ("a",), origin=Origin.AGENT
        ),
    ],
)
def test_real_outcomes_fit_their_schemas(value):
    Draft202012Validator(schema_of(type(value))).validate(to_wire(value))


def test_some_fields_can_be_chosen():
    assert wire(Inner(Kind.USER, "n"), "note") == {"note": "n"}
    assert schema_of(Scope)["enum"] == ["user", "project"]


def test_what_has_no_shape_is_refused():
    with pytest.raises(TypeError):
        schema_of(object)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(
    tool=st.sampled_from(SURFACES["full"]),
    names=st.lists(st.text(max_size=5), max_size=2),
    values=st.lists(VALUES, min_size=12, max_size=12),
)
def test_arguments_that_pass_the_check_fit_the_schema(tool, names, values):
    given_ = dict(zip([*tool.takes["properties"], *names], values, strict=False))
    try:
        passed = checked(tool.name, tool.takes, given_)
    except InvalidArgument as error:
        assert str(error)
        return
    Draft202012Validator(tool.takes).validate(passed)
