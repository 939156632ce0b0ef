"""Hears what the database announces: new events and new tasks of any workspace.

A lost connection is opened again; whoever listens is told, for something may have been missed.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import psycopg

from reverie.postgres.events import EVENTS_CHANNEL, TASKS_CHANNEL

_log = logging.getLogger(__name__)
_RETRY_SECONDS = 1.0
_LOOK_SECONDS = 0.5


class Listener:
    """A thread with a connection of its own."""

    def __init__(
        self, url: str, *, heard: Callable[[str, str], None], missed: Callable[[], None]
    ) -> None:
        self._url = url
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
                with psycopg.connect(self._url, autocommit=True) as connection:
                    for channel in (EVENTS_CHANNEL, TASKS_CHANNEL):
                        connection.execute(f"LISTEN {channel}")
                    self._ready.set()
                    self._missed()
                    self._listen(connection)
            except psycopg.Error as error:
                _log.warning("the database cannot be listened to: %s", error)
                self._stop.wait(_RETRY_SECONDS)

    def _listen(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        while not self._stop.is_set():
            for notice in connection.notifies(timeout=_LOOK_SECONDS):
                self._heard(notice.channel, notice.payload)
                if self._stop.is_set():
                    return
