"""The resident daemon: started in the background by whoever found none, ended by itself when nobody asks.

Rules
- One for each home: who has the lock of the socket stays, all others end at once, before they import much.
- It belongs to nobody: no parent, no terminal, none of the files of whoever started it.
- An older version makes room for a newer one, after what it began is done; never the other way round.
- It serves the Unix socket alone, in a folder that is its owner's alone.
- Where the home cannot be written, the settings say no, or sockets are forbidden, it ends and says why in
  its log; whoever started it has answered long ago.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reverie import __version__
from reverie.client import quick, resident

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import ExitStack

    from reverie.memory import Memory

HANDOVER_SECONDS: Final = 60.0
_LOG_BYTES: Final = 1_000_000
_MOST_FILES: Final = 4096


def main(words: Sequence[str]) -> int:
    """Serve the home that the options name until nobody asks any more."""
    _leave_the_parent()
    options = dict(zip(words[::2], words[1::2], strict=True))
    home, dialect = options.get("--home"), options.get("--dialect")
    state = quick.shared_state_of(home, dialect=dialect, env=os.environ)
    if not state or not _is_private(state):
        return 1
    _begin_log()
    from contextlib import ExitStack

    from reverie.local.disk import patterns

    with ExitStack() as stack:
        if _is_alone(Path(state), stack):
            patterns.keep()
            _serve(Path(state), home, dialect)
            patterns.store()
    return 0


def _leave_the_parent() -> None:
    """Become a process of nobody, in a session of its own, without any file but the log."""
    if os.fork():
        os._exit(0)  # whoever started us has nobody to wait for
    if os.getsid(0) != os.getpid() and os.getpgrp() != os.getpid():
        os.setsid()
    os.closerange(3, _MOST_FILES)
    os.chdir("/")
    os.umask(0o077)


def _is_private(state: str) -> bool:
    """Keep others out of the folder of the socket; False when it is not ours."""
    facts = os.lstat(state)
    if facts.st_uid != os.geteuid():
        return False
    if facts.st_mode & 0o077:
        os.chmod(state, 0o700)  # noqa: PTH101
    return True


def _begin_log() -> None:
    import logging

    if os.fstat(2).st_size > _LOG_BYTES:
        os.ftruncate(2, 0)
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
    )
    for name in ("uvicorn", "uvicorn.error", "reverie.daemon.http.app"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _is_alone(state: Path, stack: ExitStack) -> bool:
    """Take the lock of the socket; an older resident is asked to make room first."""
    from reverie.errors import Locked, StoreError
    from reverie.local.disk.locks import file_lock

    lock, place = state / quick.LOCK_FILE, str(state / quick.SOCKET_FILE)
    try:
        stack.enter_context(file_lock(lock, wait=0.0, purpose="resident"))
    except Locked:
        there = resident.about(place)
        if there is None or not there.get("resident"):
            return False
        if not is_newer(__version__, str(there.get("version"))) or not resident.stop(place):
            return False
        try:
            stack.enter_context(file_lock(lock, wait=HANDOVER_SECONDS, purpose="resident"))
        except Locked:
            return False
    except StoreError:
        return False
    return True


def is_newer(version: str, other: str) -> bool:
    """Say whether a version comes after another."""
    return _release(version) > _release(other)


def _release(version: str) -> tuple[int, ...]:
    numbers = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)


def _serve(state: Path, home: str | None, dialect: str | None) -> None:
    import asyncio
    import logging
    import secrets
    from functools import partial

    from reverie.local.settings import choose_dialect, load_settings

    log = logging.getLogger(__name__)
    # For this process alone: what it starts ends soon, and Python's own way is a tenth faster.
    os.environ.pop(resident.HEAP, None)
    env = dict(os.environ)
    names = choose_dialect(dialect, home=home, env=env)
    settings = load_settings(Path("/"), dialect=names, home=home, env=env).settings
    if not settings.daemon.resident or settings.engine.url:
        why = "memory is kept in a database" if settings.engine.url else "daemon.resident is false"
        (state / resident.TRIED_FILE).write_text(f"{why}\n", encoding="utf-8")
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from reverie.daemon.http.auth import Gate
    from reverie.daemon.resident_host import ResidentHost
    from reverie.daemon.serve import fit_to_files, run, server_for
    from reverie.daemon.sockets import bound_socket

    opener = partial(_open, home=home, dialect=dialect, env=env)
    gate = Gate(secrets.token_urlsafe(32))  # nobody comes in but through the socket
    host = ResidentHost(opener, settings, dialect=names, gate=gate, env=env)
    fit_to_files(host)

    def ready() -> None:
        (state / resident.TRIED_FILE).unlink(missing_ok=True)
        log.info("Reverie %s serves %s", __version__, state)

    with bound_socket(state / quick.SOCKET_FILE) as local:
        if local is not None:
            asyncio.run(run(host, server_for(host, ready=ready), [local]))
            log.info("ended")


def _open(folder: str, *, home: str | None, dialect: str | None, env: Mapping[str, str]) -> Memory:
    """Open the memory of a folder; a function of its own, so that readers can call it, too."""
    from reverie.memory import Memory

    return Memory.open(folder, home=home, dialect=dialect, env=env)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
