"""The limits of an agent that serves as a model, judged by the calls that were written down.

Rules
- So many calls a day and no more, whatever they are for; days are those of UTC.
- After two failures in a row it is left alone for an hour; when its login or its quota says no, after one.
- A call that found the agent busy was none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from reverie.errors import AgentBusy, AgentRefused

PAUSE: Final = timedelta(hours=1)
MANY: Final = 2
"""Failures in a row after which it is left alone."""


def refusal(records: Iterable[Mapping[str, Any]], model: str, *, now: datetime, daily: int) -> str:
    """Say why an agent is not asked now; empty when it may be.

    Args:
        records: Every call that was written down, the oldest first.
        model: The agent's name as a model.
        daily: How many calls a day are allowed.
    """
    calls = [
        (at, str(item.get("failure", "")))
        for item in records
        if item.get("model") == model
        and item.get("failure") != AgentBusy.code
        and (at := moment(item)) is not None
    ]
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    today = sum(at >= midnight for at, _ in calls)
    if today >= daily:
        return f"{model} was asked {today} times today, of {daily} (model.agent_calls_a_day)"
    last = [failure for _, failure in calls[-MANY:]]
    refused = bool(last) and last[-1] == AgentRefused.code
    if refused or (len(last) == MANY and all(last)):
        until = calls[-1][0] + PAUSE
        if now < until:
            why = "its login or its quota said no" if refused else "it failed twice in a row"
            return f"{model} is left alone until {until.astimezone(UTC):%H:%M} UTC: {why}"
    return ""


def moment(record: Mapping[str, Any]) -> datetime | None:
    """Return when a call was made; one that does not say is left out."""
    try:
        at = datetime.fromisoformat(str(record.get("at", "")))
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
