"""Storms over a service: locks, frozen daemons, restarts of the database, full disks; in any order.

Run as a process of its own in a mount namespace (`test_storms`), for the disk that runs full is a real one:
the database lies on a little disk, its write-ahead log beside it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

from reverie.memory import Memory
from reverie.postgres.admin import make_service_role, migrate
from reverie.postgres.database import bind
from reverie.postgres.place import Place
from tests.postgres.conftest import make_token, options_of
from tests.postgres.test_kills import Fleet, Loader, finished
from tests.server import Server, running

WORKSPACES = 2
STORM_SECONDS = 2.5
"""Longer than a lease, a wait for a lock and a wait for a connection."""
DISK = "size=96m"


class Storms:
    """A service, and what happens to it."""

    def __init__(
        self, server: Server, disk: Path, home: Path, fleet: Fleet, places: list[Place]
    ) -> None:
        self._server = server
        self._disk = disk
        self._home = home
        self._fleet = fleet
        self._places = places
        self._known = Place(places[0].tenant, "reader", "web")
        self.reads = 0
        with Memory.open("/", home=home / "r", settings=options_of(server, self._known)) as memory:
            memory.remember("The harbour lies behind the mill.")
            assert memory.search("harbour").results  # the index has it

    def lock(self) -> None:
        """Somebody holds the rows of a person, for longer than anybody waits."""
        place = random.choice(self._places)
        with self._server.as_app() as db:
            bind(db, place)
            db.execute("SELECT 1 FROM space WHERE owner = %s FOR UPDATE", (place.owner,))
            time.sleep(STORM_SECONDS)

    def freeze(self) -> None:
        """A daemon stands still, and goes on when others have taken its work."""
        process = random.choice(self._fleet.daemons).popen
        os.kill(process.pid, signal.SIGSTOP)
        try:
            time.sleep(STORM_SECONDS)
        finally:
            os.kill(process.pid, signal.SIGCONT)

    def restart(self) -> None:
        """The database crashes, and recovers."""
        folder = self._server.folder
        data = folder / "data" if (folder / "data").exists() else folder
        command = [self._server.tool("pg_ctl"), "--pgdata", str(data), "--mode", "immediate",
                   "--wait", "--timeout", "120", "--log", str(folder / "log"), "restart"]  # fmt: skip
        owner = data.stat().st_uid
        subprocess.run(command, check=True, user=owner, cwd=data, stdout=subprocess.DEVNULL)

    def fill(self) -> None:
        """The disk of the database is full; what is there can still be read."""
        with full(self._disk):
            with psycopg.connect(self._server.owner, autocommit=True) as db:
                try:
                    db.execute("CREATE TABLE swollen AS SELECT repeat('x', 9999)"
                               " FROM generate_series(1, 10000)")  # fmt: skip
                except psycopg.errors.DiskFull:
                    pass
                else:
                    raise AssertionError("the disk is not full")
            options = options_of(self._server, self._known)
            with Memory.open("/", home=self._home / "reader", settings=options) as memory:
                assert memory.recall("Where does the harbour lie?").topics
                assert memory.search("where does the harbour lie").results
            self.reads += 1
            time.sleep(STORM_SECONDS)


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Leave no room on a disk."""
    ballast = disk / "ballast"
    try:
        for size in (65536, 4096):
            with suppress(OSError), ballast.open("ab", buffering=0) as file:
                while True:
                    file.write(bytes(size))
        yield
    finally:
        ballast.unlink(missing_ok=True)


def main(folder: str, homes: str, rounds: str) -> None:
    disk, home = Path(folder), Path(homes)
    subprocess.run(["mount", "-t", "tmpfs", "-o", DISK, "none", folder], check=True)
    with running() as started:
        server = on_the_disk(started, disk)
        tenant = server.tenant()
        # Each is a person of its own, so that a lock of one does not hold up the other.
        places = [Place(tenant, f"person{number}", "web") for number in range(WORKSPACES)]
        env = {"REVERIE_ENGINE__POOL_WAIT_SECONDS": "1", "REVERIE_MEMORY__LOCK_WAIT_SECONDS": "0.2"}
        fleet = Fleet(server, home / "service", 2, **env)
        stop = threading.Event()
        loaders = [
            Loader(fleet, make_token(server, place), place.owner, stop, refusals={507})
            for place in places
        ]
        storms = Storms(server, disk, home, fleet, places)
        try:
            for loader in loaders:
                loader.start()
            some_accepted(loaders)
            for _ in range(int(rounds)):
                storm = [storms.lock, storms.freeze, storms.restart, storms.fill]
                random.shuffle(storm)
                for strike in storm:
                    strike()
                    some_accepted(loaders)  # it is calm again, and work goes on
            stop.set()
            for loader in loaders:
                loader.join(120)
                assert not loader.is_alive()
                assert loader.failure is None, loader.failure
            for place, loader in zip(places, loaders, strict=True):
                options = options_of(server, place)
                with Memory.open("/", home=home / "reader", settings=options) as memory:
                    given_up = finished(memory, loader.accepted)
                    assert not given_up, given_up
        finally:
            stop.set()
            fleet.stop()
    done = {"accepted": [len(loader.accepted) for loader in loaders], "reads": storms.reads}
    print(json.dumps(done))


def on_the_disk(server: Server, disk: Path) -> Server:
    """Make a database on the little disk."""
    place = disk / "space"
    place.mkdir()
    facts = server.folder.stat()
    os.chown(place, facts.st_uid, facts.st_gid)
    disk.chmod(0o755)
    with server.as_owner() as db:
        db.execute(f"CREATE TABLESPACE little LOCATION '{place}'")
        db.execute("CREATE DATABASE storm TABLESPACE little")
    there = Server(
        server.owner.replace("/postgres?", "/storm?"),
        server.app.replace("/postgres?", "/storm?"),
        server.folder,
    )
    migrate(there.owner)
    make_service_role(there.owner, "service")
    return there


def some_accepted(loaders: list[Loader]) -> None:
    """Wait until each loader got another task accepted."""
    before = [len(loader.accepted) for loader in loaders]
    end = time.monotonic() + 120
    for loader, count in zip(loaders, before, strict=True):
        while len(loader.accepted) <= count:
            assert loader.failure is None, loader.failure
            assert time.monotonic() < end, "nothing is accepted any more"
            time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
