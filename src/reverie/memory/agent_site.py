"""Where on this machine an agent is asked: its jail, its lock, its program; and asking it to look back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.agents.naming import JAIL
from reverie.errors import AgentBusy, Locked
from reverie.local.disk.locks import file_lock
from reverie.local.store.paths import find_program, user_home
from reverie.models.agents.model import Site

if TYPE_CHECKING:
    from reverie.memory.opened import Opened
    from reverie.models.agents.forks import Talk
    from reverie.types import Usage


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


def reflect(memory: Opened, agent: str, talk: Talk) -> Usage:
    """Let an agent look back over a conversation of its own and keep what lasts, through the tools.

    It counts as a call of that agent: the same limits hold, and it is written down as one.
    """
    from reverie.core.agents.reflection import ALONE, REFLECTION
    from reverie.models.agents.reflecting import Reflecting
    from reverie.models.budget import Budgeted
    from reverie.models.opening import ledger_of
    from reverie.ports import ChatMessage

    site = agent_site(Path(memory.workspace.state), memory.env)
    settings = memory.settings.model
    ledger = ledger_of(memory.usage_log, memory.clock)
    model = Budgeted(
        Reflecting(agent, site, talk), verb="reflect", settings=settings, ledger=ledger
    )
    asked = ChatMessage("user", f"{REFLECTION}\n\n{ALONE}")
    return model.ask([asked], schema={}, seconds=settings.run_seconds).usage
