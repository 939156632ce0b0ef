"""What appending to and reading a history come to, whichever engine keeps it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final

from reverie.core.history.turns import (
    encode,
    encode_sealed,
    map_texts,
    map_values,
    turn_id,
    write_time,
)
from reverie.core.text.plain import digest
from reverie.errors import FileTooLarge
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


def distinct(
    drafts: Sequence[Turn], known: Collection[str], *, key: Callable[[str], str]
) -> list[Turn]:
    """Leave out drafts whose source is known, or comes twice; `key` is how the engine keeps a source."""
    seen = set(known)
    fresh: list[Turn] = []
    for draft in drafts:
        source = key(draft.source)
        if source and source in seen:
            continue
        seen.add(source)
        fresh.append(draft)
    return fresh


def numbered(
    drafts: Sequence[Turn], *, above: int, limit: int, single: bool
) -> tuple[list[tuple[Turn, bytes]], tuple[Dropped, ...]]:
    """Give drafts the numbers above one, each with the record to keep; leave out what is too large.

    Args:
        single: Somebody waits for this turn alone, so that it is too large is said at once.
    """
    made: list[tuple[Turn, bytes]] = []
    dropped: list[Dropped] = []
    for draft in drafts:
        seq = above + 1 + len(made)
        turn = replace(draft, seq=seq, id=turn_id(seq))
        data = record(turn)
        if len(data) <= limit:
            made.append((turn, data))
            continue
        if single:
            raise FileTooLarge(
                f"this turn has {len(data):,} bytes, over the limit of {limit:,}; shorten its tool"
                " output, or raise memory.max_file_bytes"
            )
        dropped.append(too_large(draft, len(data)))
    return made, tuple(dropped)


def placed(turns: Sequence[Turn], taken: Collection[int]) -> list[tuple[Turn, bytes]]:
    """Choose the turns that can have their numbers back, each with the record to keep, in order."""
    free: dict[int, Turn] = {}
    for turn in turns:
        if turn.seq < PLACED_BELOW and turn.seq not in taken:
            free.setdefault(turn.seq, turn)
    return [(free[seq], record(free[seq])) for seq in sorted(free)]


def record(turn: Turn) -> bytes:
    """Return a turn as it is kept."""
    return encode_sealed(turn).encode("utf-8")


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
        size = len(record(turn))
        if size > limit:
            dropped.append(too_large(turn, size))
        else:
            kept.append(turn)
    return kept, tuple(dropped)


def too_large(turn: Turn, size: int) -> Dropped:
    """Name a turn that is left out."""
    what = f"the turn of {write_time(turn.created_at)} ({turn.source})"
    return Dropped(what, f"{size:,} bytes, over the limit")
