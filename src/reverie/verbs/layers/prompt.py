"""Prompt: gather the layers and put them together as one system prompt. Nothing is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.core.layers.assembly import PromptLimits, PromptSources, assemble
from reverie.core.layers.tree import CORE, WORKING
from reverie.core.topics.topic import CATALOG_NAME
from reverie.errors import ReverieError
from reverie.types import Dropped, Scope

if TYPE_CHECKING:
    from collections.abc import Collection

    from reverie.ports import AgentTree, Store
    from reverie.types import Prompt
    from reverie.verbs.verb_context import LayerContext

CHECKPOINT = "history/state/consolidation_checkpoint.json"


def prompt(
    ctx: LayerContext,
    *,
    closed: Collection[Scope] = (),
    context: str = "",
    recalled: str = "",
    replay: int | None = None,
) -> Prompt:
    """Assemble core, working memory, context, catalog, recalled block and replayed turns.

    `replay` is how many turns are replayed, those since the last consolidation at most. `closed` names
    the memories that are not to be shown.
    """
    store, tree, settings = ctx.store, ctx.tree, ctx.settings
    problems: list[Dropped] = []
    names = [rel for rel in tree.markdown(CORE) if rel.count("/") == 1]
    core = [(rel, _read(rel, f"{tree.root}/{rel}", store, problems)) for rel in names]
    working = _read(WORKING, f"{tree.root}/{WORKING}", store, problems)
    catalogs = [
        _read(CATALOG_NAME, f"{ctx.workspace.memory_root(scope)}/{CATALOG_NAME}", store, problems)
        for scope in Scope
        if scope not in closed
    ]
    wanted = settings.layers.replay_turns if replay is None else replay
    done = assemble(
        PromptSources(
            core=core,
            working=working,
            context=context,
            catalog="\n".join(text.strip("\n") for text in catalogs if text.strip()),
            recalled=recalled,
            replay=ctx.history().recent(wanted, checkpoint=consolidated(tree)) if wanted else (),
        ),
        limits=PromptLimits(
            core=settings.layers.core_limit,
            working=settings.layers.working_limit,
            tokens=settings.layers.prompt_tokens,
        ),
    )
    return replace(done, dropped=(*problems, *done.dropped))


def consolidated(tree: AgentTree) -> int:
    """Return the number of the last turn that working memory covers."""
    found = tree.read_control(CHECKPOINT).get("last_consolidated_seq", 0)
    return found if type(found) is int and found > 0 else 0


def _read(rel: str, path: str, store: Store, problems: list[Dropped]) -> str:
    """Read one file; one that cannot be read is left out and said, the others still count."""
    try:
        return store.read(path) or ""
    except ReverieError as error:
        problems.append(Dropped(rel, str(error)))
        return ""
