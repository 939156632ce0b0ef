"""A daemon among several on one database: who may see what, which workspaces are open, who has work.

Rules
- A token stands for a tenant and a person; a caller sees the projects of that person (or the one
  project that the token is for) and nothing else of the daemon. The operator's token sees numbers alone.
- Workspaces are opened when they are asked for or have work, and closed when many are open.
- Any daemon takes the work of one that died: lanes whose lease is over are looked for all the time.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

from reverie.daemon.host import Host
from reverie.daemon.shared.fairness import FairWorkers
from reverie.daemon.shared.hosted import SharedHosted
from reverie.daemon.shared.rates import Rates
from reverie.daemon.shared.realms import OperatorView, Realm
from reverie.daemon.shared.servers import Servers
from reverie.daemon.work.readers import Readers
from reverie.daemon.work.workers import Workers
from reverie.errors import (
    ReverieError,
    TenantBusy,
    Unauthorized,
)
from reverie.postgres.events import EVENTS_CHANNEL
from reverie.postgres.place import Place
from reverie.postgres.quotas import ask_allowance, read_allowance
from reverie.postgres.tokens import Grant, granted

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.daemon.http.auth import Gate
    from reverie.dialect import Dialect
    from reverie.memory import Memory

_log = logging.getLogger(__name__)
MOST_OPEN: Final = 256
_TOKEN_SECONDS: Final = 2.0
"""How long a token is trusted before it is looked up again: a revoked one works no longer than this."""
_MOST_TOKENS: Final = 10_000
_MOST_REALMS: Final = 4_096
_LATE_SECONDS: Final = 0.2
"""How long a call for work is left to whoever accepted the task, before others look."""


class SharedHost(Host):
    """The daemon as a whole; what callers see are its realms."""

    def __init__(
        self,
        opening: Callable[[Place], Callable[[], Memory]],
        settings: Settings,
        *,
        dialect: Dialect,
        gate: Gate,
        operator: str,
    ) -> None:
        super().__init__((), gate=gate)
        self._opening_of = opening
        self._engine = settings.engine
        self._operator = operator
        self._dialect = dialect
        self._shapes = settings.daemon.shapes
        self.holder = f"daemon-{secrets.token_hex(8)}"
        self.take_limits(settings.daemon)
        self.readers = Readers(self.most_readers)
        self.most_open = MOST_OPEN
        pool = max(settings.engine.pool, 2)
        self.verbs = FairWorkers("verb", size=pool * 2, most=pool * 8)
        self.bookkeeping = Workers("bookkeeping", size=pool)
        self.servers = Servers(
            settings.engine, heard=self._heard_in_thread, missed=self._missed_in_thread
        )
        self.database = self.servers.directory
        """The directory: tokens, and where each tenant is."""
        self.open: dict[Place, SharedHosted] = {}
        self._realms: dict[Grant, Realm] = {}
        self._opening: WeakValueDictionary[Place, asyncio.Lock] = WeakValueDictionary()
        """One for each place that is being opened, for as long as anybody waits for it."""
        self._tokens: dict[bytes, tuple[float, Grant | None]] = {}
        self._rates = Rates()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._draining = False
        self._looks_soon = False
        """Whether work that others may have left is about to be looked for."""

    # --- who is it? -------------------------------------------------------------------------------

    async def admit(self, headers: Mapping[str, str]) -> Host:
        """Return the realm of a caller's token, or raise `Unauthorized`."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        value = given.strip()
        if scheme.lower() != "bearer" or not value:
            raise Unauthorized("Unauthorized")
        offered = value.encode("utf-8", "surrogateescape")
        if hmac.compare_digest(offered, self._operator.encode()):
            return OperatorView(self)
        grant = await self._grant(offered, value)
        if grant.requests is not None:
            self._rates.take(grant.place.tenant, grant.requests)
        return self.realm(grant)

    async def _grant(self, offered: bytes, value: str) -> Grant:
        now = time.monotonic()
        known = self._tokens.get(offered)
        if known is None or known[0] < now:
            if len(self._tokens) >= _MOST_TOKENS:
                self._tokens.clear()
            try:
                grant: Grant | None = await self.bookkeeping.run(
                    partial(granted, self.database, value)
                )
            except Unauthorized:
                grant = None
            known = self._tokens[offered] = (now + _TOKEN_SECONDS, grant)
        if known[1] is None:
            raise Unauthorized("Unauthorized")
        return known[1]

    def realm(self, grant: Grant) -> Realm:
        """Return what a token that grants this sees of the daemon."""
        realm = self._realms.pop(grant, None) or Realm(self, grant)
        realm.server = grant.server
        self._realms[grant] = realm  # the longest unused stand first
        while len(self._realms) > _MOST_REALMS:
            oldest = next(iter(self._realms))
            self._realms.pop(oldest).mcp.end()
        return realm

    # --- workspaces -------------------------------------------------------------------------------

    async def workspace(self, place: Place, server: str = "") -> SharedHosted:
        """Return an open workspace, opening it when it is not, or not on the server of its tenant.

        `server` is what the caller knows of that, which may be a little older than what is open.
        """
        known = self.open.get(place)
        if known is not None and known.server != server and not await self._is_current(known):
            await self._close(place)
            known = None
        if known is not None and place in self.open:
            self.open[place] = self.open.pop(place)  # the longest unused stand first
            return known
        lock = self._opening.setdefault(place, asyncio.Lock())
        try:
            async with lock:
                if place not in self.open:
                    await self._make_room(place.tenant)
                    make = partial(
                        SharedHosted,
                        self._opening_of(place),
                        place=place,
                        holder=self.holder,
                        verbs=self.verbs.share(place.tenant),
                        bookkeeping=self.bookkeeping,
                    )
                    # In the tenant's share of the threads: its server may be the one that is away.
                    hosted = await self.verbs.share(place.tenant).run(make)
                    await hosted.start()
                    self.open[place] = hosted
                    self.workspaces = list(self.open.values())
                return self.open[place]
        finally:
            del lock  # an error that is kept somewhere, such as in a log, must not keep the lock

    async def _is_current(self, hosted: SharedHosted) -> bool:
        tenant = hosted.place.tenant
        found = await self.bookkeeping.run(partial(self.servers.sites, [tenant]))
        return hosted.server == found.get(tenant, "")

    async def _close(self, place: Place) -> None:
        hosted = self.open.pop(place, None)
        self.workspaces = list(self.open.values())
        if hosted is not None:
            await hosted.stop(grace=0.0)

    async def _make_room(self, tenant: str) -> None:
        """Close what is quiet: of the tenant where it has as many as it may have, else of anybody."""
        allowed = await self.bookkeeping.run(partial(self._workspaces_of, tenant))
        while allowed is not None and len(own := self._open_for(tenant)) >= allowed:
            if not await self._close_one(own):
                raise TenantBusy(
                    f"{len(own)} workspaces of this tenant are open and in use, and it may have"
                    f" {allowed}; try again when one is quiet",
                    quota="workspaces",
                )
        while len(self.open) >= self.most_open:
            if not await self._close_one(list(self.open)):
                return

    def _workspaces_of(self, tenant: str) -> int | None:
        # The directory has every quota, wherever the tenant is; nothing else of it is touched here.
        with self.database.unbound() as db, db.transaction():
            db.execute("SELECT set_config('reverie.tenant', %s, true)", (tenant,))
            return read_allowance(ask_allowance(db)).quota.workspaces

    def _open_for(self, tenant: str) -> list[Place]:
        return [place for place in self.open if place.tenant == tenant]

    async def _close_one(self, places: Sequence[Place]) -> bool:
        quiet = next((place for place in places if self.open[place].quiet), None)
        if quiet is None:
            return False
        await self._close(quiet)
        return True

    # --- work and events of everybody -------------------------------------------------------------

    def _heard_in_thread(self, channel: str, key: str) -> None:
        """Pass on what concerns somebody here: what all others write need not wake this daemon."""
        if self._loop is None:
            return
        hosted = self._named(key)
        if channel == EVENTS_CHANNEL:
            concerns = hosted is not None and hosted.shared_bus.is_awaited()
        else:
            concerns = hosted is not None or not self._looks_soon
        if concerns:
            self._loop.call_soon_threadsafe(self._heard, channel, key)

    def _named(self, key: str) -> SharedHosted | None:
        place = Place.of_key(key)
        return None if place is None else self.open.get(place)

    def _missed_in_thread(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._missed)

    def _heard(self, channel: str, key: str) -> None:
        if self._draining:
            return
        hosted = self._named(key)
        if channel == EVENTS_CHANNEL:
            if hosted is not None:
                self._spawn(hosted.shared_bus.told())
        elif hosted is not None:
            hosted.lane.wake()
        elif not self._looks_soon:
            self._looks_soon = True
            self._spawn(self._look_late())

    def _missed(self) -> None:
        """Catch up after the connection was away."""
        for hosted in self.open.values():
            self._spawn(hosted.shared_bus.told())
            hosted.lane.wake()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _look_late(self) -> None:
        """Look once for all calls that come until then; one that comes later is looked for again."""
        await asyncio.sleep(_LATE_SECONDS)
        self._looks_soon = False
        await self._look()

    async def _look(self) -> None:
        """Take up lanes that have work and no living holder, on every server."""
        await asyncio.gather(*(self._look_at(address) for address in self.servers.addresses))

    async def _look_at(self, address: str) -> None:
        try:
            due = await self.bookkeeping.run(partial(self.servers.due, address))
        except ReverieError as error:
            _log.warning("lanes with work cannot be looked for: %s", error)
            return
        for place in due:
            if self._draining:
                return
            try:
                (await self.workspace(place, address)).lane.wake()
            except ReverieError as error:
                _log.info("a lane with work cannot be opened: %s", error)

    async def _follow(self) -> None:
        """Take up servers that were added, and close what is open of tenants that moved."""
        try:
            for address in await self.bookkeeping.run(self.servers.refresh):
                await self.bookkeeping.run(partial(self.servers.take_up, address))
            now = await self.bookkeeping.run(
                partial(self.servers.sites, [place.tenant for place in self.open])
            )
        except ReverieError as error:
            _log.warning("the directory of servers cannot be read: %s", error)
            return
        for place, hosted in list(self.open.items()):
            if hosted.server != now.get(place.tenant, "") and not await self._is_current(hosted):
                await self._close(place)

    async def _patrol(self) -> None:
        while True:
            await self._follow()
            await self._look()
            await asyncio.sleep(max(self._engine.lease_seconds / 3, 0.1))

    # --- life -------------------------------------------------------------------------------------

    @property
    def dialect(self) -> Dialect:
        """Whose names are used."""
        return self._dialect

    @property
    def shapes(self) -> tuple[str, ...]:
        """Which further ways of asking are offered."""
        return self._shapes

    @property
    def draining(self) -> bool:
        """True while the daemon stops."""
        return self._draining

    async def check_health(self) -> None:
        """Raise when the database does not answer; whoever holds all threads does not delay this."""
        if not self.database.answered:
            await asyncio.to_thread(self.database.ping)

    async def start(self) -> None:
        """Listen to the database and look for work."""
        self._loop = asyncio.get_running_loop()
        await self._loop.run_in_executor(None, self.servers.start)
        self._spawn(self._patrol())

    def end_streams(self) -> None:
        """Let event streams finish, so that their connections can close."""
        self._draining = True
        for hosted in self.open.values():
            hosted.lane.draining = True
            hosted.bus.close()
        for realm in self._realms.values():
            realm.mcp.end()

    async def stop(self) -> None:
        """Stop every lane; what was not done is for the other daemons."""
        self._draining = True
        await asyncio.to_thread(self.servers.stop_listening)
        for task in list(self._tasks):
            task.cancel()
        for realm in self._realms.values():
            await realm.mcp.stop()
        await asyncio.to_thread(self.readers.stop)
        await asyncio.gather(*(item.stop(grace=self.grace_seconds) for item in self.open.values()))
        self.open.clear()
        self.verbs.stop()
        self.bookkeeping.stop()
        self.servers.close()
