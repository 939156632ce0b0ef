"""Values as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from pathlib import PurePosixPath

import pytest

from reverie.core.wire import to_json, to_wire
from reverie.types import Applied, Scope


def test_values_become_camel_case_json():
    applied = Applied(run="r", paths=("/a",), scopes=(Scope.USER,), catalog_notes=("x",))
    assert to_wire(applied) == {
        "run": "r",
        "paths": ["/a"],
        "scopes": ["user"],
        "redactions": [],
        "catalogNotes": ["x"],
    }


def test_everything_a_value_may_hold_can_be_dumped():
    value = {
        "at": datetime(2026, 5, 1, tzinfo=UTC),
        "path": PurePosixPath("/a"),
        "set": {"b", "a"},
        "n": None,
    }
    assert json.dumps(to_wire(value)) == (
        '{"at": "2026-05-01T00:00:00Z", "path": "/a", "set": ["a", "b"], "n": null}'
    )


@dataclass(frozen=True)
class One:
    only_field: object


class Shade(StrEnum):
    DARK = "dark"


class Number(IntEnum):
    TWO = 2


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (One(None), {"onlyField": None}),
        (One(One(b"\xff")), {"onlyField": {"onlyField": "\ufffd"}}),
        ((Shade.DARK, Number.TWO, True, 1.5), ["dark", 2, True, 1.5]),
        ({Shade.DARK: [frozenset({"b", "a"})], 3: ()}, {"dark": [["a", "b"]], "3": []}),
        (One, One),
    ],
)
def test_a_type_is_shaped_by_what_it_is(value, wanted):
    assert to_wire(value) == wanted


def test_json_is_written_as_utf_8_without_blanks():
    assert to_json({"a": ["ü", None, 0.5]}) == '{"a":["ü",null,0.5]}'.encode()


@pytest.mark.parametrize("strange", ["a\ud800b", 2**70, {"\udfff": -(2**64)}])
def test_what_the_fast_writer_refuses_is_written_too(strange):
    wanted = json.dumps(strange, ensure_ascii=False, separators=(",", ":"))
    assert to_json(strange) == wanted.encode("utf-8", "replace")
