"""A daemon on this machine, asked through its Unix socket; errors come back as their classes.

The socket is for its owner alone and needs no token. When there is no daemon, the caller opens the
memory itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from reverie.client import quick
from reverie.errors import DaemonUnreachable


def reachable(socket_file: Path | str, stack: ExitStack) -> str:
    """Return a path by which a socket can be connected to as long as the stack is open."""
    try:
        return stack.enter_context(quick.ShortPath(str(socket_file)))
    except OSError:  # said when somebody tries to connect, as for any other missing daemon
        return str(socket_file)


def ask(
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    socket_file: Path | str,
    workspace: str,
    timeout: float = 5.0,
) -> Any:
    """Send one request for a workspace's folder; raise `DaemonUnreachable` when nobody is there."""
    try:
        status, wire = quick.exchange(str(socket_file), workspace, path, body, timeout=timeout)
    except quick.Unanswered as error:
        raise DaemonUnreachable(str(error), sent=error.sent) from None
    if status >= 400:
        from reverie.client.calls import error_of  # a command that gets its answer needs none of it

        raise error_of(status, wire)
    return wire
