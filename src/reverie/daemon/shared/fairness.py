"""Worker threads that many tenants share fairly.

Rules
- A thread that is free takes the work of the tenant that has the fewest threads, oldest first: a crowd
  of one tenant waits for its own, and somebody else's single call does not wait behind it.
- One tenant never has all threads; some are left for whoever comes next.
- When the room to wait is full, those are sent away that have their share of it. A tenant that has
  less is let in, up to a second room of the same size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from reverie.daemon.http.presence import Presence
from reverie.daemon.work.workers import Job, Value, Workers
from reverie.errors import EngineUnavailable, TenantBusy

_LEFT_FOR_OTHERS: Final = 4
"""One of so many threads is left for other tenants."""


class FairWorkers(Workers):
    """Threads and room to wait, for all tenants of a daemon."""

    def __init__(self, name: str, *, size: int, most: int) -> None:
        super().__init__(name, size=size)
        self._most = most
        self._inside: Counter[str] = Counter()
        self._working: Counter[str] = Counter()
        self.refused = 0

    def share(self, tenant: str) -> Workers:
        """Return these threads as one tenant sees them."""
        return _Share(self, tenant, name=self.name, size=self._size)

    async def run_for(
        self, tenant: str, work: Callable[[], Value], caller: Presence | None
    ) -> Value:
        """Run a function for a tenant, or raise when there is no room for it to wait."""
        self._check_room(tenant)
        self._inside[tenant] += 1
        try:
            return await self._run(_Work(tenant, work), caller)
        finally:
            self._inside[tenant] -= 1
            self._inside += Counter()  # leaves out those that have nothing here any more

    def _check_room(self, tenant: str) -> None:
        if self._busy < self._most:
            return
        fair = self._most / len({*self._inside, tenant})
        if self._busy >= self._most * 2:
            self.refused += 1
            raise EngineUnavailable("the service is busy; try again in a moment")
        if self._inside[tenant] >= fair:
            self.refused += 1
            raise TenantBusy(
                f"{self._inside[tenant]} calls of this tenant are running or waiting already, and"
                " others wait too; nothing was done, try again in a moment"
            )

    def _take(self) -> Job | None:
        limit = max(self._size - max(self._size // _LEFT_FOR_OTHERS, 1), 1)
        waiting = [job for job in self._jobs if self._working[_tenant(job)] < limit]
        if not waiting:
            return None
        chosen = min(waiting, key=lambda job: self._working[_tenant(job)])
        self._jobs.remove(chosen)
        # Counted here, before the next thread looks: a crowd that comes at once finds several of them free.
        self._working[_tenant(chosen)] += 1
        return chosen

    def _finished(self, job: Job) -> None:
        """Give the thread back; work that had to wait for this may go on."""
        with self._ready:
            self._working[_tenant(job)] -= 1
            self._working += Counter()
            self._ready.notify()


class _Share(Workers):
    """The threads of a daemon as one tenant sees them."""

    def __init__(self, whole: FairWorkers, tenant: str, *, name: str, size: int) -> None:
        super().__init__(name, size=size)
        self._whole = whole
        self._tenant = tenant

    async def _run(self, work: Callable[[], Value], caller: Presence | None) -> Value:
        return await self._whole.run_for(self._tenant, work, caller)

    def sweep(self) -> None:
        """Drop what waits for callers who hung up."""
        self._whole.sweep()


@dataclass(frozen=True, slots=True)
class _Work:
    """Work of a tenant."""

    tenant: str
    work: Callable[[], Any]

    def __call__(self) -> Any:
        return self.work()


def _tenant(job: Job) -> str:
    return job.work.tenant if isinstance(job.work, _Work) else ""
