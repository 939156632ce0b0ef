"""The same tests for every engine: each gets a fresh memory of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reverie.local.tasks.queue_file import TaskDb
from reverie.memory import Memory
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.tasks import PgTasks
from reverie.types.tasks import LaneLimits
from tests.conftest import FakeClock
from tests.server import Server

LIMITS = LaneLimits(pending=4, pending_other=2, records=6, sessions=3)


@pytest.fixture(params=["local", pytest.param("postgres", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def opener(
    engine: str, project: Path, clock: FakeClock, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Memory]]:
    """Return a function that opens the test's memory; opened twice, it is the same one."""
    opened: list[Memory] = []
    options: dict[str, Any] = {"embedder.provider": "none"}
    if engine == "postgres":
        server: Server = request.getfixturevalue("server")
        options |= {
            "engine.url": server.app,
            "engine.tenant": server.tenant(),
            "engine.user": "ann",
            "engine.project": "web",
            "engine.pool": 4,
            "engine.lease_seconds": 1.0,  # a test that kills a process waits for it
        }

    def open_again(**more: Any) -> Memory:
        memory = Memory.open(project, clock=clock, settings={**options, **more})
        opened.append(memory)
        return memory

    yield open_again
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(opener: Callable[..., Memory]) -> Memory:
    return opener()


@pytest.fixture
def queue(memory: Memory, clock: FakeClock, tmp_path: Path) -> Iterator[TaskDb | PgTasks]:
    if isinstance(memory.engine, PostgresEngine):
        tasks = PgTasks(
            memory.engine.database,
            memory.engine.place,
            clock=clock,
            limits=LIMITS,
            holder="daemon-1",
            lease_seconds=60.0,
        )
        tasks.take(busy=True)
        yield tasks
        return
    local = TaskDb(tmp_path / "tasks.db", workspace="w", clock=clock, limits=LIMITS)
    yield local
    local.close()
