"""The command that runs the daemon, or makes it start at login."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path

import click

from reverie.cli import Session, json_option, pass_session
from reverie.cli.terminal import log_to_stderr
from reverie.errors import InvalidInput

_STOP_SECONDS = 30.0


@click.command()
@click.option("--host", metavar="ADDRESS", help="Address to listen on; 127.0.0.1 by default.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 4170 by default, 0 for any.")
@click.option("--or-any", is_flag=True, help="Use any free port if that one is taken.")
@click.option(
    "--also", "also", multiple=True, metavar="DIR", help="A further workspace; may be repeated."
)
@click.option(
    "--engine",
    metavar="URL",
    help="Serve many tenants from this PostgreSQL (postgresql://...), without the password.",
)
@click.option("--install", is_flag=True, help="Start it at every login, instead of now.")
@click.option("--uninstall", is_flag=True, help="Stop starting it at login.")
@click.option(
    "--stop", is_flag=True, help="End the daemon of this home, also one that started itself."
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="With --install and --uninstall: show what would change, change nothing.",
)
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="How much goes to standard error.",
)
@json_option
@pass_session
def serve(
    session: Session,
    host: str | None,
    port: int | None,
    or_any: bool,
    also: tuple[str, ...],
    engine: str | None,
    install: bool,
    uninstall: bool,
    stop: bool,
    dry_run: bool,
    log_level: str,
) -> None:
    """Serve memory and its page over HTTP, to programs and browsers on this machine.

    The first line on standard output is JSON with the address and the process id. The token comes
    from REVERIE_SERVER_TOKEN or from a file in the state folder, made at the first start.
    `reverie page` prints a link to the page.
    """
    options = session.options
    here = options.get("workspace") or "."
    if install + uninstall + stop > 1:
        raise click.UsageError("--install, --uninstall and --stop exclude each other")
    if dry_run and not (install or uninstall):
        raise click.UsageError("--dry-run goes with --install or --uninstall")
    if stop:
        _stop(session)
        return
    if uninstall:
        _uninstall(session, dry_run)
        return
    if install:
        words = ["--host", host] if host else []
        words += ["--port", str(port)] if port is not None else []
        words += ["--or-any"] if or_any else []
        words += [word for folder in also for word in ("--also", os.path.realpath(folder))]
        words += ["--engine", engine] if engine and shared_engine(engine) else []
        words += ["--log-level", log_level] if log_level != "info" else []
        _install(session, here, words, dry_run)
        return
    from reverie.daemon.serve import ServeOptions
    from reverie.daemon.serve import serve as run

    log_to_stderr(log_level.upper())
    for name in ("uvicorn", "uvicorn.error"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
    run(
        ServeOptions(
            workspaces=(here, *also),
            home=options.get("home"),
            dialect=options.get("dialect"),
            host=host,
            port=port,
            or_any=or_any,
            engine=shared_engine(engine),
        )
    )


def shared_engine(given: str | None) -> str | None:
    """Return the database to serve from, if any; a password in the arguments is refused."""
    if given is None:
        return os.environ.get("REVERIE_ENGINE") or None
    from reverie.config import shown_address

    if shown_address(given) != given:
        raise InvalidInput(
            "the URL holds a password, or something that may be one, which other users of this machine"
            " could read in the list of processes. Leave it out and set PGPASSWORD or PGPASSFILE, or put"
            " the whole URL into REVERIE_ENGINE."
        )
    return given


def _stop(session: Session) -> None:
    from reverie.cli.running import running_daemon
    from reverie.client import resident
    from reverie.client.quick import LOCK_FILE, SOCKET_FILE, state_of
    from reverie.errors import DaemonUnreachable
    from reverie.local.disk.locks import file_lock

    options = session.options
    state = Path(state_of(options.get("home"), dialect=options.get("dialect"), env=os.environ))
    found = running_daemon(state)
    if found is None:
        session.emit({"stopped": None}, "no daemon of this home runs")
        return
    if not resident.stop(str(state / SOCKET_FILE)):
        raise DaemonUnreachable(f"process {found.pid} does not answer any more")
    with file_lock(state / LOCK_FILE, wait=_STOP_SECONDS, purpose="stopping"):
        pass  # it is gone when nobody holds this
    session.emit({"stopped": found.pid}, f"stopped process {found.pid}")


def _install(session: Session, here: str, serving: Sequence[str], dry_run: bool) -> None:
    from reverie.daemon.install import install

    words = ["-C", os.path.realpath(here)]
    for name in ("home", "dialect"):
        value = session.options.get(name)
        if value:
            words += [f"--{name}", str(Path(value).resolve()) if name == "home" else value]
    done = install([*words, "serve", *serving], dry_run=dry_run)
    steps = "\n".join(f"  {step}" for step in done.next_steps)
    told = f"wrote {done.path}. To start it now and at every login:\n{steps}"
    session.emit(done, f"would write {done.path}:\n\n{done.text}" if dry_run else told)


def _uninstall(session: Session, dry_run: bool) -> None:
    from reverie.daemon.install import uninstall

    done = uninstall(dry_run=dry_run)
    steps = "\n".join(f"  {step}" for step in done.next_steps)
    told = f"removed {done.path}. To stop it now, too:\n{steps}"
    told = f"would remove {done.path}" if dry_run else told
    session.emit(done, told if done.removed else f"there is no {done.path}; nothing to remove")
