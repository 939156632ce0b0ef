"""Reading event streams: any pieces, any line ends, never an exception for bad data."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.client.sse import MAX_BUFFER, DaemonEvent, SseReader, normalise
from reverie.errors import DaemonUnreachable


def frame(number=None, kind="memory_changed", data=None, end="\n", **more):
    envelope = {**({"id": number} if number else {}), "v": 1, "type": kind, "data": data or {}}
    head = f"id: {number}{end}" if number else ""
    body = json.dumps({**envelope, **more}, ensure_ascii=False)
    return f"{head}event: {kind}{end}data: {body}{end}{end}"


def read(text):
    return list(SseReader().feed(text.encode()))


def test_a_frame_becomes_an_event():
    text = frame(7, data={"a": 1}, originatorClientId="me", _meta={"serverTimestamp": 5})
    assert read(text) == [DaemonEvent("memory_changed", {"a": 1}, 7, "me", 5)]


def test_comments_and_frames_without_data_give_nothing():
    assert read(": heartbeat\n\nid: 3\n\nevent: x\n\n") == []


@given(
    st.lists(st.tuples(st.integers(1, 99), st.text(max_size=20)), max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.lists(st.integers(1, 30), max_size=40),
)
def test_whatever_pieces_the_bytes_come_in_the_events_are_the_same(events, end, sizes):
    data = "".join(
        frame(n, data={"t": t}, end=end) + f": beat{end}{end}" for n, t in events
    ).encode()
    reader, found, at = SseReader(), [], 0
    for size in [*sizes, len(data)]:
        found += reader.feed(data[at : at + size])
        at += size
    found += reader.feed(b"\n\n")  # a lone CR at the very end may have been held back
    assert [(event.id, event.data["t"]) for event in found] == events


@given(st.binary(max_size=200))
def test_rubbish_never_raises(data):
    for event in SseReader().feed(data + b"\n\n"):
        normalise(event)


def test_data_that_is_not_ours_becomes_a_debug_event():
    for data in ("{broken", "[1]", '"text"', "[" * 100_000):
        (event,) = read(f"event: x\ndata: {data}\n\n")
        assert event.type == "debug"
    (event,) = read('data: {"type": "x", "data": 5, "id": "7"}\n\n')
    assert (event.type, event.data, event.id) == ("x", {"value": 5}, None)


def test_a_stream_without_end_is_an_error_and_not_a_full_memory():
    reader = SseReader()
    assert list(reader.feed(b"x" * MAX_BUFFER)) == []
    with pytest.raises(DaemonUnreachable):
        list(reader.feed(b"x"))


MANAGED = {
    "scope": "managed",
    "source": "workspace_memory_remember",
    "taskId": "remember-1",
    "touchedScopes": ["user", "project"],
}
FILE = {"scope": "workspace", "filePath": "/a/QWEN.md", "mode": "append", "bytesWritten": 5}


def test_the_documents_event_is_normalised_to_the_documents_object():
    assert normalise({"type": "memory_changed", "data": MANAGED}) == {
        "type": "workspace.memory.changed",
        **MANAGED,
    }
    assert normalise({"type": "memory_changed", "data": FILE}) == {
        "type": "workspace.memory.changed",
        **FILE,
    }


def test_number_time_and_originator_come_along_when_there_are_any():
    event = DaemonEvent("memory_changed", MANAGED, 9, "me", 1234)
    shown = normalise(event)
    assert (shown["eventId"], shown["serverTimestamp"], shown["originatorClientId"]) == (
        9, 1234, "me",
    )  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"scope": "other"}, {"source": ""}, {"source": 5}, {"taskId": None}, {"touchedScopes": "user"},
        {"touchedScopes": ["user", "team"]}, {"touchedScopes": None},
    ],
)  # fmt: skip
def test_a_malformed_managed_event_becomes_a_debug_event(change):
    shown = normalise({"type": "memory_changed", "data": {**MANAGED, **change}})
    assert (shown["type"], shown["debugReason"]) == ("debug", "malformed_payload")


@pytest.mark.parametrize(
    "change", [{"filePath": ""}, {"mode": "prepend"}, {"bytesWritten": "5"}, {"bytesWritten": True}]
)
def test_a_malformed_file_event_becomes_a_debug_event(change):
    shown = normalise({"type": "memory_changed", "data": {**FILE, **change}})
    assert shown["type"] == "debug"


def test_other_events_are_named_and_unknown_ones_are_debug():
    task = {"taskId": "dream-1", "kind": "dream", "status": "failed", "error": {"code": "x"}}
    shown = normalise({"type": "task_updated", "data": task})
    assert shown == {"type": "workspace.memory.task.updated", **task}
    replayed = normalise({"type": "replay_complete", "data": {"replayedCount": 2}})
    assert replayed == {"type": "session.replay_complete", "replayedCount": 2}
    assert normalise({"type": "something_new", "data": {}})["type"] == "debug"
