"""Doubles for tests of programs that use Reverie: a scripted model and a clock that stands still."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from reverie.errors import BadAnswer, ModelError
from reverie.ports import Answer, ChatMessage, Reply, ToolCall, ToolSpec
from reverie.types import Usage


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call that a model got."""

    messages: tuple[ChatMessage, ...]
    schema: Mapping[str, Any] | None
    tools: tuple[str, ...]
    seconds: float
    fast: bool = False


Line: TypeAlias = object
"""What a scripted model says next: a JSON value, a text, tool calls, an error, or a function of the call."""


class ScriptedModel:
    """A model that says what it was told to, in order, and remembers what it was asked.

    A line of its script is a JSON value (for `ask`), a text (last words of an agent), a list of
    `use(...)` (tools an agent uses), an error to raise, or a function that makes one of these from
    the call.
    """

    def __init__(self, *script: Line, name: str = "scripted", warm: bool = True) -> None:
        self.name = name
        self.warm = warm
        self.script = deque(script)
        self.calls: list[ModelCall] = []
        self.usage = Usage(model=name, tokens_in=100, tokens_out=10, duration_ms=1)
        self._lock = threading.Lock()

    def ask(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any],
        seconds: float,
        fast: bool = False,
    ) -> Answer:
        """Give the next line as a structured answer."""
        said = self._next(ModelCall(tuple(messages), schema, (), seconds, fast))
        return Answer(said, self.usage)

    def step(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[ToolSpec], seconds: float
    ) -> Reply:
        """Give the next line as a text or as tool calls."""
        names = tuple(tool.name for tool in tools)
        said = self._next(ModelCall(tuple(messages), None, names, seconds))
        if isinstance(said, str):
            return Reply(said, (), self.usage)
        if isinstance(said, list) and all(isinstance(item, ToolCall) for item in said):
            number = len(self.calls)
            calls = [replace(item, id=f"call-{number}-{i}") for i, item in enumerate(said, 1)]
            return Reply("", tuple(calls), self.usage)
        raise BadAnswer(f"the script holds {said!r} where an agent's step was expected")

    def _next(self, call: ModelCall) -> object:
        with self._lock:
            self.calls.append(call)
            if not self.script:
                raise ModelError("the script is at its end")
            said = self.script.popleft()
        if isinstance(said, Callable):  # type: ignore[arg-type]  # an abstract class works at run time
            said = said(call)  # type: ignore[operator]
        if isinstance(said, BaseException):
            raise said
        return said


def use(tool: str, **arguments: object) -> ToolCall:
    """Write one tool call of a scripted agent."""
    return ToolCall("", tool, json.dumps(arguments, ensure_ascii=False))


class StandingClock:
    """A clock that moves only when told to."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        """Move on: `advance(days=1)`."""
        self.now += timedelta(**span)
