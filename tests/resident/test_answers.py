"""The same answers with a resident and without, also when it dies, hangs, or cannot start."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from reverie.client import quick, resident
from reverie.models.multilingual import is_installed
from tests.conftest import settle
from tests.resident.conftest import WAIT, short_lived, until

pytestmark = pytest.mark.slow
OFF = {resident.SWITCH: "off"}
FACTS = (
    "We deploy the billing gateway only on Tuesdays",
    "Anna leads the billing team",
    "The staging server heron listens on port 8471",
    "I prefer short answers without a closing summary",
)


@pytest.fixture
def filled(home):
    home.fill(*FACTS)
    return home


@pytest.fixture(scope="module")
def awake(tmp_path_factory):
    """A filled home that is only asked, and whose resident answers."""
    with pytest.MonkeyPatch.context() as patch:
        settle(tmp_path_factory.mktemp("home"), patch)
        with short_lived() as home:
            home.fill(*FACTS)
            home.wake()
            home.ready()
            yield home


@contextmanager
def without(home):
    """Put the socket aside, so that nobody finds the resident."""
    aside = f"{home.socket}.aside"
    os.rename(home.socket, aside)
    yield
    os.rename(aside, home.socket)


COMMANDS = (
    ("recall", "when may I deploy the billing gateway?"),
    ("recall", "what is the colour of the moon?"),
    ("recall", "who leads billing?", "--limit", "1"),
    ("search", "staging server port"),
    ("search", "nothing of that kind whatsoever", "--min-score", "0.9"),
    ("search", "billing", "--max-results", "2", "--source", "memory"),
    ("get", "no/such/file.md"),
    ("stats",),
    ("remember", "Anna leads the billing team", "--dry-run"),
    ("forget", "staging server", "--dry-run"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_says_the_same_byte_for_byte(awake, words):
    for form in ((), ("--json",)):
        with without(awake):
            alone = awake.run(*words, *form, env=OFF)
        asked = awake.run(*words, *form)
        assert (asked.returncode, asked.stderr) == (alone.returncode, alone.stderr)
        if not form:
            assert asked.stdout == alone.stdout
            continue
        one, other = (_plain(json.loads(item.stdout)) for item in (asked, alone))
        assert (one.pop("via"), other.pop("via")) == ("daemon", "memory")
        assert one == other


def _plain(wire):
    """Leave out how long it took, and which index was looked at."""
    for key in ("durationMs", "tookMs", "stats"):
        wire.pop(key, None)
    return wire


PROMPTS = (
    "when may I deploy the billing gateway?",
    "which port does the staging server heron listen on?",
    "tell me about the colour of the moon, please",
    "ok",
)


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_hook_says_the_same(filled, prompt):
    alone = filled.hook("prompt", {"prompt": prompt}, **OFF)
    filled.wake()
    filled.ready()
    asked = filled.hook("prompt", {"prompt": prompt})
    assert (asked.stdout, asked.returncode) == (alone.stdout, 0)
    assert asked.stderr == alone.stderr == ""


@pytest.mark.parametrize("settings", ["enabled = false", "context_chars = 120"])
def test_settings_of_hooks_count_through_it(filled, settings):
    (filled.path / "config.toml").write_text(f"[hooks]\n{settings}\n")
    alone = filled.hook("prompt", {"prompt": PROMPTS[0]}, **OFF)
    filled.wake()
    filled.ready()
    assert filled.hook("prompt", {"prompt": PROMPTS[0]}).stdout == alone.stdout


def test_a_session_begins_the_same(filled):
    alone = filled.hook("session-start", {"source": "startup", "session_id": "a"}, **OFF)
    filled.wake()
    filled.ready()
    asked = filled.hook("session-start", {"source": "startup", "session_id": "b"})
    assert "Tuesdays" in asked.stdout
    assert asked.stdout == alone.stdout
    # Both know what the session was told, so that nothing is said twice.
    shown = sorted((filled.state / "hooks").glob("?.shown"))
    assert [item.name for item in shown] == ["a.shown", "b.shown"]
    assert shown[0].read_text() == shown[1].read_text()


def test_a_hook_starts_it_after_its_answer_and_the_next_one_is_answered_by_it(filled):
    assert "Tuesdays" in filled.hook("prompt", {"prompt": PROMPTS[0]}).stdout
    filled.ready()
    recall = filled.state / "recall"
    for item in recall.iterdir():
        item.unlink()
    recall.rmdir()
    said = filled.hook("prompt", {"prompt": PROMPTS[0], "session_id": "other"}).stdout
    assert "Tuesdays" in said
    assert not recall.exists()  # nothing was read here


def test_a_command_starts_it(filled):
    assert "Tuesdays" in filled.run("recall", PROMPTS[0]).stdout
    filled.ready()
    assert '"via": "daemon"' in filled.run("recall", PROMPTS[0], "--json").stdout


@pytest.mark.parametrize(
    ("settings", "env"),
    [
        ("[daemon]\nresident = false\n", {}),
        ("", OFF),
        ("", {"REVERIE_RECALL__LIMIT": "3"}),
        ("", {"REVERIE_ASKED_BY_REVERIE": "1"}),
    ],
)
def test_switched_off_none_starts(filled, settings, env):
    (filled.path / "config.toml").write_text(settings)
    filled.run("recall", PROMPTS[0], env=env)
    filled.hook("prompt", {"prompt": PROMPTS[0]}, **env)
    assert not (filled.state / resident.TRIED_FILE).exists()
    assert not filled.processes()


def test_where_a_database_keeps_memory_none_stays_and_none_is_tried_again(filled):
    settings = filled.path / "config.toml"
    settings.write_text('[engine]\nurl = "postgresql://127.0.0.1:1/none"\n')
    assert filled.wake()
    tried = filled.state / resident.TRIED_FILE
    until(lambda: tried.exists() and tried.read_text() == "memory is kept in a database\n")
    until(lambda: not filled.processes())
    assert filled.wake() is None
    os.utime(settings, (tried.stat().st_mtime + 1,) * 2)
    assert filled.wake()
    until(lambda: not filled.processes())


def test_one_that_dies_while_it_is_asked_costs_nothing_but_time(filled):
    filled.wake()
    process = filled.ready()["pid"]
    os.kill(process, signal.SIGSTOP)
    asking = subprocess.Popen(
        [sys.executable, "-P", "-m", "reverie", *filled.words, "recall", PROMPTS[0]],
        env={**filled.env, **OFF},
        stdout=subprocess.PIPE,
        text=True,
    )
    until(lambda: _waits(process))
    os.kill(process, signal.SIGKILL)
    assert "Tuesdays" in asking.communicate(timeout=WAIT)[0]
    assert asking.returncode == 0
    said = filled.hook("prompt", {"prompt": PROMPTS[0]})  # the socket is still there, nobody is
    assert "Tuesdays" in said.stdout
    assert filled.ready()["pid"] != process


def _waits(process):
    """Say whether somebody has connected and waits for a process that was stopped."""
    with open(f"/proc/{process}/net/unix") as file:
        lines = [line.split() for line in file if line.rstrip().endswith(quick.SOCKET_FILE)]
    return len(lines) > 1


def test_one_that_hangs_leaves_a_hook_time_for_the_files(filled):
    filled.hook("prompt", {"prompt": PROMPTS[0]}, **OFF)
    filled.wake()
    process = filled.ready()["pid"]
    os.kill(process, signal.SIGSTOP)
    said = filled.hook("prompt", {"prompt": PROMPTS[0], "session_id": "t"})
    assert "Tuesdays" in said.stdout
    os.kill(process, signal.SIGCONT)


def test_in_a_home_that_cannot_be_written_none_starts_and_hooks_answer(filled, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root writes anywhere")
    filled.state.chmod(0o500)
    assert "Tuesdays" in filled.hook("prompt", {"prompt": PROMPTS[0]}).stdout
    assert not filled.processes()


@pytest.mark.parametrize("blocked", [resident.TRIED_FILE, resident.LOG_FILE])
def test_where_its_files_cannot_be_made_none_starts_and_hooks_answer(filled, blocked):
    (filled.state / blocked).mkdir()
    said = filled.hook("prompt", {"prompt": PROMPTS[0]})
    assert "Tuesdays" in said.stdout
    assert (said.returncode, said.stderr) == (0, "")
    assert "Tuesdays" in filled.run("recall", PROMPTS[0]).stdout
    until(lambda: not filled.processes())


def test_a_socket_that_cannot_be_made_ends_it_with_a_word_in_its_log(filled):
    (filled.state / quick.SOCKET_FILE).mkdir()
    assert filled.wake(gone=True)
    until(lambda: "There is no Unix socket" in filled.log())
    until(lambda: not filled.processes())
    assert "Tuesdays" in filled.hook("prompt", {"prompt": PROMPTS[0]}).stdout


def test_a_path_too_long_for_a_socket_is_reached_all_the_same(filled):
    deep = filled.root / ("d" * 60) / ("e" * 60)
    deep.parent.mkdir()
    os.rename(filled.path, deep)
    filled.path = deep
    assert filled.run("remember", "A memory in a deep place", env=OFF).returncode == 0
    filled.wake()
    filled.ready()
    assert '"via": "daemon"' in filled.run("recall", "what is in a deep place?", "--json").stdout


def test_where_a_model_is_asked_the_command_does_it_itself(filled):
    filled.wake()
    filled.ready()
    (filled.path / "config.toml").write_text('[model]\nname = "ollama:none"\n')
    resident.stop(filled.socket)
    until(lambda: not filled.processes())
    filled.wake()
    filled.up()

    def refused():
        place, folder = filled.socket, str(filled.project)
        status, told = quick.exchange(place, folder, "/workspace/stats", None, timeout=WAIT)
        return (status, told["code"]) == (404, "workspace_not_found")

    until(refused)
    assert '"via": "memory"' in filled.run("stats", "--json").stdout


def test_another_embedder_is_answered_by_whoever_asks(filled):
    filled.wake()
    filled.ready()
    asked = filled.run("recall", PROMPTS[0], "--json", env={"REVERIE_EMBEDDER": "none", **OFF})
    assert '"via": "memory"' in asked.stdout


TALK = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)


class Server:
    """An MCP server on standard input and output."""

    def __init__(self, home, **env):
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "reverie", *home.words, "mcp"],
            env={**home.env, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._id = len(TALK)
        for message in TALK:
            self.say(message)
        assert [self.hear()["id"], self.hear()["id"]] == [1, 2]

    def say(self, message):
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def hear(self):
        return json.loads(self._process.stdout.readline())

    def call(self, name, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})["result"]

    def ask(self, method, params):
        self._id += 1
        self.say({"id": self._id, "method": method, "params": params})
        return self.hear()

    def files(self):
        """Return the names of the files that the server has open."""
        folder = Path("/proc") / str(self._process.pid) / "fd"
        return {Path(os.readlink(entry)).name for entry in folder.iterdir()}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.communicate(timeout=WAIT)


CALLS = (
    ("memory_search", {"query": "staging server port"}),
    ("memory_search", {"query": ""}),
    ("memory_search", {"nothing": "of that kind"}),
    ("memory_get", {"path": "no/such/file.md"}),
    ("no_such_tool", {}),
)


def test_tools_answer_the_same(filled):
    with Server(filled, **OFF) as alone:
        expected = [alone.call(name, **given) for name, given in CALLS]
    filled.wake()
    filled.ready()
    with Server(filled) as asked:
        found = [asked.call(name, **given) for name, given in CALLS]
        done = asked.call("remember", text="The harbour crane is serviced in March")
        assert not done["isError"]
    assert [item["isError"] for item in found] == [item["isError"] for item in expected]
    for one, other in zip(found, expected, strict=True):
        assert _unfenced(one["content"]) == _unfenced(other["content"])
    log = json.loads(filled.run("log", "--limit", "1", "--json").stdout)
    run = (log["runs"] if isinstance(log, dict) else log)[0]
    assert run["client"] == "mcp:test@1"
    assert run["detail"]["via"] == "mcp"
    assert "daemon" in run["detail"]


READS = (
    ("resources/list", {}),
    ("resources/list", {"cursor": "x"}),
    ("resources/read", {"uri": "reverie://catalog/user"}),
    ("resources/read", {"uri": "reverie://nothing"}),
    ("prompts/get", {"name": "remember", "arguments": {"text": "x"}}),
    ("prompts/get", {"name": "none"}),
)


def test_what_a_client_reads_is_the_same(filled):
    with Server(filled, **OFF) as alone:
        expected = [alone.ask(method, params) for method, params in READS]
    assert len(expected[0]["result"]["resources"]) > 3
    filled.wake()
    filled.ready()
    with Server(filled) as asked:
        found = [asked.ask(method, params) for method, params in READS]
    for one, other in zip(found, expected, strict=True):
        assert {**one, "id": 0} == {**other, "id": 0}


def test_for_what_a_client_reads_the_server_does_not_open_the_memory(filled):
    filled.wake()
    filled.ready()
    with Server(filled) as server:
        for method, params in READS[::2]:
            server.ask(method, params)
        assert "journal.db" not in server.files()
    with Server(filled, **OFF) as alone, without(filled):
        alone.call("memory_search", query="staging server port")
        assert "journal.db" in alone.files()


def _unfenced(content):
    """Take the random marks of fences off."""
    import re

    return [re.sub(r":[0-9a-f]{20}>", ">", item["text"]) for item in content]


def test_a_server_starts_it_for_its_calls(filled):
    with Server(filled) as server:
        filled.ready()
        assert "8471" in str(server.call("memory_search", query="staging server port"))
        os.kill(filled.up()["pid"], signal.SIGKILL)
        assert "8471" in str(server.call("memory_search", query="staging server port"))
        assert not server.call("remember", text="Something new about cranes")["isError"]


@pytest.mark.skipif(not is_installed(), reason="the sentence model's package is not installed")
def test_through_it_a_prompt_finds_what_means_the_same_in_other_words(home, monkeypatch):
    monkeypatch.setenv("REVERIE_EMBEDDER", "multilingual")
    home.env["REVERIE_EMBEDDER"] = "multilingual"
    home.fill("The coffee machine is in the kitchen on the second floor")
    asks = {"prompt": "Wo steht die Kaffeemaschine?"}
    assert home.hook("prompt", {**asks, "session_id": "alone"}, **OFF).stdout == "{}\n"
    home.wake()
    home.ready()

    def found():
        said = home.hook("prompt", {**asks, "session_id": os.urandom(4).hex()}, **OFF)
        return "second floor" in said.stdout

    until(found)  # by words, while the model is being read
