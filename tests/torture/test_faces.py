"""Every face, killed at random moments: commands, the MCP server, hooks and what they leave behind.

`make test` runs a few rounds; `make torture` as many as REVERIE_TORTURE says.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from reverie.errors import DaemonUnreachable, QueueFull
from reverie.memory import Memory
from tests.daemon.processes import Process
from tests.torture.amount import SEED, rounds

ROUNDS = rounds(1, share=0.5)
WAIT = 120.0

pytestmark = [pytest.mark.slow, pytest.mark.torture]


def start(*words: object, **options) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "reverie", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def everything(*roots: Path) -> str:
    """Return every word that memory and project hold now, the journal left aside."""
    kinds = (".md", ".json", ".jsonl")
    files = [path for root in roots for path in root.rglob("*") if path.suffix in kinds]
    return "\n".join(path.read_text(encoding="utf-8") for path in files if path.is_file())


def check(project: Path, home: Path, context: str) -> None:
    """Whatever was killed, memory is whole, nothing lies about, and no error was left unsaid."""
    with Memory.open(project, home=home) as memory:
        verified = memory.verify()
        if [problem.code for problem in verified.problems] == ["erasure_unfinished"]:
            memory.forget(erase=True)  # what the problem says is to be done
            verified = memory.verify()
        assert verified.ok, f"{context}: {verified.problems}"
        memory.layers.history.latest(1)  # heals what it finds
    assert not list(home.rglob("*.reverie-tmp")), context


# --- commands -------------------------------------------------------------------------------------


def command(dice: random.Random, token: str, kept: list[str]) -> tuple[list[str], str, bool]:
    """Choose a command; return its words, whose token it is about, and whether it is there after."""
    fact = f"The gadget {token} hangs beside the door"
    known = kept[dice.randrange(len(kept))] if kept else ""
    chosen = dice.choice(
        [
            (["remember", "--clean", fact], token, True),
            (["save", "--scope", "project", fact], token, True),
            (["notes", "add", fact], token, True),
            (["history", "append", "--user", fact, "--assistant", "ok"], token, True),
            (["forget", f"The gadget {known} hangs beside the door"], known, False),
            (["forget", "--erase", f"The gadget {known} hangs beside the door"], known, False),
            (["dream", "--force"], "", True),
            (["index"], "", True),
        ]
    )
    return (
        chosen if chosen[1] or chosen[0][0] != "forget" else ([*chosen[0][:1], "--help"], "", True)
    )


def test_a_killed_command_has_done_all_of_its_work_or_none_that_was_told(project, tmp_path):
    home = tmp_path / "base"
    dice = random.Random(SEED)
    holds: dict[str, bool] = {}
    kept: list[str] = []
    usual = 0.0
    for number in range(ROUNDS):
        context = f"seed {SEED}, round {number}"
        for step in range(2):  # one whole, to know how long it takes, and one killed
            words, token, there = command(dice, f"c{number}s{step}z", kept)
            began = time.monotonic()
            process = start("--home", home, "-C", project, *words)
            if step:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(dice.random() * usual * 1.2)
                process.send_signal(signal.SIGKILL)
            out, errors = process.communicate(timeout=WAIT)
            assert "Traceback" not in errors, f"{context}: {words} {errors}"
            if process.returncode == 0:
                usual = max(usual, time.monotonic() - began)
                if token:
                    holds[token] = there
                if words[0] == "remember":
                    kept.append(token)
            else:
                assert step, f"{context}: {words} {out} {errors}"
                holds.pop(token, None)
            if words[0] == "forget" and token in kept:
                kept.remove(token)
        check(project, home, context)
        text = everything(home, project)
        wrong = [token for token, there in holds.items() if (token in text) is not there]
        assert not wrong, f"{context}: {wrong}"


# --- the MCP server -------------------------------------------------------------------------------


def request(number: int, method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


HELLO = (
    request(
        0,
        "initialize",
        protocolVersion="2025-06-18",
        capabilities={},
        clientInfo={"name": "torture", "version": "1"},
    )
    + '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
)


def test_what_a_killed_mcp_server_answered_is_there(project, tmp_path):
    home = tmp_path / "base"
    dice = random.Random(SEED)
    holds: set[str] = set()
    for number in range(ROUNDS):
        server = start("--home", home, "-C", project, "mcp", stdin=subprocess.PIPE)
        tokens = {at: f"m{number}n{at}z" for at in range(1, 13)}
        calls = [
            request(
                at,
                "tools/call",
                name="remember",
                arguments={"text": f"The gadget {token} hangs beside the door"},
            )
            for at, token in tokens.items()
        ]
        server.stdin.write("".join([HELLO, *calls]))
        server.stdin.flush()
        heard = [server.stdout.readline() for _ in range(1 + dice.randrange(8))]
        time.sleep(dice.random() * 0.05)  # the random moment itself, not synchronisation
        server.send_signal(signal.SIGKILL)
        out, errors = server.communicate(timeout=WAIT)
        assert "Traceback" not in errors
        for line in "".join([*heard, out]).split("\n")[:-1]:
            answer = json.loads(line)
            if answer.get("id"):
                assert not answer["result"].get("isError"), answer
                holds.add(tokens[answer["id"]])
        context = f"seed {SEED}, round {number}"
        check(project, home, context)
        text = everything(home, project)
        assert not [token for token in holds if token not in text], context
    assert holds


# --- hooks, and what they leave to be done --------------------------------------------------------


def working_for(home: Path) -> list[int]:
    """Find the processes that a hook left behind: those that know this home and are not this one."""
    found = []
    for place in Path("/proc").iterdir():
        with suppress(OSError):
            if place.name.isdigit() and int(place.name) != os.getpid():
                known = f"HOME={home}".encode() in (place / "environ").read_bytes().split(b"\0")
                if known and b"reverie.hooks.work" in (place / "cmdline").read_bytes():
                    found.append(int(place.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")
def test_learning_that_is_killed_behind_a_hook_is_made_up_for_once(project, tmp_path, private_home):
    dice = random.Random(SEED)
    transcript = tmp_path / "t.jsonl"
    payload = json.dumps(
        {"session_id": "s", "cwd": str(project), "transcript_path": str(transcript)}
    )
    said: list[str] = []

    def stop() -> None:
        done = start("hook", "stop", "--agent", "claude-code", stdin=subprocess.PIPE)
        out, errors = done.communicate(payload, timeout=WAIT)
        assert (done.returncode, json.loads(out), errors) == (0, {}, "")

    def settled() -> None:
        until = time.monotonic() + WAIT
        while working_for(private_home):
            assert time.monotonic() < until
            time.sleep(0.02)  # they are nobody's children any more: all one can do is look

    for number in range(ROUNDS):
        said.append(f"gadget{number}x")
        with transcript.open("a") as file:
            for role, words in (
                ("user", f"Remember that the {said[-1]} hangs beside door {number}."),
                ("assistant", "Noted."),
            ):
                message = {"role": role, "content": words}
                line = {
                    "type": role,
                    "sessionId": "s",
                    "uuid": f"{role}{number}",
                    "message": message,
                }
                file.write(json.dumps(line) + "\n")
        stop()
        time.sleep(dice.random() * 0.8)  # the random moment itself, not synchronisation
        for pid in working_for(private_home):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        settled()
    stop()
    settled()
    check(project, private_home / ".reverie", f"seed {SEED}")
    with Memory.open(project) as memory:
        text = "\n".join(topic.body for topic in memory.store.topics())
        counted = {word: text.count(word) for word in said if text.count(word) != 1}
        assert not counted, f"seed {SEED}"
        assert not [item for item in memory.doctor() if item.code == "hook_failed"]


# --- what a stream told before the daemon was killed ----------------------------------------------


class Reader(threading.Thread):
    """Follows the events of a daemon until it is gone."""

    def __init__(self, daemon: Process) -> None:
        super().__init__()
        self._followed = daemon
        self.begun = threading.Event()
        self.ids: list[int] = []
        self.completed: set[str] = set()

    def run(self) -> None:
        with self._followed.client() as client, suppress(DaemonUnreachable):
            for event in client.events(last_event_id=0, reconnect=False):
                self.begun.set()
                if event.id is not None:
                    self.ids.append(event.id)
                told = event.data if isinstance(event.data, dict) else {}
                if told.get("status") == "completed" and "taskId" in told:
                    self.completed.add(told["taskId"])


def test_what_a_stream_told_as_done_is_done_after_the_daemon_was_killed(project, tmp_path):
    home = tmp_path / "base"
    dice = random.Random(SEED)
    told: set[str] = set()
    count = 0
    for number in range(ROUNDS):
        context = f"seed {SEED}, round {number}"
        with Process(project, home) as daemon:
            with daemon.client() as client:
                for identity in told:
                    assert client.task(identity).status.value == "completed", context
            told = set()
            readers = [Reader(daemon) for _ in range(3)]
            for reader in readers:
                reader.start()
                assert reader.begun.wait(WAIT), context
            with daemon.client() as client:
                for at in range(1 + dice.randrange(12)):
                    with suppress(QueueFull):
                        client.remember(
                            f"The gadget d{number}n{at} hangs there", context_mode="clean"
                        )
            time.sleep(dice.random() * 0.3)  # the random moment itself, not synchronisation
            daemon.end(signal.SIGKILL)
            for reader in readers:
                reader.join(WAIT)
                assert not reader.is_alive(), context
                assert reader.ids == sorted(set(reader.ids)), context
                told |= reader.completed
        count += len(told)
        check(project, home, context)
    print(f"seed {SEED}, {ROUNDS} kills: {count} tasks told as done, all of them are")
