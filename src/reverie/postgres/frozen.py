"""Ends what processes that stand still hold, so that nobody waits for them longer than a lease.

Rules
- The server's own limit for transactions that stand still (idle_in_transaction_session_timeout) does not
  see ours: they are pipelined, and to the server a pipeline is one request that is still being sent. So
  whoever is alive looks for those that have said nothing for longer than their own lease.
- Only what keeps others waiting is ended: a transaction that holds rows. One that reads may take its time.
- Who computes is not taken for frozen: while a transaction is open for long, its process gives a sign of
  life on a connection beside the pool.
- Connections say in their names that they are ours, how long their lease is, and whose they are; no other
  is touched.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, Final

import psycopg

_BEATS_PER_LEASE: Final = 3
_NAMED: Final = r"\(lease ([0-9]+) ms, [0-9a-f]+\)$"
_NAME: Final = (
    "SELECT set_config('application_name', left(coalesce(nullif(current_setting('application_name'),"
    " ''), 'reverie'), 30) || %s, false)"
)
_END: Final = (
    "WITH ours AS (SELECT pid, application_name AS process, state_change, backend_xid IS NOT NULL"
    " AND wait_event_type = 'Client' AS holds, clock_timestamp()"
    " - substring(application_name FROM %s)::bigint * %s AS late FROM pg_stat_activity"
    " WHERE datname = current_database() AND usename = session_user)"
    " SELECT pg_terminate_backend(pid) FROM ours WHERE holds AND state_change < late"
    " AND pid <> pg_backend_pid() AND NOT EXISTS (SELECT FROM ours AS other"
    " WHERE other.process = ours.process AND other.state_change >= ours.late)"
)


class SignsOfLife:
    """Names the connections of a process, and shows that it lives while a transaction takes long."""

    def __init__(self, url: str, lease_seconds: float) -> None:
        self._url = url
        self._every = lease_seconds / _BEATS_PER_LEASE
        self._name = f" (lease {int(lease_seconds * 1000)} ms, {secrets.token_hex(6)})"
        self._changed = threading.Condition()
        self._open: dict[object, float] = {}
        """When each transaction began."""
        self._closed = False
        self._thread: threading.Thread | None = None

    def name(self, connection: psycopg.Connection[Any]) -> None:
        """Let a connection say whose it is."""
        connection.execute(_NAME, [self._name])

    @contextmanager
    def during(self) -> Iterator[None]:
        """Say that a transaction is open."""
        key = object()
        with self._changed:
            self._open[key] = time.monotonic()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="signs-of-life", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._changed:
                del self._open[key]

    def close(self) -> None:
        """Give no more signs."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        connection: psycopg.Connection[Any] | None = None
        while self._waited():
            if not self._takes_long():
                _hang_up(connection)
                connection = None
                continue
            try:
                if connection is None:
                    connection = psycopg.connect(self._url, autocommit=True)
                    self.name(connection)
                connection.execute("SELECT 1")
            except psycopg.Error:  # there is another beat before the lease is over
                _hang_up(connection)
                connection = None
        _hang_up(connection)

    def _waited(self) -> bool:
        """Wait until the next sign is due; false when none is, and the thread ends."""
        with self._changed:
            self._changed.wait(self._every)
            if self._open and not self._closed:
                return True
            self._thread = None
            return False

    def _takes_long(self) -> bool:
        with self._changed:
            begun = min(self._open.values(), default=time.monotonic())
        return time.monotonic() - begun >= self._every


def _hang_up(connection: psycopg.Connection[Any] | None) -> None:
    if connection is not None:
        with suppress(psycopg.Error):
            connection.close()


def end_frozen(connection: psycopg.Connection[Any]) -> int:
    """End what processes that have said nothing for longer than their lease hold; count the transactions."""
    rows = connection.execute(_END, [_NAMED, timedelta(milliseconds=1)])
    return sum(bool(ended) for (ended,) in rows)
