"""Conversations: messages as transcripts have them, and turns as history keeps them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from reverie.types.outcomes import Dropped
from reverie.types.writing import Problem, SecretFinding


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a transcript in our common shape, whatever agent wrote it."""

    role: Literal["user", "assistant", "tool", "system"]
    text: str
    id: str = ""
    """The source's own id, or a content hash; cursors point at it."""
    at: datetime | None = None
    tool_name: str = ""
    tool_paths: tuple[str, ...] = ()
    """Files a tool call in this message wrote to (to notice direct memory writes)."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """What somebody said."""

    text: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the record that we do not know; kept as they are."""


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """What a model thought before it spoke."""

    text: str
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """A tool the model called; the arguments are JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str = "{}"
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResultPart:
    """What a tool answered."""

    call_id: str
    content: str
    is_error: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OtherPart:
    """A part of a kind we do not know (image, audio, whatever comes next), kept whole."""

    type: str
    body: Mapping[str, Any] = field(default_factory=dict)
    """Everything but the type."""


TurnPart: TypeAlias = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | OtherPart


@dataclass(frozen=True, slots=True)
class TurnMessage:
    """One message of a turn: who, and its parts in order."""

    role: str
    parts: tuple[TurnPart, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One finished exchange of an agent's history."""

    seq: int
    created_at: datetime
    messages: tuple[TurnMessage, ...]
    id: str = ""
    session: str = ""
    source: str = ""
    """Where an imported turn came from: its reader and the id it had there; empty for our own."""
    extra: Mapping[str, Any] = field(default_factory=dict)


Redact: TypeAlias = Callable[[str], tuple[str, Sequence[SecretFinding]]]


@dataclass(frozen=True, slots=True)
class Appended:
    """Turns that are on the disk now, and what was changed or left out on the way."""

    turns: tuple[Turn, ...]
    redactions: tuple[SecretFinding, ...] = ()
    """Secrets that were replaced by a visible placeholder."""
    known: int = 0
    """Imported turns that were there already."""
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """Turns read, oldest first, and the files that could not be."""

    turns: tuple[Turn, ...]
    problems: tuple[Problem, ...] = ()
