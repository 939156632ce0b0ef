"""A resident's life: it starts once, serves its owner, makes room, ends, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from reverie import __version__
from reverie.client import quick, resident
from reverie.daemon.resident import is_newer
from tests.daemon.processes import Process
from tests.resident.conftest import WAIT, until

pytestmark = pytest.mark.slow


def test_of_many_that_start_at_once_one_stays(home):
    code = "from reverie.daemon.resident import main; import sys; main(sys.argv[1:])"
    started = [
        subprocess.Popen([sys.executable, "-P", "-c", code, "--home", str(home.path)], env=home.env)
        for _ in range(16)
    ]
    assert [process.wait(WAIT) for process in started] == [0] * 16
    found = home.up()

    until(lambda: _named(home) == [found["pid"]])
    assert home.about()["pid"] == found["pid"]
    resident.stop(home.socket)
    until(lambda: not _named(home))


def _named(home):
    """Return every process with this home among its arguments."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{name}/stat") as file:
                alive = file.read().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            continue
        if alive and os.fsencode(home.path) in words and int(name) != os.getpid():
            found.append(int(name))
    return found


def test_many_commands_at_once_start_one(home):
    for _ in range(8):
        home.wake()
    found = home.up()
    until(lambda: home.processes() == [found["pid"]])


def test_it_belongs_to_nobody_and_has_nothing_of_whoever_started_it(home, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    code = (
        "import os, sys; os.set_inheritable(os.open(sys.argv[1], os.O_RDONLY), True)\n"
        "from reverie.client.resident import wake\n"
        "print(wake(sys.argv[2]))"
    )
    env = {**home.env, "PYTHONPATH": str(tmp_path), "OPENAI_API_KEY": "sk-1", "SOMETHING": "else"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(secret), str(home.path)],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    process = home.up()["pid"]
    assert done.stdout.strip() != "None"
    names = [os.path.realpath(f"/proc/{process}/fd/{name}") for name in (0, 1, 2)]
    assert names == ["/dev/null", "/dev/null", str(home.state / resident.LOG_FILE)]
    held = {
        os.path.realpath(f"/proc/{process}/fd/{name}") for name in os.listdir(f"/proc/{process}/fd")
    }
    assert str(secret) not in held
    assert os.getsid(process) not in (os.getsid(0), os.getpid())
    assert os.path.realpath(f"/proc/{process}/cwd") == "/"
    with open(f"/proc/{process}/environ", "rb") as file:
        known = {item.partition(b"=")[0] for item in file.read().split(b"\0")}
    assert not known & {b"PYTHONPATH", b"OPENAI_API_KEY", b"SOMETHING"}
    assert b"HOME" in known
    assert b"PYTHONMALLOC=malloc" in Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    assert os.stat(home.socket).st_mode == stat.S_IFSOCK | 0o600
    assert os.stat(home.state).st_mode & 0o077 == 0


def test_it_listens_on_no_port(home):
    home.wake()
    process = home.up()["pid"]
    inodes = {
        os.readlink(f"/proc/{process}/fd/{name}").removeprefix("socket:[").rstrip("]")
        for name in os.listdir(f"/proc/{process}/fd")
        if os.readlink(f"/proc/{process}/fd/{name}").startswith("socket:")
    }
    for table in ("tcp", "tcp6"):
        with open(f"/proc/{process}/net/{table}") as file:
            listening = {
                line.split()[9] for line in file.readlines()[1:] if line.split()[3] == "0A"
            }
        assert not listening & inodes


def test_it_survives_the_end_of_the_group_that_started_it(home):
    code = "from reverie.client.resident import wake; import sys, time; wake(sys.argv[1]); time.sleep(600)"
    agent = subprocess.Popen(
        [sys.executable, "-c", code, str(home.path)], env=home.env, start_new_session=True
    )
    found = home.up()
    os.killpg(agent.pid, signal.SIGKILL)
    agent.wait()
    assert home.about()["pid"] == found["pid"]


def test_a_folder_that_others_may_enter_is_closed_to_them(home):
    home.state.chmod(0o755)
    home.wake()
    home.up()
    assert home.state.stat().st_mode & 0o777 == 0o700


def test_it_ends_when_nothing_was_asked_for_a_while(home):
    (home.path / "config.toml").write_text("[daemon]\nresident_minutes = 0.02\n")
    home.fill("We deploy on Tuesdays")
    home.wake()
    until(lambda: "nothing was asked" in home.log())
    until(lambda: not home.processes())
    assert not os.path.lexists(home.socket)
    home.wake()  # nothing that it left keeps the next one from starting
    until(lambda: home.log().count("nothing was asked") == 2)


def test_after_a_kill_the_next_one_starts(home):
    home.wake()
    first = home.up()["pid"]
    os.kill(first, signal.SIGKILL)
    until(lambda: not home.processes())
    assert os.path.lexists(home.socket)
    assert home.wake() is None  # a socket is there: somebody has to have found that nobody answers
    assert home.wake(gone=True)
    assert home.up()["pid"] != first


def test_stopping_it_by_hand(home):
    home.wake()
    process = home.up()["pid"]
    assert home.run("serve", "--stop").stdout == f"stopped process {process}\n"
    until(lambda: not home.processes())
    assert home.run("serve", "--stop").stdout == "no daemon of this home runs\n"


def test_status_and_doctor_say_that_it_runs(home):
    assert "one starts in the background when it is needed" in home.run("status").stdout
    home.wake()
    process = home.up()["pid"]
    for command in ("status", "doctor"):
        said = home.run(command).stdout
        assert f"A resident daemon runs: process {process}, version {__version__}, since " in said
        assert "MB; `reverie serve --stop` ends it." in said
    off = home.run("status", env={resident.SWITCH: "off"})
    assert f"process {process}" in off.stdout
    resident.stop(home.socket)
    until(lambda: not home.processes())
    assert resident.SWITCH in home.run("status", env={resident.SWITCH: "off"}).stdout
    (home.path / "config.toml").write_text("[daemon]\nresident = false\n")
    assert "daemon.resident is false" in home.run("status").stdout


def test_a_daemon_that_somebody_starts_takes_its_place(home):
    home.fill("We deploy on Tuesdays")
    home.wake()
    first = home.ready()["pid"]
    with Process(home.project, home.path) as daemon:
        assert daemon.facts["socket"] == home.socket
        found = home.about()
        assert (found["pid"], found["resident"]) == (daemon.popen.pid, False)
        until(lambda: first not in home.processes())
        assert "Tuesdays" in home.ask("/workspace/recall", {"query": "when do we deploy?"})["block"]
        assert home.wake() is None
        home.wake(gone=True)  # it sees that it is not needed
        until(lambda: not home.processes())
        assert home.about()["pid"] == daemon.popen.pid


@pytest.mark.parametrize(
    ("newer", "older"),
    [("0.2.0", "0.1.9"), ("1.0", "0.99.3"), ("0.10.0", "0.9.0"), ("1.0.1", "1.0")],
)
def test_versions_are_compared_by_their_numbers(newer, older):
    assert is_newer(newer, older)
    assert not is_newer(older, newer)
    assert not is_newer(newer, newer)


NEWER = """
import sys
import reverie
reverie.__version__ = sys.argv.pop(1)
from reverie.daemon import resident
resident.main(sys.argv[1:])
"""


def start_version(home, version):
    words = [sys.executable, "-P", "-c", NEWER, version, "--home", str(home.path)]
    subprocess.run(words, env=home.env, check=True, stdout=subprocess.DEVNULL)


def test_an_older_one_makes_room_for_a_newer_version_and_not_the_other_way_round(home):
    home.fill("We deploy on Tuesdays")
    home.wake()
    first = home.ready()["pid"]
    start_version(home, "99.0.0")
    until(lambda: (home.about() or {}).get("version") == "99.0.0")
    second = home.about()["pid"]
    until(lambda: first not in home.processes())
    # The older command answers itself, and does not take the newer one's place.
    asked = home.run("recall", "when do we deploy?", "--json")
    assert '"via": "memory"' in asked.stdout
    assert "Tuesdays" in asked.stdout
    until(lambda: not [item for item in _named(home) if item != second])
    assert home.about()["pid"] == second
    resident.stop(home.socket)
    until(lambda: not _named(home))


def test_nothing_that_was_accepted_is_lost_when_it_makes_room(home, monkeypatch):
    home.wake()
    home.ready()
    words = {"content": "The harbour crane is serviced in March"}
    accepted = home.ask("/workspace/memory/remember", words)
    assert accepted["status"] in ("queued", "running", "completed")
    start_version(home, "99.0.0")
    until(lambda: (home.about() or {}).get("version") == "99.0.0")
    monkeypatch.setattr(quick, "__version__", "99.0.0")  # whoever asks now is as new

    def kept():
        found = home.ask("/workspace/recall", {"query": "when is the harbour crane serviced?"})
        return found is not None and "March" in found["block"]

    until(kept)
    resident.stop(home.socket)
    until(lambda: not _named(home))


def test_one_whose_code_was_replaced_makes_room(home):
    import reverie

    home.wake()
    first = home.ready()["pid"]
    before = os.stat(reverie.__file__)
    try:
        os.utime(reverie.__file__)
        assert home.ask("/workspace/stats", None) is None
        until(lambda: first not in home.processes())
    finally:
        os.utime(reverie.__file__, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_somebody_else_is_hung_up_on(home):
    if os.geteuid() != 0:
        pytest.skip("only root can ask as somebody else")
    home.fill("We deploy on Tuesdays")
    home.wake()
    home.ready()
    for folder in (home.root, home.path, home.state):
        folder.chmod(0o755)
    os.chmod(home.socket, 0o666)
    code = (
        "import os, socket, sys\n"
        "os.setuid(65534)\n"
        "line = socket.socket(socket.AF_UNIX)\n"
        "line.connect(sys.argv[1])\n"
        "line.settimeout(60)\n"
        "try:\n"
        "    line.sendall(b'GET /health HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')\n"
        "    print(line.recv(100))\n"
        "except ConnectionError:\n"
        "    print(b'')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, home.socket], capture_output=True, text=True, check=True
    )
    assert done.stdout == "b''\n"
