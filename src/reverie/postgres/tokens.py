"""Tokens: each maps to a tenant, a person and a project; only their hashes are kept.

Rules
- A token may be for one project of the person instead of all of them, and for reading only.
- A token is 256 random bits, so one plain hash of it is as hard to turn back as a slow one.
- Rotating makes a new token and lets the old one work for a while; revoking ends it at once.
- Written by the owner of the tables (an administrator); the service only asks whose a token is.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from reverie.errors import NotFound, Unauthorized
from reverie.postgres.place import Place

if TYPE_CHECKING:
    from reverie.postgres.database import Connection, Database

_PREFIX: Final = "rvt_"
_COLUMNS: Final = "id, owner, project, label, created, expires, revoked, only_project, read_only"


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """A token without its secret."""

    id: str
    owner: str
    project: str
    label: str
    created: datetime
    expires: datetime | None
    revoked: datetime | None
    only_project: bool
    read_only: bool


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token lets its bearer do."""

    place: Place
    only_project: bool = False
    """Only this project, not every project of the person."""
    read_only: bool = False
    requests: int | None = field(default=None, compare=False)
    """How many requests a minute its tenant may send to a daemon; None: as many as it likes."""
    server: str = field(default="", compare=False)
    """The address of the server that its tenant is on; empty for the directory's own."""


@dataclass(frozen=True, slots=True)
class FreshToken:
    """A token that was made just now; its value is shown only once."""

    id: str
    value: str
    place: Place


def token_hash(value: str) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(value.encode("utf-8", "surrogateescape")).digest()


def granted(database: Database, value: str) -> Grant:
    """Return what a token stands for, or raise `Unauthorized`."""
    if not value.startswith(_PREFIX):
        raise Unauthorized("Unauthorized")
    with database.unbound() as db:
        row = db.execute(
            "SELECT tenant, owner, project, only_project, read_only, reverie.token_rate(%(hash)s),"
            " coalesce((SELECT s.url FROM reverie.sites(ARRAY[tenant]) s), '')"
            " FROM reverie.token_grant(%(hash)s)",
            {"hash": token_hash(value)},
        ).fetchone()
    if row is None:
        raise Unauthorized("Unauthorized")
    return Grant(Place(*row[:3]), *row[3:])


# --- for administrators -----------------------------------------------------------------------------


def create_token(
    db: Connection,
    place: Place,
    *,
    label: str = "",
    expires: datetime | None = None,
    only_project: bool = False,
    read_only: bool = False,
) -> FreshToken:
    """Make a token."""
    value = _PREFIX + secrets.token_urlsafe(32)
    token = secrets.token_hex(6)
    _as_tenant(db, place.tenant)
    db.execute(
        "INSERT INTO reverie.token (tenant, owner, project, id, hash, label, expires, only_project,"
        " read_only) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            place.tenant,
            place.owner,
            place.project,
            token,
            token_hash(value),
            label,
            expires,
            only_project,
            read_only,
        ),
    )
    return FreshToken(token, value, place)


def rotate_token(db: Connection, tenant: str, token: str, *, grace: timedelta) -> FreshToken:
    """Make a new token for the same place; the old one ends after `grace`."""
    known = _one(db, tenant, token)
    fresh = create_token(
        db,
        Place(tenant, known.owner, known.project),
        label=known.label,
        expires=known.expires,
        only_project=known.only_project,
        read_only=known.read_only,
    )
    db.execute(
        "UPDATE reverie.token SET revoked = now() + %s WHERE tenant = %s AND id = %s",
        (grace, tenant, token),
    )
    return fresh


def revoke_token(db: Connection, tenant: str, token: str) -> None:
    """Revoke a token at once."""
    _one(db, tenant, token)
    db.execute(
        "UPDATE reverie.token SET revoked = now() WHERE tenant = %s AND id = %s", (tenant, token)
    )


def list_tokens(db: Connection, tenant: str) -> list[TokenInfo]:
    """List the tokens of a tenant, oldest first."""
    _as_tenant(db, tenant)
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM reverie.token WHERE tenant = %s ORDER BY created, id", (tenant,)
    )
    return [TokenInfo(*row) for row in rows]


def _one(db: Connection, tenant: str, token: str) -> TokenInfo:
    found = next((item for item in list_tokens(db, tenant) if item.id == token), None)
    if found is None:
        raise NotFound(
            f"tenant {tenant!r} has no token {token!r}; `reverie postgres tokens` lists them"
        )
    return found


def _as_tenant(db: Connection, tenant: str) -> None:
    db.execute("SELECT set_config('reverie.tenant', %s, true)", (tenant,))
