"""Memories and daemons on a real database."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from reverie.client.connection import needs_certificates
from reverie.daemon.http.auth import gate_for
from reverie.daemon.serve import listen, run, server_for
from reverie.daemon.shared.host import SharedHost
from reverie.dialect import REVERIE
from reverie.memory import Memory
from reverie.postgres.place import Place
from reverie.postgres.tokens import create_token
from tests.server import Server

OPERATOR = "the-operator-of-the-tests"
WAIT = 30.0


def options_of(server: Server, place: Place, **more: Any) -> dict[str, Any]:
    return {
        "engine.url": server.app,
        "engine.tenant": place.tenant,
        "engine.user": place.owner,
        "engine.project": place.project,
        "engine.pool": 4,
        "engine.lease_seconds": 2.0,
        "embedder.provider": "none",
        "daemon.background_seconds": 0.0,
        **more,
    }


def make_token(server: Server, place: Place) -> str:
    with psycopg.connect(server.owner) as db:
        return create_token(db, place).value


@pytest.fixture
def place(server: Server) -> Place:
    return Place(server.tenant(), "ann", "web")


@pytest.fixture
def open_at(server: Server, tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Return a function that opens the memory of a place."""
    opened: list[Memory] = []

    def opener(place: Place, **more: Any) -> Memory:
        settings = options_of(server, place, **more)
        memory = Memory.open(tmp_path, home=tmp_path / "service", settings=settings)
        opened.append(memory)
        return memory

    yield opener
    for memory in opened:
        memory.close()


class Daemon:
    """A daemon of several, in a thread."""

    def __init__(self, server: Server, home: Path, **more: Any) -> None:
        place = Place("nobody", "nobody", "nothing")

        def opening(wanted: Place) -> Callable[[], Memory]:
            wishes = options_of(server, wanted, **more)
            return partial(Memory.open, "/", home=home, settings=wishes)

        with opening(place)() as memory:
            settings = memory.settings
        listener = listen("127.0.0.1", 0, (), or_any=False)
        port = listener.getsockname()[1]
        gate = gate_for(OPERATOR, host="127.0.0.1", port=port)
        self.host = SharedHost(opening, settings, dialect=REVERIE, gate=gate, operator=OPERATOR)
        ready = threading.Event()
        self.server = server_for(self.host, ready=ready.set)
        self.url = f"http://127.0.0.1:{port}"
        self.loop: asyncio.AbstractEventLoop | None = None

        async def main() -> None:
            self.loop = asyncio.get_running_loop()
            await run(self.host, self.server, [listener])

        self._thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
        self._thread.start()
        assert ready.wait(WAIT)
        self.http = httpx2.Client(
            base_url=self.url, timeout=WAIT, trust_env=False, verify=needs_certificates(self.url)
        )

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str, **headers: str
    ) -> httpx2.Response:
        sent = {"Authorization": f"Bearer {token}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return self.http.request(
            method, path, content=None if body is None else json.dumps(body), headers=sent
        )

    def finished(self, path: str, *, token: str) -> dict[str, Any]:
        """Wait until a task is over."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            task = self.ask("GET", path, token=token).json()
            if task.get("status") in ("completed", "failed"):
                return task
            threading.Event().wait(0.02)
        raise AssertionError(f"{path} is not over")

    def stop(self) -> None:
        self.http.close()
        self.server.should_exit = True
        self._thread.join(WAIT)
        assert not self._thread.is_alive()


@pytest.fixture
def start_daemon(server: Server, tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    started: list[Daemon] = []

    def start(**more: Any) -> Daemon:
        daemon = Daemon(server, tmp_path / f"daemon{len(started)}", **more)
        started.append(daemon)
        return daemon

    yield start
    for daemon in started:
        daemon.stop()
