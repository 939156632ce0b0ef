"""Opening: the chat model that settings and environment name, and its budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.config import ModelSettings
from reverie.core.agents.naming import is_agent
from reverie.errors import StoreError
from reverie.models.agents.limits import refusal
from reverie.models.budget import EVENT, Budgeted, Ledger, UsageRow, sum_usage
from reverie.models.endpoints import find_endpoints
from reverie.ports import Model, Records

if TYPE_CHECKING:
    from reverie.models.agents.model import Site

_ALL: Final = 10**9


def open_model(
    settings: ModelSettings, env: Mapping[str, str], *, site: Callable[[], Site] | None = None
) -> Model | None:
    """Return the model that is named, or None; a name that cannot be used is a `ConfigError`.

    Args:
        site: Says where on this machine an agent is asked, if one is the model.
    """
    if is_agent(settings.name) and site is not None:
        from reverie.models.agents.model import agent_model

        return agent_model(settings.name, site())
    found = find_endpoints(settings, env)
    if found is None:
        return None
    from reverie.models.chat import ChatModel

    return ChatModel(*found)


def budgeted(
    model: Model | None,
    verb: str,
    *,
    settings: ModelSettings,
    log: Records,
    clock: Callable[[], datetime],
) -> Model | None:
    """Return the model with its purse, for one verb."""
    if model is None:
        return None
    return Budgeted(model, verb=verb, settings=settings, ledger=ledger_of(log, clock))


def ledger_of(log: Records, clock: Callable[[], datetime]) -> Ledger:
    """Return where calls are written down."""

    def write(data: Mapping[str, Any]) -> None:
        with suppress(StoreError):  # a full disk must not undo what a call brought
            log.add(EVENT, data, at=clock())

    return Ledger(write, lambda: log.read(limit=_ALL, name=EVENT), clock)


def usage_of(log: Records) -> list[UsageRow]:
    """Add up everything that was written down."""
    return sum_usage(log.read(limit=_ALL, name=EVENT))


_ADDS: Final = (
    "Everything works without one. A model would choose better what to recall and forget when words"
    " differ, find memories that are not said outright, and tidy up in dreams."
)
WITHOUT: Final = (
    f"no model is set up. {_ADDS} Set one with `reverie config set model.name provider:model` and its"
    " key in the environment."
)


def about_model(
    model: Model | None,
    *,
    settings: ModelSettings,
    problem: str = "",
    log: Records | None = None,
    now: datetime | None = None,
) -> str:
    """Say in one paragraph which model is used, or what one would add; of an agent, how it stands."""
    if model is None:
        return f"the model cannot be used: {problem}. {_ADDS}" if problem else WITHOUT
    limits = [
        f"{limit:,} tokens a {span}"
        for limit, span in ((settings.daily_tokens, "day"), (settings.monthly_tokens, "month"))
        if limit
    ]
    if is_agent(model.name):
        limits.insert(0, f"{settings.agent_calls_a_day} calls a day")
    told = f"model: {model.name}" + (f" (at most {', '.join(limits)})" if limits else "")
    if is_agent(model.name) and log is not None and now is not None:
        records = log.read(limit=_ALL, name=EVENT)
        daily = settings.agent_calls_a_day
        told += f". {refusal(records, model.name, now=now, daily=daily) or 'It may be asked now'}"
    return told


def about_reflecting(*, settings: ModelSettings, log: Records, now: datetime) -> str:
    """Say of every agent that looks back over its conversations whether it may be asked."""
    records = list(log.read(limit=_ALL, name=EVENT))
    names = sorted(
        {str(item.get("model", "")) for item in records if item.get("verb") == "reflect"}
    )
    told = [
        refusal(records, name, now=now, daily=settings.agent_calls_a_day)
        or f"{name} may be asked now"
        for name in names
    ]
    return f"reflection is on (hooks.reflect). {'; '.join(told) or 'No agent was asked yet'}"
