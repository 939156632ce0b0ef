"""Following the list of resources for a client that has asked for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.mcp.runner import LateRunner

_log = logging.getLogger(__name__)
_LOOK_SECONDS = 1.0
_PAUSE_FOR_EACH_SECOND = 50.0
"""A look at a large memory takes long; this keeps a processor free of it for most of the time."""


class Follower:
    """Tells a client of an older revision, which has listed the resources, when the list changes."""

    def __init__(self, runner: LateRunner, tell: Callable[[], None]) -> None:
        self._runner = runner
        self._tell = tell
        self._wake = threading.Event()
        self._over = False
        self._seen = self._look()
        threading.Thread(target=self._watch, daemon=True).start()

    def hurry(self) -> None:
        """Look at once: something was written here."""
        self._wake.set()

    def stop(self) -> None:
        """Tell nothing more."""
        self._over = True
        self._wake.set()

    def _watch(self) -> None:
        took = 0.0
        while not self._over:
            self._wake.wait(max(_LOOK_SECONDS, _PAUSE_FOR_EACH_SECOND * took))
            self._wake.clear()
            start = time.monotonic()
            try:
                seen = self._look()
                if seen != self._seen and not self._over:
                    self._seen = seen
                    self._tell()
            except OSError:
                return  # the client is gone
            except Exception as error:  # noqa: BLE001  # a lock, a full disk: the next look tells
                _log.warning("changes of memory cannot be looked for: %s", error)
            took = time.monotonic() - start

    def _look(self) -> set[str]:
        from reverie.mcp.resources import topic_uri  # with the memory, which is open by now

        return self._runner.lend(lambda memory: {topic_uri(item) for item in memory.store.topics()})
