"""The events of a workspace that several daemons serve: numbered in the database, told by all.

Rules
- What is published here goes into the database, in order, and comes back by its number; so readers
  on every daemon see the same events under the same numbers, and can resume on any of them.
- The ring holds what the database still has, for readers that resume, and only while somebody reads.
- What is written once in the lane keeps its event in the same transaction, instead of one more.
- While nobody reads here nothing is read back: it is caught up with when the first reader comes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from reverie.daemon.events import MAX_SUBSCRIBERS, Event, EventBus, Subscription
from reverie.errors import ReverieError
from reverie.postgres.events import NewEvent

if TYPE_CHECKING:
    from reverie.daemon.work.workers import Workers
    from reverie.postgres.events import PgEvents, StoredEvent

_log = logging.getLogger(__name__)
_RETRY_SECONDS = 1.0
_MOST_UNSENT = 10_000


class SharedBus(EventBus):
    """A bus whose events are rows."""

    def __init__(
        self,
        epoch: str,
        events: PgEvents,
        bookkeeping: Workers,
        *,
        clock: Callable[[], datetime],
        most: int = MAX_SUBSCRIBERS,
    ) -> None:
        super().__init__(epoch, clock=clock, most=most)
        self._events = events
        self._bookkeeping = bookkeeping
        self._unsent: deque[NewEvent] = deque()
        self._sender: asyncio.Task[None] | None = None
        self._pulls: set[asyncio.Task[None]] = set()
        self._pulling = asyncio.Lock()
        self._behind = False
        """Whether there is more in the database than was read back."""
        self._whole = False
        """Whether the ring holds what the database still has."""

    def begin_at(self, last: int) -> None:
        """Begin above a number; what is older is read when somebody wants to know."""
        self.last_id = max(self.last_id, last)

    def publish(
        self, kind: str, data: Mapping[str, Any], *, client: str = "", private: bool = False
    ) -> Event | None:
        """Send an event to the database; readers get it when it comes back."""
        self.published += 1
        if len(self._unsent) >= _MOST_UNSENT:
            _log.error("the database takes no events; %s is dropped", kind)
            return None
        self._unsent.append(NewEvent(kind, dict(data), client, private))
        if self._sender is None or self._sender.done():
            self._sender = asyncio.get_running_loop().create_task(self._send(), name="events")
        return None

    def was_told(self) -> bool:
        """Hear that a write kept an event of its own, with its number."""
        self.published += 1
        self._behind = True
        if len(self):
            self._pull_soon()
        return True

    def is_awaited(self) -> bool:
        """Note, in any thread, that the database has something new; say whether somebody waits for it."""
        self._behind = True
        return bool(len(self))

    def subscribe(self, **wishes: Any) -> Subscription:
        """Open a stream; what came since the look before it is read now."""
        reader = super().subscribe(**wishes)
        if self._behind:
            self._pull_soon()
        return reader

    def _drop(self, reader: Subscription) -> None:
        super()._drop(reader)
        if not len(self):  # thousands of events of each workspace that is open are too much to keep
            self._ring.clear()
            self._whole = False

    def _pull_soon(self) -> None:
        pulling = asyncio.get_running_loop().create_task(self._pull(), name="events")
        self._pulls.add(pulling)
        pulling.add_done_callback(self._pulls.discard)

    async def _send(self) -> None:
        while self._unsent:  # looked at again after each pull: more may have come meanwhile
            waiting = list(self._unsent)
            try:
                await self._bookkeeping.run(partial(self._events.append, waiting))
            except ReverieError as error:
                _log.warning("events cannot be kept, trying again: %s", error)
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            for _ in waiting:
                self._unsent.popleft()
            if not self._unsent:
                await self.told()

    async def told(self) -> None:
        """Hear that the database has something new: read it where somebody waits for it."""
        self._behind = True
        if len(self):
            await self._pull()

    async def catch_up(self) -> None:
        """Read what happened while nobody did, also what was not announced here yet."""
        self._behind = True
        await self._pull()

    async def _pull(self) -> None:
        """Take in what the database has above the last number, and hand it out."""
        async with self._pulling:
            while self._behind:  # else whoever pulled meanwhile has read it
                self._behind = False
                whole = self._whole
                try:
                    await self._read_back(whole=whole)
                except ReverieError as error:
                    self._behind = True
                    _log.warning("events cannot be read: %s", error)
                    return

    async def _read_back(self, *, whole: bool) -> None:
        stored = await self._bookkeeping.run(
            partial(self._events.after, self.last_id if whole else 0)
        )
        if whole != self._whole:  # the last reader left meanwhile, and took the ring along
            self._behind = True
            return
        if not whole or (stored and stored[0].id > self.last_id + 1):
            self._ring.clear()  # what is between is kept no more, so what is older ends here, too
            self._whole = True
        for item in stored:
            event = self._event(item)
            if item.id > self.last_id:
                self.last_id = item.id
                self._hand_out(event)
            else:
                self._ring.append(event)

    async def flush(self) -> None:
        """Wait until everything published here is in the database."""
        if self._sender is not None:
            await asyncio.wait({self._sender}, timeout=_RETRY_SECONDS * 2)
            if not self._sender.done():
                self._sender.cancel()

    def _event(self, item: StoredEvent) -> Event:
        frame = self._frame(item.kind, item.data, number=item.id, client=item.client)
        return Event(item.id, item.kind, item.client, item.private, frame)
