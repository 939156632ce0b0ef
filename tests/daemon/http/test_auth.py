"""Who may call: the token, the Host, the Origin, the socket, in this order."""

from __future__ import annotations

import os
import socket

import pytest

from reverie.daemon.http.auth import Gate, gate_for, load_token
from reverie.dialect import QWEN, REVERIE
from reverie.errors import InvalidHost, OriginNotAllowed, Unauthorized
from tests.daemon.conftest import TOKEN, WAIT

WRONG = [
    {},
    {"Authorization": ""},
    {"Authorization": "Bearer"},
    {"Authorization": "Bearer wrong"},
    {"Authorization": f"Bearer {TOKEN}x"},
    {"Authorization": f"Bearer {TOKEN[:-1]}"},
    {"Authorization": f"Basic {TOKEN}"},
    {"Authorization": TOKEN},
]


def test_every_route_but_health_needs_the_token(daemon):
    described = daemon.get("/openapi.json").json()["paths"]
    asked = 0
    for path, methods in described.items():
        for method in methods:
            place = path.replace("{workspace}", daemon.host.primary.id).replace("{task}", "x")
            answer = daemon.ask(method.upper(), place.replace("{session}", "x"), token=None)
            if path == "/health":
                assert answer.status_code == 200
                continue
            asked += 1
            assert daemon.code(answer) == (401, "unauthorized"), (method, path)
            assert answer.json()["error"] == "Unauthorized"
            assert answer.headers["www-authenticate"] == "Bearer"
    assert asked > 30
    assert daemon.ask("GET", "/nothing/here", token=None).status_code == 401


def test_only_health_and_the_files_of_the_page_are_public(daemon):
    public = daemon.server.config.app._unlocked
    assert {"/", "/health"} <= public
    others = {path for path in public if not path.startswith("/assets/")}
    assert others == {"/", "/health"}
    for path in sorted(public):
        assert daemon.ask("GET", path, token=None).status_code == 200, path
    for path in ("/assets/", "/assets/nothing", "/assets/%2e%2e/capabilities", "/health/", "//",
                 "/assets/../capabilities", "/mcp", "/?x=/assets/"):  # fmt: skip
        status = 200 if path == "/?x=/assets/" else 401
        assert raw_status(daemon, path) == status, path


def test_the_page_too_is_for_those_who_mean_this_daemon(daemon):
    assert daemon.code(daemon.get("/", headers={"Host": "evil"}))[1] == "invalid_host"
    foreign = daemon.get("/", headers={"Origin": "http://evil"})
    assert daemon.code(foreign)[1] == "origin_not_allowed"


def raw_status(daemon, path):
    """Ask for a path exactly as it stands; clients tidy it."""
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=WAIT) as wire:
        wire.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\n\r\n".encode())
        return int(wire.recv(12).split()[1])


def test_a_wrong_token_is_refused_and_the_schemes_case_does_not_matter(daemon):
    for headers in WRONG:
        assert daemon.get("/capabilities", token=None, headers=headers).status_code == 401, headers
    for scheme in ("Bearer", "bearer", "BEARER"):
        right = {"Authorization": f"{scheme} {TOKEN}"}
        assert daemon.get("/capabilities", token=None, headers=right).status_code == 200


def test_a_forged_host_is_refused_before_the_token_is_looked_at(daemon):
    for host in ("evil.example", f"evil.example:{daemon.port}", "127.0.0.1", "127.0.0.1:1", ""):
        for token in (None, TOKEN):
            answer = daemon.get("/capabilities", token=token, headers={"Host": host})
            assert daemon.code(answer) == (403, "invalid_host"), host
    assert daemon.code(daemon.get("/health", headers={"Host": "evil.example"})) == (
        403, "invalid_host",
    )  # fmt: skip
    for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]", "host.docker.internal"):
        headers = {"Host": f"{name}:{daemon.port}"}
        assert daemon.get("/capabilities", headers=headers).status_code == 200, name


def test_a_foreign_origin_is_refused_and_the_daemons_own_is_not(daemon):
    for origin in ("http://evil.example", "null", "https://localhost", "http://127.0.0.1:1"):
        answer = daemon.get("/capabilities", headers={"Origin": origin})
        assert daemon.code(answer) == (403, "origin_not_allowed"), origin
    own = {"Origin": f"http://localhost:{daemon.port}"}
    assert daemon.get("/capabilities", headers=own).status_code == 200


def test_host_comes_before_origin_comes_before_the_token_comes_before_the_body(daemon):
    bad_host, bad_origin = {"Host": "evil"}, {"Origin": "http://evil"}
    ask = daemon.ask
    path, broken = "/workspace/memory/remember", b"{broken"
    everything = {**bad_host, **bad_origin}
    assert (
        daemon.code(ask("POST", path, broken, token=None, headers=everything))[1] == "invalid_host"
    )
    assert (
        daemon.code(ask("POST", path, broken, token=None, headers=bad_origin))[1]
        == "origin_not_allowed"
    )
    assert daemon.code(ask("POST", path, broken, token=None))[1] == "unauthorized"
    assert daemon.code(ask("POST", path, broken)) == (400, "invalid_json")


def test_on_an_address_for_others_any_host_name_may_lead_here_but_no_foreign_page():
    gate = gate_for("t", host="0.0.0.0", port=4170)  # noqa: S104  # only a value here
    gate.check_place({"host": "memory.example:4170"})
    with pytest.raises(OriginNotAllowed):
        gate.check_place({"host": "memory.example:4170", "origin": "http://evil"})


@pytest.mark.parametrize(
    "host", ["127.0.0.2", "127.1.2.3", "127.255.255.254", "::1", "::ffff:127.0.0.5", "localhost"]
)
def test_on_every_loopback_address_the_host_must_name_the_daemon(host):
    gate = gate_for("t", host=host, port=4170)
    own = f"[{host}]" if ":" in host else host
    for name in (own, "127.0.0.1", "LOCALHOST", "[::1]"):
        gate.check_place({"host": f"{name}:4170", "origin": f"http://{name}:4170"})
    for rebound in (
        "evil.example:4170",
        "evil.example",
        "",
        f"{own}:1",
        f"{own}.evil.example:4170",
    ):
        with pytest.raises(InvalidHost):
            gate.check_place({"host": rebound})


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "fe80::1%eth0", "127.0.0.2"])  # noqa: S104
def test_further_names_are_those_of_allowed_hosts_and_no_others(host):
    gate = gate_for(
        "t", host=host, port=4170, allowed=["Memory.example", "proxy:8443", "[fd00::1]"]
    )
    for name in ("memory.example", "memory.example:4170", "MEMORY.example:443", "[fd00::1]:99"):
        gate.check_place({"host": name, "origin": f"https://{name}"})
    gate.check_place({"host": "proxy:8443", "origin": "http://proxy:8443"})
    for rebound in (
        "evil.example:4170",
        "proxy:4170",
        "memory.example.evil",
        "memory.example:4170:1",
    ):
        with pytest.raises(InvalidHost):
            gate.check_place({"host": rebound})
    for foreign in ("https://evil.example", "null", "file://memory.example", "memory.example"):
        with pytest.raises(OriginNotAllowed):
            gate.check_place({"host": "memory.example", "origin": foreign})


def test_a_star_allows_any_name_and_still_no_foreign_page():
    gate = gate_for("t", host="127.0.0.1", port=4170, allowed=["*"])
    gate.check_place({"host": "anything", "origin": "http://127.0.0.1:4170"})
    with pytest.raises(OriginNotAllowed):
        gate.check_place({"host": "anything", "origin": "http://anything"})


def test_on_port_80_the_host_header_has_no_port():
    gate = gate_for("t", host="127.0.0.1", port=80)
    gate.check_place({"host": "localhost", "origin": "http://localhost"})
    with pytest.raises(InvalidHost):
        gate.check_place({"host": "evil"})


def test_a_token_with_any_characters_is_compared_as_bytes():
    gate = Gate("pässwörd", None)
    gate.check_token({"authorization": "Bearer pässwörd"})
    with pytest.raises(Unauthorized):
        gate.check_token({"authorization": "Bearer p\udce4sswörd"})


def test_the_token_comes_from_the_environment_first(tmp_path):
    env = {"REVERIE_SERVER_TOKEN": " ours ", "QWEN_SERVER_TOKEN": "theirs"}
    assert load_token(tmp_path, dialect=REVERIE, env=env).value == "ours"
    assert load_token(tmp_path, dialect=QWEN, env={"QWEN_SERVER_TOKEN": "theirs"}).value == "theirs"
    assert load_token(tmp_path, dialect=REVERIE, env={"QWEN_SERVER_TOKEN": "theirs"}).fresh
    assert load_token(tmp_path, dialect=QWEN, env=env).source == "environment REVERIE_SERVER_TOKEN"


def test_without_one_a_token_is_made_once_for_the_owner_alone(tmp_path):
    made = load_token(tmp_path, dialect=REVERIE, env={})
    assert made.fresh
    assert len(made.value) >= 40
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600
    again = load_token(tmp_path, dialect=REVERIE, env={"REVERIE_SERVER_TOKEN": "  "})
    assert (again.value, again.fresh) == (made.value, False)


def test_a_token_file_others_could_read_is_closed_and_its_owner_is_told(tmp_path):
    path = tmp_path / "token"
    path.write_text("known\n")
    os.chmod(path, 0o644)  # noqa: PTH101
    token = load_token(tmp_path, dialect=REVERIE, env={})
    assert token.value == "known"
    assert path.stat().st_mode & 0o777 == 0o600
    assert str(path) in token.notice
    assert "new token" in token.notice
    assert load_token(tmp_path, dialect=REVERIE, env={}).notice == ""
