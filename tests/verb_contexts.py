"""What a verb is given when a test calls it without the memory around it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reverie.memory import Memory
from reverie.ports import Model
from reverie.verbs.verb_context import VerbContext


def context_of(memory: Memory, *, model: Model | None = None, **changes: Any) -> VerbContext:
    """Return the context of an opened memory, with this model and whatever else a test replaces."""
    return replace(memory.verb_context, model_for=lambda _verb: model, **changes)
