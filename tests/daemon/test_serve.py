"""The daemon as a command: the ready line, the token, the socket, one per workspace, stopping."""

from __future__ import annotations

import json
import os
import plistlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from reverie.client import Client
from reverie.client.nearby import ask
from reverie.daemon.install import install, systemd_unit
from reverie.errors import DaemonUnreachable, WorkspaceNotFound
from tests.daemon.processes import TOKEN, Process

pytestmark = pytest.mark.slow


@pytest.fixture
def home():
    """A base folder with a short path: a Unix socket's path has little room."""
    folder = Path(tempfile.mkdtemp(prefix="rv"))
    yield folder / "h"
    shutil.rmtree(folder)


def run_serve(project, home, *options, **env):
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "reverie",
            "--home",
            str(home),
            "-C",
            str(project),
            "serve",
            *options,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **env},
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_one_json_line_when_ready_logs_elsewhere_and_a_clean_stop(project, home, number):
    with Process(project, home) as daemon:
        facts = daemon.facts
        assert facts["pid"] == daemon.popen.pid
        assert facts["url"].startswith("http://127.0.0.1:")
        assert facts["workspaces"][0]["cwd"] == str(project)
        noted = json.loads((home / "state" / "daemon.json").read_text())
        assert noted == facts
        with daemon.client() as client:
            assert client.health() == "ok"
            task = client.wait(client.remember("Kept until the end"))
        status, said, logged = daemon.end(number)
    assert status == 0
    assert said == ""
    assert facts["url"] in logged
    assert TOKEN not in logged
    assert "Traceback" not in logged
    assert task.result["filesTouched"]
    assert not (home / "state" / "daemon.sock").exists()
    assert not (home / "state" / "daemon.json").exists()


def test_a_token_is_made_and_shown_once_and_is_never_an_argument(project, home):
    env = {"REVERIE_SERVER_TOKEN": ""}
    with Process(project, home, env=env) as first:
        token = (home / "state" / "token").read_text().strip()
        with Client(first.facts["url"], token=token) as client:
            assert client.capabilities()["v"] == 1
        command = Path(f"/proc/{first.popen.pid}/cmdline")
        if command.exists():
            assert token.encode() not in command.read_bytes()
        _, _, logged = first.end(signal.SIGTERM)
    assert token in logged
    with Process(project, home, env=env) as second:
        _, _, logged = second.end(signal.SIGTERM)
    assert token not in logged
    assert (home / "state" / "token").read_text().strip() == token


def test_the_unix_socket_answers_its_owner_without_a_token(project, home):
    with Process(project, home) as daemon:
        path = Path(daemon.facts["socket"])
        assert path.stat().st_mode & 0o777 == 0o600
        with Client(socket=path) as client:
            task = client.wait(client.remember("Said through the socket"))
            assert task.result["touchedScopes"]
        found = ask(
            "/workspace/recall", {"query": "socket"}, socket_file=path, workspace=str(project)
        )
        assert found["topics"]
        with pytest.raises(WorkspaceNotFound):
            ask("/workspace/stats", socket_file=path, workspace="/")
    with pytest.raises(DaemonUnreachable):
        ask("/workspace/stats", socket_file=path, workspace=str(project))


def test_commands_ask_the_daemon_and_say_the_same_without_it(project, home):
    def command(*words, **env):
        done = subprocess.run(
            [sys.executable, "-m", "reverie", "--home", str(home), "--json", *words],
            cwd=project / "deep",
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **env},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    (project / "deep").mkdir()
    (project / "MEMORY.md").write_text("# Boats\n\nThe ferry Aurora sails at nine.\n")
    recall = ("recall", "when does the ferry sail?")
    search = ("search", "ferry Aurora sails")
    with Process(project, home) as daemon:
        with daemon.client() as client:
            client.wait(client.remember("The ferry sails at nine, not at ten"))
        through = [command(*recall), command(*search)]
        with daemon.client() as client:
            asked = {run["path"]: run for run in _requests(client)}
        assert asked["/workspaces/{workspace}/recall"]["count"] == 1
        assert asked["/workspaces/{workspace}/search"]["count"] == 1
        own = [command(*recall, REVERIE_RECALL__LIMIT="3")]  # our settings are not the daemon's
        daemon.end(signal.SIGTERM)
    alone = [command(*recall), command(*search)]
    assert through == alone
    assert own == alone[:1]
    assert through[0]["topics"]
    assert through[1]["results"]


def _requests(client):
    """Read how often each path was asked for from the daemon's metrics."""
    page = client._http.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    for line in page.splitlines():
        if line.startswith("reverie_http_request_seconds_count"):
            yield {"path": line.split('"')[1], "count": float(line.split()[-1])}


def test_a_socket_left_by_a_killed_daemon_does_not_stop_the_next(project, home):
    with Process(project, home) as daemon:
        daemon.end(signal.SIGKILL)
        assert Path(daemon.facts["socket"]).exists()
    with Process(project, home) as daemon, Client(socket=daemon.facts["socket"]) as client:
        assert client.health() == "ok"


def test_a_base_folder_with_a_long_path_goes_without_the_socket(project, tmp_path):
    deep = tmp_path / ("x" * 120)
    with Process(project, deep) as daemon:
        assert daemon.facts["socket"] is None
        with daemon.client() as client:
            assert client.health() == "ok"


def test_a_second_daemon_of_the_workspace_names_the_first(project, home):
    with Process(project, home) as first:
        done = run_serve(project, home, "--port", "0")
        assert done.returncode == 5
        assert "[already_running]" in done.stderr
        assert first.facts["url"] in done.stderr
        port = first.facts["url"].rpartition(":")[2]
        same_port = run_serve(project, home, "--port", port)
        assert "[already_running]" in same_port.stderr


def test_daemons_of_two_workspaces_share_a_home(project, home, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    with Process(project, home) as first, Process(other, home) as second:
        assert second.facts["socket"] is None
        for daemon in (first, second):
            with daemon.client() as client:
                assert client.wait(client.remember(f"From {daemon.facts['pid']}")).result
    with Process(project, home, "--also", str(other)) as both:
        assert len(both.facts["workspaces"]) == 2


def test_a_port_of_another_program_is_named(project, home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run_serve(project, home, "--port", str(taken.getsockname()[1]))
    assert done.returncode == 5
    assert "[port_taken]" in done.stderr
    assert "--port" in done.stderr


def test_a_folder_that_is_not_there_is_named(home, tmp_path):
    done = run_serve(tmp_path / "nowhere", home, "--port", "0")
    assert done.returncode != 0
    assert "nowhere" in done.stderr
    assert done.stdout == ""


def test_the_service_can_be_installed_for_systemd(private_home, project):
    words = ["-C", "/a folder/100%", "serve", "--port", "4170"]
    done = install(
        words, env={"HOME": str(private_home)}, platform="linux", program="/usr/bin/python"
    )
    path = private_home / ".config" / "systemd" / "user" / "reverie.service"
    assert done.path == str(path)
    unit = path.read_text()
    assert 'ExecStart=/usr/bin/python -m reverie -C "/a folder/100%%" serve --port 4170\n' in unit
    assert "systemctl --user enable --now reverie" in done.next_steps
    assert systemd_unit(['say "hi" $HOME']).count('"say \\"hi\\" $$HOME"') == 1


def test_the_service_can_be_installed_for_launchd(private_home):
    words = ["-C", "/a & b", "serve"]
    done = install(words, env={"HOME": str(private_home)}, platform="darwin", program="/py")
    with Path(done.path).open("rb") as file:
        plist = plistlib.load(file)
    assert plist["ProgramArguments"] == ["/py", "-m", "reverie", "-C", "/a & b", "serve"]
    assert plist["RunAtLoad"] is True


def test_the_command_installs_and_says_what_to_do_next(project, home, private_home):
    done = run_serve(project, home, "--install", "--port", "0", "--json", XDG_CONFIG_HOME="")
    shown = json.loads(done.stdout)
    assert Path(shown["path"]).read_text().count(str(project)) == 1
    assert str(home) in Path(shown["path"]).read_text()
    assert shown["nextSteps"]
