"""The daemon as a whole: the workspaces it serves, its gate, its limits."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from reverie.config import DaemonSettings
from reverie.daemon.hosted import Hosted
from reverie.daemon.http.auth import Gate
from reverie.daemon.http.metrics import Metrics, page
from reverie.daemon.routes.mcp import McpServers
from reverie.daemon.work.readers import Readers, wanted_readers
from reverie.dialect import Dialect
from reverie.errors import TokenLimited, WorkspaceMismatch, WorkspaceNotFound
from reverie.memory import Memory

HEARTBEAT_SECONDS = 15.0
GRACE_SECONDS = 10.0
PATIENCE_SECONDS = 2.0
"""How long a caller that waits for its verb waits for the lane to be free."""


def _stay() -> None:
    """Do nothing: no server runs."""


class Host:
    """Everything the routes need; the first workspace is the one the document's routes mean."""

    keeps_sessions = True
    """Whether a client's next request comes to this process for certain."""

    read_only = False
    """Whether the caller may only read."""

    resident = False
    """Whether it started by itself, and so ends by itself when nobody asks anything."""

    def __init__(self, openers: Sequence[Callable[[], Memory]], *, gate: Gate) -> None:
        self.epoch = secrets.token_hex(8)
        self.gate = gate
        self.metrics = Metrics()
        self.heartbeat_seconds = HEARTBEAT_SECONDS
        self.grace_seconds = GRACE_SECONDS
        self.patience_seconds = PATIENCE_SECONDS
        self.workspaces: list[Hosted] = []
        self.leave: Callable[[], None] = _stay
        """Ends the daemon, with grace."""
        for opener in openers:
            hosted = Hosted(opener, primary=not self.workspaces, epoch=self.epoch)
            if any(hosted.id == known.id for known in self.workspaces):
                hosted.close()
            else:
                self.workspaces.append(hosted)
        self.take_limits(self.primary.limits if self.workspaces else DaemonSettings())
        self.mcp = McpServers(self)
        self.readers = Readers(self.most_readers)

    def take_limits(self, limits: DaemonSettings) -> None:
        """Hold callers to these limits."""
        self.max_body_bytes = limits.max_body_bytes
        self.max_connections = limits.max_connections
        self.socket_connections = limits.socket_connections
        self.head_seconds = limits.head_seconds
        self.body_seconds = limits.body_seconds
        self.stall_seconds = limits.stall_seconds
        self.idle_seconds = limits.idle_seconds
        self.most_readers = wanted_readers(limits.readers)

    def check_writing(self) -> None:
        """Raise where the caller's token is for reading only."""
        if self.read_only:
            raise TokenLimited("this token is for reading only, so nothing was changed")

    @property
    def primary(self) -> Hosted:
        """The workspace of the routes that name none."""
        return self.workspaces[0]

    @property
    def dialect(self) -> Dialect:
        """Whose names are used."""
        return self.primary.dialect

    @property
    def shapes(self) -> tuple[str, ...]:
        """Which further ways of asking are offered."""
        return self.primary.shapes

    @property
    def draining(self) -> bool:
        """True while the daemon stops."""
        return self.primary.lane.draining

    async def check_health(self) -> None:
        """Raise when what the daemon works on does not answer."""

    async def admit(self, headers: Mapping[str, str]) -> Host:
        """Return what a caller with the right token may use, or raise `Unauthorized`."""
        self.gate.check_token(headers)
        return self

    def check_caller(self, headers: Mapping[str, str]) -> None:
        """Raise when a caller of the Unix socket had better do it itself."""

    def resolve(self, selector: str) -> str:
        """Return the id of the workspace that a part of an address means."""
        return self.find(selector).id

    async def hosted(self, selector: str | None) -> Hosted:
        """Return the workspace of an id or a folder, the first one when none is named."""
        return self.primary if selector is None else self.find(selector)

    async def metrics_page(self) -> str:
        """Write what Prometheus reads."""
        return await self.primary.bookkeeping.run(partial(page, self))

    def find(self, selector: str) -> Hosted:
        """Return the workspace of an id or a folder."""
        for hosted in self.workspaces:
            if selector == hosted.id or (selector.startswith("/") and hosted.serves(selector)):
                return hosted
        raise WorkspaceNotFound(
            f"this daemon does not serve {selector!r}; `GET /capabilities` lists what it serves"
        )

    def for_folder(self, folder: str | None) -> Hosted:
        """Return the workspace of a folder, the first one without a folder."""
        if folder is None:
            return self.primary
        for hosted in self.workspaces:
            if hosted.serves(folder):
                return hosted
        raise WorkspaceMismatch(f"this daemon does not serve {folder!r}")

    async def start(self) -> None:
        """Start every lane."""
        for hosted in self.workspaces:
            await hosted.start()

    def end_streams(self) -> None:
        """Let event streams finish, so that their connections can close."""
        for hosted in self.workspaces:
            hosted.lane.draining = True
            hosted.bus.close()
        self.mcp.end()

    async def stop(self) -> None:
        """Stop every lane and close every file."""
        await self.mcp.stop()
        await asyncio.to_thread(self.readers.stop)
        for hosted in self.workspaces:
            await hosted.stop(grace=self.grace_seconds)
