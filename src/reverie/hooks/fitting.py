"""Keeping what a hook adds below the size at which agents cut it themselves."""

from __future__ import annotations

from reverie.core.showing.fence import fence

_SECTION = "\n\n### "


def fitted(block: str, room: int) -> str:
    """Drop the last memories of a recalled block until it fits; none left means no block."""
    if len(block) <= room:
        return block
    sections = "\n".join(block.rstrip("\n").split("\n")[1:-1]).split(_SECTION)
    while len(sections) > 2:
        sections.pop()
        made = fence(_SECTION.join(sections))
        if len(made) <= room:
            return made
    return ""
