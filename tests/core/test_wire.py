"""Values as JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import PurePosixPath

from reverie.core.wire import to_wire
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
