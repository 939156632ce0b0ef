"""Pending: core files that an import brought wait until a person approves or discards them.

Rules
- They lie in `pending/core/` of the agent's folder, where no prompt, search or job looks.
- Approving moves a file to the core, over what is there; discarding removes it. Both are one run,
  which can be undone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from reverie.core.moving.record_kinds import CORE, PENDING
from reverie.core.text.plain import digest
from reverie.errors import PathNotFound
from reverie.types import Change, Decided, Pending, Plan, Problem, RunInfo
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.verbs.verb_context import LayerContext

_PREFIX = f"{PENDING}/"


def waiting(ctx: LayerContext) -> list[Pending]:
    """List what waits, by name."""
    store, tree, root = ctx.store, ctx.tree, ctx.tree.root
    found = []
    for rel in tree.markdown(f"{_PREFIX}{CORE}"):
        text = store.read(f"{root}/{rel}")
        if text is not None:
            name = rel.removeprefix(_PREFIX)
            now = store.read(f"{root}/{name}")
            found.append(Pending(name, f"{root}/{rel}", text, replaces=now is not None))
    return found


def decide(
    ctx: LayerContext, names: Collection[str], *, approve: bool, dry_run: bool = False
) -> Decided:
    """Approve or discard what waits under these names, all of it when none is given."""
    verb = "approve" if approve else "discard"

    def plan() -> Plan[Decided]:
        chosen = _chosen(names, waiting(ctx))
        changes = [Change(item.path, None, digest(item.text)) for item in chosen]
        if approve:
            for item in chosen:
                path = f"{ctx.tree.root}/{item.name}"
                now = ctx.store.read(path)
                changes.append(Change(path, item.text, None if now is None else digest(now)))
        named = tuple(item.name for item in chosen)
        return Plan(
            tuple(changes),
            RunInfo(verb, note=", ".join(named)),
            lambda applied: Decided(verb, named, run=applied.run, dry_run=dry_run),
        )

    return run(plan, store=ctx.store, dry_run=dry_run)


def _chosen(names: Collection[str], items: Collection[Pending]) -> list[Pending]:
    there = {item.name: item for item in items}
    wanted = [name if name.startswith(f"{CORE}/") else f"{CORE}/{name}" for name in names]
    for name in wanted:
        if name not in there:
            raise PathNotFound(
                f"nothing called {name!r} waits; `reverie pending` lists what does", path=name
            )
    return [there[name] for name in dict.fromkeys(wanted or there)]


def problems(items: Collection[Pending]) -> list[Problem]:
    """Report what waits."""
    return [
        Problem(
            "pending_core",
            f"{item.name} was imported and waits for your approval; no prompt reads it until then",
            path=item.path,
            fix=f"reverie pending --approve '{item.name}'",
        )
        for item in items
    ]
