"""The checksum of each row of the journal: a row that does not agree with its own is not believed.

Rules
- Every row has one. A journal of an older version gets them when it is first opened for writing.
- A damaged row stays where it is, for a person to see and for an erasure to find; it is passed over wherever
  rows are read, and `verify` tells of it.
- Whoever changes a row writes its checksum anew, but not that of a row that was damaged before: a change
  must not make damage look whole.
- A damaged tree of rows can lead to another row than the one that was looked for, whole as it is. So queries
  say `x = ? AND +x = ?`: the second is asked of the row itself.
- The queries ask `intact(...)`, which SQLite asks us. A hook uses it too, so this imports almost nothing.
"""

from __future__ import annotations

import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Final

COLUMNS: Final = {
    "run": ("seq", "id", "at", "verb", "status", "session", "turn", "origin", "client", "note", "undoes",
            "detail", "catalogs"),
    "change": ("run", "position", "path", "before", "after", "private"),
    "file_state": ("path", "hash", "at", "signature"),
    "version": ("path", "hash", "at"),
}  # fmt: skip
KEYS: Final = {
    "run": ("seq",),
    "change": ("run", "position"),
    "file_state": ("path",),
    "version": ("path", "hash"),
}
FUNCTION: Final = "row_sum"


def row_sum(*values: object) -> int:
    """Return the checksum of a row's values, given as they are or as their bytes."""
    return zlib.crc32(b"\x1f".join(map(_bytes, values)))


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    return b"\0" if value is None else str(value).encode("utf-8", "surrogatepass")


def register(db: sqlite3.Connection) -> None:
    """Let a connection's queries ask for checksums."""
    db.create_function(FUNCTION, -1, row_sum, deterministic=True)


def intact(table: str, name: str = "") -> str:
    """Return the condition that a row of a table, called `name` in the query, is as it was written."""
    name = name or table
    return f"{name}.sum IS {_of_row(table, f'{name}.')}"


def _of_row(table: str, prefix: str = "") -> str:
    # As bytes: a letter that is none any more could not be handed over as text.
    return f"{FUNCTION}({', '.join(f'CAST({prefix}{item} AS BLOB)' for item in COLUMNS[table])})"


def seal(
    db: sqlite3.Connection, table: str, where: str = "1", values: Sequence[object] = ()
) -> None:
    """Write the checksums of rows that were just written."""
    db.execute(f"UPDATE {table} SET sum = {_of_row(table)} WHERE {where}", values)  # our names


def insert(
    db: sqlite3.Connection, table: str, row: dict[str, object], *, how: str = "INSERT"
) -> None:
    """Write a row and its checksum. Not for `run`, whose number is given by SQLite."""
    names = COLUMNS[table]
    values = [row[name] for name in names]
    marks = ", ".join("?" * (len(names) + 1))
    db.execute(
        f"{how} INTO {table} ({', '.join(names)}, sum) VALUES ({marks})",
        (*values, row_sum(*values)),
    )


def change(
    db: sqlite3.Connection, table: str, what: str, where: str, values: Sequence[object] = ()
) -> None:
    """Change rows, given as in `UPDATE table SET what WHERE where`; those that were damaged stay so.

    `values` belong to the marks of `what` and then of `where`.
    """
    keys = KEYS[table]
    own = values[what.count("?") :]
    sound = db.execute(
        f"SELECT {', '.join(keys)} FROM {table} WHERE ({where}) AND {intact(table)}",
        own,
    ).fetchall()
    db.execute(f"UPDATE {table} SET {what} WHERE {where}", values)
    for key in sound:
        seal(db, table, " AND ".join(f"{item} IS ?" for item in keys), key)


def damaged(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the rows that are not as they were written: the table, and what the row says it is."""
    found: list[tuple[str, str]] = []
    for table, names in COLUMNS.items():
        shown = "id" if table == "run" else names[0]
        rows = db.execute(f"SELECT {shown} FROM {table} WHERE NOT ({intact(table)})")
        found += [(table, str(row[0])) for row in rows]
    return found
