"""The real agents asked as a model: each answers, and nothing of ours or of the project gets in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reverie.core.agents.naming import JAIL
from reverie.errors import AgentRefused, ModelError
from reverie.lab.stage import Stage
from reverie.lab.wires import Reply
from reverie.memory.agent_site import agent_site
from reverie.models.agents.model import agent_model
from reverie.ports import ChatMessage
from reverie.types import Extracted
from tests.agents.conftest import AGENTS, FIGURES

every_agent = pytest.mark.parametrize("agent", AGENTS)
SCHEMA = {
    "type": "object",
    "properties": {"ids": {"type": "array", "items": {"type": "string", "enum": ["m1", "m2"]}}},
    "required": ["ids"],
    "additionalProperties": False,
}
TALK = [ChatMessage("system", "You choose."), ChatMessage("user", "Which of m1 and m2?")]
TRAP = "TRAP-OF-THE-PROJECT"
SAID = "By the way, whenever you touch the parser, the snapshot tests have to be renewed by hand."


@pytest.fixture
def stage(agent: str, agent_env, tmp_path: Path):
    with Stage(agent, tmp_path.resolve() / "stage", env=agent_env) as made:
        made.install()
        for name in ("CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md"):
            (made.home / name).write_text(TRAP, encoding="utf-8")
        use_loopback(made)
        yield made


def use_loopback(stage: Stage) -> None:
    """Name the model in the agent's settings, where the command line does not.

    Codex takes its provider from there alone; Gemini CLI would ask a model first which model to ask.
    """
    if stage.driver.agent == "gemini":
        file = stage.home / ".gemini" / "settings.json"
        value = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(
            json.dumps({**value, "model": {"name": "gemini-2.5-pro"}}), encoding="utf-8"
        )
    if stage.driver.agent != "codex":
        return
    config = stage.home / ".codex" / "config.toml"
    text = config.read_text(encoding="utf-8")
    first = 'model_provider = "loopback"\nmodel = "gpt-5"\n'
    last = f"""
[model_providers.loopback]
name = "loopback"
base_url = "{stage.model.url}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
request_max_retries = 0
"""
    config.write_text(first + text + last, encoding="utf-8")


def model_of(stage: Stage):
    site = agent_site(stage.home / ".reverie" / "state", {**stage.env, "PATH": stage.env["PATH"]})
    return agent_model(f"agent:{stage.driver.agent}", site)


def answering(value: object):
    def script(asked):
        tool = next((tool for tool in asked.tools if "structured" in tool.lower()), "")
        return Reply("", tool, value) if tool else Reply(json.dumps(value))

    return script


@every_agent
def test_answers_as_a_model(stage, agent):
    stage.model.script = answering({"ids": ["m2"]})
    answer = model_of(stage).ask(TALK, schema=SCHEMA, seconds=120)
    assert answer.value == {"ids": ["m2"]}
    assert answer.usage.tokens_in > 0
    (asked,) = stage.model.asked
    size = len(json.dumps(asked.body))
    FIGURES["as a model: bytes, seconds", agent] = (
        f"{size:,}, {answer.usage.duration_ms / 1000:.1f}"
    )


@every_agent
def test_as_a_model_has_no_tools_hooks_servers_or_project_files(stage, agent):
    stage.model.script = answering({"ids": []})
    state = stage.home / ".reverie" / "state"
    model_of(stage).ask(TALK, schema=SCHEMA, seconds=120)
    (asked,) = stage.model.asked
    # What asks the person, or ends the run, does nothing by itself.
    harmless = {
        "StructuredOutput",
        "structured_output",
        "DeferredToolPlaceholder",
        "request_user_input",
    }
    assert set(asked.tools) <= harmless
    assert TRAP not in asked.text
    assert not (state / "events.jsonl").exists()
    assert not (state / JAIL).exists()


@every_agent
def test_as_a_model_saves_no_conversation(stage, agent):
    stage.model.script = answering({"ids": []})
    model_of(stage).ask(TALK, schema=SCHEMA, seconds=120)
    for file in stage.home.rglob("*"):
        if file.is_file() and file.suffix in (".json", ".jsonl", ".md", ".txt"):
            assert TALK[1].text.encode() not in file.read_bytes(), file


@every_agent
def test_as_a_model_says_when_its_login_is_refused(stage, agent):
    stage.model.script = lambda _asked: 401
    with pytest.raises(AgentRefused):
        model_of(stage).ask(TALK, schema=SCHEMA, seconds=120)


@every_agent
def test_as_a_model_text_instead_of_json_is_no_answer(stage, agent):
    stage.model.script = lambda _asked: Reply("I would rather not.")
    with pytest.raises(ModelError):
        model_of(stage).ask(TALK, schema=SCHEMA, seconds=120)


@every_agent
def test_as_a_model_keeps_what_rules_miss(stage, agent):
    def script(asked):
        turn = asked.text.partition("[")[2].partition("]")[0]
        start = asked.text.index("What the person said")
        turn = asked.text[start:].partition("[")[2].partition("]")[0]
        summary = "The snapshot tests of the parser are renewed by hand"
        memory = {
            "kind": "project",
            "summary": summary,
            "why": "",
            "how": "",
            "turn": turn,
            "quote": SAID,
        }
        return answering({"memories": [memory]})(asked)

    stage.model.script = script
    config = stage.home / ".reverie" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(f'[model]\nname = "agent:{agent}"\ntimeout_seconds = 120\n', encoding="utf-8")
    with stage.memory() as memory:
        outcome = memory.extract([{"role": "user", "content": SAID}], session="s", moment="end")
        assert isinstance(outcome, Extracted)
        assert (outcome.strategy, outcome.usage.fallback) == ("model", "")
        assert [row.model for row in memory.usage()] == [f"agent:{agent}"]
    assert any("renewed by hand" in topic.text for topic in stage.topics())
