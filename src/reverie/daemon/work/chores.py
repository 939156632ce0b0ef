"""Chores: what is due in the background, done by the daemon between two tasks.

Rules
- Every `daemon.background_seconds` it is asked what is due: the agent's background jobs, of which an
  overdue one runs once, and the dream, whose gates decide. 0 switches this off, also while it runs.
- Chores run in the workspace's lane, after the tasks that wait and never beside one, within a task's
  time. Where the folder is not trusted nothing is done.
- What ran is told as `background_run`; what was not due is only counted.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.daemon.work import results
from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.types import Dreamed, Skipped

if TYPE_CHECKING:
    from reverie.daemon.hosted import Hosted
    from reverie.daemon.work.background import Stopped

_log = logging.getLogger(__name__)
_LEAST_SECONDS = 1.0
_OFF_SECONDS = 60.0
"""How often the switch is looked at while chores are off."""


@dataclass(frozen=True, slots=True)
class Chore:
    """What came of one chore."""

    job: str
    status: str
    """`done`, `noop`, `failed` or `skipped`."""
    summary: str = ""
    run: str = ""
    scopes: tuple[str, ...] = ()


class Chores:
    """Does what is due for one workspace."""

    def __init__(
        self, hosted: Hosted, *, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._hosted = hosted
        self.pause = pause
        self.looks = 0
        self.last_look: datetime | None = None
        self.counts: dict[tuple[str, str], int] = {}
        """How often each chore ended how."""
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin; the first look comes after the first pause, when the daemon answers already."""
        self._task = asyncio.create_task(self._watch(), name="chores")

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def look(self) -> list[Chore]:
        """Do what is due now, and tell what was done."""
        try:
            done = await self._hosted.lane.between(self._do)
        except ReverieError as error:
            _log.warning("background work failed: %s", error)
            done = [Chore("background", "failed", str(error))]
        self.looks += 1
        self.last_look = self._hosted.clock()
        for chore in done:
            self.note(chore)
        return done

    def note(self, chore: Chore) -> None:
        """Count what was done in the background, and tell of it."""
        key = (chore.job, chore.status)
        self.counts[key] = self.counts.get(key, 0) + 1
        if chore.status != "skipped":
            self._tell(chore)

    async def _watch(self) -> None:
        while True:
            try:
                every = await self._hosted.bookkeeping.run(self._every)
            except ReverieError as error:
                _log.warning("the settings cannot be read: %s", error)
                every = 0.0
            await self.pause(max(every, _LEAST_SECONDS) if every > 0 else _OFF_SECONDS)
            if every > 0:
                await self.look()

    def _tell(self, chore: Chore) -> None:
        data = {"job": chore.job, "status": chore.status, "summary": chore.summary}
        if chore.run:
            data["run"] = chore.run
        self._hosted.bus.publish("background_run", data)
        if chore.scopes:
            changed = {
                "scope": "managed",
                "source": f"workspace_memory_{chore.job}",
                "taskId": chore.run,
                "touchedScopes": list(chore.scopes),
            }
            self._hosted.bus.publish("memory_changed", changed)

    # --- in a worker's thread ---------------------------------------------------------------------

    def _every(self) -> float:
        with self._hosted.shared.lend() as memory:
            return memory.settings.daemon.background_seconds

    def _do(self, memory: Memory, stopped: Stopped) -> list[Chore]:
        if not self._hosted.trusted():
            return [Chore("background", "skipped", "the folder is not trusted")]
        done: list[Chore] = []
        if _has_agent(memory):
            done += _tried("cognition", lambda: _think(memory, startup=self.looks == 0))
        if not stopped():
            done += _tried("dream", lambda: [_dream(memory, stopped)])
        return done


def _tried(job: str, work: Callable[[], list[Chore]]) -> list[Chore]:
    """Do one chore; that it fails must not stop the next."""
    try:
        return work()
    except ReverieError as error:
        _log.warning("the background %s failed: %s", job, error)
        return [Chore(job, "failed", str(error))]


def _think(memory: Memory, *, startup: bool) -> list[Chore]:
    return [
        Chore("cognition", "skipped", item.message or item.reason)
        if isinstance(item, Skipped)
        else Chore(item.job, item.status, item.summary, item.run)
        for item in memory.layers.think(startup=startup)
    ]


def _dream(memory: Memory, stopped: Stopped) -> Chore:
    outcome = memory.dream(cancelled=stopped)
    match outcome:
        case Skipped():
            return Chore("dream", "skipped", outcome.message or outcome.reason)
        case Dreamed():
            shaped = results.of_outcome(outcome)
            status = "done" if outcome.run else "noop"
            return Chore("dream", status, str(shaped.wire["summary"]), outcome.run, shaped.scopes)


def _has_agent(memory: Memory) -> bool:
    """Say whether this agent has layers; looking for due jobs would make them otherwise."""
    return Path(memory.layers.root).is_dir() or bool(memory.layers.working())
