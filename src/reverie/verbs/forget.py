"""Forget: remove what a request means; with `erase`, from the journal too, and give a receipt.

An erasure that a crash cut off is finished by the next call that erases, before anything else.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from reverie.core.erasing.everywhere import JOURNAL, Erasure, read_down
from reverie.core.erasing.occurrences import tells_enough, words_to_erase
from reverie.core.erasing.receipts import receipt_for
from reverie.core.topics import forget as rules
from reverie.core.wire import to_wire
from reverie.errors import (
    InvalidInput,
    InvalidQuery,
    MemoryUnavailable,
    TopicNotFound,
)
from reverie.types import (
    Dropped,
    Forgotten,
    Kind,
    NotErased,
    Plan,
    RunInfo,
    Scope,
    Usage,
)
from reverie.verbs.erase import carry_out, survey
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.core.topics.forget import Candidate
    from reverie.types import (
        ErasedPlace,
        FileDelta,
        Receipt,
        Strategy,
        Topic,
    )
    from reverie.verbs.erase import ErasingStore
    from reverie.verbs.verb_context import VerbContext

MAX_QUERY_BYTES = 65_536
_KEPT = (
    NotErased(
        JOURNAL,
        "the journal",
        "for_undo",
        "it keeps the text so that this can be undone; `reverie forget --erase` removes it there, too",
    ),
    NotErased(
        "layers",
        "notes, history, stores and context files",
        "not_asked",
        "they were not searched; `reverie forget --erase --everywhere --dry-run` counts what holds it",
    ),
)
"""What a plain forget leaves, and what reaches it."""


def forget(
    ctx: VerbContext,
    query: str,
    *,
    erase: bool = False,
    everywhere: bool = False,
    dry_run: bool = False,
    ids: Collection[str] | None = None,
    limit: int | None = None,
    scope: Scope | None = None,
    info: RunInfo | None = None,
    purge: Callable[[], Sequence[str]] = tuple,
) -> Forgotten:
    """Remove the entries that a query means, or those named by `ids`, as one undoable run.

    With `erase` nothing can be undone: the journal forgets them as well. So what only a model finds
    is then shown as a candidate and not removed. With `everywhere` their words, and those of the
    query as they stand, are taken out of every other place too. With a `scope` only entries of that
    memory can be meant.
    """
    if not ctx.settings.memory.enabled:
        raise MemoryUnavailable(
            "managed memory is switched off here; `reverie config set memory.enabled true` turns it on"
        )
    if everywhere and not erase:
        raise InvalidInput("everywhere needs erase as well, and nothing can be undone")
    if everywhere and scope is not None:
        raise InvalidInput(
            "everywhere covers every scope: leave out either the scope or everywhere"
        )
    if len(query.encode("utf-8", "surrogatepass")) > MAX_QUERY_BYTES:
        raise InvalidQuery(
            f"the query is longer than {MAX_QUERY_BYTES} bytes; a few words are enough"
        )
    asked = _Asked(query, ids, limit, scope, everywhere=everywhere, erase=erase, dry_run=dry_run)
    about = info or RunInfo(verb="forget")
    store = ctx.erasing()
    if not erase:
        return _forget(ctx, asked, store, about)
    with nullcontext() if dry_run else store.alone():
        cut_off = store.written_down()
        if cut_off is not None and not dry_run:
            erasure = read_down(cut_off)
            finished = _give_up(store) if erasure is None else _finish(erasure, store, about, purge)
            if asked.blank:
                return finished
            fresh = _erase(ctx, asked, store, about, purge)
            if fresh.receipt is None and not fresh.candidates:
                return finished
            return replace(fresh, dropped=(*finished.dropped, *fresh.dropped))
        outcome = _erase(ctx, asked, store, about, purge)
    if cut_off is not None:
        reason = "it was interrupted; the next call that erases finishes it first"
        outcome = replace(outcome, dropped=(*outcome.dropped, Dropped("an erasure", reason)))
    return outcome


@dataclass(frozen=True, slots=True)
class _Asked:
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
        return not self.query.strip() and not self.ids


def _forget(ctx: VerbContext, asked: _Asked, store: ErasingStore, about: RunInfo) -> Forgotten:
    now = ctx.clock()
    chosen: list[_Picked] = []

    def plan() -> Plan[Forgotten]:
        topics = store.topics()
        # A model is asked once: what it chose is looked up again, not asked again under the lock.
        picked = _again(chosen[0], topics) if chosen else _select(ctx, asked, topics)
        chosen[:] = [picked]
        deltas = tuple(rules.plan_removals(picked.meant, topics))
        outcome = replace(_outcome(asked, picked), deltas=deltas)
        if not picked.meant:
            return Plan((), about, lambda _: outcome)
        receipt = _receipt(picked.meant, topics, deltas, now=now, erased=False)
        receipt = replace(receipt, left=_KEPT)
        detail = {**about.detail, "receipt": to_wire(receipt)}
        return Plan(
            tuple(rules.changes_of(deltas)),
            replace(about, detail=detail),
            lambda applied: (
                replace(outcome, run=applied.run, receipt=receipt, left=_KEPT)
                if applied.run
                else outcome
            ),
        )

    return run(plan, store=store, dry_run=asked.dry_run)


def _again(picked: _Picked, topics: Sequence[Topic]) -> _Picked:
    """Find what was picked in topics that somebody changed meanwhile.

    By its words, not by its id: an id is a place, and another entry may have moved up to it.
    """
    wanted = Counter(_words_of(item) for item in picked.meant)
    meant = []
    for item in rules.all_candidates(topics):
        if wanted[_words_of(item)] > 0:
            wanted[_words_of(item)] -= 1
            meant.append(item)
    return replace(picked, meant=meant)


def _words_of(item: Candidate) -> tuple[str, str]:
    span = item.entry.span
    return item.topic.path, item.topic.text[span.start : span.end].strip()


def _erase(
    ctx: VerbContext,
    asked: _Asked,
    store: ErasingStore,
    about: RunInfo,
    purge: Callable[[], Sequence[str]],
) -> Forgotten:
    topics = store.topics()
    picked = _select(ctx, asked, topics)
    deltas = rules.plan_removals(picked.meant, topics)
    erasure, dropped = _planned(ctx, asked, picked, topics, deltas)
    picked = replace(picked, dropped=(*picked.dropped, *dropped))
    outcome = _outcome(asked, picked)
    if not picked.meant and not (asked.everywhere and erasure.to_erase):
        return outcome
    if asked.dry_run and asked.everywhere:
        tally, deltas = survey(store, erasure, deltas)
        outcome = _at_places(outcome, tally.places(), tuple(tally.left))
    if asked.dry_run:
        return replace(outcome, deltas=tuple(deltas))
    applied, receipt = carry_out(store, erasure, about, purge=purge)
    if applied.run:
        outcome = replace(outcome, run=applied.run, receipt=receipt)
    if asked.everywhere:
        return _at_places(outcome, receipt.places, receipt.left)
    return replace(outcome, left=receipt.left)


def _finish(
    erasure: Erasure, store: ErasingStore, about: RunInfo, purge: Callable[[], Sequence[str]]
) -> Forgotten:
    note = replace(about, note="finished an erasure that was interrupted")
    applied, receipt = carry_out(store, erasure, note, purge=purge)
    outcome = Forgotten(
        "Finished an erasure that was interrupted.",
        run=applied.run,
        receipt=receipt,
        everywhere=erasure.everywhere,
    )
    return replace(outcome, places=receipt.places, left=receipt.left)


def _give_up(store: ErasingStore) -> Forgotten:
    store.write_down(None)
    told = "what was to be erased can no longer be read; erase it once more"
    return Forgotten(
        f"An erasure was interrupted, and {told}.", dropped=(Dropped("an erasure", told),)
    )


def _planned(
    ctx: VerbContext,
    asked: _Asked,
    picked: _Picked,
    topics: Sequence[Topic],
    deltas: Sequence[FileDelta],
) -> tuple[Erasure, list[Dropped]]:
    """Say what has to go, and which words of the request are not looked for by themselves."""
    remaining = _remaining(topics, deltas)
    dropped: list[Dropped] = []
    words = rules.meant_words(asked.query) if asked.everywhere else ""
    literal = bool(words) and not rules.by_id(rules.all_candidates(topics), [words])
    if literal and not tells_enough(words):
        dropped.append(Dropped(words, "too short or too common to be searched for by itself"))
        literal = False
    to_erase = words_to_erase(
        rules.phrases_of(picked.meant),
        whole=[words] if literal else [],
        remaining=remaining,
        exact=[
            *rules.needles_of(picked.meant),
            *rules.former_needles(picked.meant, partial(_former, ctx), remaining=remaining),
        ],
    )
    receipt = _receipt(
        picked.meant, topics, deltas, now=ctx.clock(), erased=True, also=to_erase.runs
    )
    chosen = tuple((item.topic.path, item.entry.summary) for item in picked.meant)
    paths = tuple(rules.told_paths(picked.meant))
    return Erasure(to_erase, receipt, chosen, paths, asked.everywhere), dropped


def _former(ctx: VerbContext, topic: Topic) -> list[str]:
    """Return the texts that a memory had before."""
    return [text for _, text in ctx.journal.history(ctx.store.real(topic.path)) if text]


def _outcome(asked: _Asked, picked: _Picked) -> Forgotten:
    kept = picked.meant
    return Forgotten(
        summary=_sentence(kept, dry_run=asked.dry_run, erase=asked.erase, near=len(picked.near)),
        removed_entries=tuple(item.as_removed() for item in kept),
        touched_topics=tuple(kind for kind in Kind if any(i.topic.kind is kind for i in kept)),
        touched_scopes=tuple(scope for scope in Scope if any(i.topic.scope is scope for i in kept)),
        candidates=tuple(item.as_removed() for item in picked.near),
        strategy=picked.strategy if kept else "none",
        dry_run=asked.dry_run,
        dropped=picked.dropped,
        usage=picked.usage,
        everywhere=asked.everywhere,
    )


def _at_places(
    outcome: Forgotten, places: tuple[ErasedPlace, ...], left: tuple[NotErased, ...]
) -> Forgotten:
    counts = ", ".join(f"{item.holding} in {item.kind}" for item in places)
    done = "Would take the words out of" if outcome.dry_run else "Took the words out of"
    summary = outcome.summary if outcome.removed_entries or not places else ""
    if counts:
        summary = f"{summary} {done}: {counts}.".strip()
    elif not left:
        summary = f"{summary} Nothing else contains the words."
    return replace(outcome, summary=summary, places=places, left=left)


@dataclass(frozen=True, slots=True)
class _Picked:
    """What a request means, what only came near, and who said so."""

    meant: list[Candidate]
    near: list[Candidate]
    strategy: Strategy = "heuristic"
    usage: Usage = field(default_factory=Usage)
    dropped: tuple[Dropped, ...] = ()


def _select(ctx: VerbContext, asked: _Asked, topics: Sequence[Topic]) -> _Picked:
    if asked.blank:
        raise InvalidQuery("say what to forget: a few of its words, or the id of an entry")
    found = _meant(ctx, asked, topics)
    kept, dropped = _limited(found.meant, asked.limit)
    return replace(found, meant=kept, dropped=(*dropped, *found.dropped))


def _meant(ctx: VerbContext, asked: _Asked, topics: Sequence[Topic]) -> _Picked:
    query, ids, erase = asked.query, asked.ids, asked.erase
    candidates = rules.all_candidates(
        [topic for topic in topics if asked.scope in (None, topic.scope)]
    )
    if ids:
        unknown = [one for one in ids if not rules.by_id(candidates, [one])]
        if unknown:
            raise TopicNotFound(
                f"there is no entry {unknown[0]!r} in memory; `reverie forget --dry-run WORDS` lists ids",
                ids=unknown,
            )
        return _Picked(rules.by_id(candidates, ids), [])
    meant, near = rules.choose(query, candidates)
    model = ctx.model_for("forget")
    certain = rules.by_id(candidates, [query.strip()]) or rules.said_whole(query, candidates)
    if model is None or certain:
        return _Picked(meant, near)
    from reverie.verbs.asking.ask import choose_entries

    answer = choose_entries(query, candidates, model=model, settings=ctx.settings)
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
    also: Mapping[int, frozenset[str]] | None = None,
) -> Receipt:
    return receipt_for(
        [item.entry for item in kept],
        remaining=_remaining(topics, deltas),
        now=now,
        salt=secrets.token_hex(16),
        erased=erased,
        also=also,
    )


def _remaining(topics: Sequence[Topic], deltas: Sequence[FileDelta]) -> list[str]:
    touched = {delta.path for delta in deltas}
    after = [delta.after for delta in deltas if delta.after is not None]
    return [*after, *(topic.text for topic in topics if topic.path not in touched)]


def _sentence(kept: Sequence[Candidate], *, dry_run: bool, erase: bool, near: int) -> str:
    if not kept:
        hint = f" {near} came close; name one by its id to remove it." if near else ""
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
