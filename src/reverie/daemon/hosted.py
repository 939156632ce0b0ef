"""One workspace as the daemon serves it: its memory, its queue, its events, its lane."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from reverie.config import SecretSettings, Settings
from reverie.daemon.events import EventBus
from reverie.daemon.work.chores import Chores
from reverie.daemon.work.lane import Lane
from reverie.daemon.work.open_memory import OpenMemory, open_signed, signed
from reverie.daemon.work.outside_changes import OutsideChanges
from reverie.daemon.work.questions import waits_for_others
from reverie.daemon.work.readers import Shelf
from reverie.daemon.work.startup import Startup
from reverie.daemon.work.workers import Line, Workers
from reverie.errors import ConfigError, ReverieError
from reverie.local.tasks.queue_file import TaskDb
from reverie.memory import Memory
from reverie.ports import Queue
from reverie.progress import Board
from reverie.types import RunInfo
from reverie.types.tasks import LaneLimits, News

_log = logging.getLogger(__name__)
_BOOKKEEPING_THREADS = 4


def lane_limits(settings: Settings) -> LaneLimits:
    """Return how much a lane holds by these settings."""
    limits = settings.daemon
    return LaneLimits(limits.max_pending, limits.max_pending_other, limits.max_records)


class Hosted:
    """A workspace that is served."""

    def __init__(self, opener: Callable[[], Memory], *, primary: bool, epoch: str) -> None:
        self.primary = primary
        self._opener = opener
        self.epoch = epoch
        signing = partial(open_signed, opener, epoch)
        self.shared = OpenMemory(signing)
        """The memory that requests read and write."""
        self.own = OpenMemory(opener)
        """The memory of the lane, which signs what it writes."""
        with self.shared.lend() as memory:
            space, settings = memory.workspace, memory.settings
            self.dialect = memory.dialect
            self.clock = memory.clock
        self.id = space.project_id
        self.shelf = Shelf(space.project_id, opener)
        """The same memory, for readers."""
        self.cwd = space.cwd
        self.base = space.base
        self.state = Path(space.state)
        self.limits = limits = settings.daemon
        """As they were when the daemon began."""
        self.shapes = limits.shapes
        self.tasks = self._queue(settings)
        self.board = Board()
        """How far long requests and tasks are."""
        self.verbs = Workers(f"verb-{self.id}", size=limits.threads)
        """For whatever reads or writes memory."""
        self.reads = Line("reading requests", limits.max_waiting_reads)
        self.writes = Line("writing requests", limits.max_waiting_writes)
        self.bookkeeping = Workers(f"bookkeeping-{self.id}", size=_BOOKKEEPING_THREADS)
        """For the queue alone, so that polling never waits for a slow verb."""
        self.bus = self._bus(limits.max_streams)
        self.lane = self._lane(limits.task_seconds)
        self.outside_changes = OutsideChanges(self)
        self.chores = Chores(self)
        self.startup = Startup(self.id, opener, self.chores)
        self._preparing: asyncio.Task[None] | None = None

    def _queue(self, settings: Settings) -> Queue:
        return TaskDb(
            self.state / "tasks.db",
            workspace=self.id,
            clock=self.clock,
            limits=lane_limits(settings),
            wait=settings.memory.lock_wait_seconds,
        )

    def _bus(self, most: int) -> EventBus:
        return EventBus(self.epoch, clock=self.clock, most=most)

    def _lane(self, seconds: float) -> Lane:
        return Lane(self, seconds=seconds)

    def fence(self, memory: Memory, task: str, *, news: News | None = None) -> None:
        """Guard what the lane is about to write; one machine's lane has nothing to fear.

        Args:
            news: It writes once: the lane may be given back with that, and this told with it.
        """

    def serves(self, folder: str) -> bool:
        """Say whether a folder is this workspace."""
        try:
            real = os.path.realpath(folder)
        except ValueError:  # a NUL or half a character: no folder has such a name
            return False
        return real in (self.cwd, os.path.realpath(self.base))

    @property
    def quiet(self) -> bool:
        """True when nobody listens and nothing runs, so that it can be closed."""
        return not len(self.bus) and self.lane.idle

    @property
    def preparing(self) -> bool:
        """True while what a recall by meaning needs is read in the background."""
        return self._preparing is not None and not self._preparing.done()

    def prepare(self) -> None:
        """Read in the background what a recall by meaning needs: vectors of new texts, and weights."""
        if not self.preparing:
            self._preparing = asyncio.create_task(self._prepare(), name="preparing")

    async def _prepare(self) -> None:
        def prepare() -> None:
            with self.shared.lend() as memory:
                memory.prepare()

        try:
            await self.verbs.run(prepare)
        except ReverieError as error:
            _log.warning("recall goes by words: %s", error)

    def trusted(self) -> bool:
        """Say whether the folder is trusted; changes while the daemon runs count."""
        with self.shared.lend() as memory:
            try:
                return memory.trusted().trusted
            except ConfigError:  # a broken list of trusted folders trusts nothing
                return False

    @property
    def is_known_trusted(self) -> bool:
        """Whether nobody has to ask for that now."""
        return False

    def forget_trust(self) -> None:
        """Ask again whether the folder is trusted: somebody has just said."""

    def enabled(self) -> bool:
        """Say whether managed memory is switched on; changes while the daemon runs count."""
        with self.shared.lend() as memory:
            return memory.settings.memory.enabled

    def secrets(self) -> SecretSettings:
        """Return what is done about secrets; changes while the daemon runs count."""
        with self.shared.lend() as memory:
            return memory.settings.secrets

    def writes_alone(self) -> bool:
        """Say whether remembering asks nobody else, so that several tasks may keep other writers waiting."""
        try:
            with self.shared.lend() as memory:
                return not waits_for_others(memory.settings)
        except ReverieError:  # each task is told by itself why the memory cannot be opened
            return False

    def sign(self, run: RunInfo) -> RunInfo:
        """Note in a run which life of the daemon wrote it, and who called over MCP."""
        return signed(self.epoch, run)

    def renew_own(self) -> None:
        """Give the lane another memory: a thread that was left behind still holds the old one."""
        self.own.close()
        self.own = OpenMemory(self._opener)

    async def start(self) -> None:
        """Settle what a crash interrupted, then run the lane and look out for others."""
        await self.lane.start()
        await self.outside_changes.start()
        await self.chores.start()
        await self.startup.start()

    async def stop(self, *, grace: float) -> None:
        """Finish or put back the running task, end the streams, close everything."""
        await self.chores.stop()
        await self.startup.stop(grace=grace)
        await self.outside_changes.stop()
        await self.lane.stop(grace=grace)
        self.bus.close()
        self.close()

    def close(self) -> None:
        """Close the files and let the threads end."""
        self.verbs.stop()
        self.bookkeeping.stop()
        self.tasks.close()
        self.shared.close()
        self.own.close()
