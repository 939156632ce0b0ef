"""Forget: remove what a request means; with `erase`, from the journal too, and give a receipt.

An erasure that a crash cut off is finished by the next call that erases, before anything else.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from reverie.core.dreaming.entry_dates import DATES_FILE, without_entries
from reverie.core.erasing import removal
from reverie.core.erasing.everywhere import Erasure, read_down
from reverie.core.erasing.occurrences import tells_enough, words_to_erase
from reverie.core.erasing.places import JOURNAL
from reverie.core.erasing.receipts import receipt_for
from reverie.core.topics import forget as rules
from reverie.core.topics.forget import former_values
from reverie.core.wire import to_wire
from reverie.errors import (
    InvalidInput,
    InvalidQuery,
    MemoryUnavailable,
)
from reverie.types import (
    Dropped,
    Forgotten,
    Kind,
    NotErased,
    Plan,
    RunInfo,
    Scope,
)
from reverie.verbs.erasing.erase import carry_out, survey
from reverie.verbs.erasing.picking import Asked, Picked, select
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.core.erasing.erasing_store import ErasingStore
    from reverie.core.topics.forget import Candidate
    from reverie.types import (
        Entry,
        ErasedPlace,
        FileDelta,
        Receipt,
        Topic,
    )
    from reverie.verbs.verb_context import VerbContext

MAX_QUERY_BYTES = 65_536


def _kept(receipt: Receipt) -> tuple[NotErased, ...]:
    """Say what a plain forget leaves, and what reaches it."""
    return (
        NotErased(
            JOURNAL,
            "the journal",
            "for_undo",
            "it keeps the text so that this can be undone;"
            f" `reverie forget --erase {receipt.id}` removes it there, too",
        ),
        NotErased(
            "layers",
            "notes, history, stores and context files",
            "not_asked",
            "they were not searched; `reverie forget --erase --everywhere --dry-run` with its words"
            " counts what holds it",
        ),
    )


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
    asked = Asked(query, ids, limit, scope, everywhere=everywhere, erase=erase, dry_run=dry_run)
    about = info or RunInfo(verb="forget")
    store = ctx.erasing()
    if not erase:
        return _forget(ctx, asked, store, about)
    with nullcontext() if dry_run else store.alone():
        cut_off = store.written_down()
        if cut_off is not None and not dry_run:
            erasure = read_down(cut_off)
            finished = (
                _give_up(store) if erasure is None else _finish(ctx, erasure, store, about, purge)
            )
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


def _forget(ctx: VerbContext, asked: Asked, store: ErasingStore, about: RunInfo) -> Forgotten:
    now = ctx.clock()
    chosen: list[Picked] = []

    def plan() -> Plan[Forgotten]:
        topics = store.topics()
        # A model is asked once: what it chose is looked up again, not asked again under the lock.
        picked = _again(chosen[0], topics) if chosen else select(ctx, asked, topics, store)
        chosen[:] = [picked]
        deltas = tuple(removal.plan_removals(picked.meant, topics))
        outcome = replace(_outcome(asked, picked), deltas=deltas)
        if not picked.meant:
            return Plan((), about, lambda _: outcome)
        receipt = _receipt(picked.meant, topics, deltas, now=now, erased=False)
        kept = _kept(receipt)
        receipt = replace(receipt, left=kept)
        detail = {**about.detail, "receipt": to_wire(receipt)}
        return Plan(
            tuple(removal.changes_of(deltas)),
            replace(about, detail=detail),
            lambda applied: (
                replace(outcome, run=applied.run, receipt=receipt, left=kept)
                if applied.run
                else outcome
            ),
        )

    return run(plan, store=store, dry_run=asked.dry_run)


def _again(picked: Picked, topics: Sequence[Topic]) -> Picked:
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
    asked: Asked,
    store: ErasingStore,
    about: RunInfo,
    purge: Callable[[], Sequence[str]],
) -> Forgotten:
    topics = store.topics()
    picked = select(ctx, asked, topics, store)
    deltas = removal.plan_removals(picked.meant, topics)
    erasure, dropped = _planned(ctx, asked, picked, topics, deltas)
    picked = replace(picked, dropped=(*picked.dropped, *dropped))
    outcome = _outcome(asked, picked)
    if not picked.meant and not (asked.everywhere and erasure.to_erase):
        return outcome
    if asked.dry_run:
        tally, deltas = survey(store, erasure, deltas)
        outcome = _at_places(outcome, tally.places(), tuple(tally.left))
        return replace(outcome, deltas=tuple(deltas))
    _undate(ctx, erasure)
    applied, receipt = carry_out(store, erasure, about, purge=purge)
    if applied.run:
        outcome = replace(outcome, run=applied.run, receipt=receipt)
    return _at_places(outcome, receipt.places, receipt.left)


def _finish(
    ctx: VerbContext,
    erasure: Erasure,
    store: ErasingStore,
    about: RunInfo,
    purge: Callable[[], Sequence[str]],
) -> Forgotten:
    _undate(ctx, erasure)
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
    asked: Asked,
    picked: Picked,
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
    gone = picked.meant
    to_erase = words_to_erase(
        removal.phrases_of(gone),
        whole=[words] if literal else [],
        remaining=remaining,
        exact=[
            *removal.needles_of(gone, remaining=remaining),
            *removal.former_needles(gone, partial(_former, ctx), remaining=remaining),
        ],
    )
    receipt = _receipt(gone, topics, deltas, now=ctx.clock(), erased=True, also=to_erase.runs)
    chosen = tuple((item.topic.path, item.entry.summary) for item in gone)
    paths = tuple(removal.told_paths(gone))
    return Erasure(to_erase, receipt, chosen, paths, asked.everywhere), dropped


def _undate(ctx: VerbContext, erasure: Erasure) -> None:
    """Let go of since when the entries were so."""
    gone = [summary for _, summary in erasure.chosen]
    if ctx.state().read_state(DATES_FILE):
        ctx.state().update_state(DATES_FILE, lambda kept: without_entries(kept, gone))


def _former(ctx: VerbContext, topic: Topic) -> list[str]:
    """Return the texts that a memory had before."""
    return [text for _, text in ctx.journal.history(ctx.store.real(topic.path)) if text]


def _outcome(asked: Asked, picked: Picked) -> Forgotten:
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
        summary = f"{summary} Nothing else contains the words as they stand here."
    return replace(outcome, summary=summary, places=places, left=left)


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
        [one for item in kept for one in _with_former(item)],
        remaining=_remaining(topics, deltas),
        now=now,
        salt=secrets.token_hex(16),
        erased=erased,
        also=also,
    )


def _with_former(item: Candidate) -> Iterator[Entry]:
    """Yield an entry and the former values that go with it, with and without what may be their reason."""
    former = [] if item.former else former_values(item.topic, item.entry)
    for entry in (item.entry, *former):
        yield entry
        if entry is not item.entry and entry.why:
            yield replace(entry, summary=f"{entry.summary} ({entry.why})")


def _remaining(topics: Sequence[Topic], deltas: Sequence[FileDelta]) -> list[str]:
    """Return the texts and the names of files that stay; an entry may well have linked to them."""
    touched = {delta.path for delta in deltas}
    after = [
        f"{delta.path.rpartition('/')[2]}\n{delta.after}"
        for delta in deltas
        if delta.after is not None
    ]
    others = [topic for topic in topics if topic.path not in touched]
    return [*after, *(f"{topic.rel}\n{topic.text}" for topic in others)]


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
    past = " that only the journal still had" if all(item.retired for item in kept) else ""
    return f"{done} {count}{past} from: {kinds}."
