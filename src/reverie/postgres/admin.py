"""What the owner of the tables does: migrate them, make and remove tenants, tend large workspaces."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import sql

from reverie.errors import InvalidInput, Locked, NotFound
from reverie.postgres.address import checked_url
from reverie.postgres.database import explained

if TYPE_CHECKING:
    from reverie.postgres.database import Connection

TABLES: Final = (
    "file", "content", "run", "change", "version", "state", "log", "turn", "head", "task", "session",
    "event", "space", "lane", "document", "chunk", "vector", "token",
    "topic", "posting", "lease", "quota", "passage_word", "shelf", "site", "residence",
)  # fmt: skip
_TRIES: Final = 20
_PAUSE_SECONDS: Final = 1.0
_LOCK_MILLISECONDS: Final = 2000
_UNFINISHED: Final = (
    "SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = %s"
    " AND c.relnamespace = 'reverie'::regnamespace AND NOT i.indisvalid AND NOT EXISTS"
    " (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid)"
)
_MIGRATIONS: Final = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class Migrated:
    """Which schema there was, and which there is."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TenantInfo:
    """A tenant by its numbers."""

    tenant: str
    users: int
    projects: int
    """Those of a tenant on another server are known here by their tokens."""
    tokens: int
    server: str


@contextmanager
def owner_connection(url: str) -> Iterator[Connection]:
    """Connect as the owner of the tables; everything done is one transaction."""
    with explained(), psycopg.connect(checked_url(url)) as connection:
        connection.execute("SET search_path = reverie, public, pg_temp")
        yield connection


def migrate(url: str, *, target: str = "head", partitions: int = 0) -> Migrated:
    """Bring the schema to a version, by default the newest.

    A new database can be made in parts by tenant (`partitions`): each is vacuumed and indexed by itself.

    A change of a table waits for everybody who reads it, and everybody who comes later waits for the
    change. So it waits for a moment only, lets the others through, and tries again.
    """
    for _ in range(_TRIES - 1):
        try:
            return _migrate(url, target, partitions)
        except Locked:
            time.sleep(_PAUSE_SECONDS)
    try:
        return _migrate(url, target, partitions)
    except Locked as error:
        raise Locked(
            f"another transaction has used the tables throughout {_TRIES} tries, so nothing was"
            " migrated; end it (pg_stat_activity names it), then migrate again"
        ) from error


def _migrate(url: str, target: str, partitions: int) -> Migrated:
    from alembic import command
    from alembic.config import Config
    from alembic.runtime.migration import MigrationContext
    from sqlalchemy import create_engine, text
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    def connect() -> Any:
        return psycopg.connect(checked_url(url))

    engine = create_engine("postgresql+psycopg://", creator=connect, poolclass=NullPool)
    try:
        with explained(), engine.connect() as connection:
            connection.execute(text("CREATE SCHEMA IF NOT EXISTS reverie"))
            connection.commit()
            connection.execute(text(f"SET lock_timeout = '{_LOCK_MILLISECONDS}ms'"))
            # One migration at a time, whoever starts it.
            connection.execute(text("SELECT pg_advisory_lock(7236540181)"))
            options = {"version_table_schema": "reverie"}
            known = MigrationContext.configure(connection, opts=options)
            before = known.get_current_revision() or ""
            config = Config()
            config.set_main_option("script_location", str(_MIGRATIONS))
            config.attributes["connection"] = connection
            config.attributes["partitions"] = partitions
            if partitions and before:
                raise InvalidInput(
                    "the database has tables already, and they are not taken apart afterwards; make a"
                    " new one with partitions and move the memories there"
                )
            command.upgrade(config, target)
            connection.commit()
            after = MigrationContext.configure(connection, opts=options).get_current_revision()
            connection.execute(text("SELECT pg_advisory_unlock(7236540181)"))
            connection.commit()
    except DBAPIError as error:
        with explained():
            raise (error.orig or error) from None
    finally:
        engine.dispose()
    return Migrated(before, after or "")


def make_service_role(url: str, name: str, *, password: str = "") -> bool:
    """Make a role that may log in and is held by every policy; say whether it was not there."""
    with explained(), psycopg.connect(checked_url(url)) as db:
        known = db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (name,)).fetchone()
        role = sql.Identifier(name)
        if known is None:
            db.execute(sql.SQL("CREATE ROLE {} LOGIN NOBYPASSRLS").format(role))
        if password:
            db.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(role, sql.Literal(password)))
        db.execute(sql.SQL("GRANT reverie_app TO {}").format(role))
    return known is None


def list_tenants(db: Connection) -> list[TenantInfo]:
    """List the tenants that have a token or a memory."""
    rows = db.execute(
        "SELECT tenant, count(DISTINCT owner), count(DISTINCT (owner, project)) FILTER"
        " (WHERE project <> ''), (SELECT count(*) FROM token t WHERE t.tenant = named.tenant"
        " AND (t.revoked IS NULL OR t.revoked > now())), coalesce((SELECT s.server FROM site s"
        " WHERE s.tenant = named.tenant), 'home') FROM (SELECT tenant, owner, project FROM space"
        " UNION SELECT tenant, owner, project FROM token) AS named GROUP BY tenant ORDER BY tenant"
    )
    return [TenantInfo(*row) for row in rows]


def remove_tenant(databases: Sequence[Connection], tenant: str) -> int:
    """Delete everything a tenant has, on its server and in the directory; return how many rows."""
    if not tenant:
        raise InvalidInput("name the tenant to remove")
    rows = 0
    for db in databases:
        db.execute("SELECT set_config('reverie.tenant', %s, true)", (tenant,))
        for table in TABLES:
            statement = sql.SQL("DELETE FROM reverie.{} WHERE tenant = %s").format(
                sql.Identifier(table)
            )
            rows += db.execute(statement, (tenant,)).rowcount
    if not rows:
        raise NotFound(f"there is no tenant {tenant!r}")
    return rows


@dataclass(frozen=True, slots=True)
class Tuned:
    """A workspace that is large enough for an index of its own, and that index."""

    tenant: str
    owner: str
    project: str
    vectors: int
    index: str


def tune(url: str, *, above: int) -> list[Tuned]:
    """Give every workspace with more vectors than `above` an approximate index of its own.

    A shared index would look at every tenant's vectors and throw most of them away afterwards.
    """
    done: list[Tuned] = []
    with explained(), psycopg.connect(checked_url(url), autocommit=True) as db:
        rows = db.execute(
            "SELECT tenant, owner, project, count(*), max(vector_dims(embedding)), (SELECT relname"
            " FROM pg_class WHERE oid = max(v.tableoid::bigint)::oid) FROM reverie.vector v"
            " GROUP BY 1, 2, 3 HAVING count(*) > %s AND min(vector_dims(embedding)) ="
            " max(vector_dims(embedding)) ORDER BY 1, 2, 3",
            (above,),
        ).fetchall()
        # Of a table in parts, the part of the tenant: an index of all cannot be made beside writers.
        for tenant, owner, project, count, dimension, table in rows:
            text = "\x1f".join((tenant, owner, project, str(dimension)))
            name = f"vector_near_{hashlib.sha256(text.encode()).hexdigest()[:20]}"
            # One whose making was cut off is there, costs every write, and answers nobody.
            if db.execute(_UNFINISHED, (name,)).fetchone():
                db.execute(
                    sql.SQL("DROP INDEX CONCURRENTLY reverie.{}").format(sql.Identifier(name))
                )
            db.execute(
                sql.SQL(
                    "CREATE INDEX CONCURRENTLY IF NOT EXISTS {} ON reverie.{} USING hnsw"
                    " ((embedding::public.halfvec({})) public.halfvec_ip_ops)"
                    " WHERE tenant = {} AND owner = {} AND project = {}"
                ).format(
                    sql.Identifier(name), sql.Identifier(table), sql.Literal(dimension), sql.Literal(tenant),
                    sql.Literal(owner), sql.Literal(project),
                )
            )  # fmt: skip
            done.append(Tuned(tenant, owner, project, count, name))
    return done
