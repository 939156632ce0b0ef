"""The checksums of the journal's rows.

A damaged row stays where it is, for a person to see and for an erasure to find; it is passed over wherever
rows are read, and `verify` tells of it.
"""

from __future__ import annotations

from reverie.local.disk.row_sums import RowSums
from reverie.local.disk.row_sums import register as register

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Final

_SUMS: Final = RowSums(
    {
        "run": ("seq", "id", "at", "verb", "status", "session", "turn", "origin", "client", "note",
                "undoes", "detail", "catalogs"),
        "change": ("run", "position", "path", "before", "after", "private"),
        "file_state": ("path", "hash", "at", "signature"),
        "version": ("path", "hash", "at"),
    },
    {
        "run": ("seq",),
        "change": ("run", "position"),
        "file_state": ("path",),
        "version": ("path", "hash"),
    },
)  # fmt: skip
COLUMNS = _SUMS.columns
intact, seal, insert, change, add = _SUMS.intact, _SUMS.seal, _SUMS.insert, _SUMS.change, _SUMS.add


def damaged(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the rows that are not as they were written: the table, and what the row says it is."""
    return [
        (table, str(row["id"] if table == "run" else row[COLUMNS[table][0]]))
        for table, row in _SUMS.damaged(db)
    ]
