"""Later: what was said later than what answers a prompt, and may concern it.

Rules

* Only the best answer is looked at, and at most one statement is shown with it, above it.
* It is later, near both to the prompt and to the answer (`core.topics.beside`), and stands alone: what was
  put above another statement when it was said concerns that one.
* It may be of the other memory: what somebody said of himself in a project is shown with what he said before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reverie.core.markdown.entries import read_entries
from reverie.core.topics.beside import LATER_CHANGE, may_concern
from reverie.types import Scope
from reverie.types.ranking import Scored

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from reverie.types import Topic
    from reverie.types.ranking import Near
    from reverie.verbs.verb_context import VerbContext

__all__ = ["said_later"]

LOOKED_AT: Final = 3


def said_later(
    ctx: VerbContext,
    kept: Sequence[Scored],
    near: Near,
    *,
    exclude: Collection[str] = (),
    closed: Collection[Scope] = (),
) -> Scored | None:
    """Find what was said later and may concern the best answer, to be shown above it.

    Args:
        kept: What is to be shown, the best first.
        near: How near memories are to the prompt.
        exclude: Topics that the turn already has, by path or relative path.
        closed: Memories that are not to be used.
    """
    if not kept or not near.cosines:
        return None
    answer = kept[0].topic
    answered = _said(answer)
    if not answered:
        return None
    sums = {
        path: cosine + near.cosines.get(path, 0.0)
        for path, cosine in near.alike(answered).items()
        if path != answer.path
    }
    shown = {item.path: item for item in kept}
    for path in sorted(sums, key=lambda path: (-sums[path], path))[:LOOKED_AT]:
        if sums[path] < LATER_CHANGE:
            break
        topic = shown[path].topic if path in shown else _found(ctx, path)
        if topic is None or topic.scope in closed or {topic.path, topic.rel} & set(exclude):
            continue
        later = topic.updated and answer.updated and topic.updated > answer.updated
        if later and may_concern(_said(topic), nearness=sums[path]):
            return shown.get(path) or Scored.of(topic, kept[0].score)
    return None


def _said(topic: Topic) -> str:
    """Return the statement of a topic; nothing where there are several."""
    entries = read_entries(topic.body)
    return entries[0].summary if len(entries) == 1 else ""


def _found(ctx: VerbContext, path: str) -> Topic | None:
    """Read a topic by its path, with the time it was written; None when it holds several statements."""
    for scope in Scope:
        if path.startswith(f"{ctx.workspace.memory_root(scope)}/"):
            text = ctx.store.read(path)
            entries = read_entries(text.partition("\n---\n")[2]) if text else ()
            if len(entries) == 1:
                found = ctx.concerned(entries[0].summary, scope)
                return next((topic for topic in found if topic.path == path), None)
    return None
