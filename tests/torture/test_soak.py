"""The daemon under a steady mixed load: nothing grows.

REVERIE_SOAK says for how many seconds (a few unless told; an hour is 3600), REVERIE_SOAK_PACE how many
requests a second are made at most (as many as possible unless told). What is reported does not depend on
what else the machine does: the processor time that the daemon spends on a request, as a multiple of what a
fixed piece of work costs at that time (a busy machine makes both dearer), its memory, handles and threads,
and latency as a multiple of that of a bare echo over the loopback, asked beside each request.
What is remembered is forgotten again, so that the memory itself stays as large as it is; its letters are
reported beside the rest, because most requests cost what the memory they look at is large.
Handles and threads must be flat; memory and processor time must be, when the time is long enough to tell a
leak from a cache that fills.
"""

from __future__ import annotations

import json
import os
import random
import resource
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from reverie.client import Client
from reverie.errors import QueueFull, ReverieError, Unavailable
from tests.daemon.processes import TOKEN, Process
from tests.torture.amount import PACE, SEED, SOAK

pytestmark = [pytest.mark.slow, pytest.mark.torture]

SECONDS = SOAK
CALLERS = 4
SAMPLES = 60
TELLING = 600.0
"""Seconds after which growth of memory cannot be a cache any more."""
GROWTH = 0.05
"""How much of its memory the daemon may gain over the second half."""
DEARER = 0.25
"""How much more processor time a request may cost in the last quarter than in the second."""
KEPT = 8
"""Statements of one caller that are remembered at a time; the oldest is forgotten before the next."""
WAIT = 120.0
SUBJECTS = ("harbour", "orchard", "railway", "glacier", "market", "library", "quarry", "tower")


ECHO = """
import socket, threading
def answer(made):
    while data := made.recv(4096):
        made.sendall(data)
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()
"""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Sample:
    """What was measured in one slice of the time."""

    at: float
    megabytes: float
    handles: float
    threads: float
    cost: float
    """Milliseconds of the daemon's processor time for each request."""
    works: float
    """The same as a multiple of the fixed piece of work, measured beside it."""
    echoes: float
    """The median latency of a recall, as a multiple of that of an echo."""
    milliseconds: float
    topics: float
    letters: float
    """How much the topics say: what grows here is the load's doing."""


def fixed_work():
    """Return the milliseconds of processor time of a piece of work that is always the same."""
    taken = []
    for _ in range(9):
        began = time.thread_time()
        words = [f"{number} of the words" for number in range(2000)]
        assert len(json.loads(json.dumps({word: word.split() for word in words}))) == len(words)
        taken.append(time.thread_time() - began)
    return 1000 * sorted(taken)[len(taken) // 2]


class Meter:
    """Reads what the system knows of the daemon, and what the callers have seen since the last time."""

    def __init__(self, daemon, callers, home):
        self._pid = daemon.facts["pid"]
        self._callers = callers
        self._home = home
        self._began = time.monotonic()
        self._spent, self._done = self._processor(), 0

    def _processor(self):
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def sample(self):
        pages = int(Path(f"/proc/{self._pid}/statm").read_text().split()[1])
        spent, done = self._processor(), sum(caller.done for caller in self._callers)
        used, requests = spent - self._spent, done - self._done
        cost = 1000 * used / requests if requests else 0.0
        self._spent, self._done = spent, done
        recall, echo = self._median("latencies"), self._median("echoes")
        texts = [_size(path) for path in self._home.glob("projects/*/memory/*/*.md")]
        return Sample(
            at=time.monotonic() - self._began,
            megabytes=pages * resource.getpagesize() / 2**20,
            handles=len(list(Path(f"/proc/{self._pid}/fd").iterdir())),
            threads=len(list(Path(f"/proc/{self._pid}/task").iterdir())),
            cost=cost,
            works=cost / fixed_work(),
            echoes=recall / echo if echo else 0.0,
            milliseconds=recall * 1000,
            topics=len(texts),
            letters=sum(texts),
        )

    def _median(self, name):
        taken = []
        for caller in self._callers:
            seen = getattr(caller, name)
            taken += seen[:]
            del seen[:]
        return sorted(taken)[len(taken) // 2] if taken else 0.0


def _size(path):
    try:
        return path.stat().st_size
    except FileNotFoundError:  # forgotten meanwhile
        return 0


def slope(samples, name):
    """Return the least-squares slope of one figure, per hour."""
    times = [item.at for item in samples]
    values = [getattr(item, name) for item in samples]
    middle, mean = sum(times) / len(times), sum(values) / len(values)
    spread = sum((at - middle) ** 2 for at in times)
    together = sum((at - middle) * (value - mean) for at, value in zip(times, values, strict=True))
    return 3600 * together / spread if spread else 0.0


class Caller(threading.Thread):
    """Does one thing after the other, as programs beside each other do."""

    def __init__(self, daemon, echo, seed, end):
        super().__init__()
        self._served = daemon
        self._echo = echo
        self._dice = random.Random(seed)
        self._end = end
        self._kept = []
        self.latencies = []
        self.echoes = []
        self.done = 0
        self.shed = 0
        self.failures = []

    def run(self):
        verbs = [
            self._recall, self._recall, self._search, self._remember, self._forget, self._write,
            self._listen, self._hang_up, self._ask_badly,
        ]  # fmt: skip
        facts = self._served.facts
        while not self._end.is_set():
            way = {"socket": facts["socket"]} if self._dice.random() < 0.5 else {
                "url": facts["url"], "token": TOKEN,
            }  # fmt: skip
            try:
                with Client(**way, timeout=WAIT) as client:
                    for _ in range(5):
                        self._dice.choice(verbs)(client)
                        self.done += 1
                        if PACE:
                            self._end.wait(CALLERS / PACE)
            except (QueueFull, Unavailable):
                self.shed += 1
            except ReverieError as error:
                self.failures.append(repr(error))

    def _words(self):
        return f"the {self._dice.choice(SUBJECTS)} has number {self._dice.randrange(50)}"

    def _recall(self, client):
        words = self._words()
        began = time.monotonic()
        self._echo.sendall(words.encode())
        self._echo.recv(4096)
        asked = time.monotonic()
        client.recall(words)
        self.latencies.append(time.monotonic() - asked)
        self.echoes.append(asked - began)

    def _search(self, client):
        client.search(self._words())

    def _remember(self, client):
        if len(self._kept) >= KEPT:
            self._forget(client)
        self._kept.append(self._words())
        client.wait(client.remember(self._kept[-1], context_mode="clean"), timeout=WAIT)

    def _forget(self, client):
        words = self._kept.pop(0) if self._kept else self._words()
        client.wait(client.forget(words), timeout=WAIT)

    def _write(self, client):
        client.wait(client.dream(), timeout=WAIT)

    def _listen(self, client):
        for _ in client.events(last_event_id=0, reconnect=False):
            return

    def _hang_up(self, _client):
        body = json.dumps({"query": self._words()}).encode()
        host, _, port = self._served.facts["url"].removeprefix("http://").partition(":")
        head = (
            f"POST /workspace/recall HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with suppress(OSError), socket.create_connection((host, int(port)), timeout=WAIT) as made:
            made.sendall(head.encode() + body)

    def _ask_badly(self, client):
        with suppress(ReverieError):
            client.task("remember-nobody-knows-this-one")


@pytest.fixture
def echo():
    """Start a process that answers with what it hears, and say how to reach it."""
    with subprocess.Popen([sys.executable, "-c", ECHO], stdout=subprocess.PIPE, text=True) as popen:
        port = int(popen.stdout.readline())
        made = []

        def connect():
            made.append(socket.create_connection(("127.0.0.1", port), timeout=WAIT))
            return made[-1]

        yield connect
        for connection in made:
            connection.close()
        popen.kill()


def test_the_daemon_stays_as_it_is_under_a_steady_load(project, tmp_path, echo):
    end = threading.Event()
    with Process(project, tmp_path / "base") as daemon:
        callers = [Caller(daemon, echo(), SEED + number, end) for number in range(CALLERS)]
        meter = Meter(daemon, callers, tmp_path / "base")
        began = time.monotonic()
        for caller in callers:
            caller.start()
        samples = []
        try:
            while time.monotonic() - began < SECONDS:
                time.sleep(SECONDS / SAMPLES)  # the pace of the samples, not synchronisation
                samples.append(meter.sample())
        finally:
            end.set()
            for caller in callers:
                caller.join(WAIT)
        report(callers, samples)
        assert not [item for caller in callers for item in caller.failures][:3]
        assert all(caller.done for caller in callers)
        check_flat(samples)
        assert daemon.popen.poll() is None


def quarters(samples, name):
    """Return the mean of a figure in each quarter of the time."""
    values = [getattr(item, name) for item in samples]
    size = max(len(values) // 4, 1)
    parts = (values[at : at + size] for at in (0, size, 2 * size, len(values) - size))
    return [sum(part) / len(part) for part in parts if part]


def report(callers, samples):
    done, shed = (sum(getattr(caller, name) for caller in callers) for name in ("done", "shed"))
    print(f"\nseed {SEED}, {SECONDS:g} s: {done} requests, {shed} told to come back")
    later = samples[len(samples) // 2 :]
    for name in (
        "megabytes",
        "handles",
        "threads",
        "cost",
        "works",
        "echoes",
        "milliseconds",
        "topics",
        "letters",
    ):
        values = [getattr(item, name) for item in samples]
        parts = ", ".join(f"{mean:.1f}" for mean in quarters(samples, name))
        print(
            f"{name}: {values[0]:.1f} at first, {values[-1]:.1f} at last, {max(values):.1f} at most,"
            f" quarters {parts}, slope {slope(later, name):+.2f} per hour in the second half"
        )


def check_flat(samples):
    """What a request opens is closed after it: the last quarter has no more than was there before."""
    quarter = max(len(samples) // 4, 1)
    before, after = samples[:-quarter], samples[-quarter:]
    for name, noise, warm in (("handles", 2 * CALLERS, 200), ("threads", 2, 30)):
        # Threads, and what each of them opens, come when they are first needed and then stay.
        most = max(warm, *(getattr(item, name) for item in before))
        # The least, not the most: whatever is open at the moment of a sample is no leak.
        assert min(getattr(item, name) for item in after) <= most + noise, name
    if samples[-1].at >= TELLING:
        later = samples[len(samples) // 2 :]
        gained = slope(later, "megabytes") * (later[-1].at - later[0].at) / 3600
        assert gained <= GROWTH * later[0].megabytes, f"{gained:.1f} MB"
        _, second, _, last = quarters(samples, "works")
        assert last <= (1 + DEARER) * second, (
            f"{second:.2f} pieces of work a request, and then {last:.2f}"
        )
