"""Both clients against a real daemon, and against things that are no daemon."""

from __future__ import annotations

import asyncio
import dataclasses
import http.server
import inspect
import json
import threading

import httpcore2
import pytest

from reverie.client import AsyncClient, Client, normalise
from reverie.client.calls import Calls
from reverie.client.pace import Backoff, polling
from reverie.errors import (
    DaemonUnreachable,
    InvalidContent,
    QueueFull,
    RequestTimeout,
    ReverieError,
    TaskNotFound,
    TaskOver,
    Unauthorized,
)
from reverie.types import Extracted, Kind, Scope, Skipped, Source, TaskKind, TaskStatus
from tests.daemon.conftest import TOKEN, start  # noqa: F401  # the fixture


@pytest.fixture
def daemon(start):  # noqa: F811
    return start()


def test_both_clients_have_every_call_of_the_table_as_it_is_written_there():
    carried = {"as_client", "epoch_header", "open_session", "events"}  # by `register` and `events`
    names = {name for name in vars(Calls) if not name.startswith("_")} - carried
    names -= {field.name for field in dataclasses.fields(Calls)}
    for name in names:
        call, one, other = (getattr(kind, name) for kind in (Calls, Client, AsyncClient))
        assert inspect.signature(one) == inspect.signature(other)
        assert f"Call[{inspect.signature(one).return_annotation}]" == call.__annotations__["return"]
        assert list(inspect.signature(one).parameters) == list(inspect.signature(call).parameters)
        assert one.__doc__ == other.__doc__ == call.__doc__
        assert inspect.iscoroutinefunction(other)
        assert not inspect.iscoroutinefunction(one)
    assert "search" in names


def test_a_fact_goes_in_is_waited_for_recalled_forgotten_and_brought_back(daemon, project):
    with daemon.client() as client:
        task = client.remember("The beekeeper lives in Ghent", scope=Scope.PROJECT)
        assert (task.kind, task.status) == (TaskKind.REMEMBER, TaskStatus.QUEUED)
        done = client.wait(task)
        assert done.status is TaskStatus.COMPLETED
        assert done.result["touchedScopes"] == ["project"]
        recalled = client.recall("where does the beekeeper live?", limit=1)
        assert recalled.topics[0].scope is Scope.PROJECT
        assert recalled.topics[0].updated.year >= 2024
        gone = client.wait(client.forget("beekeeper lives in Ghent"))
        assert gone.result["removedEntries"][0]["filePath"] == done.result["filesTouched"][0]
        assert client.recall("beekeeper").topics == ()
        (undone, *_) = client.log(limit=1)
        assert undone.verb == "forget"
        assert client.undo(undone.id).paths == tuple(done.result["filesTouched"])
        assert client.recall("beekeeper").topics
        assert client.wait(client.dream()).result["dedupedEntries"] == 0
        assert len(client.tasks()) == 3
        assert client.health() == "ok"
        assert client.capabilities()["workspaceCwd"] == str(project)


def test_context_files_are_listed_and_written(daemon, project):
    with daemon.client() as client:
        written = client.write("- Always with tests")
        assert (written.file_path, written.changed) == (str(project / "AGENTS.md"), True)
        files = client.files()
        assert (files.file_count, files.files[0].scope) == (1, "workspace")
        assert "Always with tests" in client.context().text


EXCHANGE = [
    {"role": "user", "content": "Please remember: I always want answers in French."},
    {"role": "assistant", "content": "Bien."},
]


def test_the_verbs_give_typed_outcomes(daemon, project):
    (project / "MEMORY.md").write_text("# Things\n\nThe otter sleeps under the bridge.\n")
    with daemon.client() as client:
        found = client.search("where does the otter sleep", max_results=2)
        assert (found.results[0].path, found.results[0].source) == ("MEMORY.md", Source.MEMORY)
        assert "otter" in client.get("MEMORY.md", found.results[0].lines).text
        assert client.stats().total_files == 1
        learnt = client.extract(EXCHANGE, session="s")
        assert isinstance(learnt, Extracted)
        assert learnt.patches[0].kind in Kind
        assert client.extract(EXCHANGE, session="s") == Skipped(
            "no_new_messages", "everything in this conversation has been read before"
        )
        assert client.append(EXCHANGE, session="s") == 1
        assert client.prompt("otter", replay=1).tokens > 0


def test_the_verbs_give_the_same_asynchronously(daemon, project):
    (project / "MEMORY.md").write_text("# Things\n\nThe otter sleeps under the bridge.\n")

    async def story():
        async with AsyncClient(daemon.url, token=TOKEN) as client:
            assert (await client.search("otter sleeps")).results
            assert "otter" in (await client.get("MEMORY.md", "3-3")).text
            assert (await client.stats()).total_files == 1
            assert (await client.extract(EXCHANGE, session="s")).patches
            assert await client.append(EXCHANGE) == 1
            assert (await client.prompt()).budget > 0

    asyncio.run(story())


def test_errors_come_back_as_their_classes(daemon):
    with daemon.client() as client:
        with pytest.raises(InvalidContent):
            client.remember("  ")
        with pytest.raises(TaskNotFound) as caught:
            client.task("dream-00000000-0000-4000-8000-000000000000")
        assert (caught.value.code, caught.value.status) == ("dream_task_not_found", 404)
        over = client.wait(client.remember("A fact that is done"))
        with pytest.raises(TaskOver):
            client.cancel(over)
    with Client(daemon.url, token="wrong") as stranger, pytest.raises(Unauthorized):
        stranger.capabilities()


def test_a_registered_client_keeps_its_tasks_to_itself(daemon):
    with daemon.client() as mine, daemon.client() as other:
        session = mine.register()
        assert mine.client_id == session.client_id
        task = mine.wait(mine.remember("Mine alone"))
        assert other.tasks() == ()
        assert mine.tasks()[0].id == task.id
        with pytest.raises(TaskNotFound):
            other.task(task)


def test_the_same_key_gives_the_same_task(daemon):
    with daemon.client() as client:
        assert client.remember("Once", key="a").id == client.remember("Once", key="a").id


def test_the_environment_says_where_and_who(daemon, monkeypatch):
    monkeypatch.setenv("REVERIE_SERVER_URL", daemon.url + "/")
    monkeypatch.setenv("REVERIE_SERVER_TOKEN", TOKEN)
    with Client() as client:
        assert client.capabilities()["v"] == 1


def test_events_come_with_their_numbers_and_go_on_after_a_break(daemon):
    with daemon.client() as client:
        stream = client.events(last_event_id=0)
        assert next(stream).type == "replay_complete"
        client.wait(client.remember("Watched from the start"))
        seen = [next(stream) for _ in range(4)]
        assert [event.id for event in seen] == [1, 2, 3, 4]
        assert normalise(seen[-1])["source"] == "workspace_memory_remember"
        # The daemon cuts every connection; the iterator comes back and misses nothing.
        daemon.on_loop(
            lambda: [
                item.transport.abort() for item in list(daemon.server.server_state.connections)
            ]
        )
        client.wait(client.remember("Said while the line was cut"))
        more = [event for event in (next(stream) for _ in range(5)) if event.id is not None]
        assert [event.id for event in more] == [5, 6, 7, 8]
        stream.close()


def test_a_stream_that_may_not_reconnect_ends_with_the_daemon(daemon):
    with Client(daemon.url, token="wrong") as stranger, pytest.raises(Unauthorized):
        next(stranger.events())
    with daemon.client() as client:
        stream = client.events(last_event_id=0, reconnect=False)
        assert next(stream).type == "replay_complete"
        daemon.server.should_exit = True
        assert list(stream) == []


def test_the_asynchronous_client_does_the_same(daemon):
    async def story():
        async with AsyncClient(daemon.url, token=TOKEN) as client:
            await client.register()
            stream = client.events(last_event_id=0)
            assert (await anext(stream)).type == "replay_complete"
            task = await client.wait(await client.remember("Said asynchronously"))
            assert task.result["filesTouched"]
            assert (await client.task(task)).id == task.id
            assert [(await anext(stream)).id for _ in range(4)] == [1, 2, 3, 4]
            await stream.aclose()
            assert (await client.recall("asynchronously")).topics
            assert (await client.wait(await client.forget("said asynchronously"))).result
            assert (await client.wait(await client.dream())).result
            assert len(await client.tasks()) == 3
            with pytest.raises(TaskOver):
                await client.cancel(task)
            assert (await client.write("- x")).changed
            assert (await client.files()).file_count == 1
            assert "- x" in (await client.context()).text
            run = (await client.log(limit=1))[0].id
            assert (await client.undo(run)).run
            assert (await client.capabilities())["v"] == 1
            assert await client.health() == "ok"
            with pytest.raises(InvalidContent):
                await client.remember("")
        async with AsyncClient("http://127.0.0.1:1", token="x") as nobody:
            with pytest.raises(DaemonUnreachable):
                await nobody.health()

    asyncio.run(story())


def test_nobody_there_is_said_so():
    with Client("http://127.0.0.1:1", token="x") as client:
        with pytest.raises(DaemonUnreachable, match="reverie serve"):
            client.health()
        with pytest.raises(DaemonUnreachable):
            next(client.events())


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (200, b"<html>", DaemonUnreachable),
        (200, b'{"other": 1}', DaemonUnreachable),
        (200, b"", DaemonUnreachable),
        (429, b'{"code": "remember_queue_full", "error": "full", "limit": 16}', QueueFull),
        (418, b'{"code": "teapot", "error": "short and stout"}', ReverieError),
        (500, b"[]", ReverieError),
    ],
)
def test_answers_of_something_else_are_understood_as_such(status, body, error):
    class Other(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Other)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        with Client(f"http://127.0.0.1:{server.server_port}", token="x") as client:
            with pytest.raises(error) as caught:
                client.task("remember-1")
            assert caught.value.status == (503 if status == 200 else status)
            if b"code" in body:
                assert caught.value.code == json.loads(body)["code"]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_certificates_are_loaded_unless_plain_http_needs_none(kind, monkeypatch):
    loaded = []
    real = httpcore2.default_ssl_context
    monkeypatch.setattr(
        httpcore2, "default_ssl_context", lambda **more: loaded.append(1) or real(**more)
    )
    for url in ("https://daemon.example", "HTTPS://daemon.example", "//daemon.example"):
        kind(url, token="x")
        assert loaded.pop(), url
    kind("http://127.0.0.1:4170", token="x")
    kind("HTTP://127.0.0.1:4170", token="x")
    kind(socket="daemon.sock")
    assert not loaded


def test_polls_slow_down_and_end():
    now = 0.0
    pauses = []
    steps = polling("remember-1", timeout=1.0, now=lambda: now)
    for _ in range(6):
        pauses.append(next(steps))
        now += pauses[-1]
    assert [round(pause, 3) for pause in pauses] == [0.05, 0.075, 0.113, 0.169, 0.253, 0.341]
    with pytest.raises(RequestTimeout, match="remember-1"):
        next(steps)


def test_attempts_to_connect_slow_down_to_a_bound():
    backoff = Backoff()
    assert [backoff.next() for _ in range(8)] == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
