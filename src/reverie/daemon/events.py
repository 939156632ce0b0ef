"""The event bus: a bounded ring that late readers resume from, and a queue for each live one.

Rules
- Events are numbered from 1 within an epoch; an epoch is one life of the daemon.
- A reader who names the last event it saw gets the rest, then `replay_complete`. If that is not
  possible (another epoch, or too long ago) it is told so first: `state_resync_required`.
- Frames about a single stream carry no number, so that they never become a resume point.
- A reader who does not keep up is warned once, then evicted; nobody else waits for it.
- The bus belongs to the event loop's thread.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from reverie.errors import TooManySubscribers

RING_EVENTS = 8000
MAX_SUBSCRIBERS = 64
MAX_QUEUED = 256
QUEUED_RANGE = (16, 2048)
MAX_QUEUED_BYTES = 2 * 1024 * 1024
_WARN_AT = 0.75
_CALM_AT = 0.375


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it goes over the wire."""

    id: int
    type: str
    client: str
    """Who caused it; empty when nobody in particular did."""
    private: bool
    """True when only that client may read it."""
    frame: bytes


@dataclass(slots=True, eq=False)
class Subscription:
    """One reader's place in the stream."""

    client: str
    max_queued: int
    waiting: deque[bytes] = field(default_factory=deque)
    replaying: int = 0
    """How many of the waiting frames are replayed ones; they do not count as falling behind."""
    queued_bytes: int = 0
    warned: bool = False
    evicted: asyncio.Event = field(default_factory=asyncio.Event)
    ended: bool = False
    _ready: asyncio.Event = field(default_factory=asyncio.Event)

    def push(self, frame: bytes) -> None:
        """Queue a frame."""
        self.waiting.append(frame)
        self.queued_bytes += len(frame)
        self._ready.set()

    def end(self) -> None:
        """Let the reader finish what is queued, and stop."""
        self.ended = True
        self._ready.set()

    async def next(self, *, patience: float, most: int = 0) -> bytes | None:
        """Return the next frame, b"" when `patience` seconds pass without one, None at the end.

        Further frames that wait already come with it until there are `most` bytes.
        """
        while not self.waiting:
            if self.ended:
                return None
            self._ready.clear()
            try:
                async with asyncio.timeout(patience):
                    await self._ready.wait()
            except TimeoutError:
                return b""
        frames = [self._taken()]
        size = len(frames[0])
        while self.waiting and size + len(self.waiting[0]) <= most:
            frames.append(self._taken())
            size += len(frames[-1])
        return b"".join(frames)

    def _taken(self) -> bytes:
        frame = self.waiting.popleft()
        self.queued_bytes -= len(frame)
        self.replaying = max(0, self.replaying - 1)
        return frame


class EventBus:
    """Everything that happened lately in one workspace, and who is listening."""

    def __init__(
        self,
        epoch: str,
        *,
        clock: Callable[[], datetime],
        ring: int = RING_EVENTS,
        most: int = MAX_SUBSCRIBERS,
    ) -> None:
        self.most = most
        """How many streams may be open."""
        self.epoch = epoch
        self.last_id = 0
        self.published = 0
        self.evictions = 0
        self._clock = clock
        self._ring: deque[Event] = deque(maxlen=ring)
        self._readers: set[Subscription] = set()
        self.listened = asyncio.Event()
        """Set while there are readers."""

    def __len__(self) -> int:
        """Count the readers."""
        return len(self._readers)

    def publish(
        self, kind: str, data: Mapping[str, Any], *, client: str = "", private: bool = False
    ) -> Event | None:
        """Number an event, keep it, and hand it to every reader who may see it."""
        self.last_id += 1
        self.published += 1
        frame = self._frame(kind, data, number=self.last_id, client=client)
        event = Event(self.last_id, kind, client, private, frame)
        self._hand_out(event)
        return event

    def was_told(self) -> bool:
        """Say whether what the lane wrote once is told with it, so that nobody has to publish it."""
        return False

    def _hand_out(self, event: Event) -> None:
        """Keep an event, and give it to every reader who may see it."""
        self._ring.append(event)
        for reader in list(self._readers):
            if _may_read(reader, event):
                self._deliver(reader, event)

    async def catch_up(self) -> None:
        """Read what happened while nobody did; here everything is handed out as it happens."""

    def subscribe(
        self,
        *,
        client: str = "",
        last_id: int | None = None,
        epoch: str = "",
        max_queued: int = MAX_QUEUED,
    ) -> Subscription:
        """Open a stream, with what was missed first; raise `TooManySubscribers` at the limit."""
        if len(self._readers) >= self.most:
            raise TooManySubscribers(
                f"{self.most} event streams are open already; close one, or try again later",
                limit=self.most,
            )
        low, high = QUEUED_RANGE
        reader = Subscription(client, max(low, min(high, max_queued)))
        if last_id is not None:
            self._replay(reader, last_id, epoch)
        self._readers.add(reader)
        self.listened.set()
        return reader

    def unsubscribe(self, reader: Subscription) -> None:
        """Forget a reader."""
        self._drop(reader)

    def _drop(self, reader: Subscription) -> None:
        self._readers.discard(reader)
        if not self._readers:
            self.listened.clear()

    def close(self) -> None:
        """End every stream after what is queued."""
        for reader in self._readers:
            reader.end()
        self._readers.clear()
        self.listened.clear()

    def _replay(self, reader: Subscription, last_id: int, epoch: str) -> None:
        earliest = self._ring[0].id if self._ring else self.last_id + 1
        reason, after = "", last_id
        if (epoch and epoch != self.epoch) or last_id > self.last_id:
            # Numbers of another life mean nothing here: everything that is left is new.
            reason, after = "epoch_reset", 0
        elif last_id + 1 < earliest:
            reason = "ring_evicted"
        if reason:
            self._notice(
                reader,
                "state_resync_required",
                {"reason": reason, "lastDeliveredId": last_id, "earliestAvailableId": earliest},
            )
        missed = [event for event in self._ring if event.id > after and _may_read(reader, event)]
        for event in missed:
            reader.push(event.frame)
        self._notice(
            reader,
            "replay_complete",
            {
                "replayedCount": len(missed),
                "lastReplayedEventId": missed[-1].id if missed else None,
            },
        )
        reader.replaying = len(reader.waiting)

    def _deliver(self, reader: Subscription, event: Event) -> None:
        live = len(reader.waiting) - reader.replaying
        too_many = live + 1 > reader.max_queued
        if too_many or reader.queued_bytes + len(event.frame) > MAX_QUEUED_BYTES:
            self._evict(reader, event, live)
            return
        reader.push(event.frame)
        share = max((live + 1) / reader.max_queued, reader.queued_bytes / MAX_QUEUED_BYTES)
        if share < _CALM_AT:
            reader.warned = False
        elif share >= _WARN_AT and not reader.warned:
            reader.warned = True
            self._notice(
                reader,
                "slow_client_warning",
                {
                    "queueSize": live + 1,
                    "maxQueued": reader.max_queued,
                    "lastEventId": self.last_id,
                    "queuedBytes": reader.queued_bytes,
                    "maxQueuedBytes": MAX_QUEUED_BYTES,
                },
            )

    def _evict(self, reader: Subscription, event: Event, live: int) -> None:
        self.evictions += 1
        self._drop(reader)
        self._notice(
            reader,
            "client_evicted",
            {
                "reason": "queue_overflow",
                "droppedAfter": event.id - 1,
                "queueSize": live,
                "maxQueued": reader.max_queued,
            },
        )
        reader.end()
        reader.evicted.set()

    def _notice(self, reader: Subscription, kind: str, data: Mapping[str, Any]) -> None:
        """Tell one reader something about its own stream."""
        reader.push(self._frame(kind, data))

    def _frame(
        self, kind: str, data: Mapping[str, Any], *, number: int = 0, client: str = ""
    ) -> bytes:
        envelope: dict[str, Any] = {"id": number} if number else {}
        envelope |= {"v": 1, "type": kind, "data": dict(data)}
        if client:
            envelope["originatorClientId"] = client
        envelope["_meta"] = {"serverTimestamp": int(self._clock().timestamp() * 1000)}
        text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
        head = f"id: {number}\n" if number else ""
        return f"{head}event: {kind}\ndata: {text}\n\n".encode("utf-8", "replace")


def _may_read(reader: Subscription, event: Event) -> bool:
    return not event.private or event.client == reader.client
