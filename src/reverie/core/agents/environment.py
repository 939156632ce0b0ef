"""What a process that an agent started takes from the agent's environment.

An agent's own variables say where *its* words go. A model is asked by Reverie only when Reverie's own
settings name it, so a name that an agent left in the environment turns nothing on here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_OF_THE_AGENT: Final = ("OPENAI_MODEL",)


def own_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without what was set for the agent."""
    return {name: value for name, value in env.items() if name not in _OF_THE_AGENT}
