"""Hears what the database announces: new events and new tasks of any workspace.

Rules
- A lost connection is opened again; whoever listens is told, for something may have been missed.
- A replica announces nothing, so there it is looked for what may have been missed a few times in a lease.
- Between announcements it ends what processes that stand still hold. It does so here because this connection
  is its own: those who wait for such a process may have taken every thread and every other connection.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg

from reverie.postgres.address import lively
from reverie.postgres.events import EVENTS_CHANNEL, TASKS_CHANNEL
from reverie.postgres.frozen import end_frozen

_log = logging.getLogger(__name__)
_RETRY_SECONDS = 1.0
_LOOK_SECONDS = 0.5
_LOOKS_PER_LEASE = 3


class Listener:
    """A thread with a connection of its own."""

    def __init__(
        self,
        url: str,
        *,
        heard: Callable[[str, str], None],
        missed: Callable[[], None],
        lease_seconds: float,
    ) -> None:
        self._url = url
        self._every = lease_seconds / _LOOKS_PER_LEASE
        self._lively = lively(url, lease_seconds)
        self._heard = heard
        self._missed = missed
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)

    def start(self) -> None:
        """Listen; returns when it does, or when the database cannot be reached at once."""
        self._thread.start()
        self._ready.wait(timeout=5.0)

    def stop(self) -> None:
        """Listen no more."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with psycopg.connect(self._url, autocommit=True, **self._lively) as connection:
                    for channel in (EVENTS_CHANNEL, TASKS_CHANNEL):
                        connection.execute(f"LISTEN {channel}")
                    self._ready.set()
                    self._missed()
                    self._listen(connection)
            except psycopg.errors.ReadOnlySqlTransaction:  # a replica: it announces nothing
                self._ready.set()
                self._missed()
                self._stop.wait(self._every)
            except psycopg.Error as error:
                _log.warning("the database cannot be listened to: %s", error)
                self._stop.wait(_RETRY_SECONDS)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        patience, looked = min(_LOOK_SECONDS, self._every), time.monotonic()
        while not self._stop.is_set():
            for notice in connection.notifies(timeout=patience):
                self._heard(notice.channel, notice.payload)
                if self._stop.is_set():
                    return
            if time.monotonic() - looked >= self._every:
                looked = time.monotonic()
                _end_frozen(connection)


def _end_frozen(connection: psycopg.Connection[Any]) -> None:
    try:
        ended = end_frozen(connection)
    except psycopg.Error as error:  # nobody is to miss an event for it
        _log.warning("what others hold cannot be looked at: %s", error)
        return
    if ended:
        _log.warning("%d transactions of processes that stand still were ended", ended)
