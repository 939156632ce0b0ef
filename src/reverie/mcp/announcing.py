"""Announcing changes of resources to the clients that want to hear of them, whoever made them.

Rules
- While somebody wants to hear, memory is looked at every second (a large one less often), and what
  differs from the last look is announced: what a tool wrote, another process, or a person with an editor.
- Each client has its own list of what it was not told yet, and its own task that tells it, so one
  that does not read holds up nobody else. A list names a resource once: it cannot grow beyond what
  its client subscribed to.
- A client is told no more once its session is over, or has made no request for a long time.
"""

from __future__ import annotations

import logging
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from mcp import types
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError

from reverie.errors import ReverieError
from reverie.mcp import resources

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp.server.session import ServerSession
    from mcp.server.subscriptions import ServerEvent

    from reverie.mcp.server import Runner

_log = logging.getLogger(__name__)
EVERY_SECONDS = 1.0
PAUSE_FOR_EACH_SECOND = 50.0
"""A look at a large memory takes long; this keeps a processor free of it for most of the time."""
IDLE_SECONDS = 30 * 60.0
MAX_CLIENTS = 1000
MAX_SUBSCRIPTIONS = 1000
"""For each client."""


class Bus(InMemorySubscriptionBus):
    """The SDK's bus for streams of the newer protocol; it says whether any is open."""

    def __init__(self) -> None:
        super().__init__()
        self.streams = 0

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Register a stream."""
        leave = super().subscribe(listener)
        self.streams += 1
        left = False

        def unsubscribe() -> None:
            nonlocal left
            self.streams -= not left
            left = True
            leave()

        return unsubscribe


class _Client:
    """What one client of the older protocol wants to hear, and was not told yet."""

    def __init__(self, session: ServerSession) -> None:
        self.session = session
        self.uris: set[str] = set()
        self.listing = False
        self.rested = math.inf
        """When its last request was over; over pipes there is no telling, and no need."""
        self.scope = anyio.CancelScope()
        self.untold: dict[str, None] = {}
        self.relist = False
        self._news = anyio.Event()

    def hear(self, uris: Iterable[str], *, listing: bool) -> None:
        """Put news on the list."""
        self.untold.update(dict.fromkeys(uri for uri in uris if uri in self.uris))
        self.relist |= listing and self.listing
        if self.untold or self.relist:
            self._news.set()

    async def tell(self) -> None:
        """Send what is on the list, for as long as the client is there."""
        with self.scope:
            while True:
                await self._news.wait()
                self._news = anyio.Event()
                while self.untold:
                    uri = next(iter(self.untold))
                    del self.untold[uri]
                    await self.session.send_resource_updated(uri)
                if self.relist:
                    self.relist = False
                    await self.session.send_resource_list_changed()


class Announcer:
    """Looks for changes of one memory and announces them."""

    def __init__(self, runner: Runner) -> None:
        self.bus = Bus()
        self.clients: dict[str, _Client] = {}
        self._runner = runner
        self._busy: Counter[str] = Counter()
        self._seen: dict[str, object] | None = None
        self._looking = anyio.Lock()
        self._hurry = anyio.Event()
        self._tasks: Any = None

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Announce for as long as the block runs."""
        async with anyio.create_task_group() as self._tasks:
            self._tasks.start_soon(self._watch)
            yield
            self._tasks.cancel_scope.cancel()

    # --- who wants to hear ------------------------------------------------------------------------

    async def subscribe(self, name: str, session: ServerSession, uri: str) -> None:
        """Tell a client from now on when a resource changes."""
        client = await self._client(name, session)
        if uri not in client.uris and len(client.uris) >= MAX_SUBSCRIPTIONS:
            raise MCPError(
                types.INVALID_PARAMS,
                f"this client has {MAX_SUBSCRIPTIONS} subscriptions, which is the maximum; unsubscribe"
                " from some first",
            )
        client.uris.add(uri)

    async def follow(self, name: str, session: ServerSession) -> None:
        """Tell a client from now on when the list of resources changes."""
        (await self._client(name, session)).listing = True

    def unsubscribe(self, name: str, uri: str) -> None:
        """Tell a client no more of a resource."""
        if name in self.clients:
            self.clients[name].uris.discard(uri)
            self.clients[name].untold.pop(uri, None)

    async def _client(self, name: str, session: ServerSession) -> _Client:
        await self.look()  # what changed before is no news to whoever comes now
        known = self.clients.get(name)
        if known is not None:
            known.session = session
            return known
        if len(self.clients) >= MAX_CLIENTS:
            self.forget(next(iter(self.clients)))
        client = self.clients[name] = _Client(session)
        self._tasks.start_soon(client.tell)
        return client

    def forget(self, name: str) -> None:
        """Tell a client nothing more: its session is over."""
        gone = self.clients.pop(name, None)
        if gone is not None:
            gone.scope.cancel()

    @contextmanager
    def request(self, name: str) -> Iterator[None]:
        """Note that a client is there: a request of it is being answered, or a stream is open."""
        self._busy[name] += 1
        try:
            yield
        finally:
            self._busy[name] -= 1
            if not self._busy[name]:
                del self._busy[name]
            if name in self.clients:
                self.clients[name].rested = time.monotonic()

    # --- what changed -----------------------------------------------------------------------------

    def hurry(self) -> None:
        """Look at once: something was written here."""
        self._hurry.set()

    async def _watch(self) -> None:
        took = 0.0
        while True:
            with anyio.move_on_after(max(EVERY_SECONDS, PAUSE_FOR_EACH_SECOND * took)):
                await self._hurry.wait()
            self._hurry = anyio.Event()
            self._forget_idle()
            if self.clients or self.bus.streams:
                start = time.monotonic()
                await self.look()
                took = time.monotonic() - start

    def _forget_idle(self) -> None:
        before = time.monotonic() - IDLE_SECONDS
        idle = [name for name, item in self.clients.items() if item.rested < before]
        for name in idle:
            if not self._busy[name]:
                self.forget(name)

    async def look(self) -> None:
        """Look at memory, and announce what differs from the last look."""
        async with self._looking:
            context = self.bus.streams > 0 or any(
                resources.CONTEXT in client.uris for client in self.clients.values()
            )
            try:
                seen = await self._runner.run(
                    partial(resources.versions, context=context), writes=False
                )
            except ReverieError as error:
                _log.warning("changes of memory cannot be looked for: %s", error)
                return
            before, self._seen = self._seen, seen
        if before is None:
            return
        changed = [uri for uri in before | seen if before.get(uri) != seen.get(uri)]
        if resources.CONTEXT not in before or resources.CONTEXT not in seen:
            changed = [uri for uri in changed if uri != resources.CONTEXT]  # nobody looked at it
        listing = before.keys() - {resources.CONTEXT} != seen.keys() - {resources.CONTEXT}
        await self._announce(changed, listing=listing)

    async def _announce(self, changed: list[str], *, listing: bool) -> None:
        for client in self.clients.values():
            client.hear(changed, listing=listing)
        for uri in changed:
            await self.bus.publish(ResourceUpdated(uri=uri))
        if listing:
            await self.bus.publish(ResourcesListChanged())
