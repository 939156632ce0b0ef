"""Changes made outside: tells readers of events what others wrote into the same memory.

The command line, hooks, agents and other daemons write through the same journal. While somebody listens,
its file is looked at once a second; only when it changed are its newest runs read. While nobody does,
nothing wakes this process up: whoever comes next is told what happened meanwhile. Runs of this daemon's own
tasks and routes are signed with its epoch and passed over: whoever made them tells of them.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.types import RunRecord, Scope

if TYPE_CHECKING:
    from reverie.daemon.hosted import Hosted

_log = logging.getLogger(__name__)
_NEWEST = 100
_MOST = 10_000


class OutsideChanges:
    """Watches the journal for one workspace."""

    def __init__(self, hosted: Hosted, *, every: float = 1.0) -> None:
        self._hosted = hosted
        self.every = every
        self._last: str | None = None
        self._mark: tuple[int, int] | None = None
        self._task: asyncio.Task[None] | None = None
        self._looking = asyncio.Lock()

    async def start(self) -> None:
        """Begin at what is there now."""
        await self._hosted.bookkeeping.run(self._look)
        self._task = asyncio.create_task(self._watch(), name="outside-changes")

    async def stop(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _watch(self) -> None:
        while True:
            await self._hosted.bus.listened.wait()
            await asyncio.sleep(self.every)
            await self.look()

    async def look(self) -> None:
        """Tell what others wrote since the last look."""
        if self._task is None:  # changes of this workspace are told in another way
            return
        async with self._looking:
            try:
                found = await self._hosted.bookkeeping.run(self._look)
            except ReverieError as error:
                _log.warning("the journal cannot be looked at: %s", error)
                return
            for data, client in found:
                kind = "layer_changed" if data["scope"] == "layers" else "memory_changed"
                self._hosted.bus.publish(kind, data, client=client)

    # --- in a worker's thread ---------------------------------------------------------------------

    def _look(self) -> list[tuple[Mapping[str, Any], str]]:
        mark = _mark(self._hosted.state / "journal.db-wal")
        if mark is not None and mark == self._mark:
            return []
        self._mark = mark
        with self._hosted.shared.lend() as memory:
            runs = self._newest(memory)
            if self._last is None:
                self._last = runs[0].id if runs else ""
                return []
            return [
                (data, run.client)
                for run in self._settled(runs)
                if run.status == "done" and run.detail.get("daemon") != self._hosted.epoch
                for data in _changes(run, memory)
            ]

    def _newest(self, memory: Memory) -> Sequence[RunRecord]:
        """Return the newest runs, back to the last one that was looked at; not without end."""
        most = _NEWEST
        while True:
            runs = memory.journal.log(limit=most)
            if len(runs) < most or most >= _MOST or self._last in (None, *(run.id for run in runs)):
                return runs
            most *= 10

    def _settled(self, runs: Sequence[RunRecord]) -> list[RunRecord]:
        """Return the runs since the last look, oldest first, up to one that is being written."""
        fresh = list(takewhile(lambda run: run.id != self._last, runs))
        settled = list(takewhile(lambda run: run.status != "pending", reversed(fresh)))
        if settled:
            self._last = settled[-1].id
        if len(settled) < len(fresh):
            self._mark = None  # look again soon, whether or not the file changes
        return settled


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
        if _below(space.agent_root, path):
            found.append({"scope": "layers", "filePath": path})
            continue
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
