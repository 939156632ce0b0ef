"""The daemon under a steady mixed load: nothing grows.

REVERIE_SOAK says for how many seconds (a few unless told; an hour is 3600). Memory, open handles,
threads and latency are sampled and reported with their slopes. Handles and threads must be flat;
memory must be, when the time is long enough to tell a leak from a cache that fills.
"""

from __future__ import annotations

import json
import random
import resource
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from reverie.client import Client
from reverie.errors import QueueFull, ReverieError, Unavailable
from tests.daemon.processes import TOKEN, Process
from tests.torture.amount import SEED, SOAK

pytestmark = [pytest.mark.slow, pytest.mark.torture]

SECONDS = SOAK
CALLERS = 4
SAMPLES = 60
TELLING = 600.0
"""Seconds after which growth of memory cannot be a cache any more."""
GROWTH = 0.05
"""How much of its memory the daemon may gain over the second half."""
WAIT = 120.0
SUBJECTS = ("harbour", "orchard", "railway", "glacier", "market", "library", "quarry", "tower")


@dataclass(frozen=True)
class Sample:
    at: float
    megabytes: float
    handles: float
    threads: float
    milliseconds: float


def sample(pid, began, latencies):
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    taken, latencies[:] = latencies[:], []
    return Sample(
        at=time.monotonic() - began,
        megabytes=pages * resource.getpagesize() / 2**20,
        handles=len(list(Path(f"/proc/{pid}/fd").iterdir())),
        threads=len(list(Path(f"/proc/{pid}/task").iterdir())),
        milliseconds=sorted(taken)[len(taken) // 2] * 1000 if taken else 0.0,
    )


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

    def __init__(self, daemon, seed, end):
        super().__init__()
        self._served = daemon
        self._dice = random.Random(seed)
        self._end = end
        self.latencies = []
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
            except (QueueFull, Unavailable):
                self.shed += 1
            except ReverieError as error:
                self.failures.append(repr(error))

    def _words(self):
        return f"the {self._dice.choice(SUBJECTS)} has number {self._dice.randrange(50)}"

    def _recall(self, client):
        began = time.monotonic()
        client.recall(self._words())
        self.latencies.append(time.monotonic() - began)

    def _search(self, client):
        client.search(self._words())

    def _remember(self, client):
        client.wait(client.remember(self._words(), context_mode="clean"), timeout=WAIT)

    def _forget(self, client):
        client.wait(client.forget(self._words()), timeout=WAIT)

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


def test_the_daemon_stays_as_it_is_under_a_steady_load(project, tmp_path):
    end = threading.Event()
    with Process(project, tmp_path / "base") as daemon:
        pid = daemon.facts["pid"]
        callers = [Caller(daemon, SEED + number, end) for number in range(CALLERS)]
        began = time.monotonic()
        for caller in callers:
            caller.start()
        samples, latencies = [], callers[0].latencies
        try:
            while time.monotonic() - began < SECONDS:
                time.sleep(SECONDS / SAMPLES)  # the pace of the samples, not synchronisation
                samples.append(sample(pid, began, latencies))
        finally:
            end.set()
            for caller in callers:
                caller.join(WAIT)
        report(callers, samples)
        assert not [item for caller in callers for item in caller.failures][:3]
        assert all(caller.done for caller in callers)
        check_flat(samples)
        assert daemon.popen.poll() is None


def report(callers, samples):
    done, shed = (sum(getattr(caller, name) for caller in callers) for name in ("done", "shed"))
    print(f"\nseed {SEED}, {SECONDS:g} s: {done} requests, {shed} told to come back")
    later = samples[len(samples) // 2 :]
    for name in ("megabytes", "handles", "threads", "milliseconds"):
        values = [getattr(item, name) for item in samples]
        print(
            f"{name}: {values[0]:.1f} at first, {values[-1]:.1f} at last, {max(values):.1f} at most,"
            f" slope {slope(later, name):+.2f} per hour in the second half"
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
