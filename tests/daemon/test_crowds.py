"""Crowds at the door: strangers shut nobody out, work for callers who left is not done, load is shed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from functools import partial

import pytest

from reverie.memory import Memory
from tests.daemon.conftest import WAIT
from tests.daemon.wire import PATH, LocalWire, Wire, waited

RECALL = "/workspace/recall"
PAGE = "/assets/style.css"


def few(host, connections=8, local=4):
    host.max_connections = connections
    host.socket_connections = local


def connections(daemon):
    return list(daemon.server.server_state.connections)


def deaf_stranger(daemon):
    """Connect without a token, ask for much, read nothing."""
    wire = Wire(daemon, room=4096)
    try:
        for _ in range(200):
            wire.ask(PAGE, token=None)
    except OSError:
        pass  # cut, or the system keeps no more for it
    return wire


class Gated:
    """Recalls that wait, and count which of them were carried out."""

    def __init__(self):
        self.gate = threading.Event()
        self.begun = threading.Semaphore(0)
        self.done = []

    def open(self, *args, **more):
        memory = Memory.open(*args, **more)
        recall = memory.recall

        def slow(query, **options):
            self.begun.release()
            assert self.gate.wait(WAIT)
            self.done.append(query)
            return recall(query, **options)

        memory.recall = slow
        return memory

    def wait_begun(self, count):
        for _ in range(count):
            assert self.begun.acquire(timeout=WAIT)


# --- connections ----------------------------------------------------------------------------------


def test_strangers_who_never_read_shut_nobody_out(start):
    daemon = start(before=few, local=True)
    with ExitStack() as stack:
        for _ in range(30):
            stack.enter_context(deaf_stranger(daemon))
            owner = stack.enter_context(Wire(daemon))
            assert owner.get("/capabilities")[0] == 200
        with LocalWire(daemon) as local:
            assert local.get("/capabilities")[0] == 200
        assert daemon.on_loop(lambda: len(connections(daemon))) <= 8 + 4 + 8


def test_a_stranger_makes_room_before_a_known_caller_that_is_idle_longer(start):
    daemon = start(before=few)
    with ExitStack() as stack:
        known = stack.enter_context(Wire(daemon))
        assert known.get("/capabilities")[0] == 200
        strangers = [stack.enter_context(Wire(daemon)) for _ in range(7)]
        for stranger in strangers:
            assert stranger.get("/health", token=None)[0] == 200
        for wrong in range(7):
            fresh = stack.enter_context(Wire(daemon))
            assert fresh.get("/capabilities", token="wrong")[0] == 401
            if not wrong:
                assert strangers[0].closed(), "the oldest goes first"
        assert known.get("/capabilities")[0] == 200, "it was never a stranger"


def test_a_stranger_that_is_being_answered_makes_room_too(start):
    daemon = start(before=partial(few, connections=2))
    with ExitStack() as stack:
        for _ in range(2):
            stranger = stack.enter_context(Wire(daemon))
            stranger.send(stranger.head(length=100, token=None))  # the rest never comes
        known = [stack.enter_context(Wire(daemon)) for _ in range(2)]
        for wire in known:
            wire.send(wire.head(method="GET", path="/events"))
            assert wire.socket.recv(15) == b"HTTP/1.1 200 OK"


def test_the_socket_has_its_own_places(start):
    daemon = start(before=partial(few, connections=2, local=1), local=True)
    with ExitStack() as stack:
        for _ in range(2):
            busy = stack.enter_context(Wire(daemon))
            busy.send(busy.head(method="GET", path="/events"))
            assert busy.socket.recv(15) == b"HTTP/1.1 200 OK"
        with Wire(daemon) as late:
            status, body = late.get("/capabilities")
            assert (status, body["code"]) == (503, "too_many_connections")
        first = stack.enter_context(LocalWire(daemon))
        assert first.get("/capabilities")[0] == 200
        second = stack.enter_context(LocalWire(daemon))
        assert second.get("/capabilities")[0] == 200
        assert first.closed(), "the socket's own idle ones make room there"


def test_whether_the_daemon_lives_is_told_however_many_are_busy(start):
    daemon = start(before=partial(few, connections=2))
    with ExitStack() as stack:
        for _ in range(2):
            busy = stack.enter_context(Wire(daemon))
            busy.send(busy.head(method="GET", path="/events"))
            assert busy.socket.recv(15) == b"HTTP/1.1 200 OK"
        for _ in range(50):
            stack.enter_context(Wire(daemon))  # says nothing
        probe = stack.enter_context(Wire(daemon))
        assert probe.get("/health", token=None) == (200, {"status": "ok"})
        assert probe.closed()
        refused = daemon.get("/capabilities")
        assert daemon.code(refused) == (503, "too_many_connections")
        assert (refused.headers["retry-after"], refused.headers["connection"]) == ("1", "close")


def test_a_stranger_may_not_send_far_ahead_and_a_known_caller_may(daemon):
    with Wire(daemon) as stranger:
        stranger.send(stranger.head(method="GET", path="/health", token=None) * 100)
        answered = 0
        while stranger.answer()[0] == 200:
            answered += 1
        assert 16 <= answered <= 20
    with Wire(daemon) as known:
        known.send(known.head(method="GET", path="/openapi.json"))
        known.send(known.head(method="GET", path="/health") * 100)
        assert [known.answer()[0] for _ in range(101)] == [200] * 101


def test_what_a_crowd_sends_and_does_not_read_takes_bounded_room(start):
    daemon = start(before=few)
    with ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(deaf_stranger(daemon))

        def held():
            kept = [
                (item.transport.get_write_buffer_size(), len(item.conn.trailing_data[0]))
                for item in connections(daemon)
            ]
            return max(map(sum, kept))

        # One answer above the mark at which writing pauses, and what one read can bring.
        assert daemon.on_loop(held) <= 64 * 1024 + 32 * 1024 + 256 * 1024
        assert daemon.get("/capabilities").status_code == 200


def test_a_closed_connection_that_does_not_take_its_last_bytes_is_cut(start):
    def hasty(host):
        host.stall_seconds = 0.05

    daemon = start(before=hasty)
    with Wire(daemon, room=4096) as deaf:
        for _ in range(40):
            deaf.send(deaf.head(method="GET", path=PAGE))
        deaf.send(deaf.head(method="GET", path="/health", extra="Connection: close\r\n"))
        waited(daemon, lambda: not connections(daemon))


def test_a_body_that_nobody_reads_has_its_time_too(start):
    def hasty(host):
        host.body_seconds = 0.05

    daemon = start(before=hasty)
    with Wire(daemon) as stranger:
        stranger.send(stranger.head(length=10**9, token=None) + b"x" * 100)
        assert stranger.answer()[0] == 401
        waited(daemon, lambda: not connections(daemon))
    assert daemon.get("/health").status_code == 200


def test_where_few_files_may_be_open_fewer_connections_are_taken():
    script = (
        "import resource, types\n"
        "from reverie.daemon.serve import fit_to_files\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (200, 300))\n"
        "host = types.SimpleNamespace(max_connections=256, socket_connections=8)\n"
        "fit_to_files(host)\n"
        "assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 300\n"
        "assert host.max_connections == 100, host.max_connections\n"
        "host.max_connections = 20\n"
        "fit_to_files(host)\n"
        "assert host.max_connections == 20\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "daemon.max_connections" in done.stderr


# --- work for nobody ------------------------------------------------------------------------------


def test_what_callers_asked_who_hung_up_is_not_done(start):
    slow = Gated()
    daemon = start(opener=slow.open, settings={"daemon.threads": 2})
    reads = daemon.host.primary.reads
    with ExitStack() as stack:
        held = [stack.enter_context(Wire(daemon)) for _ in range(2)]
        for number, wire in enumerate(held):
            wire.ask(RECALL, {"query": f"held {number}"})
        slow.wait_begun(2)
        for number in range(50):
            with Wire(daemon) as leaving:
                leaving.ask(RECALL, {"query": f"abandoned {number}"})
                waited(daemon, lambda: reads.inside == 3)
            waited(daemon, lambda: reads.inside == 2)
        last = stack.enter_context(Wire(daemon))
        last.ask(RECALL, {"query": "the last"})
        waited(daemon, lambda: reads.inside == 3)
        slow.gate.set()
        assert [wire.answer()[0] for wire in (*held, last)] == [200] * 3
    assert sorted(slow.done) == ["held 0", "held 1", "the last"]
    assert reads.dropped == 50


def test_a_full_line_is_swept_of_those_who_left_before_anybody_is_refused(start):
    slow = Gated()
    limits = {"daemon.threads": 1, "daemon.max_waiting_reads": 10}
    daemon = start(opener=slow.open, settings=limits)
    reads = daemon.host.primary.reads
    with ExitStack() as stack:
        held = stack.enter_context(Wire(daemon))
        held.ask(RECALL, {"query": "held"})
        slow.wait_begun(1)
        leaving = [Wire(daemon) for _ in range(10)]
        for number, wire in enumerate(leaving):
            wire.ask(RECALL, {"query": f"abandoned {number}"})
        waited(daemon, lambda: reads.inside == 11)
        fresh = stack.enter_context(Wire(daemon))
        assert fresh.get("/capabilities")[0] == 200  # the connection stands

        def all_hang_up_and_one_asks():
            # In the loop's own thread, so it cannot have noticed that they left.
            for wire in leaving:
                wire.socket.close()
            fresh.ask(RECALL, {"query": "waits"})

        daemon.on_loop(all_hang_up_and_one_asks)
        waited(daemon, lambda: reads.inside == 2)
        slow.gate.set()
        assert [wire.answer()[0] for wire in (held, fresh)] == [200, 200]
    assert slow.done == ["held", "waits"]
    assert (reads.refused, reads.dropped) == (0, 10)


def test_a_thread_takes_nothing_for_a_caller_that_left_unnoticed(start):
    slow = Gated()
    daemon = start(opener=slow.open, settings={"daemon.threads": 1})
    reads = daemon.host.primary.reads
    with Wire(daemon) as held, Wire(daemon) as leaving:
        held.ask(RECALL, {"query": "held"})
        slow.wait_begun(1)
        leaving.ask(RECALL, {"query": "abandoned"})
        waited(daemon, lambda: reads.inside == 2)

        def leave_and_let_go():
            leaving.socket.close()
            slow.gate.set()
            while not slow.done:  # the loop stands still until the thread is free
                time.sleep(0.001)

        daemon.on_loop(leave_and_let_go)
        assert held.answer()[0] == 200
        waited(daemon, lambda: reads.inside == 0)
    assert slow.done == ["held"]


def test_a_crowd_of_readers_does_not_refuse_the_owner(start):
    slow = Gated()
    limits = {"daemon.threads": 1, "daemon.max_waiting_reads": 2}
    daemon = start(opener=slow.open, settings=limits, local=True)
    reads = daemon.host.primary.reads
    with ExitStack() as stack:
        crowd = [stack.enter_context(Wire(daemon)) for _ in range(3)]
        for wire in crowd:
            wire.ask(RECALL, {"query": "crowd"})
        waited(daemon, lambda: reads.inside == 3)
        assert daemon.post(RECALL, {"query": "one too many"}).status_code == 503
        owner = stack.enter_context(LocalWire(daemon))
        owner.ask(RECALL, {"query": "owner"}, token=None)
        waited(daemon, lambda: reads.inside_local == 1)
        slow.gate.set()
        assert [wire.answer()[0] for wire in (*crowd, owner)] == [200] * 4


def test_a_caller_that_hung_up_while_it_waited_for_the_lane_changes_nothing(start):
    daemon = start()
    lane = daemon.host.primary.lane
    gate, begun = threading.Event(), threading.Event()

    def hold(_memory, _stopped):
        begun.set()
        assert gate.wait(WAIT)

    async def held():
        await lane.between(hold)

    holding = asyncio.run_coroutine_threadsafe(held(), daemon.loop)
    assert begun.wait(WAIT)
    with Wire(daemon) as leaving:
        leaving.ask("/workspace/remember", {"content": "said by somebody who left"})
        waited(daemon, lambda: len(lane._waiting_work) == 1)
    waited(daemon, lambda: not connections(daemon))
    gate.set()
    holding.result(WAIT)
    assert (
        daemon.post("/workspace/remember", {"content": "said by one who waits"}).status_code == 200
    )
    assert len(daemon.get("/workspace/log").json()["runs"]) == 1


def test_more_readers_than_may_wait_are_told_to_come_back_and_writers_are_not(start):
    slow = Gated()
    limits = {"daemon.threads": 2, "daemon.max_waiting_reads": 3, "daemon.max_waiting_writes": 1}
    daemon = start(opener=slow.open, settings=limits)
    reads = daemon.host.primary.reads
    with ExitStack() as stack:
        waiting = [stack.enter_context(Wire(daemon)) for _ in range(5)]
        for wire in waiting:
            wire.ask(RECALL, {"query": "anything"})
        waited(daemon, lambda: reads.inside == 5)
        shed = daemon.post(RECALL, {"query": "one too many"})
        assert daemon.code(shed) == (503, "overloaded")
        assert shed.headers["retry-after"] == "1"
        writer = stack.enter_context(Wire(daemon))
        writer.ask("/workspace/notes", {"text": "A note waits for its turn"})
        waited(daemon, lambda: daemon.host.primary.writes.inside == 1)
        assert daemon.remember("The queue has threads of its own")["status"] == "completed"
        slow.gate.set()
        assert [wire.answer()[0] for wire in (*waiting, writer)] == [200] * 6
    assert "one too many" not in slow.done
    assert daemon.post(RECALL, {"query": "again"}).status_code == 200
    page = daemon.get("/metrics").text
    assert 'reverie_requests_shed_total{workspace="' in page
    assert 'kind="reads"} 1' in page


# --- settings -------------------------------------------------------------------------------------


def test_the_limits_are_settings(start):
    wanted = {
        "daemon.max_connections": 20,
        "daemon.socket_connections": 5,
        "daemon.max_streams": 1,
        "daemon.head_seconds": 1.5,
        "daemon.body_seconds": 2.5,
        "daemon.stall_seconds": 3.5,
        "daemon.idle_seconds": 4.5,
    }
    daemon = start(settings=wanted)
    host = daemon.host
    assert {name: getattr(host, name.removeprefix("daemon."), None) for name in wanted} == {
        **wanted,
        "daemon.max_streams": None,
    }
    assert daemon.server.config.timeout_keep_alive == 4.5
    limits = daemon.get("/capabilities").json()["limits"]
    assert (limits["maxConnections"], limits["maxEventSubscribers"]) == (20, 1)
    with Wire(daemon) as stream:
        stream.send(stream.head(method="GET", path="/events"))
        assert stream.socket.recv(15) == b"HTTP/1.1 200 OK"
        refused = daemon.get("/events")
        assert daemon.code(refused) == (429, "subscriber_limit_exceeded")


@pytest.mark.parametrize("path", [PATH, RECALL])
def test_a_connection_through_the_socket_is_never_a_stranger(start, path):
    daemon = start(before=few, local=True)
    with LocalWire(daemon) as local:
        local.send(local.head(method="GET", path="/health", token=None) * 100)
        assert [local.answer()[0] for _ in range(100)] == [200] * 100
        asked = {"query": "q"} if path == RECALL else {"content": "The owner needs no token"}
        local.ask(path, asked, token=None)
        assert local.answer()[0] in (200, 202)


def test_the_description_tells_what_a_crowd_gets(daemon):
    described = daemon.get("/openapi.json").json()["paths"]
    told = {
        path: json.dumps(operation["responses"].get("503", ""))
        for path, methods in described.items()
        for operation in methods.values()
    }
    assert [path for path, text in told.items() if "too_many_connections" not in text] == [
        "/health"
    ]
    assert "overloaded" in told["/workspace/recall"]
    assert "overloaded" in told["/workspaces/{workspace}/recall"]
