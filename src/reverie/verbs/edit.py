"""Edit: replace the text of a memory or a layer file as a person left it, and pin a memory.

Rules
- `base` is the digest of the text the person began with; when the file moved on meanwhile, nothing is
  written (`StaleBase`), for nobody but the person can say which text is meant.
- A memory stays a memory: a text that could no longer be read as one is refused with the reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.text.plain import digest
from reverie.core.topics.topic import PINNED, why_no_topic
from reverie.errors import Conflict, InvalidContent, PathEscape, TopicNotFound
from reverie.types import Applied, Change, Plan, RunInfo, Skipped
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.ports import Store
    from reverie.types import Scope, Topic
    from reverie.verbs.verb_context import LayerContext, VerbContext

_EDITABLE: Final = re.compile(
    r"(?:core/[^/]+|working/WORKING_MEMORY|semantic/[^/]+|notes/(?:[^/]+/)*[^/]+)\.md"
)


@dataclass(frozen=True, slots=True)
class Pinned:
    """A memory that was pinned or let go, and where it is now."""

    rel: str
    pinned: bool
    applied: Applied


def find_topic(store: Store, scope: Scope, rel: str) -> Topic:
    """Return one memory by its place below its scope's folder."""
    for item in store.topics(scope):
        if item.rel == rel:
            return item
    raise TopicNotFound(f"there is no memory {rel!r} in {scope.value} memory", rel=rel)


def edit_topic(ctx: VerbContext, scope: Scope, rel: str, text: str, *, base: str) -> Applied:
    """Replace a memory's text."""
    topic = find_topic(ctx.store, scope, rel)
    trouble = why_no_topic(text)
    if trouble:
        raise InvalidContent(f"this could no longer be read as a memory: {trouble}")
    return _edited(ctx, Change(topic.path, text, base), RunInfo(verb="edit"))


def pin_topic(ctx: VerbContext, scope: Scope, rel: str, *, pinned: bool) -> Pinned | Skipped:
    """Move a memory into the folder that automatic writers leave alone, or back out of it."""
    verb = "pin" if pinned else "unpin"

    def plan() -> Plan[Pinned | Skipped]:
        topic = find_topic(ctx.store, scope, rel)
        if topic.pinned is pinned:
            state = "pinned" if pinned else "not pinned"
            known = Skipped("unchanged", f"{topic.name} is {state} already")
            return Plan((), RunInfo(verb), lambda _: known)
        to = f"{PINNED}/{rel}" if pinned else rel.partition("/")[2]
        path = topic.path.removesuffix(rel) + to
        if ctx.store.read(path) is not None:
            raise Conflict(f"there is a file {to} already; rename one of them first", path=path)
        return Plan(
            (Change(topic.path, None, digest(topic.text)), Change(path, topic.text, None)),
            RunInfo(verb, note=to, detail={"from": rel, "to": to}),
            lambda applied: Pinned(to, pinned, applied),
        )

    return run(plan, store=ctx.store)


def is_editable(rel: str) -> bool:
    """Tell whether a file of an agent's tree is a person's to edit."""
    parts = rel.split("/")
    return bool(_EDITABLE.fullmatch(rel)) and not any(part.startswith(".") for part in parts)


def edit_layer(ctx: LayerContext, rel: str, text: str, *, base: str | None) -> Applied:
    """Replace the text of a core, working, semantic or note file; `base` is None for a new file."""
    if not is_editable(rel):
        raise PathEscape(
            f"{rel!r} is not edited here; core, working, semantic and note files are", path=rel
        )
    info = RunInfo(verb="edit", note=f"layer {rel}")
    return _edited(ctx, Change(f"{ctx.tree.root}/{rel}", text, base), info)


def _edited(ctx: VerbContext, change: Change, info: RunInfo) -> Applied:
    """Write what a person made of a text they saw, or say that it moved on."""
    plan = Plan((change,), info, lambda applied: applied, once=True)
    return run(lambda: plan, store=ctx.store)
