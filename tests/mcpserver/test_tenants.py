"""Over MCP, too, a token sees its own tenant and nothing of any other."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from reverie.postgres.place import Place
from tests.mcpserver.talk import data_of, over_http
from tests.mcpserver.test_http import HEADERS, HELLO
from tests.postgres.conftest import Daemon, make_token

pytestmark = pytest.mark.slow


@pytest.fixture
def daemon(server, tmp_path):
    running = Daemon(server, tmp_path / "service")
    yield running
    running.stop()


def test_tenants_share_a_daemon_and_nothing_else(server, daemon):
    ann, bob = (
        make_token(server, Place(server.tenant(), person, "web")) for person in ("ann", "bob")
    )
    url = f"{daemon.url}/mcp"

    async def talk():
        async with over_http(url, ann) as client:
            text = "The staging database is called blue-heron."
            done = await client.call_tool("remember", {"text": text, "scope": "project"})
            assert not done.is_error, done.content[0].text
            found = await client.call_tool("recall", {"query": "the staging database?"})
            assert "blue-heron" in data_of(found)["block"]
        async with over_http(url, bob) as client:
            for name in ("recall", "memory_search"):
                found = await client.call_tool(name, {"query": "the staging database?"})
                assert not found.is_error, found.content[0].text
                assert "blue-heron" not in str(data_of(found))
            assert len((await client.list_resources()).resources) == 3

    asyncio.run(talk())


def test_a_session_of_one_tenant_is_unknown_to_another(server, daemon):
    ann, bob = (
        make_token(server, Place(server.tenant(), person, "web")) for person in ("ann", "bob")
    )

    def ask(token, body, **headers):
        sent = {**HEADERS, "Authorization": f"Bearer {token}", **headers}
        return httpx2.post(
            f"{daemon.url}/mcp", json=body, headers=sent, timeout=30, trust_env=False
        )

    opened = ask(ann, HELLO)
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert ask(bob, ping, **session).status_code == 404
    assert ask(ann, ping, **session).status_code == 200
