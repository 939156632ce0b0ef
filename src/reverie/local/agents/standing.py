"""What stands between an installation and its work: hooks nobody trusted, two memories at once.

Rules
- An agent that keeps a memory of its own on the same files leads there until the person switches it off:
  then Reverie learns nothing from its conversations and does not repeat what it shows by itself.
- Which of the two leads is said, with the command that changes it; nothing is switched without asking.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.agents.known import AGENTS
from reverie.local.agents.installing import Host, is_installed, settings_of, trusts_hooks
from reverie.types import Problem, Scope

if TYPE_CHECKING:
    from reverie.core.agents.known import Agent
    from reverie.types import Workspace

UNTRUSTED = "agent_hooks_untrusted"
AGENT_LEADS = "agent_memory_leads"
BOTH = "agent_memory_beside"


def injected_by(
    name: str, *, dialect: str, workspace: Workspace, env: Mapping[str, str]
) -> tuple[Scope, ...]:
    """Return the memories that an agent puts into its requests itself; none when Reverie leads."""
    agent = AGENTS.get(name)
    if agent is None or agent.native is None or agent.native.dialect != dialect:
        return ()
    return agent.native.injects if _is_on(agent, workspace, env) else ()


def standing(workspace: Workspace, *, dialect: str, env: Mapping[str, str]) -> list[Problem]:
    """Say for every agent that Reverie is installed in what is in the way."""
    found = []
    for agent in AGENTS.values():
        here = [host for host in _hosts(agent, workspace, env) if is_installed(host)]
        if here and not any(map(trusts_hooks, here)):
            found.append(Problem(UNTRUSTED, untrusted(agent)))
        if here and agent.native is not None and _is_on(agent, workspace, env):
            found.append(leading(agent, dialect))
    return found


def untrusted(agent: Agent) -> str:
    """Say that an agent does not run our hooks yet."""
    return (
        f"{agent.title} does not run Reverie's hooks, and says nothing about it: nobody has trusted them"
        f" yet. {agent.afterwards}"
    )


def leading(agent: Agent, dialect: str) -> Problem:
    """Say which of two memories leads."""
    change = f"`reverie install {agent.name} --lead reverie` switches its own off, after asking."
    if agent.native is not None and agent.native.dialect == dialect:
        return Problem(
            AGENT_LEADS,
            f"{agent.title} keeps the same files by itself, so it leads there: Reverie recalls and searches,"
            f" but does not learn from its conversations. {change}",
        )
    return Problem(
        BOTH, f"{agent.title} also keeps a memory of its own, beside Reverie's. {change}"
    )


def _is_on(agent: Agent, workspace: Workspace, env: Mapping[str, str]) -> bool:
    if agent.native is None:
        return False
    hosts = _hosts(agent, workspace, env)
    return not any(agent.native.is_off(settings_of(host), env) for host in hosts)


def _hosts(agent: Agent, workspace: Workspace, env: Mapping[str, str]) -> list[Host]:
    return [Host(agent, scope, workspace.base, Path(workspace.state), env) for scope in Scope]
