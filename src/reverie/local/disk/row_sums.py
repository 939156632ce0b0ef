"""A checksum for each row of a SQLite file: a row that does not agree with its own is not believed.

Rules
- Every row has one. A file of an older version gets them when it is first opened for writing.
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
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Final

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


class RowSums:
    """The checksums of the tables of one file."""

    def __init__(
        self, columns: Mapping[str, tuple[str, ...]], keys: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.columns = columns
        self._keys = keys

    def intact(self, table: str, name: str = "") -> str:
        """Return the condition that a row of a table, called `name` in the query, is as it was written."""
        name = name or table
        return f"{name}.sum IS {self._of_row(table, f'{name}.')}"

    def _of_row(self, table: str, prefix: str = "") -> str:
        # As bytes: a letter that is none any more could not be handed over as text.
        values = ", ".join(f"CAST({prefix}{item} AS BLOB)" for item in self.columns[table])
        return f"{FUNCTION}({values})"

    def seal(
        self, db: sqlite3.Connection, table: str, where: str = "1", values: Sequence[object] = ()
    ) -> None:
        """Write the checksums of rows that were just written."""
        db.execute(
            f"UPDATE {table} SET sum = {self._of_row(table)} WHERE {where}", values
        )  # our names

    def add(self, db: sqlite3.Connection) -> None:
        """Give checksums to the rows of a file that had none."""
        for table in self.columns:
            if "sum" not in {row[1] for row in db.execute(f"PRAGMA table_info({table})")}:
                db.execute(f"ALTER TABLE {table} ADD COLUMN sum INTEGER")
                self.seal(db, table)

    def insert(
        self, db: sqlite3.Connection, table: str, row: Mapping[str, object], *, how: str = "INSERT"
    ) -> None:
        """Write a row and its checksum. Not for a row whose number is given by SQLite: `seal` that."""
        names = self.columns[table]
        values = [row[name] for name in names]
        marks = ", ".join("?" * (len(names) + 1))
        db.execute(
            f"{how} INTO {table} ({', '.join(names)}, sum) VALUES ({marks})",
            (*values, row_sum(*values)),
        )

    def change(
        self,
        db: sqlite3.Connection,
        table: str,
        what: str,
        where: str,
        values: Sequence[object] = (),
    ) -> None:
        """Change rows, given as in `UPDATE table SET what WHERE where`; those that were damaged stay so.

        `values` belong to the marks of `what` and then of `where`.
        """
        keys = self._keys[table]
        own = values[what.count("?") :]
        sound = db.execute(
            f"SELECT {', '.join(keys)} FROM {table} WHERE ({where}) AND {self.intact(table)}",
            own,
        ).fetchall()
        db.execute(f"UPDATE {table} SET {what} WHERE {where}", values)
        for key in sound:
            self.seal(db, table, " AND ".join(f"{item} IS ?" for item in keys), key)

    def damaged(self, db: sqlite3.Connection) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield the rows that are not as they were written: the table, and what the row says."""
        for table, names in self.columns.items():
            rows = db.execute(
                f"SELECT {', '.join(names)} FROM {table} WHERE NOT ({self.intact(table)})"
            )
            for row in rows.fetchall():
                yield table, dict(zip(names, row, strict=True))
