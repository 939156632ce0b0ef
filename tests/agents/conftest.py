"""The real agents run only where `make test-agents` says where they are; the table comes at the end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reverie.client.resident import SWITCH

FOLDER = os.environ.get("REVERIE_AGENTS", "")
PATH = os.environ.get("PATH", "")
AGENTS = ("claude-code", "codex", "gemini", "qwen")
FIGURES: dict[tuple[str, str], str] = {}
_RESULTS: dict[tuple[str, str], str] = {}
TABLE = Path(__file__).parents[2] / ".lab" / "agents" / "table.md"
collect_ignore_glob = [] if FOLDER else ["test_*.py"]


@pytest.fixture(scope="session")
def agent_env() -> dict[str, str]:
    """Return the environment in which the agents are found."""
    env = {**os.environ, "PATH": f"{Path(FOLDER).resolve()}:{PATH}"}
    env.pop(SWITCH, None)  # as a person runs them: with a resident
    return env


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    agent = getattr(item, "callspec", None) and item.callspec.params.get("agent")
    if not agent or (report.when != "call" and report.outcome == "passed"):
        return
    name = row_name(item.originalname)
    word = {"passed": "yes", "failed": "NO", "skipped": "-"}[report.outcome]
    _RESULTS[name, agent] = "expected no" if hasattr(report, "wasxfail") else word


def pytest_terminal_summary(terminalreporter):
    if not _RESULTS:
        return
    write = terminalreporter.write_line
    write("")
    names = list(dict.fromkeys(name for name, _ in _RESULTS))
    width = max(map(len, names))
    write(f"{'':<{width}}  " + "".join(f"{agent:<13}" for agent in AGENTS))
    for name in names:
        write(f"{name:<{width}}  " + "".join(f"{_RESULTS.get((name, a), ''):<13}" for a in AGENTS))
    for name in dict.fromkeys(name for name, _ in FIGURES):
        write(f"{name:<{width}}  " + "".join(f"{FIGURES.get((name, a), ''):<13}" for a in AGENTS))
    TABLE.write_text(as_markdown(_RESULTS), encoding="utf-8")  # docs/agents.md shows it
    held = sum(word == "yes" for word in _RESULTS.values())
    write(f"{held} of {len(_RESULTS)} checks hold")


def row_name(test: str) -> str:
    """Say what a test shows, as the table does."""
    return test.removeprefix("test_").replace("_", " ")


def as_markdown(results: dict[tuple[str, str], str]) -> str:
    """Lay the results out for a page, agent by agent."""
    rows = ["| | " + " | ".join(AGENTS) + " |", "|---" * (len(AGENTS) + 1) + "|"]
    for name in dict.fromkeys(name for name, _ in results):
        cells = " | ".join(results.get((name, agent), "-") for agent in AGENTS)
        rows.append(f"| {name} | {cells} |")
    return "\n".join(rows) + "\n"
