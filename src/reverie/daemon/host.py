"""The daemon as a whole: the workspaces it serves, its gate, its limits."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

from reverie.daemon.auth import Gate
from reverie.daemon.hosted import Hosted
from reverie.daemon.metrics import Metrics
from reverie.errors import WorkspaceMismatch, WorkspaceNotFound
from reverie.memory import Memory

MAX_CONNECTIONS = 256
HEAD_SECONDS = 10.0
BODY_SECONDS = 30.0
HEARTBEAT_SECONDS = 15.0
GRACE_SECONDS = 10.0


class Host:
    """Everything the routes need; the first workspace is the one the document's routes mean."""

    def __init__(self, openers: Sequence[Callable[[], Memory]], *, gate: Gate) -> None:
        self.epoch = secrets.token_hex(8)
        self.gate = gate
        self.metrics = Metrics()
        self.max_connections = MAX_CONNECTIONS
        self.head_seconds = HEAD_SECONDS
        self.body_seconds = BODY_SECONDS
        self.heartbeat_seconds = HEARTBEAT_SECONDS
        self.grace_seconds = GRACE_SECONDS
        self.workspaces: list[Hosted] = []
        for opener in openers:
            hosted = Hosted(opener, primary=not self.workspaces, epoch=self.epoch)
            if any(hosted.id == known.id for known in self.workspaces):
                hosted.close()
            else:
                self.workspaces.append(hosted)
        self.max_body_bytes = self.primary.max_body_bytes

    @property
    def primary(self) -> Hosted:
        """The workspace of the routes that name none."""
        return self.workspaces[0]

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

    async def stop(self) -> None:
        """Stop every lane and close every file."""
        for hosted in self.workspaces:
            await hosted.stop(grace=self.grace_seconds)
