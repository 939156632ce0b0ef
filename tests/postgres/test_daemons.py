"""Several daemons on one database: tasks once each, events everywhere, tokens that decide."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx2
import psycopg
import pytest

from reverie.errors import EngineUnavailable
from reverie.memory import Memory
from reverie.postgres.place import Place
from reverie.postgres.store.rowstore import PgStore
from reverie.postgres.tokens import list_tokens, revoke_token, rotate_token
from tests.postgres.conftest import OPERATOR, Daemon, make_token
from tests.server import Server

REMEMBER = "/workspace/memory/remember"
SAY = "/workspace/remember"

pytestmark = pytest.mark.slow


def events(daemon: Daemon, token: str, *, count: int, last: str = "") -> list[dict]:
    """Read so many numbered events."""
    headers = {"Authorization": f"Bearer {token}"} | ({"Last-Event-ID": last} if last else {})
    found: list[dict] = []
    with daemon.http.stream("GET", "/events", headers=headers) as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                event = json.loads(line[6:])
                if "id" in event:
                    found.append(event)
                if len(found) == count:
                    return found
    return found


def test_a_task_accepted_by_one_daemon_is_done_and_seen_by_all(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    one, two = start_daemon(), start_daemon()
    token = make_token(server, place)
    accepted = one.ask("POST", REMEMBER, {"content": "Deploys happen on Tuesdays."}, token=token)
    assert accepted.status_code == 202
    where = accepted.headers["location"]
    assert two.finished(where, token=token)["status"] == "completed"
    found = two.ask("POST", "/workspace/recall", {"query": "deploys"}, token=token).json()
    assert "Tuesdays" in found["block"]
    assert len(open_at(place).log()) == 1


def test_events_reach_readers_on_every_daemon_and_resume_on_any(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    one, two = start_daemon(), start_daemon()
    token = make_token(server, place)
    for number in range(2):
        made = one.ask("POST", REMEMBER, {"content": f"Fact number {number}."}, token=token)
        one.finished(made.headers["location"], token=token)
    here = events(one, token, count=8, last="0")
    there = events(two, token, count=8, last="0")
    assert [event["id"] for event in here] == list(range(1, 9))
    assert [(e["id"], e["type"], e["data"]) for e in here] == [
        (e["id"], e["type"], e["data"]) for e in there
    ]
    rest = events(two, token, count=4, last="4")
    assert [event["id"] for event in rest] == [5, 6, 7, 8]


def test_what_is_remembered_at_once_is_told_by_the_transaction_that_writes_it(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    one, two = start_daemon(), start_daemon()
    token = make_token(server, place)
    done = one.ask("POST", "/workspace/remember", {"content": "Tea is at four."}, token=token)
    told = [events(daemon, token, count=1, last="0") for daemon in (one, two)]
    with server.as_owner() as db:
        writers = [
            db.execute(f"SELECT xmin::text FROM reverie.{table} WHERE tenant = %s", (place.tenant,))
            for table in ("event", "run")
        ]
        kept, written = (rows.fetchall() for rows in writers)
    assert kept == written
    (event,), (there,) = told
    assert (event["id"], event["data"]) == (there["id"], there["data"])
    assert event["type"] == "memory_changed"
    assert event["data"] == {
        "scope": "managed",
        "source": "workspace_remember",
        "taskId": done.json()["run"],
        "touchedScopes": ["project"],
    }
    again = one.ask("POST", "/workspace/remember", {"content": "Tea is at four."}, token=token)
    assert again.json()["action"] == "known"
    with server.as_owner() as db:
        count = "SELECT count(*) FROM reverie.event WHERE tenant = %s"
        assert db.execute(count, (place.tenant,)).fetchall() == [(1,)]


def test_a_write_without_a_daemon_is_told_too(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    daemon = start_daemon()
    token = make_token(server, place)
    daemon.ask("GET", "/capabilities", token=token)
    open_at(place).remember("Written by a library.", scope="project")
    (event,) = events(daemon, token, count=1, last="0")
    assert event["type"] == "memory_changed"
    assert event["data"]["touchedScopes"] == ["project"]


def test_a_lane_left_by_a_dead_daemon_is_taken_over(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    """A task that a daemon died of is done by another; one that was written is not done again."""
    from reverie.postgres.engine import PostgresEngine
    from reverie.postgres.tasks import PgTasks
    from reverie.types import RunInfo, TaskKind
    from reverie.types.tasks import LaneLimits

    memory = open_at(place)
    assert isinstance(memory.engine, PostgresEngine)
    dead = PgTasks(
        memory.engine.database, place, clock=memory.clock, limits=LaneLimits(), holder="dead",
        lease_seconds=0.5,
    )  # fmt: skip
    written, _ = dead.accept(TaskKind.REMEMBER, {"content": "The first was written."})
    unwritten, _ = dead.accept(TaskKind.REMEMBER, {"content": "The second was not."})
    assert dead.take().tasks
    memory.remember("The first was written.", info=RunInfo("remember", detail={"task": written.id}))
    daemon = start_daemon(**{"engine.lease_seconds": 1.0})
    token = make_token(server, place)
    for task in (written, unwritten):
        over = daemon.finished(f"{REMEMBER}/{task.id}", token=token)
        assert over["status"] == "completed"
    assert len(open_at(place).log()) == 2
    assert not dead.renew()


def test_a_daemon_that_lost_its_lane_cannot_write(place: Place, open_at: Callable[..., Memory]):
    from reverie.errors import TaskOver, TaskStopped
    from reverie.postgres.engine import PostgresEngine
    from reverie.postgres.tasks import Claim, PgTasks
    from reverie.types import TaskKind
    from reverie.types.tasks import LaneLimits, Signal

    memory = open_at(place)
    assert isinstance(memory.engine, PostgresEngine)

    def queue(holder: str, seconds: float) -> PgTasks:
        return PgTasks(
            memory.engine.database, place, clock=memory.clock, limits=LaneLimits(), holder=holder,
            lease_seconds=seconds,
        )  # fmt: skip

    slow, quick = queue("slow", 0.05), queue("quick", 30.0)
    task, _ = slow.accept(TaskKind.REMEMBER, {"content": "x"})
    taken = slow.take()
    assert taken.claim is Claim.FRESH
    assert taken.tasks
    while quick.take().claim is Claim.TAKEN:
        pass
    memory.engine.store.fence = lambda db: slow.fence(db, task.id)
    with pytest.raises(TaskStopped):
        memory.remember("A zombie writes.")
    with pytest.raises(TaskOver):
        slow.settle(task.id, Signal.COMPLETE, result={})
    assert slow.take().claim is Claim.TAKEN
    assert memory.log() == []


def test_a_lane_whose_row_is_gone_is_made_again(
    server: Server, place: Place, open_at: Callable[..., Memory]
):
    from reverie.postgres.engine import PostgresEngine
    from reverie.postgres.tasks import Claim, PgTasks
    from reverie.types import TaskKind
    from reverie.types.tasks import LaneLimits

    memory = open_at(place)
    assert isinstance(memory.engine, PostgresEngine)
    queue = PgTasks(
        memory.engine.database, place, clock=memory.clock, limits=LaneLimits(), holder="one",
        lease_seconds=60.0,
    )  # fmt: skip
    for number in range(2):
        queue.accept(TaskKind.REMEMBER, {"content": f"{number} is a number."})
        with server.as_owner() as db:
            db.execute("DELETE FROM reverie.lane WHERE tenant = %s", (place.tenant,))
        assert queue.take().claim is Claim.FRESH
        assert queue.renew()


def test_a_lane_goes_with_the_last_write_unless_tasks_wait(
    place: Place, open_at: Callable[..., Memory]
):
    from reverie.errors import LaneLost
    from reverie.postgres.engine import PostgresEngine
    from reverie.postgres.tasks import Claim, PgTasks
    from reverie.types import TaskKind
    from reverie.types.tasks import LaneLimits

    memory = open_at(place)
    assert isinstance(memory.engine, PostgresEngine)
    database = memory.engine.database

    def queue(holder: str) -> PgTasks:
        return PgTasks(
            database, place, clock=memory.clock, limits=LaneLimits(), holder=holder,
            lease_seconds=60.0,
        )  # fmt: skip

    one, other = queue("one"), queue("other")
    memory.engine.store.fence = lambda db: one.fence(db, "", let_go=True)
    one.take(busy=True)
    memory.remember("Lunch is at noon.")
    assert one.is_left
    memory.remember("Dinner is at eight.")  # nobody has had it since
    assert not one.is_left
    assert one.take(busy=True).claim is Claim.HELD
    memory.remember("Tea is at four.")
    assert one.is_left
    assert other.take(busy=True).claim is Claim.FRESH
    with pytest.raises(LaneLost):
        memory.remember("Supper is at ten.")
    other.release()
    one.accept(TaskKind.REMEMBER, {"content": "x"})
    assert one.take(busy=True).tasks
    memory.remember("Breakfast is at six.")
    assert not one.is_left
    assert other.take(busy=True).claim is Claim.TAKEN
    assert len(memory.log()) == 4


def test_what_is_remembered_at_once_takes_no_lane_that_is_free(
    start_daemon: Callable[..., Daemon],
    server: Server,
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
):
    from reverie.postgres.tasks import PgTasks, Taken

    daemon = start_daemon()
    token = make_token(server, place)
    assert daemon.ask("POST", SAY, {"content": "It begins."}, token=token).status_code == 200
    take, taken = PgTasks.take, []

    def counted(self: PgTasks, **more: Any) -> Taken:
        taken.append(take(self, **more))
        return taken[-1]

    monkeypatch.setattr(PgTasks, "take", counted)
    for number in range(5):
        body = {"content": f"Room {number} has {number + 7} chairs.", "clean": True}
        assert daemon.ask("POST", SAY, body, token=token).status_code == 200

    assert len(taken) <= 1  # the first look


def test_what_is_remembered_at_once_is_not_written_beside_who_has_the_lane(
    start_daemon: Callable[..., Daemon],
    server: Server,
    place: Place,
    open_at: Callable[..., Memory],
):
    from reverie.postgres.engine import PostgresEngine
    from reverie.postgres.tasks import Claim, PgTasks
    from reverie.types import TaskKind
    from reverie.types.tasks import LaneLimits

    daemon = start_daemon()
    daemon.host.patience_seconds = 0.5
    token = make_token(server, place)

    def say(number: int) -> int:
        body = {"content": f"Room {number} has {number + 7} chairs.", "clean": True}
        return daemon.ask("POST", SAY, body, token=token).status_code

    assert [say(1), say(2)] == [200, 200]
    memory = open_at(place)
    assert isinstance(memory.engine, PostgresEngine)
    other = PgTasks(
        memory.engine.database, place, clock=memory.clock, limits=LaneLimits(), holder="other",
        lease_seconds=60.0,
    )  # fmt: skip
    assert other.take(busy=True).claim is Claim.FRESH
    assert say(3) == 503
    other.release()
    assert say(4) == 200
    # Accepted while the daemon hears nothing: what waits is done first.
    daemon.host.servers.stop_listening()
    task, _ = other.accept(TaskKind.REMEMBER, {"content": "The lift is out of order."})
    daemon.host.patience_seconds = 60.0
    assert say(5) == 200
    runs = [run for run in memory.log() if run.verb == "remember"]
    assert runs[1].detail.get("task") == task.id
    assert len(runs) == 5


def test_a_task_is_taken_back_on_another_daemon(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    from reverie.postgres.engine import PostgresEngine
    from reverie.postgres.tasks import PgTasks
    from reverie.types import TaskKind
    from reverie.types.tasks import LaneLimits

    memory = open_at(place)
    assert isinstance(memory.engine, PostgresEngine)
    busy = PgTasks(
        memory.engine.database, place, clock=memory.clock, limits=LaneLimits(), holder="busy",
        lease_seconds=60.0,
    )  # fmt: skip
    task, _ = busy.accept(TaskKind.REMEMBER, {"content": "x"})
    assert busy.take().tasks
    daemon = start_daemon()
    token = make_token(server, place)
    over = daemon.ask("DELETE", f"{REMEMBER}/{task.id}", token=token)
    assert over.json()["status"] == "failed"
    from reverie.errors import TaskStopped

    memory.engine.store.fence = lambda db: busy.fence(db, task.id)
    with pytest.raises(TaskStopped):
        memory.remember("Too late.")


# --- tokens -----------------------------------------------------------------------------------------


def test_a_token_that_was_rotated_or_revoked_ends(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    daemon = start_daemon()
    old = make_token(server, place)
    with psycopg.connect(server.owner) as db:
        (known,) = list_tokens(db, place.tenant)
        fresh = rotate_token(db, place.tenant, known.id, grace=timedelta(hours=1))
    for token in (old, fresh.value):
        assert daemon.ask("GET", "/capabilities", token=token).status_code == 200
    with psycopg.connect(server.owner) as db:
        revoke_token(db, place.tenant, known.id)
    end = time.monotonic() + 10
    while daemon.ask("GET", "/capabilities", token=old).status_code != 401:
        assert time.monotonic() < end, "a revoked token still works"
    assert daemon.ask("GET", "/capabilities", token=fresh.value).status_code == 200


@pytest.mark.parametrize("token", ["-", "rvt_wrong", "' OR 1=1 --", "rvt_' OR '1'='1", "x" * 5000])
def test_a_wrong_token_opens_nothing(start_daemon: Callable[..., Daemon], token: str):
    daemon = start_daemon()
    assert daemon.ask("GET", "/capabilities", token=token).status_code == 401


def test_only_hashes_of_tokens_are_kept(server: Server, place: Place):
    token = make_token(server, place)
    with server.as_owner() as db:
        rows = db.execute(
            "SELECT * FROM reverie.token WHERE tenant = %s", (place.tenant,)
        ).fetchall()
    assert rows
    assert token not in str(rows)


def test_the_operator_sees_numbers_by_tenant_and_nobodys_memory(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    daemon = start_daemon()
    token = make_token(server, place)
    made = daemon.ask("POST", REMEMBER, {"content": "Zanzibar is warm."}, token=token)
    daemon.finished(made.headers["location"], token=token)
    page = daemon.ask("GET", "/metrics", token=OPERATOR)
    assert f'reverie_tenant_spaces{{tenant="{place.tenant}"}}' in page.text
    assert "reverie_engine_pool_size" in page.text
    for path in ("/capabilities", "/workspace/log", "/workspaces/web/log", "/workspace/context"):
        assert daemon.ask("GET", path, token=OPERATOR).status_code in (403, 404)
    own = daemon.ask("GET", "/metrics", token=token).text
    assert 'workspace="web"' in own
    assert "reverie_tenant_" not in own


def test_health_tells_when_the_database_is_away(start_daemon: Callable[..., Daemon]):
    daemon = start_daemon(**{"engine.pool": 9})  # a pool that nobody else in this process shares
    assert daemon.http.get("/health").json() == {"status": "ok"}
    database = daemon.host.database
    database.pool.close()
    database._url = "postgresql://nobody@127.0.0.1:9/nothing"
    while database.answered:  # for a moment, what was answered before is proof enough
        time.sleep(0.05)
    answer = daemon.http.get("/health")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]


def test_too_many_callers_are_told_to_come_back(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    daemon = start_daemon()
    token = make_token(server, place)
    daemon.ask("GET", "/workspace/log", token=token)
    daemon.host.verbs._most = 0
    answer = daemon.ask("GET", "/workspace/log", token=token)
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert answer.json()["code"] == "engine_unavailable"


def test_projects_of_a_person_are_apart_and_the_persons_memory_is_shared(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    daemon = start_daemon()
    token = make_token(server, place)

    def remember(project: str, text: str, scope: str) -> None:
        path = f"/workspaces/{project}/memory/remember"
        made = daemon.ask("POST", path, {"content": text, "scope": scope}, token=token)
        assert made.status_code == 202, made.text
        daemon.finished(made.headers["location"], token=token)

    remember("one", "The blue project ships on Fridays.", "project")
    remember("one", "I like green tea.", "user")

    def recall(project: str, query: str) -> str:
        answer: httpx2.Response = daemon.ask(
            "POST", f"/workspaces/{project}/recall", {"query": query}, token=token
        )
        return str(answer.json()["block"])

    assert "Fridays" in recall("one", "when does the blue project ship?")
    assert "Fridays" not in recall("two", "when does the blue project ship?")
    assert "green tea" in recall("two", "which tea do I like?")


def test_the_settings_may_name_the_database_that_is_served(server: Server, place: Place, tmp_path):
    from tests.daemon.processes import Process

    home = tmp_path / "service"
    home.mkdir()
    (home / "config.toml").write_text(f'[engine]\nurl = "{server.app}"\n', encoding="utf-8")
    token = make_token(server, place)
    with Process(tmp_path, home, env={"REVERIE_SERVER_TOKEN": "operator"}) as daemon:
        assert daemon.facts["engine"] == "postgresql"
        answer = httpx2.get(
            f"{daemon.facts['url']}/capabilities",
            headers={"Authorization": f"Bearer {token}"},
            timeout=30,
            trust_env=False,
        )
        assert answer.json()["workspaceCwd"] == "/reverie/projects/web/root"
        assert not list(home.rglob("tasks.db"))


@pytest.mark.parametrize("verb", ["remember", "forget"])
def test_a_task_whose_write_was_not_acknowledged_is_not_done_again(
    server: Server,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
):
    """The server ended between writing and saying so; what the daemon heard was an error."""
    memory = open_at(place)
    memory.remember("Lunch is at noon.", scope="project")
    daemon = start_daemon()
    token = make_token(server, place)
    apply, lost = PgStore.apply, [True]

    def without_answer(self: PgStore, *words: Any, **more: Any) -> Any:
        done = apply(self, *words, **more)
        if lost:
            lost.pop()
            raise EngineUnavailable("the database cannot be reached")
        return done

    monkeypatch.setattr(PgStore, "apply", without_answer)
    body = {"content": "Fact person 3 of many.", "query": "Lunch", "contextMode": "clean"}
    answer = daemon.ask("POST", f"/workspace/memory/{verb}", body, token=token)
    task = daemon.finished(answer.headers["location"], token=token)

    assert not lost
    assert task["status"] == "completed"
    runs = [run.detail.get("task") for run in memory.log()]
    assert runs.count(answer.json()["taskId"]) == 1
    assert task["result"]["touchedScopes"] == ["project"]


def test_what_is_to_be_done_at_once_takes_turns_between_daemons(
    server: Server,
    start_daemon: Callable[..., Daemon],
    place: Place,
    open_at: Callable[..., Memory],
):
    """Each daemon always has more to do in the same lane, and none sends anybody away."""
    token = make_token(server, place)
    daemons = [start_daemon(), start_daemon()]
    for daemon in daemons:
        daemon.host.patience_seconds = 60.0
    lasting = threading.Event()

    def write(who: int) -> list[int]:
        """Write on until the other daemon was let in, too; each has two who do so."""
        daemon, done = daemons[who % 2], []
        with httpx2.Client(base_url=daemon.url, timeout=120, trust_env=False) as http:
            for number in range(400):
                body = {"content": f"Fact {who} {number} of many.", "clean": True}
                answer = http.post(SAY, json=body, headers={"Authorization": f"Bearer {token}"})
                done.append(answer.status_code)
                first[who] = True
                if all(first):
                    lasting.set()
                if lasting.is_set() and number >= 2:
                    break
        return done

    first = [False] * 4
    with ThreadPoolExecutor(4) as crowd:
        answers = list(crowd.map(write, range(4)))

    assert {code for codes in answers for code in codes} == {200}
    assert max(map(len, answers)) < 400, "one daemon kept the lane to itself"


def test_where_a_model_is_asked_the_lane_is_taken_first_and_the_model_asked_once(
    start_daemon: Callable[..., Daemon],
    server: Server,
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
):
    from reverie.verbs.asking import remember_agent

    think, asked = remember_agent.think, []

    def counted(*arguments: Any, **more: Any) -> Any:
        asked.append(think(*arguments, **more))
        return asked[-1]

    monkeypatch.setattr(remember_agent, "think", counted)
    # Nobody answers there, so the facts are kept without it.
    model = {"model.name": "openai:nobody", "model.url": "http://127.0.0.1:9/v1"}
    daemon = start_daemon(**model)
    token = make_token(server, place)
    for number in range(3):
        body = {"content": f"Room {number} has {number + 7} chairs.", "clean": True}
        assert daemon.ask("POST", SAY, body, token=token).status_code == 200
    assert len(asked) == 3


def test_events_are_kept_in_memory_only_while_somebody_reads_them(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    """Thousands for each workspace that is open would be most of what a daemon holds."""
    one, two = start_daemon(), start_daemon()
    token = make_token(server, place)
    for number in range(3):
        one.ask("POST", SAY, {"content": f"Fact number {number}."}, token=token)
    two.ask("POST", "/workspace/recall", {"query": "fact"}, token=token)
    (bus,) = [hosted.shared_bus for hosted in two.host.open.values()]
    assert not bus._ring
    for last in ("1", "0"):  # also for who comes later and wants more
        seen = events(two, token, count=3 - int(last), last=last)
        assert [event["id"] for event in seen] == list(range(int(last) + 1, 4))
    one.ask("POST", SAY, {"content": "A fourth fact."}, token=token)
    assert [event["id"] for event in events(two, token, count=1, last="3")] == [4]
    end = time.monotonic() + 30
    while bus._ring and time.monotonic() < end:  # it notices that the reader hung up
        one.ask("POST", SAY, {"content": f"It is {time.monotonic()}."}, token=token)
    assert not bus._ring


def test_who_is_trusted_no_more_is_told_at_once_and_soon_by_every_daemon(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    one, two = start_daemon(), start_daemon()
    token = make_token(server, place)
    facts = iter(range(10_000))

    def say(daemon: Daemon) -> int:
        fact = {"content": f"Room {next(facts)} is blue."}
        return daemon.ask("POST", SAY, fact, token=token).status_code

    assert (say(one), say(two)) == (200, 200)
    one.ask("POST", "/workspace/trust", {"trusted": False}, token=token)
    assert say(one) == 403
    end = time.monotonic() + 30
    while say(two) != 403:
        assert time.monotonic() < end
    two.ask("POST", "/workspace/trust", {"trusted": True}, token=token)
    assert (say(one), say(two)) == (200, 200)


def test_a_place_is_opened_once_however_many_wait_for_it_and_fail(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    monkeypatch: pytest.MonkeyPatch,
):
    daemon = start_daemon()
    token = make_token(server, place)
    host, opened, begun = daemon.host, [], threading.Event()
    opening_of = host._opening_of

    def fails_at_first(wanted: Place) -> Callable[[], Memory]:
        opened.append(wanted)
        if len(opened) > 1:
            return opening_of(wanted)

        def fail() -> Memory:
            begun.wait(30)
            raise EngineUnavailable("not yet")

        return fail

    monkeypatch.setattr(host, "_opening_of", fails_at_first)

    def recall(_: int) -> int:
        answer = daemon.ask("POST", "/workspace/recall", {"query": "x"}, token=token)
        return answer.status_code

    with ThreadPoolExecutor(6) as crowd:
        asked = [crowd.submit(recall, number) for number in range(6)]
        while not opened:
            threading.Event().wait(0.01)
        begun.set()
        codes = sorted(each.result() for each in asked)
    assert codes == [200] * 5 + [503]
    assert len(opened) == 2
    assert not list(host._opening)
