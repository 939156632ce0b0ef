"""The database: a pool of connections, and transactions that are bound to one place.

Rules
- Nothing is read or written outside a transaction that says whose rows it means; the setting ends
  with the transaction, so a connection carries nothing to its next user.
- The service's role must be subject to row-level security. One that could pass it by is refused.
- Statements are pipelined: the server is waited for where an answer is read and at the end, so an
  error may be raised later in its transaction than the statement that made it.
"""

from __future__ import annotations

import math
import selectors
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import psycopg
from psycopg import errors as pg
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from reverie.errors import (
    ConfigError,
    DiskFull,
    EngineOutdated,
    EngineUnavailable,
    EngineUnsafe,
    Locked,
    ReadOnly,
    ReverieError,
    StoreError,
    TenantMoving,
)
from reverie.postgres.address import checked_url, lively
from reverie.postgres.frozen import SignsOfLife, end_frozen

if TYPE_CHECKING:
    from reverie.config import EngineSettings
    from reverie.postgres.place import Place

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
Asked: TypeAlias = psycopg.Cursor[tuple[Any, ...]]
"""Rows that were asked for; reading them is what waits for the server."""
RELEASE: Final = 5
"""The schema this code was written for; it also runs on newer ones that say so."""
MINE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project IN ('', %(project)s)"
"""The condition in our own statements; row-level security repeats it."""
_WAITING_PER_CONNECTION: Final = 8
_PROBE_SECONDS: Final = 2
_MOMENT_SECONDS: Final = 1.0
_ELSEWHERE: Final = "RV001"
"""The state of the error by which `reverie.bind` refuses a tenant that is on another server."""
_MOVING: Final = "this memory is on its way to another server; nothing was written, try again soon"
_Selector: Final = getattr(selectors, "PollSelector", selectors.SelectSelector)
"""The default one is a file of the system's, opened and closed for each use."""
_UNDONE: Final = "the database undid the transaction; nothing was written"


class _Lent(threading.local):
    """The connections that a thread uses now, by what they are bound to."""

    def __init__(self) -> None:
        self.connections: dict[Place, tuple[Connection, psycopg.Pipeline]] = {}


class Database:
    """An open pool. Use `database_for`, which shares one among everything in a process."""

    def __init__(self, settings: EngineSettings) -> None:
        url = self._url = checked_url(settings.url)
        self._lent = _Lent()
        self._signs = SignsOfLife(url, settings.lease_seconds)
        self.before_close: list[Callable[[], None]] = []
        """What is still to be done when the last user is done."""
        self.lease_seconds = settings.lease_seconds
        self._answered = -math.inf
        self._timeouts = int(settings.statement_seconds * 1000)
        try:
            self.pool: ConnectionPool[Connection] = ConnectionPool(
                url,
                min_size=1,
                max_size=max(settings.pool, 2),
                timeout=settings.pool_wait_seconds,
                max_waiting=max(settings.pool, 2) * _WAITING_PER_CONNECTION,
                configure=self._configure,
                # A transaction begins with our own BEGIN, pipelined.
                kwargs={"autocommit": True, **lively(url, settings.lease_seconds)},
                open=False,
                name="reverie",
            )
        except psycopg.ProgrammingError as error:
            raise ConfigError(f"engine.url cannot be used: {type(error).__name__}") from None
        with explained():
            self.pool.open(wait=False)
        try:
            self._check()
        except BaseException:
            self.pool.close()
            raise

    def _configure(self, connection: Connection) -> None:
        # pg_temp last: it would come first by itself, and anybody may make tables there.
        connection.execute("SET search_path = reverie, public, pg_temp")
        connection.execute(f"SET statement_timeout = {self._timeouts}")
        # A frozen process keeps nobody waiting for longer than its lease says that it lives.
        idle = max(int(self.lease_seconds * 1000), 1000)
        connection.execute(f"SET idle_in_transaction_session_timeout = {idle}")
        self._signs.name(connection)

    def close(self) -> None:
        """Close every connection."""
        for finish in self.before_close:
            finish()
        self._signs.close()
        self.pool.close()

    # --- transactions -----------------------------------------------------------------------------

    @contextmanager
    def transaction(
        self, place: Place, *, wait: float | None = None, snapshot: bool = False
    ) -> Iterator[Connection]:
        """Bind a connection to a place for one transaction.

        A transaction inside another one of the same place and thread is a part of it: a thread that
        holds a connection and waits for a second one may wait for a thread that does the same. What
        fails in there is undone on its own.

        Args:
            place: Whose rows it means.
            wait: Most seconds to wait for a row that another transaction holds.
            snapshot: Whether every statement is to see the same moment; it is for reading only.
        """
        if place in self._lent.connections:
            with explained(), _part(*self._lent.connections[place]) as connection:
                yield connection
            return
        begun = self._begun(place, snapshot=snapshot, wait=wait)
        try:
            with self._moving(place), explained(), begun as connection:
                yield connection
        except Locked:
            with suppress(ReverieError):  # whoever asks again waits for nobody that stands still
                self.end_frozen()
            raise

    @contextmanager
    def reading(self, place: Place) -> Iterator[Connection]:
        """Bind a connection to a place to read; inside another transaction of it this costs nothing."""
        if place in self._lent.connections:
            with explained():
                yield self._lent.connections[place][0]
            return
        with explained(), self._begun(place) as connection:
            yield connection

    def rows(self, place: Place, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """Ask a place one thing; in a transaction of its own, it is one round trip."""
        values = {**place.values, **values}
        if place in self._lent.connections:
            with explained():
                return self._lent.connections[place][0].execute(statement, values).fetchall()
        with explained():
            # What travels together is a transaction by itself: nothing has to begin or end it.
            with self._living() as connection, _prepared_anew(connection), connection.pipeline():
                bind(connection, place)
                found = connection.execute(statement, values)
            self._answered = time.monotonic()
            return found.fetchall()

    @contextmanager
    def unbound(self) -> Iterator[Connection]:
        """Use a connection that is bound to nobody: it sees no row of any tenant."""
        with explained(), self._living() as connection:
            yield connection

    def end_frozen(self) -> int:
        """End what processes that stand still hold; return how many transactions that were."""
        with self.unbound() as connection:
            return end_frozen(connection)

    @contextmanager
    def _moving(self, place: Place) -> Iterator[None]:
        """Tell a tenant that is being moved from a server that cannot be written."""
        try:
            yield
        except ReadOnly as error:
            if type(error) is ReadOnly and self._leaves(place):
                raise TenantMoving(_MOVING) from error
            raise

    def _leaves(self, place: Place) -> bool:
        statement = "SELECT 1 FROM residence WHERE tenant = %(tenant)s"
        try:
            return bool(self.rows(place, statement))
        except TenantMoving:  # it is gone by now
            return True
        except ReverieError:
            return False

    @contextmanager
    def _begun(
        self, place: Place, *, snapshot: bool = False, wait: float | None = None
    ) -> Iterator[Connection]:
        """Lend a connection for a transaction; what begins it travels with the first statement."""
        lent = self._lent.connections
        how = " ISOLATION LEVEL REPEATABLE READ, READ ONLY" if snapshot else ""
        with (
            self._living() as connection,
            self._signs.during(),
            connection.pipeline() as pipeline,
        ):
            connection.execute(f"BEGIN{how}")
            bind(connection, place, wait=wait)
            lent[place] = connection, pipeline
            try:
                yield connection
            finally:
                del lent[place]
            end = connection.execute("COMMIT")
        self._answered = time.monotonic()
        if end.statusmessage != "COMMIT":  # an error was met with silence, and undid everything
            raise StoreError(_UNDONE)

    @contextmanager
    def _living(self) -> Iterator[Connection]:
        """Lend a connection that did not die while it lay in the pool, as all do at a restart."""
        for others in range(self.pool.max_size, -1, -1):
            with self._taken() as connection:
                # A server says nothing to an idle connection, except that it ends it.
                if _was_told_something(connection):
                    try:
                        connection.execute("SELECT 1")
                    except psycopg.OperationalError:
                        if not (connection.closed and others):
                            raise
                        continue
                yield connection
                return

    @contextmanager
    def _taken(self) -> Iterator[Connection]:
        """Take a connection from the pool; where none came in time, ask the server itself why."""
        try:
            connection = self.pool.getconn()
        except PoolTimeout:
            self._probe()
            raise
        try:
            with connection:
                yield connection
        finally:
            self.pool.putconn(connection)

    # --- is this database fit? --------------------------------------------------------------------

    def _check(self) -> None:
        with self.unbound() as connection:
            role = connection.execute(
                "SELECT current_user, rolsuper OR rolbypassrls, EXISTS (SELECT FROM pg_class c"
                " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'reverie'"
                " AND pg_has_role(c.relowner, 'MEMBER') AND c.relkind IN ('r', 'p'))"
                " FROM pg_roles WHERE rolname = current_user"
            ).fetchone()
            if role is None or role[1] or role[2]:
                who = role[0] if role else "this role"
                raise EngineUnsafe(
                    f"{who} owns the tables or may bypass row-level security, so tenants would not be"
                    " kept apart. Connect as a role that is only a member of reverie_app; see"
                    " docs/postgres.md"
                )
            try:
                row = connection.execute(
                    "SELECT version, oldest FROM reverie.release ORDER BY version DESC LIMIT 1"
                ).fetchone()
            except (pg.UndefinedTable, pg.InsufficientPrivilege, pg.InvalidSchemaName):
                row = None
        if row is None:
            raise EngineOutdated(
                "the database has no tables of Reverie that this role may use; run `reverie postgres"
                " migrate` as their owner, and make this role a member of reverie_app"
            )
        if not row[1] <= RELEASE <= row[0]:
            raise EngineOutdated(
                f"the database has schema {row[0]} (for releases from {row[1]} on), this release"
                f" needs {RELEASE}; "
                + ("upgrade Reverie" if row[1] > RELEASE else "migrate it first")
            )

    @property
    def answered(self) -> bool:
        """Whether the database answered somebody a moment ago, so that nobody has to ask."""
        return time.monotonic() - self._answered < _MOMENT_SECONDS

    def ping(self) -> None:
        """Raise unless the database answers; those who hold the pool do not keep anybody from asking."""
        if self.pool_facts()["pool_available"]:
            with self.unbound() as connection:
                connection.execute("SELECT 1")
            return
        with explained():
            self._probe()

    def _probe(self) -> None:
        psycopg.connect(self._url, connect_timeout=_PROBE_SECONDS).close()

    def pool_facts(self) -> Mapping[str, int]:
        """Return how the pool stands: size, free connections, callers waiting, refusals."""
        facts = self.pool.get_stats()
        names = ("pool_size", "pool_available", "requests_waiting", "requests_errors")
        return {name: facts.get(name, 0) for name in names}


def bind(connection: Connection, place: Place, *, wait: float | None = None) -> None:
    """Say whose rows this transaction means; one whose tenant is on its way only reads, or is refused.

    Args:
        wait: Most seconds to wait for a row that another transaction holds.
    """
    what, values = "reverie.bind(%s, %s, %s)", [place.tenant, place.owner, place.project]
    if wait is not None:
        what += ", set_config('lock_timeout', %s, true)"
        values.append(f"{int(wait * 1000)}ms")
    connection.execute(f"SELECT {what}", values)


@contextmanager
def _prepared_anew(connection: Connection) -> Iterator[None]:
    """Make the driver forget what it prepared after an error: the server passed over what came behind it."""
    try:
        yield
    except psycopg.Error:
        with suppress(psycopg.Error):  # a rollback does that, where something was begun
            connection.execute("BEGIN")
            connection.rollback()
        raise


@contextmanager
def _part(connection: Connection, pipeline: psycopg.Pipeline) -> Iterator[Connection]:
    """Undo what a part of a transaction did when it fails, and nothing else."""
    connection.execute("SAVEPOINT part")
    try:
        yield connection
        pipeline.sync()  # what fails here must not be taken for a fault of what comes next
    except BaseException:
        with suppress(psycopg.Error):  # the block's own error is the one to tell
            pipeline.sync()
        with suppress(psycopg.OperationalError):
            connection.execute("ROLLBACK TO SAVEPOINT part")
        raise
    connection.execute("RELEASE SAVEPOINT part")


def _was_told_something(connection: Connection) -> bool:
    """Say, without asking the server, whether it sent anything that was not read yet."""
    with _Selector() as selector:
        selector.register(connection.fileno(), selectors.EVENT_READ)
        return bool(selector.select(0))


@contextmanager
def explained() -> Iterator[None]:
    """Name the database's errors: busy, away, full, read-only, or something we did not expect."""
    try:
        yield
    except (PoolTimeout, TooManyRequests) as error:
        raise EngineUnavailable(
            "all connections to the database are in use; try again in a moment"
        ) from error
    except (pg.LockNotAvailable, pg.DeadlockDetected) as error:
        raise Locked("another writer holds this memory; try again in a moment") from error
    except pg.DiskFull as error:
        raise DiskFull("the database's disk is full; nothing was written") from error
    except pg.ReadOnlySqlTransaction as error:
        raise ReadOnly("the database is read-only now; nothing was written") from error
    except (pg.QueryCanceled, pg.IdleInTransactionSessionTimeout) as error:
        raise EngineUnavailable("the database took too long, so the call was given up") from error
    except pg.PipelineAborted as error:
        raise StoreError(_UNDONE) from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise EngineUnavailable(f"the database cannot be reached: {_first_line(error)}") from error
    except psycopg.Error as error:
        if error.sqlstate == _ELSEWHERE:
            raise TenantMoving(_MOVING) from error
        raise StoreError(f"the database refused: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


# --- one pool for a process -------------------------------------------------------------------------

_guard = threading.Lock()
_shared: dict[EngineSettings, tuple[Database, int]] = {}


def database_for(settings: EngineSettings) -> Database:
    """Open the database of these settings, or share the one that is open; give it back when done."""
    key = _pool_key(settings)
    with _guard:
        known, users = _shared.get(key, (None, 0))
        database = known or Database(settings)
        _shared[key] = (database, users + 1)
        return database


def give_back(settings: EngineSettings) -> None:
    """Say that one user of a shared database is done; the last one closes it."""
    key = _pool_key(settings)
    with _guard:
        known = _shared.get(key)
        if known is None:
            return
        database, users = known
        if users > 1:
            _shared[key] = (database, users - 1)
            return
        del _shared[key]
    database.close()


def _pool_key(settings: EngineSettings) -> EngineSettings:
    """Leave out whose memory it is: everybody shares the connections."""
    return replace(settings, tenant="", user="", project="")
