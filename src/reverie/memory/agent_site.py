"""Where on this machine an agent is asked that serves as the model: its jail, its lock, its program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from reverie.core.agents.naming import JAIL
from reverie.errors import AgentBusy, Locked
from reverie.local.disk.locks import file_lock
from reverie.local.store.paths import find_program, user_home
from reverie.models.agents.model import Site


def agent_site(state: Path, env: Mapping[str, str]) -> Site:
    """Return the place for the agents of one home; all its processes share one lock."""

    @contextmanager
    def alone() -> Iterator[None]:
        lock = file_lock(state / "locks" / "agent-model.lock", wait=0, purpose="asking an agent")
        try:
            lock.__enter__()
        except Locked:
            raise AgentBusy(
                "the agent is answering another question; this one is left out"
            ) from None
        try:
            yield
        finally:
            lock.__exit__(None, None, None)

    return Site(state / JAIL, lambda name: find_program(name, env), alone, env, user_home(env))
