"""The daemon under load on the loopback address: tasks, recalls, searches, memory, start.

The daemon is a process of its own. The load comes from this one, over bare connections, because an
HTTP library costs more than the daemon's answer. Figures of the upstream's daemon stand beside ours
where Node and its package are here (`make test` fetches it into .cache/npm).

Readers end half a minute after a crowd; what is measured begins when those of the first crowd are there.

On a busy machine a rate says how busy it is. So the processor time that the daemon and its readers spend on
each request stands beside it: two cores that have nothing else to do answer 2,000 / ms requests a second.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reverie.client import Client
from reverie.config import DaemonSettings
from reverie.daemon.work.readers import wanted_readers
from reverie.memory import Memory
from reverie.types import Change, RunInfo

TOKEN = "a-token-of-the-bench"  # noqa: S105  # of a daemon that lives for a minute, on loopback
CLIENTS = (1, 16, 64)
UPSTREAM = Path(".cache/npm/package/dist/cli/cli.js")
_SUBJECTS = ("harbour", "orchard", "railway", "glacier", "market", "library", "quarry", "tower")
_WAIT = 60.0
_CROWDS = 60
_IDLE_SECONDS = 30


def run(*, quick: bool) -> Iterator[tuple[str, object]]:
    """Measure; quick uses fewer requests."""
    topics, requests, tasks, starts = (100, 150, 40, 2) if quick else (1000, 1500, 300, 5)
    with tempfile.TemporaryDirectory(prefix="reverie-bench") as folder:
        root = Path(folder)
        (root / "project" / ".git").mkdir(parents=True)
        _fill(root, topics)
        yield "topics", topics
        yield "start", _starts(root, starts)
        yield "fsync_ms", _fsync_ms(root)
        with _daemon(root) as (url, pid):
            yield "resident_mb_at_start", resident_mb(pid)
            yield "quick", _quick(root, starts * 4)
            for path in ("health", "recall", "search"):  # health: what the daemon alone costs
                _ask_once(url, path)  # the index is built before the clock starts
                yield (
                    path,
                    {
                        f"{clients}_clients": _loaded(url, path, clients, requests, pid)
                        for clients in CLIENTS
                    },
                )
            spent = worked(pid)
            yield "remember_tasks_per_second", _tasks_per_second(url, tasks)
            yield "remember_task_processor_ms", (worked(pid) - spent) / tasks * 1000
            yield "resident_mb_after_load", resident_mb(pid)
            yield "idle", _idle(pid, _IDLE_SECONDS // 5 if quick else _IDLE_SECONDS)
    yield "upstream", _upstream(starts)


def _crowd(url: str, path: str, pid: int) -> None:
    """Ask until the readers that such a crowd brings are there; health is answered without any."""
    wanted = 0 if path == "health" else wanted_readers(DaemonSettings().readers)
    for _ in range(_CROWDS):
        if len(_family(pid)) > wanted:
            return
        asyncio.run(_load(url, path, max(CLIENTS), 4 * max(CLIENTS)))


def _loaded(url: str, path: str, clients: int, requests: int, pid: int) -> dict[str, float]:
    if clients > 1:
        _crowd(url, path, pid)  # a reader's start takes a second or two
    before = worked(pid)
    found = asyncio.run(_load(url, path, clients, requests))
    return {**found, "processor_ms": (worked(pid) - before) / requests * 1000}


def _family(pid: int) -> list[int]:
    """Return a process and those that it started."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, task.read_text(encoding="ascii").split())
    return found


def worked(pid: int) -> float:
    """Return the processor seconds of a process and those it started; 0 on a system without /proc."""
    ticks = 0
    for one in _family(pid):
        stat = Path(f"/proc/{one}/stat")
        if stat.exists():
            fields = stat.read_text(encoding="ascii").rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))  # its own, and of those that have ended
    return ticks / os.sysconf("SC_CLK_TCK")


def _idle(pid: int, seconds: float) -> dict[str, float]:
    """Leave a daemon alone; count what it holds, and how often any thread of it or its readers wakes."""
    time.sleep(seconds)  # what the load left behind is tidied up
    before, spent = _woken(pid), worked(pid)
    time.sleep(seconds)
    return {
        "seconds": seconds,
        "wakes": _woken(pid) - before,
        "processor_ms": (worked(pid) - spent) * 1000,
        "resident_mb": resident_mb(pid),
        "readers": len(_family(pid)) - 1,
        "resident_mb_of_readers": sum(map(resident_mb, _family(pid)[1:])),
    }


def _woken(pid: int) -> int:
    wakes = 0
    for one in _family(pid):
        for status in Path(f"/proc/{one}/task").glob("*/status"):
            for line in status.read_text(encoding="ascii").splitlines():
                if line.startswith("voluntary_ctxt_switches"):
                    wakes += int(line.split()[1])
    return wakes


def _fill(root: Path, count: int) -> None:
    with Memory.open(root / "project", home=root / "home") as memory:
        folder = memory.workspace.project_memory
        changes = []
        for number in range(count):
            subject = _SUBJECTS[number % len(_SUBJECTS)]
            text = (
                f"---\nname: {subject} {number}\ndescription: facts of {subject} {number}\n"
                f"type: project\n---\n\nThe {subject} number {number} opens at {number % 24}:00.\n"
            )
            changes.append(Change(f"{folder}/project/{subject}-{number}.md", text, None))
        memory.store.apply(changes, RunInfo(verb="bench"))


@contextmanager
def _daemon(root: Path) -> Iterator[tuple[str, int]]:
    command = [sys.executable, "-P", "-m", "reverie", "--home", str(root / "home")]
    command += ["-C", str(root / "project"), "serve", "--port", "0", "--log-level", "error"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "REVERIE_SERVER_TOKEN": TOKEN},
    )
    try:
        facts = json.loads(process.stdout.readline() if process.stdout else "{}")
        yield facts["url"], process.pid
    finally:
        process.terminate()
        process.communicate(timeout=_WAIT)


def _starts(root: Path, rounds: int) -> dict[str, float]:
    """Time from the start of the process to its ready line, beside Python's own start."""
    ready: list[float] = []
    bare: list[float] = []
    for _ in range(rounds):
        begin = time.perf_counter()
        with _daemon(root):
            ready.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-P", "-c", "pass"], check=True)
        bare.append(time.perf_counter() - begin)
    median = statistics.median(ready)
    return {"ready_ms": median * 1000, "python_ratio": median / statistics.median(bare)}


def _quick(root: Path, rounds: int) -> dict[str, float]:
    """Time a process that recalls through the socket, as a hook does, beside Python's own start."""
    home, project = str(root / "home"), str(root / "project")
    script = (
        "from reverie.client.quick import ask\n"
        f"found = ask({home!r}, {project!r}, '/workspace/recall', {{'query': 'harbour'}}, timeout=60)\n"
        "raise SystemExit(found is None)"
    )
    times: dict[str, list[float]] = {"pass": [], script: []}
    for _ in range(rounds):
        for code, taken in times.items():
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-P", "-c", code], check=True)
            taken.append(time.perf_counter() - begin)
    asked, bare = statistics.median(times[script]), statistics.median(times["pass"])
    return {"recall_ms": asked * 1000, "python_ratio": asked / bare}


def _fsync_ms(root: Path) -> float:
    """What one durable write costs here: the floor under every accepted task."""
    times = []
    for number in range(20):
        begin = time.perf_counter()
        with (root / f"sync-{number}").open("wb") as file:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1000


def _tasks_per_second(url: str, count: int) -> float:
    """Queue and finish remember tasks, the queue never full and never empty."""
    with Client(url, token=TOKEN) as client:
        waiting: list[str] = []
        begin = time.perf_counter()
        for number in range(count):
            if len(waiting) >= 12:
                client.wait(waiting.pop(0))
            fact = f"Delivery {number} goes to dock {number * 7919 % 1000}"
            waiting.append(client.remember(fact, context_mode="clean").id)
        for task in waiting:
            client.wait(task)
        return count / (time.perf_counter() - begin)


async def _load(url: str, path: str, clients: int, requests: int) -> dict[str, float]:
    """Send requests over so many connections at once; return rate and latencies."""
    host, port = url.removeprefix("http://").split(":")
    times: list[float] = []

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        for turn in range(max(1, requests // clients)):
            body = _body(number * 7 + turn)
            begin = time.perf_counter()
            writer.write(_request(path, host, port, body))
            await _answer(reader)
            times.append(time.perf_counter() - begin)
        writer.close()

    begin = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(clients)))
    seconds = time.perf_counter() - begin
    times.sort()
    return {
        "per_second": len(times) / seconds,
        "p50_ms": times[len(times) // 2] * 1000,
        "p95_ms": times[int(len(times) * 0.95)] * 1000,
    }


def _body(number: int) -> bytes:
    subject = _SUBJECTS[number % len(_SUBJECTS)]
    return json.dumps({"query": f"when does the {subject} number {number} open?"}).encode()


def _request(path: str, host: str, port: str, body: bytes) -> bytes:
    line = "GET /health" if path == "health" else f"POST /workspace/{path}"
    body = b"" if path == "health" else body
    head = (
        f"{line} HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"Authorization: Bearer {TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise RuntimeError(f"the daemon answered {head[:60]!r}")
    length = next(
        int(line.split(b":")[1])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length:")
    )
    return await reader.readexactly(length)


def _ask_once(url: str, path: str) -> None:
    asyncio.run(_load(url, path, 1, 1))


def resident_mb(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:  # a system without /proc
        done = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True)
        return int(done.stdout.strip() or 0) / 1024
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def _upstream(rounds: int) -> dict[str, Any]:
    """Start the upstream's daemon and take the same two figures."""
    node = shutil.which("node")
    if node is None or not UPSTREAM.exists():
        return {"measured": "no: Node or .cache/npm is not here"}
    ready: list[float] = []
    resident: list[float] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="reverie-bench") as home:
            begin = time.perf_counter()
            process = subprocess.Popen(
                [node, str(UPSTREAM.resolve()), "serve", "--port", "0", "--no-web"],
                cwd=home,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, "HOME": home, "QWEN_SERVER_TOKEN": TOKEN},
            )
            for line in process.stdout or ():
                if "listening on" in line:
                    ready.append(time.perf_counter() - begin)
                    resident.append(resident_mb(process.pid))
                    break
            process.terminate()
            process.communicate(timeout=_WAIT)
    if not ready:
        return {"measured": "no: it did not start"}
    return {
        "ready_ms": statistics.median(ready) * 1000,
        "resident_mb_at_start": statistics.median(resident),
    }
