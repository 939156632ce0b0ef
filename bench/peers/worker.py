"""The process in which one peer works, in its own environment: `-m bench.peers.worker ADAPTER fill|ask JOB`.

JOB is a JSON file: `folder`, where the peer keeps its files, `docs`, `questions` and `k`. What became of it
is written beside it. Filling and asking are two processes, so that what is asked comes from the disk; each
scope has two of its own.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any


def main(adapter: str, phase: str, job: str) -> None:
    """Do one phase and write its figures."""
    given = json.loads(Path(job).read_text(encoding="utf-8"))
    folder = Path(given["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    start = _spent()
    peer = import_module(f"bench.peers.adapters.{adapter}").Peer(folder)
    done = _fill(peer, given, start) if phase == "fill" else _ask(peer, given)
    Path(f"{job}.{phase}").write_text(json.dumps(done), encoding="utf-8")
    os._exit(0)  # a peer may have left threads that never end


def _fill(peer: Any, given: dict[str, Any], start: float) -> dict[str, Any]:
    peer.add(given["docs"])
    _close(peer)
    return {"cpu": _spent() - start}


def _ask(peer: Any, given: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, list[str]] = {}
    spent: list[float] = []
    first = 0.0
    for question in given["questions"]:
        before = _spent()
        found[question["id"]] = peer.search(question["text"], given["k"])
        if first:
            spent.append(_spent() - before)
        else:
            first = _spent()  # from the start of the process to the first answer
    _close(peer)
    return {"found": found, "spent": spent, "first": first}


def _spent() -> float:
    """Return the processor time of this process and of those it started and waited for."""
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + others.ru_utime + others.ru_stime


def _close(peer: Any) -> None:
    if hasattr(peer, "close"):
        peer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
