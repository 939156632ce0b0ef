"""Which runs brought a file its text, asked of the journal's database by whoever has it open.

A hook asks too, with a connection of its own, so this imports almost nothing.
"""

from __future__ import annotations

from reverie.core.showing import provenance
from reverie.core.text.plain import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ARRIVALS = (
    "SELECT run.id, run.origin, run.note, run.at, run.undoes, change.after, run.detail"
    " FROM change JOIN run ON run.id = change.run"
    " WHERE change.path = ? AND run.status IN ('done', 'pending') ORDER BY run.seq DESC"
)
_WORDS = (0, 1, 2, 3, 4, 6)  # the columns that are texts in every row that is not damaged


def imported(db: Any, path: str, text: str) -> str:
    """Tell from where and when a file's text was imported; empty when it was not."""
    rows = db.execute(_ARRIVALS, (path,)).fetchall()
    whole = [row for row in rows if all(isinstance(row[at], str) for at in _WORDS)]
    return provenance.imported(whole, digest(text))
