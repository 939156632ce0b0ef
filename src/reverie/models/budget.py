"""Budget: a model that stops answering when the day's or the month's tokens are spent.

Rules
- Every call is recorded with its tokens, also one that failed or came too late to be used.
- Days and months are those of UTC. A call that begins within the budget is carried through, so the
  last one may go a little over; processes that call at the same moment may go over by one each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from reverie.config import ModelSettings
from reverie.core.agents.naming import is_agent
from reverie.errors import BudgetSpent, ModelError
from reverie.models.agents.limits import moment, refusal
from reverie.ports import Answer, ChatMessage, Model, Reply, ToolSpec
from reverie.types import Usage

EVENT: Final = "model.call"


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where calls are written down, and where they are read again."""

    write: Callable[[Mapping[str, Any]], None]
    read: Callable[[], Iterable[Mapping[str, Any]]]
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What one model cost for one verb."""

    model: str
    verb: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int
    duration_ms: int


class Budgeted:
    """A model with a purse, used for one verb."""

    def __init__(self, model: Model, *, verb: str, settings: ModelSettings, ledger: Ledger) -> None:
        self.model = model
        self.name = model.name
        self.verb = verb
        self._settings = settings
        self._ledger = ledger

    @property
    def warm(self) -> bool:
        """True when the model behind it is."""
        return self.model.warm

    def ask(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any],
        seconds: float,
        fast: bool = False,
    ) -> Answer:
        """Ask if there are tokens left."""
        self._check()
        try:
            answer = self.model.ask(messages, schema=schema, seconds=seconds, fast=fast)
        except ModelError as error:
            self._note_failure(error)
            raise
        self._note(answer.usage)
        return answer

    def step(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[ToolSpec], seconds: float
    ) -> Reply:
        """Let the model think once if there are tokens left."""
        self._check()
        try:
            reply = self.model.step(messages, tools=tools, seconds=seconds)
        except ModelError as error:
            self._note_failure(error)
            raise
        self._note(reply.usage)
        return reply

    def _check(self) -> None:
        limits = self._settings
        agent = is_agent(self.name)
        if not (limits.daily_tokens or limits.monthly_tokens or agent):
            return
        now = self._ledger.clock().astimezone(UTC)
        day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        records = list(self._ledger.read())
        if agent and (no := refusal(records, self.name, now=now, daily=limits.agent_calls_a_day)):
            raise BudgetSpent(no)
        for limit, since, key in (
            (limits.daily_tokens, day, "model.daily_tokens"),
            (limits.monthly_tokens, day.replace(day=1), "model.monthly_tokens"),
        ):
            if limit and (spent := tokens_since(records, since)) >= limit:
                raise BudgetSpent(f"{spent} tokens were used of {limit} ({key}); no model is asked")

    def _note_failure(self, error: ModelError) -> None:
        spent = error.evidence.get("usage")
        self._note(spent if isinstance(spent, Usage) else Usage(model=self.name), error.code)

    def _note(self, usage: Usage, failure: str = "") -> None:
        self._ledger.write(
            {
                "verb": self.verb,
                "model": usage.model or self.name,
                "tokens_in": usage.tokens_in,
                "tokens_out": usage.tokens_out,
                "duration_ms": usage.duration_ms,
                "failure": failure,
            }
        )


def tokens_since(records: Iterable[Mapping[str, Any]], since: datetime) -> int:
    """Add up the tokens of calls since a moment."""
    return sum(
        _count(item, "tokens_in") + _count(item, "tokens_out")
        for item in records
        if (at := moment(item)) is not None and at >= since
    )


def sum_usage(records: Iterable[Mapping[str, Any]]) -> list[UsageRow]:
    """Add up calls by model and verb, the dearest first."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for item in records:
        groups.setdefault((str(item.get("model", "")), str(item.get("verb", ""))), []).append(item)
    rows = [
        UsageRow(
            model,
            verb,
            len(items),
            sum(bool(item.get("failure")) for item in items),
            sum(_count(item, "tokens_in") for item in items),
            sum(_count(item, "tokens_out") for item in items),
            sum(_count(item, "duration_ms") for item in items),
        )
        for (model, verb), items in groups.items()
    ]
    return sorted(rows, key=lambda row: (-(row.tokens_in + row.tokens_out), row.model, row.verb))


def _count(item: Mapping[str, Any], key: str) -> int:
    value = item.get(key, 0)
    return value if isinstance(value, int) else 0
