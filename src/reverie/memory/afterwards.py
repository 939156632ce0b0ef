"""What becomes of a conversation after an agent has answered: it is learned from, and kept as history.

Rules
- The process behind a hook does this, or a daemon for it, which has everything open.
- What takes a model of the person's own, or a while, is only named: it is left to that process.
- On folders that an agent shares with us, its own environment says who leads. A daemon does not have that, so
  it leaves these alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.dialect import REVERIE
from reverie.memory.briefing import native_scopes
from reverie.types import Extracted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from reverie.memory import Memory
    from reverie.types import Moment, RunInfo


@dataclass(frozen=True, slots=True)
class Afterwards:
    """What was done, and what is left to do."""

    learned: tuple[Extracted, ...] = ()
    remaining: bool = False
    """Whether a part of the conversation was not read yet."""
    asks: bool = False
    """Whether an agent of the person may judge what was said."""
    reflects: bool = False
    """Whether the agent itself is to look back."""
    idle_seconds: float = 0.0
    """After which silence a conversation is over."""


def is_for_a_daemon(memory: Memory) -> bool:
    """Say whether a daemon knows enough to do this."""
    return memory.dialect.name == REVERIE.name


def afterwards(
    memory: Memory,
    records: Sequence[Mapping[str, Any]],
    *,
    session: str,
    agent: str,
    extracts: bool,
    keeps: bool,
    whole: bool = True,
    info: RunInfo | None = None,
) -> Afterwards:
    """Learn from the new part of a conversation, and keep it as history.

    Args:
        extracts: Learn from it, if settings and agent let us.
        keeps: Keep it as history, if settings let us.
        whole: Read to the end; else one part, and the history with the last one.
    """
    hooks = memory.settings.hooks
    if not hooks.enabled:
        return Afterwards()
    learns = hooks.learn and not native_scopes(memory, agent=agent)
    learned: list[Extracted] = []
    remaining = False
    if learns and extracts:
        learned, remaining = extracted(memory, records, session=session, whole=whole, info=info)
    if keeps and hooks.history and not remaining:
        memory.layers.import_chat("\n".join(map(json.dumps, records)))
    return Afterwards(
        tuple(learned),
        remaining,
        learns and memory.asks_an_agent(),
        learns and hooks.reflect,
        hooks.idle_seconds,
    )


def extracted(
    memory: Memory,
    records: Sequence[Mapping[str, Any]],
    *,
    session: str,
    moment: Moment = "turn",
    whole: bool = True,
    info: RunInfo | None = None,
) -> tuple[list[Extracted], bool]:
    """Learn from what was not read before; say also whether something is left."""
    learned: list[Extracted] = []
    while True:
        outcome = memory.extract(records, session=session, info=info, moment=moment)
        if not isinstance(outcome, Extracted):
            return learned, False
        learned.append(outcome)
        remaining = bool(outcome.remaining and outcome.read_messages)
        if not remaining or not whole:
            return learned, remaining
