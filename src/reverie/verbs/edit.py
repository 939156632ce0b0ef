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
from reverie.errors import Conflict, InvalidContent, PathEscape
from reverie.types import Applied, Change, RunInfo, Skipped

if TYPE_CHECKING:
    from reverie.ports import Store
    from reverie.types import Topic

_EDITABLE: Final = re.compile(
    r"(?:core/[^/]+|working/WORKING_MEMORY|semantic/[^/]+|notes/(?:[^/]+/)*[^/]+)\.md"
)


@dataclass(frozen=True, slots=True)
class Pinned:
    """A memory that was pinned or let go, and where it is now."""

    rel: str
    pinned: bool
    applied: Applied


def edit_topic(topic: Topic, text: str, *, base: str, store: Store) -> Applied:
    """Replace a memory's text."""
    trouble = why_no_topic(text)
    if trouble:
        raise InvalidContent(f"this could no longer be read as a memory: {trouble}")
    return store.apply([Change(topic.path, text, base)], RunInfo(verb="edit"))


def pin_topic(topic: Topic, *, pinned: bool, store: Store) -> Pinned | Skipped:
    """Move a memory into the folder that automatic writers leave alone, or back out of it."""
    if topic.pinned is pinned:
        state = "pinned" if pinned else "not pinned"
        return Skipped("unchanged", f"{topic.name} is {state} already")
    _, _, inner = topic.rel.partition("/")
    rel = f"{PINNED}/{topic.rel}" if pinned else inner
    root = topic.path.removesuffix(topic.rel)
    if store.read(root + rel) is not None:
        raise Conflict(f"there is already a file {rel}; rename one of them first", path=root + rel)
    verb = "pin" if pinned else "unpin"
    applied = store.apply(
        [Change(topic.path, None, digest(topic.text)), Change(root + rel, topic.text, None)],
        RunInfo(verb=verb, note=rel, detail={"from": topic.rel, "to": rel}),
    )
    return Pinned(rel, pinned, applied)


def is_editable(rel: str) -> bool:
    """Tell whether a file of an agent's tree is a person's to edit."""
    parts = rel.split("/")
    return bool(_EDITABLE.fullmatch(rel)) and not any(part.startswith(".") for part in parts)


def edit_layer(rel: str, text: str, *, base: str | None, root: str, store: Store) -> Applied:
    """Replace the text of a core, working, semantic or note file; `base` is None for a new file."""
    if not is_editable(rel):
        raise PathEscape(
            f"{rel!r} is not edited here; core, working, semantic and note files are", path=rel
        )
    return store.apply(
        [Change(f"{root}/{rel}", text, base)], RunInfo(verb="edit", note=f"layer {rel}")
    )
