"""With `hooks.reflect` on, the real agents look back over a copy of the conversation when it is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.core.agents.reflection import REFLECTION
from reverie.lab.stage import ANSWER, Stage, conversation
from reverie.lab.trial import FACT, FIRST, SECOND, remove_stage
from reverie.lab.wires import Asked, Reply
from tests.agents.conftest import AGENTS
from tests.agents.test_as_model import use_loopback

every_agent = pytest.mark.parametrize("agent", AGENTS)
KEPT = "Deployments happen on Thursdays because the auditors come on Fridays."


@pytest.fixture
def stage(agent: str, agent_env, tmp_path: Path):
    root = tmp_path.resolve() / "stage"
    with Stage(agent, root, env=agent_env) as made:
        made.install()
        use_loopback(made)
        made.remember(FACT)
        yield made
    remove_stage(root)


def switch_on(stage: Stage) -> None:
    config = stage.home / ".reverie" / "config.toml"
    config.write_text("[hooks]\nreflect = true\nidle_seconds = 1\n", encoding="utf-8")


def looks_back(stage: Stage) -> list[Asked]:
    return [item for item in conversation(stage.model.asked) if REFLECTION in item.text]


def keeps_when_asked(stage: Stage) -> None:
    """Let the model call `remember` in a reflection, and nowhere else."""

    def script(asked: Asked) -> Reply:
        if REFLECTION in asked.text and asked.last.role != "tool":
            return asked.use("remember", {"text": KEPT}) or Reply("There is no tool.")
        return Reply(ANSWER)

    stage.model.script = script


def usage(stage: Stage) -> list[tuple[str, str, int, int]]:
    with stage.memory() as memory:
        return [(row.model, row.verb, row.calls, row.failed) for row in memory.usage()]


@every_agent
def test_reflection_keeps_what_the_agent_proposes_and_leaves_the_answer_alone(stage, agent):
    switch_on(stage)
    keeps_when_asked(stage)
    ran, _ = stage.ask(FIRST)
    assert ran.code == 0, ran.err
    assert ANSWER in ran.out
    assert KEPT not in ran.out
    assert stage.learns("auditors", seconds=90), looks_back(stage)
    (first, *_) = looks_back(stage)
    assert FIRST in first.text
    assert stage.waits(lambda: usage(stage) != [], seconds=60)
    assert usage(stage) == [(f"agent:{agent}", "reflect", 1, 0)]
    with stage.memory() as memory:
        (run,) = [run for run in memory.log() if "auditors" in (memory.diff(run.id) or "")]
        memory.undo(run.id)
    assert not any("auditors" in topic.text for topic in stage.topics())
    # The conversation that the person goes on with knows nothing of it.
    _, asked = stage.ask(SECOND, resume=True)
    text = conversation(asked)[0].text
    assert FIRST in text
    assert REFLECTION not in text
    assert KEPT not in text


@every_agent
def test_reflection_is_off_unless_switched_on(stage, agent):
    keeps_when_asked(stage)
    stage.ask(FIRST)
    assert stage.learns("Thursdays")
    assert not looks_back(stage)
    assert usage(stage) == []
