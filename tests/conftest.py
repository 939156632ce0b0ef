"""What every test gets: a home and a project of its own, a clock that stands still, no network."""

from __future__ import annotations

import gc
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings

from reverie.client.resident import MODULE
from reverie.memory import Memory
from tests.server import Server, running

# No deadline: a busy machine is not a fault. The same examples in every run, so that a test fails
# because of a change and not by luck; `make torture` looks for new ones.
settings.register_profile("full", deadline=None, derandomize=True)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile("full")

# No test loads a sentence model unasked: what is opened with settings of its own gets these.
NO_MODEL = {"REVERIE_EMBEDDER": "embedded"}
_LOOPBACK = {"127.0.0.1", "::1", "localhost", ""}


class FakeClock:
    """A clock that moves only when told to."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        self.now += timedelta(**span)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the collector of cycles away from the tests themselves.

    Thousands of them are made at once and all stay to the end: looking through them again and again would
    take half the time of collecting them, and a second at every collection that a test asks for.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


def settle(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point HOME at a folder and forget every setting of the real one."""
    for name in list(os.environ):
        if name.startswith(("REVERIE_", "QWEN_", "CLAUDE_", "OPENAI_", "ANTHROPIC_", "OTEL_")) and (
            name != "REVERIE_TORTURE"
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    for name, value in NO_MODEL.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("REVERIE_RESIDENT", "off")  # no test leaves a process behind unasked


@pytest.fixture(scope="session")
def unused_homes() -> list[Path]:
    """Return the homes that were given to a test and are still empty."""
    return []


@pytest.fixture(autouse=True)
def private_home(
    request: pytest.FixtureRequest,
    unused_homes: list[Path],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Path]:
    """Point HOME at an empty temporary folder and forget every setting of the real one.

    It is in the folder of the test. Most tests ask for none: they get a home that nobody has used.
    """
    in_folder = "tmp_path" in request.fixturenames
    if in_folder:
        home: Path = request.getfixturevalue("tmp_path") / "home"
        home.mkdir()
    else:
        home = unused_homes.pop() if unused_homes else tmp_path_factory.mktemp("home")
    settle(home, monkeypatch)
    yield home
    if not in_folder and home.is_dir() and not any(home.iterdir()):
        unused_homes.append(home)


@pytest.fixture(autouse=True, scope="session")
def no_daemon_stays(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """End every resident daemon that a test left in a home of its own."""
    yield
    below = os.fsencode(tmp_path_factory.getbasetemp())
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = entry.read_bytes().split(b"\0")
            if MODULE.encode() in words and any(word.startswith(below) for word in words):
                os.kill(int(entry.parent.name), signal.SIGKILL)


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Refuse connections to anything but this machine."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        if host not in _LOOPBACK:
            raise AssertionError(f"a test tried to reach {host}")
        real(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        yield


@pytest.fixture
def clock() -> FakeClock:
    """Return a clock that stands at noon of a known day."""
    return FakeClock(datetime(2026, 5, 1, 12, 0, tzinfo=UTC))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return an empty git project."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture
def open_memory(project: Path, clock: FakeClock) -> Iterator[Callable[..., Memory]]:
    """Return a function that opens the project's memory; everything opened is closed."""
    opened: list[Memory] = []

    def opener(workspace: Path | None = None, **options: object) -> Memory:
        memory = Memory.open(workspace or project, clock=clock, **options)  # type: ignore[arg-type]
        opened.append(memory)
        return memory

    yield opener
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """Return the opened memory of the empty project."""
    return open_memory()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Return a running PostgreSQL with our schema; tests take a tenant of their own in it."""
    with running() as started:
        yield started
