"""Commands for whoever runs a service: the schema, tenants and their tokens, large workspaces.

They connect as the owner of the tables; the daemons connect as a role that is not.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, TypeVar

import click

from reverie.cli import Session, json_option, pass_session
from reverie.cli.serve import shared_engine
from reverie.errors import InvalidInput

_Command = TypeVar("_Command", bound=Callable[..., Any])
_UNLIMITED: Final = "none"


def _url(given: str | None) -> str:
    url = shared_engine(given) if given else os.environ.get("REVERIE_OWNER_ENGINE")
    url = url or os.environ.get("REVERIE_ENGINE")
    if not url:
        raise InvalidInput(
            "name the database with --engine URL (without a password) or REVERIE_OWNER_ENGINE"
        )
    return url


engine_option = click.option(
    "--engine", metavar="URL", help="The database, as the owner of its tables; no password here."
)
tenant_option = click.option("--tenant", required=True, metavar="NAME", help="Whose.")


@click.group()
def postgres() -> None:
    """Manage the database of a shared service."""


@postgres.command(short_help="Upgrade the schema to what this release needs.")
@click.option(
    "--partitions",
    type=click.IntRange(2, 1024),
    default=None,
    help="Make the tables of a new database in so many parts by tenant.",
)
@engine_option
@json_option
@pass_session
def migrate(session: Session, engine: str | None, partitions: int | None) -> None:
    """Upgrade the schema to what this release needs; daemons of the last release go on meanwhile."""
    from reverie.postgres.admin import migrate as run

    done = run(_url(engine), partitions=partitions or 0)
    same = done.before == done.after
    text = "is up to date" if same else f"went from {done.before or 'nothing'} to {done.after}"
    session.emit(done, f"the schema {text}")


@postgres.command("service-role", short_help="Create the role that daemons connect as.")
@click.argument("name")
@engine_option
@json_option
@pass_session
def service_role(session: Session, name: str, engine: str | None) -> None:
    """Create the role that daemons connect as; its password comes from SERVICE_PASSWORD, if any."""
    from reverie.postgres.admin import make_service_role

    made = make_service_role(_url(engine), name, password=os.environ.get("SERVICE_PASSWORD", ""))
    session.emit(
        {"role": name, "made": made}, f"{name} {'was made' if made else 'is there'}, and may serve"
    )


@postgres.command()
@engine_option
@json_option
@pass_session
def tenants(session: Session, engine: str | None) -> None:
    """List the tenants."""
    from reverie.postgres.admin import list_tenants, owner_connection

    with owner_connection(_url(engine)) as db:
        found = list_tenants(db)
    lines = [
        f"{t.tenant}: {t.users} users, {t.projects} projects, {t.tokens} tokens"
        + ("" if t.server == "home" else f", on {t.server}")
        for t in found
    ]
    session.emit({"tenants": found}, "\n".join(lines) or "no tenants yet")


@postgres.command("remove-tenant")
@click.argument("tenant")
@click.option("--yes", is_flag=True, help="Do it; without this nothing is removed.")
@engine_option
@json_option
@pass_session
def remove_tenant(session: Session, tenant: str, yes: bool, engine: str | None) -> None:
    """Delete everything a tenant has, for good."""
    from reverie.postgres.admin import remove_tenant as run
    from reverie.postgres.sites import tenant_connections

    if not yes:
        raise InvalidInput(
            f"this deletes everything that belongs to {tenant!r}; add --yes to do it"
        )
    with tenant_connections(_url(engine), tenant) as connections:
        rows = run(connections, tenant)
    session.emit({"tenant": tenant, "rows": rows}, f"removed {rows} rows of {tenant}")


def _number(_: click.Context, option: click.Parameter, value: str | None) -> int | str | None:
    if value is None or value == _UNLIMITED:
        return value
    if not value.isascii() or not value.isdigit():
        raise click.BadParameter(f"{value!r} is neither a number nor `{_UNLIMITED}`", param=option)
    return int(value)


def _quota_option(name: str, about: str) -> Callable[[_Command], _Command]:
    return click.option(f"--{name}", metavar="N|none", callback=_number, help=about)


@postgres.command(short_help="Show or set how much a tenant may have.")
@tenant_option
@_quota_option("memories", "Files of memory, of all its people and projects.")
@_quota_option("bytes", "Bytes of all its files.")
@_quota_option("tasks", "Tasks that wait or run.")
@_quota_option("workspaces", "Workspaces that a daemon keeps open for it.")
@_quota_option("requests", "Requests a minute that each daemon takes from it, at least 1.")
@engine_option
@json_option
@pass_session
def quota(
    session: Session, /, tenant: str, engine: str | None, **given: int | Literal["none"] | None
) -> None:
    """Show how much a tenant may have and has; with options, set it first (`none`: no limit)."""
    from reverie.postgres.quotas import quota_of, set_quota
    from reverie.postgres.sites import tenant_connections

    changes = {
        name: None if value == _UNLIMITED else int(value)
        for name, value in given.items()
        if value is not None
    }
    with tenant_connections(_url(engine), tenant) as connections:
        for db in connections:
            if changes:
                set_quota(db, tenant, changes)
        found = quota_of(connections[-1], tenant)
    limits = {field: getattr(found.quota, field) for field in given}
    lines = [
        f"{field}: {'no limit' if most is None else f'{most:,}'}" for field, most in limits.items()
    ]
    session.emit({"tenant": tenant, "quota": found.quota}, "\n".join(lines))


@postgres.group()
def server() -> None:
    """Name further servers that tenants can be moved to."""


@server.command("add", short_help="Register a server, by its address alone.")
@click.argument("name")
@click.argument("address")
@engine_option
@json_option
@pass_session
def add_server(session: Session, name: str, address: str, engine: str | None) -> None:
    """Register a server, such as postgresql://db2.example/reverie; its schema must be there."""
    from reverie.postgres.admin import owner_connection
    from reverie.postgres.sites import add_server as run

    with owner_connection(_url(engine)) as db:
        run(db, name, address)
    session.emit({"server": name}, f"{name} is in the directory; daemons take it up by themselves")


@server.command("list")
@engine_option
@json_option
@pass_session
def list_servers(session: Session, engine: str | None) -> None:
    """List the further servers, and how many tenants are on each."""
    from reverie.postgres.admin import owner_connection
    from reverie.postgres.sites import list_servers as run

    with owner_connection(_url(engine)) as db:
        found = run(db)
    lines = [f"{item.name}: {item.tenants} tenants, {item.url}" for item in found]
    session.emit({"servers": found}, "\n".join(lines) or "no servers but this one")


@server.command("remove")
@click.argument("name")
@engine_option
@json_option
@pass_session
def remove_server(session: Session, name: str, engine: str | None) -> None:
    """Forget a server that no tenant is on."""
    from reverie.postgres.admin import owner_connection
    from reverie.postgres.sites import remove_server as run

    with owner_connection(_url(engine)) as db:
        run(db, name)
    session.emit({"removed": name}, f"{name} is no longer in the directory")


@postgres.command("move-tenant", short_help="Move a tenant to another server.")
@click.argument("tenant")
@click.option(
    "--to",
    required=True,
    metavar="NAME",
    help="A server of the directory; `home` is the directory's own.",
)
@engine_option
@json_option
@pass_session
def move_tenant(session: Session, tenant: str, to: str, engine: str | None) -> None:
    """Move a tenant to another server; it can be read meanwhile, and everybody else works.

    If it was interrupted, run the same command again. Naming the server that the tenant is on takes
    an unfinished move back.
    """
    from reverie.postgres.moving import move_tenant as run

    done = run(_url(engine), tenant, to)
    texts = {
        "moved": f"{tenant} went from {done.source} to {done.server}: {done.rows} rows",
        "taken back": f"{tenant} stays on {done.server}; the move was taken back",
        "there already": f"{tenant} is on {done.server} already",
    }
    session.emit(done, texts[done.outcome])


@postgres.group()
def token() -> None:
    """Create, list, rotate and revoke tokens."""


@token.command("create")
@tenant_option
@click.option("--user", default="default", show_default=True, metavar="NAME", help="The person.")
@click.option(
    "--project",
    default="default",
    show_default=True,
    metavar="NAME",
    help="The project used when no other is named.",
)
@click.option(
    "--only-project", is_flag=True, help="For this project alone, not for every one of the person."
)
@click.option("--read-only", is_flag=True, help="For reading only.")
@click.option("--label", default="", metavar="TEXT", help="What it is for.")
@click.option("--days", type=click.IntRange(1), help="How long it is valid; for ever by default.")
@engine_option
@json_option
@pass_session
def create(
    session: Session,
    tenant: str,
    user: str,
    project: str,
    only_project: bool,
    read_only: bool,
    label: str,
    days: int | None,
    engine: str | None,
) -> None:
    """Create a token; its value is shown only this once."""
    from reverie.postgres.admin import owner_connection
    from reverie.postgres.place import Place
    from reverie.postgres.tokens import create_token

    expires = datetime.now(UTC) + timedelta(days=days) if days else None
    with owner_connection(_url(engine)) as db:
        made = create_token(
            db,
            Place(tenant, user, project),
            label=label,
            expires=expires,
            only_project=only_project,
            read_only=read_only,
        )
    session.emit(made, f"token {made.id}, shown only once:\n{made.value}")


@token.command("list")
@tenant_option
@engine_option
@json_option
@pass_session
def list_(session: Session, tenant: str, engine: str | None) -> None:
    """List the tokens of a tenant, without their values."""
    from reverie.postgres.admin import owner_connection
    from reverie.postgres.tokens import list_tokens

    with owner_connection(_url(engine)) as db:
        found = list_tokens(db, tenant)
    lines = [
        f"{t.id} {t.owner}/{t.project} {t.label} {'revoked' if t.revoked else 'good'}"
        + (", this project only" if t.only_project else "")
        + (", read-only" if t.read_only else "")
        for t in found
    ]
    session.emit({"tokens": found}, "\n".join(lines) or "no tokens yet")


@token.command("rotate")
@click.argument("token_id")
@tenant_option
@click.option(
    "--grace-minutes", type=click.IntRange(0), default=60, show_default=True,
    help="How long the old one still works.",
)  # fmt: skip
@engine_option
@json_option
@pass_session
def rotate(
    session: Session, token_id: str, tenant: str, grace_minutes: int, engine: str | None
) -> None:
    """Replace a token by a new one; the old one keeps working for a while."""
    from reverie.postgres.admin import owner_connection
    from reverie.postgres.tokens import rotate_token

    with owner_connection(_url(engine)) as db:
        made = rotate_token(db, tenant, token_id, grace=timedelta(minutes=grace_minutes))
    session.emit(made, f"token {made.id}, shown only once:\n{made.value}")


@token.command("revoke")
@click.argument("token_id")
@tenant_option
@engine_option
@json_option
@pass_session
def revoke(session: Session, token_id: str, tenant: str, engine: str | None) -> None:
    """Revoke a token at once."""
    from reverie.postgres.admin import owner_connection
    from reverie.postgres.tokens import revoke_token

    with owner_connection(_url(engine)) as db:
        revoke_token(db, tenant, token_id)
    session.emit({"revoked": token_id}, f"token {token_id} works no more")


@postgres.command(short_help="Give large workspaces their own index.")
@click.option(
    "--above", type=click.IntRange(1), default=50_000, show_default=True,
    help="Number of chunks above which a workspace gets its own approximate index.",
)  # fmt: skip
@engine_option
@json_option
@pass_session
def tune(session: Session, above: int, engine: str | None) -> None:
    """Give large workspaces their own index for vectors; nothing is locked meanwhile."""
    from reverie.postgres.admin import tune as run

    done = run(_url(engine), above=above)
    lines = [f"{t.tenant}/{t.owner}/{t.project}: {t.vectors} vectors, {t.index}" for t in done]
    session.emit({"tuned": done}, "\n".join(lines) or "no workspace is that large")
