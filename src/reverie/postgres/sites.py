"""The directory: which servers there are, and on which of them a tenant is.

Rules
- The server that a URL names is asked first; it is the directory. A tenant of which it says nothing is
  on that server itself, which is called `home`.
- A server is registered by its address alone. Whoever connects does so as the role, and with the
  password, by which it came to the directory; so nobody's password is kept in a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from psycopg.conninfo import conninfo_to_dict

from reverie.config import shown_address
from reverie.errors import Conflict, InvalidInput, NotFound
from reverie.postgres.address import checked_url
from reverie.postgres.admin import owner_connection
from reverie.postgres.database import database_for, give_back

if TYPE_CHECKING:
    from reverie.config import EngineSettings
    from reverie.postgres.database import Connection, Database

HOME: Final = "home"
"""What the directory's own server is called."""
FIRST_RELEASE: Final = 5
"""The first release whose daemons ask on which server a tenant is."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}\Z")
_WHERE: Final = ("host", "hostaddr", "port", "dbname")


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """A server of the directory."""

    name: str
    url: str
    tenants: int


def address_of(own: str, server: str) -> str:
    """Return another server's URL for whoever comes to the directory by the URL `own`."""
    if not server:
        return own
    mine = {key: value for key, value in conninfo_to_dict(own).items() if key not in _WHERE}
    parts = {**mine, **conninfo_to_dict(server)}
    person = quote(str(parts.pop("user", "")), safe="")
    password = parts.pop("password", None)
    if password is not None:
        person += f":{quote(str(password), safe='')}"
    database = quote(str(parts.pop("dbname", "")), safe="")
    more = urlencode({key: str(value) for key, value in parts.items()}, quote_via=quote)
    return f"postgresql://{person}{'@' if person else ''}/{database}?{more}"


def sites(directory: Database, tenants: Sequence[str]) -> dict[str, str]:
    """Return the addresses of the servers of some tenants; those that are at home are left out."""
    with directory.unbound() as db:
        rows = db.execute("SELECT tenant, url FROM reverie.sites(%s)", (list(tenants),)).fetchall()
    return dict(rows)


def servers(directory: Database) -> dict[str, str]:
    """Return the addresses of all servers but the directory's own, by their names."""
    with directory.unbound() as db:
        return dict(db.execute("SELECT name, url FROM reverie.servers()").fetchall())


def open_database(settings: EngineSettings) -> tuple[Database, EngineSettings, str]:
    """Open the database that a tenant is in; return it, the settings that lead to it, and its address.

    The address is that of the directory's table, empty for its own server.
    """
    directory = database_for(settings)
    try:
        address = sites(directory, [settings.tenant]).get(settings.tenant, "")
        if not address:
            return directory, settings, ""
        there = replace(settings, url=address_of(settings.url, address))
        found = database_for(there)
    except BaseException:
        give_back(settings)
        raise
    give_back(settings)
    return found, there, address


# --- for administrators -----------------------------------------------------------------------------


def add_server(db: Connection, name: str, url: str) -> None:
    """Register a server, or give a registered one another address."""
    if not _NAME.match(name) or name == HOME:
        raise InvalidInput(
            f"{name!r} cannot name a server: up to 63 small letters, digits and -, and not `{HOME}`"
        )
    parts = conninfo_to_dict(checked_url(url))
    if "user" in parts or any("password" in key for key in parts):
        raise InvalidInput(
            f"{shown_address(url)}: name the server alone, as in postgresql://db2.example/reverie;"
            " everybody connects as the role, and with the password, that they use for the directory"
        )
    if not (parts.get("host") or parts.get("hostaddr")) or not parts.get("dbname"):
        raise InvalidInput(f"{shown_address(url)} names no host or no database")
    db.execute("UPDATE reverie.release SET oldest = greatest(oldest, %s)", (FIRST_RELEASE,))
    db.execute(
        "INSERT INTO reverie.server (name, url) VALUES (%s, %s)"
        " ON CONFLICT (name) DO UPDATE SET url = excluded.url",
        (name, url),
    )


def remove_server(db: Connection, name: str) -> None:
    """Forget a server that no tenant is on, or on the way to or from."""
    known = next((server for server in list_servers(db) if server.name == name), None)
    if known is None:
        raise NotFound(f"there is no server {name!r}")
    if known.tenants:
        raise Conflict(f"{known.tenants} tenants are on {name!r}; move them first")
    db.execute("DELETE FROM reverie.server WHERE name = %s", (name,))


def list_servers(db: Connection) -> list[ServerInfo]:
    """List the servers, and how many tenants are on each or on the way to or from it."""
    rows = db.execute(
        "SELECT s.name, s.url, (SELECT count(*) FROM reverie.site t"
        " WHERE s.name IN (t.server, t.target, t.former)) FROM reverie.server s ORDER BY s.name"
    )
    return [ServerInfo(*row) for row in rows]


def server_address(db: Connection, name: str) -> str:
    """Return the address of a server by its name; empty for the directory's own."""
    if name == HOME:
        return ""
    row = db.execute("SELECT url FROM reverie.server WHERE name = %s", (name,)).fetchone()
    if row is None:
        raise NotFound(f"there is no server {name!r}; `reverie postgres server list` shows them")
    return str(row[0])


def site_of(db: Connection, tenant: str) -> str:
    """Return the name of the server that a tenant is on."""
    row = db.execute("SELECT server FROM reverie.site WHERE tenant = %s", (tenant,)).fetchone()
    return str(row[0]) if row else HOME


@contextmanager
def tenant_connections(url: str, tenant: str) -> Iterator[list[Connection]]:
    """Connect as the owner to the directory and, last, to the server that a tenant is on."""
    with ExitStack() as stack:
        directory = stack.enter_context(owner_connection(url))
        directory.execute("SELECT set_config('reverie.tenant', %s, true)", (tenant,))
        address = server_address(directory, site_of(directory, tenant))
        if not address:
            yield [directory]
            return
        yield [directory, stack.enter_context(owner_connection(address_of(url, address)))]
