"""How much processor time commands take with 1,000 and 10,000 topics.

Each command is a process of its own, as from a shell: it reads the memory anew. Processor time, for
what else runs on the machine changes it least.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.speed.recall import fill

_SIZES = (1000, 10_000)
_QUICK = (100, 1000)
_COMMANDS = {
    "doctor": ["doctor"],
    "remember": [
        *("remember", "--scope", "user", "--kind", "user"),
        "I never restart the quagga cluster before lunch in Lima",
    ],
    "forget": ["forget", "--dry-run", "quagga cluster"],
    "dream": ["dream", "--dry-run", "--force"],
    "verify": ["verify"],
    "log": ["log"],
    "status": ["status"],
    "export": ["export", "export.jsonl"],
}


def run(*, quick: bool) -> Iterator[tuple[str, object]]:
    """Measure each size in a temporary home."""
    for size in _QUICK if quick else _SIZES:
        with tempfile.TemporaryDirectory() as folder:
            mask = os.umask(0o077)  # what others can read would be a finding for each file
            try:
                fill(Path(folder, "home"), size)
            finally:
                os.umask(mask)
            _seconds(folder, ["init"])
            yield (
                str(size),
                {f"{name}_s": _seconds(folder, words) for name, words in _COMMANDS.items()},
            )


def _seconds(folder: str, words: list[str]) -> float:
    """Run one command; return its processor time, that of the system for it included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(  # our own interpreter and program
        [sys.executable, "-P", "-m", "reverie", "--home", f"{folder}/home", *words],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
