"""One workspace as the daemon serves it: its memory, its queue, its events, its lane."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from reverie.core.lane import LaneLimits
from reverie.daemon.events import EventBus
from reverie.daemon.lane import Lane
from reverie.daemon.workers import Workers
from reverie.local.settings import user_file
from reverie.local.tasks import TaskDb
from reverie.memory import Memory

_VERB_THREADS = 16
_DESK_THREADS = 4

Signature = tuple[tuple[int, int] | None, ...]


class Hosted:
    """A workspace, opened once per thread and again when its settings change."""

    def __init__(self, opener: Callable[[], Memory], *, primary: bool, epoch: str) -> None:
        self._opener = opener
        self._mine = threading.local()
        self._opened: list[Memory] = []
        self._guard = threading.Lock()
        self.primary = primary
        memory = self.memory()
        space, daemon = memory.workspace, memory.settings.daemon
        self.id = space.project_id
        self.cwd = space.cwd
        self.base = space.base
        self.dialect = memory.dialect
        self.clock = memory.clock
        self.state = Path(space.state)
        self.tasks = TaskDb(
            self.state / "tasks.db",
            workspace=self.id,
            clock=self.clock,
            limits=LaneLimits(daemon.max_pending, daemon.max_pending_other, daemon.max_records),
            wait=memory.settings.memory.lock_wait_seconds,
        )
        self.verbs = Workers(f"verb-{self.id}", size=_VERB_THREADS)
        """For whatever reads or writes memory."""
        self.desk = Workers(f"desk-{self.id}", size=_DESK_THREADS)
        """For the queue alone, so that polling never waits for a slow verb."""
        self.bus = EventBus(epoch, clock=self.clock)
        self.lane = Lane(self, seconds=daemon.task_seconds)

    def memory(self) -> Memory:
        """Return this thread's memory; a memory is never used by two threads at once."""
        seen = self._settings_signature()
        known: tuple[Signature, Memory] | None = getattr(self._mine, "memory", None)
        if known is not None and known[0] == seen:
            return known[1]
        fresh = self._opener()
        with self._guard:
            self._opened.append(fresh)
            if known is not None:
                self._opened.remove(known[1])
        if known is not None:
            known[1].close()
        self._files = self._settings_files(fresh)
        self._mine.memory = (self._settings_signature(), fresh)
        return fresh

    def serves(self, folder: str) -> bool:
        """Say whether a folder is this workspace."""
        real = os.path.realpath(folder)
        return real in (self.cwd, os.path.realpath(self.base))

    async def start(self) -> None:
        """Settle what a crash interrupted, then run the lane."""
        await self.lane.start()

    async def stop(self, *, grace: float) -> None:
        """Finish or put back the running task, end the streams, close everything."""
        await self.lane.stop(grace=grace)
        self.bus.close()
        self.close()

    def close(self) -> None:
        """Close the files and let the threads end."""
        self.verbs.stop()
        self.desk.stop()
        self.tasks.close()
        with self._guard:
            for memory in self._opened:
                memory.close()
            self._opened.clear()

    _files: tuple[Path, ...] = ()

    @staticmethod
    def _settings_files(memory: Memory) -> tuple[Path, ...]:
        user = user_file(memory.dialect, home=memory.workspace.home, env=memory.env)
        return user, Path(memory.workspace.base) / memory.dialect.project_config

    def _settings_signature(self) -> Signature:
        found: list[tuple[int, int] | None] = []
        for path in self._files:
            try:
                facts = path.stat()
            except OSError:
                found.append(None)
            else:
                found.append((facts.st_mtime_ns, facts.st_size))
        return tuple(found)
