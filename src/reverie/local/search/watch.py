"""Keep an index up to date while files change.

Rules
- An event only says that it is time to look; what changed is found by looking (see `changes`), so a
  missed, doubled or wrong event does no harm. A look without any event comes now and then all the same.
- A burst of changes is taken in once: two seconds after it began at the latest.
- Where the system cannot tell about changes, or the library is missing, folders are looked at in turn.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reverie.errors import ReverieError
from reverie.local.search.sources import watched
from reverie.types import Indexed, Problem

if TYPE_CHECKING:
    from reverie.config import SearchSettings
    from reverie.local.search.index import SearchIndex

__all__ = ["watch"]

_LOOK_SECONDS: Final = 30.0  # at most this long without a look, whatever the system tells
_QUIET_MS: Final = 200  # a pause this long ends a burst


def watch(
    index: SearchIndex,
    on_sync: Callable[[Indexed], None],
    *,
    settings: SearchSettings,
    stop: threading.Event | None = None,
    poll: bool = False,
) -> None:
    """Sync now and after every change, until `stop` is set. Failures are reported, not raised."""
    stop = stop or threading.Event()
    _sync(index, on_sync, always=True)
    for _ in _beats(index, settings.debounce_seconds, stop, poll=poll):
        _sync(index, on_sync)


def _sync(index: SearchIndex, on_sync: Callable[[Indexed], None], *, always: bool = False) -> None:
    try:
        done = index.sync(wait=_LOOK_SECONDS)
    except ReverieError as error:
        done = Indexed(0, 0, 0, 0, current=False, problems=(Problem(error.code, str(error)),))
    if always or done.files or done.removed or not done.current:
        on_sync(done)


def _beats(
    index: SearchIndex, debounce: float, stop: threading.Event, *, poll: bool
) -> Iterator[None]:
    """Yield whenever it is time to look."""
    try:
        from watchfiles import watch as events
    except ImportError:
        poll = True
    pause = max(int(debounce * 1000), 1)
    while not stop.is_set():
        folders = _folders(index)
        if poll or not folders:
            if not stop.wait(debounce):
                yield
            continue
        try:
            # What happened before the watching began brought no event: the first pause is a look, too.
            due = 0.0
            for changes in events(
                *folders,
                watch_filter=None,
                debounce=pause,
                step=min(_QUIET_MS, pause),
                stop_event=stop,
                rust_timeout=pause,
                yield_on_timeout=True,
                recursive=False,
            ):
                if changes or time.monotonic() >= due:
                    due = time.monotonic() + _LOOK_SECONDS
                    yield
                    if _folders(index) != folders:
                        break
        except (OSError, RuntimeError):  # no inotify, too many watches, a folder just removed
            poll = True


def _folders(index: SearchIndex) -> list[Path]:
    """List the folders whose changes matter; of one that is missing, the nearest above it."""
    found: dict[str, None] = {}
    for root in index.roots:
        for start in watched(root):
            found[_existing(start)] = None
            for folder, below, _ in os.walk(start):
                below[:] = [name for name in below if not name.startswith(".")]
                found[folder] = None
        found[_existing(root.path)] = None
    return [Path(folder) for folder in found]


def _existing(path: Path) -> str:
    while not path.is_dir() and path != path.parent:
        path = path.parent
    return str(path)
