"""Forget: remove what a request means; with `erase`, from the journal too, and give a receipt."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from reverie.core import forget as rules
from reverie.core.receipts import receipt_for
from reverie.core.wire import to_wire
from reverie.errors import InvalidQuery, MemoryUnavailable, StaleBase, TopicNotFound
from reverie.ports import Store
from reverie.types import (
    Applied,
    Dropped,
    Forgotten,
    Kind,
    RunInfo,
    Scope,
    Usage,
)

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.core.forget import Candidate
    from reverie.ports import Model
    from reverie.types import (
        FileDelta,
        Receipt,
        Strategy,
        Topic,
    )

MAX_QUERY_BYTES = 65_536


class ErasingStore(Store, Protocol):
    """A store whose journal can be redacted."""

    def erase(self, needles: Sequence[str], *, paths: Sequence[str] = ()) -> int:
        """Take these wordings, and these file names, out of everything the journal keeps."""
        ...


def forget(
    query: str,
    *,
    store: ErasingStore,
    settings: Settings,
    now: datetime,
    erase: bool = False,
    dry_run: bool = False,
    ids: Collection[str] | None = None,
    limit: int | None = None,
    info: RunInfo | None = None,
    model: Model | None = None,
) -> Forgotten:
    """Remove the entries that a query means, or those named by `ids`, as one undoable run.

    With `erase` nothing can be undone: the journal forgets them as well. So what only a model finds
    is then shown as a candidate and not removed.
    """
    if not settings.memory.enabled:
        raise MemoryUnavailable(
            "managed memory is switched off here; `reverie config set memory.enabled true` turns it on"
        )
    if not query.strip() and not ids:
        raise InvalidQuery("say what to forget: a few of its words, or the id of an entry")
    if len(query.encode("utf-8", "surrogatepass")) > MAX_QUERY_BYTES:
        raise InvalidQuery(
            f"the query is longer than {MAX_QUERY_BYTES} bytes; a few words are enough"
        )
    run = info or RunInfo(verb="forget")
    last: StaleBase | None = None
    for _ in range(2):  # if somebody wrote meanwhile, look again once
        topics = store.topics()
        picked = _select(query, topics, ids, model, settings, erase=erase)
        chosen, near = picked.meant, picked.near
        kept, dropped = _limited(chosen, limit)
        deltas = rules.plan_removals(kept, rename=erase)
        receipt = _receipt(kept, topics, deltas, now=now, erased=erase) if kept else None
        try:
            applied = (
                Applied(run="")
                if dry_run or not kept
                else _apply(store, deltas, kept, run, receipt)
            )
        except StaleBase as error:
            last = error
            continue
        return Forgotten(
            summary=_sentence(kept, dry_run=dry_run, erase=erase, near=len(near)),
            removed_entries=tuple(item.as_removed() for item in kept),
            touched_topics=tuple(kind for kind in Kind if any(i.topic.kind is kind for i in kept)),
            touched_scopes=tuple(
                scope for scope in Scope if any(i.topic.scope is scope for i in kept)
            ),
            candidates=tuple(item.as_removed() for item in near),
            run=applied.run,
            receipt=None if dry_run else receipt,
            deltas=() if erase and not dry_run else tuple(deltas),
            strategy=picked.strategy if kept else "none",
            dry_run=dry_run,
            dropped=(*dropped, *picked.dropped),
            usage=picked.usage,
        )
    raise last or StaleBase()


@dataclass(frozen=True, slots=True)
class _Picked:
    """What a request means, what only came near, and who said so."""

    meant: list[Candidate]
    near: list[Candidate]
    strategy: Strategy = "heuristic"
    usage: Usage = field(default_factory=Usage)
    dropped: tuple[Dropped, ...] = ()


def _select(
    query: str,
    topics: Sequence[Topic],
    ids: Collection[str] | None,
    model: Model | None,
    settings: Settings,
    *,
    erase: bool,
) -> _Picked:
    candidates = rules.all_candidates(topics)
    if ids:
        unknown = [one for one in ids if not rules.by_id(candidates, [one])]
        if unknown:
            raise TopicNotFound(
                f"there is no entry {unknown[0]!r} in memory; `reverie forget --dry-run WORDS` lists ids",
                ids=unknown,
            )
        return _Picked(rules.by_id(candidates, ids), [])
    meant, near = rules.choose(query, candidates)
    if model is None or rules.by_id(candidates, [query.strip()]):
        return _Picked(meant, near)
    from reverie.verbs.ask import choose_entries

    answer = choose_entries(query, candidates, model=model, settings=settings)
    if answer.keys is None:
        return _Picked(meant, near, usage=answer.usage, dropped=answer.dropped)
    wanted = rules.by_id(candidates, answer.keys)
    found = {(item.topic.path, item.entry.id): item for item in [*meant, *near]}
    sure = [item for item in wanted if not erase or (item.topic.path, item.entry.id) in found]
    chosen = {(item.topic.path, item.entry.id) for item in sure}
    rest = {**found, **{(item.topic.path, item.entry.id): item for item in wanted}}
    others = [item for key, item in rest.items() if key not in chosen]
    return _Picked(sure, others, "model", answer.usage, answer.dropped)


def _limited(
    chosen: Sequence[Candidate], limit: int | None
) -> tuple[list[Candidate], list[Dropped]]:
    if limit is None:
        return list(chosen), []
    over = [
        Dropped(item.entry.id, f"it matches too, but the limit is {limit}")
        for item in chosen[limit:]
    ]
    return list(chosen[:limit]), over


def _receipt(
    kept: Sequence[Candidate],
    topics: Sequence[Topic],
    deltas: Sequence[FileDelta],
    *,
    now: datetime,
    erased: bool,
) -> Receipt:
    after = {delta.path: delta.after for delta in deltas}
    remaining = [after.get(topic.path, topic.text) or "" for topic in topics]
    return receipt_for(
        [item.entry for item in kept],
        remaining=remaining,
        now=now,
        salt=secrets.token_hex(16),
        erased=erased,
    )


def _apply(
    store: ErasingStore,
    deltas: Sequence[FileDelta],
    kept: Sequence[Candidate],
    run: RunInfo,
    receipt: Receipt | None,
) -> Applied:
    detail = {**run.detail, "receipt": to_wire(receipt)}
    applied = store.apply(
        rules.changes_of(deltas),
        RunInfo(
            verb=run.verb,
            session=run.session,
            turn=run.turn,
            origin=run.origin,
            client=run.client,
            note=run.note,
            detail=detail,
        ),
    )
    if receipt and receipt.erased:
        store.erase(rules.needles_of(kept), paths=rules.told_paths(kept))
    return applied


def _sentence(kept: Sequence[Candidate], *, dry_run: bool, erase: bool, near: int) -> str:
    if not kept:
        hint = f" {near} came near; name one by its id to remove it." if near else ""
        return f"Nothing in memory matches that closely enough.{hint}"
    count = f"{len(kept)} entr{'y' if len(kept) == 1 else 'ies'}"
    kinds = ", ".join(kind.value for kind in Kind if any(item.topic.kind is kind for item in kept))
    done = {
        (True, True): "Would erase",
        (True, False): "Would forget",
        (False, True): "Erased",
        (False, False): "Forgot",
    }[dry_run, erase]
    return f"{done} {count} from: {kinds}."
