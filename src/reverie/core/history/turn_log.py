"""What appending to and reading a history come to, whichever engine keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from reverie.core.history.turns import encode, map_texts, map_values, write_time
from reverie.core.text.plain import digest
from reverie.types import Dropped, SecretFinding, Turn
from reverie.types.turns import Redact

PLACED_BELOW: Final = 10**9
"""A turn that comes back gets its old number below this. No agent has had so many turns, and whoever could
choose any number could use them all up."""


def cleaned(draft: Turn, redact: Redact | None, findings: list[SecretFinding]) -> Turn:
    """Replace the secrets of a turn; what was found is added to `findings`."""
    if redact is None:
        return draft

    def change(text: str) -> str:
        shown, found = redact(text)
        findings.extend(found)
        return shown

    return replace(
        draft,
        messages=map_texts(draft.messages, change),
        session=redact(draft.session)[0],
        source=_shown_source(draft.source, redact),
        extra=map_values(draft.extra, change),
    )


def _shown_source(source: str, redact: Redact) -> str:
    """Mask where a turn came from; two of them stay two, or one would count as imported already."""
    shown = redact(source)[0]
    return source if shown == source else f"{shown}:{digest(source)[:12]}"


def distinct(drafts: Sequence[Turn], known: set[str]) -> list[Turn]:
    """Leave out drafts whose source is known, or comes twice."""
    seen = set(known)
    fresh: list[Turn] = []
    for draft in drafts:
        source = plain(draft.source)
        if source and source in seen:
            continue
        seen.add(source)
        fresh.append(draft)
    return fresh


def plain(text: str) -> str:
    """Make a text storable in the index, which knows no half surrogate pairs."""
    return text.encode("utf-8", "replace").decode("utf-8")


def named(turn: Turn) -> Turn:
    """Name a turn of ours that has to take another number, so that it comes only once."""
    name = f"turns:{turn.id}:{digest(encode(turn))[:12]}"
    return replace(turn, source=turn.source or name)


def within(turns: Sequence[Turn], limit: int) -> tuple[list[Turn], tuple[Dropped, ...]]:
    """Part turns that can be read again once they are written from those that are too large for that."""
    kept: list[Turn] = []
    dropped: list[Dropped] = []
    for turn in turns:
        size = len(encode(turn).encode("utf-8"))
        if size > limit:
            dropped.append(too_large(turn, size))
        else:
            kept.append(turn)
    return kept, tuple(dropped)


def too_large(turn: Turn, size: int) -> Dropped:
    """Name a turn that is left out."""
    what = f"the turn of {write_time(turn.created_at)} ({turn.source})"
    return Dropped(what, f"{size:,} bytes, over the limit")
