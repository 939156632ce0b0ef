"""Remember by an agent: it finds the place and the form; what was said must stand there whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from reverie.core.asking import prompts
from reverie.core.asking.draft import draft_of
from reverie.core.dreaming.vetting import keeps, refusal, vet
from reverie.core.text.dates import find_relative, make_absolute
from reverie.core.text.words import containment
from reverie.core.topics.remember import Plan
from reverie.errors import ModelError
from reverie.types import FileDelta
from reverie.verbs.asking.agent import REMEMBER_TURNS, Limits, run_agent
from reverie.verbs.asking.ask import failed

if TYPE_CHECKING:
    from reverie.core.dreaming.vetting import Placed, Vetted
    from reverie.ports import Model
    from reverie.types import Change, Kind, Scope, Usage
    from reverie.verbs.verb_context import VerbContext

WHOLE: Final = 0.7  # share of the words said that must stand in memory afterwards


@dataclass(frozen=True, slots=True)
class Thought:
    """What an agent would write, or no plan and the reason in the usage."""

    plan: Plan | None
    usage: Usage
    changes: tuple[Change, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)


def think(
    ctx: VerbContext,
    text: str,
    *,
    model: Model,
    scope: Scope | None = None,
    kind: Kind | None = None,
    clean: bool = False,
) -> Thought:
    """Let an agent find the place for a text; nothing is written yet."""
    settings, today = ctx.settings, ctx.clock().date()
    topics = ctx.store.topics()
    draft = draft_of(topics, ctx.workspace, clean=clean)
    messages = prompts.remember_agent(
        text,
        today=today,
        catalog=prompts.catalog_lines(topics),
        scope=scope,
        kind=kind,
        clean=clean,
    )
    limits = Limits(REMEMBER_TURNS, settings.model.run_seconds, settings.model.run_tokens)
    try:
        run = run_agent(messages, draft, model=model, limits=limits)
    except ModelError as error:
        return Thought(None, failed(model, error))
    if not run.draft.changed:
        return Thought(None, replace(run.usage, fallback="nothing_written"))
    source = f"{text}\n{make_absolute(text, on=today)}"
    vetted = vet(run.draft, topics, settings=settings.recall, source=source)
    reason = _objection(text, vetted, today, scope, kind)
    if reason:
        return Thought(None, replace(run.usage, fallback=reason))
    detail = {"strategy": "model", "model": run.usage.model, "prompt": prompts.VERSION}
    return Thought(_plan(vetted, run.draft.base), run.usage, vetted.changes, detail)


def _objection(
    text: str, vetted: Vetted, today: date, scope: Scope | None, kind: Kind | None
) -> str:
    if vetted.refused:
        return f"refused: {refusal(vetted)}"
    if not vetted.gained:
        return "refused: nothing of what was said was written"
    if scope and any(item.topic.scope is not scope for item in vetted.gained):
        return "refused: it went into a different scope than requested"
    if kind and any(item.topic.kind is not kind for item in vetted.gained):
        return "refused: it went into a different kind than requested"
    told = "\n".join(item.text for item in vetted.gained)
    missing = keeps(text, told)
    if missing and keeps(_dated(text, today), told):
        return f"refused: it would lose {', '.join(missing[:3])}"
    if containment(text, told) < WHOLE:
        return "refused: too little of what was said would be left"
    return ""


def _dated(text: str, today: date) -> str:
    """Put dates in place of the phrases that mean them."""
    for phrase in find_relative(text, on=today):
        text = text.replace(phrase.text, str(phrase.value))
    return text


def _plan(vetted: Vetted, base: Mapping[str, str]) -> Plan:
    first = _main(vetted.gained)
    topic = first.topic
    before = base.get(f"{topic.scope.value}/{topic.rel}")
    return Plan(
        action="added",
        path=topic.path,
        entry=first.entry.id,
        name=topic.name,
        kind=topic.kind,
        scope=topic.scope,
        delta=FileDelta(topic.path, before, topic.text),
    )


def _main(gained: Sequence[Placed]) -> Placed:
    return max(gained, key=lambda item: len(item.entry.summary))
