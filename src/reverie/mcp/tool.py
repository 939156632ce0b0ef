"""A tool as data: what it is called, takes, gives, and how it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reverie.errors import (
    ConfigError,
    Conflict,
    InvalidInput,
    Locked,
    MemoryUnavailable,
    ModelError,
    NotAllowed,
    NotFound,
    ReverieError,
    SecretRefused,
    StaleBase,
    StoreError,
    TooLarge,
    UndoConflict,
)

if TYPE_CHECKING:
    from reverie.mcp.caller import Caller
    from reverie.mcp.shapes import Schema
    from reverie.memory import Memory


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answers: data for programs, and the same for a reader."""

    data: dict[str, Any]
    text: str
    run: str = ""
    """The run that changed memory, if one did: who watches resources wants to know."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `run` is synchronous; it is called in a worker thread."""

    name: str
    title: str
    about: str
    takes: Mapping[str, Any]
    """JSON schema of its arguments."""
    gives: Schema
    """JSON schema of its data."""
    run: Callable[[Memory, dict[str, Any], Caller], Result]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    slow: bool = False
    """It may take longer than a client likes to wait in silence, so it reports progress."""


_ACTIONS: tuple[tuple[type[ReverieError], str], ...] = (
    (SecretRefused, "Leave the secret out; say where it is kept instead."),
    (MemoryUnavailable, "Ask the user to run `reverie config set memory.enabled true`."),
    (Locked, "Another program is writing; call again in a few seconds."),
    (UndoConflict, "Look at `log` for the later runs and undo those first."),
    (StaleBase, "Memory has changed in the meantime; read it again, then repeat the call."),
    (Conflict, "Look at the current state, then repeat the call."),
    (InvalidInput, "Correct the argument and call again."),
    (TooLarge, "Send less, or split it into several calls."),
    (NotFound, "Use `memory_search` to find what there is, then call again with its name."),
    (NotAllowed, "Do not retry this; tell the user what was refused and why."),
    (ConfigError, "Ask the user to run `reverie config list` and correct the setting."),
    (ModelError, "Call again later; everything but the model works without it."),
    (StoreError, "Ask the user to run `reverie doctor` and `reverie verify`."),
)


def action_for(error: ReverieError) -> str:
    """Say what an agent can do about an error."""
    return next(
        (action for kind, action in _ACTIONS if isinstance(error, kind)),
        "Tell the user; the log on standard error says more.",
    )


def takes(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Describe the arguments of a tool."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def text(about: str, **more: Any) -> dict[str, Any]:
    """Describe a text argument."""
    return {"type": "string", "description": about, **more}


def flag(about: str) -> dict[str, Any]:
    """Describe a switch, off by default."""
    return {"type": "boolean", "description": about}


def choice(about: str, *options: str, **more: Any) -> dict[str, Any]:
    """Describe an argument that is one of a few words."""
    return {"type": "string", "enum": list(options), "description": about, **more}


def count(about: str, *, default: int, high: int) -> dict[str, Any]:
    """Describe a number from 1 up."""
    return {
        "type": "integer",
        "minimum": 1,
        "maximum": high,
        "default": default,
        "description": about,
    }
