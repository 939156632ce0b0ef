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

from reverie.client import Client, quick
from reverie.client.nearby import ask
from reverie.daemon.install import install, systemd_unit, uninstall
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
    assert f"{first.facts['url']}/#token={token}\n" in logged, "the page is one click away"
    with Process(project, home, env=env) as second:
        _, _, logged = second.end(signal.SIGTERM)
    assert token not in logged
    assert f"{second.facts['url']}/#token=$(cat '{home / 'state' / 'token'}')" in logged
    assert (home / "state" / "token").stat().st_mode & 0o777 == 0o600
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


def command(project, home, *words, **env):
    done = subprocess.run(
        [sys.executable, "-m", "reverie", "--home", str(home), "--json", *words],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    return shown.pop("via"), shown


def test_commands_ask_the_daemon_and_say_the_same_without_it(project, home):
    here = project / "deep"
    here.mkdir()
    (project / "MEMORY.md").write_text("# Boats\n\nThe ferry Aurora sails at nine.\n")
    fact = ("remember", "The ferry sails at nine, not at ten", "--why", "the tide")
    asked = (
        ("recall", "when does the ferry sail?"),
        ("search", "ferry Aurora sails"),
        ("get", "MEMORY.md", "--lines", "3-3"),
        ("stats",),
        ("forget", "--dry-run", "ferry sails nine not ten"),
        ("remember", "--dry-run", "The ferry sails at nine, not at ten"),
    )
    with Process(project, home) as daemon:
        via, remembered = command(here, home, *fact)
        assert via == "daemon"
        assert remembered["run"]
        assert remembered["action"] == "added"
        through = [command(here, home, *words) for words in asked]
        with daemon.client() as client:
            counted = {run["path"]: run["count"] for run in _requests(client)}
        assert counted["/workspaces/{workspace}/recall"] == 1
        assert counted["/workspaces/{workspace}/remember"] == 2
        own, _ = command(here, home, *asked[0], REVERIE_RECALL__LIMIT="3")
        assert own == "memory", "settings in our environment are not the daemon's"
        daemon.end(signal.SIGTERM)
    alone = [command(here, home, *words) for words in asked]
    assert {via for via, _ in through} == {"daemon"}
    assert {via for via, _ in alone} == {"memory"}
    for words, (_, one), (_, other) in zip(asked, through, alone, strict=True):
        assert one == other, words
    assert through[0][1]["topics"]
    assert through[1][1]["results"]
    assert through[4][1]["removedEntries"]


def test_a_command_opens_the_memory_when_the_daemon_serves_another_project(project, home, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    with Process(project, home) as daemon:
        assert command(other, home, "recall", "anything")[0] == "memory"
        assert command(project, home, "recall", "anything")[0] == "daemon"
        daemon.end(signal.SIGKILL)
        assert command(project, home, "remember", "Said to a dead daemon")[0] == "memory"


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


def test_a_base_folder_with_a_long_path_has_its_socket_too(project, tmp_path):
    deep = tmp_path / ("x" * 120)
    with Process(project, deep) as daemon:
        place = Path(daemon.facts["socket"])
        assert place == deep / "state" / "daemon.sock"
        assert place.stat().st_mode & 0o777 == 0o600
        found = quick.ask(str(deep), str(project), "/workspace/stats", timeout=30)
        assert found["totalFiles"] == 0
        with Client(socket=place) as client:
            assert client.health() == "ok"
        daemon.end(signal.SIGTERM)
        assert not place.exists()
    assert quick.ask(str(deep), str(project), "/workspace/stats", timeout=30) is None


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


def test_another_port_is_taken_when_that_is_wanted(project, home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with Process(project, home, "--port", port, "--or-any") as daemon:
            assert daemon.facts["url"].rpartition(":")[2] not in (port, "0")
            _, _, logged = daemon.end(signal.SIGTERM)
    assert f"another program listens on 127.0.0.1:{port}" in logged
    with Process(project, home):
        second = run_serve(project, home, "--or-any")
    assert "[already_running]" in second.stderr, "a second daemon is no matter of ports"


def test_make_run_serves():
    root = Path(__file__).parents[2]
    done = subprocess.run(["make", "-n", "run"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "reverie serve --port 4170 --or-any" in done.stdout


def test_the_daemon_asks_for_room_for_its_files():
    script = (
        "import resource; from reverie.daemon.serve import raise_file_limit as up\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))\n"
        "assert up() == resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(1024, hard)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (200, 300))\n"
        "assert up() == 300 == up(100)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


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
    assert (
        'ExecStart=/usr/bin/python -P -m reverie -C "/a folder/100%%" serve --port 4170\n' in unit
    )
    assert "systemctl --user enable --now reverie" in done.next_steps
    assert systemd_unit(["/py", 'say "hi" $HOME']).count('"say \\"hi\\" $$HOME"') == 1


def test_the_service_can_be_installed_for_launchd(private_home):
    words = ["-C", "/a & b", "serve"]
    done = install(words, env={"HOME": str(private_home)}, platform="darwin", program="/py")
    with Path(done.path).open("rb") as file:
        plist = plistlib.load(file)
    assert plist["ProgramArguments"] == ["/py", "-P", "-m", "reverie", "-C", "/a & b", "serve"]
    assert plist["RunAtLoad"] is True


def test_the_command_installs_and_says_what_to_do_next(project, home, private_home):
    done = run_serve(project, home, "--install", "--port", "0", "--json", XDG_CONFIG_HOME="")
    shown = json.loads(done.stdout)
    assert Path(shown["path"]).read_text().count(str(project)) == 1
    assert str(home) in Path(shown["path"]).read_text()
    assert shown["nextSteps"]


def test_a_dry_run_shows_the_service_and_writes_nothing(project, home, private_home):
    told = run_serve(project, home, "--install", "--dry-run", "--json", XDG_CONFIG_HOME="")
    place = Path(json.loads(told.stdout)["path"])
    first = run_serve(project, home, "--install", "--dry-run", XDG_CONFIG_HOME="")
    assert first.stdout.startswith(f"would write {place}:\n\n")
    assert not place.exists()
    run_serve(project, home, "--install", XDG_CONFIG_HOME="")
    assert place.read_text() in first.stdout
    gone = run_serve(project, home, "--uninstall", "--dry-run", XDG_CONFIG_HOME="")
    assert gone.stdout == f"would remove {place}\n"
    assert place.exists()
    assert run_serve(project, home, "--dry-run").returncode == 2


def test_everything_said_about_serving_is_in_the_service(project, home, private_home):
    words = ("--or-any", "--also", str(private_home))
    words += ("--engine", "postgresql://service@db/reverie", "--log-level", "debug")
    done = run_serve(project, home, "--install", "--dry-run", *words, XDG_CONFIG_HOME="")
    assert [word for word in words if word not in done.stdout] == []
    refused = run_serve(project, home, "--install", "--engine", "postgresql://me:word@db/reverie")
    assert (refused.returncode, "password" in refused.stderr) == (2, True)


def test_the_service_can_be_taken_away_again(private_home):
    env = {"HOME": str(private_home)}
    for platform in ("linux", "darwin"):
        place = Path(install(["serve"], env=env, platform=platform, program="/py").path)
        wanted = place.parent / "default.target.wants" / place.name
        if platform == "linux":
            wanted.parent.mkdir()
            wanted.symlink_to(place)
        done = uninstall(env=env, platform=platform)
        assert done.removed
        assert done.path == str(place)
        assert done.next_steps
        assert not place.exists()
        assert not wanted.is_symlink()
        again = uninstall(env=env, platform=platform)
        assert (again.removed, again.next_steps) == (False, ())


def test_the_command_uninstalls(project, home, private_home):
    run_serve(project, home, "--install", XDG_CONFIG_HOME="")
    done = run_serve(project, home, "--uninstall", XDG_CONFIG_HOME="")
    assert done.stdout.startswith("removed ")
    assert run_serve(project, home, "--uninstall", XDG_CONFIG_HOME="").stdout.startswith("there is")
    assert run_serve(project, home, "--install", "--uninstall").returncode == 2


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_understands_the_unit(private_home):
    words = ["-C", "/a folder/100% $HOME", "serve"]
    done = install(words, env={"HOME": str(private_home)}, platform="linux", program=sys.executable)
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", done.path],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(private_home)},
    )
    about_ours = [line for line in checked.stderr.splitlines() if "reverie" in line]
    assert about_ours == []
