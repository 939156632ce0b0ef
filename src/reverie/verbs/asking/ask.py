"""Ask: side questions to a model, each with a deadline and a deterministic way to fall back on.

Rules
- A question never raises: when the model is slow, wrong, unreachable or over budget, there is no
  answer, and the usage says why.
- Within a time budget the question runs beside the deterministic way; what comes late is not used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Final

from reverie.core.asking import prompts
from reverie.core.asking.answers import ids_schema, patches_schema, read_ids, read_patches
from reverie.core.asking.manifest import entry_offer, manifest, topic_offer
from reverie.core.learning.extraction import turns_of, writes_memory
from reverie.core.learning.own_words import speech
from reverie.core.runs.planning import masked
from reverie.core.topics import forget as forgetting
from reverie.core.topics import recall as recalling
from reverie.errors import BadAnswer, ModelError
from reverie.types import Scope, Usage

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.core.asking.manifest import Manifest
    from reverie.core.topics.forget import Candidate
    from reverie.ports import Answer, ChatMessage, Model
    from reverie.types import Dropped, Message, Patch, Topic
    from reverie.verbs.verb_context import VerbContext

FORGET_SECONDS: Final = 8.0
MAX_UNSUPPORTED: Final = 5  # entries to forget that no word of the request speaks for
KNOWN_CHARS: Final = 280
MAX_KNOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a model chose: keys, best first, or None when it cannot tell (the usage says why)."""

    keys: tuple[str, ...] | None
    usage: Usage
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposed:
    """Memories that a model found, or None when it cannot tell."""

    patches: tuple[Patch, ...] | None
    usage: Usage
    dropped: tuple[Dropped, ...] = ()


def choose_topics(
    query: str,
    topics: Sequence[Topic],
    limit: int,
    *,
    model: Model,
    settings: Settings,
    budget: float | None = None,
) -> Chosen:
    """Ask which topics matter for a request; with a `budget` of seconds, wait no longer than that."""
    ranked = recalling.select(query, topics, scoring=settings.recall.scoring)
    newest = sorted(topics, key=lambda topic: _age(topic), reverse=True)
    offered = manifest(
        [topic_offer(item.topic) for item in ranked], [topic_offer(t) for t in newest]
    )
    if not offered.keys:
        return Chosen(None, Usage(fallback="nothing_to_choose_from"))
    if budget is not None and not model.warm:
        return Chosen(None, Usage(model=model.name, fallback="model_not_loaded"))

    def question() -> Chosen:
        messages = prompts.recall_selection(query, offered, limit=limit)
        seconds = settings.model.timeout_seconds
        return _ids(
            model, messages, offered, settings=settings, seconds=seconds, limit=limit, fast=True
        )

    if budget is None:
        return question()
    late = Chosen(None, Usage(model=model.name, fallback="model_late"), offered.dropped)
    return _in_time(question, budget, late)


def choose_entries(
    query: str, candidates: Sequence[Candidate], *, model: Model, settings: Settings
) -> Chosen:
    """Ask which entries a person wants to be forgotten; keys are `scope:id`."""
    meant, near = forgetting.choose(query, candidates)
    likely = [*meant, *near]
    newest = sorted(candidates, key=lambda item: _age(item.topic), reverse=True)
    offered = manifest(
        [entry_offer(item.topic, item.entry) for item in likely],
        [entry_offer(item.topic, item.entry) for item in newest],
    )
    if not offered.keys:
        return Chosen(None, Usage(fallback="nothing_to_choose_from"))
    seconds = min(FORGET_SECONDS, settings.model.timeout_seconds)
    messages = prompts.forget_selection(query, offered)
    chosen = _ids(model, messages, offered, settings=settings, seconds=seconds)
    supported = {entry_offer(item.topic, item.entry).key for item in likely}
    alone = [key for key in chosen.keys or () if key not in supported]
    if len(alone) > MAX_UNSUPPORTED:
        # A memory that says "choose everything" must not empty the others.
        usage = replace(chosen.usage, fallback="bad_answer")
        return Chosen(None, usage, chosen.dropped)
    return chosen


def propose_patches(
    ctx: VerbContext, messages: Sequence[Message], topics: Sequence[Topic], *, model: Model
) -> Proposed:
    """Ask what in the user's own words is worth keeping."""
    settings = ctx.settings
    said, days = spoken(ctx, messages)
    if not said:
        return Proposed(None, Usage(fallback="nothing_said"))
    known = [
        " ".join(entry.summary.split())[:KNOWN_CHARS] for topic in topics for entry in topic.entries
    ]
    question = _shown(prompts.extraction(said, known[:MAX_KNOWN], days=days), settings)
    schema, seconds = patches_schema(said), settings.model.timeout_seconds
    try:
        answer = model.ask(question, schema=schema, seconds=seconds)
    except ModelError as error:
        return Proposed(None, failed(model, error))
    try:
        width = settings.extract.min_width
        patches, dropped = read_patches(answer.value, said=said, days=days, min_width=width)
    except BadAnswer as error:
        return Proposed(None, replace(answer.usage, fallback=error.code))
    if dropped and not patches:
        # Everything it proposed was made up: the deterministic way is the better reader.
        return Proposed(None, replace(answer.usage, fallback="bad_answer"), tuple(dropped))
    return Proposed(tuple(patches), answer.usage, tuple(dropped))


def spoken(ctx: VerbContext, messages: Sequence[Message]) -> tuple[dict[str, str], dict[str, date]]:
    """Return the user's own words by turn, and their days; turns that wrote memory are left out."""
    workspace, now = ctx.workspace, ctx.clock()
    roots = [workspace.memory_root(scope) for scope in Scope]
    said: dict[str, str] = {}
    days: dict[str, date] = {}
    for turn in turns_of(messages):
        if any(writes_memory(item, roots, workspace.cwd) for item in turn):
            continue
        for message in turn:
            text = speech(message.text)[0] if message.role == "user" else ""
            if text:
                said[message.id] = text
                days[message.id] = (message.at or now).date()
    return said, days


def failed(model: Model, error: ModelError) -> Usage:
    """Say what a failed call cost, and why it failed."""
    spent = error.evidence.get("usage")
    usage = spent if isinstance(spent, Usage) else Usage(model=model.name)
    return replace(usage, fallback=error.code)


def _ids(
    model: Model,
    messages: Sequence[ChatMessage],
    offered: Manifest,
    *,
    settings: Settings,
    seconds: float,
    limit: int | None = None,
    fast: bool = False,
) -> Chosen:
    schema = ids_schema(offered.keys, limit=limit)
    try:
        shown = _shown(messages, settings)
        answer: Answer = model.ask(shown, schema=schema, seconds=seconds, fast=fast)
    except ModelError as error:
        return Chosen(None, failed(model, error), offered.dropped)
    try:
        ids = read_ids(answer.value, known=offered.keys, limit=limit)
    except BadAnswer as error:
        return Chosen(None, replace(answer.usage, fallback=error.code), offered.dropped)
    return Chosen(tuple(offered.keys[item] for item in ids), answer.usage, offered.dropped)


def _shown(messages: Sequence[ChatMessage], settings: Settings) -> list[ChatMessage]:
    """Keep secrets, said or written by hand, from the model."""
    return [replace(item, text=masked(item.text, settings.secrets)) for item in messages]


@dataclass(slots=True)
class _Slot:
    value: Chosen | None = None
    ready: threading.Event = field(default_factory=threading.Event)


def _in_time(question: Callable[[], Chosen], seconds: float, late: Chosen) -> Chosen:
    slot = _Slot()

    def work() -> None:
        slot.value = question()
        slot.ready.set()

    threading.Thread(target=work, name="reverie-ask", daemon=True).start()
    return slot.value if slot.ready.wait(seconds) and slot.value is not None else late


def _age(topic: Topic) -> float:
    return topic.updated.timestamp() if topic.updated else 0.0
