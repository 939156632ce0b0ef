"""What a daemon does once when it starts, while it answers already: old turns get today's form.

Rules
- Opening a history upgrades it. It is opened here by a memory of its own, in a thread of its own, so
  that no request waits for it and the lane is free.
- Every turn is upgraded by itself, under the history's lock: a daemon that is stopped or killed in
  between goes on at its next start.
- What was done, and what could not be read, is told as `background_run` of the job `history`.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.daemon.work.chores import Chore
from reverie.daemon.work.workers import Workers
from reverie.errors import ReverieError
from reverie.local.history.turn_store import History

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.daemon.work.chores import Chores
    from reverie.memory import Memory

_log = logging.getLogger(__name__)


class Startup:
    """Upgrades the history of one workspace's agent."""

    def __init__(self, name: str, opener: Callable[[], Memory], chores: Chores) -> None:
        self._opener = opener
        self._chores = chores
        self._workers = Workers(f"startup-{name}", size=1)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin, and do not wait."""
        self._task = asyncio.create_task(self._run(), name="startup")

    async def wait(self, seconds: float | None = None) -> None:
        """Wait until it is over, or so many seconds."""
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=seconds)

    async def stop(self, *, grace: float) -> None:
        """Wait a little for the turn that is being written; the rest is for the next start."""
        await self.wait(grace)
        if self._task is not None and not self._task.done():
            self._task.cancel()
        self._workers.stop()

    async def _run(self) -> None:
        try:
            done = await self._workers.run(self._upgrade)
        except ReverieError as error:
            _log.warning("old turns could not be upgraded: %s", error)
            done = Chore("history", "failed", str(error))
        if done is not None:
            self._chores.note(done)

    # --- in the worker's thread -------------------------------------------------------------------

    def _upgrade(self) -> Chore | None:
        with self._opener() as memory:
            # Opening a history that is not there would make one.
            if not Path(memory.workspace.agent_root, "history", "turns").is_dir():
                return None
            history = memory.layers.history
            if not isinstance(history, History):  # a database is migrated by its operator
                return None
            found = history.opened
        if not found.upgraded and not found.problems:
            return None
        for problem in found.problems:
            _log.warning("%s: %s", problem.path, problem.message)
        said = [f"old turns upgraded: {found.upgraded}"] if found.upgraded else []
        if found.problems:
            said.append(f"turn files set aside: {len(found.problems)} (the log names them)")
        _log.info("history: %s", "; ".join(said))
        return Chore("history", "done" if found.upgraded else "failed", "; ".join(said))
