"""Run a plan: the one way from what a verb decided to what is written.

Rules
- Planning reads and decides; it writes nothing and calls nothing that does. So a dry run is a plan that
  nobody applied.
- When a file moved on since it was planned on, the plan is made again while nobody else can write.
  Contention never reaches the caller; only an edit that a person made of a text (`once`) is refused.
- An editor knows nothing of our lock. If it saves the same file between two looks, we look again, a
  bounded number of times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from reverie.errors import StaleBase
from reverie.types import Applied

if TYPE_CHECKING:
    from reverie.ports import Store
    from reverie.types import Change, Plan, RunInfo

__all__ = ["NOTHING", "run"]

Outcome = TypeVar("Outcome")

NOTHING: Final = Applied(run="")
_LOOKS: Final = 20  # an editor would have to save within microseconds of each of them


Apply: TypeAlias = "Callable[[Sequence[Change], RunInfo], Applied]"
"""Writes all changes as one run, or none of them."""


def run(
    make: Callable[[], Plan[Outcome]],
    *,
    store: Store,
    dry_run: bool = False,
    apply: Apply | None = None,
    alone: bool = False,
) -> Outcome:
    """Make a plan and apply it, or with `dry_run` only tell what it says.

    Args:
        make: Reads what there is and decides; called again when somebody wrote meanwhile.
        apply: How it is written, where that is more than `store.apply`: an undo names the run it takes back.
        alone: Plan while nobody else can write, because the plan rests on more than the texts that it
            changes: an id must be new to the whole notebook.
    """
    if alone and not dry_run:
        with store.writing("planning"):
            return run(make, store=store, apply=apply)
    plan = make()
    if dry_run or not plan.changes:
        return plan.tell(NOTHING)
    write = apply or store.apply
    try:
        return plan.tell(write(plan.changes, plan.info))
    except StaleBase:
        if plan.once:
            raise
    with store.writing(plan.info.verb):
        plan, applied = _planned_again(make, write)
    return plan.tell(applied)


def _planned_again(
    make: Callable[[], Plan[Outcome]], write: Apply
) -> tuple[Plan[Outcome], Applied]:
    for last in range(_LOOKS, 0, -1):
        plan = make()
        try:
            return plan, write(plan.changes, plan.info) if plan.changes else NOTHING
        except StaleBase:
            if last == 1:
                raise
    raise AssertionError("unreachable")
