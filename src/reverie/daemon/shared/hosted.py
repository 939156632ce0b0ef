"""One workspace of one tenant as a daemon of several serves it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from reverie.daemon.hosted import Hosted, lane_limits
from reverie.daemon.shared.bus import SharedBus
from reverie.daemon.shared.lane import SharedLane
from reverie.daemon.work.readers import Shelf
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.events import PgEvents
from reverie.postgres.tasks import PgTasks

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.daemon.events import EventBus
    from reverie.daemon.work.lane import Lane
    from reverie.daemon.work.workers import Workers
    from reverie.memory import Memory
    from reverie.ports import Queue
    from reverie.postgres.place import Place
    from reverie.types.tasks import News

_TRUSTED_SECONDS: Final = 2.0
"""How long a project is taken for trusted before that is asked again."""


class SharedHosted(Hosted):
    """A workspace in the database; its threads are those of the daemon."""

    def __init__(
        self,
        opener: Callable[[], Memory],
        *,
        place: Place,
        holder: str,
        verbs: Workers,
        bookkeeping: Workers,
    ) -> None:
        self.place = place
        self._holder = holder
        self._bookkeeping = bookkeeping
        self._opener = opener
        self._trusted_until = 0.0
        # Kept open as long as the workspace is: the queue and the events use its connections.
        self._kept = opener()
        assert isinstance(self._kept.engine, PostgresEngine)  # noqa: S101  # as it was opened
        self._engine = self._kept.engine
        self.server = self._engine.server
        """The address of the server it is on; empty for the directory's own."""
        epoch, last = self._engine.events.epoch()
        super().__init__(opener, primary=True, epoch=epoch)
        self.shelf = Shelf(f"{place.key}\x1f{self.server}", opener)
        self.verbs = verbs
        self.bookkeeping = bookkeeping
        assert isinstance(self.bus, SharedBus)  # noqa: S101  # made below
        self.shared_bus: SharedBus = self.bus
        self.shared_bus.begin_at(last)

    def _queue(self, settings: Settings) -> Queue:
        self._pg_tasks = PgTasks(
            self._engine.database,
            self.place,
            clock=self.clock,
            limits=lane_limits(settings),
            holder=self._holder,
            lease_seconds=settings.engine.lease_seconds,
        )
        return self._pg_tasks

    def _bus(self, most: int) -> EventBus:
        events = PgEvents(self._engine.database, self.place, clock=self.clock)
        return SharedBus(self.epoch, events, self._bookkeeping, clock=self.clock, most=most)

    def _lane(self, seconds: float) -> Lane:
        self.shared_lane = SharedLane(self, self._pg_tasks, seconds=seconds)
        return self.shared_lane

    def fence(self, memory: Memory, task: str, *, news: News | None = None) -> None:
        """Let the lane's writes ask, inside their transaction, whether the lane is still ours."""
        engine = memory.engine
        assert isinstance(engine, PostgresEngine)  # noqa: S101  # as it was opened
        engine.store.fence = lambda db: self._pg_tasks.fence(
            db, task, let_go=news is not None and not self.lane.is_wanted
        )
        engine.store.news = news

    def pass_by(self, memory: Memory, *, news: News | None) -> None:
        """Let one write of the lane hold the lane itself, which is not taken for it."""
        engine = memory.engine
        assert isinstance(engine, PostgresEngine)  # noqa: S101  # as it was opened
        engine.store.fence = self._pg_tasks.pass_by
        engine.store.news = news

    def trusted(self) -> bool:
        """Say whether the project is trusted; that it is holds for a moment, as it does for a token."""
        said = super().trusted()
        self._trusted_until = time.monotonic() + _TRUSTED_SECONDS if said else 0.0
        return said

    @property
    def is_known_trusted(self) -> bool:
        """Whether nobody has to ask for that now."""
        return time.monotonic() < self._trusted_until

    def forget_trust(self) -> None:
        """Ask again whether the project is trusted: somebody has just said."""
        self._trusted_until = 0.0

    def serves(self, folder: str) -> bool:
        """Say whether a folder is this workspace."""
        return folder in (self.cwd, self.base)

    async def start(self) -> None:
        """Work when there is something to do; changes by others are told by the database."""
        await self.lane.start()
        await self.chores.start()

    async def stop(self, *, grace: float) -> None:
        """Finish or put back the running task, end the streams, close everything."""
        await self.chores.stop()
        await self.lane.stop(grace=grace)
        await self.shared_bus.flush()
        self.bus.close()
        self.close()

    def close(self) -> None:
        """Give the connections back; the threads belong to the daemon."""
        self.shared.close()
        self.own.close()
        self._kept.close()
