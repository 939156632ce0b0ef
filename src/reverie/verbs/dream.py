"""Dream: consolidate memory, by a plan that is validated before any of it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from reverie.core.dreaming.entry_dates import (
    DATES_FILE,
    dated_entries,
    dates_key,
    noted_date,
    of_living,
)
from reverie.core.dreaming.gates import dream_gate, session_gate
from reverie.core.dreaming.merge import plan_dream
from reverie.core.dreaming.meta import (
    META_FILE,
    after_dream,
    after_scan,
    moment_of,
    recent_sessions,
)
from reverie.core.dreaming.operations import describe, op_key, parts_of, paths_of, refs_of
from reverie.core.dreaming.probes import lost_probes, probes_for
from reverie.core.text.plain import digest
from reverie.core.topics.catalog import CATALOG_NAME, render_catalog
from reverie.errors import PathNotFound, ReverieError, SecretRefused
from reverie.types import (
    BlameLine,
    Change,
    Dreamed,
    DreamPlan,
    Dropped,
    FileDelta,
    MergeOp,
    Origin,
    Plan,
    PruneCatalogOp,
    RunInfo,
    Scope,
    Skipped,
    SupersedeOp,
    Usage,
)
from reverie.verbs.lookback import EDITED, blame
from reverie.verbs.run import run
from reverie.verbs.undone import is_undone, runs_of

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.core.dreaming.merge import When
    from reverie.dialect import Dialect
    from reverie.ports import JournalReader, Model, StateFiles, Store
    from reverie.types import (
        Applied,
        DreamOp,
        EntryRef,
        Topic,
    )
    from reverie.verbs.asking.dream_agent import Thought
    from reverie.verbs.verb_context import VerbContext

LOCK_FILE: Final = "consolidation.lock"
STRATEGY: Final = "mechanical"
_ROUNDS: Final = 8  # how often a plan is made again without what the probes refused

SessionsSince: TypeAlias = Callable[[datetime | None], Sequence[str] | set[str]]
"""Names the sessions with something said since a moment."""
Blame: TypeAlias = Callable[[str], Sequence[BlameLine]]
"""Names the run that brought each line of a file."""
Think: TypeAlias = "Callable[[Sequence[Topic], When], Thought]"
"""Lets a model make the plan."""
Undone: TypeAlias = Mapping[str, str]
"""Operations that somebody took back, by their keys, each with the run that did it."""


def dream(
    ctx: VerbContext,
    *,
    session: str = "",
    force: bool = False,
    dry_run: bool = False,
    sessions_since: SessionsSince = lambda _since: (),
    cancelled: Callable[[], bool] = lambda: False,
) -> Dreamed | Skipped:
    """Consolidate both scopes if it is time, or with `force` at once; `dry_run` only plans.

    A model's draft is used when vetting finds nothing lost or invented in it; else the mechanical way.
    What the journal says was undone is not done again.
    """
    now, state = ctx.clock(), ctx.state()
    if skipped := _gates(ctx, session, sessions_since, force=force or dry_run):
        return skipped
    model = ctx.model_for("dream")
    think = partial(_think, ctx, model=model, cancelled=cancelled) if model else None
    store = ctx.confined() if model else ctx.store
    with _alone(state, dry_run=dry_run) as mine:
        if not mine:
            return Skipped("locked", "another process is dreaming")
        if not dry_run:  # what people edited by hand is theirs, not the dream's
            ctx.store.notice_edits()
        thinkers = [think]  # whatever goes wrong with what the model drafted, it is not asked again

        def plan() -> Plan[Dreamed | Skipped]:
            think = thinkers.pop() if thinkers else None
            return _consolidate(ctx, session, dry_run=dry_run, cancelled=cancelled, think=think)

        try:
            outcome = run(plan, store=store, dry_run=dry_run)
        except SecretRefused:
            outcome = run(plan, store=store, dry_run=dry_run)
        if isinstance(outcome, Dreamed) and not dry_run:
            done = outcome
            state.update_state(
                META_FILE,
                lambda meta: after_dream(meta, now=now, session=session,
                                         kinds=done.touched_topics, status=done.status),
            )  # fmt: skip
    return outcome


def _gates(
    ctx: VerbContext, session: str, sessions_since: SessionsSince, *, force: bool
) -> Skipped | None:
    state, settings, now = ctx.state(), ctx.settings, ctx.clock()
    meta = state.read_state(META_FILE)
    skipped = dream_gate(meta, settings=settings, session=session, now=now, force=force)
    if skipped or force:
        return skipped
    seen = {*sessions_since(moment_of(meta, "lastDreamAt", now=now)), *recent_sessions(meta)}
    seen -= {session, ""}
    state.update_state(META_FILE, lambda kept: after_scan(kept, now=now))
    return session_gate(len(seen), settings=settings.dream)


@contextmanager
def _alone(state: StateFiles, *, dry_run: bool) -> Iterator[bool]:
    if dry_run:  # looking needs no lock
        yield True
        return
    with state.try_lock(LOCK_FILE) as mine:
        yield mine


def _consolidate(
    ctx: VerbContext,
    session: str,
    *,
    dry_run: bool,
    cancelled: Callable[[], bool],
    think: Think | None = None,
) -> Plan[Dreamed | Skipped]:
    topics = ctx.store.topics()
    undone = undone_ops(ctx.journal)
    when = entry_dates(ctx)
    thought = _not_again(think(topics, when), undone) if think else None
    strategy = STRATEGY
    if thought is not None and thought.plan is not None:
        plan, probes, strategy = thought.plan, thought.probes, "model"
    else:
        plan, probes = plan_checked(
            topics, settings=ctx.settings, dialect=ctx.dialect, when=when, undone=undone
        )
    plan = _with_catalogs(ctx, plan)
    info = RunInfo(
        verb="dream",
        session=session,
        origin=Origin.SYSTEM,
        note=f"{len(plan.ops)} operations",
        detail={
            "ops": [op.op for op in plan.ops],
            "strategy": strategy,
            "keys": [op_key(part) for op in plan.ops for part in parts_of(op)],
        },
    )
    if cancelled():
        off = Skipped("cancelled", "the dream was cancelled before anything was written")
        return Plan((), info, lambda _: off)
    touched = {path for op in plan.ops for path in paths_of(op)}
    dreamed = Dreamed(
        ops=plan.ops,
        refused=(*plan.refused, *(thought.refused if thought else ())),
        touched_topics=tuple(dict.fromkeys(t.kind for t in topics if t.path in touched)),
        deduped_entries=sum(_removed(op) for op in plan.ops),
        probes=probes,
        strategy=strategy,
        dry_run=dry_run,
        deltas=_shown(plan, ctx.store) if dry_run else (),
        usage=thought.usage if thought else Usage(),
    )

    def tell(applied: Applied) -> Dreamed:
        if applied.run:
            ctx.state().update_state(DATES_FILE, lambda kept: _kept_dates(kept, plan))
        return replace(dreamed, run=applied.run, paths=applied.paths, scopes=applied.scopes)

    return Plan(tuple(plan.changes), info, tell)


def _shown(plan: DreamPlan, store: Store) -> tuple[FileDelta, ...]:
    """Show what a plan would change, as long as nobody writes meanwhile."""
    return tuple(FileDelta(item.path, store.read(item.path), item.text) for item in plan.changes)


def _think(
    ctx: VerbContext,
    topics: Sequence[Topic],
    when: When,
    *,
    model: Model,
    cancelled: Callable[[], bool],
) -> Thought:
    from reverie.verbs.asking.dream_agent import think

    return think(ctx, topics, when, model=model, cancelled=cancelled)


def undone_ops(journal: JournalReader) -> dict[str, str]:
    """Read in the journal which operations of dreams were taken back and not done again since."""
    found: dict[str, str] = {}
    if not runs_of(journal, "dream", undone=True):
        return found  # most memories: what was dreamt before need not be read
    decided: set[str] = set()
    for record in runs_of(journal, "dream"):
        taken_back = is_undone(journal, record)
        for key in map(str, record.detail.get("keys", ())):
            if taken_back and key not in decided:
                found[key] = record.id
            decided.add(key)  # of several runs that did the same, the newest counts
    return found


def _taken_back(ops: Sequence[DreamOp], undone: Undone) -> dict[str, Dropped]:
    """Name the parts of operations that somebody took back once."""
    return {
        op_key(part): Dropped(
            describe(part), f"run {undone[op_key(part)]}, which did this, was undone"
        )
        for op in ops
        for part in parts_of(op)
        if op_key(part) in undone
    }


def _not_again(thought: Thought, undone: Undone) -> Thought:
    """Refuse a model's plan that does something again which somebody took back."""
    again = _taken_back(thought.plan.ops, undone) if thought.plan else {}
    if not again:
        return thought
    usage = replace(thought.usage, fallback="refused: somebody took this back")
    return replace(thought, plan=None, refused=(*thought.refused, *again.values()), usage=usage)


def plan_checked(
    topics: Sequence[Topic],
    *,
    settings: Settings,
    dialect: Dialect,
    when: Callable[[Topic, int], datetime | None],
    undone: Undone = MappingProxyType({}),
) -> tuple[DreamPlan, int]:
    """Plan, ask the probes, and plan again without what loses evidence; say how many were asked."""
    barred: dict[str, Dropped] = {}
    asked = rounds = 0
    while rounds < _ROUNDS:
        plan = plan_dream(topics, when=when, dialect=dialect, barred=barred)
        again = _taken_back(plan.ops, undone)
        if not again.keys() <= barred.keys():
            barred.update(again)
            continue
        rounds += 1
        owners: dict[EntryRef, list[DreamOp]] = {}
        for op in plan.ops:
            for ref in refs_of(op):
                owners.setdefault(ref, []).append(op)
        probes = probes_for(owners, count=settings.dream.probes_per_entry)
        asked += len(probes)
        lost = lost_probes(probes, topics, plan.topics, settings=settings.recall)
        if not lost:
            return replace(plan, refused=(*plan.refused, *barred.values())), asked
        for probe in lost:
            for op in owners[probe.entry]:
                reason = f"afterwards {probe.question!r} would no longer find it"
                barred[op_key(op)] = Dropped(f"{op.op}: {probe.entry.summary}", reason)
    # Whatever still loses evidence after so many rounds: rather no dream than a lossy one.
    every = tuple(Dropped(f"{op.op}: {ref.summary}", "the plan would lose evidence")
                  for op in plan.ops for ref in refs_of(op)[:1])  # fmt: skip
    return DreamPlan(refused=(*barred.values(), *every), topics=tuple(topics)), asked


def _with_catalogs(ctx: VerbContext, plan: DreamPlan) -> DreamPlan:
    """Add catalogs with lines that lead nowhere; a scope that changes anyway is rebuilt by `apply`."""
    store, settings = ctx.store, ctx.settings
    ops, changes = list(plan.ops), list(plan.changes)
    for scope in Scope:
        root = ctx.workspace.memory_root(scope)
        path = f"{root}/{CATALOG_NAME}"
        try:
            text = store.read(path)
        except ReverieError:  # it is generated: the next write puts it aside and makes it anew
            continue
        if text is None:
            continue
        # After the catalog: a topic that came since then has no line in this text yet.
        fresh = render_catalog(store.topics(scope), settings=settings.catalog, existing=text).text
        stays = frozenset(fresh.splitlines())
        gone = tuple(line for line in text.splitlines() if line.strip() and line not in stays)
        if not gone:
            continue
        ops.append(PruneCatalogOp(path, gone))
        if not any(change.path.startswith(f"{root}/") for change in changes):
            changes.append(Change(path, fresh, digest(text)))
    return replace(plan, ops=tuple(ops), changes=tuple(changes))


def entry_dates(ctx: VerbContext) -> Callable[[Topic, int], datetime | None]:
    """Return what tells when the entries of topics came to be."""
    return _dates(ctx.state().read_state(DATES_FILE), partial(blame, ctx))


def _dates(stored: dict[str, Any], blame: Blame) -> Callable[[Topic, int], datetime | None]:
    """Tell when entries came to be: noted by an earlier dream, by blame, by the file."""

    @cache
    def lines(path: str) -> Sequence[BlameLine]:
        try:
            return blame(path)
        except (
            PathNotFound
        ):  # removed since it was listed; whoever writes by this plan will hear of it
            return ()

    def when(topic: Topic, index: int) -> datetime | None:
        entry = topic.entries[index]
        noted = noted_date(stored, topic, entry.summary)
        if noted is not None:
            return noted
        first = len(topic.text[: entry.span.start].splitlines())
        last = len(topic.text[: entry.span.end].splitlines())
        found = lines(topic.path)[first : max(last, first + 1)]
        if not any(line.run for line in found):  # a file that Reverie never wrote
            return topic.updated
        # A dream or an undo moves text without being its source: then the day is not known. A line
        # that somebody wrote by hand is as old as the file.
        moments = [
            topic.updated if line.verb == EDITED and not line.run else line.at
            for line in found
            if line.verb not in ("dream", "undo")
        ]
        known = [moment for moment in moments if moment is not None]
        return max(known) if len(known) == len(found) else None

    return when


def _kept_dates(kept: dict[str, Any], plan: DreamPlan) -> dict[str, Any]:
    """Keep the days of entries in files that a dream wrote, and of those only while they are there."""
    living = {topic.path: dates_key(topic.scope, topic.rel) for topic in plan.topics}
    fresh = {
        living[path]: dated_entries(entries)
        for path, entries in plan.dates.items()
        if path in living
    }
    dates = {**of_living(kept, plan.topics), **fresh}
    return {key: noted for key, noted in dates.items() if noted}


def _removed(op: DreamOp) -> int:
    match op:
        case MergeOp():
            return len(op.removed)
        case SupersedeOp():
            return 1
        case _:
            return 0
