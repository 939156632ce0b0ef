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

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from reverie.errors import StaleBase
from reverie.types import Applied

if TYPE_CHECKING:
    from reverie.ports import Store
    from reverie.types import Plan

__all__ = ["NOTHING", "run"]

Outcome = TypeVar("Outcome")

NOTHING: Final = Applied(run="")
_LOOKS: Final = 20  # an editor would have to save within microseconds of each of them


def run(make: Callable[[], Plan[Outcome]], *, store: Store, dry_run: bool = False) -> Outcome:
    """Make a plan and apply it, or with `dry_run` only tell what it says.

    Args:
        make: Reads what there is and decides; called again when somebody wrote meanwhile.
    """
    plan = make()
    if dry_run or not plan.changes:
        return plan.tell(NOTHING)
    try:
        return plan.tell(store.apply(plan.changes, plan.info))
    except StaleBase:
        if plan.once:
            raise
    with store.writing(plan.info.verb):
        plan, applied = _planned_again(make, store)
    return plan.tell(applied)


def _planned_again(
    make: Callable[[], Plan[Outcome]], store: Store
) -> tuple[Plan[Outcome], Applied]:
    for last in range(_LOOKS, 0, -1):
        plan = make()
        try:
            return plan, store.apply(plan.changes, plan.info) if plan.changes else NOTHING
        except StaleBase:
            if last == 1:
                raise
    raise AssertionError("unreachable")
