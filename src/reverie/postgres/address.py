"""Addresses of databases: what is in them before libpq sees it.

Rules
- A password does not belong on a command line; PGPASSWORD, PGPASSFILE and ~/.pgpass are read by libpq.
- libpq repeats in its errors what it could not read, and that may be a piece of a password. So an
  address is taken apart before libpq sees it.
"""

from __future__ import annotations

import re
from typing import Final
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


def _parameters(url: str) -> set[str]:
    """Return the names of an address's parameters as libpq reads them, however they are written."""
    return {name for name, _ in parse_qsl(url.partition("?")[2], keep_blank_values=True)}
