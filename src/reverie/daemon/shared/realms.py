"""What callers see of a daemon among several: a person's own projects, or the operator's numbers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from reverie.daemon.host import Host
from reverie.daemon.http.metrics import add_engine, page
from reverie.errors import (
    InvalidArgument,
    NotAllowed,
    TokenLimited,
    WorkspaceMismatch,
    WorkspaceNotFound,
)
from reverie.postgres.place import Place

if TYPE_CHECKING:
    from reverie.daemon.hosted import Hosted
    from reverie.daemon.shared.host import SharedHost
    from reverie.postgres.tokens import Grant


class Realm(Host):
    """What one person's tokens see: the person's projects, each opened when it is named."""

    keeps_sessions = False  # any daemon may get the next request

    def __init__(self, shared: SharedHost, grant: Grant) -> None:
        self._shared = shared
        self.default = grant.place
        self._only_project = grant.only_project
        self.read_only = grant.read_only
        self.server = grant.server
        """Where the person's tenant is, as far as the last token told."""
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
        return await self._shared.workspace(place, self.server)

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
