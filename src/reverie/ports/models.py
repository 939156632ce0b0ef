"""Chat models: what is asked, what they answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from reverie.types import (
        Usage,
    )


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model wants to use; the arguments are JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to or from a chat model."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[ToolCall, ...] = ()
    """What an assistant's message asks for."""
    call: ToolCall | None = None
    """Which call a tool's message answers."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may use."""

    name: str
    about: str
    parameters: Mapping[str, Any]
    """JSON schema of its arguments."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's structured answer, not yet believed: the caller checks it against the question."""

    value: object
    usage: Usage


@dataclass(frozen=True, slots=True)
class Reply:
    """One step of an agent: tools it wants to use, or its last words."""

    text: str
    calls: tuple[ToolCall, ...]
    usage: Usage


class Model(Protocol):
    """A chat model. Whatever goes wrong is a `ModelError`, after at most so many seconds."""

    name: str

    @property
    def warm(self) -> bool:
        """True when a call can start at once, without loading anything first."""
        ...

    def ask(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any],
        seconds: float,
        fast: bool = False,
    ) -> Answer:
        """Ask one question at temperature 0; `fast` prefers the small model."""
        ...

    def step(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[ToolSpec], seconds: float
    ) -> Reply:
        """Let an agent think once."""
        ...
