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


def test_any_daemon_answers_any_request(server, daemon, tmp_path):
    """Behind a balancer a client's requests reach one daemon and then another."""
    token = make_token(server, Place(server.tenant(), "ann", "web"))
    other = Daemon(server, tmp_path / "other")

    def ask(which, body, **headers):
        sent = {**HEADERS, "Authorization": f"Bearer {token}", **headers}
        return httpx2.post(f"{which.url}/mcp", json=body, headers=sent, timeout=30, trust_env=False)

    def call(number, name, **arguments):
        params = {"name": name, "arguments": arguments}
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}

    try:
        opened = ask(daemon, HELLO)
        assert opened.status_code == 200
        assert "mcp-session-id" not in opened.headers
        text = "The staging database is called blue-heron."
        assert ask(other, call(2, "remember", text=text)).status_code == 200
        # A client may still name a session that some daemon of an older release opened.
        asked = call(3, "recall", query="the staging database?")
        found = ask(daemon, asked, **{"Mcp-Session-Id": "0" * 32})
        assert found.status_code == 200
        assert "blue-heron" in found.text
    finally:
        other.stop()
