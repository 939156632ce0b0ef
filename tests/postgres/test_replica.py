"""A replica that follows its primary: what only reads is answered there, and what writes is told so."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reverie.errors import ReadOnly
from reverie.memory import Memory
from reverie.postgres.place import Place
from tests.postgres.conftest import WAIT, make_token
from tests.postgres.test_daemons import events
from tests.server import Server

pytestmark = pytest.mark.slow
ASKED = "When do deploys happen?"
WRITES = ("/workspace/remember", "/workspace/memory/remember")


class Replica:
    """A hot standby on a socket of its own."""

    def __init__(self, primary: Server, folder: Path) -> None:
        self._primary = primary
        self._data = folder / "data"
        source = primary.folder / "data" if (primary.folder / "data").exists() else primary.folder
        self._user = source.stat().st_uid
        os.chown(folder, self._user, -1)
        self._folder = folder
        copied = ["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"]
        self._run("pg_basebackup", "--dbname", primary.owner, *copied)
        options = f"-h '' -k {folder} -c hot_standby=on -c fsync=off"
        self._run("pg_ctl", "--wait", "--log", str(folder / "log"), "-o", options, "start")
        self.app = self._here(primary.app)

    def _here(self, url: str) -> str:
        return f"{url.partition('?')[0]}?host={self._folder}"

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._primary.tool(program), "--pgdata", str(self._data), *arguments],
            check=True, user=self._user, cwd=self._folder, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def follow(self) -> None:
        """Wait until everything that is committed now is here, too."""
        with self._primary.as_owner() as db:
            row = db.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
        end = time.monotonic() + WAIT
        with psycopg.connect(self._here(self._primary.owner), autocommit=True) as db:
            behind = "SELECT pg_last_wal_replay_lsn() < %s::pg_lsn"
            while db.execute(behind, row).fetchone() != (False,):
                assert time.monotonic() < end, "the replica does not follow"
                time.sleep(0.02)

    def promote(self) -> None:
        """Make it a primary of its own."""
        self._run("pg_ctl", "--wait", "promote")

    def stop(self) -> None:
        self._run("pg_ctl", "--wait", "--mode", "immediate", "stop")


@pytest.fixture
def replica(server: Server) -> Iterator[Replica]:
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        made = Replica(server, folder)
        yield made
        made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_a_replica_answers_what_only_reads_and_says_why_it_does_not_write(
    server: Server, replica: Replica, open_at: Callable[..., Memory]
):
    """Also in a place that was never searched, and what came since it was opened."""
    tenant = server.tenant()
    for who, searched in (("ann", True), ("ben", False)):
        place = Place(tenant, who, "web")
        primary = open_at(place)
        primary.remember("Deploys happen on Tuesdays.")
        if searched:
            primary.search(ASKED)
            primary.recall(ASKED)
        replica.follow()
        reader = open_at(place, **{"engine.url": replica.app})
        assert "Tuesdays" in reader.recall(ASKED).block
        assert reader.search(ASKED).results
        with pytest.raises(ReadOnly):
            reader.remember("Lunch is at noon.")
        primary.remember("The cafeteria opens at eleven.")
        replica.follow()
        assert "eleven" in reader.recall("When does the cafeteria open?").block
        assert reader.search("cafeteria").results
        assert len(reader.log()) == 2
        assert reader.verify().ok


def test_a_daemon_on_a_replica_serves_readers_and_writes_once_it_is_the_primary(
    server: Server,
    replica: Replica,
    place: Place,
    start_daemon: Any,
    open_at: Callable[..., Memory],
):
    token = make_token(server, place)
    never = make_token(server, Place(place.tenant, "ben", "never"))
    primary = open_at(place)
    primary.remember("Deploys happen on Tuesdays.")
    at_home = start_daemon()
    replica.follow()
    daemon = start_daemon(**{"engine.url": replica.app})

    assert daemon.http.get("/health").status_code == 200
    for path, found in (("recall", "block"), ("search", "results")):
        answer = daemon.ask("POST", f"/workspace/{path}", {"query": ASKED}, token=token)
        assert "Tuesdays" in str(answer.json()[found])
        answer = daemon.ask("POST", f"/workspace/{path}", {"query": ASKED}, token=never)
        assert (answer.status_code, answer.json()[found]) == (200, type(answer.json()[found])())
    for path in WRITES:
        refused = daemon.ask("POST", path, {"content": "Lunch is at noon."}, token=token)
        assert (refused.status_code, refused.json()["code"]) == (503, "read_only")

    told: list[dict[str, Any]] = []
    reader = threading.Thread(target=lambda: told.extend(events(daemon, token, count=2, last="0")))
    reader.start()
    at_home.ask("POST", WRITES[0], {"content": "Tea is at four."}, token=token)
    reader.join(WAIT)
    assert [event["type"] for event in told] == ["memory_changed"] * 2

    replica.promote()
    end = time.monotonic() + WAIT
    while daemon.ask("POST", WRITES[0], {"content": "Lunch is at noon."}, token=token).is_error:
        assert time.monotonic() < end
    made = daemon.ask("POST", WRITES[1], {"content": "Dinner is at six."}, token=token)
    assert daemon.finished(made.headers["location"], token=token)["status"] == "completed"
