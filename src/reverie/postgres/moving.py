"""Moving a tenant to another server while everybody else works, and itself reads.

Rules
- The directory's row of the tenant (`site`) is the journal: `target` says where a move is going, `former`
  what is still to be cleaned up. The same command again goes on from there, wherever it was killed.
- The source refuses writes first, and the copy begins when every transaction that could still write has
  ended; so what was accepted is in the copy, and nothing can be added to what was copied already.
- Turning the directory's row is the moment of the move. Before it everything can be taken back; after
  it the source serves nobody before the target serves anybody, so nobody reads an older state.
- What fails before that moment is taken back at once: the tenant is where it was, and writes again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import psycopg
from psycopg import sql

from reverie.errors import Conflict, EngineOutdated, Locked, NotFound, StoreError
from reverie.postgres.address import checked_url
from reverie.postgres.admin import TABLES
from reverie.postgres.database import explained
from reverie.postgres.events import TASKS_CHANNEL
from reverie.postgres.place import Place
from reverie.postgres.sites import HOME, address_of, server_address

if TYPE_CHECKING:
    from reverie.postgres.database import Connection

_STAYS: Final = frozenset({"token", "lease", "quota", "site", "residence"})
"""What is the directory's, or means this server alone."""
_MOVED: Final = tuple(name for name in TABLES if name not in _STAYS)
_NUMBERED: Final = (("run", "seq"), ("log", "id"), ("task", "seq"))
_SPARE: Final = 10_000
"""Numbers left free, for what others take while a sequence is looked at and set."""
_WAIT_SECONDS: Final = 120.0
_LOOK_SECONDS: Final = 0.02
_LIVING: Final = (
    "SELECT l.virtualtransaction FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
    " WHERE l.locktype = 'virtualxid' AND l.virtualxid = l.virtualtransaction"
    " AND a.datname = current_database() AND a.usename IS NOT NULL AND a.pid <> pg_backend_pid()"
    " AND pg_has_role(a.usename, 'reverie_app', 'MEMBER')"
)
_SUM: Final = sql.SQL(
    "SELECT count(*), coalesce(sum(('x' || left(md5(t::text), 15))::bit(60)::bigint::numeric), 0)"
    " FROM (SELECT {} FROM {} WHERE tenant = {}) AS t"
)
Outcome = Literal["moved", "taken back", "there already"]


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of a move."""

    tenant: str
    source: str
    server: str
    """Where the tenant is now."""
    rows: int
    outcome: Outcome


def move_tenant(
    url: str, tenant: str, to: str, *, reached: Callable[[str], None] = lambda _: None
) -> Moved:
    """Move a tenant to a server of the directory, or finish or take back a move that was cut off.

    Args:
        url: The directory, as the owner of its tables, who owns the tables of every server.
        tenant: Whom to move.
        to: The name of the server. The one it is on takes back a move that has not happened yet.
        reached: Told the name of each step once it is done.
    """
    with _connected(url, tenant) as directory, _alone(directory, tenant):
        site = _Site(directory, tenant)
        server_address(directory, to)  # before anything is touched: is there such a server?
        site.check_known()
        move = _Move(url, site, reached)
        if site.former:
            move.finish()
        if to == site.server:
            source, pending = site.server, site.target
            if pending:
                move.take_back()
            return Moved(tenant, source, to, 0, "taken back" if pending else "there already")
        if site.target and site.target != to:
            raise Conflict(
                f"{tenant!r} is on its way to {site.target!r}; finish that move first, or take it back"
                f" with --to {site.server}"
            )
        source = site.server
        rows = move.run(to)
        return Moved(tenant, source, to, rows, "moved")


@contextmanager
def _connected(url: str, tenant: str) -> Iterator[Connection]:
    """Connect as the owner, for one tenant, with texts that are the same on every server."""
    with explained(), psycopg.connect(checked_url(url), autocommit=True) as db:
        db.execute("SET search_path = reverie, public, pg_temp")
        for name, value in (
            ("TimeZone", "UTC"),
            ("DateStyle", "ISO"),
            ("bytea_output", "hex"),
            ("extra_float_digits", "3"),
            ("reverie.tenant", tenant),
        ):
            db.execute("SELECT set_config(%s, %s, false)", (name, value))
        yield db


@contextmanager
def _alone(directory: Connection, tenant: str) -> Iterator[None]:
    """Let nobody else move the same tenant; the lock ends with the connection at the latest."""
    key = "hashtextextended('reverie move ' || %s, 0)"
    row = directory.execute(f"SELECT pg_try_advisory_lock({key})", (tenant,)).fetchone()
    if not row or not row[0]:
        raise Locked(f"somebody else is moving {tenant!r} now")
    try:
        yield
    finally:
        # The server ends a connection a moment after it was closed; who comes next does not wait for that.
        with suppress(psycopg.Error):
            directory.execute(f"SELECT pg_advisory_unlock({key})", (tenant,))


class _Site:
    """The directory's row of a tenant."""

    def __init__(self, directory: Connection, tenant: str) -> None:
        self._db = directory
        self.tenant = tenant
        row = directory.execute(
            "SELECT server, target, former FROM site WHERE tenant = %s", (tenant,)
        ).fetchone()
        self.server, self.target, self.former = row or (HOME, None, None)

    def check_known(self) -> None:
        row = self._db.execute(
            "SELECT 1 FROM (SELECT tenant FROM token UNION ALL SELECT tenant FROM space UNION ALL"
            " SELECT tenant FROM site) AS known WHERE tenant = %s LIMIT 1",
            (self.tenant,),
        ).fetchone()
        if row is None:
            raise NotFound(f"there is no tenant {self.tenant!r}")

    def write(self, server: str, target: str | None, former: str | None) -> None:
        self._db.execute(
            "INSERT INTO site (tenant, server, target, former) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (tenant) DO UPDATE SET server = excluded.server, target = excluded.target,"
            " former = excluded.former, at = now()",
            (self.tenant, server, target, former),
        )
        self.server, self.target, self.former = server, target, former

    def address(self, name: str) -> str:
        return server_address(self._db, name)

    def quota(self) -> tuple[Any, ...] | None:
        return self._db.execute(
            "SELECT memories, bytes, tasks, workspaces, requests FROM quota WHERE tenant = %s",
            (self.tenant,),
        ).fetchone()


class _Move:
    """The steps, each of which can be done again."""

    def __init__(self, url: str, site: _Site, reached: Callable[[str], None]) -> None:
        self._url = url
        self._site = site
        self._reached = reached
        self._tenant = site.tenant

    @contextmanager
    def _on(self, name: str) -> Iterator[Connection]:
        url = address_of(self._url, self._site.address(name))
        with _connected(url, self._tenant) as db:
            yield db

    def run(self, to: str) -> int:
        site = self._site
        with ExitStack() as stack:
            source = stack.enter_context(self._on(site.server))
            target = stack.enter_context(self._on(to))
            _check_alike(source, target)
            self._check_empty(target)
            site.write(site.server, to, None)
            self._reached("begun")
            try:
                rows = self._copy(source, target)
            except BaseException:
                self.take_back()
                raise
            site.write(to, None, site.server)
            self._reached("turned")
        self.finish()
        return rows

    def _check_empty(self, target: Connection) -> None:
        """Raise when the tenant has memory there that no move brought."""
        if _state(target, self._tenant) == "arriving" or self._site.target:
            return
        row = target.execute("SELECT 1 FROM space WHERE tenant = %s LIMIT 1", (self._tenant,))
        if row.fetchone() is not None:
            raise Conflict(
                f"{self._tenant!r} has memory on that server already; export what is wanted of it and"
                " remove it there first"
            )

    def _copy(self, source: Connection, target: Connection) -> int:
        _mark(target, self._tenant, "arriving")
        self._reached("arriving")
        _mark(source, self._tenant, "leaving")
        self._reached("leaving")
        _wait_for_writers(source)
        self._reached("still")
        rows = 0
        with source.transaction(), target.transaction():
            source.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            _wipe(target, self._tenant, _MOVED)
            for table in _MOVED:
                rows += _copy_table(source, target, table, self._tenant)
            _put_quota(target, self._tenant, self._site.quota())
            _let_go(target, self._tenant)
        _skip_numbers(target, self._tenant)
        self._reached("copied")
        return rows

    def finish(self) -> None:
        """Let the target serve and clean up the source; the directory is turned already."""
        site, former = self._site, self._site.former
        if former is None:
            return
        with self._on(former) as source, self._on(site.server) as target:
            _mark(source, self._tenant, "gone")
            self._reached("gone")
            _mark(target, self._tenant, None)
            _call_for_work(target, self._tenant)
            self._reached("serving")
            left = {"lease"} if former == HOME else {"lease", "quota"}
            with source.transaction():
                _wipe(source, self._tenant, (*_MOVED, *sorted(left)))
            self._reached("cleaned")
        site.write(site.server, None, None)
        self._reached("done")

    def take_back(self) -> None:
        """Leave the tenant where it is, writing again."""
        site, target = self._site, self._site.target
        if target is None:
            return
        with self._on(site.server) as db:
            _mark(db, self._tenant, None)
        with self._on(target) as db:
            with db.transaction():
                _wipe(db, self._tenant, (*_MOVED, "quota") if target != HOME else _MOVED)
            _mark(db, self._tenant, "gone")
        site.write(site.server, None, None)


# --- one server -------------------------------------------------------------------------------------


def _check_alike(source: Connection, target: Connection) -> None:
    """Raise unless both have the same schema."""
    releases = [
        db.execute("SELECT max(version) FROM release").fetchone() for db in (source, target)
    ]
    if releases[0] != releases[1]:
        raise EngineOutdated("the two servers have different schemas; migrate both first")
    with target.transaction():
        target.execute("UPDATE release SET oldest = (SELECT max(oldest) FROM release)")


def _state(db: Connection, tenant: str) -> str | None:
    row = db.execute("SELECT state FROM residence WHERE tenant = %s", (tenant,)).fetchone()
    return str(row[0]) if row else None


def _mark(db: Connection, tenant: str, state: str | None) -> None:
    """Say whether a server serves a tenant; None: it does."""
    if state is None:
        db.execute("DELETE FROM residence WHERE tenant = %s", (tenant,))
        return
    db.execute(
        "INSERT INTO residence (tenant, state) VALUES (%s, %s)"
        " ON CONFLICT (tenant) DO UPDATE SET state = excluded.state",
        (tenant, state),
    )


def _wait_for_writers(db: Connection) -> None:
    """Wait until every transaction that began before the mark was there has ended."""
    end = time.monotonic() + _WAIT_SECONDS
    older = {row[0] for row in db.execute(_LIVING)}
    while older:
        if time.monotonic() > end:
            raise Locked(
                f"a transaction has been open for {_WAIT_SECONDS:.0f} s, so nothing was moved; end it"
                " (pg_stat_activity names it), then move again"
            )
        time.sleep(_LOOK_SECONDS)
        older &= {row[0] for row in db.execute(_LIVING)}


def _wipe(db: Connection, tenant: str, tables: tuple[str, ...]) -> None:
    for table in tables:
        statement = sql.SQL("DELETE FROM {} WHERE tenant = %s").format(_table(table))
        db.execute(statement, (tenant,))


def _copy_table(source: Connection, target: Connection, table: str, tenant: str) -> int:
    """Copy the rows of a tenant and compare what arrived; policies want them to come by INSERT."""
    columns, there = _columns(source, table), _columns(target, table)
    if columns != there:
        raise EngineOutdated(f"the table {table} differs between the servers; migrate both first")
    listed = sql.SQL(", ").join(sql.Identifier(name) for name in columns)
    whose = sql.Literal(tenant)
    passing = sql.Identifier(f"moving_{table}")
    target.execute(
        sql.SQL("CREATE TEMP TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA").format(
            passing, listed, _table(table)
        )
    )
    out = sql.SQL("COPY (SELECT {} FROM {} WHERE tenant = {}) TO STDOUT")
    into = sql.SQL("COPY pg_temp.{} ({}) FROM STDIN")
    with (
        source.cursor().copy(out.format(listed, _table(table), whose)) as reading,
        target.cursor().copy(into.format(passing, listed)) as writing,
    ):
        for block in reading:
            writing.write(block)
    target.execute(
        sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM pg_temp.{}").format(
            _table(table), listed, listed, passing
        )
    )
    left = source.execute(_SUM.format(listed, _table(table), whose)).fetchone()
    arrived = target.execute(_SUM.format(listed, _table(table), whose)).fetchone()
    if left != arrived or arrived is None:
        raise StoreError(f"the rows of {table} did not arrive as they left; nothing was moved")
    return int(arrived[0])


def _columns(db: Connection, table: str) -> list[str]:
    rows = db.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
        " AND NOT attisdropped ORDER BY attname",
        (f"reverie.{table}",),
    )
    return [row[0] for row in rows]


def _table(name: str) -> sql.Identifier:
    return sql.Identifier("reverie", name)


def _put_quota(db: Connection, tenant: str, quota: tuple[Any, ...] | None) -> None:
    if quota is None:
        db.execute("DELETE FROM quota WHERE tenant = %s", (tenant,))
        return
    names = ("memories", "bytes", "tasks", "workspaces", "requests")
    listed = ", ".join(names)
    changed = ", ".join(f"{name} = excluded.{name}" for name in names)
    db.execute(
        f"INSERT INTO quota (tenant, {listed}) VALUES (%s, %s, %s, %s, %s, %s)"
        f" ON CONFLICT (tenant) DO UPDATE SET {changed}",
        (tenant, *quota),
    )


def _let_go(db: Connection, tenant: str) -> None:
    """Let any daemon take the lanes; a task that was running and had written nothing just waits."""
    db.execute(
        "UPDATE lane SET holder = '', until = NULL, generation = generation + 1 WHERE tenant = %s",
        (tenant,),
    )
    db.execute(
        "UPDATE task SET status = 'queued' WHERE tenant = %s AND status = 'running' AND NOT EXISTS"
        " (SELECT FROM run WHERE run.tenant = task.tenant AND run.owner = task.owner"
        " AND run.task = task.id AND run.task <> '')",
        (tenant,),
    )


def _skip_numbers(db: Connection, tenant: str) -> None:
    """Let new numbers follow those that came, for numbers are read as an order."""
    for table, column in _NUMBERED:
        row = db.execute(
            sql.SQL(
                "SELECT max({}), pg_get_serial_sequence(%s, %s) FROM {} WHERE tenant = %s"
            ).format(sql.Identifier(column), _table(table)),
            (f"reverie.{table}", column, tenant),
        ).fetchone()
        if row is None or row[0] is None:
            continue
        highest, sequence = row
        last = db.execute(f"SELECT last_value FROM {sequence}").fetchone()
        if last is None or last[0] < highest + _SPARE:
            db.execute("SELECT setval(%s, %s)", (sequence, highest + 2 * _SPARE))


def _call_for_work(db: Connection, tenant: str) -> None:
    for row in db.execute(
        "SELECT tenant, owner, project FROM lane WHERE tenant = %s AND due", (tenant,)
    ).fetchall():
        db.execute("SELECT pg_notify(%s, %s)", (TASKS_CHANNEL, Place(*row).key))
