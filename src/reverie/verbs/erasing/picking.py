"""Picking: which memories a request to forget means; a model may say, where one is asked.

Rules
- An id, a path and a whole statement are certain. Else the words decide, and a model if there is one.
- A secret is a value and no memory: erased everywhere, it takes no entry with it.
- To erase, what was forgotten or changed before can be meant as well, for the journal still has it: by its
  words, or by the receipt that was given for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reverie.core.erasing.occurrences import PLACEHOLDER
from reverie.core.erasing.receipts import names_entry
from reverie.core.secrets.scanner import scan
from reverie.core.topics import forget as rules
from reverie.errors import InvalidQuery, TopicNotFound
from reverie.types import Dropped, Usage
from reverie.verbs.undone import receipts

if TYPE_CHECKING:
    from reverie.core.erasing.erasing_store import ErasingStore
    from reverie.core.topics.forget import Candidate
    from reverie.types import Scope, Strategy, Topic
    from reverie.verbs.verb_context import VerbContext


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody asked to forget."""

    query: str
    ids: Collection[str] | None
    limit: int | None
    scope: Scope | None
    everywhere: bool
    erase: bool
    dry_run: bool

    @property
    def blank(self) -> bool:
        """Whether nothing was asked for."""
        return not self.query.strip() and not self.ids


@dataclass(frozen=True, slots=True)
class Picked:
    """What a request means, what only came near, and who said so."""

    meant: list[Candidate]
    near: list[Candidate]
    strategy: Strategy = "heuristic"
    usage: Usage = field(default_factory=Usage)
    dropped: tuple[Dropped, ...] = ()


def select(ctx: VerbContext, asked: Asked, topics: Sequence[Topic], store: ErasingStore) -> Picked:
    """Say which entries a request means, no more than its limit."""
    if asked.blank:
        raise InvalidQuery("say what to forget: a few of its words, or the id of an entry")
    found = _meant(ctx, asked, topics, store)
    kept, dropped = _limited(found.meant, asked.limit)
    return replace(found, meant=kept, dropped=(*dropped, *found.dropped))


def _meant(ctx: VerbContext, asked: Asked, topics: Sequence[Topic], store: ErasingStore) -> Picked:
    query, ids, erase = asked.query, asked.ids, asked.erase
    candidates = rules.all_candidates(
        [topic for topic in topics if asked.scope in (None, topic.scope)]
    )
    if asked.everywhere and not ids and scan(query, allow=ctx.settings.secrets.allow):
        return Picked([], [])  # its value goes wherever it stands, the rest of an entry stays
    named = ids or [query.strip()]
    if erase and not all(rules.by_id(candidates, [one]) for one in named):
        past = _past(asked, topics, store)
        for receipt in receipts(ctx.journal):
            if [receipt.id] == [*named]:
                return Picked([i for i in past if names_entry(receipt, i.entry.summary)], [])
        candidates += past
    if ids:
        unknown = [one for one in ids if not rules.by_id(candidates, [one])]
        if unknown:
            raise TopicNotFound(
                f"there is no entry {unknown[0]!r} in memory; `reverie forget --dry-run WORDS` lists ids",
                ids=unknown,
            )
        return Picked(rules.by_id(candidates, ids), [])
    meant, near = rules.choose(query, candidates, strict=erase)
    model = ctx.model_for("forget")
    if model is None or rules.by_id(candidates, [query.strip()]):
        return Picked(meant, near)
    if rules.said_whole(query, candidates):
        return Picked(meant, near)
    from reverie.verbs.asking.ask import choose_entries

    answer = choose_entries(query, candidates, model=model, settings=ctx.settings)
    if answer.keys is None:
        return Picked(meant, near, usage=answer.usage, dropped=answer.dropped)
    wanted = rules.by_id(candidates, answer.keys)
    found = {(item.topic.path, item.id): item for item in [*meant, *near]}
    sure = [item for item in wanted if not erase or (item.topic.path, item.id) in found]
    chosen = {(item.topic.path, item.id) for item in sure}
    rest = {**found, **{(item.topic.path, item.id): item for item in wanted}}
    others = [item for key, item in rest.items() if key not in chosen]
    return Picked(sure, others, "model", answer.usage, answer.dropped)


def _past(asked: Asked, topics: Sequence[Topic], store: ErasingStore) -> list[Candidate]:
    earlier = [topic for topic in store.earlier() if asked.scope in (None, topic.scope)]
    past = rules.retired(rules.all_candidates(topics), earlier)
    return [item for item in past if PLACEHOLDER not in item.entry.summary]


def _limited(
    chosen: Sequence[Candidate], limit: int | None
) -> tuple[list[Candidate], list[Dropped]]:
    if limit is None:
        return list(chosen), []
    over = [
        Dropped(item.id, f"it matches too, but the limit is {limit}") for item in chosen[limit:]
    ]
    return list(chosen[:limit]), over
