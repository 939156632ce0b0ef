"""A database whose disk is full; runs in the process that has the disk (`test_full_disk`)."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2

from reverie.memory import Memory
from reverie.postgres.place import Place
from tests.postgres.conftest import make_token, options_of
from tests.postgres.storms import full, on_the_disk
from tests.postgres.test_kills import Fleet
from tests.server import Server, running

DISK = "size=96m"
QUESTION = {"query": "where does the harbour lie", "minScore": 0}
LONG = " ".join(f"word{number}" for number in range(4000))
"""Longer than what the pages of a table may still have room for."""
READS = {
    "search": ("POST", "/workspace/search", QUESTION),
    "recall": ("POST", "/workspace/recall", {"query": "Where does the harbour lie?"}),
    "memory": ("GET", "/workspace/memory", None),
    "context": ("GET", "/workspace/context", None),
    "stats": ("GET", "/workspace/stats", None),
}
WRITES = {
    "remember now": ("POST", "/workspace/remember", {"content": f"Remember now. {LONG}"}),
    "save": ("POST", "/workspace/memory", {"content": f"Save. {LONG}", "scope": "workspace"}),
    "remember": ("POST", "/workspace/memory/remember", {"content": f"Remember. {LONG}"}),
    "forget": ("POST", "/workspace/memory/forget", {"query": f"Forget. {LONG}"}),
}


def main(folder: str, homes: str) -> None:
    disk, home = Path(folder), Path(homes)
    subprocess.run(["mount", "-t", "tmpfs", "-o", DISK, "none", folder], check=True)
    with running() as started:
        server = on_the_disk(started, disk)
        tenant = server.tenant()
        places = {name: Place(tenant, name, "web") for name in ("indexed", "never", "new")}
        for name in ("indexed", "never"):
            with Memory.open("/", home=home / name, settings=options_of(server, places[name])) as m:
                for number in range(60):
                    m.remember(f"Room {number} of the harbour has the shade {number * 7}.")
                m.remember("The harbour lies behind the mill.")
                if name == "indexed":
                    m.search("harbour")
        with serving(server, home) as url:
            said = asked(url, {name: make_token(server, one) for name, one in places.items()}, disk)
    print(json.dumps(said))


@contextmanager
def serving(server: Server, home: Path) -> Iterator[str]:
    fleet = Fleet(server, home / "service", 1)
    try:
        yield fleet.urls()[0]
    finally:
        fleet.stop()


def asked(url: str, tokens: dict[str, str], disk: Path) -> dict[str, Any]:
    """Ask everything of everybody while the disk is full; then do what was accepted meanwhile."""
    told: dict[str, Any] = {"reads": {}, "writes": {}, "accepted": {}}

    def ask(name: str, method: str, path: str, body: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {tokens[name]}"}
        content = None if body is None else json.dumps(body)
        return http.request(method, f"{url}{path}", content=content, headers=headers)

    with httpx2.Client(timeout=120.0, trust_env=False) as http:
        with full(disk):
            for name in tokens:
                for what, request in READS.items():
                    told["reads"][f"{name}: {what}"] = _answer(ask(name, *request))
                for what, request in WRITES.items():
                    for _ in range(
                        3
                    ):  # the room that tables have left is used up by the first ones
                        answer = ask(name, *request)
                        if answer.status_code == 202:
                            told["accepted"][answer.headers["location"]] = name
                        told["writes"].setdefault(f"{name}: {what}", []).append(_answer(answer))
        for path, name in told["accepted"].items():
            told["accepted"][path] = _over(lambda: ask(name, "GET", path, None))  # noqa: B023
        told["after"] = _answer(ask("never", *WRITES["remember now"]))
    return told


def _answer(answer: httpx2.Response) -> dict[str, Any]:
    body: dict[str, Any] = {}
    with suppress(ValueError):
        body = answer.json()
    return {
        "status": answer.status_code,
        "code": body.get("code", ""),
        "error": body.get("error", ""),
        "found": [hit["text"] for hit in body.get("results", ())] or body.get("block", ""),
        "warnings": body.get("warnings", []),
    }


def _over(ask: Any) -> str:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        status = ask().json().get("status")
        if status in ("completed", "failed"):
            return str(status)
        time.sleep(0.05)
    return "waiting"


if __name__ == "__main__":
    main(*sys.argv[1:])
