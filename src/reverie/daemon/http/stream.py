"""An event stream as a response: frames, heartbeats, and an end for readers that do not read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from reverie.daemon.events import EventBus, Subscription

_LAST_WORD_SECONDS = 1.0
"""How long an evicted reader has to take the frame that says so."""
_TOGETHER = 64 * 1024
"""How many bytes of waiting frames are sent at once: a replay can have thousands of frames."""
_RETRY_MILLISECONDS = 3000
"""How long a reader waits before it connects again, unless it knows better."""


class EventStream(Response):
    """Server-sent events of one subscription."""

    def __init__(
        self,
        bus: EventBus,
        reader: Subscription,
        *,
        heartbeat: float,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(
            status_code=200,
            media_type="text/event-stream",
            headers={
                "Cache-Control": "no-cache, no-transform",
                "X-Accel-Buffering": "no",  # a proxy in between must pass on every frame at once
                **headers,
            },
        )
        del self.headers["content-length"]
        self._bus = bus
        self._reader = reader
        self._heartbeat = heartbeat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the reader leaves, is evicted, or the bus closes."""
        pump = asyncio.ensure_future(self._pump(send))
        gone = asyncio.ensure_future(_disconnected(receive))
        evicted = asyncio.ensure_future(self._reader.evicted.wait())
        try:
            await asyncio.wait({pump, gone, evicted}, return_when=asyncio.FIRST_COMPLETED)
            if evicted.done() and not gone.done():
                await asyncio.wait({pump}, timeout=_LAST_WORD_SECONDS)
                if not pump.done():
                    # It reads nothing, so a polite close would wait for its buffer for ever.
                    abort = scope.get("state", {}).get("abort")
                    if abort is not None:
                        abort()
        finally:
            self._bus.unsubscribe(self._reader)
            for task in (pump, gone, evicted):
                task.cancel()
            # Also takes what a broken connection raised; there is nobody left to tell.
            await asyncio.gather(pump, gone, evicted, return_exceptions=True)

    async def _pump(self, send: Send) -> None:
        await send(
            {"type": "http.response.start", "status": 200, "headers": self.raw_headers},
        )
        # First bytes at once: clients that wait for the body's beginning know they are connected.
        frame: bytes | None = f": connected\nretry: {_RETRY_MILLISECONDS}\n\n".encode()
        while frame is not None:
            body = frame or b": heartbeat\n\n"
            await send({"type": "http.response.body", "body": body, "more_body": True})
            # Sending need not wait for anything, and a reader that hung up is noticed only while we do.
            await asyncio.sleep(0)
            frame = await self._reader.next(patience=self._heartbeat, most=_TOGETHER)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
