"""Many steps, one flush: steps of several threads that wait for the same file are committed together.

Rules
- A step ends only after the commit that holds it: whoever was answered finds it after a crash.
- A step that fails takes itself back and nobody else's. A commit that fails is told to all who are in it.
- Nobody waits for company: what is committed together are the steps that had to wait for the file anyway.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

_MOST: Final = 64
"""How many steps are committed together; the first of them waits for all."""


@dataclass(slots=True, eq=False)
class _Batch:
    """Steps that are committed together."""

    db: sqlite3.Connection
    steps: int = 0
    over: bool = False
    error: Exception | None = None


class GroupCommit:
    """The turns and steps of the threads that share one connection, and its lock."""

    def __init__(self) -> None:
        self.guard = threading.Condition(threading.RLock())
        """Held by whoever uses the connection; given back while a step waits for its commit."""
        self._counting = threading.Lock()
        self._waiting = 0
        self._batch: _Batch | None = None
        self.steps = 0
        self.commits = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the connection, to take a step with it."""
        with self._counting:
            self._waiting += 1
        with self.guard:
            with self._counting:
                self._waiting -= 1
            try:
                yield
            finally:
                self._commit_if_last()  # this one came to no step, and others rely on it

    @contextmanager
    def step(self, db: sqlite3.Connection) -> Iterator[None]:
        """Write as one step, or not at all; return when it is on the disk."""
        if self._batch is None:
            db.execute("BEGIN IMMEDIATE")
            self._batch = _Batch(db)
        batch = self._batch
        try:
            db.execute("SAVEPOINT step")
            yield
            db.execute("RELEASE step")
        except BaseException:
            with suppress(sqlite3.Error):  # a broken file has nothing to take back
                db.execute("ROLLBACK TO step")
                db.execute("RELEASE step")
            raise
        batch.steps += 1
        self.steps += 1
        self._commit_if_last()
        while not batch.over:
            self.guard.wait()
        if batch.error is not None:
            raise batch.error

    def abandon(self, error: Exception) -> None:
        """Tell all whose steps are not committed that they are lost: the file is replaced."""
        if self._batch is not None:
            self._end(self._batch, error)

    def _commit_if_last(self) -> None:
        """Commit, unless somebody who waits for the connection will do it."""
        batch = self._batch
        if batch is None or (self._waiting and batch.steps < _MOST):
            return
        try:
            batch.db.execute("COMMIT" if batch.steps else "ROLLBACK")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                batch.db.execute("ROLLBACK")
            self._end(batch, error)
        else:
            self.commits += bool(batch.steps)
            self._end(batch, None)

    def _end(self, batch: _Batch, error: Exception | None) -> None:
        batch.over, batch.error = True, error
        self._batch = None
        self.guard.notify_all()
