"""The names by which an agent that serves as a model is known, also to whoever must keep away from it."""

from __future__ import annotations

PREFIX = "agent:"
MARK = "REVERIE_ASKED_BY_REVERIE"
"""Set for an agent that we ask: no hook of ours does anything below it."""
JAIL = "reverie-agent-jail"
"""The name of the folder in which agents are asked; nothing from there is learned."""
HOOK_TOOL = "hook"
"""A tool of our server that stands in no list: agents call it for an event, models are not told of it."""


def is_agent(name: str) -> bool:
    """Tell whether a model's name means an agent."""
    return name.strip().startswith(PREFIX)
