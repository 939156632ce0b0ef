"""The server on a daemon that runs as a process of its own."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress

import anyio
import httpx2
import pytest

from reverie.memory import Memory
from tests.daemon.processes import TOKEN, Process
from tests.mcpserver.talk import (
    BAD,
    DEFAULT_TOOLS,
    FURTHER_TOOLS,
    MODES,
    Checked,
    data_of,
    named,
    over_http,
    use_the_default_tools,
    use_the_further_tools,
)

pytestmark = pytest.mark.slow

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "0"},
    },
}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.fixture
def home(tmp_path):
    return tmp_path / "base"


@pytest.fixture
def daemon(project, home):
    with Process(project, home) as process:
        yield process


def post(daemon, path="/mcp", **headers):
    sent = {**HEADERS, "Authorization": f"Bearer {TOKEN}", **headers}
    return httpx2.post(
        daemon.facts["url"] + path, json=HELLO, headers=sent, timeout=30, trust_env=False
    )


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_answers_over_http_as_its_schema_says(daemon, project, home, mode):
    async def talk():
        url = daemon.facts["url"] + "/mcp"
        async with over_http(url, TOKEN, mode=mode, client_info=named("web")) as client:
            tools = await use_the_default_tools(client)
            assert await tools.start() == DEFAULT_TOOLS
            for name, arguments, code in BAD:
                assert (await tools.bad(name, **arguments))["code"] == code, (name, arguments)
        async with over_http(f"{url}?surface=full", TOKEN, mode=mode) as client:
            tools = await use_the_default_tools(client)
            await use_the_further_tools(tools)
            assert tools.called == {*DEFAULT_TOOLS, *FURTHER_TOOLS}

    asyncio.run(talk())
    with Memory.open(project, home=home) as memory:
        assert memory.verify().ok
        first = memory.log(limit=1000)[-1]
    assert first.client == "mcp:web@1.2"
    assert first.origin == "agent"
    assert first.detail["via"] == "mcp"
    assert first.detail["daemon"]
    assert bool(first.session) == (mode == "legacy")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 403),
        ({}, 200),
    ],
)
def test_the_same_checks_stand_before_it_as_before_every_route(daemon, headers, status):
    assert post(daemon, **headers).status_code == status
    if status != 200:
        assert (
            post(
                daemon, f"/workspaces/{daemon.facts['workspaces'][0]['id']}/mcp", **headers
            ).status_code
            == status
        )


def test_an_unknown_surface_or_workspace_is_an_error_with_a_code(daemon):
    assert post(daemon, "/mcp?surface=huge").json()["code"] == "invalid_argument"
    assert post(daemon, "/workspaces/none/mcp").json()["code"] == "workspace_not_found"
    assert post(daemon, **{"Mcp-Session-Id": "made-up"}).status_code == 404


def test_each_workspace_has_its_own_server(project, home, tmp_path):
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    with Process(project, home, "--also", str(other)) as daemon:
        url, ids = daemon.facts["url"], [item["id"] for item in daemon.facts["workspaces"]]

        async def talk():
            async with over_http(f"{url}/workspaces/{ids[1]}/mcp", TOKEN) as client:
                text = "The other project uses Rust."
                done = await client.call_tool("remember", {"text": text, "scope": "project"})
                assert ids[1] in data_of(done)["path"]
            async with over_http(f"{url}/mcp", TOKEN) as client:
                found = await client.call_tool("recall", {"query": "which language: Rust?"})
                assert data_of(found)["block"] == ""
            async with over_http(f"{url}/workspaces/{ids[0]}/mcp", TOKEN) as client:
                assert len((await client.list_tools()).tools) == len(DEFAULT_TOOLS)

        asyncio.run(talk())


def test_two_clients_that_write_at_once_lose_nothing(daemon, project, home):
    url = daemon.facts["url"] + "/mcp"

    async def write(name, mode):
        async with over_http(url, TOKEN, mode=mode, client_info=named(name)) as client:
            texts = [f"{name} says service {name}{n} listens on port {4000 + n}." for n in range(8)]
            calls = [
                client.call_tool("remember", {"text": text, "scope": "project"}) for text in texts
            ]
            for result in await asyncio.gather(*calls):
                assert not result.is_error, result.content[0].text

    async def both():
        await asyncio.gather(write("left", "auto"), write("right", "legacy"))

    asyncio.run(both())
    with Memory.open(project, home=home) as memory:
        assert memory.verify().ok
        text = "".join(topic.text for topic in memory.store.topics())
        clients = {run.client for run in memory.log(limit=1000)}
    assert {"mcp:left@1.2", "mcp:right@1.2"} <= clients
    for name in ("left", "right"):
        for number in range(8):
            assert f"{name}{number} listens" in text


def test_a_client_that_hangs_up_does_not_disturb_the_others(daemon):
    url = daemon.facts["url"] + "/mcp"

    async def talk():
        async with over_http(url, TOKEN, mode="legacy") as steady:
            for _ in range(3):
                with anyio.move_on_after(0.05):
                    async with over_http(url, TOKEN, mode="legacy") as client:
                        await client.call_tool("dream", {"force": True})
            tools = Checked(steady)
            await tools.start()
            await tools.good("memory_stats")

    asyncio.run(talk())


def test_a_daemon_does_not_wait_for_clients_that_listen_when_it_stops(daemon):
    stopped: list[tuple[int, str]] = []

    async def talk():
        async with over_http(daemon.facts["url"] + "/mcp", TOKEN, mode="legacy") as client:
            await client.call_tool("memory_stats", {})
            status, _, logged = await asyncio.to_thread(daemon.end, signal.SIGTERM)
            stopped.append((status, logged))

    with suppress(ExceptionGroup):  # what the client makes of it is its own affair
        asyncio.run(talk())
    status, logged = stopped[0]
    assert "timeout graceful shutdown exceeded" not in logged, "it gave up waiting for streams"
    assert status == 0
    assert "Traceback" not in logged


def test_changes_reach_those_who_subscribed(daemon):
    url = daemon.facts["url"] + "/mcp"

    async def talk():
        async with (
            over_http(url, TOKEN) as watcher,
            over_http(url, TOKEN) as writer,
            watcher.listen(
                resources_list_changed=True, resource_subscriptions=["reverie://catalog/project"]
            ) as events,
        ):
            text = "The build runs on Friday."
            await writer.call_tool("remember", {"text": text, "scope": "project"})
            with anyio.fail_after(20):
                kinds = {type(await anext(events)).__name__ for _ in range(2)}
            assert kinds == {"ResourceUpdated", "ResourcesListChanged"}

    asyncio.run(talk())
