"""The command that serves memory to an agent over MCP."""

from __future__ import annotations

import os

import click

from reverie.cli import Session, json_option, pass_session
from reverie.cli.terminal import log_to_stderr


@click.command()
@click.option(
    "--surface",
    type=click.Choice(["default", "full"]),
    default="default",
    show_default=True,
    help="Seven tools, or also save, context, notes, log, undo and history.",
)
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="warning",
    show_default=True,
    help="How much goes to standard error.",
)
@json_option
@pass_session
def mcp(session: Session, surface: str, log_level: str) -> None:
    """Serve memory over MCP on standard input and output, to the agent that started this.

    Standard output carries the protocol only. Over HTTP, `reverie serve` offers the same at /mcp.
    """
    from reverie.client.handing import Daemon
    from reverie.core.agents.environment import own_environment
    from reverie.hooks.inside import HookedWire
    from reverie.mcp.front import serve

    session.env = own_environment(os.environ)
    serve(
        lambda: session.memory,
        HookedWire(home=session.options.get("home"), dialect=session.options.get("dialect")),
        surface=surface,
        prepare=lambda: log_to_stderr(log_level.upper()),
        daemon=Daemon(
            **{name: session.options.get(name) for name in ("home", "dialect", "workspace")}
        ),
    )
