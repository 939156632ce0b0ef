"""What an agent waits for at a prompt: processor time of `reverie hook prompt`, against `python -c pass`.

Three cases with 1,000 topics: a daemon is running, none is running, and none is running while the
prompt is in a script whose patterns must be compiled first. Processes are started in turn, so that
noise hits all of them; medians are compared.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.speed.recall import fill
from reverie.client import quick
from reverie.client.resident import SWITCH
from reverie.memory import Memory

TOPICS = 1000
_PROMPTS = {
    "english": "when may I deploy the billing gateway",
    "chinese": "什么时候可以部署计费网关",
    "trivial": "ok, thanks!",
}
_HOUR = 3600
_OPENING = 60.0


def run(*, quick: bool) -> Iterator[tuple[str, object]]:
    """Measure each case; quick takes fewer rounds."""
    rounds = 10 if quick else 40
    with tempfile.TemporaryDirectory(prefix="reverie-bench") as folder:
        root = Path(folder)
        home, project = root / "home", root / "project"
        (project / ".git").mkdir(parents=True)
        fill(home, TOPICS)
        _age(home)
        with Memory.open(project, home=home) as memory:
            memory.recall(_PROMPTS["english"])  # stores the words, as any recall does
        yield "topics", TOPICS
        yield "rounds", rounds
        yield "without_daemon", _measured(rounds, home, project)
        with _daemon(home, project):
            served = _measured(rounds, home, project)
    yield "with_daemon", served


def _measured(rounds: int, home: Path, project: Path) -> dict[str, object]:
    bare = [sys.executable, "-P", "-c", "pass"]
    hook = [*_program(), "hook", "prompt", "--agent", "claude-code", "--home", str(home)]
    inputs = {
        name: json.dumps({"session_id": "bench", "cwd": str(project), "prompt": text}).encode()
        for name, text in _PROMPTS.items()
    }
    for data in inputs.values():  # the first one finds out which passages hold no secret
        _timed(hook, data)
    times: dict[str, list[float]] = {name: [] for name in ("python", *inputs)}
    for _ in range(rounds):
        times["python"].append(_timed(bare, b""))
        for name, data in inputs.items():
            times[name].append(_timed(hook, data))
    medians = {name: statistics.median(values) for name, values in times.items()}
    figures: dict[str, object] = {"python_ms": medians["python"] * 1000}
    for name in inputs:
        figures[name] = {
            "ms": medians[name] * 1000,
            "ratio": medians[name] / medians["python"],
            "p95_ms": sorted(times[name])[int(0.95 * (rounds - 1))] * 1000,
        }
    return figures


def _program() -> Sequence[str]:
    """Return what `reverie install` would have the agent call."""
    script = Path(sys.executable).with_name("reverie")
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "reverie"]


def _timed(command: Sequence[str], data: bytes) -> float:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env[SWITCH] = "off"  # else the first hook starts the daemon that is not to be there
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=data, check=True, stdout=subprocess.DEVNULL, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _age(home: Path) -> None:
    """Date the topics back: words of files that are seconds old are not stored."""
    before = time.time() - _HOUR
    for path in home.rglob("*.md"):
        os.utime(path, (before, before))


@contextmanager
def _daemon(home: Path, project: Path) -> Iterator[None]:
    command = [sys.executable, "-P", "-m", "reverie", "--home", str(home), "-C", str(project)]
    process = subprocess.Popen(
        [*command, "serve", "--port", "0", "--log-level", "error"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        if process.stdout:
            process.stdout.readline()
        # A hook that waits in vain leaves a daemon alone for a minute, so it has to have opened the memory.
        body = {"query": _PROMPTS["english"]}
        quick.ask(str(home), str(project), "/workspace/hooks/prompt", body, timeout=_OPENING)
        yield
    finally:
        process.terminate()
        process.communicate(timeout=60)
