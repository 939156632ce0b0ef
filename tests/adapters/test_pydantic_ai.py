"""The toolset in a Pydantic AI agent, driven by a scripted model."""

from __future__ import annotations

import asyncio

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel

from reverie.adapters.pydantic_ai import toolset

pytestmark = pytest.mark.slow


def run(memory, *calls, surface="default"):
    """Let a model make these calls one after the other; return what came back for each."""
    left = list(calls)
    seen: list[str] = []
    offered: list[str] = []

    def think(messages, info):
        offered[:] = [tool.name for tool in info.function_tools]
        for part in messages[-1].parts:
            if isinstance(part, ToolReturnPart | RetryPromptPart) and part.tool_name:
                seen.append(str(part.content))
        if not left:
            return ModelResponse(parts=[TextPart("done")])
        name, arguments = left.pop(0)
        return ModelResponse(parts=[ToolCallPart(name, arguments)])

    agent = Agent(
        FunctionModel(think), toolsets=[toolset(memory, surface=surface, session="s")], retries=3
    )
    assert asyncio.run(agent.run("go")).output == "done"
    return seen, offered


def test_an_agent_remembers_and_recalls(memory):
    seen, offered = run(
        memory,
        ("remember", {"text": "The user wants answers in German."}),
        ("recall", {"query": "in which language should I answer?"}),
    )
    assert offered[:7] == [
        "memory_search", "memory_get", "memory_stats", "remember", "recall", "forget", "dream",
    ]  # fmt: skip
    assert "German" in seen[1]
    assert "<reverie-memory:" in seen[1]
    assert memory.log()[0].client == "adapter:pydantic-ai"
    assert memory.log()[0].session == "s"
    assert memory.log()[0].origin == "agent"


def test_the_full_surface_has_more_tools(memory):
    _, offered = run(memory, surface="full")
    assert len(offered) == 15


def test_a_wrong_argument_lets_the_model_try_again(memory):
    seen, _ = run(memory, ("recall", {"query": "x", "limit": 0}), ("recall", {"query": "x"}))
    assert "limit" in seen[0]
    assert seen[1] == "Nothing in memory is relevant to this."


def test_forgetting_takes_two_steps(memory):
    memory.remember("The user likes tabs in Go code.")
    seen, _ = run(memory, ("forget", {"query": "likes tabs in Go code"}))
    assert "nothing was removed yet" in seen[0]
    assert len(memory.store.topics()) == 1


@pytest.mark.parametrize(
    "text", ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzz9f3Qk2Lp"]
)
def test_what_is_refused_is_told_with_what_to_do(memory, text):
    seen, _ = run(memory, ("remember", {"text": text}))
    assert "[secret_refused]" in seen[0]
    assert "Leave the secret out" in seen[0]


def test_any_number_of_toolsets_sign_a_run_once(memory):
    for _ in range(1200):
        toolset(memory)
    assert memory.remember("I like green tea").run
