"""The shared bus: whatever is published reaches the database, and is read back where somebody reads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from reverie.daemon.shared.bus import SharedBus
from reverie.daemon.work.workers import Workers
from reverie.postgres.events import NewEvent, StoredEvent


class Rows:
    """The events of a place, in memory; `meanwhile` happens while they are read."""

    def __init__(self) -> None:
        self.kept: list[StoredEvent] = []
        self.appends: list[int] = []
        """How many events came at once, each time."""
        self.reads = 0
        self.last = 0
        self.meanwhile: Callable[[], None] = lambda: None

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.kept]

    def append(self, events: Sequence[NewEvent]) -> None:
        self.appends.append(len(events))
        for event in events:
            self.last += 1
            self.kept.append(
                StoredEvent(self.last, event.kind, "", False, event.data, datetime.now(UTC))
            )

    def after(self, last: int) -> list[StoredEvent]:
        self.reads += 1
        self.meanwhile()
        return [event for event in self.kept if event.id > last]


def told(story: Callable[[SharedBus, Rows], Awaitable[None]]) -> Rows:
    """Run a story of a bus; return its rows."""

    async def run() -> Rows:
        rows, desk = Rows(), Workers("test", size=1)
        bus = SharedBus("epoch", rows, desk, clock=lambda: datetime.now(UTC))  # type: ignore[arg-type]
        try:
            await story(bus, rows)
        finally:
            desk.stop()
        return rows

    return asyncio.run(run())


async def sent(bus: SharedBus) -> None:
    assert bus._sender is not None
    await bus._sender


def test_what_is_published_while_events_are_read_back_is_sent_too():
    async def story(bus: SharedBus, rows: Rows) -> None:
        loop = asyncio.get_running_loop()

        def publish_once() -> None:
            rows.meanwhile = lambda: None
            done = asyncio.run_coroutine_threadsafe(later(), loop)
            done.result(timeout=30)

        async def later() -> None:
            bus.publish("second", {})

        bus.subscribe()
        rows.meanwhile = publish_once
        bus.publish("first", {})
        await sent(bus)

    assert told(story).kinds == ["first", "second"]


def test_what_is_published_at_once_is_kept_at_once_and_in_order():
    async def story(bus: SharedBus, _: Rows) -> None:
        for kind in ("first", "second", "third"):
            bus.publish(kind, {})
        await sent(bus)

    rows = told(story)
    assert rows.kinds == ["first", "second", "third"]
    assert rows.appends == [3]


def test_nothing_is_read_back_until_somebody_reads_who_then_misses_nothing():
    async def story(bus: SharedBus, rows: Rows) -> None:
        bus.publish("first", {})
        await sent(bus)
        await bus.told()  # another daemon's event
        assert rows.reads == 0
        await bus.catch_up()
        reader = bus.subscribe(last_id=0)
        assert b"event: first" in reader.waiting[0]
        bus.publish("second", {})
        await sent(bus)
        assert b"event: second" in reader.waiting[-1]

    told(story)


def test_a_reader_who_comes_from_another_daemon_is_not_ahead_of_this_one():
    async def story(bus: SharedBus, rows: Rows) -> None:
        rows.append([NewEvent("elsewhere", {})])  # its announcement is still on its way
        await bus.catch_up()
        reader = bus.subscribe(last_id=1, epoch="epoch")
        assert not any(b"epoch_reset" in frame for frame in reader.waiting)

    told(story)


def test_a_reader_is_told_when_events_between_are_kept_no_more():
    async def story(bus: SharedBus, rows: Rows) -> None:
        rows.append([NewEvent("old", {})])
        await bus.catch_up()
        rows.append([NewEvent("lost", {}), NewEvent("new", {})])
        del rows.kept[1]
        await bus.catch_up()
        reader = bus.subscribe(last_id=1)
        assert any(b"ring_evicted" in frame for frame in reader.waiting)

    told(story)
