"""Events and sessions over HTTP."""

from __future__ import annotations

import json
import re
import socket
import threading
from contextlib import contextmanager

from reverie.client import normalise
from reverie.memory import Memory
from reverie.types import Scope
from tests.daemon.conftest import TOKEN, WAIT
from tests.daemon.routes.test_tasks import slow_memory


@contextmanager
def stream(daemon, path="/events", **headers):
    """Open a stream and yield a function that returns the next envelope (or comment)."""
    sent = {"Authorization": f"Bearer {TOKEN}", **headers}
    with daemon.http.stream("GET", path, headers=sent) as response:
        assert response.status_code == 200, response.read()
        lines = response.iter_lines()

        def take(comments=False):
            frame = []
            for line in lines:
                if line:
                    frame.append(line)
                    continue
                if frame[0].startswith(":"):
                    if comments:
                        return frame[0]
                    frame = []
                    continue
                fields = dict(item.split(": ", 1) for item in frame)
                return json.loads(fields["data"])
            return None

        take.response = response
        yield take


def test_a_task_is_told_from_queued_to_completed_and_then_what_changed(daemon):
    with stream(daemon) as take:
        done = daemon.remember("Coffee is at ten")
        seen = [take() for _ in range(4)]
    assert [(event["type"], event["data"].get("status")) for event in seen] == [
        ("task_updated", "queued"),
        ("task_updated", "running"),
        ("task_updated", "completed"),
        ("memory_changed", None),
    ]
    assert seen[-1]["data"] == {
        "scope": "managed",
        "source": "workspace_memory_remember",
        "taskId": done["taskId"],
        "touchedScopes": done["result"]["touchedScopes"],
    }
    assert [event["id"] for event in seen] == [1, 2, 3, 4]
    assert all(event["v"] == 1 for event in seen)


def test_nothing_is_told_when_nothing_changed(daemon):
    daemon.remember("Tea is at four")
    with stream(daemon) as take:
        daemon.remember("Tea is at four")
        daemon.over(daemon.post("/workspace/memory/dream"))
        seen = [take() for _ in range(6)]
    assert {event["type"] for event in seen} == {"task_updated"}


def test_every_source_is_named(daemon):
    daemon.remember("The printer is on floor three")
    with stream(daemon) as take:
        daemon.over(daemon.post("/workspace/memory/forget", {"query": "printer floor three"}))
        events = [take() for _ in range(4)]
    assert events[-1]["data"]["source"] == "workspace_memory_forget"


def test_the_originator_is_in_the_envelope_and_its_task_is_nobody_elses_business(daemon):
    session = daemon.post("/session").json()
    header = daemon.host.primary.dialect.client_header
    path = f"/session/{session['sessionId']}/events"
    with stream(daemon, path) as mine, stream(daemon) as others:
        daemon.remember("Lunch is at noon", client=session["clientId"])
        own = [mine() for _ in range(4)]
        foreign = others()
    assert [event["type"] for event in own] == ["task_updated"] * 3 + ["memory_changed"]
    assert {event["originatorClientId"] for event in own} == {session["clientId"]}
    assert foreign["type"] == "memory_changed"
    assert foreign["originatorClientId"] == session["clientId"]
    with stream(daemon, **{header: session["clientId"], "Last-Event-ID": "0"}) as take:
        assert take()["type"] == "task_updated"


def test_an_event_that_happened_while_nobody_listened_is_not_lost(daemon):
    daemon.remember("Nobody is listening to this")
    with stream(daemon, **{"Last-Event-ID": "3"}) as take:
        assert take()["type"] == "memory_changed"
        assert take()["type"] == "replay_complete"


def test_a_resume_point_that_is_no_number_is_ignored(daemon):
    daemon.remember("Before the stream opens")
    with stream(daemon, **{"Last-Event-ID": "abc"}) as take:
        daemon.remember("Within the stream")
        assert take()["data"]["status"] == "queued"


def test_the_epoch_is_in_the_header_and_another_one_asks_for_a_resync(daemon):
    names = daemon.host.primary.dialect
    with stream(daemon) as take:
        assert take.response.headers[names.epoch_header] == daemon.host.epoch
        assert take.response.headers["content-type"].startswith("text/event-stream")
    daemon.remember("Something to replay")
    with stream(daemon, **{"Last-Event-ID": "1", names.epoch_header: "other"}) as take:
        resync = take()
    assert resync["type"] == "state_resync_required"
    assert resync["data"]["reason"] == "epoch_reset"


def test_a_silent_stream_has_heartbeats(start):
    def often(host):
        host.heartbeat_seconds = 0.01

    daemon = start(before=often)
    with stream(daemon) as take:
        assert [take(comments=True) for _ in range(3)] == [": connected"] + [": heartbeat"] * 2


def test_a_stream_says_when_to_come_back_and_that_no_proxy_may_hold_it_back(daemon):
    for path in ("/events", f"/session/{daemon.post('/session').json()['sessionId']}/events"):
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with daemon.http.stream("GET", path, headers=headers) as response:
            first = next(response.iter_raw()).decode()
            assert response.headers["x-accel-buffering"] == "no"
        assert re.fullmatch(r": connected\nretry: [0-9]+\n\n", first)


def test_a_file_written_over_http_is_told(daemon, project):
    with stream(daemon) as take:
        daemon.post("/workspace/memory", {"scope": "workspace", "content": "- new rule"})
        event = take()
    assert event["data"] == {
        "scope": "workspace",
        "filePath": str(project / "AGENTS.md"),
        "mode": "append",
        "bytesWritten": (project / "AGENTS.md").stat().st_size,
    }


def test_an_undo_over_http_is_told(daemon):
    daemon.remember("This will be taken back")
    run = daemon.get("/workspace/log").json()["runs"][0]["id"]
    with stream(daemon) as take:
        applied = daemon.post("/workspace/undo", {"run": run}).json()
        event = take()
    assert event["data"]["source"] == "workspace_undo"
    assert event["data"]["taskId"] == applied["run"]


def test_what_others_write_is_told_too_and_what_was_told_is_not_told_again(
    start, project, tmp_path
):
    def often(host):
        host.primary.outside_changes.every = 0.01

    daemon = start(before=often)
    with stream(daemon) as take:
        daemon.remember("Told by the lane itself")
        assert [take()["type"] for _ in range(4)][-1] == "memory_changed"
        daemon.post("/workspace/memory", {"scope": "workspace", "content": "- told by the route"})
        assert take()["data"]["mode"] == "append"
        with Memory.open(project, home=tmp_path / "base") as other:
            done = other.remember("Written by the command line", scope=Scope.PROJECT)
            event = take()
            assert event["data"] == {
                "scope": "managed",
                "source": "workspace_remember",
                "taskId": done.run,
                "touchedScopes": ["project"],
            }
            assert normalise(event)["type"] == "workspace.memory.changed"
            saved = other.save("a fact for everyone", scope="project")
            event = take()
            assert event["data"]["filePath"] == saved.path
            assert event["data"]["bytesWritten"] == (project / "AGENTS.md").stat().st_size
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        with Memory.open(elsewhere, home=tmp_path / "base") as stranger:
            stranger.remember("Nobody's business here", scope=Scope.PROJECT)
            last = stranger.remember("Everybody's business", scope=Scope.USER)
        assert take()["data"]["taskId"] == last.run


def test_a_session_opens_attaches_and_closes(daemon, project):
    opened = daemon.post("/session").json()
    assert {key: opened[key] for key in ("workspaceCwd", "attached", "eventEpoch")} == {
        "workspaceCwd": str(project),
        "attached": False,
        "eventEpoch": daemon.host.epoch,
    }
    again = daemon.post("/session", client=opened["clientId"]).json()
    assert (again["attached"], again["clientId"]) == (True, opened["clientId"])
    assert again["sessionId"] != opened["sessionId"]
    path = f"/session/{opened['sessionId']}"
    assert daemon.ask("DELETE", path).status_code == 204
    assert daemon.code(daemon.ask("DELETE", path)) == (404, "session_not_found")
    assert daemon.code(daemon.get(f"{path}/events")) == (404, "session_not_found")


def test_a_session_is_no_conversation_and_leaves_no_trace_in_memory(daemon, tmp_path):
    before = sorted(path for path in (tmp_path / "base").rglob("*.md"))
    daemon.post("/session")
    assert sorted(path for path in (tmp_path / "base").rglob("*.md")) == before
    assert daemon.get("/workspace/log").json()["runs"] == []


def test_a_session_for_a_folder_the_daemon_does_not_serve_is_refused(daemon, project, tmp_path):
    assert daemon.post("/session", {"cwd": str(project)}).status_code == 200
    for folder in (str(tmp_path), "/", "relative", 7):
        assert daemon.code(daemon.post("/session", {"cwd": folder})) == (400, "workspace_mismatch")
    bad = daemon.post("/session", client="not a client id")
    assert daemon.code(bad) == (400, "invalid_client_id")


def test_the_sixty_fifth_stream_gets_429(daemon):
    readers = daemon.on_loop(lambda: [daemon.host.primary.bus.subscribe() for _ in range(64)])
    refused = daemon.get("/events")
    assert daemon.code(refused) == (429, "subscriber_limit_exceeded")
    assert refused.headers["retry-after"] == "5"
    daemon.on_loop(lambda: daemon.host.primary.bus.unsubscribe(readers[0]))
    with stream(daemon):
        pass


def test_a_reader_that_leaves_is_forgotten(daemon):
    bus = daemon.host.primary.bus
    left = threading.Event()
    daemon.on_loop(lambda: setattr(bus, "unsubscribe", telling(bus.unsubscribe, left)))
    with stream(daemon):
        assert daemon.on_loop(lambda: len(bus)) == 1
    daemon.http.close()
    assert left.wait(WAIT)
    assert daemon.on_loop(lambda: len(bus)) == 0


def test_a_reader_that_never_reads_is_evicted_and_the_others_go_on(daemon):
    bus = daemon.host.primary.bus
    gone = threading.Event()
    daemon.on_loop(lambda: setattr(bus, "unsubscribe", telling(bus.unsubscribe, gone)))
    with socket.create_connection(("127.0.0.1", daemon.port)) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(
            f"GET /events?maxQueued=16 HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\n"
            f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()
        )
        assert b"200 OK" in deaf.recv(20)
        with stream(daemon) as take:
            published = 0
            while daemon.on_loop(lambda: bus.evictions) == 0:
                daemon.on_loop(lambda: bus.publish("filler", {"text": "x" * 60_000}))
                published += 1
                assert take()["type"] == "filler"
                assert published < 1000
            # The connection is cut, though its buffer is full and nobody will ever empty it.
            assert gone.wait(WAIT)
            assert daemon.on_loop(lambda: len(daemon.server.server_state.connections)) == 1
            assert daemon.on_loop(lambda: len(bus)) == 1
    assert daemon.get("/health").json() == {"status": "ok"}


def telling(work, done):
    """Do something, and tell when it was done."""

    def told(*given):
        work(*given)
        done.set()

    return told


def test_streams_end_when_the_daemon_stops(start):
    gate, begun = threading.Event(), threading.Event()
    gate.set()
    daemon = start(opener=slow_memory(gate, begun))
    with stream(daemon) as take:
        daemon.server.should_exit = True
        assert take() is None
