"""Daemons as processes of their own, for tests that start, stop and kill them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reverie.client import Client

TOKEN = "a-token-for-processes"
WAIT = 60.0


class Process:
    """A daemon that was started with the command line."""

    def __init__(
        self,
        project: Path,
        home: Path,
        *options: str,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = ("-m", "reverie"),
    ):
        token = {"REVERIE_SERVER_TOKEN": TOKEN} if env is None else env
        # A file, not a pipe: a daemon that logs a lot must not wait for us to read it.
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115  # closed by __exit__
        self.popen = subprocess.Popen(
            [sys.executable, *program, "--home", str(home), "-C", str(project), "serve",
             "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, **token},
        )  # fmt: skip
        line = self.popen.stdout.readline()
        if not line:
            self.popen.wait(WAIT)
            raise AssertionError(f"the daemon did not start: {self.logged()}")
        self.facts: dict[str, Any] = json.loads(line)

    def client(self, **more: Any) -> Client:
        return Client(self.facts["url"], token=TOKEN, timeout=WAIT, **more)

    def end(self, number: signal.Signals) -> tuple[int, str, str]:
        """Send a signal; return the exit status, and what else was said on each output."""
        self.popen.send_signal(number)
        said, _ = self.popen.communicate(timeout=WAIT)
        return self.popen.returncode, said, self.logged()

    def logged(self) -> str:
        """Return what went to standard error."""
        self.log.seek(0)
        return self.log.read()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        if self.popen.poll() is None:
            self.end(signal.SIGKILL)
        self.popen.stdout.close()
        self.log.close()
