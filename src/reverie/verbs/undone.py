"""Undone: which runs of a verb were taken back, so that nobody does the same again by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reverie.core.showing.provenance import is_adopted

if TYPE_CHECKING:
    from reverie.ports import JournalReader
    from reverie.types import RunRecord

LOOKED_AT: Final = 1000
"""So many of the newest runs are looked through."""


def runs_of(journal: JournalReader, verb: str) -> list[RunRecord]:
    """Return the runs of a verb that were made here, newest first; what came with an import may lie."""
    return [
        item
        for item in journal.log(limit=LOOKED_AT)
        if item.verb == verb and not is_adopted(item.detail)
    ]


def is_undone(journal: JournalReader, record: RunRecord) -> bool:
    """Say whether a run was taken back; an undo that was itself taken back does not count."""
    taken_back = False
    while record.undone_by:
        record = journal.record(record.undone_by)
        taken_back = not taken_back
    return taken_back
