"""The list of resources: answered at once to a client that waits for it, and followed from then on.

Rules
- A client may say nothing to its model before it has this list. So a daemon is asked, or the stored words;
  only when neither knows, the memory is opened.
- The list is followed from the mark it had when it was answered. The memory is opened for that, too, but
  a while later: by then a short run is over.
"""

from __future__ import annotations

import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.client.handing import Daemon
    from reverie.mcp.resources import Row
    from reverie.mcp.runner import LateRunner
    from reverie.mcp.wire import JSON

METHOD = "resources/list"
_SCOPES = ("user", "project")
"""As `Scope` has them, which stored topics name by their number; a test compares."""
_FIRST_SECONDS = 10.0
_LOOK_SECONDS = 1.0
_PAUSE_FOR_EACH_SECOND = 50.0
"""A look at a large memory takes long; this keeps a processor free of it for most of the time."""


def listed(runner: LateRunner, daemon: Daemon | None, cursor: str | None) -> tuple[JSON, str]:
    """Return one page of the resources, and the mark of the whole list."""
    if daemon is not None and not runner.is_open:
        told = daemon.read(METHOD, {"cursor": cursor} if cursor else {})
        if told is not None:
            return told["answer"], str(told["mark"])
        from reverie.mcp import resources

        stored = _stored(daemon)
        if stored is not None:
            return resources.listed(stored, cursor), resources.mark_of(stored)
    from reverie.mcp import resources

    rows = runner.lend(resources.rows_of)
    return resources.listed(rows, cursor), resources.mark_of(rows)


def _stored(daemon: Daemon) -> list[Row] | None:
    from reverie.local.recall.quick import quick_topics

    try:
        state, project = daemon.stored
        docs = quick_topics(state=state, project=project)
    except (OSError, ValueError):
        return None
    if docs is None:
        return None
    return [(_SCOPES[doc.root], doc.rel, doc.name, doc.description, doc.updated) for doc in docs]


class Follower:
    """Tells a client that has listed the resources when the list changes."""

    def __init__(self, runner: LateRunner, mark: str, tell: Callable[[], None]) -> None:
        self._runner = runner
        self._tell = tell
        self._wake = threading.Event()
        self._over = False
        self._seen = mark
        threading.Thread(target=self._watch, daemon=True).start()

    def hurry(self) -> None:
        """Look at once: something was written here."""
        self._wake.set()

    def stop(self) -> None:
        """Tell nothing more."""
        self._over = True
        self._wake.set()

    def _watch(self) -> None:
        pause = _FIRST_SECONDS
        while True:
            self._wake.wait(pause)
            self._wake.clear()
            if self._over:
                return
            start = time.monotonic()
            try:
                seen = self._look()
                if seen != self._seen and not self._over:
                    self._seen = seen
                    self._tell()
            except OSError:
                return  # the client is gone
            except Exception as error:  # noqa: BLE001  # a lock, a full disk: the next look tells
                import logging

                told = "changes of memory cannot be looked for: %s"
                logging.getLogger(__name__).warning(told, error)
            pause = max(_LOOK_SECONDS, _PAUSE_FOR_EACH_SECOND * (time.monotonic() - start))

    def _look(self) -> str:
        from reverie.mcp import resources

        return resources.mark_of(self._runner.lend(resources.rows_of))
