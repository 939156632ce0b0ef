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
    from reverie.config import LayerSettings
    from reverie.ports import AgentTree, Clock, Store


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
    operation: rules.Operation,
    *,
    store: Store,
    tree: AgentTree,
    settings: LayerSettings,
    clock: Clock,
    origin: Origin = Origin.OWNER,
    dry_run: bool = False,
) -> WorkingChanged | Skipped:
    """Do one operation on working memory."""
    info = RunInfo(verb="working", origin=origin, note=f"{operation.action}: {operation.heading}")

    def plan() -> Plan[WorkingChanged | Skipped]:
        planned = _plan(operation, store, tree, settings, clock)
        if isinstance(planned, Skipped):
            return Plan((), info, lambda _: planned)
        done = replace(planned, changes=())
        return Plan(
            planned.changes,
            info,
            lambda applied: replace(done, run=applied.run) if applied.run else planned,
        )

    return run(plan, store=store, dry_run=dry_run)


def _plan(
    operation: rules.Operation,
    store: Store,
    tree: AgentTree,
    settings: LayerSettings,
    clock: Clock,
) -> WorkingChanged | Skipped:
    before = read_working(store, tree)
    text = before if before is not None else fresh_working(settings)
    now = clock()
    planned = rules.plan(text, operation, now=now, limit=settings.working_limit)
    if isinstance(planned, Skipped):
        return planned
    changes = [
        Change(
            f"{tree.root}/{WORKING}", planned.text, digest(before) if before is not None else None
        )
    ]
    changes += archive_changes(planned.moved, store=store, tree=tree, clock=clock)
    return WorkingChanged(
        planned.item,
        operation.heading,
        moved=moved_items(planned.moved, clock),
        over=planned.over,
        changes=tuple(changes),
    )


def read_working(store: Store, tree: AgentTree) -> str | None:
    """Return working memory as it stands, None when there is no file."""
    return store.read(f"{tree.root}/{WORKING}")


def fresh_working(settings: LayerSettings) -> str:
    """Return empty working memory."""
    files = scaffold("", core_limit=settings.core_limit, working_limit=settings.working_limit)
    return files[WORKING]


def archive_changes(
    moved: Sequence[rules.Moved], *, store: Store, tree: AgentTree, clock: Clock
) -> list[Change]:
    """Return the change that adds items to the archive of this month."""
    if not moved:
        return []
    path = f"{tree.root}/{rules.archive_path(clock())}"
    before = store.read(path)
    text = rules.archived(before, moved, now=clock())
    return [Change(path, text, None if before is None else digest(before))]


def moved_items(moved: Sequence[rules.Moved], clock: Clock) -> tuple[Dropped, ...]:
    """Say what moved, and where to."""
    where = f"moved to {rules.archive_path(clock())}: working memory was over its limit"
    return tuple(Dropped(f"{item.heading}: {' '.join(item.text.split())}", where) for item in moved)
