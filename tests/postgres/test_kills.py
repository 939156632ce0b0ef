"""Three daemons on one database under load, killed one after the other: no task lost, none run twice.

`make test` kills a few times; `make torture` as often as REVERIE_TORTURE says, at least 100 times.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path

import httpx2
import pytest

from reverie.memory import Memory
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.place import Place
from tests.daemon.processes import Process
from tests.postgres.conftest import make_token
from tests.server import Server

KILLS = max(100, int(os.environ["REVERIE_TORTURE"])) if "REVERIE_TORTURE" in os.environ else 5
WORKSPACES = 4
LEAST_TASKS = 6
REMEMBER = "/workspace/memory/remember"
SETTINGS = {
    "REVERIE_SERVER_TOKEN": "operator",
    "REVERIE_ENGINE__LEASE_SECONDS": "1.0",
    "REVERIE_ENGINE__POOL": "6",
    "REVERIE_EMBEDDER__PROVIDER": "none",
    "REVERIE_DAEMON__BACKGROUND_SECONDS": "0",
}

pytestmark = [pytest.mark.slow, pytest.mark.torture]


class Fleet:
    """Daemons that are replaced when they are killed."""

    def __init__(self, server: Server, home: Path, size: int, **more: str) -> None:
        self._env = {**SETTINGS, "REVERIE_ENGINE": server.app, **more}
        self._home = home
        self.daemons = [self._start() for _ in range(size)]

    def _start(self) -> Process:
        return Process(Path("/"), self._home, env=self._env)

    def urls(self) -> list[str]:
        return [item.facts["url"] for item in list(self.daemons)]

    def kill(self, which: int) -> None:
        self._end(self.daemons[which], signal.SIGKILL)
        self.daemons[which] = self._start()

    @staticmethod
    def _end(daemon: Process, number: signal.Signals) -> None:
        daemon.end(number)
        daemon.log.close()

    def stop(self) -> None:
        for item in self.daemons:
            self._end(item, signal.SIGTERM)


class Loader(threading.Thread):
    """Sends facts for one workspace, each until a daemon has accepted it, always under its key."""

    def __init__(
        self,
        fleet: Fleet,
        token: str,
        name: str,
        stop: threading.Event,
        *,
        refusals: Collection[int] = (),
    ) -> None:
        super().__init__(daemon=True)
        self._refusals = {429, 503, *refusals}
        self.failure: str | None = None
        self._fleet = fleet
        self._token = token
        self._label = name
        self._stop_it = stop
        self.accepted: list[str] = []

    def run(self) -> None:
        number = 0
        with httpx2.Client(timeout=20.0, trust_env=False) as http:
            while not self._stop_it.is_set() or number < LEAST_TASKS:
                if self._send(http, number):
                    number += 1
                if self.failure:
                    return

    def _send(self, http: httpx2.Client, number: int) -> bool:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Idempotency-Key": f"{self._label}-{number}",
        }
        body = {"content": f"Fact {self._label} {number} of many.", "contextMode": "clean",
                "scope": "project"}  # fmt: skip
        url = random.choice(self._fleet.urls())
        try:
            answer = http.post(f"{url}{REMEMBER}", json=body, headers=headers)
        except httpx2.HTTPError:
            time.sleep(0.05)
            return False
        if answer.status_code == 202:
            self.accepted.append(answer.json()["taskId"])
            return True
        if answer.status_code not in self._refusals:
            self.failure = answer.text
        time.sleep(0.05)
        return False


def test_no_task_is_lost_or_done_twice_while_daemons_are_killed(
    server: Server, tmp_path: Path, open_at: Callable[..., Memory]
):
    tenant = server.tenant()
    places = [Place(tenant, "ann", f"project{number}") for number in range(WORKSPACES)]
    fleet = Fleet(server, tmp_path / "service", 3)
    stop = threading.Event()
    loaders = [Loader(fleet, make_token(server, place), place.project, stop) for place in places]
    try:
        for loader in loaders:
            loader.start()
        for number in range(KILLS):
            time.sleep(random.uniform(0.05, 0.6))
            fleet.kill(number % 3)
        stop.set()
        for loader in loaders:
            loader.join(120)
            assert not loader.is_alive()
            assert loader.failure is None
        for place, loader in zip(places, loaders, strict=True):
            finished(open_at(place), loader.accepted)
    finally:
        stop.set()
        fleet.stop()


def finished(memory: Memory, accepted: list[str]) -> set[str]:
    """Wait until everything is over; then each accepted task has one run, in the order of acceptance.

    Returns those that were given up, because three daemons died while they ran.
    """
    engine = memory.engine
    assert isinstance(engine, PostgresEngine)
    end = time.monotonic() + 120
    while True:
        with engine.database.transaction(engine.place) as db:
            rows = db.execute(
                "SELECT id, status, failure FROM task WHERE tenant = %(tenant)s AND owner = %(owner)s"
                " AND project = %(project)s ORDER BY seq",
                engine.place.values,
            ).fetchall()
        if all(status in ("completed", "failed") for _, status, _ in rows):
            break
        assert time.monotonic() < end, rows
        time.sleep(0.1)
    assert len(accepted) >= LEAST_TASKS
    states = {task: (status, failure) for task, status, failure in rows}
    # A task that was interrupted three times is given up on purpose, and says so.
    given_up = {
        task for task, (status, failure) in states.items()
        if status == "failed" and "interrupted" in str(failure)
    }  # fmt: skip
    done = [task for task, _, _ in rows if states[task][0] == "completed"]
    assert set(accepted) <= states.keys(), "an accepted task is gone"
    odd = {task: state for task, state in states.items() if task not in {*done, *given_up}}
    assert not odd
    runs = [run for run in reversed(memory.log(limit=100_000)) if run.verb == "remember"]
    written = Counter(run.detail["task"] for run in runs)
    assert set(written.values()) <= {1}, "a task was done twice"
    assert [run.detail["task"] for run in runs] == done, "tasks did not run one after the other"
    bodies = Counter(topic.body.strip() for topic in memory.store.topics())
    assert len(bodies) == len(done)
    assert set(bodies.values()) == {1}
    assert memory.verify().ok
    return given_up
