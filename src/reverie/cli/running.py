"""What `status` and `doctor` say of the daemon of a home, and the stopping of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.client import resident
from reverie.client.quick import SOCKET_FILE

if TYPE_CHECKING:
    from reverie.memory import Memory


@dataclass(frozen=True, slots=True)
class RunningDaemon:
    """The daemon that answers at the socket of a home."""

    pid: int
    version: str
    resident: bool
    """It started by itself."""
    started: datetime
    bytes: int
    workspaces: int


def running_daemon(state: Path) -> RunningDaemon | None:
    """Return who answers at the socket; None when nobody does."""
    place = state / SOCKET_FILE
    found = resident.about(str(place)) if place.exists() else None
    if found is None:
        return None
    return RunningDaemon(
        int(str(found["pid"])),
        str(found["version"]),
        bool(found["resident"]),
        datetime.fromisoformat(str(found["startedAt"])),
        int(str(found["bytes"])),
        int(str(found["workspaces"])),
    )


def told_daemon(memory: Memory, found: RunningDaemon | None) -> str:
    """Say in words whether a daemon runs, and what can be done about it."""
    if found is not None:
        what = "A resident daemon runs" if found.resident else "A daemon runs"
        return (
            f"{what}: process {found.pid}, version {found.version}, since"
            f" {found.started.astimezone():%Y-%m-%d %H:%M}, {found.bytes / 1e6:,.0f} MB;"
            " `reverie serve --stop` ends it."
        )
    if not memory.settings.daemon.resident:
        return "No daemon runs, and none starts by itself (daemon.resident is false)."
    if os.environ.get(resident.SWITCH):
        return f"No daemon runs, and none is started from here ({resident.SWITCH} is set)."
    why = ""
    tried = Path(memory.workspace.state, resident.TRIED_FILE)
    if tried.exists():
        why = " The last one that was started did not stay"
        log = Path(memory.workspace.state, resident.LOG_FILE)
        why += f"; {log} may say why." if log.exists() else "."
    return f"No daemon runs; one starts in the background when it is needed.{why}"
