"""A daemon of its own for every test: a real server on a free port of the loopback address."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import pytest
import uvicorn.server

from reverie.client import Client
from reverie.client.connection import needs_certificates
from reverie.daemon.host import Host
from reverie.daemon.http.auth import gate_for
from reverie.daemon.serve import Server, listen, run, server_for
from reverie.memory import Memory

TOKEN = "the-token-of-the-tests"
WAIT = 30.0


class Hasty(ModuleType):
    """`asyncio` as uvicorn sees it: its fixed pauses when it stops are longer than most tests."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))


class Running:
    """A daemon in a thread, and ways to talk to it."""

    def __init__(
        self,
        host: Host,
        listener: socket.socket,
        server: Server,
        ready: threading.Event,
        local: socket.socket | None = None,
    ):
        self.host = host
        self.local = None if local is None else local.getsockname()
        self.server = server
        self.port = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._serve, args=(listener, local), daemon=True)
        self._thread.start()
        assert ready.wait(WAIT)
        self.http = httpx2.Client(
            base_url=self.url, timeout=WAIT, trust_env=False, verify=needs_certificates(self.url)
        )

    def _serve(self, *sockets: socket.socket | None) -> None:
        async def main() -> None:
            self.loop = asyncio.get_running_loop()
            await run(self.host, self.server, [item for item in sockets if item])

        asyncio.run(main())

    def stop(self) -> None:
        """Stop the daemon; doing it twice is fine."""
        self.http.close()
        self.server.should_exit = True
        self._thread.join(WAIT)
        assert not self._thread.is_alive()

    def on_loop(self, work: Callable[[], Any]) -> Any:
        """Run something in the daemon's own thread and wait for it."""

        async def call() -> Any:
            return work()

        return asyncio.run_coroutine_threadsafe(call(), self.loop).result(WAIT)

    # --- requests ---------------------------------------------------------------------------------

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = TOKEN,
        client: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        sent = {**({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
        if client:
            sent[self.host.primary.dialect.client_header] = client
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body)
        return self.http.request(method, path, content=content, headers=sent)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        return self.ask("POST", path, {} if body is None else body, **more)

    def over(self, accepted: httpx2.Response, *, client: str = "") -> dict[str, Any]:
        """Wait for the task of an accepted request, and return its record."""
        assert accepted.status_code == 202, accepted.text
        task = accepted.json()["taskId"]
        with self.client(client_id=client) as sdk:
            sdk.wait(task, timeout=WAIT)
        kind = task.partition("-")[0]
        return self.get(f"/workspace/memory/{kind}/{task}", client=client).json()

    def remember(self, content: str, *, client: str = "") -> dict[str, Any]:
        accepted = self.post("/workspace/memory/remember", {"content": content}, client=client)
        return self.over(accepted, client=client)

    def client(self, **more: Any) -> Client:
        prefix = self.host.primary.dialect.client_header.removesuffix("-Client-Id")
        return Client(self.url, token=TOKEN, header_prefix=prefix, **more)

    def code(self, response: httpx2.Response) -> tuple[int, str]:
        return response.status_code, response.json()["code"]


@pytest.fixture
def start(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Running]]:
    """Return a function that starts a daemon; everything started is stopped."""
    monkeypatch.setattr(uvicorn.server, "asyncio", Hasty("asyncio"))
    started: list[Running] = []
    # A short path: a Unix socket's name has room for a hundred characters only.
    short = Path(tempfile.mkdtemp(prefix="rv-"))

    def local_socket() -> socket.socket:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.bind(str(short / f"{len(started)}.sock"))
        made.listen()
        return made

    def starter(
        *folders: Path,
        dialect: str | None = None,
        settings: Mapping[str, Any] | None = None,
        before: Callable[[Host], None] | None = None,
        opener: Callable[..., Memory] = Memory.open,
        local: bool = False,
    ) -> Running:
        openers = [
            partial(opener, folder, home=tmp_path / "base", dialect=dialect, settings=settings)
            for folder in folders or (project,)
        ]
        listener = listen("127.0.0.1", 0, (), or_any=False)
        port = listener.getsockname()[1]
        host = Host(openers, gate=gate_for(TOKEN, host="127.0.0.1", port=port))
        host.readers.most = 0  # what a test puts into this process would be missing in another
        if before is not None:
            before(host)
        ready = threading.Event()
        server = server_for(host, ready=ready.set)
        running = Running(host, listener, server, ready, local_socket() if local else None)
        started.append(running)
        return running

    yield starter
    for running in started:
        running.stop()
    shutil.rmtree(short)


@pytest.fixture
def daemon(start: Callable[..., Running]) -> Running:
    """Return a running daemon of the empty project."""
    return start()
