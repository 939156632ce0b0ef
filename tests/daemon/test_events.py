"""The event bus: numbering, resuming, falling behind, and who may read what."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import pytest

from reverie.daemon.events import MAX_QUEUED_BYTES, MAX_SUBSCRIBERS, EventBus
from reverie.errors import TooManySubscribers

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def bus(ring=8000):
    return EventBus("epoch-1", clock=lambda: NOON, ring=ring)


def envelopes(reader):
    """Take every frame that waits for a reader, as (id line, event line, envelope)."""
    found = []
    while reader.waiting:
        frame = reader.waiting.popleft().decode()
        lines = dict(line.split(": ", 1) for line in frame.strip().split("\n"))
        found.append((lines.get("id"), lines["event"], json.loads(lines["data"])))
    return found


def kinds(reader):
    return [(envelope.get("id"), kind) for _, kind, envelope in envelopes(reader)]


def test_a_live_reader_gets_events_in_their_envelope():
    events = bus()
    reader = events.subscribe()
    events.publish("memory_changed", {"scope": "managed"}, client="page")
    ((number, kind, envelope),) = envelopes(reader)
    assert (number, kind) == ("1", "memory_changed")
    assert envelope == {
        "id": 1,
        "v": 1,
        "type": "memory_changed",
        "data": {"scope": "managed"},
        "originatorClientId": "page",
        "_meta": {"serverTimestamp": int(NOON.timestamp() * 1000)},
    }


def test_an_event_of_nobody_in_particular_has_no_originator():
    events = bus()
    reader = events.subscribe()
    events.publish("memory_changed", {})
    assert "originatorClientId" not in envelopes(reader)[0][2]


def test_a_fresh_reader_gets_only_what_comes_after_it():
    events = bus()
    events.publish("a", {})
    reader = events.subscribe()
    events.publish("b", {})
    assert kinds(reader) == [(2, "b")]


def test_a_reader_that_resumes_gets_what_it_missed_and_then_the_live_ones():
    events = bus()
    for kind in "abc":
        events.publish(kind, {})
    reader = events.subscribe(last_id=1, epoch="epoch-1")
    events.publish("d", {})
    found = envelopes(reader)
    assert [kind for _, kind, _ in found] == ["b", "c", "replay_complete", "d"]
    notice = found[2]
    assert notice[0] is None
    assert notice[2]["data"] == {"replayedCount": 2, "lastReplayedEventId": 3}
    assert "id" not in notice[2]


def test_resuming_at_the_end_replays_nothing():
    events = bus()
    events.publish("a", {})
    ((_, kind, envelope),) = envelopes(events.subscribe(last_id=1))
    assert kind == "replay_complete"
    assert envelope["data"] == {"replayedCount": 0, "lastReplayedEventId": None}


def test_resuming_past_the_ring_says_what_is_lost_and_gives_the_rest():
    events = bus(ring=3)
    for number in range(10):
        events.publish(f"e{number}", {})
    found = envelopes(events.subscribe(last_id=2))
    assert found[0][2]["data"] == {
        "reason": "ring_evicted",
        "lastDeliveredId": 2,
        "earliestAvailableId": 8,
    }
    assert [kind for _, kind, _ in found[1:]] == ["e7", "e8", "e9", "replay_complete"]


@pytest.mark.parametrize(("last", "epoch"), [(99, ""), (1, "another"), (99, "another")])
def test_resuming_in_another_life_of_the_daemon_asks_for_a_resync_and_gives_everything(last, epoch):
    events = bus()
    for kind in "ab":
        events.publish(kind, {})
    found = envelopes(events.subscribe(last_id=last, epoch=epoch))
    assert found[0][2]["data"]["reason"] == "epoch_reset"
    assert [kind for _, kind, _ in found[1:]] == ["a", "b", "replay_complete"]


def test_a_private_event_is_for_its_client_alone_also_when_replayed():
    events = bus()
    mine, other, nobody = (events.subscribe(client=name) for name in ("x", "y", ""))
    events.publish("task_updated", {}, client="x", private=True)
    events.publish("memory_changed", {}, client="x")
    assert kinds(mine) == [(1, "task_updated"), (2, "memory_changed")]
    assert kinds(other) == kinds(nobody) == [(2, "memory_changed")]
    assert [kind for _, kind in kinds(events.subscribe(client="y", last_id=0))] == [
        "memory_changed", "replay_complete",
    ]  # fmt: skip


def test_a_slow_reader_is_warned_once_and_then_evicted_and_others_are_not():
    events = bus()
    slow, quick = events.subscribe(max_queued=16), events.subscribe(max_queued=64)
    for number in range(17):
        events.publish(f"e{number}", {})
    found = envelopes(slow)
    warnings = [envelope for _, kind, envelope in found if kind == "slow_client_warning"]
    assert len(warnings) == 1
    assert (warnings[0]["data"]["queueSize"], warnings[0]["data"]["maxQueued"]) == (12, 16)
    assert found[-1][1] == "client_evicted"
    assert found[-1][2]["data"]["reason"] == "queue_overflow"
    last = max(envelope["id"] for _, _, envelope in found if "id" in envelope)
    assert found[-1][2]["data"]["droppedAfter"] == last
    assert slow.evicted.is_set()
    assert slow.ended
    assert events.evictions == 1
    assert len(events) == 1
    assert len(kinds(quick)) == 17


def test_a_warned_reader_that_catches_up_can_be_warned_again():
    events = bus()
    reader = events.subscribe(max_queued=16)
    for _ in range(2):
        for number in range(13):
            events.publish(f"e{number}", {})
        assert [kind for _, kind in kinds(reader)].count("slow_client_warning") == 1
        events.publish("calm", {})


def test_large_events_count_by_their_bytes():
    events = bus()
    reader = events.subscribe(max_queued=2048)
    for _ in range(9):
        events.publish("big", {"text": "x" * (MAX_QUEUED_BYTES // 8)})
    assert reader.evicted.is_set()


def test_what_is_replayed_does_not_count_as_falling_behind():
    events = bus()
    for number in range(500):
        events.publish(f"e{number}", {})
    reader = events.subscribe(last_id=0, max_queued=16)
    for number in range(10):
        events.publish(f"l{number}", {})
    assert not reader.evicted.is_set()
    assert len(reader.waiting) == 511


def test_the_number_of_readers_is_bounded():
    events = bus()
    readers = [events.subscribe() for _ in range(MAX_SUBSCRIBERS)]
    with pytest.raises(TooManySubscribers) as caught:
        events.subscribe()
    assert caught.value.code == "subscriber_limit_exceeded"
    events.unsubscribe(readers[0])
    events.subscribe()


def test_how_much_a_reader_may_queue_is_kept_within_bounds():
    assert bus().subscribe(max_queued=1).max_queued == 16
    assert bus().subscribe(max_queued=10**9).max_queued == 2048


def test_waiting_gives_frames_silence_and_the_end():
    async def story():
        events = bus()
        reader = events.subscribe()
        assert await reader.next(patience=0) == b""
        waiting = asyncio.ensure_future(reader.next(patience=30))
        await asyncio.sleep(0)
        events.publish("a", {})
        assert b"event: a" in await waiting
        assert reader.queued_bytes == 0
        events.publish("b", {})
        events.close()
        assert b"event: b" in await reader.next(patience=30)
        assert await reader.next(patience=30) is None

    asyncio.run(story())
