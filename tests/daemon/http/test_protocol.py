"""Bad input on the wire: the right code, a bounded cost, and the daemon keeps answering others."""

from __future__ import annotations

import gc
import os
import resource
import socket
import time
import weakref
from contextlib import ExitStack

import pytest

from tests.daemon.conftest import WAIT
from tests.daemon.wire import PATH, Wire, waited


def test_bodies_that_are_not_json_get_400(daemon):
    for body in (
        b"{broken", b"'single'", b"{\"a\":}", b"\xff\xfe{}", b"{\"content\": \"\xe9\"}", b"NaN",
        b"{\"content\": Infinity}", b"{\"content\": 1" + b"0" * 5000 + b"}", b"\x00", b"{}{}",
    ):  # fmt: skip
        answer = daemon.ask("POST", PATH, body)
        assert daemon.code(answer) == (400, "invalid_json"), body[:20]


def test_deeply_nested_json_gets_400_and_costs_little(daemon):
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        deep = opening * 1_000_000 + b"1" + closing * 1_000_000
        assert daemon.ask("POST", PATH, deep).status_code == 400
    assert daemon.get("/health").status_code == 200


def test_a_body_over_the_limit_gets_413_before_it_is_read(start):
    daemon = start(settings={"daemon.max_body_bytes": 1000})
    answer = daemon.ask("POST", PATH, b" " * 1001)
    assert daemon.code(answer) == (413, "body_too_large")
    with Wire(daemon) as wire:
        wire.send(wire.head(length=10**12))
        assert wire.answer()[0] == 413
    assert daemon.ask("POST", PATH, b'{"content": "' + b"x" * 900 + b'"}').status_code == 202


def test_a_chunked_body_is_counted_while_it_comes(start):
    daemon = start(settings={"daemon.max_body_bytes": 1000})
    with Wire(daemon) as wire:
        wire.send(wire.head(extra="Transfer-Encoding: chunked\r\n"))
        wire.send(b"3e8\r\n" + b" " * 1000 + b"\r\n")
        wire.send(b"1\r\n \r\n")
        status, body = wire.answer()
    assert (status, body["code"]) == (413, "body_too_large")


def test_a_body_that_does_not_arrive_gets_408(start):
    def hasty(host):
        host.body_seconds = 0.05

    daemon = start(before=hasty)
    with Wire(daemon) as wire:
        wire.send(wire.head(length=100) + b'{"content": ')
        status, body = wire.answer()
    assert (status, body["code"]) == (408, "request_timeout")
    assert daemon.get("/health").status_code == 200


def test_a_head_that_does_not_arrive_is_hung_up_on(start):
    def hasty(host):
        host.head_seconds = 0.05

    daemon = start(before=hasty)
    with Wire(daemon) as silent, Wire(daemon) as slow:
        slow.send(b"GET /health HTT")
        assert silent.closed()
        assert slow.closed()
    assert daemon.get("/health").status_code == 200


def test_a_slow_head_after_a_good_request_is_hung_up_on_too(start):
    def hasty(host):
        host.head_seconds = 0.05

    daemon = start(before=hasty)
    with Wire(daemon) as wire:
        wire.send(wire.head(method="GET", path="/health"))
        assert wire.answer()[0] == 200
        wire.send(b"GET /hea")
        assert wire.closed()


def test_what_is_not_http_gets_400_and_an_endless_head_too(daemon):
    with Wire(daemon) as wire:
        wire.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
        assert wire.answer()[0] == 400
    with Wire(daemon) as wire:
        try:
            for _ in range(100):
                wire.send(b"GET /" + b"a" * 65536)
        except ConnectionError:
            pass  # it answered and hung up before we had said everything
        else:
            assert wire.answer()[0] == 400
    with Wire(daemon) as wire:
        wire.send(b"GET /\xe9 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert wire.answer()[0] == 400


def test_two_requests_in_one_packet_are_answered_in_order(daemon):
    with Wire(daemon) as wire:
        both = wire.head(method="GET", path="/health") + wire.head(method="GET", path="/nothing")
        wire.send(both)
        assert wire.answer()[0] == 200
        assert wire.answer()[0] == 404


def test_a_client_that_hangs_up_in_the_middle_of_its_body_hurts_nobody(daemon):
    for _ in range(5):
        with Wire(daemon) as wire:
            wire.send(wire.head(length=100) + b"{")
    assert daemon.get("/health").status_code == 200


def test_at_the_limit_the_longest_idle_connection_makes_room(start):
    def few(host):
        host.max_connections = 4

    daemon = start(before=few)
    with ExitStack() as stack:
        idle = [stack.enter_context(Wire(daemon)) for _ in range(4)]
        for wire in idle:
            wire.send(wire.head(method="GET", path="/health"))
            assert wire.answer()[0] == 200
        fresh = stack.enter_context(Wire(daemon))
        fresh.send(fresh.head(method="GET", path="/health"))
        assert fresh.answer()[0] == 200
        assert idle[0].closed()
        idle[3].send(idle[3].head(method="GET", path="/health"))
        assert idle[3].answer()[0] == 200


def test_when_all_connections_are_busy_a_new_one_gets_503(start):
    def few(host):
        host.max_connections = 2

    daemon = start(before=few)
    with ExitStack() as stack:
        for _ in range(2):
            busy = stack.enter_context(Wire(daemon))
            busy.send(busy.head(method="GET", path="/events"))
            assert busy.socket.recv(15) == b"HTTP/1.1 200 OK"
        refused = stack.enter_context(Wire(daemon))
        refused.send(refused.head(method="GET", path="/capabilities"))
        status, body = refused.answer()
        assert (status, body["code"]) == (503, "too_many_connections")
        assert refused.closed()


def test_a_client_that_never_reads_its_answers_is_cut(start):
    def hasty(host):
        host.stall_seconds = 0.05

    daemon = start(before=hasty)

    def open_now():
        return daemon.on_loop(lambda: len(daemon.server.server_state.connections))

    with Wire(daemon) as deaf:
        deaf.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        asked = deaf.head(method="GET", path="/openapi.json")
        try:
            for _ in range(400):
                deaf.send(asked)
        except ConnectionError:
            pass  # cut while it was still asking
        until = time.monotonic() + WAIT
        while open_now():
            assert time.monotonic() < until
        assert daemon.get("/health").status_code == 200


def test_one_that_is_closed_but_does_not_take_its_last_bytes_makes_room_first(start):
    def few(host):
        host.max_connections = 1

    daemon = start(before=few)
    with Wire(daemon) as closing:
        closing.send(closing.head(method="GET", path="/health"))
        assert closing.answer()[0] == 200

        def linger():
            (only,) = daemon.server.server_state.connections
            only.transport.pause_reading()
            # As if its buffer were full: closing, but not gone before somebody reads.
            only.transport.is_closing = lambda: True

        daemon.on_loop(linger)
        with Wire(daemon) as fresh:
            fresh.send(fresh.head(method="GET", path="/health"))
            assert fresh.answer()[0] == 200


@pytest.mark.slow
@pytest.mark.torture
def test_ten_thousand_connections_that_say_nothing_shut_nobody_out(daemon):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 10_000 if "REVERIE_TORTURE" in os.environ else 2_000
    room = min(hard, wanted + 2000) if hard != resource.RLIM_INFINITY else wanted + 2000
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, room), hard))
    try:
        count = min(wanted, max(soft, room) - 1500)
        assert count > 1000, "this machine allows too few open files to try"
        with ExitStack() as stack:
            for number in range(count):
                stack.enter_context(Wire(daemon))
                if number % 1000 == 999:
                    with Wire(daemon) as polite:
                        polite.send(polite.head(method="GET", path="/health"))
                        assert polite.answer()[0] == 200
            assert daemon.on_loop(lambda: len(daemon.server.server_state.connections)) <= 257
            assert daemon.remember("said in the middle of a crowd")["status"] == "completed"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_unknown_addresses_and_methods_have_their_codes(daemon):
    assert daemon.code(daemon.get("/nothing")) == (404, "not_found")
    assert daemon.code(daemon.get("/workspace/memory/")) == (404, "not_found")
    wrong = daemon.ask("PUT", "/workspace/memory")
    assert daemon.code(wrong) == (405, "method_not_allowed")
    assert set(wrong.headers["allow"].split(", ")) >= {"GET"}
    head = daemon.ask("HEAD", "/health")
    assert (head.status_code, head.content) == (200, b"")
    assert daemon.ask("HEAD", "/events").status_code == 200


def test_every_answer_carries_a_request_id_the_callers_own_if_it_is_sound(daemon):
    own = daemon.get("/health", headers={"X-Request-Id": "my-id.1"})
    assert own.headers["x-request-id"] == "my-id.1"
    made = daemon.get("/nothing", headers={"X-Request-Id": "not sound!"})
    assert made.headers["x-request-id"] == made.json()["requestId"] != "not sound!"
    assert made.headers["cache-control"] == "no-store"
    assert made.headers["x-content-type-options"] == "nosniff"


def test_a_connection_that_ended_is_freed_without_the_collector_of_garbage(daemon):
    connections = daemon.server.server_state.connections
    made = []
    gc.disable()
    try:
        for path in ("/health", "/workspace/memory", "/nothing-is-here"):
            with Wire(daemon) as wire:
                wire.ask(path)
                wire.answer()
                daemon.on_loop(lambda: made.extend(map(weakref.ref, connections)))
        with Wire(daemon) as silent:
            silent.send(b"GET /hea")
            waited(daemon, lambda: bool(connections))
            daemon.on_loop(lambda: made.extend(map(weakref.ref, connections)))
        assert len(made) >= 4
        waited(daemon, lambda: not any(item() for item in made))
    finally:
        gc.enable()
