"""A crowd on a small pool: nobody is sent away because somebody else waits for something else."""

from __future__ import annotations

import asyncio
import json
import math
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import Any

import psycopg
import pytest

from reverie.config import EngineSettings
from reverie.errors import (
    ConfigError,
    EngineUnavailable,
    Locked,
    ModelTimeout,
    ReadOnly,
)
from reverie.memory import Memory
from reverie.postgres import admin
from reverie.postgres.address import checked_url
from reverie.postgres.database import Database, bind
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.leases import try_lease
from reverie.postgres.place import Place
from reverie.postgres.search.seeking import Scene
from reverie.postgres.store import listing
from reverie.types import Message
from tests.contract.test_search import Letters
from tests.postgres.conftest import WAIT, make_token
from tests.postgres.test_daemons import REMEMBER
from tests.server import Server

pytestmark = pytest.mark.slow
CROWD = 30


def database_of(memory: Memory) -> Database:
    engine = memory.engine
    assert isinstance(engine, PostgresEngine)
    return engine.database


def test_first_searches_of_many_projects_at_once_are_all_answered(
    server: Server, start_daemon: Any
):
    """Each brings its own index up to date, on a pool of four connections."""
    daemon = start_daemon()
    tenant = server.tenant()
    tokens = [make_token(server, Place(tenant, f"p{n}", "web")) for n in range(CROWD)]
    for token in tokens:
        answer = daemon.ask("POST", "/workspace/remember",
                            {"content": "Deploys happen on Tuesdays."}, token=token)  # fmt: skip
        assert answer.status_code == 200, answer.text
    begin = threading.Barrier(CROWD)

    def search(token: str) -> int:
        begin.wait()
        answer = daemon.ask(
            "POST", "/workspace/search", {"query": "when do deploys happen"}, token=token
        )
        return answer.status_code

    with ThreadPoolExecutor(CROWD) as crowd:
        assert list(crowd.map(search, tokens)) == [200] * CROWD


def test_health_is_told_while_others_hold_every_connection_and_thread(start_daemon: Any):
    """A crowd that waits is no illness, and who looks after the daemon does not wait behind it."""
    daemon = start_daemon()
    database, threads = daemon.host.database, daemon.host.bookkeeping
    free = threading.Event()
    for _ in range(threads._size):
        asyncio.run_coroutine_threadsafe(threads.run(free.wait), daemon.loop)
    pool = database.pool
    taken = [pool.getconn() for _ in range(pool.max_size)]
    try:
        database._answered = -math.inf  # nobody was answered a moment ago, so it has to ask
        asked = daemon.http.get("/health")
        database._answered = time.monotonic()
        known = daemon.http.get("/health")
    finally:
        free.set()
        for connection in taken:
            pool.putconn(connection)
    assert (asked.status_code, known.status_code) == (200, 200)


def test_a_lock_costs_no_connection(open_at: Callable[..., Memory], place: Place):
    database = database_of(open_at(place, **{"engine.pool": 2}))
    with (
        try_lease(database, place, "one") as one,
        try_lease(database, place, "two") as two,
        try_lease(database, place, "three") as three,
    ):
        assert None not in (one, two, three)
        others = [Place(place.tenant, who, "web") for who in ("ben", "cleo")]
        with database.transaction(others[0]), database.transaction(others[1]):
            assert database.pool_facts()["pool_size"] == 2
        with try_lease(database, place, "one") as taken:
            assert taken is None
    with try_lease(database, place, "one") as free:
        assert free


def test_a_lock_outlives_its_time_while_its_holder_lives(
    open_at: Callable[..., Memory], place: Place, server: Server
):
    database = database_of(open_at(place, **{"engine.lease_seconds": 0.2}))
    with try_lease(database, place, "index") as lease:
        assert lease
        seen = _until(server, place)
        while _until(server, place) == seen:  # renewed by itself, or this never ends
            threading.Event().wait(0.02)
        with try_lease(database, place, "index") as other:
            assert other is None


def test_who_froze_too_long_may_not_write(
    open_at: Callable[..., Memory], place: Place, server: Server
):
    database = database_of(open_at(place))
    with try_lease(database, place, "index") as lease:
        assert lease
        with psycopg.connect(server.owner) as db:
            db.execute("SELECT set_config('reverie.tenant', %s, true)", (place.tenant,))
            db.execute("UPDATE reverie.lease SET until = now() - interval '1s' WHERE tenant = %s",
                       (place.tenant,))  # fmt: skip
        with try_lease(database, place, "index") as successor:
            assert successor
            with (
                pytest.raises(Exception, match="took this work over"),
                database.transaction(place) as db,
            ):
                lease.check(db)


def test_one_thread_uses_one_connection(open_at: Callable[..., Memory], place: Place):
    database = database_of(open_at(place))
    with database.transaction(place) as outer, database.transaction(place) as inner:
        assert inner is outer


def _until(server: Server, place: Place) -> Any:
    with psycopg.connect(server.owner) as db:
        return db.execute(
            "SELECT until FROM reverie.lease WHERE tenant = %s", (place.tenant,)
        ).fetchone()


def test_a_task_waits_for_a_lock_for_as_long_as_it_takes(
    server: Server, start_daemon: Any, place: Place
):
    """Waiting is no interruption: more attempts than a crash would be given change nothing."""
    daemon = start_daemon(**{"memory.lock_wait_seconds": 0.05})
    token = make_token(server, place)
    first = daemon.ask("POST", "/workspace/remember", {"content": "The first."}, token=token)
    assert first.status_code == 200
    with server.as_app() as db:
        bind(db, place)
        db.execute("SELECT 1 FROM space WHERE owner = %s FOR UPDATE", (place.owner,))
        answer = daemon.ask("POST", REMEMBER, {"content": "Said while it was locked."}, token=token)
        assert answer.status_code == 202, answer.text
        path = answer.headers["location"]
        begun = 0
        while begun < 5:  # put back and begun again, five times
            before = daemon.ask("GET", path, token=token).json()["status"]
            while daemon.ask("GET", path, token=token).json()["status"] == before:
                threading.Event().wait(0.01)
            begun += before == "running"
    assert daemon.finished(path, token=token)["status"] == "completed"


def test_a_connection_notices_that_the_other_machine_is_gone(server: Server):
    """By itself it would wait for hours; what the address says itself is left as it is."""
    mark = "&" if "?" in server.app else "?"
    database = Database(
        EngineSettings(url=f"{server.app}{mark}keepalives_count=7", lease_seconds=6.0)
    )
    try:
        with database.unbound() as db:
            told = db.info.get_parameters()
    finally:
        database.close()
    names = ("keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout")
    assert [told[name] for name in names] == ["6", "2", "7", "12000"]


def test_a_server_that_is_away_is_not_called_busy(open_at: Callable[..., Memory], place: Place):
    database = database_of(open_at(place, **{"engine.pool_wait_seconds": 0.2}))
    database._url = "postgresql://nobody@127.0.0.1:9/nothing"
    others = [Place(place.tenant, f"p{n}", "web") for n in range(database.pool.max_size)]
    with ExitStack() as taken:
        for other in others:
            taken.enter_context(database.transaction(other))
        with pytest.raises(EngineUnavailable, match="cannot be reached"), database.unbound():
            pass


@pytest.mark.parametrize("name", ["password", "sslpassword", "pass%77ord", "%70assword"])
def test_a_password_among_the_parameters_is_refused_and_not_repeated(name: str):
    with pytest.raises(ConfigError) as refused:
        checked_url(f"postgresql://ada@db.example/memory?sslmode=require&{name}=s3same")
    assert "s3same" not in str(refused.value)
    assert "PGPASSFILE" in str(refused.value)


def test_a_migration_waits_briefly_and_lets_others_through(server: Server, monkeypatch: Any):
    """Behind a long reader it gives up its place in the queue, and says who is in the way."""
    monkeypatch.setattr(admin, "_TRIES", 2)
    monkeypatch.setattr(admin, "_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(admin, "_LOCK_MILLISECONDS", 50)
    with server.as_owner() as reader, reader.transaction():
        reader.execute("SELECT pg_advisory_lock(7236540181)")  # as another migration would
        try:
            with pytest.raises(Locked, match="throughout 2 tries"):
                admin.migrate(server.owner)
        finally:
            reader.execute("SELECT pg_advisory_unlock(7236540181)")
    assert admin.migrate(server.owner).after == "0005"


def test_no_search_of_an_unseen_tenant_joins_by_loops(
    open_at: Callable[..., Memory], place: Place, monkeypatch: Any
):
    """Without statistics the planner takes every tenant for one row; its plan must stay linear."""
    memory = open_at(place)
    memory.embedder = Letters()
    for number in range(3):
        memory.remember(f"Room {number} holds {number + 10} people.")
    plans: list[str] = []
    run = Scene.ask

    def explained(self: Scene, statement: str, values: Any = None, *, binary: bool = False) -> Any:
        plans.extend(row[0] for row in run(self, f"EXPLAIN {statement}", values).fetchall())
        return run(self, statement, values, binary=binary)

    monkeypatch.setattr(Scene, "ask", explained)
    assert memory.search("how many people does room 2 hold").results
    assert plans
    assert not [line for line in plans if "Nested Loop" in line]


def test_what_is_stored_is_found_where_nothing_can_be_written(
    open_at: Callable[..., Memory], place: Place, server: Server
):
    """A replica answers recalls and searches; what it would note is left out."""
    memory = open_at(place)
    memory.remember("Deploys happen on Tuesdays.")
    memory.search("deploys")
    memory.recall("When do deploys happen?")
    mark = "&" if "?" in server.app else "?"
    url = f"{server.app}{mark}options=-c%20default_transaction_read_only%3Don"
    replica = open_at(place, **{"engine.url": url})

    assert replica.recall("When do deploys happen?").topics
    assert replica.search("deploys").results
    with pytest.raises(ReadOnly):
        replica.remember("Lunch is at noon.")


FROZEN = """
import json, sys
from reverie.config import EngineSettings
from reverie.postgres.database import Database
from reverie.postgres.place import Place
url, place, statements, how = json.loads(sys.argv[1])
database = Database(EngineSettings(url=url, lease_seconds=1.0))
with database.transaction(Place(*place), **how) as connection:
    for statement in statements:
        connection.execute(statement)
    connection.execute("SELECT 1 FROM space").fetchall()
    connection.execute("SELECT 1 FROM space")  # nobody reads the answer
    print("inside", flush=True)
    sys.stdin.read()
    connection.execute("SELECT 1").fetchall()
"""


class Frozen:
    """A process that was stopped inside a transaction."""

    def __init__(self, server: Server, place: Place, *statements: str, **how: Any) -> None:
        told = json.dumps([server.app, [place.tenant, place.owner, place.project], statements, how])
        self._process = subprocess.Popen(
            [sys.executable, "-c", FROZEN, told], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self._process.stdout
        assert self._process.stdout.readline() == "inside\n"
        self._process.send_signal(signal.SIGSTOP)

    def goes_on(self) -> bool:
        """Wake it up; say whether its transaction is still there."""
        self._process.send_signal(signal.SIGCONT)
        self._process.communicate("", timeout=WAIT)
        return self._process.returncode == 0

    def __enter__(self) -> Frozen:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate(timeout=WAIT)


HELD = "SELECT 1 FROM space FOR UPDATE"


def test_a_frozen_writer_holds_nobody_up_for_longer_than_its_lease(
    open_at: Callable[..., Memory], place: Place, server: Server
):
    """Whoever waited for it in vain has ended it, so the next one does not wait."""
    memory = open_at(place, **{"memory.lock_wait_seconds": 0.05})
    memory.remember("Deploys happen on Tuesdays.")
    with Frozen(server, place, HELD) as frozen:
        tries, end = 0, time.monotonic() + WAIT
        while time.monotonic() < end:
            try:
                memory.remember("Lunch is at noon.")
                break
            except Locked:
                tries += 1
        assert tries  # it did hold the place
        assert not frozen.goes_on()
    assert len(memory.log()) == 2


def test_a_daemon_ends_what_a_frozen_one_holds_while_others_wait(
    open_at: Callable[..., Memory], place: Place, server: Server, start_daemon: Any
):
    """Nobody has to give up first: who waits with patience is let in."""
    memory = open_at(place, **{"memory.lock_wait_seconds": 60.0})
    memory.remember("Deploys happen on Tuesdays.")
    start_daemon()
    with Frozen(server, place, HELD):
        memory.remember("Lunch is at noon.")
    assert len(memory.log()) == 2


def test_who_holds_nothing_may_take_its_time_and_strangers_are_left_alone(
    open_at: Callable[..., Memory], place: Place, server: Server
):
    memory = open_at(place)
    memory.remember("Deploys happen on Tuesdays.")
    with (
        Frozen(server, place, snapshot=True) as reader,
        server.as_app() as stranger,
        Frozen(server, place, HELD) as frozen,
    ):
        stranger.execute("SELECT pg_current_xact_id()")
        end = time.monotonic() + WAIT
        while not database_of(memory).end_frozen() and time.monotonic() < end:
            threading.Event().wait(0.05)
        assert not frozen.goes_on()
        assert reader.goes_on()
        assert stranger.execute("SELECT 1").fetchall() == [(1,)]


def test_who_computes_while_it_holds_rows_is_not_taken_for_frozen(
    open_at: Callable[..., Memory], place: Place, server: Server
):
    memory = open_at(place)
    memory.remember("Deploys happen on Tuesdays.")
    slow = Database(EngineSettings(url=server.app, lease_seconds=0.6))
    silent = "SELECT clock_timestamp() - state_change > '2 s' FROM pg_stat_activity WHERE pid = %s"
    try:
        with slow.transaction(place) as connection, server.as_owner() as db:
            connection.execute(HELD).fetchall()
            while db.execute(silent, (connection.info.backend_pid,)).fetchone() != (True,):
                assert not database_of(memory).end_frozen()
            connection.execute("UPDATE space SET revision = revision + 1")
    finally:
        slow.close()


def test_a_temporary_table_takes_no_name_of_ours(open_at: Callable[..., Memory], place: Place):
    """Anybody may make temporary tables, and PostgreSQL would look there first."""
    memory = open_at(place, **{"engine.pool": 2})
    memory.remember("Deploys happen on Tuesdays.")
    pool = database_of(memory).pool
    for connection in [pool.getconn() for _ in range(pool.max_size)]:
        connection.execute("CREATE TEMP TABLE file (LIKE reverie.file)")
        connection.execute("CREATE TEMP TABLE space (LIKE reverie.space)")
        pool.putconn(connection)
    assert [topic.text for topic in open_at(place).store.topics()]
    memory.remember("Lunch is at noon.")
    assert memory.recall("When is lunch?").topics


def test_a_migration_behind_a_long_reader_lets_others_through(server: Server, monkeypatch: Any):
    """A lock of a table that waits makes all who come later wait; ours gives way after a moment."""
    monkeypatch.setattr(admin, "_TRIES", 3)
    monkeypatch.setattr(admin, "_PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(admin, "_LOCK_MILLISECONDS", 200)
    name = server.tenant()
    with server.as_owner() as db:
        db.execute(f"CREATE DATABASE {name}")
    owner, app = (url.replace("/postgres?", f"/{name}?") for url in (server.owner, server.app))
    try:
        admin.migrate(owner, target="0003")
        with psycopg.connect(owner) as reader:
            reader.execute("SELECT count(*) FROM reverie.quota")  # its lock stays until it ends
            with pytest.raises(Locked, match="throughout 3 tries"):
                admin.migrate(owner)
            with psycopg.connect(app, options="-c statement_timeout=30s") as other:
                other.execute("SELECT * FROM reverie.allowance()")  # reads that table, and goes on
        assert admin.migrate(owner).after == "0005"
    finally:
        with server.as_owner() as db:
            db.execute(f"DROP DATABASE {name} WITH (FORCE)")


class SlowModel:
    """Answers nobody until all have asked; then it fails, so that the verb goes on without it."""

    name, warm = "slow", True

    def __init__(self, crowd: threading.Barrier, database: Database) -> None:
        self._crowd = crowd
        self._database = database
        self.free = 0

    def ask(self, *_: object, **__: object) -> Any:
        """Wait for all others, and look whether the database is free for somebody else."""
        with suppress(threading.BrokenBarrierError):  # asked again, after the others
            self._crowd.wait(WAIT if not self.free else 0)
        with self._database.unbound() as db:
            db.execute("SELECT 1")
        self.free += 1
        raise ModelTimeout("too slow")

    step = ask


@pytest.mark.parametrize(
    "verb",
    [
        lambda memory: memory.remember("Lunch is at noon, and tea at four."),
        lambda memory: memory.forget("what we said about deploys"),
        lambda memory: memory.dream(force=True),
        lambda memory: memory.extract(
            [Message("user", "Please note: we always prefer tabs over spaces here.")], session="s"
        ),
    ],
    ids=["remember", "forget", "dream", "extract"],
)
def test_nobody_holds_a_connection_while_a_model_thinks(
    open_at: Callable[..., Memory], server: Server, verb: Callable[[Memory], object]
):
    """Four people on a pool of two: their questions to the model are under way at the same time."""
    tenant, crowd = server.tenant(), threading.Barrier(4)
    people = [open_at(Place(tenant, f"p{n}", "web"), **{"engine.pool": 2}) for n in range(4)]
    models = []
    for memory in people:
        memory.remember("Deploys happen on Tuesdays.")
        memory.remember("We deploy on Tuesdays, after the tests.")
        models.append(SlowModel(crowd, database_of(memory)))
        memory.model = models[-1]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(verb, people))
    assert all(model.free for model in models)


class SlowLetters(Letters):
    """An embedder elsewhere, which answers once everybody has asked."""

    def __init__(self, crowd: threading.Barrier, database: Database) -> None:
        self._crowd = crowd
        self._database = database
        self.asked = 0

    def embed(self, texts: Any) -> Any:
        self.asked += 1
        if self.asked == 1:
            self._crowd.wait(WAIT)
        with self._database.unbound() as db:
            db.execute("SELECT 1")
        return super().embed(texts)


def test_nobody_holds_a_connection_while_texts_are_embedded(
    open_at: Callable[..., Memory], server: Server
):
    tenant, crowd = server.tenant(), threading.Barrier(4)
    people = [open_at(Place(tenant, f"p{n}", "web"), **{"engine.pool": 2}) for n in range(4)]
    for memory in people:
        memory.remember("Deploys happen on Tuesdays.")
        memory.embedder = SlowLetters(crowd, database_of(memory))
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda memory: memory.search("When are deploys?"), people))
    assert all(one.results for one in found)


def test_a_process_keeps_so_many_topics_listed_over_all_places(
    open_at: Callable[..., Memory], server: Server, monkeypatch: pytest.MonkeyPatch
):
    """Whose topics were wanted longest ago are listed anew; nothing but time is lost."""
    monkeypatch.setattr(listing, "_ROOM", listing.Room(5))
    tenant = server.tenant()
    people = [open_at(Place(tenant, f"p{n}", "web")) for n in range(3)]
    kept: list[list[bool]] = []
    for memory in people:
        for number in range(3):
            memory.remember(f"Room {number} has {number + 7} chairs.", scope="user")
        kept.append([bool(one.engine.store._listings._listed) for one in people])
    assert kept == [[True, False, False], [False, True, False], [False, False, True]]
    for memory in people:
        assert memory.remember("Room 1 has 8 chairs.", scope="user").action == "known"
        assert len(memory.store.topics()) == 3
