"""Every memory on this machine: what the agents keep, how much of it, and whether we know of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.agents.known import AGENTS, shared_memories
from reverie.local.agents.installing import Host, is_installed
from reverie.local.store.listing import markdown_files
from reverie.local.store.paths import find_program
from reverie.types import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.core.agents.known import Memories
    from reverie.types import Workspace


@dataclass(frozen=True, slots=True)
class MachineMemory:
    """One memory folder or file."""

    agent: str
    """Empty for a file that any agent reads."""
    path: str
    what: str
    files: int
    newest: datetime | None
    dialect: str
    """Which dialect opens it in place; empty for plain Markdown."""
    searched: bool
    """Whether `reverie search` covers it."""


@dataclass(frozen=True, slots=True)
class MachineAgent:
    """One agent on this machine."""

    name: str
    title: str
    present: bool
    """Whether its folder is here, or its program is on the PATH."""
    installed: tuple[str, ...]
    """The scopes in which our hooks or our server are in its settings."""


def agents_here(workspace: Workspace, *, state: Path, env: Mapping[str, str]) -> list[MachineAgent]:
    """Say for every agent whether it is here and whether we are installed in it."""
    found = []
    for agent in AGENTS.values():
        hosts = {scope: Host(agent, scope, workspace.base, state, env) for scope in Scope}
        scopes = tuple(scope for scope, host in hosts.items() if is_installed(host))
        has_run = os.path.isdir(hosts[Scope.USER].where("{config}"))
        present = has_run or find_program(agent.program, env) is not None
        found.append(MachineAgent(agent.name, agent.title, present, scopes))
    return found


def memories_here(
    workspace: Workspace, *, state: Path, env: Mapping[str, str], searched: Sequence[str]
) -> list[MachineMemory]:
    """List our own memory of this workspace and what every agent keeps."""
    covered = [os.path.realpath(path) for path in searched]
    own = [
        (workspace.user_memory, "your memory"),
        (workspace.project_memory, "memory of this project"),
    ]
    found = [
        _counted("reverie", path, what, "reverie", covered)
        for path, what in own
        if os.path.exists(path)
    ]
    for agent in AGENTS.values():
        host = Host(agent, Scope.USER, workspace.base, state, env)
        found += _matching(agent.name, host, agent.memories, covered)
    host = Host(next(iter(AGENTS.values())), Scope.USER, workspace.base, state, env)
    return found + _matching("", host, shared_memories(), covered)


def _matching(
    name: str, host: Host, patterns: Sequence[Memories], covered: Sequence[str]
) -> list[MachineMemory]:
    return [
        _counted(name, path, item.what, item.dialect, covered)
        for item in patterns
        for path in sorted(glob(host.where(item.pattern, escape)))
        if os.path.exists(path)  # not a link that points nowhere
    ]


def _counted(
    agent: str, path: str, what: str, dialect: str, covered: Sequence[str]
) -> MachineMemory:
    files = (
        [facts for _, _, facts in markdown_files(path)] if os.path.isdir(path) else [os.stat(path)]
    )
    newest = max((facts.st_mtime for facts in files), default=None)
    real = os.path.realpath(path)
    return MachineMemory(
        agent=agent,
        path=path,
        what=what,
        files=len(files),
        newest=datetime.fromtimestamp(newest, UTC) if newest is not None else None,
        dialect=dialect,
        searched=any(real == place or real.startswith(f"{place}/") for place in covered),
    )
