"""A small database that can be thrown away: in memory while it is used, in an `indexfile` on the disk.

Rules
- A commit appends what it changed, or replaces the file; nobody ever sees half of one.
- One writer at a time, by a lock that the caller holds. Readers need no lock and write nothing.
- A record is JSON: whatever else stands in a file of that name can be read wrongly, but does nothing.
- Made for something else, damaged or gone: it is broken, and started afresh from the files it is about.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from reverie.errors import FileFailed, StoreError
from reverie.local.disk.os_errors import explained
from reverie.local.disk.throwaway import IndexFile

__all__ = ["SnapshotDb", "read_rows"]

_MANY_ROWS: Final = 20_000  # a commit of more is written as a new image at once


class SnapshotDb:
    """One state of the database, and the file it is kept in.

    Args:
        error: What to raise when the file is broken.
        kept: False: what is written stays in memory, because the file cannot be written.
    """

    def __init__(
        self, path: Path, *, error: type[StoreError] = StoreError, kept: bool = True
    ) -> None:
        self.path = path
        self.kept = kept
        self._changes: list[tuple[str, list[Sequence[object]]]] = []
        self._rows = 0
        self.loads = 0
        """How often a whole state was read: more than once, if the file was replaced."""
        self._file = IndexFile(path, error)
        self.db = _empty()
        try:
            with self.checked():
                found = self._file.all()
                if found is None or found.image is None:
                    self.begin()
                else:
                    self._load(found.image, found.records)
        except BaseException:
            self.db.close()
            raise

    def begin(self) -> None:
        """Make the tables of an empty database."""

    def fits(self) -> bool:
        """Say whether a database that was read is of this version and made for this use."""
        return True

    def _load(self, image: memoryview, records: Iterable[memoryview]) -> None:
        self.db.close()
        self.db = _empty()
        self.db.deserialize(image)
        self.loads += 1
        self.db.execute("PRAGMA secure_delete = ON")  # what is forgotten is not left in free pages
        if not self.fits():
            raise self._file.broken("was made for something else")
        self._replay(records)

    def _replay(self, records: Iterable[memoryview]) -> None:
        for record in records:
            self.db.execute("BEGIN")
            try:
                for statement, rows in json.loads(bytes(record)):
                    self.db.executemany(statement, map(_read_row, rows))
            except (ValueError, TypeError, IndexError, RecursionError) as error:
                raise self._file.broken(f"is damaged ({error})") from error
            self.db.execute("COMMIT")

    def refresh(self) -> None:
        """Take in what other processes and threads committed since."""
        if not self.kept:
            return
        with self.checked():
            more = self._file.more()
            if more is not None and more.image is not None:
                self._load(more.image, more.records)
            elif more is not None:
                self._replay(more.records)

    def _write(self, *, whole: bool) -> None:
        """Put on the disk what a transaction changed."""
        changes, self._changes = self._changes, []
        rows, self._rows = self._rows, 0
        if not self.kept or not (changes or whole):
            return
        with explained(self.path):
            at_once = whole or rows > _MANY_ROWS
            if at_once or not self._file.append(_written(changes)):
                self._file.replace(self.db.serialize())

    def settle(self) -> None:
        """Leave few records behind: an image is read faster."""
        if self._file.is_long():
            with self.checked():
                self._write(whole=True)

    def rewrite(self) -> None:
        """Write the whole state anew: nothing that was removed is left in any record."""
        with self.checked():
            self.db.execute("VACUUM")
            self._write(whole=True)

    def version(self) -> int:
        """Return which version of the tables this is."""
        return int(self.db.execute("PRAGMA user_version").fetchone()[0])

    def close(self) -> None:
        """Let go of the memory."""
        self.db.close()

    def replaced(self) -> bool:
        """Say whether the file was thrown away."""
        return self.kept and self._file.is_gone()

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Name errors: a full or read-only disk as such, everything else as broken."""
        try:
            with explained(self.path):
                yield
        except FileFailed as error:
            if not isinstance(error.__cause__, sqlite3.OperationalError):
                raise
            raise self._file.broken(f"is damaged ({error.__cause__})") from error
        except sqlite3.Error as error:
            raise self._file.broken(f"is damaged ({error})") from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Change several rows as one step."""
        with self.checked():
            self.db.execute("BEGIN")
            try:
                yield
            except BaseException:
                self._changes, self._rows = [], 0
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise
            self.db.execute("COMMIT")
            self._write(whole=False)

    def change(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Change rows, and note it for the record of this transaction."""
        made = list(rows)
        self.db.executemany(statement, made)
        self._rows += len(made)
        if made and self._rows <= _MANY_ROWS:
            self._changes.append((statement, made))

    def make(self, schema: str, version: int) -> None:
        """Make tables."""
        self.db.execute("PRAGMA secure_delete = ON")
        for statement in schema.split(";"):
            if statement.strip():
                self.db.execute(statement)
        self.db.execute(f"PRAGMA user_version = {version}")


def read_rows(path: Path, queries: Sequence[str]) -> list[str] | None:
    """Return what queries find as texts; None when there is nothing that can be read."""
    try:
        with closing(SnapshotDb(path, kept=False)) as found:
            rows: Iterator[tuple[Any, ...]] = (
                row for query in queries for row in found.db.execute(query)
            )
            return [str(value) for row in rows for value in row if value]
    except (StoreError, sqlite3.Error):
        return None


def _written(changes: Sequence[tuple[str, Sequence[Sequence[object]]]]) -> bytes:
    """Write down what a transaction changed; bytes, which JSON has not, as a list of one text."""
    return json.dumps(changes, separators=(",", ":"), default=_as_list).encode()


def _as_list(value: object) -> list[str]:
    return [memoryview(value).hex()]  # type: ignore[arg-type]  # a `TypeError` for what is no bytes


def _read_row(row: Sequence[Any]) -> list[Any]:
    return [bytes.fromhex(value[0]) if type(value) is list else value for value in row]


def _empty() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
