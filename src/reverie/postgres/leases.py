"""Locks held for a while, as rows with a time by which their holder must be heard of again.

Rules
- A lock costs no connection while it is held: whoever waits for a model or reads a thousand files
  takes nothing from the pool that others need.
- Whoever dies or freezes loses the lock when the time is up. What it would write afterwards has to
  ask first (`Lease.check`), in the transaction that writes.
- The database's clock counts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4
from weakref import WeakKeyDictionary, proxy

from reverie.errors import LaneLost, ReverieError

if TYPE_CHECKING:
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.place import Place

_HERE: Final = (
    "tenant = %(tenant)s AND owner = %(owner)s AND project = %(here)s AND name = %(name)s"
)
_SIGNS_PER_LEASE: Final = 3


@dataclass(frozen=True, slots=True)
class Lease:
    """One lock of one place, and who holds it."""

    place: Place
    here: str
    """The project it locks; empty: the person."""
    name: str
    seconds: float
    holder: str = field(default_factory=lambda: uuid4().hex)

    @property
    def values(self) -> dict[str, Any]:
        """The values of the statements about it."""
        return {
            **self.place.values,
            "here": self.here,
            "name": self.name,
            "holder": self.holder,
            "lease": timedelta(seconds=self.seconds),
        }

    def check(self, db: Connection) -> None:
        """Raise unless the lock is still held; nobody can take it before the transaction ends."""
        row = db.execute(
            f"SELECT 1 FROM lease WHERE {_HERE} AND holder = %(holder)s FOR UPDATE", self.values
        ).fetchone()
        if row is None:
            raise LaneLost("another process took this work over, so nothing was written")


class LeaseKeeper:
    """Gives a sign of life for every lock this process holds; one thread, only while there are any."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: set[Lease] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def keep(self, lease: Lease) -> None:
        """Keep a lock until it is dropped."""
        with self._changed:
            self._held.add(lease)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="reverie-leases", daemon=True
                )
                self._thread.start()
            self._changed.notify()

    def drop(self, lease: Lease) -> None:
        """Keep a lock no longer."""
        with self._changed:
            self._held.discard(lease)
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._held:
                    self._thread = None
                    return
                self._changed.wait(min(x.seconds for x in self._held) / _SIGNS_PER_LEASE)
                held = list(self._held)
            for lease in held:
                with suppress(
                    ReverieError
                ):  # the next sign may come through; else the lock is lost
                    self._renew(lease)

    def _renew(self, lease: Lease) -> None:
        with self._database.transaction(lease.place) as db:
            db.execute(
                f"UPDATE lease SET until = clock_timestamp() + %(lease)s WHERE {_HERE}"
                " AND holder = %(holder)s",
                lease.values,
            )


_guard = threading.Lock()
_keepers: WeakKeyDictionary[Database, LeaseKeeper] = WeakKeyDictionary()


def keeper_of(database: Database) -> LeaseKeeper:
    """Return what keeps the locks that this process holds in a database."""
    with _guard:
        if database not in _keepers:
            _keepers[database] = LeaseKeeper(proxy(database))
        return _keepers[database]


@contextmanager
def try_lease(
    database: Database, place: Place, name: str, *, here: str | None = None
) -> Iterator[Lease | None]:
    """Hold a lock of a place for as long as the block runs, or yield None when another holds it."""
    lease = Lease(place, place.project if here is None else here, name, database.lease_seconds)
    with database.transaction(place) as db:
        taken = db.execute(
            "INSERT INTO lease (tenant, owner, project, name, holder, until) VALUES (%(tenant)s,"
            " %(owner)s, %(here)s, %(name)s, %(holder)s, clock_timestamp() + %(lease)s)"
            " ON CONFLICT (tenant, owner, project, name) DO UPDATE SET holder = %(holder)s,"
            " until = excluded.until WHERE lease.until < clock_timestamp() RETURNING 1",
            lease.values,
        ).fetchone()
    if taken is None:
        yield None
        return
    keeper_of(database).keep(lease)
    try:
        yield lease
    finally:
        keeper_of(database).drop(lease)
        with database.transaction(place) as db:
            db.execute(f"DELETE FROM lease WHERE {_HERE} AND holder = %(holder)s", lease.values)
