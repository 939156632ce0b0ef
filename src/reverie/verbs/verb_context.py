"""What every verb works with, as one value that the opened memory makes.

Rules
- It holds what stays the same while a memory is open. What one call is about (a query, a scope, a dry run)
  is an argument of the verb.
- What costs something to open is a function, called by the verb that needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.core.erasing.erasing_store import ErasingStore
    from reverie.dialect import Dialect
    from reverie.ports import (
        AgentTree,
        Clock,
        JournaledStore,
        JournalReader,
        Model,
        StateFiles,
        Store,
        TurnLog,
    )
    from reverie.types import Topic, Workspace

__all__ = ["LayerContext", "VerbContext", "widened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbContext:
    """What every verb works with."""

    store: JournaledStore
    settings: Settings
    workspace: Workspace
    dialect: Dialect
    clock: Clock
    state: Callable[[], StateFiles]
    """Opens the small bookkeeping files beside the memory."""
    model_for: Callable[[str], Model | None]
    """Gives the chat model for a verb, each with a budget of its own; None when none is used."""
    confined: Callable[[], Store]
    """Opens the store for what an agent drafted: it writes below the memory folders only."""
    concerned: Callable[..., Sequence[Topic]]
    """Finds the topics that a new statement may concern; takes it, and the scopes to look into."""
    nearest: Callable[[str], Mapping[str, float]]
    """Names the topics nearest in meaning to a statement, by path, with their cosines, the nearest first;
    none without a loaded sentence model."""
    erasing: Callable[[], ErasingStore]
    """Opens the store for removing: it reaches the copies of memory, too."""

    @property
    def journal(self) -> JournalReader:
        """What was done."""
        return self.store.journal


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerContext(VerbContext):
    """What the verbs of an agent's layers work with besides."""

    tree: AgentTree
    history: Callable[[], TurnLog]
    """Opens the history of the agent, which upgrades and heals it."""


Wider = TypeVar("Wider", bound=VerbContext)


def widened(ctx: VerbContext, kind: type[Wider], **more: Any) -> Wider:
    """Return a context that holds everything of another one, and more."""
    return kind(**{item.name: getattr(ctx, item.name) for item in fields(ctx)}, **more)
