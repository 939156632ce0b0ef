"""How long `reverie --version` takes to start, against `python -c pass`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

HEAVY = ("numpy", "starlette", "uvicorn", "pydantic", "click", "openai", "mcp", "tantivy")


def run(*, quick: bool) -> Iterator[tuple[str, object]]:
    """Start both alternately, so that noise hits both; compare medians."""
    rounds = 15 if quick else 60
    commands = {
        "python": [sys.executable, "-P", "-c", "pass"],
        "version": [sys.executable, "-P", "-m", "reverie", "--version"],
        "help": [sys.executable, "-P", "-m", "reverie", "--help"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            begin = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            times[name].append(time.perf_counter() - begin)
    medians = {name: statistics.median(values) for name, values in times.items()}
    yield "rounds", rounds
    yield "python_ms", medians["python"] * 1000
    yield "version_ratio", medians["version"] / medians["python"]
    yield "help_ratio", medians["help"] / medians["python"]
    yield "heavy_modules_of_version", _heavy(["--version"])


def _heavy(arguments: list[str]) -> list[str]:
    """List heavy modules that a command imports; there should be none."""
    script = (
        "import sys; sys.argv = ['reverie', *sys.argv[1:]]\n"
        "from reverie.__main__ import main\n"
        "try:\n main()\nexcept SystemExit:\n pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(  # our own interpreter and script
        [sys.executable, "-P", "-c", script, *arguments], check=True, capture_output=True, text=True
    )
    found = done.stdout.strip().splitlines()[-1]
    return [name for name in HEAVY if repr(name) in found]
