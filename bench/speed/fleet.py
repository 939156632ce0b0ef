"""Daemons on one database under load: how much they take in, how they answer meanwhile, what they hold."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx2

from bench.speed.daemon import resident_mb, worked
from bench.speed.pressure import Caller, press

_WRITERS = 12
_OPERATOR = "operator-of-the-bench"
_SPENDERS = ("daemon_ms", "postgres_ms", "callers_ms")


@dataclass(frozen=True, slots=True)
class Running:
    """A daemon that runs."""

    url: str
    pid: int


@contextmanager
def daemons(service: str, home: Path, count: int) -> Iterator[list[Running]]:
    """Start daemons with default settings, words only."""
    env = {
        **os.environ,
        "REVERIE_ENGINE": service,
        "REVERIE_SERVER_TOKEN": _OPERATOR,
        "REVERIE_EMBEDDER__PROVIDER": "none",
    }
    with ExitStack() as stack:
        started: list[Running] = []
        for number in range(count):
            process = subprocess.Popen(
                [sys.executable, "-m", "reverie", "--home", str(home / f"d{number}"), "-C", "/",
                 "serve", "--port", "0"],
                env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
            stack.callback(process.wait)
            stack.callback(process.terminate)
            if process.stdout is None:
                raise RuntimeError("a daemon says nothing")
            started.append(Running(json.loads(process.stdout.readline())["url"], process.pid))
        yield started


def remembered(
    fleet: Sequence[Running], tokens: Sequence[str], seconds: float, *, clean: bool, server: int = 0
) -> dict[str, float]:
    """Remember by many people at once; how many a second, and how `/health` answers meanwhile.

    Also tells the processor time for each: in the daemons, in PostgreSQL (whose first process is `server`,
    where it is known) and in those who call. Without `clean` each fact is compared with all before it, and as
    they differ in one stretch, to the end.
    """

    def body(who: int) -> bytes:
        # New each time, also to the daemons that are measured next: what is known is not written.
        fact = {"content": f"Fact {time.time_ns()} of {who} is measured.", "clean": clean}
        return json.dumps(fact).encode()

    def crowd() -> list[Caller]:
        return [
            Caller(
                fleet[who % len(fleet)].url,
                tokens[who % len(tokens)],
                "/workspace/remember",
                partial(body, who),
            )
            for who in range(_WRITERS)
        ]

    press(crowd(), 0.0)  # opens what they write to
    callers = crowd()
    before = _spent(fleet, server)
    with _health(fleet[0]) as waits:
        begin = time.monotonic()
        press(callers, seconds)
        seconds = time.monotonic() - begin
    spent = [now - then for now, then in zip(_spent(fleet, server), before, strict=True)]
    done = sum(caller.statuses[200] for caller in callers)
    refused = sum(caller.statuses.total() for caller in callers) - done
    each = dict(zip(_SPENDERS, (part / max(done, 1) * 1000 for part in spent), strict=True))
    return {
        "per_s": done / seconds,
        "refused": refused,
        "health_p95_ms": _p95(waits),
        **(each if server else {}),
    }


def _spent(fleet: Sequence[Running], server: int) -> tuple[float, float, float]:
    """Return the processor time in seconds of daemons, of PostgreSQL, and of this process."""
    return (
        sum(worked(daemon.pid) for daemon in fleet),
        worked(server) if server else 0.0,
        time.process_time(),
    )


def first_searches(daemon: Running, tokens: Sequence[str]) -> dict[str, float]:
    """Search at the same moment in places that were never searched."""
    begin = threading.Barrier(len(tokens))

    def search(token: str) -> int:
        with _client(daemon.url, token) as http:
            begin.wait()
            return http.post("/workspace/search", json={"query": "deploy gateway"}).status_code

    with _health(daemon) as waits, ThreadPoolExecutor(len(tokens)) as crowd:
        codes = list(crowd.map(search, tokens))
    return {"refused": sum(code != 200 for code in codes), "health_p95_ms": _p95(waits)}


def opened(daemon: Running, token: str, count: int) -> dict[str, float]:
    """Open so many workspaces with one token; what the daemon holds then."""
    with _client(daemon.url, token) as http:
        for number in range(count):
            http.post(f"/workspaces/p{number}/recall", json={"query": "deploy"})
    return {"workspaces": count, "resident_mb": resident_mb(daemon.pid)}


@contextmanager
def _health(daemon: Running) -> Iterator[list[float]]:
    """Ask a daemon for its health again and again; the waits in ms."""
    waits: list[float] = []
    stop = threading.Event()

    def ask() -> None:
        with _client(daemon.url, _OPERATOR) as http:
            while not stop.wait(0.05):
                begin = time.perf_counter()
                http.get("/health")
                waits.append((time.perf_counter() - begin) * 1000)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield waits
    finally:
        stop.set()
        thread.join()


def _client(url: str, token: str) -> httpx2.Client:
    return httpx2.Client(
        base_url=url, timeout=60, trust_env=False, headers={"Authorization": f"Bearer {token}"}
    )


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else 0.0
