"""Quotas: how much a tenant may have. What there is no number for is not limited.

Rules
- Whoever would go beyond is told so before anything is written; removing always works.
- What two people of a tenant write in the same moment may go beyond by as much.
- Written by the owner of the tables (an administrator); the service asks what is left.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from reverie.errors import QuotaExceeded, TenantBusy

if TYPE_CHECKING:
    from psycopg import Cursor

    from reverie.postgres.database import Connection


@dataclass(frozen=True, slots=True)
class Quota:
    """How much a tenant may have; None: as much as it likes."""

    memories: int | None = None
    """Files of memory, all people and projects together; catalogs do not count."""
    bytes: int | None = None
    """Bytes of all its files."""
    tasks: int | None = None
    """Tasks that wait or run."""
    workspaces: int | None = None
    """Workspaces that a daemon keeps open for it at a time."""
    requests: int | None = None
    """Requests a minute that each daemon takes from it."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a tenant may have, and has."""

    quota: Quota = Quota()
    memories: int = 0
    bytes: int = 0
    tasks: int = 0

    def check_growth(self, *, memories: int, size: int) -> None:
        """Raise when a write would bring the tenant beyond what it may have."""
        for what, more, used, most in (
            ("memories", memories, self.memories, self.quota.memories),
            ("bytes", size, self.bytes, self.quota.bytes),
        ):
            if most is not None and more > 0 and used + more > most:
                raise QuotaExceeded(
                    f"this tenant has {used:,} of the {most:,} {what} it may have, and this would add"
                    f" {more:,}; nothing was written",
                    quota=what,
                )

    def check_task(self) -> None:
        """Raise when one more task would be too many."""
        if self.quota.tasks is not None and self.tasks >= self.quota.tasks:
            raise TenantBusy(
                f"{self.tasks:,} tasks of this tenant wait or run, and it may have"
                f" {self.quota.tasks:,}; nothing was accepted, try again later",
                quota="tasks",
            )


def ask_allowance(db: Connection) -> Cursor[tuple[Any, ...]]:
    """Ask what the tenant of this transaction may have and has; `read_allowance` waits for it."""
    return db.execute(
        "SELECT memories, bytes, tasks, workspaces, memories_used, bytes_used,"
        " coalesce(tasks_used, 0) FROM reverie.allowance()"
    )


def read_allowance(asked: Cursor[tuple[Any, ...]]) -> Allowance:
    """Read the answer."""
    row = asked.fetchone()
    return Allowance(Quota(*row[:4]), *row[4:]) if row else Allowance()


# --- for administrators -----------------------------------------------------------------------------


def set_quota(db: Connection, tenant: str, changes: dict[str, int | None]) -> None:
    """Change some numbers of a tenant's quota; None takes one away."""
    quota = {**asdict(quota_of(db, tenant).quota), **changes}
    names = [field.name for field in fields(Quota)]
    db.execute(
        f"INSERT INTO reverie.quota (tenant, {', '.join(names)}) VALUES (%(tenant)s,"
        f" {', '.join(f'%({name})s' for name in names)}) ON CONFLICT (tenant) DO UPDATE SET"
        f" {', '.join(f'{name} = excluded.{name}' for name in names)}",
        {"tenant": tenant, **quota},
    )


def quota_of(db: Connection, tenant: str) -> Allowance:
    """Return what a tenant may have, and has."""
    db.execute("SELECT set_config('reverie.tenant', %s, true)", (tenant,))
    found = read_allowance(ask_allowance(db))
    row = db.execute("SELECT requests FROM reverie.quota WHERE tenant = %s", (tenant,)).fetchone()
    return replace(found, quota=replace(found.quota, requests=row[0])) if row else found
