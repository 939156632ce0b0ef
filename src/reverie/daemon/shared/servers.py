"""The servers that a daemon serves tenants of: the directory, and those that it names.

Rules
- A server that is added to the directory is taken up within a third of a lease, without a restart.
- A server that does not answer holds up nobody else: each is asked by itself.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from reverie.daemon.shared.listening import Listener
from reverie.errors import InvalidArgument
from reverie.postgres.database import database_for, give_back
from reverie.postgres.place import Place
from reverie.postgres.sites import address_of, servers, sites

if TYPE_CHECKING:
    from reverie.config import EngineSettings
    from reverie.postgres.database import Database

_log = logging.getLogger(__name__)
_DUE_AT_ONCE: Final = 32


@dataclass(frozen=True, slots=True)
class _Server:
    settings: EngineSettings
    database: Database
    listener: Listener


class Servers:
    """Every server that is known. Its methods wait for a database; call them in a thread."""

    def __init__(
        self,
        settings: EngineSettings,
        *,
        heard: Callable[[str, str], None],
        missed: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._heard = heard
        self._missed = missed
        self.directory = database_for(settings)
        self._guard = threading.Lock()
        self._known: dict[str, _Server] = {"": self._server(settings, self.directory)}

    def _server(self, settings: EngineSettings, database: Database) -> _Server:
        listener = Listener(
            settings.url,
            heard=self._heard,
            missed=self._missed,
            lease_seconds=settings.lease_seconds,
        )
        return _Server(settings, database, listener)

    def start(self) -> None:
        """Listen to the directory; returns when it does, or when it cannot be reached at once."""
        self._known[""].listener.start()

    @property
    def addresses(self) -> list[str]:
        """The servers that are known, by their addresses; the directory's is empty."""
        return list(self._known)

    def refresh(self) -> list[str]:
        """Return the addresses of servers that the directory names and that were not taken up yet."""
        return [url for url in servers(self.directory).values() if url not in self._known]

    def take_up(self, address: str) -> None:
        """Open a server, and listen to it."""
        settings = replace(self._settings, url=address_of(self._settings.url, address))
        server = self._server(settings, database_for(settings))
        with self._guard:
            if address not in self._known:
                self._known[address] = server
                server.listener.start()
                return
        give_back(settings)

    def due(self, address: str) -> list[Place]:
        """Return places on a server that have work and no living holder."""
        with self._known[address].database.unbound() as db:
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

    def sites(self, tenants: Iterable[str]) -> dict[str, str]:
        """Return the addresses of the servers of some tenants; those on the directory's are left out."""
        return sites(self.directory, sorted(set(tenants)))

    def ask_all(self, statement: str) -> Sequence[tuple[Any, ...]]:
        """Ask every server the same; the answers of all."""
        found: list[tuple[Any, ...]] = []
        for server in list(self._known.values()):
            with server.database.unbound() as db:
                found += db.execute(statement).fetchall()
        return found

    def stop_listening(self) -> None:
        """Listen no more."""
        for server in list(self._known.values()):
            server.listener.stop()

    def close(self) -> None:
        """Give the connections back."""
        for server in self._known.values():
            give_back(server.settings)
        self._known.clear()
