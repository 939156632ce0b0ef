"""Working: change one thing in working memory; what no longer fits goes to the archive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reverie.core.layers import working as rules
from reverie.core.layers.tree import WORKING, scaffold
from reverie.core.text.plain import digest
from reverie.types import Change, Dropped, Origin, Plan, RunInfo, Skipped
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.verbs.verb_context import LayerContext


@dataclass(frozen=True, slots=True)
class WorkingChanged:
    """What an operation did to working memory."""

    item: str
    heading: str
    run: str = ""
    """Empty after a dry run."""
    moved: tuple[Dropped, ...] = ()
    """Items that went to the archive to make room, and where it is."""
    over: int = 0
    """By how many characters the file is still over its bound."""
    changes: tuple[Change, ...] = field(default=(), repr=False)


def change(
    ctx: LayerContext,
    operation: rules.Operation,
    *,
    origin: Origin = Origin.OWNER,
    dry_run: bool = False,
) -> WorkingChanged | Skipped:
    """Do one operation on working memory."""
    info = RunInfo(verb="working", origin=origin, note=f"{operation.action}: {operation.heading}")

    def plan() -> Plan[WorkingChanged | Skipped]:
        planned = _plan(ctx, operation)
        if isinstance(planned, Skipped):
            return Plan((), info, lambda _: planned)
        done = replace(planned, changes=())
        return Plan(
            planned.changes,
            info,
            lambda applied: replace(done, run=applied.run) if applied.run else planned,
        )

    return run(plan, store=ctx.store, dry_run=dry_run)


def _plan(ctx: LayerContext, operation: rules.Operation) -> WorkingChanged | Skipped:
    path = f"{ctx.tree.root}/{WORKING}"
    before = ctx.store.read(path)
    text = before if before is not None else fresh(ctx, WORKING)
    limit = ctx.settings.layers.working_limit
    planned = rules.plan(text, operation, now=ctx.clock(), limit=limit)
    if isinstance(planned, Skipped):
        return planned
    changes = [Change(path, planned.text, None if before is None else digest(before))]
    changes += archive_changes(ctx, planned.moved)
    return WorkingChanged(
        planned.item,
        operation.heading,
        moved=moved_items(ctx, planned.moved),
        over=planned.over,
        changes=tuple(changes),
    )


def fresh(ctx: LayerContext, rel: str) -> str:
    """Return a file of the tree as it is before anybody writes to it."""
    limits = ctx.settings.layers
    return scaffold("", core_limit=limits.core_limit, working_limit=limits.working_limit)[rel]


def archive_changes(ctx: LayerContext, moved: Sequence[rules.Moved]) -> list[Change]:
    """Return the change that adds items to the archive of this month."""
    if not moved:
        return []
    now = ctx.clock()
    path = f"{ctx.tree.root}/{rules.archive_path(now)}"
    before = ctx.store.read(path)
    text = rules.archived(before, moved, now=now)
    return [Change(path, text, None if before is None else digest(before))]


def moved_items(ctx: LayerContext, moved: Sequence[rules.Moved]) -> tuple[Dropped, ...]:
    """Say what moved, and where to."""
    where = f"moved to {rules.archive_path(ctx.clock())}: working memory was over its limit"
    return tuple(Dropped(f"{item.heading}: {' '.join(item.text.split())}", where) for item in moved)
