"""Commands through a running daemon, over its Unix socket: it has everything open already.

Rules
- It is asked only when it serves this base folder and this project, and when no setting is in our
  environment, for such settings are not the daemon's.
- When it cannot do it (nobody there, stopping, busy, not its project, words it does not take) the
  command opens the memory itself and says the same; `via` in the JSON tells which way it went.
- A write whose answer never came is not done again: the journal tells whether it was done.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar

from reverie.client.quick import progress, project_of, socket_of
from reverie.errors import (
    DaemonUnreachable,
    InvalidInput,
    NotFound,
    OtherProcess,
    TooBusy,
    Unavailable,
    UntrustedFolder,
    WorkspaceNotFound,
)

Value = TypeVar("Value")
_READ_SECONDS = 30.0
_WRITE_SECONDS = 310.0
"""A little more than a task may take."""


class Missing(Exception):
    """No daemon answers for this home, or one of another version, so that one may be started."""

    def __init__(self, *, gone: bool = True) -> None:
        super().__init__()
        self.gone = gone
        """A socket is there all the same."""


def from_daemon(
    options: Mapping[str, Any],
    path: str,
    body: Mapping[str, Any] | None,
    kind: type[Value],
    *,
    writes: bool,
) -> Value | None:
    """Return the daemon's outcome, or None when the command has to open the memory itself.

    Raises:
        Missing: It has to, for nobody is there.
    """
    place = socket_of(options.get("home"), dialect=options.get("dialect"), env=os.environ)
    if place is None:
        raise Missing(gone=False)
    if os.environ.get("OPENAI_MODEL"):  # a command would ask that model, a daemon does not know it
        return None
    from reverie.client.decode import decode
    from reverie.client.nearby import ask
    from reverie.progress import Following

    project = project_of(options.get("workspace") or ".")
    timeout = _WRITE_SECONDS if writes else _READ_SECONDS
    try:
        with Following(partial(progress, place, project)):
            wire = ask(path, body, socket_file=place, workspace=project, timeout=timeout)
    except DaemonUnreachable as error:
        if writes and error.evidence.get("sent"):
            raise DaemonUnreachable(
                "the daemon went away before it answered; `reverie log` shows whether it was done",
            ) from None
        raise Missing from None
    except OtherProcess:
        raise Missing from None
    except NotFound as error:
        # An older daemon without this route; what else was not found, the answer says.
        if isinstance(error, WorkspaceNotFound) or type(error) is NotFound:
            return None
        raise
    except (Unavailable, TooBusy, UntrustedFolder, InvalidInput):
        return None
    return decode(kind, wire)
