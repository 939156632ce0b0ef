"""Dream by an agent: it rewrites a draft; only what vetting can explain becomes a plan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from reverie.core.asking import prompts
from reverie.core.asking.draft import draft_of
from reverie.core.dreaming.probes import probes_for
from reverie.core.dreaming.vetting import Placed, refusal, vet
from reverie.errors import ModelError, RememberPathEscape
from reverie.types import (
    DreamPlan,
    EntryRef,
    MergeOp,
    SupersedeOp,
    Usage,
)
from reverie.verbs.asking.agent import DREAM_TURNS, Limits, run_agent
from reverie.verbs.asking.ask import failed

if TYPE_CHECKING:
    from reverie.core.dreaming.merge import When
    from reverie.core.dreaming.vetting import Vetted
    from reverie.ports import Model
    from reverie.types import (
        Dropped,
        Topic,
    )
    from reverie.verbs.verb_context import VerbContext


@dataclass(frozen=True, slots=True)
class Thought:
    """What an agent would change, or no plan and the reason in the usage."""

    plan: DreamPlan | None
    usage: Usage
    refused: tuple[Dropped, ...] = ()
    probes: int = 0


def think(
    ctx: VerbContext,
    topics: Sequence[Topic],
    when: When,
    *,
    model: Model,
    cancelled: Callable[[], bool] = lambda: False,
) -> Thought:
    """Let an agent consolidate a draft of the memory; nothing is written yet."""
    if not topics:
        return Thought(None, Usage(model=model.name, fallback="nothing_to_do"))
    settings = ctx.settings
    messages = prompts.dream_agent(today=ctx.clock().date(), catalog=prompts.catalog_lines(topics))
    limits = Limits(DREAM_TURNS, settings.model.run_seconds, settings.model.run_tokens)
    draft = draft_of(topics, ctx.workspace)
    try:
        run = run_agent(messages, draft, model=model, limits=limits, cancelled=cancelled)
    except ModelError as error:
        return Thought(None, failed(model, error))
    except (
        RememberPathEscape
    ) as error:  # nothing of the user's depends on this run: dream without it
        return Thought(None, Usage(model=model.name, fallback=error.code))
    if not run.draft.changed:
        return Thought(None, replace(run.usage, fallback="nothing_written"))
    count = settings.dream.probes_per_entry
    vetted = vet(run.draft, topics, settings=settings.recall, probes=count)
    changed = {change.path for change in vetted.changes}
    refs = [
        EntryRef(topic.path, entry.id, entry.summary)
        for topic in topics
        if topic.path in changed
        for entry in topic.entries
    ]
    asked = len(probes_for(refs, count=count))
    if vetted.refused:
        usage = replace(run.usage, fallback=f"refused: {refusal(vetted)}")
        return Thought(None, usage, vetted.refused, asked)
    plan = DreamPlan(
        vetted.ops, vetted.changes, (), vetted.topics, _dates(vetted, topics, when, changed)
    )
    return Thought(plan, run.usage, (), asked)


def _dates(
    vetted: Vetted, before: Sequence[Topic], when: When, changed: set[str]
) -> dict[str, dict[str, datetime | None]]:
    """Tell for each entry of the changed files when it came to be: rewriting makes nothing newer."""
    known: dict[tuple[str, ...], datetime | None] = {}
    by_ref: dict[EntryRef, datetime | None] = {}
    for topic in before:
        if topic.path in changed:
            for index, entry in enumerate(topic.entries):
                item = Placed(topic, entry)
                known[item.key] = by_ref[item.ref] = when(topic, index)
    kept: dict[EntryRef, list[datetime]] = defaultdict(list)
    for op in vetted.ops:
        if isinstance(op, MergeOp | SupersedeOp):
            removed = op.removed if isinstance(op, MergeOp) else (op.removed,)
            kept[op.kept] += [at for ref in removed if (at := by_ref.get(ref)) is not None]
    dates: dict[str, dict[str, datetime | None]] = defaultdict(dict)
    for topic in vetted.topics:
        if topic.path in changed:
            for entry in topic.entries:
                item = Placed(topic, entry)
                latest = max(kept.get(item.ref, ()), default=None)
                dates[topic.path][entry.summary] = known.get(item.key, latest)
    return dates
