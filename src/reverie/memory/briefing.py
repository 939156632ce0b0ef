"""What a session is told at its beginning, from an opened memory; how it is put together says the core."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.layers.briefing import Sources, brief, is_laid_out, shown_body
from reverie.core.layers.tree import CORE, scaffold
from reverie.dialect import REVERIE
from reverie.local.settings import SETTINGS_WAIT
from reverie.memory.managed import topic_key

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.types import Scope

MAX_RECALLS: Final = 10_000
CHARS_PER_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class Briefing:
    """The words for a session's beginning."""

    text: str
    shown: tuple[str, ...]
    """The memories that stand in it, as they read there."""


def session_briefing(memory: Memory, *, agent: str) -> Briefing | None:
    """Say what a session of an agent should know from its beginning; None when that is switched off."""
    settings = memory.settings
    if not settings.hooks.enabled or not settings.memory.enabled:
        return None
    room = min(settings.hooks.context_chars, settings.layers.prompt_tokens * CHARS_PER_TOKEN)
    sources = _sources(memory, without=native_scopes(memory, agent=agent))
    made = brief(sources, room=room)
    return Briefing(made.text, tuple(shown_body(topic, sources) for topic in made.told))


def native_scopes(memory: Memory, *, agent: str) -> tuple[Scope, ...]:
    """Return the memories that an agent keeps and shows itself, on the same files."""
    if memory.dialect.name == REVERIE.name:
        return ()  # these files are Reverie's alone
    from reverie.local.agents.standing import injected_by

    return injected_by(
        agent, dialect=memory.dialect.name, workspace=memory.workspace, env=memory.env
    )


def _sources(memory: Memory, *, without: tuple[Scope, ...]) -> Sources:
    tree, closed = memory.layers.tree, (*memory.engine.closed_scopes(), *without)
    limits = memory.settings.layers
    first = scaffold(
        memory.workspace.agent, core_limit=limits.core_limit, working_limit=limits.working_limit
    )
    core = [
        (rel, text)
        for rel in tree.markdown(CORE)
        if rel.count("/") == 1
        and (text := memory.store.read(f"{tree.root}/{rel}") or "")
        and not is_laid_out(text, first.get(rel, ""))
    ]
    topics = [topic for topic in memory.store.topics() if topic.scope not in closed]
    events = memory.recall_log.read(limit=MAX_RECALLS)
    counted = Counter(key for event in events for key in event.get("topics", ()))
    redact = memory.layers.redact()
    whence = memory.engine.whence({topic.path: topic.text for topic in topics})
    return Sources(
        topics=topics,
        recalls={topic.path: counted[topic_key(topic.path)] for topic in topics},
        core=core,
        working=memory.layers.working(),
        notes=_waiting(memory),
        imported=lambda topic: whence[topic.path],
        clean=(lambda text: redact(text)[0]) if redact else str,
    )


def _waiting(memory: Memory) -> tuple[str, ...]:
    """Say in one line that something of the project waits until its person trusts it."""
    if not any(item.code == SETTINGS_WAIT for item in memory.resolved.problems):
        return ()
    return (
        "Reverie: this project has settings for memory that are not applied; the person may look at"
        f" {memory.dialect.project_config} and run `reverie trust` (or `reverie trust --no`).",
    )
