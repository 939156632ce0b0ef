"""The export format: what is written is read back, and what is broken is said to be."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.moving import export_format
from reverie.errors import InvalidContent, InvalidPath
from reverie.types import (
    Counts,
    Origin,
    PortableDelta,
    PortableFile,
    PortableHeader,
    PortableRun,
    PortableState,
    PortableText,
    RunRecord,
    TextPart,
    Turn,
    TurnMessage,
)

NOW = datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC)
KEY = "0" * 64

RECORDS = [
    PortableFile("user/a.md", "\ufeffone\r\ntwo", NOW, private=False),
    PortableFile("context/.reverie/AGENTS.md", "x"),
    PortableState("project/meta.json", {"a": [1, None, {"b": "ü"}]}),
    PortableText("text \ud800 with half a character"),
    PortableRun(
        RunRecord(
            "20260501-120000-abcdef01", NOW, "remember", "done", ("user/a.md",), "s", "t",
            Origin.AGENT, "c", "note\nof two lines", "20260501-110000-abcdef01", "", {"k": 1},
        ),
        (PortableDelta("user/a.md", None, KEY, False),),
    ),
    Turn(7, NOW, (TurnMessage("user", (TextPart("hi"),)),), "turn-7", "s", "src", {"x": 1}),
]  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_is_one_line_and_comes_back(record):
    line = export_format.encode(record)
    assert line.count("\n") == 1
    line.encode("utf-8")
    assert export_format.decode(line) == record


@given(st.text(), st.text())
def test_any_text_comes_back(name, text):
    at = f"user/{name}.md"
    record = PortableFile(at, text, NOW)
    line = export_format.encode(record)
    assert line.endswith("\n")
    assert "\n" not in line[:-1]
    try:
        assert export_format.decode(line) == record
    except InvalidPath:
        assert not export_format.is_plain(f"{name}.md") or "/." in f"/{name}.md"


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: (
    st.lists(inner) | st.dictionaries(st.sampled_from(
        ["kind", "at", "text", "value", "id", "status", "deltas", "turn", "before"]) | st.text(), inner)
)))  # fmt: skip
def test_whatever_a_line_holds_it_is_read_or_refused(value):
    try:
        export_format.decode(json.dumps(value))
    except (InvalidContent, InvalidPath):
        return


@given(st.text(), st.sampled_from(["file", "state", "text", "run", "turn", "end", "reverie"]))
def test_a_record_without_its_fields_is_refused(text, kind):
    line = json.dumps({"kind": kind, "at": text, "version": text})
    try:
        found = export_format.decode(line)
    except (InvalidContent, InvalidPath):
        return
    assert isinstance(found, Counts)


def test_header_and_end_come_back():
    header = PortableHeader(1, NOW, "reverie", "default", "house", True)
    assert export_format.decode_header(export_format.encode_header(header)) == header
    assert export_format.is_header(export_format.encode_header(header))
    assert export_format.decode(export_format.encode_end(Counts(1, 2, 3, 4))) == Counts(1, 2, 3, 4)


@pytest.mark.parametrize(
    "line", ["", "[]", '{"kind":"file"}', '{"kind":"reverie"}', '{"kind":"reverie","version":"1"}']
)
def test_what_is_no_header_is_refused(line):
    with pytest.raises(InvalidContent):
        export_format.decode_header(line)


def test_names_that_one_file_system_would_not_tell_apart_fold_to_one():
    assert export_format.folded("user/Café.md") == export_format.folded("user/cafe\u0301.MD")
    assert export_format.folded("user/a.md") != export_format.folded("user/b.md")


@given(st.text())
def test_a_plain_path_never_leads_up(rel):
    if export_format.is_plain(rel):
        assert not {"", ".", ".."} & set(rel.split("/"))
        assert not rel.startswith("/")
        assert "\0" not in rel
