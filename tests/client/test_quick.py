"""The quick way to ask a daemon: few imports, the right socket, and None when there is nobody."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from reverie.client import quick
from reverie.dialect import DIALECTS
from reverie.errors import DaemonUnreachable, InvalidQuery
from reverie.local.settings import choose_dialect
from reverie.local.store.paths import base_folder, find_project_root

WAIT = 20.0
OK = b'HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{"block":"x"}'


@contextmanager
def listening(place, answer=OK, *, hold=None):
    """Answer one connection at a Unix socket; yields what was asked."""
    place.parent.mkdir(parents=True, exist_ok=True)
    asked: list[bytes] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        with quick.ShortPath(str(place)) as short:
            server.bind(short)
        server.listen()
        server.settimeout(WAIT)

        def serve():
            connection, _ = server.accept()
            with connection:
                asked.append(connection.recv(65536))
                if hold is not None:
                    hold.wait(WAIT)
                with suppress(BrokenPipeError):  # who asked may have given up
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield asked
        if hold is not None:
            hold.set()
        thread.join(WAIT)


def ask(home, project, **more):
    more.setdefault("env", {"HOME": "/nowhere"})
    return quick.ask(str(home), str(project), "/workspace/recall", {"query": "x"}, timeout=WAIT,
                     **more)  # fmt: skip


def test_an_answer_is_the_json_and_the_request_names_the_project(tmp_path, project):
    inner = project / "ein Ordner" / "深"
    inner.mkdir(parents=True)
    with listening(tmp_path / "h" / "state" / "daemon.sock") as asked:
        assert ask(tmp_path / "h", inner) == {"block": "x"}
    head, _, body = asked[0].partition(b"\r\n\r\n")
    quoted = str(project).replace("/", "%2F").encode()
    assert head.startswith(b"POST /workspaces/" + quoted + b"/recall HTTP/1.1\r\n")
    assert json.loads(body) == {"query": "x"}


def test_a_folder_outside_of_any_project_names_itself_whatever_its_script(tmp_path):
    odd = tmp_path / "深 &?#%"
    odd.mkdir()
    with listening(tmp_path / "h" / "state" / "daemon.sock") as asked:
        assert ask(tmp_path / "h", odd)
    assert "深 &?#%".encode() not in asked[0]
    assert b"%E6%B7%B1%20%26%3F%23%25/recall HTTP/1.1" in asked[0]


def test_nobody_there_gives_none(tmp_path, project):
    assert ask(tmp_path / "h", project) is None
    left = tmp_path / "h" / "state" / "daemon.sock"
    left.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as killed:
        killed.bind(str(left))
    assert left.exists()
    assert ask(tmp_path / "h", project) is None


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"rubbish",
        b"HTTP/1.1 200 OK\r\n\r\nnot json",
        b"HTTP/1.1 200 OK\r\n\r\n[1]",
        b'HTTP/1.1 404 Not Found\r\n\r\n{"code": "workspace_not_found"}',
        b'HTTP/1.1 503 Service Unavailable\r\n\r\n{"code": "draining"}',
    ],
)
def test_an_answer_that_is_none_gives_none(tmp_path, project, answer):
    with listening(tmp_path / "h" / "state" / "daemon.sock", answer):
        assert ask(tmp_path / "h", project) is None


def test_a_daemon_that_does_not_answer_in_time_gives_none(tmp_path, project):
    hold = threading.Event()
    with listening(tmp_path / "h" / "state" / "daemon.sock", hold=hold):
        found = quick.ask(str(tmp_path / "h"), str(project), "/workspace/recall", {}, timeout=0.05)
        assert found is None


@pytest.mark.parametrize(
    "env",
    [
        {"REVERIE_RECALL__LIMIT": "3"},
        {"REVERIE_ENGINE": "postgresql://x"},
        {"REVERIE_MEMORY_LOCAL": "1"},
        {"REVERIE_DIALECT": "?"},
    ],
)
def test_a_process_with_settings_of_its_own_does_not_ask(tmp_path, project, env):
    place = tmp_path / "h" / "state" / "daemon.sock"
    place.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(place))
        server.listen()
        assert ask(tmp_path / "h", project, env=env) is None


def test_a_socket_with_a_long_path_is_reached_through_its_folder(tmp_path, project):
    deep = tmp_path / ("x" * 120) / "h"
    assert len(str(deep)) > quick.SOCKET_PATH_BYTES
    with listening(deep / "state" / "daemon.sock"):
        assert ask(deep, project) == {"block": "x"}


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("how", ["argument", "environment", "settings", "tilde"])
def test_the_socket_is_where_the_dialect_keeps_its_state(private_home, dialect, how):
    env = {"HOME": str(private_home)}
    home = "~/elsewhere" if how == "tilde" else None
    if how == "environment":
        env |= {"REVERIE_DIALECT": dialect.name, dialect.home_env[-1]: str(private_home / "moved")}
    if how == "settings":
        (private_home / ".reverie").mkdir()
        text = f'# mine\ndialect = "{dialect.name}"  # because\n[recall]\nlimit = 3\n'
        (private_home / ".reverie" / "config.toml").write_text(text)
    given = dialect.name if how in ("argument", "tilde") else None
    names = choose_dialect(given, home=home, env=env)
    assert names is dialect
    place = base_folder(names, home=home, env=env) / names.state_dir / quick.SOCKET_FILE
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()
    assert quick.socket_of(home, dialect=given, env=env) == str(place)


@pytest.mark.parametrize("command", [["recall", "x"], ["hook", "prompt", "--agent", "claude-code"]])
def test_a_pipe_in_the_place_of_the_settings_keeps_nobody_waiting(private_home, project, command):
    (private_home / ".reverie/state").mkdir(parents=True)
    os.mkfifo(private_home / ".reverie/config.toml")
    done = subprocess.run(
        [sys.executable, "-m", "reverie", *command],
        cwd=project,
        input='{"prompt": "when do we deploy?"}',
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "config.toml is not a regular file" in done.stderr


def test_the_names_are_those_of_the_dialects():
    for name, dialect in DIALECTS.items():
        assert quick.PLACES[name] == (
            dialect.config_dir,
            dialect.state_dir,
            dialect.home_env,
            (dialect.local_env, dialect.scope_env),
        )


def test_the_project_is_the_one_that_memory_finds(project, tmp_path):
    (project / "a" / "b").mkdir(parents=True)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: elsewhere\n")
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").symlink_to(project / ".git")
    (tmp_path / "way").symlink_to(project / "a")
    for folder in (project, project / "a" / "b", tree, linked, tmp_path / "way", tmp_path):
        expected = find_project_root(folder) or Path(os.path.realpath(folder))
        assert quick.project_of(str(folder)) == str(expected)


def test_errors_come_back_as_classes_through_the_other_way(tmp_path, project):
    from reverie.client.nearby import ask as ask_nearby

    place = tmp_path / "s"
    with pytest.raises(DaemonUnreachable):
        ask_nearby("/workspace/stats", socket_file=place, workspace=str(project))
    refusal = b'HTTP/1.1 400 Bad Request\r\n\r\n{"code": "invalid_query", "error": "no words"}'
    with listening(place, refusal), pytest.raises(InvalidQuery, match="no words"):
        ask_nearby("/workspace/recall", {}, socket_file=place, workspace=str(project))


def test_it_imports_next_to_nothing():
    script = "import sys; before = set(sys.modules); import reverie.client.quick; " \
             "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"  # fmt: skip
    run = [sys.executable, "-I", "-c", script]
    done = subprocess.run(run, check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "reverie" in loaded
    assert not loaded & {"typing", "pathlib", "socket", "http", "urllib", "click", "httpx2"}
    assert len(loaded) < 25, loaded
