"""The commands of whoever runs a service."""

from __future__ import annotations

import json

import pytest

from reverie.cli import run
from reverie.postgres.database import database_for, give_back
from reverie.postgres.tokens import granted
from tests.server import Server


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]):
    """Run `reverie postgres ... --json`; return status and answer."""

    def command(*words: str):
        status = run(["postgres", *words, "--json"])
        return status, json.loads(capsys.readouterr().out or "{}")

    return command


@pytest.fixture
def tell(ask, server: Server, monkeypatch: pytest.MonkeyPatch):
    """Ask as the owner of a real database."""
    monkeypatch.setenv("REVERIE_OWNER_ENGINE", server.owner)
    return ask


def owner_of(server: Server, token: str) -> str:
    from reverie.config import EngineSettings
    from reverie.errors import Unauthorized

    settings = EngineSettings(url=server.app)
    try:
        return granted(database_for(settings), token).place.tenant
    except Unauthorized:
        return ""
    finally:
        give_back(settings)


@pytest.mark.slow
def test_a_schema_that_is_up_to_date_stays(tell):
    status, answer = tell("migrate")
    assert status == 0
    assert answer["before"] == answer["after"]


@pytest.mark.slow
def test_tokens_are_made_listed_rotated_and_revoked(tell, server: Server):
    tenant = server.tenant()
    _, made = tell("token", "create", "--tenant", tenant, "--user", "ann", "--days", "3")
    assert owner_of(server, made["value"]) == tenant
    _, listed = tell("token", "list", "--tenant", tenant)
    assert [item["id"] for item in listed["tokens"]] == [made["id"]]
    assert made["value"] not in json.dumps(listed)
    _, fresh = tell("token", "rotate", made["id"], "--tenant", tenant, "--grace-minutes", "0")
    assert owner_of(server, made["value"]) == ""
    assert owner_of(server, fresh["value"]) == tenant
    assert tell("token", "revoke", fresh["id"], "--tenant", tenant)[0] == 0
    assert owner_of(server, fresh["value"]) == ""


@pytest.mark.slow
def test_a_tenant_is_removed_only_when_that_is_said(tell, server: Server):
    tenant = server.tenant()
    tell("token", "create", "--tenant", tenant)
    assert tell("remove-tenant", tenant)[0] == 2
    assert tenant in json.dumps(tell("tenants")[1])
    assert tell("remove-tenant", tenant, "--yes")[0] == 0
    assert tenant not in json.dumps(tell("tenants")[1])
    assert tell("remove-tenant", tenant, "--yes")[0] != 0


@pytest.mark.slow
def test_a_token_of_nobody_is_not_found(tell, server: Server):
    status, answer = tell("token", "revoke", "nope", "--tenant", server.tenant())
    assert status != 0
    assert answer["error"]["code"] == "not_found"


@pytest.mark.slow
def test_a_role_for_the_service_is_made_once_and_may_not_pass_the_policies_by(tell, server: Server):
    assert tell("service-role", "another_service")[1]["made"] is True
    assert tell("service-role", "another_service")[1]["made"] is False
    with server.as_owner() as db:
        row = db.execute(
            "SELECT rolsuper, rolbypassrls, rolcanlogin FROM pg_roles WHERE rolname = 'another_service'"
        ).fetchone()
    assert row == (False, False, True)


def test_without_a_database_the_command_says_what_to_name(ask):
    status, answer = ask("tenants")
    assert status == 2
    assert "REVERIE_OWNER_ENGINE" in answer["error"]["message"]


@pytest.mark.slow
def test_tuning_names_what_it_did(tell):
    assert tell("tune", "--above", "1000000")[1] == {"tuned": []}


@pytest.mark.slow
def test_a_token_that_may_do_less_says_so_in_the_list(tell, server: Server):
    tenant = server.tenant()
    tell("token", "create", "--tenant", tenant, "--only-project", "--read-only")
    _, listed = tell("token", "list", "--tenant", tenant)
    assert [(t["onlyProject"], t["readOnly"]) for t in listed["tokens"]] == [(True, True)]


@pytest.mark.slow
def test_a_quota_is_set_shown_and_taken_away(tell, server: Server):
    tenant = server.tenant()
    _, none = tell("quota", "--tenant", tenant)
    assert set(none["quota"].values()) == {None}
    tell("quota", "--tenant", tenant, "--memories", "1000", "--tasks", "20")
    _, some = tell("quota", "--tenant", tenant, "--tasks", "none")
    assert (some["quota"]["memories"], some["quota"]["tasks"]) == (1000, None)
    assert tell("quota", "--tenant", tenant, "--memories", "many")[0] != 0
