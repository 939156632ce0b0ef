"""What goes over the wire: how often a call waits for the server, from libpq's own trace."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reverie.postgres.database import Database

_ASKS = {"Sync", "Flush", "Query"}
"""After one of these the server answers."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one call cost."""

    trips: int
    statements: int
    rows: int


class Wire:
    """What goes between a pool's connections and the server, from now on."""

    def __init__(self, database: Database, folder: Path) -> None:
        pool = database.pool
        self._traces: list[Path] = []
        for connection in [pool.getconn() for _ in range(pool.max_size)]:
            trace = folder / f"trace{len(self._traces)}"
            self._traces.append(trace)
            # The stream that libpq makes of it writes as long as the connection lives.
            connection.pgconn.trace(os.open(trace, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600))
            pool.putconn(connection)

    def cost(self, call: Callable[[], Any]) -> Traffic:
        """Say what a call costs."""
        known = [len(part) for part in self._written()]
        call()
        fresh = [part[at:] for part, at in zip(self._written(), known, strict=True)]
        costs = [_read(part.decode("utf-8", "replace")) for part in fresh]
        return Traffic(*(sum(column) for column in zip(*map(astuple, costs), strict=True)))

    def _written(self) -> list[bytes]:
        ctypes.CDLL(None).fflush(None)  # libpq leaves the last lines in its buffer
        return [trace.read_bytes() for trace in self._traces]


def _read(trace: str) -> Traffic:
    trips = statements = rows = 0
    waiting = False
    for line in trace.splitlines():
        # Time, who sent it (F: we, B: the server), its size, and what it is.
        parts = line.split("\t")
        if len(parts) < 4 or parts[1] not in ("F", "B"):
            continue
        who, what = parts[1], parts[3]
        if who == "B":
            waiting = False
            rows += what == "DataRow"
        elif what in _ASKS:
            trips += not waiting
            waiting = True
        statements += who == "F" and what in ("Execute", "Query")
    return Traffic(trips, statements, rows)
