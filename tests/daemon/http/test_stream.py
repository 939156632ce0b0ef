"""A stream to a reader that hung up ends; what is replayed does not go out frame by frame."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from reverie.daemon.events import EventBus
from reverie.daemon.http.stream import EventStream

EVENTS = 5000


def bus_with_a_past() -> EventBus:
    bus = EventBus("epoch", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC))
    for number in range(EVENTS):
        bus.publish("memory_changed", {"number": number, "text": "x" * 200})
    return bus


async def sent(*, hangs_up: bool) -> list[bytes]:
    """Stream the past to a reader, who may be gone by the time the first bytes are sent."""
    bus = bus_with_a_past()
    reader = bus.subscribe(last_id=0)
    bodies: list[bytes] = []
    over = asyncio.Event()

    async def receive():
        if not hangs_up:
            await over.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        bodies.append(message.get("body", b""))
        if b"replay_complete" in bodies[-1]:
            over.set()

    stream = EventStream(bus, reader, heartbeat=30.0, headers={})
    await stream({"type": "http", "state": {}}, receive, send)
    assert len(bus) == 0
    return bodies


def test_a_reader_that_hung_up_costs_no_more_than_one_piece():
    assert len(asyncio.run(sent(hangs_up=True))) <= 4


def test_what_was_missed_comes_whole_and_in_few_pieces():
    bodies = asyncio.run(sent(hangs_up=False))
    assert len(bodies) < EVENTS / 50
    assert max(map(len, bodies)) <= 64 * 1024
    frames = b"".join(bodies).split(b"\n\n")
    numbers = [
        int(line[4:]) for frame in frames for line in frame.split(b"\n") if line[:3] == b"id:"
    ]
    assert numbers == list(range(1, EVENTS + 1))
