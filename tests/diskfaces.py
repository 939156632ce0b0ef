"""Every face on a disk that is full or may not be written; runs in the process that has the disk."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from tests.disks import FULL, READ_ONLY

if TYPE_CHECKING:
    from tests.disks import Disk

_FILLINGS = 5
QUESTION = "where does the otter sleep"
READS = {
    "recall": ["recall", QUESTION],
    "search": ["search", "otter", "--min-score", "0"],
    "log": ["log"],
    "verify": ["verify"],
    "doctor": ["doctor"],
    "prompt": ["prompt"],
    "forget": ["forget", "otter", "--dry-run"],
}
WRITES = {
    "remember": ["remember", "A heron eats fish"],
    "export": ["export", "{disk}/export.jsonl"],
    "export to a folder": ["export", "{disk}/export"],
    "notes": ["notes", "add", "Herons eat fish"],
    "history": ["history", "append", "--user", "Do herons eat fish?", "--assistant", "Yes."],
    "index": ["index", "--rebuild"],
    "trust": ["trust"],
}
TOOLS = {
    "recall": {"query": QUESTION},
    "memory_search": {"query": "otter", "minScore": 0},
    "memory_get": {"path": "memory/fox.md"},
    "memory_stats": {},
}


def command(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "reverie", *words],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def by_commands(disk: Disk, commands: dict[str, list[str]]) -> dict[str, Any]:
    """Run each command; return its exit status, its answer without times, and whether it broke."""
    told: dict[str, Any] = {}
    for name, words in commands.items():
        given = [word.replace("{disk}", str(disk.place)) for word in words]
        done = command("-C", str(disk.project), "--json", *given)
        broke = "Traceback" in done.stderr
        try:
            said = without_times(json.loads(done.stdout or "null"))
        except ValueError:
            said = done.stdout
        told[name] = [done.returncode, done.stderr if broke else said]
    return told


def without_times(value: Any) -> Any:
    """Leave out what is another each time it is asked."""
    if isinstance(value, dict):
        moving = ("elapsedMs", "elapsed_ms", "ms", "seconds", "generated", "usage", "now")
        return {key: without_times(item) for key, item in value.items() if key not in moving}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def by_hooks(disk: Disk, *events: str) -> dict[str, Any]:
    """Ask as an agent does."""
    told: dict[str, Any] = {}
    talk = disk.place / "talk.jsonl"
    for event in events:
        payload = {
            "session_id": "s",
            "cwd": str(disk.project),
            "prompt": QUESTION,
            "transcript_path": str(talk),
        }
        done = command("hook", event, "--agent", "claude-code", given=json.dumps(payload))
        told[event] = [done.returncode, json.loads(done.stdout), done.stderr]
    return told


def by_mcp(disk: Disk, **writes: Any) -> dict[str, Any]:
    """Call the reading tools, and others with their arguments."""
    calls = {**TOOLS, **writes}
    lines = [
        request(0, "initialize", protocolVersion="2025-06-18", capabilities={},
                clientInfo={"name": "disk", "version": "1"}),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(request(number, "tools/call", name=name, arguments=given)
          for number, (name, given) in enumerate(calls.items(), 1)),
    ]  # fmt: skip
    done = command(
        "-C", str(disk.project), "mcp", given="".join(json.dumps(line) + "\n" for line in lines)
    )
    assert done.returncode == 0, done.stderr
    answers = {item.get("id"): item for item in map(json.loads, done.stdout.splitlines())}
    told: dict[str, Any] = {"errors": done.stderr}
    for number, name in enumerate(calls, 1):
        result = answers[number]["result"]
        told[name] = without_times(result["_meta"]["reverie/data"]) | {
            "failed": result.get("isError")
        }
    return told


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def by_daemon(disk: Disk, trouble: str) -> dict[str, Any]:
    """Ask a daemon that was there before the trouble, and one that is started in it."""
    from reverie.client import Client
    from reverie.errors import ReverieError
    from tests.daemon.processes import TOKEN, Process

    home = disk.place / "home/.reverie"
    told: dict[str, Any] = {}
    with ExitStack() as stack:
        for when in ("before", "after"):
            daemon = stack.enter_context(Process(disk.project, home))
            if when == "before":
                with Client(daemon.facts["url"], token=TOKEN, timeout=60) as client:
                    told["well"] = asked(client)
                if trouble == READ_ONLY:  # not while somebody has files open to write to them
                    assert daemon.end(signal.SIGTERM)[0] == 0
                disk.close(trouble)
                if trouble == READ_ONLY:
                    continue
            with Client(daemon.facts["url"], token=TOKEN, timeout=60) as client:
                told[when] = asked(client)
                refused = {}
                for name, write in {
                    "remember": lambda c=client: c.remember("A heron eats fish"),
                    "dream": lambda c=client: c.dream(),
                }.items():
                    try:
                        task = client.wait(write(), timeout=60)
                        refused[name] = task.failure.code if task.failure else task.status.value
                    except ReverieError as error:
                        refused[name] = error.code
                told[f"{when} refused"] = refused
            ended, _, log = daemon.end(signal.SIGTERM)
            told[f"{when} ended"] = [ended, log if "Traceback" in log else ""]
    return told


def asked(client: Any) -> dict[str, Any]:
    return {
        "health": bool(client.health()),
        "recall": client.recall(QUESTION).block,
        "search": [hit.path for hit in client.search("otter", min_score=0).results],
    }


def refused(disk: Disk, trouble: str) -> dict[str, Any]:
    """Try every command that writes, each on a disk without a byte to spare."""
    told: dict[str, Any] = {}
    for name, words in WRITES.items():
        for _ in range(_FILLINGS if trouble == FULL else 1):
            if trouble == FULL:
                disk.fill()
            told |= by_commands(disk, {name: words})
            if told[name][0] != 0:
                break  # otherwise somebody who closed a database gave back its log meanwhile
    return told


def faces(disk: Disk, trouble: str) -> dict[str, Any]:
    """Ask through every face before and after the disk is closed."""
    for words in (
        ["config", "set", "embedder.provider", "none"],
        ["remember", "--kind", "project", "The otter sleeps in the harbour"],
        ["notes", "add", "Otters swim"],
        ["history", "append", "--user", "Hello", "--assistant", "Hello."],
        ["index"],  # tools are called at once, and the first of them would still be at it
    ):
        done = command("-C", str(disk.project), *words)
        assert done.returncode == 0, done.stderr
    said = {"role": "user", "content": "Remember that herons eat fish."}
    (disk.place / "talk.jsonl").write_text(
        json.dumps({"type": "user", "sessionId": "s", "uuid": "u", "message": said}) + "\n"
    )
    before = {"mcp": by_mcp(disk)}
    before["commands"] = by_commands(disk, READS)
    before["hooks"] = by_hooks(disk, "session-start", "prompt")
    daemon = by_daemon(disk, trouble)  # closes the disk
    return {
        "before": before,
        "after": {
            "commands": by_commands(disk, READS),
            "mcp": by_mcp(disk, remember={"text": "A heron eats fish"}),
            "hooks": by_hooks(disk, "session-start", "prompt", "stop"),
        },
        "refused": refused(disk, trouble),
        "daemon": daemon,
    }
