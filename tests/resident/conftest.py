"""A home whose resident may start, and that leaves no process behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from reverie.client import quick, resident
from reverie.memory import Memory

WAIT = 120.0


class Home:
    """A base folder with a project, and the processes that serve it."""

    def __init__(self, root: Path, env: Mapping[str, str]) -> None:
        self.root = root
        self.path = root / "home"
        self.project = root / "project"
        (self.project / ".git").mkdir(parents=True)
        self.env = dict(env)

    @property
    def state(self) -> Path:
        return self.path / "state"

    @property
    def socket(self) -> str:
        return str(self.state / quick.SOCKET_FILE)

    @property
    def words(self) -> list[str]:
        return ["--home", str(self.path), "-C", str(self.project)]

    def run(self, *words: str, given: str = "", env: Mapping[str, str] | None = None) -> Any:
        """Run a command; return the finished process."""
        return subprocess.run(
            [sys.executable, "-P", "-m", "reverie", *self.words, *words],
            input=given,
            capture_output=True,
            text=True,
            timeout=WAIT,
            env={**self.env, **(env or {})},
        )

    def fill(self, *texts: str) -> None:
        """Keep statements without starting a process."""
        with Memory.open(self.project, home=self.path, env=self.env) as memory:
            for text in texts:
                assert memory.remember(text).run

    def hook(self, event: str, payload: Mapping[str, Any], **more: str) -> Any:
        """Run a hook; return the finished process."""
        said = {"session_id": "s", "cwd": str(self.project), **payload}
        return subprocess.run(
            [sys.executable, "-P", "-m", "reverie", "hook", event, "--agent", "claude-code",
             "--home", str(self.path)],
            input=json.dumps(said),
            capture_output=True,
            text=True,
            timeout=WAIT,
            env={**self.env, **more},
        )  # fmt: skip

    def wake(self, **more: Any) -> int | None:
        """Start the resident as a client does, and take note of the process that starts it."""
        process = resident.wake(str(self.path), env=self.env, **more)
        if process is not None:
            os.waitpid(process, 0)
        return process

    def about(self) -> dict[str, Any] | None:
        return resident.about(self.socket, timeout=10.0)

    def up(self) -> dict[str, Any]:
        """Wait until a resident answers."""
        return until(self.about)

    def ready(self) -> dict[str, Any]:
        """Wait until a resident answers for the project."""

        def asked() -> bool:
            return self.ask("/workspace/stats", None) is not None

        found = self.up()
        until(asked)
        return found

    def ask(self, path: str, body: Mapping[str, Any] | None, **more: Any) -> dict[str, Any] | None:
        return quick.ask(
            str(self.path), str(self.project), path, body, timeout=WAIT, env=self.env, **more
        )

    def processes(self) -> list[int]:
        """Return the residents of this home: those whose arguments name it."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                alive = (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
            except OSError:
                continue
            if alive and resident.MODULE.encode() in words and os.fsencode(self.path) in words:
                found.append(int(entry.name))
        return found

    def log(self) -> str:
        file = self.state / resident.LOG_FILE
        return file.read_text() if file.exists() else ""


def until(found: Any) -> Any:
    """Wait until something is found, and return it."""
    deadline = time.monotonic() + WAIT
    while not (value := found()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
    return value


@contextmanager
def short_lived() -> Iterator[Home]:
    """Yield a home whose resident may start; whatever started is ended."""
    # A short path of its own: the suite's own folder may be too long for a socket.
    root = Path(tempfile.mkdtemp(prefix="rv-")).resolve()
    made = Home(root, {name: word for name, word in os.environ.items() if name != resident.SWITCH})
    made.state.mkdir(parents=True, mode=0o700)
    yield made

    def ended() -> bool:
        there = made.processes()  # one that was only starting may have come meanwhile
        for process in there:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return not there

    until(ended)
    made.path.chmod(0o700)
    made.state.chmod(0o700)
    shutil.rmtree(root)


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """Return a home whose resident may start; whatever started is ended."""
    monkeypatch.delenv(resident.SWITCH)
    with short_lived() as made:
        yield made
