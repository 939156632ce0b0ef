"""Which runs brought a file its text, asked of the journal's database by whoever has it open.

A hook asks too, with a connection of its own, so this imports almost nothing.
"""

from __future__ import annotations

from reverie.core.showing import provenance
from reverie.core.text.plain import digest
from reverie.local.journal.row_sums import intact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ARRIVALS = (
    "SELECT run.id, run.origin, run.note, run.at, run.undoes, change.after, run.detail"
    " FROM change JOIN run ON run.id = change.run"
    " WHERE change.path = ?1 AND +change.path = ?1 AND +run.id = change.run"
    f" AND run.status IN ('done', 'pending') AND {intact('run')} AND {intact('change')}"
    " ORDER BY run.seq DESC"
)

_LATER_IMPORTS = (
    "SELECT max(seq), max(origin = 'import' OR instr(detail, '" + provenance.MARK + "'))"
    " FROM run WHERE seq > ?"
)
"""Damaged rows included: whether one counts is asked when it comes to it."""


def imported(db: Any, path: str, text: str) -> str:
    """Tell from where and when a file's text was imported; empty when it was not."""
    return provenance.imported(db.execute(_ARRIVALS, (path,)).fetchall(), digest(text))


class Imports:
    """Whether a journal knows of anything that was imported, as one connection has found out so far."""

    def __init__(self, db: Any) -> None:
        self.db = db
        self._looked_to = 0
        self._any = False

    def has_any(self) -> bool:
        """Look through the runs that came since the last time; numbers of runs only grow."""
        if not self._any:
            last, any_now = self.db.execute(_LATER_IMPORTS, (self._looked_to,)).fetchone()
            self._looked_to = last or self._looked_to
            self._any = bool(any_now)
        return self._any
