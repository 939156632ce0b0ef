"""Recall: bring back what matters for a turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from reverie.core.questions.closeness import BESIDE, is_near, length_of, tells, what_it_is_about
from reverie.core.questions.reach import reach_of
from reverie.core.runs.planning import masked
from reverie.core.text.remembered import remembered
from reverie.core.topics import recall as rules
from reverie.types import Dropped, Recalled, Topic, Usage
from reverie.types.ranking import Near, Scored
from reverie.verbs.later import said_later

if TYPE_CHECKING:
    from reverie.config import SecretSettings, Settings
    from reverie.types import RecalledTopic, Scope, Strategy
    from reverie.verbs.verb_context import VerbContext

Similar: TypeAlias = Callable[[str, Sequence[Topic]], Sequence[float]]
"""Compares meanings: query, topics -> one similarity per topic, 0 to 1."""

Ranked: TypeAlias = Callable[[str], tuple[list[Scored], int]]
"""Ranks all topics for a query by an index: what was found, and how many topics there are."""

NearTo: TypeAlias = Callable[[str, Collection[str]], Near | None]
"""Looks for what means the same: query and paths of topics -> how near these and the nearest are."""

MIN_SIMILARITY = 0.55  # below this, static embeddings also liken what merely sounds alike


MOST_BY_MEANING = 2  # nothing but an embedder speaks for them


def recall(
    ctx: VerbContext,
    query: str,
    *,
    limit: int | None = None,
    exclude: Collection[str] = (),
    strategy: Strategy | None = None,
    wait: bool = False,
    similar: Similar | None = None,
    near: NearTo | None = None,
    ranked: Ranked | None = None,
    imported: Callable[[Mapping[str, str]], Mapping[str, str]] | None = None,
    closed: Collection[Scope] = (),
) -> Recalled:
    """Choose up to `limit` topics for a query and write them as one fenced block.

    `exclude` names topics (paths or relative paths) that the turn already has. A model's choice is
    used if it arrives within `recall.budget_ms`, or when the caller can `wait`; what words find
    strongly is kept even when it answers with nothing. `near` tells what means the same in other words,
    or in another language. `imported` tells by path and text whence a memory
    came, if with an import. `closed` names the memories that are not to be used.
    """
    settings = ctx.settings
    if strategy is None and settings.recall.strategy != "auto":
        strategy = settings.recall.strategy
    most = settings.recall.limit if limit is None else max(limit, 0)
    enabled = settings.memory.enabled and settings.recall.enabled
    if not query.strip() or most == 0 or strategy == "none" or not enabled:
        return Recalled(strategy="none")
    model = ctx.model_for("recall")
    by_words = model is None and similar is None and not exclude and not closed
    topics: list[Topic] = []
    if ranked is not None and by_words and settings.recall.scoring == "bm25":
        found, scanned = ranked(query)
    else:
        everything = [topic for topic in ctx.store.topics() if topic.scope not in closed]
        scanned = len(everything)
        topics = rules.without(everything, exclude)
        found = rules.select(query, topics, scoring=settings.recall.scoring)
    used: Strategy = "heuristic"
    told: Near | None = None
    if similar is not None and strategy in (None, "hybrid", "model"):
        found, used = _fused(found, topics, similar(query, topics)), "hybrid"
    if used == "heuristic" and settings.recall.scoring == "bm25":
        judged = _judged(query, found, near if strategy in (None, "hybrid") else None)
        told = judged.near
        if judged.meant and not topics:
            everything = [topic for topic in ctx.store.topics() if topic.scope not in closed]
            topics = rules.without(everything, exclude)
        by_meaning = [
            Scored.of(topic, judged.meant[topic.path])
            for topic in topics
            if topic.path in judged.meant
        ]
        found = _in_order([*judged.kept, *by_meaning], judged.near)
        used = "hybrid" if by_meaning else used
    usage = Usage()
    unseen: tuple[Dropped, ...] = ()
    if model is not None and strategy in (None, "model"):
        from reverie.verbs.asking.ask import choose_topics

        budget = None if wait or strategy == "model" else settings.recall.budget_ms / 1000
        chosen = choose_topics(query, topics, most, model=model, settings=settings, budget=budget)
        usage, unseen = chosen.usage, chosen.dropped
        if chosen.keys is not None:
            found, used = _chosen(found, topics, chosen.keys), "model"
    kept, dropped = rules.limited(found, most)
    kept = [Scored.of(item.topic, item.score, item.matched) for item in kept]  # read once
    kept = kept if used == "model" else rules.later_first(kept)
    later = None
    if told is not None and used != "model":
        later = said_later(ctx, kept, told, exclude=exclude, closed=closed)
    older = [kept[0].topic.rel] if later is not None else []
    if later is not None:
        kept = [later, *(item for item in kept if item.path != later.path)][:most]
    shown = [
        _clean(rules.recalled(item, settings=settings.recall, query=query), settings)
        for item in kept
    ]
    if imported is not None:
        whence = imported({item.path: item.topic.text for item in kept})
        shown = [replace(one, imported=whence[one.path]) for one in shown]
    dropped += [
        Dropped(item.path, f"only lines {item.lines} are shown") for item in shown if item.truncated
    ]
    return Recalled(
        strategy=used if shown else "none",
        topics=tuple(shown),
        block=rules.render_block(
            shown, now=ctx.clock(), stale_after_days=settings.recall.stale_after_days, older=older
        ),
        scanned=scanned,
        dropped=(*dropped, *unseen),
        usage=usage,
    )


class _Judged(NamedTuple):
    """What may interrupt: of what words found, and by meaning."""

    kept: list[Scored]
    meant: Mapping[str, float]
    near: Near | None


def _judged(query: str, found: Sequence[Scored], near: NearTo | None) -> _Judged:
    """Leave out what shares words with a prompt and is not what it is about; add what means the same."""
    reach, words = reach_of(query), length_of(query)
    asked = near if tells(reach=reach, words=words, found=bool(found)) else None
    told = asked(query, [item.path for item in found]) if asked else None
    close = told.close if told else {}
    cosines = told.cosines if told else {}
    about = what_it_is_about(
        query,
        [item.matched for item in found],
        [close.get(item.path) for item in found],
        [cosines.get(item.path) for item in found],
    )
    kept = [item for item, right in zip(found, about, strict=True) if right]
    known = {item.path for item in found}
    nearest = max(close.values(), default=0.0)
    meant = {
        path: value
        for path, value in sorted(close.items(), key=lambda one: -one[1])
        if path not in known
        and value >= BESIDE * nearest
        and is_near(value, reach=reach, words=words)
    }
    return _Judged(kept, dict(list(meant.items())[:MOST_BY_MEANING]), told)


def _in_order(found: list[Scored], near: Near | None) -> list[Scored]:
    """Put what was found into the order of a search; without an index, that of its words."""
    if near is None or len(found) < 2:
        return found
    places = near.places()
    return sorted(found, key=lambda item: places.get(item.path, len(places)))


def _fused(
    found: Sequence[Scored], topics: Sequence[Topic], similarities: Sequence[float]
) -> list[Scored]:
    """Merge both rankings by reciprocal rank; a meaning counts only when it is near enough."""
    near = sorted(
        ((value, topic) for value, topic in zip(similarities, topics, strict=True)
         if value >= MIN_SIMILARITY),
        key=lambda pair: (-pair[0], pair[1].path),
    )  # fmt: skip
    merged: dict[str, Scored] = {}
    for place, item in enumerate(found):
        merged[item.path] = item._replace(score=1 / (60 + place))
    for place, (_, topic) in enumerate(near):
        known = merged.get(topic.path) or Scored.of(topic, 0.0)
        merged[topic.path] = known._replace(score=known.score + 1 / (60 + place))
    return sorted(merged.values(), key=lambda item: (-item.score, item.path))


def _chosen(found: Sequence[Scored], topics: Sequence[Topic], paths: Sequence[str]) -> list[Scored]:
    """Put the chosen ones first, then the best hit by words if it was not among them."""
    by_path = {topic.path: topic for topic in topics}
    by_words = {item.path: item for item in found}
    first = [
        by_words.get(path) or Scored.of(by_path[path], 0.0)
        for path in dict.fromkeys(paths)
        if path in by_path
    ]
    return first + [item for item in found[:1] if item.path not in paths]


def _clean(topic: RecalledTopic, settings: Settings) -> RecalledTopic:
    """Keep secrets that somebody wrote by hand out of the prompt."""
    said = (topic.name, topic.description, topic.text)
    name, description, text = (_masked(item, settings.secrets) for item in said)
    if (name, description, text) == said:
        return topic
    return replace(topic, name=name, description=description, text=text)


@remembered(1024)
def _masked(text: str, policy: SecretSettings) -> str:
    """Mask a passage; the same ones are shown again and again in a conversation."""
    return masked(text, policy)
