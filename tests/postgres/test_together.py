"""Tasks that wait behind one another are written in one transaction, and stay runs of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psycopg
import pytest

from reverie.core.topics import remember as remembering
from reverie.memory import Memory
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.place import Place
from reverie.postgres.quotas import set_quota
from reverie.postgres.store import listing
from reverie.postgres.tasks import Claim, PgTasks
from reverie.types.tasks import LaneLimits
from tests.postgres.conftest import Daemon, make_token
from tests.server import Server

REMEMBER = "/workspace/memory/remember"

pytestmark = pytest.mark.slow


@contextmanager
def held(memory: Memory, place: Place) -> Iterator[None]:
    """Have the lane of a place, so that tasks wait behind one another."""
    assert isinstance(memory.engine, PostgresEngine)
    other = PgTasks(
        memory.engine.database, place, clock=memory.clock, limits=LaneLimits(), holder="other",
        lease_seconds=60.0,
    )  # fmt: skip
    assert other.take(busy=True).claim is Claim.FRESH
    yield
    other.release()


def queue(daemon: Daemon, token: str, count: int) -> list[str]:
    """Queue tasks; return where each is told of."""
    answers = [
        daemon.ask(
            "POST", REMEMBER,
            {"content": f"Hall {number} has {number + 20} lamps.", "contextMode": "clean"},
            token=token,
        )
        for number in range(count)
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == [202] * count
    return [answer.headers["location"] for answer in answers]


@contextmanager
def watched(server: Server, body: str) -> Iterator[None]:
    """Let the database do something whenever a run is committed."""
    with server.as_owner() as db:
        db.execute(
            "CREATE SEQUENCE public.ends; CREATE TABLE public.seen (xid bigint);"
            " GRANT USAGE ON SEQUENCE public.ends TO PUBLIC; GRANT INSERT ON public.seen TO PUBLIC;"
            f" CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}"
            " RETURN NULL; END $$; CREATE CONSTRAINT TRIGGER look AFTER INSERT ON reverie.run"
            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.look()"
        )
    try:
        yield
    finally:
        with server.as_owner() as db:
            db.execute(
                "DROP FUNCTION public.look CASCADE; DROP SEQUENCE public.ends; DROP TABLE public.seen"
            )


def test_tasks_that_wait_are_one_transaction_and_undone_one_by_one(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    daemon, memory, token = start_daemon(), open_at(place), make_token(server, place)
    with watched(server, "INSERT INTO public.seen VALUES (txid_current());"):
        with held(memory, place):
            tasks = queue(daemon, token, 5)
        over = [daemon.finished(task, token=token) for task in tasks]
        with server.as_owner() as db:
            seen = db.execute("SELECT count(*), count(DISTINCT xid) FROM public.seen").fetchone()
    assert {task["status"] for task in over} == {"completed"}
    assert seen == (5, 1)
    runs = memory.log()
    assert len(runs) == 5
    memory.undo(runs[2].id)
    assert len(memory.store.topics()) == 4
    assert not memory.verify().problems


def test_what_goes_wrong_in_one_of_them_is_its_own_failure(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    daemon, memory, token = start_daemon(), open_at(place), make_token(server, place)
    with psycopg.connect(server.owner) as db:
        set_quota(db, place.tenant, {"memories": 3})
    with held(memory, place):
        tasks = queue(daemon, token, 5)
    over = [daemon.finished(task, token=token) for task in tasks]
    assert [task["status"] for task in over] == ["completed"] * 3 + ["failed"] * 2
    assert {task["error"]["code"] for task in over[3:]} == {"quota_exceeded"}
    assert len(memory.log()) == len(memory.store.topics()) == 3
    assert not memory.verify().problems


def test_what_was_undone_at_the_end_is_done_again_once_each(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    daemon, memory, token = start_daemon(), open_at(place), make_token(server, place)
    once = "IF nextval('public.ends') = 1 THEN RAISE 'gone' USING ERRCODE = '57P01'; END IF;"
    with watched(server, once):  # it goes away while it commits
        with held(memory, place):
            tasks = queue(daemon, token, 4)
        over = [daemon.finished(task, token=token) for task in tasks]
    assert {task["status"] for task in over} == {"completed"}
    done = [run.detail.get("task") for run in memory.log()]
    assert sorted(done) == sorted(task["taskId"] for task in over)
    assert len(memory.store.topics()) == 4
    assert not memory.verify().problems


def test_what_was_listed_in_a_transaction_that_failed_never_was(
    place: Place, open_at: Callable[..., Memory]
):
    """Catalogs and candidates follow what is there, and not what was about to be."""
    memory, other = open_at(place), open_at(place)
    store = memory.engine.store
    memory.remember("The hall has 20 lamps.")
    with suppress(KeyboardInterrupt), store.together():
        memory.remember("The cellar has 30 doors.")
        raise KeyboardInterrupt
    other.remember("The garden has 40 trees.")
    assert memory.remember("The cellar has 30 doors.").action == "added"
    assert memory.remember("The garden has 40 trees.").action == "known"
    assert not memory.verify().problems
    assert sorted(topic.path for topic in store.topics()) == sorted(
        topic.path for topic in other.engine.store.topics()
    )


def test_a_large_memory_is_not_looked_through_for_each_statement(
    place: Place, open_at: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(listing, "FEW", 10)
    memory, other = open_at(place), open_at(place)
    for number in range(30):
        memory.remember(f"Hall {number} has {number + 20} lamps.", clean=True)
    memory.remember("The printer is in room 4.")
    looked: list[int] = []
    plan = remembering.plan

    def looking(memo, topics, **more):
        looked.append(len(topics))
        return plan(memo, topics, **more)

    monkeypatch.setattr(remembering, "plan", looking)
    assert memory.remember("The printer is in room 7 now.").action == "superseded"
    assert other.remember("The printer is in room 9 now.").action == "superseded"
    assert memory.remember("The printer is in room 9 now.").action == "known"
    memory.forget("The printer is in room 9 now.")
    assert other.remember("The scanner is in room 9.").action == "added"
    assert max(looked) < 10
