"""A database that goes away and comes back: daemons and open memories go on by themselves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from reverie.memory import Memory
from reverie.postgres.place import Place
from tests.postgres.conftest import WAIT, Daemon, make_token
from tests.server import Server

REMEMBER = "/workspace/memory/remember"

pytestmark = pytest.mark.slow


def cut(server: Server) -> int:
    """End every connection of the service, as a restart of the database does; return when they ended."""
    with server.as_owner() as db:
        rows = db.execute(
            "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE usename = 'service'"
        ).fetchall()
    return len(rows)


@contextmanager
def away(server: Server) -> Iterator[None]:
    """Let nobody of the service in, until the block is over."""
    with server.as_owner() as db:
        db.execute("ALTER ROLE service NOLOGIN")
    try:
        cut(server)
        yield
    finally:
        with server.as_owner() as db:
            db.execute("ALTER ROLE service LOGIN")


def accepted(daemon: Daemon, token: str, content: str) -> str:
    """Send a task until it is accepted; a service whose database is away asks to come back."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        answer = daemon.ask("POST", REMEMBER, {"content": content}, token=token)
        if answer.status_code == 202:
            return str(answer.headers["location"])
        assert answer.status_code == 503, answer.text
        threading.Event().wait(0.1)
    raise AssertionError("no task was accepted")


def over(daemon: Daemon, token: str, task: str) -> str:
    """Wait until a task is over; a service that lost its connections may ask to come back."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        answer = daemon.ask("GET", task, token=token)
        assert answer.status_code in (200, 503), answer.text
        status = str(answer.json().get("status", ""))
        if status in ("completed", "failed"):
            return status
        threading.Event().wait(0.02)
    raise AssertionError(f"{task} is not over")


def until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not what():
        assert time.monotonic() < end
        threading.Event().wait(0.02)


def test_connections_that_died_while_nobody_used_them_are_noticed_by_nobody(
    server: Server, place: Place, open_at: Callable[..., Memory]
):
    memory = open_at(place)
    memory.remember("Deploys happen on Tuesdays.", scope="project")
    for _ in range(3):
        assert cut(server) > 0
        assert memory.recall("deploys").topics
    cut(server)
    memory.remember("Lunch is at noon.", scope="project")
    assert len(memory.log()) == 2


def test_a_lane_that_waits_works_again_after_every_connection_was_cut(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    daemon = start_daemon()
    token = make_token(server, place)
    first = accepted(daemon, token, "Deploys happen on Tuesdays.")
    assert daemon.finished(first, token=token)["status"] == "completed"
    hosted = daemon.host.open[place]
    until(lambda: hosted.shared_lane.idle)
    assert cut(server) > 0
    second = accepted(daemon, token, "Lunch is at noon.")
    assert daemon.finished(second, token=token)["status"] == "completed"
    assert daemon.host.open[place] is hosted


def test_a_lane_outlives_a_database_that_is_away_and_takes_work_of_others_then(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    daemon = start_daemon(**{"engine.pool_wait_seconds": 0.3})
    token = make_token(server, place)
    first = accepted(daemon, token, "Deploys happen on Tuesdays.")
    assert daemon.finished(first, token=token)["status"] == "completed"
    hosted = daemon.host.open[place]
    until(lambda: hosted.shared_lane.idle)
    with away(server):
        assert daemon.loop is not None
        daemon.loop.call_soon_threadsafe(hosted.lane.wake)  # it looks for work, and finds nobody
        answer = daemon.ask("POST", REMEMBER, {"content": "Never seen."}, token=token)
        assert answer.status_code == 503
        assert answer.json()["code"] == "engine_unavailable"
    second = accepted(daemon, token, "Lunch is at noon.")
    assert daemon.finished(second, token=token)["status"] == "completed"
    assert len(open_at(place).log()) == 2


def test_work_goes_on_and_is_done_once_while_connections_are_cut_again_and_again(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    daemon = start_daemon()
    token = make_token(server, place)
    facts = [f"Room {number} belongs to team {number * 7}." for number in range(8)]
    for fact in facts:
        task = accepted(daemon, token, fact)
        cut(server)  # once each: a task that is interrupted three times is given up
        assert over(daemon, token, task) == "completed"
    texts = [topic.text for topic in open_at(place).store.topics()]
    for fact in facts:
        assert sum(fact.rstrip(".") in text for text in texts) == 1
