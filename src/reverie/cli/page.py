"""The command that prints a link to the page of the running daemon."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import click

from reverie.cli import Session, json_option, pass_session


@click.command()
@json_option
@pass_session
def page(session: Session) -> None:
    """Print a link that opens the page of the running daemon, signed in.

    The token comes after the #, which browsers do not send. The link is printed and not opened,
    because the arguments of a browser can be read by other users of the machine.
    """
    from reverie.daemon.http.auth import load_token
    from reverie.errors import DaemonUnreachable
    from reverie.local.disk.files import read_text

    memory = session.memory
    state = Path(memory.workspace.state)
    facts = read_text(state / "daemon.json", limit=1 << 20)
    if facts is None:
        raise DaemonUnreachable("no daemon serves this memory; start it with `reverie serve`")
    url = str(json.loads(facts)["url"])
    token = load_token(state, dialect=memory.dialect, env=memory.env)
    link = f"{url}/#token={quote(token.value, safe='')}"
    session.emit({"url": url, "link": link}, link)
