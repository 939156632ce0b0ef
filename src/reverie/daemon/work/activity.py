"""Whether anything was asked of a daemon lately; whoever needs to know waits for it instead of looking."""

from __future__ import annotations

import asyncio
import time


class Activity:
    """Counts what was asked. Belongs to the event loop's thread."""

    def __init__(self) -> None:
        self.count = 0
        self.last = time.monotonic()
        """When something was last asked, or when this began."""
        self._news = asyncio.Event()

    def note(self) -> None:
        """Note that something was asked."""
        self.count += 1
        self.last = time.monotonic()
        self._news.set()

    async def next(self) -> None:
        """Wait until something is asked after now."""
        self._news.clear()
        await self._news.wait()
