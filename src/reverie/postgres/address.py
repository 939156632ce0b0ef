"""Addresses of databases: what is in them before libpq sees it.

Rules
- A password does not belong on a command line; PGPASSWORD, PGPASSFILE and ~/.pgpass are read by libpq.
- libpq repeats in its errors what it could not read, and that may be a piece of a password. So an
  address is taken apart before libpq sees it.
"""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import parse_qsl

import psycopg
from psycopg.conninfo import conninfo_to_dict

from reverie.config import shown_address
from reverie.errors import ConfigError

_PASSWORDS: Final = {"password", "sslpassword"}
# Where the rest of a password that was not escaped ends up.
_ODD: Final = {
    "host": re.compile(r"@"),
    "port": re.compile(r"[^0-9,]"),
    "dbname": re.compile(r"@"),
}


def checked_url(url: str) -> str:
    """Return an address that libpq can read; the error for another one repeats nothing of a password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        parts = None
    if parts is not None and "://" in url and _PASSWORDS & _parameters(url):
        raise ConfigError(
            f"engine.url has a password among its parameters: {shown_address(url)}. Proxies and logs"
            " keep those; use PGPASSWORD, PGPASSFILE or ~/.pgpass"
        )
    if parts is not None and not any(
        _ODD[name].search(str(parts.get(name) or "")) for name in _ODD
    ):
        return url
    raise ConfigError(
        f"engine.url cannot be read: {shown_address(url)}. It looks like postgresql://user@host/database;"
        " a character such as @ : / ? # or % in a password is written %40 %3A %2F %3F %23 or %25"
    )


def lively(url: str, lease_seconds: float) -> dict[str, Any]:
    """Return what lets a connection notice within some leases that the other machine is gone.

    The system's own limits are two hours for one that waits, a quarter of an hour for one that sends. What
    the address says itself is left as it is; on a Unix socket nothing of this counts.
    """
    seconds = max(int(lease_seconds), 1)
    wanted = {
        "keepalives_idle": seconds,
        "keepalives_interval": max(seconds // 3, 1),
        "keepalives_count": 3,
        "tcp_user_timeout": seconds * 2000,
    }
    given = conninfo_to_dict(url)
    return {name: value for name, value in wanted.items() if name not in given}


def _parameters(url: str) -> set[str]:
    """Return the names of an address's parameters as libpq reads them, however they are written."""
    return {name for name, _ in parse_qsl(url.partition("?")[2], keep_blank_values=True)}
