"""The seams: what an engine, a model or an embedder must offer. Two engines pass the same tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from reverie.types import (
    Applied,
    BlameLine,
    Change,
    FileDelta,
    RunInfo,
    RunRecord,
    Scope,
    Topic,
    Turn,
    Usage,
    Verified,
)


class Clock(Protocol):
    """Where time comes from; tests bring their own."""

    def __call__(self) -> datetime: ...


class Store(Protocol):
    """The memory itself. `apply` is the only way anything is written."""

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic of managed memory, newest first."""
        ...

    def read(self, path: str) -> str | None:
        """Return a file's text, or None when there is no file."""
        ...

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run, or none of them."""
        ...


class Journal(Protocol):
    """What was done, and how to take it back."""

    def log(self, *, limit: int = 50, path: str | None = None) -> list[RunRecord]: ...

    def deltas(self, run: str) -> list[FileDelta]: ...

    def undo(self, run: str, info: RunInfo) -> Applied: ...

    def blame(self, path: str) -> list[BlameLine]: ...

    def verify(self) -> Verified: ...


class StateFiles(Protocol):
    """Small bookkeeping files beside the memory: meta, cursor, the dream lock."""

    def read_state(self, name: str) -> dict[str, Any]:
        """Return a state file, empty when there is none."""
        ...

    def update_state(
        self, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        """Read, change and replace a state file as one step; return what it now holds."""
        ...

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Own a lock for as long as the block runs, or yield False when another owns it."""
        ...


class AgentTree(Protocol):
    """The folder of one agent's layers: what lies in it, and the small files that steer its jobs."""

    root: str

    def markdown(self, folder: str) -> list[str]:
        """Return the Markdown files below a folder, as paths relative to the tree, sorted."""
        ...

    def read_control(self, name: str) -> dict[str, Any]:
        """Return a control file, empty when there is none."""
        ...

    def write_control(self, name: str, value: dict[str, Any]) -> None: ...

    def controls(self, folder: str) -> list[str]:
        """Return the control files below a folder, relative to the tree, sorted."""
        ...

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Hold a lock for as long as the block runs, or yield False when another holds it."""
        ...


class TurnLog(Protocol):
    """The history of one agent, read."""

    def head(self) -> int:
        """Return the highest number ever given."""
        ...

    def take(self, seq: int, *, limit: int, own: bool = False) -> Sequence[Turn]:
        """Return the first turns above a number, oldest first; `own` leaves out imported ones."""
        ...

    def recent(self, limit: int, *, checkpoint: int) -> Sequence[Turn]:
        """Return the last own turns above a checkpoint, oldest first."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. `identity` changes whenever the vectors would."""

    @property
    def identity(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]: ...


# --- chat models ----------------------------------------------------------------------------------


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
