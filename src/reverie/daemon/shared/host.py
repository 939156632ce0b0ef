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

from reverie.daemon.host import Host
from reverie.daemon.http.metrics import add_engine, page
from reverie.daemon.shared.fairness import FairWorkers
from reverie.daemon.shared.hosted import SharedHosted
from reverie.daemon.shared.listening import Listener
from reverie.daemon.shared.rates import Rates
from reverie.daemon.work.readers import Readers
from reverie.daemon.work.workers import Workers
from reverie.errors import (
    InvalidArgument,
    NotAllowed,
    ReverieError,
    TenantBusy,
    TokenLimited,
    Unauthorized,
    WorkspaceMismatch,
    WorkspaceNotFound,
)
from reverie.postgres.database import database_for, give_back
from reverie.postgres.events import EVENTS_CHANNEL
from reverie.postgres.place import Place
from reverie.postgres.quotas import ask_allowance, read_allowance
from reverie.postgres.tokens import Grant, granted

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.daemon.hosted import Hosted
    from reverie.daemon.http.auth import Gate
    from reverie.dialect import Dialect
    from reverie.memory import Memory

_log = logging.getLogger(__name__)
MOST_OPEN: Final = 256
_TOKEN_SECONDS: Final = 2.0
"""How long a token is trusted before it is looked up again: a revoked one works no longer than this."""
_MOST_TOKENS: Final = 10_000
_MOST_REALMS: Final = 4_096
_DUE_AT_ONCE: Final = 32
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
        self.database = database_for(settings.engine)
        self.listener = Listener(
            settings.engine.url, heard=self._heard_in_thread, missed=self._missed_in_thread
        )
        self.open: dict[Place, SharedHosted] = {}
        self._realms: dict[Grant, Realm] = {}
        self._opening: dict[Place, asyncio.Lock] = {}
        self._tokens: dict[bytes, tuple[float, Grant | None]] = {}
        self._rates = Rates()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._draining = False

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
        self._realms[grant] = realm  # the longest unused stand first
        while len(self._realms) > _MOST_REALMS:
            oldest = next(iter(self._realms))
            self._realms.pop(oldest).mcp.end()
        return realm

    # --- workspaces -------------------------------------------------------------------------------

    async def workspace(self, place: Place) -> SharedHosted:
        """Return an open workspace, opening it when it is not."""
        known = self.open.get(place)
        if known is not None:
            self.open[place] = self.open.pop(place)  # the longest unused stand first
            return known
        lock = self._opening.setdefault(place, asyncio.Lock())
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
                hosted = await asyncio.get_running_loop().run_in_executor(None, make)
                await hosted.start()
                self.open[place] = hosted
                self.workspaces = list(self.open.values())
        self._opening.pop(place, None)
        return self.open[place]

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
        with self.database.reading(Place(tenant, "nobody", "nothing")) as db:
            return read_allowance(ask_allowance(db)).quota.workspaces

    def _open_for(self, tenant: str) -> list[Place]:
        return [place for place in self.open if place.tenant == tenant]

    async def _close_one(self, places: Sequence[Place]) -> bool:
        quiet = next((place for place in places if self.open[place].quiet), None)
        if quiet is None:
            return False
        hosted = self.open.pop(quiet)
        self.workspaces = list(self.open.values())
        await hosted.stop(grace=0.0)
        return True

    # --- work and events of everybody -------------------------------------------------------------

    def _heard_in_thread(self, channel: str, key: str) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._heard, channel, key)

    def _missed_in_thread(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._missed)

    def _heard(self, channel: str, key: str) -> None:
        if self._draining:
            return
        hosted = next((item for place, item in self.open.items() if place.key == key), None)
        if channel == EVENTS_CHANNEL:
            if hosted is not None:
                self._spawn(hosted.shared_bus.pull())
        elif hosted is not None:
            hosted.lane.wake()
        else:
            self._spawn(self._look_late())

    def _missed(self) -> None:
        """Catch up after the connection was away."""
        for hosted in self.open.values():
            self._spawn(hosted.shared_bus.pull())
            hosted.lane.wake()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _look_late(self) -> None:
        await asyncio.sleep(_LATE_SECONDS)
        await self._look()

    async def _look(self) -> None:
        """Take up lanes that have work and no living holder."""
        try:
            due = await self.bookkeeping.run(self._due)
            for place in due:
                if self._draining:
                    return
                (await self.workspace(place)).lane.wake()
        except ReverieError as error:
            _log.warning("lanes with work cannot be looked for: %s", error)

    def _due(self) -> list[Place]:
        with self.database.unbound() as db:
            rows = db.execute(
                "SELECT tenant, owner, project FROM reverie.due_lanes(%s)", (_DUE_AT_ONCE,)
            ).fetchall()
        found: list[Place] = []
        for row in rows:
            try:
                found.append(Place(*row))
            except InvalidArgument:  # named by hand in the database
                _log.warning("a lane has a name that cannot be served: %r", row)
        return found

    async def _patrol(self) -> None:
        while True:
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
        """Raise when the database does not answer."""
        await self.bookkeeping.run(self.database.ping)

    async def start(self) -> None:
        """Listen to the database and look for work."""
        self._loop = asyncio.get_running_loop()
        await self._loop.run_in_executor(None, self.listener.start)
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
        await asyncio.get_running_loop().run_in_executor(None, self.listener.stop)
        for task in list(self._tasks):
            task.cancel()
        for realm in self._realms.values():
            await realm.mcp.stop()
        await asyncio.to_thread(self.readers.stop)
        await asyncio.gather(*(item.stop(grace=self.grace_seconds) for item in self.open.values()))
        self.open.clear()
        self.verbs.stop()
        self.bookkeeping.stop()
        give_back(self._engine)


class Realm(Host):
    """What one person's tokens see: the person's projects, each opened when it is named."""

    keeps_sessions = False  # any daemon may get the next request

    def __init__(self, shared: SharedHost, grant: Grant) -> None:
        self._shared = shared
        self.default = grant.place
        self._only_project = grant.only_project
        self.read_only = grant.read_only
        super().__init__((), gate=shared.gate)
        self.readers = shared.readers
        self.max_body_bytes = shared.max_body_bytes
        self.max_connections = shared.max_connections
        self.heartbeat_seconds = shared.heartbeat_seconds
        self.body_seconds = shared.body_seconds

    @property
    def draining(self) -> bool:
        """True while the daemon stops."""
        return self._shared.draining

    def _own(self) -> list[Hosted]:
        owner = (self.default.tenant, self.default.owner)
        return [
            hosted
            for place, hosted in self._shared.open.items()
            if (place.tenant, place.owner) == owner
            and (place == self.default or not self._only_project)
        ]

    @property
    def workspaces(self) -> list[Hosted]:
        """The person's workspaces that this daemon has open."""
        return self._own()

    @workspaces.setter
    def workspaces(self, _: list[Hosted]) -> None:
        """Ignore: what is open, the shared host knows."""

    def resolve(self, selector: str) -> str:
        """Return the project that a part of an address means."""
        return self._place(selector).project

    def _place(self, selector: str) -> Place:
        try:
            place = Place(self.default.tenant, self.default.owner, selector)
        except InvalidArgument as error:
            raise WorkspaceNotFound(str(error)) from None
        if self._only_project and place != self.default:
            raise TokenLimited(
                f"this token is for the project {self.default.project!r} only, not for {selector!r}"
            )
        return place

    async def hosted(self, selector: str | None) -> Hosted:
        """Return a project of the person; the token's own when none is named."""
        place = self.default if selector is None else self._place(selector)
        return await self._shared.workspace(place)

    def for_folder(self, folder: str | None) -> Hosted:
        """Return the workspace of a folder as `/capabilities` names it."""
        for hosted in self._own():
            if folder is not None and hosted.serves(folder):
                return hosted
        raise WorkspaceMismatch(f"there is no workspace {folder!r} here")

    async def check_health(self) -> None:
        """Raise when the database does not answer."""
        await self._shared.check_health()

    async def metrics_page(self) -> str:
        """Write this person's numbers."""
        return await self._shared.bookkeeping.run(partial(page, self))


class OperatorView(Host):
    """What the operator's token sees: numbers, nobody's memory."""

    def __init__(self, shared: SharedHost) -> None:
        super().__init__((), gate=shared.gate)
        self._shared = shared
        self.metrics = shared.metrics

    async def hosted(self, selector: str | None) -> Hosted:  # noqa: ARG002
        """Refuse."""
        raise NotAllowed("this token is the operator's; memory is read with a tenant's token")

    def resolve(self, selector: str) -> str:
        """Take any name: nothing comes of it."""
        return selector

    @property
    def draining(self) -> bool:
        """True while the daemon stops."""
        return self._shared.draining

    async def check_health(self) -> None:
        """Raise when the database does not answer."""
        await self._shared.check_health()

    async def metrics_page(self) -> str:
        """Write the daemon's numbers, by tenant."""
        return await self._shared.bookkeeping.run(self._page)

    def _page(self) -> str:
        # Without workspaces: their names are not unique among tenants, and not the operator's business.
        return page(self) + add_engine(self._shared)
