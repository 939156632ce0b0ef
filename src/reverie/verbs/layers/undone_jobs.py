"""Undone jobs: what becomes of the turns of a job's run that somebody took back.

Rules
- The job does not read them again by itself, because it would write the same again. Its next run says
  so, its status lists them, and only `again` reads them.
- Turns that working memory no longer covers are replayed in prompts, until it covers newer ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from reverie.core.layers import jobs
from reverie.types import Dropped
from reverie.verbs.layers.prompt import CHECKPOINT, consolidated
from reverie.verbs.undone import is_undone, runs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.ports import AgentTree
    from reverie.types import RunRecord
    from reverie.verbs.verb_context import LayerContext


@dataclass(frozen=True, slots=True)
class UndoneRun:
    """A run of a job that was taken back."""

    run: str
    undone_at: datetime
    first_seq: int
    last_seq: int


def covers(ctx: LayerContext, *, first: int, last: int) -> dict[str, Any]:
    """Say in a journal record which turns a run is about, and whose they are."""
    return {"agent": _agent(ctx.tree), "first_seq": first, "last_seq": last}


def undone_runs(ctx: LayerContext, job: str, state: jobs.JobState) -> list[UndoneRun]:
    """Return the undone runs of a job whose turns were not read again, oldest turns first."""
    journal = ctx.journal
    found = [
        UndoneRun(record.id, journal.record(record.undone_by).at, *_span(record))
        for record in _runs(ctx, job, undone=True)
        if record.id not in state.read_again and is_undone(journal, record)
    ]
    return sorted(found, key=lambda item: item.first_seq)


def told(undone: Sequence[UndoneRun], job: str, *, since: datetime | None) -> tuple[Dropped, ...]:
    """Say what is not read again, for runs that were undone since a moment."""
    return tuple(
        Dropped(
            f"turns {item.first_seq} to {item.last_seq}",
            f"run {item.run} was undone, so they are not read again;"
            f" `reverie cognition run {job} --again` does",
        )
        for item in undone
        if since is None or item.undone_at >= since
    )


def notice(ctx: LayerContext) -> None:
    """Let replay begin where working memory ends after an undo, or after an undo was taken back."""
    journal, tree = ctx.journal, ctx.tree
    now, reached = consolidated(tree), consolidated(tree)
    for record in _runs(ctx, jobs.CONSOLIDATE):
        first, last = _span(record)
        if not is_undone(journal, record):
            reached = max(reached, last) if reached == now else reached
            break
        reached = min(reached, first - 1)
    if reached != now:
        record_now = tree.read_control(CHECKPOINT)
        tree.write_control(CHECKPOINT, {**record_now, "last_consolidated_seq": reached})


def _runs(ctx: LayerContext, job: str, *, undone: bool = False) -> list[RunRecord]:
    agent = _agent(ctx.tree)
    return [
        record
        for record in runs_of(ctx.journal, "cognition", undone=undone)
        if (record.detail.get("job"), record.detail.get("agent")) == (job, agent)
        and all(type(record.detail.get(key)) is int for key in ("first_seq", "last_seq"))
    ]


def _span(record: RunRecord) -> tuple[int, int]:
    return int(record.detail["first_seq"]), int(record.detail["last_seq"])


def _agent(tree: AgentTree) -> str:
    return PurePosixPath(tree.root).name
