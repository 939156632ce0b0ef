"""The shared bus: whatever is published reaches the database, whenever it is published."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from reverie.daemon.shared.bus import SharedBus
from reverie.daemon.work.workers import Workers


class Rows:
    """The events of a place, in memory; `meanwhile` happens while they are read."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def append(self, kind: str, *_: Any, **__: Any) -> int:
        self.kinds.append(kind)
        return len(self.kinds)

    def after(self, _: int) -> list[Any]:
        self.meanwhile()
        return []


def test_what_is_published_while_events_are_read_back_is_sent_too():
    async def story() -> list[str]:
        rows, desk = Rows(), Workers("test", size=1)
        bus = SharedBus("epoch", rows, desk, clock=lambda: datetime.now(UTC))  # type: ignore[arg-type]
        loop = asyncio.get_running_loop()

        def publish_once() -> None:
            rows.meanwhile = lambda: None
            done = asyncio.run_coroutine_threadsafe(later(), loop)
            done.result(timeout=30)

        async def later() -> None:
            bus.publish("second", {})

        rows.meanwhile = publish_once
        bus.publish("first", {})
        assert bus._sender is not None
        await bus._sender
        desk.stop()
        return rows.kinds

    assert asyncio.run(story()) == ["first", "second"]
