"""The plugins, installed by the agents' own command lines: validated, and they do what an install does."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.core.showing.fence import TAG
from reverie.lab.stage import Stage, conversation
from reverie.lab.trial import FACT, FIRST, SECOND, remove_stage
from reverie.local.agents.installing import own_program
from reverie.models.agents.process import run_group
from tests.agents.conftest import AGENTS
from tests.agents.test_installed import COMPACT

ROOT = Path(__file__).parents[2] / "plugins"
CLAUDE, GEMINI = str(ROOT / "claude"), str(ROOT / "gemini")
COMMANDS = {
    "claude-code": [
        ["plugin", "validate", CLAUDE],
        ["plugin", "marketplace", "add", CLAUDE],
        ["plugin", "install", "reverie@reverie"],
    ],
    "codex": [
        ["plugin", "marketplace", "add", CLAUDE],
        ["plugin", "add", "reverie@reverie"],
    ],
    "gemini": [
        ["extensions", "validate", GEMINI],
        ["extensions", "install", GEMINI, "--consent"],
    ],
    "qwen": [["extensions", "install", f"{CLAUDE}/plugins/reverie", "--consent"]],
}
every_agent = pytest.mark.parametrize("agent", AGENTS)


@pytest.fixture
def stage(agent: str, agent_env, tmp_path: Path):
    path = f"{Path(own_program()[0]).parent}:{agent_env['PATH']}"
    root = tmp_path.resolve() / "stage"
    with Stage(agent, root, env={**agent_env, "PATH": path}) as made:
        for words in COMMANDS[agent]:
            env = {**made.env, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
            ran = run_group(
                [made.agent_program, *words], cwd=str(made.project), env=env, seconds=120
            )
            assert ran.code == 0, (words, ran.out, ran.err)
        made.remember(FACT)
        yield made
    remove_stage(root)


@every_agent
def test_plugin_installs_and_the_briefing_arrives(stage, agent):
    ran, asked = stage.ask(FIRST)
    assert ran.code == 0, ran.err
    text = conversation(asked)[0].text
    assert TAG in text
    assert "heron" in text


@every_agent
def test_plugin_offers_the_tools(stage, agent):
    stage.tool = ("memory_search", {"query": "staging server"})
    _, asked = stage.ask(FIRST)
    assert [item for item in conversation(asked) if item.last.role == "tool"]


@every_agent
def test_plugin_learns(stage, agent):
    stage.ask(FIRST)
    assert stage.learns("Thursdays")


@every_agent
def test_plugin_and_install_together_answer_once(stage, agent):
    stage.install()
    _, asked = stage.ask(FIRST)
    assert len(told(asked)) <= 1, told(asked)
    if agent in COMPACT:
        stage.ask(COMPACT[agent], resume=True)
        _, asked = stage.ask(SECOND, resume=True)
        assert len(told(asked)) <= 1, told(asked)


def told(asked):
    """Return the lines of the first request that hold the memory, but for headings above it."""
    text = conversation(asked)[0].text
    return [line for line in text.splitlines() if FACT in line and not line.startswith("#")]
