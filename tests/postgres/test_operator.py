"""A service as its operator meets it: made by commands, served by two daemons, limited, and told apart."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from reverie.config import EngineSettings
from reverie.postgres.database import database_for, give_back
from tests.daemon.processes import Process
from tests.server import Server

ROLE = "walked_service"
MCP = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}

pytestmark = pytest.mark.slow


class Service:
    """Commands of the operator, and two daemons."""

    def __init__(self, server: Server, home: Path) -> None:
        self._home = home
        self._owner = server.owner
        self.env = {
            "REVERIE_ENGINE": server.owner.replace("postgres:@", f"{ROLE}@"),
            "REVERIE_SERVER_TOKEN": "operator",
            "REVERIE_EMBEDDER__PROVIDER": "none",
            "PGPASSWORD": "of the service",
        }
        self.tell("migrate")
        self.tell("service-role", ROLE, SERVICE_PASSWORD="of the service")
        self.daemons = [Process(Path("/"), home / name, env=self.env) for name in ("one", "two")]

    def tell(self, *words: str, **env: str) -> dict[str, Any]:
        """Run `reverie postgres ...`."""
        done = subprocess.run(
            [sys.executable, "-m", "reverie", "--home", str(self._home), "postgres", *words, "--json"],
            env={**self.env, "REVERIE_OWNER_ENGINE": self._owner, **env},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return json.loads(done.stdout)

    def token(self, tenant: str, *words: str) -> str:
        made = self.tell("token", "create", "--tenant", tenant, "--user", "ann", *words)
        return str(made["value"])

    def ask(self, which: int, path: str, body: object, token: str) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token}", **MCP}
        url = f"{self.daemons[which].facts['url']}{path}"
        return httpx2.post(url, json=body, headers=headers, timeout=60, trust_env=False)

    def tool(self, which: int, name: str, token: str, **arguments: object) -> str:
        """Call a tool over MCP, without any session."""
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": name, "arguments": arguments}}  # fmt: skip
        return self.ask(which, "/mcp", call, token).text

    def stop(self) -> None:
        for daemon in self.daemons:
            daemon.end(signal.SIGTERM)
            daemon.log.close()


@pytest.fixture
def service(server: Server, tmp_path: Path) -> Iterator[Service]:
    made = Service(server, tmp_path)
    yield made
    made.stop()


def test_what_one_daemon_is_told_over_mcp_the_other_one_knows(service: Service, server: Server):
    token = service.token(server.tenant())
    service.tool(0, "remember", token, text="The mill is behind the harbour.")
    for which in (1, 0):
        assert "behind the harbour" in service.tool(which, "memory_search", token, query="mill")


def test_tokens_quotas_and_rates_hold_on_every_daemon(service: Service, server: Server):
    tenant = server.tenant()
    whole = service.token(tenant, "--project", "web")
    reading = service.token(tenant, "--project", "web", "--read-only")
    single = service.token(tenant, "--project", "web", "--only-project")
    fact = {"content": "Deploys happen on Tuesdays.", "clean": True}
    for which in (0, 1):
        assert service.ask(which, "/workspace/remember", fact, whole).status_code == 200
        refused = service.ask(which, "/workspace/remember", fact, reading)
        assert (refused.status_code, refused.json()["code"]) == (403, "token_limited")
        found = service.ask(which, "/workspace/recall", {"query": "deploys"}, reading)
        assert "Tuesdays" in found.json()["block"]
        away = service.ask(which, "/workspaces/other/recall", {"query": "deploys"}, single)
        assert (away.status_code, away.json()["code"]) == (403, "token_limited")

    service.tell("quota", "--tenant", tenant, "--memories", "2")
    for which in (0, 1):
        full = service.ask(which, "/workspace/remember", {**fact, "content": "One more."}, whole)
        assert (full.status_code, full.json()["code"]) == (403, "quota_exceeded")

    service.tell("quota", "--tenant", tenant, "--requests", "2", "--memories", "none")
    fresh = service.token(tenant, "--project", "web")  # nobody knows its old allowance
    for which in (0, 1):
        codes = [
            service.ask(which, "/workspace/recall", {"query": "deploys"}, fresh) for _ in range(3)
        ]
        assert [answer.status_code for answer in codes][-1] == 429
        assert codes[-1].json()["code"] == "rate_limited"
        assert int(codes[-1].headers["Retry-After"]) >= 1
    other = service.token(server.tenant(), "--project", "web")
    assert service.ask(0, "/workspace/recall", {"query": "x"}, other).status_code == 200


def test_a_daemon_says_which_address_it_does_not_take_and_when_nobody_answers(
    service: Service, tmp_path: Path
):
    def refused(engine: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "reverie", "--home", str(tmp_path / "x"), "-C", "/", "serve"],
            env={**service.env, "REVERIE_ENGINE": engine}, capture_output=True, text=True,
            check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode != 0
        return done.stderr

    said = refused("postgresql://service@localhost/reverie?password=hunter2hunter2")
    assert "PGPASSFILE" in said
    assert "hunter2" not in said
    said = refused(f"postgresql://service@/reverie?host={tmp_path}/nowhere")
    assert "cannot be reached" in said
    assert "in use" not in said


def test_every_connection_ends_with_its_lease_and_finds_our_names_first(service: Service):
    settings = EngineSettings(url=service.env["REVERIE_ENGINE"], lease_seconds=7.0)
    database = database_for(settings)
    try:
        with database.unbound() as db:
            idle = db.execute("SHOW idle_in_transaction_session_timeout").fetchone()
            names = db.execute("SHOW search_path").fetchone()
    finally:
        give_back(settings)
    assert (idle, names) == (("7s",), ("reverie, public, pg_temp",))
