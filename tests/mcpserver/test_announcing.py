"""Who wants to hear of a change hears of it, whoever made it and whoever else does not listen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError
from mcp.types import ResourceListChangedNotification, ResourceUpdatedNotification

from reverie.mcp import announcing, http
from reverie.mcp.http import HttpServer
from reverie.mcp.server import MemoryServer
from reverie.mcp.stdio import OwnRunner
from reverie.memory import Memory
from tests.daemon.processes import TOKEN, Process
from tests.mcpserver.talk import over_http, stdio

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")

WAIT = 20
PROJECT = "reverie://catalog/project"
CONTEXT = "reverie://context"
HEADERS = [
    (b"accept", b"application/json, text/event-stream"),
    (b"content-type", b"application/json"),
]


@pytest.fixture
def soon(monkeypatch):
    """Look often, so that a test need not wait."""
    monkeypatch.setattr(announcing, "EVERY_SECONDS", 0.02)


class Ear:
    """Notes what a client is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._news = anyio.Event()

    async def __call__(self, message: object) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            self.note(str(message.params.uri))
        elif isinstance(message, ResourceListChangedNotification):
            self.note("list")

    def note(self, what: str) -> None:
        self.heard.append(what)
        self._news.set()

    async def until(self, *what: str) -> None:
        """Wait until all of these were heard."""
        await self._wait(lambda: {*what} <= {*self.heard})

    async def more_than(self, count: int) -> None:
        """Wait until more was heard than so much."""
        await self._wait(lambda: len(self.heard) > count)

    async def _wait(self, enough: Callable[[], bool]) -> None:
        with anyio.fail_after(WAIT):
            while not enough():
                await self._news.wait()
                self._news = anyio.Event()


def write(path: Path, name: str, body: str) -> None:
    """Write a memory file as an editor does: another file, put in its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(f"---\nname: {name}\ndescription: d\ntype: project\n---\n\n{body}\n", "utf-8")
    new.replace(path)


async def true_soon(what: Callable[[], bool]) -> None:
    with anyio.fail_after(WAIT):
        while not what():  # noqa: ASYNC110  # there is no event to wait for
            await anyio.sleep(0.01)


def topic_of(memory: Memory) -> tuple[Path, str]:
    path = Path(memory.workspace.project_memory) / "project" / "tea.md"
    return path, "reverie://topics/project/project/tea.md"


# --- whoever wrote --------------------------------------------------------------------------------


def test_what_an_editor_does_is_announced_to_who_subscribed(memory, soon):
    path, uri = topic_of(memory)
    write(path, "Tea", "Green.")
    other, rules = path.with_name("other.md"), Path(memory.workspace.base, "AGENTS.md")

    async def conversation():
        ear = Ear()
        server = MemoryServer(OwnRunner(memory)).server
        async with Client(server, mode="legacy", message_handler=ear) as client:
            await client.subscribe_resource(uri)
            await client.subscribe_resource(CONTEXT)
            write(path, "Tea", "Black.")
            await ear.until(uri)
            await anyio.Path(rules).write_text("Be brief.\n", encoding="utf-8")
            await ear.until(CONTEXT)
            write(other, "Other", "Nobody asked about this one.")
            await client.list_resources()
            path.unlink()
            await ear.until(uri, "list")
        return ear.heard

    heard = asyncio.run(conversation())
    assert heard.count("list") == 1
    assert {*heard} == {uri, CONTEXT, "list"}


def test_what_another_process_writes_is_announced_to_who_listens(memory, open_memory, soon):
    other = open_memory()

    async def conversation():
        server = MemoryServer(OwnRunner(memory)).server
        async with (
            Client(server) as client,
            client.listen(resources_list_changed=True, resource_subscriptions=[PROJECT]) as events,
        ):
            await anyio.to_thread.run_sync(lambda: other.remember("Tea is green.", scope="project"))
            with anyio.fail_after(WAIT):
                return {type(await anext(events)).__name__ for _ in range(2)}

    assert asyncio.run(conversation()) == {"ResourceUpdated", "ResourcesListChanged"}


def test_what_was_there_before_is_no_news(memory, soon):
    path, uri = topic_of(memory)

    async def conversation():
        ear = Ear()
        server = MemoryServer(OwnRunner(memory)).server
        async with Client(server, mode="legacy", message_handler=ear) as client:
            await client.list_resources()
            write(path, "Tea", "Green.")
            await ear.until("list")
            await client.subscribe_resource(uri)
            await client.subscribe_resource(PROJECT)
            await client.call_tool("remember", {"text": "Cake is sweet.", "scope": "project"})
            await ear.until(PROJECT)
        return ear.heard

    assert uri not in asyncio.run(conversation())


def test_a_client_may_not_subscribe_without_end(memory, monkeypatch):
    monkeypatch.setattr(announcing, "MAX_SUBSCRIPTIONS", 2)

    async def conversation():
        server = MemoryServer(OwnRunner(memory)).server
        async with Client(server, mode="legacy") as client:
            for number in range(2):
                await client.subscribe_resource(f"reverie://topics/user/{number}.md")
            with pytest.raises(MCPError, match="unsubscribe"):
                await client.subscribe_resource("reverie://topics/user/2.md")
            await client.unsubscribe_resource("reverie://topics/user/0.md")
            await client.subscribe_resource("reverie://topics/user/2.md")

    asyncio.run(conversation())


def test_sessions_that_rest_for_long_are_told_no_more(memory, monkeypatch):
    monkeypatch.setattr(announcing, "IDLE_SECONDS", 0.0)
    monkeypatch.setattr(announcing, "EVERY_SECONDS", 0.02)

    async def conversation():
        async with raw(memory) as app:
            session = await app.hello()
            await app.subscribe(session, PROJECT)
            await true_soon(lambda: not app.announcer.clients)

    asyncio.run(conversation())


# --- whoever does not listen ----------------------------------------------------------------------


class Raw:
    """Speaks HTTP with the server in this process, so that a test decides what is read."""

    def __init__(self, app: HttpServer) -> None:
        self._app = app
        self.announcer = app._own.announcer
        self._number = 0

    async def post(self, session: str, method: str, params: object, *, id: bool = True) -> list:
        self._number += 1
        body = {"jsonrpc": "2.0", "method": method, "params": params}
        body |= {"id": self._number} if id else {}
        sent: list = []

        async def send(message):
            sent.append(message)

        with anyio.fail_after(WAIT):
            await self._app(_scope("POST", session), _body(json.dumps(body).encode()), send)
        assert sent[0]["status"] in (200, 202), sent
        return sent

    async def hello(self) -> str:
        about = {"name": "raw", "version": "0"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
        (start, *_) = await self.post("", "initialize", params)
        session = dict(start["headers"])[b"mcp-session-id"].decode()
        await self.post(session, "notifications/initialized", {}, id=False)
        return session

    async def subscribe(self, session: str, uri: str) -> None:
        await self.post(session, "resources/subscribe", {"uri": uri})

    async def stream(self, session: str, take, *, task_status=anyio.TASK_STATUS_IGNORED) -> None:
        """Open the stream of events; `take` gets its lines, and may never return."""

        async def send(message):
            if message["type"] == "http.response.start":
                task_status.started()
            for line in message.get("body", b"").decode().splitlines():
                if line.startswith("data: "):
                    await take(json.loads(line[6:]))

        with suppress(OSError):
            await self._app(_scope("GET", session), _body(b""), send)


def _body(data: bytes):
    given = [{"type": "http.request", "body": data, "more_body": False}]

    async def receive():
        if not given:
            await anyio.sleep_forever()
        return given.pop()

    return receive


def _scope(method: str, session: str) -> dict:
    named = [(b"mcp-session-id", session.encode())] if session else []
    return {
        "type": "http", "method": method, "path": "/mcp", "raw_path": b"/mcp", "query_string": b"",
        "headers": [*HEADERS, *named, (b"host", b"127.0.0.1")], "scheme": "http",
        "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "http_version": "1.1",
        "asgi": {"version": "3.0"},
    }  # fmt: skip


@asynccontextmanager
async def raw(memory: Memory):
    app = HttpServer(OwnRunner(memory), surface="default", max_body_bytes=100_000)
    try:
        yield Raw(app)
    finally:
        app.end()
        await app.wait()


def test_a_client_that_never_reads_holds_up_nobody_and_is_given_up(memory, soon, monkeypatch):
    monkeypatch.setattr(http, "UNREAD_SECONDS", 3600.0)

    async def conversation():
        ear, stuck = Ear(), anyio.Event()

        async def never(_):
            stuck.set()
            await anyio.sleep_forever()

        async def read(message):
            ear.note(message["params"]["uri"])

        async with raw(memory) as app, anyio.create_task_group() as tasks:
            deaf, good = await app.hello(), await app.hello()
            for session in (deaf, good):
                await app.subscribe(session, PROJECT)
            await tasks.start(app.stream, deaf, never)
            await tasks.start(app.stream, good, read)
            for number in range(60):
                said = len(ear.heard)
                text = {"text": f"Room {number} is for team {number * 7}.", "scope": "project"}
                await app.post(good, "tools/call", {"name": "remember", "arguments": text})
                await ear.more_than(said)
            with anyio.fail_after(WAIT):
                await stuck.wait()
            assert len(app.announcer.clients[deaf].untold) <= 1
            tasks.cancel_scope.cancel()

    asyncio.run(conversation())


def test_an_unread_stream_is_ended_so_that_its_client_gets_its_answers(memory, soon, monkeypatch):
    monkeypatch.setattr(http, "UNREAD_SECONDS", 0.1)

    async def conversation():
        ended = anyio.Event()

        async def never(_):
            await anyio.sleep_forever()

        async with raw(memory) as app, anyio.create_task_group() as tasks:
            session = await app.hello()
            await app.subscribe(session, PROJECT)

            async def stream(*, task_status):
                await app.stream(session, never, task_status=task_status)
                ended.set()

            await tasks.start(stream)
            text = {"text": "The build runs on Friday.", "scope": "project"}
            await app.post(session, "tools/call", {"name": "remember", "arguments": text})
            with anyio.fail_after(WAIT):
                await ended.wait()
            await app.post(session, "ping", {})

    asyncio.run(conversation())


# --- as processes ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_child_process_announces_what_others_write(project, tmp_path):
    home = tmp_path / "base"

    async def talk():
        ear = Ear()
        async with Client(stdio(project, home), mode="legacy", message_handler=ear) as client:
            await client.list_resources()
            await client.subscribe_resource(PROJECT)
            await anyio.to_thread.run_sync(by_another, project, home)
            await ear.until(PROJECT, "list")

    asyncio.run(talk())


@pytest.mark.slow
def test_a_daemon_announces_what_others_write(project, tmp_path):
    home = tmp_path / "base"

    async def talk(url):
        ear = Ear()
        async with (
            over_http(url, TOKEN, mode="legacy", message_handler=ear) as older,
            over_http(url, TOKEN) as newer,
            newer.listen(resources_list_changed=True, resource_subscriptions=[PROJECT]) as events,
        ):
            assert older.server_capabilities.resources.list_changed
            await older.list_resources()
            await older.subscribe_resource(PROJECT)
            await anyio.to_thread.run_sync(by_another, project, home)
            await ear.until(PROJECT, "list")
            with anyio.fail_after(WAIT):
                kinds = {type(await anext(events)).__name__ for _ in range(2)}
            assert kinds == {"ResourceUpdated", "ResourcesListChanged"}

    with Process(project, home) as daemon:
        asyncio.run(talk(daemon.facts["url"] + "/mcp"))


def by_another(project: Path, home: Path) -> None:
    with Memory.open(project, home=home) as memory:
        memory.remember("The build runs on Friday.", scope="project")
