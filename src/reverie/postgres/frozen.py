"""Ends what processes that stand still hold, so that nobody waits for them longer than a lease.

Rules
- The server's own limit for transactions that stand still (idle_in_transaction_session_timeout) does not
  see ours: they are pipelined, and to the server a pipeline is one request that is still being sent. So
  whoever is alive looks for those that have said nothing for longer than their own lease.
- Only what keeps others waiting is ended: a transaction that holds rows. One that reads may take its time.
- Connections say in their names that they are ours, and how long their lease is; no other is touched.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import psycopg

_NAMED: Final = r"\(lease ([0-9]+) ms\)$"
_NAME: Final = (
    "SELECT set_config('application_name', left(coalesce(nullif(current_setting('application_name'),"
    " ''), 'reverie'), 40) || %s, false)"
)
_END: Final = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    " AND usename = session_user AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL"
    " AND wait_event_type = 'Client' AND state_change < clock_timestamp()"
    " - substring(application_name FROM %s)::bigint * %s"
)


def name_lease(connection: psycopg.Connection[Any], milliseconds: int) -> None:
    """Let a connection say how long it may hold rows without a word."""
    connection.execute(_NAME, [f" (lease {milliseconds} ms)"])


def end_frozen(connection: psycopg.Connection[Any]) -> int:
    """End transactions that hold rows and have said nothing for longer than their lease; return how many."""
    rows = connection.execute(_END, [_NAMED, timedelta(milliseconds=1)])
    return sum(bool(ended) for (ended,) in rows)
