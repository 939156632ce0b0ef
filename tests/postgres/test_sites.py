"""Tenants on two servers, one of them moved while it is written to and everybody else works."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from reverie.cli import run as reverie
from reverie.errors import Conflict, InvalidInput, Locked, NotFound, TenantMoving
from reverie.memory import Memory
from reverie.postgres import admin, moving
from reverie.postgres.moving import move_tenant
from reverie.postgres.place import Place
from reverie.postgres.quotas import quota_of, set_quota
from reverie.postgres.sites import (
    add_server,
    address_of,
    list_servers,
    remove_server,
    tenant_connections,
)
from tests.postgres.conftest import WAIT, Daemon, make_token, options_of
from tests.server import Server, running

pytestmark = pytest.mark.slow
REMEMBER = "/workspace/memory/remember"
STEPS = ("begun", "arriving", "leaving", "still", "copied", "turned", "gone", "serving", "cleaned")
OWNER = "tender"
"""No superuser: policies hold for it, as they do for the owner of a managed database."""


@dataclass(frozen=True)
class Pair:
    """A directory with tenants on its own server, and a second server."""

    home: Server
    other: Server

    def where(self, place: Place) -> list[str]:
        """Return on which servers a tenant has files."""
        found = []
        for name, server in (("home", self.home), ("other", self.other)):
            with psycopg.connect(server.owner) as db:
                db.execute("SELECT set_config('reverie.tenant', %s, true)", (place.tenant,))
                if db.execute("SELECT 1 FROM reverie.file LIMIT 1").fetchone():
                    found.append(name)
        return found


@contextmanager
def database_on(server: Server) -> Iterator[Server]:
    """A database of its own, whose owner is no superuser."""
    name = server.tenant()
    with server.as_owner() as db:
        db.execute(f"CREATE ROLE {OWNER} LOGIN CREATEROLE")
        db.execute(f"CREATE DATABASE {name} OWNER {OWNER}")
        db.execute(f"GRANT reverie_app, reverie_system TO {OWNER} WITH ADMIN OPTION")
    root = server.owner.replace("/postgres?", f"/{name}?")
    with psycopg.connect(root, autocommit=True) as db:
        db.execute("CREATE EXTENSION vector")
    owner = root.replace("postgres:@", f"{OWNER}@")
    admin.migrate(owner)
    admin.make_service_role(owner, "service")
    try:
        yield Server(owner, server.app.replace("/postgres?", f"/{name}?"), server.folder)
    finally:
        with server.as_owner() as db:
            db.execute(f"DROP DATABASE {name} WITH (FORCE)")
            db.execute(f"DROP OWNED BY {OWNER}")
            db.execute(f"DROP ROLE {OWNER}")


@pytest.fixture(scope="module")
def second() -> Iterator[Server]:
    with running() as started:
        yield started


@pytest.fixture(scope="module")
def pair(server: Server, second: Server) -> Iterator[Pair]:
    with database_on(server) as home, database_on(second) as other:
        with admin.owner_connection(home.owner) as db:
            add_server(db, "other", address(other))
        yield Pair(home, other)


def address(server: Server) -> str:
    parts = conninfo_to_dict(server.app)
    return f"postgresql:///{parts['dbname']}?host={parts['host']}"


@pytest.fixture
def opened(pair: Pair, tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Return a function that opens a place by the directory."""
    kept: list[Memory] = []

    def opener(place: Place) -> Memory:
        settings = options_of(pair.home, place)
        memory = Memory.open(tmp_path, home=tmp_path / "h", settings=settings)
        kept.append(memory)
        return memory

    yield opener
    for memory in kept:
        memory.close()


@pytest.fixture
def daemons(pair: Pair, tmp_path: Path) -> Iterator[Callable[[], Daemon]]:
    started: list[Daemon] = []

    def start() -> Daemon:
        started.append(Daemon(pair.home, tmp_path / f"daemon{len(started)}"))
        return started[-1]

    yield start
    for daemon in started:
        daemon.stop()


def everything(memory: Memory) -> Any:
    runs = [(run.id, run.verb, run.at) for run in memory.log(limit=1000)]
    return runs, [(topic.path, topic.text) for topic in memory.store.topics()]


def test_a_tenant_goes_to_another_server_and_comes_back_whole(
    pair: Pair, opened: Callable[..., Memory]
):
    place = Place(pair.home.tenant(), "ann", "web")
    with opened(place) as memory:
        for number in range(5):
            memory.remember(f"Room {number} holds {number + 10} people.")
        memory.undo(memory.log()[0].id)
        memory.layers.add_note("A note")
        assert memory.search("which room holds 12 people").results
        before = everything(memory)
    with admin.owner_connection(pair.home.owner) as db:
        set_quota(db, place.tenant, {"memories": 50})
    assert pair.where(place) == ["home"]
    done = move_tenant(pair.home.owner, place.tenant, "other")
    assert (done.source, done.server, done.outcome) == ("home", "other", "moved")
    assert pair.where(place) == ["other"]
    with opened(place) as memory:
        assert everything(memory) == before
        assert memory.verify().ok
        assert memory.search("which room holds 12 people").results
        memory.remember("The wiki moved.")
        newest = memory.log()[0]
        assert newest.verb == "remember"
        assert newest.id not in {run[0] for run in before[0]}
        after = everything(memory)
    with tenant_connections(pair.home.owner, place.tenant) as (_, there):
        assert quota_of(there, place.tenant).quota.memories == 50
    assert move_tenant(pair.home.owner, place.tenant, "other").outcome == "there already"
    assert move_tenant(pair.home.owner, place.tenant, "home").outcome == "moved"
    assert pair.where(place) == ["home"]
    with opened(place) as memory:
        assert everything(memory) == after
        assert memory.verify().ok


def test_nothing_accepted_is_lost_while_a_tenant_moves_and_others_notice_nothing(
    pair: Pair, daemons: Callable[[], Daemon], opened: Callable[..., Memory]
):
    fleet = [daemons(), daemons()]
    moved = Place(pair.home.tenant(), "ann", "web")
    stays = Place(pair.home.tenant(), "ben", "web")
    tokens = {place: make_token(pair.home, place) for place in (moved, stays)}
    stop = threading.Event()
    accepted: dict[Place, list[str]] = {moved: [], stays: []}
    refused: dict[Place, set[str]] = {moved: set(), stays: set()}

    def write(place: Place) -> None:
        number = 0
        while not stop.is_set():
            fact = f"Fact {number} of {place.owner} is kept."
            answer = fleet[number % 2].ask(
                "POST", REMEMBER, {"content": fact, "contextMode": "clean"}, token=tokens[place],
                **{"Idempotency-Key": f"{place.owner}-{number}"},
            )  # fmt: skip
            if answer.status_code == 202:
                accepted[place].append(fact)
                number += 1
                continue
            assert int(answer.headers.get("retry-after", 0)) >= 1, answer.text
            if answer.status_code != 429:  # its own queue is full, which is nothing new
                refused[place].add(answer.json()["code"])
            threading.Event().wait(0.05)

    crowd = ThreadPoolExecutor(2)
    writers = [crowd.submit(write, place) for place in accepted]

    def come(place: Place, count: int) -> bool:
        for writer in writers:
            if writer.done():
                writer.result()  # tells what ended it
        return len(accepted[place]) >= count

    try:
        for target in ("other", "home", "other"):
            more = len(accepted[moved]) + 3
            until(lambda: come(moved, more))  # noqa: B023
            others = len(accepted[stays]) + 1
            assert move_tenant(pair.home.owner, moved.tenant, target).outcome == "moved"
            until(lambda: come(stays, others))  # noqa: B023
        more = len(accepted[moved]) + 3
        until(lambda: come(moved, more))
    finally:
        stop.set()
        crowd.shutdown()
    # The second is for who comes while a daemon closes the workspace, to open it where it is now.
    assert refused[moved] <= {"tenant_moving", "workspace_draining"}
    assert refused[stays] == set()
    for place, facts in accepted.items():
        memory = opened(place)
        until(lambda: not waiting(fleet[0], tokens[place]))  # noqa: B023
        bodies = sorted(topic.body.strip() for topic in memory.store.topics())
        assert bodies == sorted(facts)
        assert memory.verify().ok
    assert pair.where(moved) == ["other"]
    assert pair.where(stays) == ["home"]


def waiting(daemon: Daemon, token: str) -> bool:
    answer = daemon.ask("GET", "/workspace/memory/tasks", token=token)
    if answer.status_code == 503:
        return True
    assert answer.status_code == 200, answer.text
    states = {task["status"] for task in answer.json()["tasks"]}
    assert states <= {"queued", "running", "completed"}
    return bool(states & {"queued", "running"})


def until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not what():
        assert time.monotonic() < end
        threading.Event().wait(0.02)


class Killed(BaseException):
    """Stands for the end of the process: nothing is cleaned up on the way out."""


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("then", ["again", "back"])
def test_a_move_that_was_cut_off_goes_on_or_is_taken_back(
    pair: Pair, opened: Callable[..., Memory], monkeypatch: Any, step: str, then: str
):
    place = Place(pair.home.tenant(), "ann", "web")
    with opened(place) as memory:
        memory.remember("Deploys happen on Tuesdays.")
        before = everything(memory)

    def die(reached: str) -> None:
        if reached == step:
            raise Killed

    with monkeypatch.context() as dead:
        dead.setattr(moving._Move, "take_back", lambda _: None)
        with suppress(Killed):
            move_tenant(pair.home.owner, place.tenant, "other", reached=die)
    target = "other" if then == "again" else "home"
    move_tenant(pair.home.owner, place.tenant, target)
    assert pair.where(place) == [target]
    with opened(place) as memory:
        assert everything(memory) == before
        memory.remember("Lunch is at noon.")
        assert memory.verify().ok


def test_what_fails_before_the_turn_is_taken_back_at_once(
    pair: Pair, opened: Callable[..., Memory], monkeypatch: Any
):
    place = Place(pair.home.tenant(), "ann", "web")
    memory = opened(place)
    memory.remember("Deploys happen on Tuesdays.")

    def broken(*_: object) -> int:
        raise psycopg.OperationalError("the line is cut")

    monkeypatch.setattr(moving, "_copy_table", broken)
    with pytest.raises(Exception, match="the line is cut"):
        move_tenant(pair.home.owner, place.tenant, "other")
    memory.remember("Lunch is at noon.")
    assert pair.where(place) == ["home"]


def test_a_tenant_that_leaves_is_read_and_not_written_and_one_that_left_is_neither(
    pair: Pair, opened: Callable[..., Memory]
):
    place = Place(pair.home.tenant(), "ann", "web")
    memory = opened(place)
    memory.remember("Deploys happen on Tuesdays.")
    memory.search("deploys")
    seen: list[str] = []

    def look(step: str) -> None:
        if step in ("leaving", "copied"):
            assert memory.recall("When do deploys happen?").topics
            assert memory.search("deploys").results
            with pytest.raises(TenantMoving):
                memory.remember("Lunch is at noon.")
        if step in ("gone", "serving"):
            with pytest.raises(TenantMoving):
                memory.recall("When do deploys happen?")
        seen.append(step)

    move_tenant(pair.home.owner, place.tenant, "other", reached=look)
    assert seen == [*STEPS, "done"]
    with pytest.raises(TenantMoving):
        memory.remember("Lunch is at noon.")  # opened where it was; whoever opens it now finds it
    assert opened(place).recall("When do deploys happen?").topics


def test_a_writer_that_began_before_the_move_is_waited_for(
    pair: Pair, opened: Callable[..., Memory]
):
    """A transaction that asked before the mark was there still writes; the copy has what it wrote."""
    place = Place(pair.home.tenant(), "ann", "web")
    memory = opened(place)
    memory.remember("The first.")
    marked = threading.Event()
    database = memory.engine.database  # type: ignore[attr-defined]
    with database.transaction(place) as db:
        db.execute("SELECT 1").fetchone()  # it has begun, and written nothing yet
        mover = threading.Thread(
            target=move_tenant,
            args=(pair.home.owner, place.tenant, "other"),
            kwargs={"reached": lambda step: marked.set() if step == "leaving" else None},
        )
        mover.start()
        assert marked.wait(WAIT)
        db.execute(
            "INSERT INTO state (tenant, owner, project, name, value) VALUES (%(tenant)s, %(owner)s,"
            " %(project)s, 'late', '{}')",
            place.values,
        )
    mover.join(WAIT)
    assert not mover.is_alive()
    with tenant_connections(pair.home.owner, place.tenant) as (_, there):
        there.execute("SELECT set_config('reverie.tenant', %s, true)", (place.tenant,))
        assert there.execute("SELECT name FROM reverie.state WHERE name = 'late'").fetchall()


def test_servers_are_named_without_roles_and_left_when_they_are_empty(pair: Pair):
    with admin.owner_connection(pair.home.owner) as db:
        for url in (
            "postgresql://ada@db.example/memory",
            "postgresql://ada:s3same@db.example/memory",
            "postgresql:///memory",
        ):
            with pytest.raises(InvalidInput) as refused:
                add_server(db, "third", url)
            assert "s3same" not in str(refused.value)
        with pytest.raises(InvalidInput):
            add_server(db, "home", "postgresql://db.example/memory")
        add_server(db, "third", "postgresql://db.example:5433/memory?sslmode=require")
        assert [item.name for item in list_servers(db)] == ["other", "third"]
        remove_server(db, "third")
        with pytest.raises(NotFound):
            remove_server(db, "third")
    with pytest.raises(NotFound, match="no tenant"):
        move_tenant(pair.home.owner, "nobody-there", "other")
    place = Place(pair.home.tenant(), "ann", "web")
    make_token(pair.home, place)
    with pytest.raises(NotFound, match="no server"):
        move_tenant(pair.home.owner, place.tenant, "third")
    move_tenant(pair.home.owner, place.tenant, "other")
    with (
        admin.owner_connection(pair.home.owner) as db,
        pytest.raises(Conflict, match="move them first"),
    ):
        remove_server(db, "other")


def test_an_address_takes_the_role_and_password_of_whoever_asks():
    own = "postgresql://ada:s%40same@db1.example:5432/memory?sslmode=require"
    there = address_of(own, "postgresql://db2.example:5433/more")
    parts = conninfo_to_dict(there)
    assert parts == {
        "user": "ada", "password": "s@same", "host": "db2.example", "port": "5433",
        "dbname": "more", "sslmode": "require",
    }  # fmt: skip
    assert address_of(own, "") == own


def test_the_command_moves_and_the_others_follow_the_tenant(
    pair: Pair, opened: Callable[..., Memory], capsys: pytest.CaptureFixture[str]
):
    place = Place(pair.home.tenant(), "ann", "web")
    opened(place).remember("Deploys happen on Tuesdays.")
    make_token(pair.home, place)

    def run(*words: str) -> str:
        status = reverie(["postgres", *words, "--engine", pair.home.owner])
        told = capsys.readouterr()
        assert status == 0, told
        return told.out

    assert "went from home to other" in run("move-tenant", place.tenant, "--to", "other")
    assert f"{place.tenant}: 1 users, 1 projects, 1 tokens, on other" in run("tenants")
    assert "other: " in run("server", "list")
    assert "memories: 7" in run("quota", "--tenant", place.tenant, "--memories", "7")
    with tenant_connections(pair.home.owner, place.tenant) as (_, there):
        assert quota_of(there, place.tenant).quota.memories == 7
    run("remove-tenant", place.tenant, "--yes")
    assert pair.where(place) == []


def test_a_move_that_is_over_is_over_before_its_connection_is(server: Server):
    with server.as_owner() as first, server.as_owner() as second:
        with (
            moving._alone(first, "acme"),
            pytest.raises(Locked),
            moving._alone(second, "acme"),
        ):
            pass
        with moving._alone(second, "acme"):  # the first one is still connected
            pass
