"""Undone: which runs were taken back, and what was forgotten, so that neither comes back by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from reverie.core.erasing.receipts import Barred, receipts_of
from reverie.core.showing.provenance import is_adopted

if TYPE_CHECKING:
    from reverie.ports import JournalReader
    from reverie.types import Receipt, RunRecord

LOOKED_AT: Final = 1000
"""So many of the newest runs of a verb are looked through."""
_EVERY: Final = 1_000_000
"""What was forgotten stays forgotten, however long ago that was."""


def runs_of(journal: JournalReader, verb: str, *, undone: bool = False) -> list[RunRecord]:
    """Return the runs of a verb that were made here, newest first; what came with an import may lie.

    Args:
        undone: Only those that a later run undid: they are few, however many runs there were.
    """
    found = journal.log(limit=LOOKED_AT, verb=verb, undone=undone)
    return [item for item in found if not is_adopted(item.detail)]


def forgotten(journal: JournalReader) -> Barred:
    """Return what was forgotten here and not taken back: whoever learns or imports asks it first."""
    return Barred(tuple(receipts(journal)))


def receipts(journal: JournalReader) -> Iterator[Receipt]:
    """Read the receipts for what was forgotten here and not taken back, the newest first."""
    removed = (
        run for run in journal.log(limit=_EVERY, verb="forget") if not is_adopted(run.detail)
    )
    return receipts_of(run for run in removed if not is_undone(journal, run))


def is_undone(journal: JournalReader, record: RunRecord) -> bool:
    """Say whether a run was taken back; an undo that was itself taken back does not count."""
    taken_back = False
    while record.undone_by:
        record = journal.record(record.undone_by)
        taken_back = not taken_back
    return taken_back
