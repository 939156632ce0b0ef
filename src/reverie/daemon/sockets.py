"""The Unix socket of a home: who has the right to it, and listening on it."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from reverie.client import resident
from reverie.client.quick import LOCK_FILE, SOCKET_FILE, ShortPath
from reverie.errors import DiskFull, Locked, ReadOnly, StoreError
from reverie.local.disk.locks import file_lock
from reverie.local.disk.os_errors import explained

_log = logging.getLogger(__name__)
BACKLOG: Final = 1024
_ROOM_SECONDS: Final = 30.0
"""How long a daemon waits for one that started by itself to make room."""
_LOOK_SECONDS: Final = 0.05


@contextmanager
def socket_lock(state: Path) -> Iterator[bool]:
    """Take the right to the Unix socket of this base folder, unless another daemon has it.

    One that started by itself is asked to make room: it was only there until somebody meant it.
    """
    place, lock = str(state / SOCKET_FILE), state / LOCK_FILE
    deadline = time.monotonic() + _ROOM_SECONDS
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(file_lock(lock, wait=0.0, purpose="serving"))
            except Locked:
                there = resident.about(place)
                if there is not None and not there.get("resident"):
                    break
                if time.monotonic() > deadline:
                    break
                resident.stop(place)
                time.sleep(_LOOK_SECONDS)
            except (ReadOnly, DiskFull):  # told already
                yield False
                return
            else:
                yield True
                return
        _log.info("another daemon of this base folder has the Unix socket")
        yield False


@contextmanager
def bound_socket(path: Path) -> Iterator[socket.socket | None]:
    """Listen on a Unix socket; None where this system forbids it. Whoever asks has the right to it."""
    with ExitStack() as stack:
        try:
            short = stack.enter_context(ShortPath(str(path)))
        except OSError as error:
            _log.warning("%s; commands open the memory themselves", error)
            yield None
            return
        try:
            with explained(path):
                path.unlink(missing_ok=True)
                local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                stack.callback(local.close)
                before = os.umask(0o177)
                try:
                    local.bind(short)
                finally:
                    os.umask(before)
                local.listen(BACKLOG)
        except (StoreError, OSError) as error:  # read-only, full, or a sandbox without sockets
            _log.warning("%s There is no Unix socket; commands open the memory themselves.", error)
            yield None
            return
        stack.callback(path.unlink, missing_ok=True)
        yield local
