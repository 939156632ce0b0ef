"""Propose: a model reads a conversation for memories, by one question or, if set so, as an agent.

Rules
- The deterministic reading is there first; it is used when the model fails or makes things up.
- What a person asked for in so many words ("remember that …") is kept, whatever a model thinks of it.
- What waits as heard is shown beside the conversation, and judged like a turn of it.
- An agent's draft is not written: what it would add is proposed, and goes the way of all memories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.core.asking import prompts
from reverie.core.asking.draft import draft_of
from reverie.core.dreaming.vetting import refusal, vet
from reverie.core.learning.extraction import filter_patches
from reverie.core.runs.planning import masked
from reverie.core.text.words import containment, similarity
from reverie.errors import ModelError, RememberPathEscape
from reverie.types import Message, Patch, Usage
from reverie.verbs.asking.agent import EXTRACT_TURNS, Limits, run_agent
from reverie.verbs.asking.ask import Proposed, failed, propose_patches, spoken

if TYPE_CHECKING:
    from reverie.core.learning.extraction import Found
    from reverie.ports import Model
    from reverie.types import Heard, Topic
    from reverie.verbs.verb_context import VerbContext

_PAUSE = Message("assistant", "")  # what follows is another turn
ALIKE = 0.5  # share of words from which a proposal says what the person asked to keep


def propose(
    ctx: VerbContext,
    found: Found,
    messages: Sequence[Message],
    topics: Sequence[Topic],
    heard: Sequence[Heard] = (),
    *,
    model: Model,
) -> tuple[Found, Usage]:
    """Return what the model found in place of what was found without it, or that again.

    Args:
        heard: What was said in earlier conversations and waits; the model judges it as well.
    """
    settings = ctx.settings
    way = _by_agent if settings.extract.agent else propose_patches
    earlier = [Message("user", item.summary, id=item.id, at=item.said) for item in heard]
    everything = [*earlier, _PAUSE, *messages] if earlier else messages
    proposed = way(ctx, everything, topics, model=model)
    if proposed.patches is None:
        return replace(found, dropped=(*found.dropped, *proposed.dropped)), proposed.usage
    kept, dropped = filter_patches(proposed.patches, min_width=settings.extract.min_width)
    asked = [
        patch
        for patch in found.patches
        if patch.form == "request"
        and not any(similarity(patch.summary, other.summary) >= ALIKE for other in kept)
    ]
    order = [message.id for message in everything]
    patches = sorted([*kept, *asked], key=lambda patch: order.index(patch.turn))
    waited = {item.id: item for item in heard}
    patches = [_said_before(patch, waited.get(patch.turn)) for patch in patches]
    # What the rules found and the model did not want is not lost: it is heard.
    passed = [
        patch
        for patch in (*found.patches, *found.heard)
        if not any(similarity(patch.summary, other.summary) >= ALIKE for other in patches)
    ]
    left_out = (*found.dropped, *proposed.dropped, *dropped)
    return (
        replace(found, patches=tuple(patches), heard=tuple(passed), dropped=left_out),
        proposed.usage,
    )


def _said_before(patch: Patch, item: Heard | None) -> Patch:
    if item is None:
        return patch
    return replace(patch, turn=item.turn, scope=item.scope, heard=item.id)


def _by_agent(
    ctx: VerbContext, messages: Sequence[Message], topics: Sequence[Topic], *, model: Model
) -> Proposed:
    settings = ctx.settings
    said, days = spoken(ctx, messages)
    if not said:
        return Proposed(None, Usage(fallback="nothing_said"))
    said = {name: masked(text, settings.secrets) for name, text in said.items()}
    talk = prompts.extract_agent(said, days=days, catalog=prompts.catalog_lines(topics))
    limits = Limits(EXTRACT_TURNS, settings.model.run_seconds, settings.model.run_tokens)
    try:
        run = run_agent(talk, draft_of(topics, ctx.workspace), model=model, limits=limits)
    except ModelError as error:
        return Proposed(None, failed(model, error))
    except RememberPathEscape as error:
        return Proposed(None, Usage(model=model.name, fallback=error.code))
    vetted = vet(run.draft, topics, settings=settings.recall, source="\n".join(said.values()))
    if vetted.refused:
        usage = replace(run.usage, fallback=f"refused: {refusal(vetted)}")
        return Proposed(None, usage, vetted.refused)
    patches = []
    for item in vetted.gained:
        entry = item.entry
        turn = max(said, key=lambda name: containment(item.text, said[name]))
        patches.append(Patch(item.topic.kind, entry.summary, entry.why, entry.how, turn))
    return Proposed(tuple(patches), run.usage)
