"""The lookout: tells readers of events what others wrote into the same memory.

The command line, hooks, agents and other daemons write through the same journal. Once a second its
file is looked at; only when it changed are its newest runs read. Runs that this daemon told of
already (its tasks and its own writing routes) are passed over.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.types import RunRecord, Scope

if TYPE_CHECKING:
    from reverie.daemon.hosted import Hosted

_log = logging.getLogger(__name__)
_NEWEST = 100
_REMEMBERED = 1000


class Lookout:
    """Watches the journal for one workspace."""

    def __init__(self, hosted: Hosted, *, every: float = 1.0) -> None:
        self._hosted = hosted
        self.every = every
        self._told: deque[str] = deque(maxlen=_REMEMBERED)
        self._last: str | None = None
        self._mark: tuple[int, int] | None = None
        self._task: asyncio.Task[None] | None = None

    def told(self, run: str) -> None:
        """Note that a run was announced by whoever made it."""
        self._told.append(run)

    async def start(self) -> None:
        """Begin at what is there now."""
        await self._hosted.desk.run(self._look)
        self._task = asyncio.create_task(self._watch(), name="lookout")

    async def stop(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self.every)
            try:
                found = await self._hosted.desk.run(self._look)
            except ReverieError as error:
                _log.warning("the journal cannot be looked at: %s", error)
                continue
            for data, client in found:
                self._hosted.bus.publish("memory_changed", data, client=client)

    # --- in a worker's thread ---------------------------------------------------------------------

    def _look(self) -> list[tuple[Mapping[str, Any], str]]:
        mark = _mark(self._hosted.state / "journal.db-wal")
        if mark is not None and mark == self._mark:
            return []
        self._mark = mark
        with self._hosted.shared.lend() as memory:
            runs = memory.journal.log(limit=_NEWEST)
            fresh = []
            for run in runs:
                if run.id == self._last:
                    break
                fresh.append(run)
            first_look, self._last = self._last is None, runs[0].id if runs else ""
            if first_look:
                return []
            return [
                (data, run.client)
                for run in reversed(fresh)
                if run.status == "done" and "task" not in run.detail and run.id not in self._told
                for data in _changes(run, memory)
            ]


def _changes(run: RunRecord, memory: Memory) -> list[Mapping[str, Any]]:
    """Say what a run changed in this workspace; runs of other projects changed nothing here."""
    space = memory.workspace
    touched = [
        scope
        for scope in Scope
        if any(_below(space.memory_root(scope), path) for path in run.paths)
    ]
    found: list[Mapping[str, Any]] = []
    if touched:
        found.append(
            {
                "scope": "managed",
                "source": f"workspace_{run.verb.replace('-', '_')}",
                "taskId": run.id,
                "touchedScopes": [scope.value for scope in touched],
            }
        )
    for path in run.paths:
        where = "global" if _beside(space.home, path) else "workspace"
        if where == "global" or _beside(space.base, path):
            size = Path(path).stat().st_size if Path(path).exists() else 0
            data = {"scope": where, "filePath": path, "mode": "replace", "bytesWritten": size}
            found.append(data)
    return found


def _below(root: str, path: str) -> bool:
    return path.startswith(os.path.realpath(root) + "/")


def _beside(folder: str, path: str) -> bool:
    return str(Path(path).parent) == os.path.realpath(folder)


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size
