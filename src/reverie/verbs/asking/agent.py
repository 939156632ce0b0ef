"""Agent: let a model edit a draft with tools, within turns, time and tokens.

Rules
- The loop is bounded three ways, and the model can raise none of the bounds.
- A tool that fails tells the model why; a write that leads outside of memory ends the run at once.
- Nothing is written here: the draft goes back to the verb, which has it vetted and applied.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.asking.draft import TOOLS, WRITING, use_tool
from reverie.core.asking.prompts import tool_result
from reverie.errors import (
    BudgetSpent,
    InvalidInput,
    ModelError,
    ModelTimeout,
    NotFound,
    PinnedFile,
    RememberPathEscape,
)
from reverie.ports import ChatMessage
from reverie.types import Usage

if TYPE_CHECKING:
    from reverie.core.asking.draft import Draft
    from reverie.ports import Model, Reply, ToolCall

REMEMBER_TURNS: Final = 6
DREAM_TURNS: Final = 8
EXTRACT_TURNS: Final = 5
MAX_CALLS: Final = 16  # tools used in one turn


@dataclass(frozen=True, slots=True)
class Limits:
    """How far an agent may go."""

    turns: int
    seconds: float
    tokens: int = 0
    """In and out together; 0 means no limit."""


@dataclass(frozen=True, slots=True)
class AgentRun:
    """What an agent did."""

    draft: Draft
    text: str
    """Its last words."""
    usage: Usage
    finished: bool
    """False when it ran out of turns before it was done."""
    transcript: tuple[ChatMessage, ...]


def run_agent(
    messages: Sequence[ChatMessage],
    draft: Draft,
    *,
    model: Model,
    limits: Limits,
    cancelled: Callable[[], bool] = lambda: False,
    monotonic: Callable[[], float] = time.monotonic,
) -> AgentRun:
    """Let a model work on a draft until it says it is done, or a bound is reached."""
    talk = list(messages)
    usage = Usage(model=model.name)
    started = monotonic()
    for _ in range(limits.turns):
        try:
            reply = _step(model, talk, limits, usage, started, monotonic, cancelled)
        except ModelError as error:
            # The caller takes the deterministic way, and still tells what this cost.
            error.evidence["usage"] = add_usage(usage, _spent(error))
            raise
        usage = add_usage(usage, reply.usage)
        talk.append(ChatMessage("assistant", reply.text, reply.calls))
        if not reply.calls:
            return AgentRun(draft, reply.text.strip(), usage, True, tuple(talk))
        for number, call in enumerate(reply.calls):
            draft, told = _used(draft, call) if number < MAX_CALLS else (draft, _TOO_MANY)
            talk.append(ChatMessage("tool", told, call=call))
    return AgentRun(draft, "", usage, False, tuple(talk))


_TOO_MANY: Final = f"error: not done; use at most {MAX_CALLS} tools at a time"


def add_usage(one: Usage, two: Usage) -> Usage:
    """Add up what two calls cost."""
    return Usage(
        model=two.model or one.model,
        tokens_in=one.tokens_in + two.tokens_in,
        tokens_out=one.tokens_out + two.tokens_out,
        duration_ms=one.duration_ms + two.duration_ms,
        fallback=two.fallback or one.fallback,
    )


def _step(
    model: Model,
    talk: Sequence[ChatMessage],
    limits: Limits,
    usage: Usage,
    started: float,
    monotonic: Callable[[], float],
    cancelled: Callable[[], bool],
) -> Reply:
    left = limits.seconds - (monotonic() - started)
    if left <= 0:
        raise ModelTimeout(f"the agent was not done after {limits.seconds:g} seconds")
    if cancelled():
        raise ModelError("the run was cancelled")
    if limits.tokens and usage.tokens_in + usage.tokens_out >= limits.tokens:
        raise BudgetSpent(f"the agent was not done after {limits.tokens} tokens (model.run_tokens)")
    return model.step(talk, tools=TOOLS, seconds=left)


def _used(draft: Draft, call: ToolCall) -> tuple[Draft, str]:
    try:
        draft, told = use_tool(draft, call.name, call.arguments)
    except RememberPathEscape as error:
        if call.name in WRITING:
            raise
        return draft, f"error: {error}"
    except (InvalidInput, NotFound, PinnedFile) as error:
        return draft, f"error: {error}"
    return draft, told if call.name in WRITING else tool_result(told)


def _spent(error: ModelError) -> Usage:
    spent = error.evidence.get("usage")
    return spent if isinstance(spent, Usage) else Usage()
