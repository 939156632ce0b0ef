"""`reverie hook`: what an agent calls. Its own way in (see `__main__`) is faster than this one."""

from __future__ import annotations

import sys

import click

from reverie.cli import Session, pass_session
from reverie.hooks import quick, shapes


@click.command()
@click.argument("event", metavar="EVENT")
@click.option(
    "--agent", type=click.Choice(shapes.AGENTS), help="Which agent calls; guessed by default."
)
@pass_session
def hook(session: Session, event: str, agent: str | None) -> None:
    """Answer an agent's hook: its JSON comes on standard input, the answer goes to standard output.

    EVENT is session-start, prompt, stop, pre-compact or session-end, or the agent's own name of it.
    Whatever goes wrong, the exit status is 0 and the agent goes on; `reverie doctor` shows the errors.
    """
    given = {
        "--agent": agent,
        "--home": session.options.get("home"),
        "--dialect": session.options.get("dialect"),
        "-C": session.options.get("workspace"),
    }
    options = [word for name, value in given.items() if value for word in (name, str(value))]
    sys.exit(quick.main([event, *options]))
