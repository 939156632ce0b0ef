"""Tokens that may do less, and tenants that may have only so much."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from reverie.daemon.http.app import ENDPOINTS
from reverie.errors import QuotaExceeded
from reverie.memory import Memory
from reverie.postgres.place import Place
from reverie.postgres.quotas import quota_of, set_quota
from reverie.postgres.tokens import create_token, rotate_token, token_hash
from tests.postgres.conftest import Daemon, make_token
from tests.postgres.test_daemons import REMEMBER
from tests.server import Server

pytestmark = pytest.mark.slow
SAY = "/workspace/remember"


def limited(server: Server, place: Place, **limits: bool) -> str:
    with psycopg.connect(server.owner) as db:
        return create_token(db, place, **limits).value


def allow(server: Server, tenant: str, **numbers: int | None) -> None:
    with psycopg.connect(server.owner) as db:
        set_quota(db, tenant, dict(numbers))


# --- tokens -----------------------------------------------------------------------------------------


def test_a_token_for_reading_reads_and_changes_nothing_by_any_route(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    daemon = start_daemon()
    whole, reading = make_token(server, place), limited(server, place, read_only=True)
    said = {"content": "Deploys happen on Tuesdays."}
    assert daemon.ask("POST", SAY, said, token=whole).status_code == 200
    runs = len(open_at(place).log())

    for path in ("recall", "search"):
        found = daemon.ask("POST", f"/workspace/{path}", {"query": "deploys"}, token=reading)
        assert "Tuesdays" in found.text
    assert daemon.ask("GET", "/workspace/memory", token=reading).status_code == 200
    changing = [item for item in ENDPOINTS if item.method not in ("GET", "HEAD") and not item.asks]
    assert len(changing) > 15
    for item in changing:
        answer = daemon.ask(item.method, item.path.replace("{", "").replace("}", ""), {},
                            token=reading)  # fmt: skip
        assert (answer.status_code, answer.json()["code"]) == (403, "token_limited"), item.path
    assert len(open_at(place).log()) == runs


def test_a_token_for_reading_changes_nothing_by_mcp(
    server: Server,
    place: Place,
    start_daemon: Callable[..., Daemon],
    open_at: Callable[..., Memory],
):
    daemon = start_daemon()
    call = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "remember", "arguments": {"text": "Lunch is at noon."}},
    }  # fmt: skip
    headers = {"Accept": "application/json, text/event-stream", "Content_Type": "application/json"}
    token = limited(server, place, read_only=True)
    answer = daemon.ask("POST", "/mcp", call, token=token, **headers)
    assert "reading only" in answer.text
    assert open_at(place).log() == []


def test_a_token_for_one_project_reaches_no_other(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    daemon = start_daemon()
    whole, single = make_token(server, place), limited(server, place, only_project=True)
    for path in (SAY, f"/workspaces/{place.project}{SAY.removeprefix('/workspace')}",
                 f"/workspaces/other{SAY.removeprefix('/workspace')}"):  # fmt: skip
        daemon.ask("POST", path, {"content": "Deploys happen on Tuesdays."}, token=whole)
    own = daemon.ask("POST", "/workspace/recall", {"query": "deploys"}, token=single)
    assert "Tuesdays" in own.json()["block"]
    other = daemon.ask("POST", "/workspaces/other/recall", {"query": "deploys"}, token=single)
    assert (other.status_code, other.json()["code"]) == (403, "token_limited")
    assert "other" not in daemon.ask("GET", "/capabilities", token=single).text


def test_rotating_keeps_what_a_token_may_do_and_older_daemons_refuse_it(
    server: Server, place: Place
):
    with psycopg.connect(server.owner) as db:
        made = create_token(db, place, only_project=True, read_only=True)
        fresh = rotate_token(db, place.tenant, made.id, grace=timedelta(0))
    with psycopg.connect(server.app) as db:
        [row] = db.execute(
            "SELECT only_project, read_only FROM reverie.token_grant(%s)",
            (token_hash(fresh.value),),
        ).fetchall()
        assert row == (True, True)
        old = "SELECT * FROM reverie.token_owner(%s)"
        assert db.execute(old, (token_hash(fresh.value),)).fetchall() == []


# --- quotas -----------------------------------------------------------------------------------------


def test_a_tenant_that_has_its_memories_may_remove_and_change_but_not_add(
    server: Server, place: Place, open_at: Callable[..., Memory]
):
    memory = open_at(place)
    memory.remember("Deploys happen on Tuesdays.", scope="project")
    allow(server, place.tenant, memories=1)
    for who in (place, Place(place.tenant, "bob", "api")):
        with pytest.raises(QuotaExceeded, match="1 of the 1 memories"):
            open_at(who).remember("The wiki moved to another host.", scope="project")
    memory.forget("Deploys")
    assert not memory.recall("deploys").topics
    memory.remember("The wiki moved to another host.", scope="project")

    free = open_at(Place(server.tenant(), "ann", "web"))
    free.remember("Nobody limits this one.")
    free.remember("Bicycles are parked in the yard.")


def test_a_tenant_that_has_its_bytes_is_told_and_keeps_what_it_has(
    server: Server, place: Place, open_at: Callable[..., Memory]
):
    memory = open_at(place)
    memory.remember("Deploys happen on Tuesdays.")
    allow(server, place.tenant, bytes=2_000)
    with pytest.raises(QuotaExceeded, match="bytes"):
        memory.remember("A long story. " + "It goes on and on. " * 200)
    assert len(memory.log()) == 1
    allow(server, place.tenant, bytes=None)
    memory.remember("A long story. " + "It goes on and on. " * 200)


def test_what_is_counted_is_what_there_is(
    server: Server, place: Place, open_at: Callable[..., Memory]
):
    memory = open_at(place)
    for number in range(5):
        memory.remember(f"Room {number} is painted in colour {number}.", scope="project")
    memory.forget("Room 3")
    allow(server, place.tenant, memories=100)
    with server.as_owner() as db:
        db.execute("SELECT set_config('reverie.tenant', %s, true)", (place.tenant,))
        [(files, size)] = db.execute(
            "SELECT count(*) FILTER (WHERE path NOT LIKE '%%/MEMORY.md'), sum(octet_length(content))"
            " FROM reverie.file WHERE tenant = %s", (place.tenant,)
        ).fetchall()  # fmt: skip
    with psycopg.connect(server.owner) as db:
        found = quota_of(db, place.tenant)
    assert (found.memories, found.bytes) == (files, size)


def test_a_tenant_has_only_so_many_tasks_waiting(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    daemon = start_daemon()
    allow(server, place.tenant, tasks=0)
    token = make_token(server, place)
    answer = daemon.ask("POST", REMEMBER, {"content": "Lunch is at noon."}, token=token)
    assert (answer.status_code, answer.json()["code"]) == (429, "tenant_busy")
    allow(server, place.tenant, tasks=5)
    assert (
        daemon.ask("POST", REMEMBER, {"content": "Lunch is at noon."}, token=token).status_code
        == 202
    )


def test_a_tenant_beyond_its_workspaces_closes_its_own_and_nobody_elses(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    daemon = start_daemon()
    other = Place(server.tenant(), "eve", "web")
    tokens: dict[str, Any] = {"own": make_token(server, place), "other": make_token(server, other)}
    assert daemon.ask("GET", "/workspace/memory", token=tokens["other"]).status_code == 200
    allow(server, place.tenant, workspaces=2)
    for project in ("a", "b", "c", "d"):
        answer = daemon.ask("GET", f"/workspaces/{project}/memory", token=tokens["own"])
        assert answer.status_code == 200
    assert len([one for one in daemon.host.open if one.tenant == place.tenant]) <= 2
    assert other in daemon.host.open


def test_who_asks_too_often_is_told_when_to_ask_again_and_others_are_answered(
    server: Server, place: Place, start_daemon: Callable[..., Daemon]
):
    allow(server, place.tenant, requests=2)
    daemon = start_daemon()
    token, other = make_token(server, place), make_token(server, Place(server.tenant(), "b", "web"))
    answers = [daemon.ask("GET", "/workspace/memory", token=token) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[-1].json()["code"] == "rate_limited"
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 30
    assert daemon.ask("GET", "/workspace/memory", token=other).status_code == 200
