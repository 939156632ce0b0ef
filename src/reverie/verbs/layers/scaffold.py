"""Scaffold: make the files of an agent's tree, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.core.history import turns
from reverie.core.layers.tree import scaffold as first_files
from reverie.types import Applied, Change, Origin, Plan, RunInfo
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.verbs.verb_context import LayerContext

MARK = "cognition/state/scaffold.json"
"""Says that the tree was made; what its owner removes afterwards stays away."""


def scaffold(ctx: LayerContext) -> Applied:
    """Make what is missing of a tree that was never made; touch nothing that is there."""
    tree, agent = ctx.tree, ctx.workspace.agent
    if tree.read_control(MARK):
        return Applied(run="")
    limits = ctx.settings.layers
    files = first_files(agent, core_limit=limits.core_limit, working_limit=limits.working_limit)
    info = RunInfo(verb="scaffold", origin=Origin.SYSTEM, note=f"tree of {agent}")
    applied = run(lambda: Plan(_missing(ctx, files), info, _as_it_is), store=ctx.store)
    tree.write_control(MARK, {"version": 1, "created_at": turns.write_time(ctx.clock())})
    return applied


def _missing(ctx: LayerContext, files: dict[str, str]) -> tuple[Change, ...]:
    paths = {f"{ctx.tree.root}/{rel}": text for rel, text in files.items()}
    missing = {path: text for path, text in paths.items() if ctx.store.read(path) is None}
    return tuple(Change(path, text, None) for path, text in missing.items())


def _as_it_is(applied: Applied) -> Applied:
    return applied
