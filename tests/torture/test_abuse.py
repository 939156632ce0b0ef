"""Attacks on the daemon's connections at full size, by processes that show no token.

While each goes on, the owner asks through the network and through the socket, and is answered; what
the daemon keeps for the crowd stays bounded. `make torture` brings larger crowds.
"""

from __future__ import annotations

import resource
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from reverie.client import Client
from reverie.errors import ReverieError
from tests.daemon.processes import TOKEN, Process
from tests.torture.amount import LARGE

pytestmark = [pytest.mark.slow, pytest.mark.torture]

CROWD = 600 if LARGE else 300
"""More than the connections that may be open; at full size more than twice as many."""
ASKED = 5 if LARGE else 1
ROOM = 200 * 1024 * 1024
"""What the daemon may take more than at rest, for 256 full buffers and whatever Python keeps."""
SECONDS = 90.0


@pytest.fixture
def daemon(project, tmp_path):
    """A daemon in a process of its own, with something to find."""
    with Process(project, tmp_path / "base") as running:
        with running.client() as client:
            client.wait(client.remember("The harbour opens at nine"), timeout=SECONDS)
        yield running


@pytest.fixture(autouse=True)
def room_for_files():
    """Let this process open as many connections as the attacks need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * CROWD if hard == resource.RLIM_INFINITY else min(4 * CROWD, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def address(daemon):
    host, _, port = daemon.facts["url"].removeprefix("http://").partition(":")
    return host, int(port)


def request(daemon, method="GET", path="/assets/style.css", *, token="", length=None):
    host, port = address(daemon)
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}:{port}"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def connect(daemon):
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(5)
    try:
        made.connect(address(daemon))
    except OSError:
        made.close()
        raise
    return made


class Crowd(threading.Thread):
    """Opens connections, says something on each, reads nothing; whoever is cut comes again."""

    def __init__(self, daemon, words, *, size=CROWD):
        super().__init__()
        self._attacked = daemon
        self._words = words
        self._size = size
        self._open: list[socket.socket] = []
        self._end = threading.Event()
        self.full = threading.Event()
        self.came = 0

    def run(self):
        while not self._end.is_set():
            if len(self._open) >= self._size:
                self.full.set()
                self._open.pop(0).close()
            try:
                made = connect(self._attacked)
            except OSError:
                continue  # no room in the queue of the system: come again
            self.came += 1
            self._open.append(made)
            made.setblocking(False)
            with suppress(OSError):  # cut already, or nobody reads
                made.send(self._words)
        for item in self._open:
            item.close()

    def stop(self):
        self._end.set()
        self.join(SECONDS)


@contextmanager
def crowd(daemon, words, **more):
    attack = Crowd(daemon, words, **more)
    attack.start()
    try:
        assert attack.full.wait(SECONDS)
        yield attack
    finally:
        attack.stop()


def resident(pid):
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def handles(pid):
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def owner_is_served(daemon, *, network=True):
    """Ask both ways while the attack goes on; a moment of refusal is told as one and repeated."""
    ways = [{"socket": daemon.facts["socket"]}]
    if network:
        ways.append({"url": daemon.facts["url"], "token": TOKEN})
    for way in ways:
        for _ in range(ASKED if "socket" in way else 1):
            until = time.monotonic() + SECONDS
            while True:
                try:
                    with Client(**way, timeout=SECONDS) as client:
                        found = client.recall("when does the harbour open?")
                    break
                except ReverieError:
                    assert "socket" not in way, "the socket has places of its own"
                    assert time.monotonic() < until
            assert "nine" in found.block


ATTACKS = {
    "silence": b"",
    "slow heads": b"GET /health HTTP/1.1\r\nHost: x",
    "slow bodies": ("POST", "/workspace/recall", "", 1_000_000),
    "answers nobody reads": [("GET", "/assets/style.css", "", None)] * 100,
    "health nobody reads": [("GET", "/health", "", None)] * 1000,
    "wrong tokens": [("GET", "/capabilities", "wrong", None)] * 100,
    "no HTTP": bytes(range(256)) * 256,
}


def words_of(daemon, attack):
    """Write an attack as it goes over the wire."""
    if isinstance(attack, bytes):
        return attack
    if isinstance(attack, tuple):
        method, path, token, length = attack
        return request(daemon, method, path, token=token, length=length)
    return b"".join(words_of(daemon, item) for item in attack)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_owner_is_served_while_strangers_attack(daemon, name):
    pid = daemon.facts["pid"]
    before = resident(pid)
    with crowd(daemon, words_of(daemon, ATTACKS[name])) as attack:
        owner_is_served(daemon)
        assert handles(pid) < 256 + 64 + 192
        assert resident(pid) - before < ROOM
    assert attack.came >= CROWD
    owner_is_served(daemon)


def test_streams_of_somebody_with_the_token_leave_the_socket_and_health_alone(daemon):
    with ExitStack() as stack:
        for _ in range(300):
            stream = connect(daemon)
            stack.enter_context(stream)
            stream.sendall(request(daemon, path="/events", token=TOKEN))
        owner_is_served(daemon, network=False)
        with Client(daemon.facts["url"], token=TOKEN, timeout=SECONDS) as client:
            assert client.health()


def test_hundreds_of_recalls_that_nobody_waits_for_are_not_done(daemon):
    ask = b'{"query": "when does the harbour open?"}'
    words = request(daemon, "POST", "/workspace/recall", token=TOKEN, length=len(ask)) + ask
    for _ in range(CROWD):
        with connect(daemon) as leaving:
            leaving.sendall(words)
    owner_is_served(daemon)
    with Client(socket=daemon.facts["socket"], timeout=SECONDS) as client:
        assert client.health()


def test_more_readers_than_may_wait_are_told_so_and_none_is_forgotten(daemon):
    ask = b'{"query": "when does the harbour open?"}'
    words = request(daemon, "POST", "/workspace/recall", token=TOKEN, length=len(ask)) + ask
    answers = []
    with ExitStack() as stack:
        asking = [stack.enter_context(connect(daemon)) for _ in range(240)]
        for made in asking:
            made.sendall(words)
        for made in asking:
            made.settimeout(SECONDS)
            answers.append(int(made.recv(65536).split()[1]))
    assert set(answers) <= {200, 503}
    assert answers.count(200) >= 16
    print(f"of {len(answers)} at once {answers.count(503)} were told to come back")
    owner_is_served(daemon)
