"""Operations of a dream: what each is about, the key it is barred by, and how it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.core.text.plain import digest
from reverie.types import MergeOp, RedateOp, SupersedeOp

if TYPE_CHECKING:
    from reverie.types import DreamOp, EntryRef


def op_key(op: DreamOp) -> str:
    """Name an operation by what it is about, so that it can be barred; the name tells no text."""
    about = [op.op, *(f"{ref.path}\x01{ref.summary}" for ref in refs_of(op))]
    return digest("\x00".join(about))[:32]


def parts_of(op: DreamOp) -> list[DreamOp]:
    """Split an operation into the least ones it is made of: a merge into pairs."""
    if isinstance(op, MergeOp):
        return [MergeOp(op.kept, (ref,)) for ref in op.removed]
    return [op] if refs_of(op) else []


def refs_of(op: DreamOp) -> list[EntryRef]:
    """Return the entries an operation is about."""
    match op:
        case MergeOp():
            return [op.kept, *op.removed]
        case SupersedeOp():
            return [op.kept, op.removed]
        case RedateOp():
            return [op.entry]
        case _:
            return []


def paths_of(op: DreamOp) -> set[str]:
    """Return the files an operation touches."""
    return {ref.path for ref in refs_of(op)}


def describe(op: DreamOp) -> str:
    """Say in one line what an operation does."""
    match op:
        case MergeOp():
            return f"merge {len(op.removed) + 1} entries: {op.kept.summary}"
        case SupersedeOp():
            return f"supersede: {op.removed.summary} -> {op.kept.summary}"
        case RedateOp():
            return f"date: {', '.join(op.phrases)}"
        case _:
            return f"prune {len(op.lines)} lines of {op.path}"
