"""Waking the resident: the daemon that a home starts for itself, and that ends itself when it is not needed.

Rules
- Whoever finds no daemon starts one after it has answered, and waits for nothing: the process is made and
  left alone. It has a session of its own, none of our files and no terminal.
- It gets of our environment what says where the home is and how words are written, and nothing else: it
  outlives us and serves every project, so what one project put into an environment must not reach it.
- It takes its memory from the C library, which gives free pages back one by one. Python's own way keeps a
  million bytes for one that is used: then an idle one with 10,000 topics held 114 MB instead of 81.
- Which one stays is decided there, by a lock. Here a file's time keeps us from trying again and again.
- `daemon.resident = false`, or REVERIE_RESIDENT=off, and there is none. Nothing here ever fails: without a
  resident everything works, slower.
- As light as `quick`, for a hook uses it.
"""

from __future__ import annotations

import os
import sys
import time

from reverie.client import quick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SWITCH = "REVERIE_RESIDENT"
"""`off` in the environment: start no resident."""
TRIED_FILE = "resident.tried"
"""Its time says when a resident was last started; words in it, why there is none by these settings."""
LOG_FILE = "resident.log"
MODULE = "reverie.daemon.resident"
HEAP = "PYTHONMALLOC"
RETRY_SECONDS = 60.0
_LOOK_SECONDS = 0.05
_OFF = ("off", "0", "no", "false")
_ASKED_BY_US = "REVERIE_ASKED_BY_REVERIE"
_FOLDERS = frozenset(name for row in quick.PLACES.values() for name in row[2])
_KEPT = _FOLDERS | {
    "HOME", "LANG", "LANGUAGE", "LOGNAME", "OPENBLAS_NUM_THREADS", "PATH", "REVERIE_DIALECT",
    "REVERIE_EMBEDDER", "TMPDIR", "TZ", "USER",
}  # fmt: skip


def wake(
    home: str | None,
    *,
    dialect: str | None = None,
    env: Mapping[str, str] = os.environ,
    gone: bool = False,
) -> int | None:
    """Start the resident of a base folder in the background, if there is to be one; return its process.

    Args:
        gone: Nobody answered at the socket, so that it is there means nothing.
    """
    try:
        if env.get(SWITCH, "").lower() in _OFF or _ASKED_BY_US in env:
            return None
        state = quick.shared_state_of(home, dialect=dialect, env=env)
        if not state or (not gone and os.path.lexists(os.path.join(state, quick.SOCKET_FILE))):
            return None
        if os.stat(state).st_uid != os.geteuid() or not _due(state) or not _wanted(state):
            return None
        with open(os.path.join(state, TRIED_FILE), "wb", opener=_private):
            pass  # on a disk that cannot be written this fails, and with it the start
        return _start(state, home, dialect, env)
    except (OSError, ValueError, NotImplementedError):
        return None


def about(place: str, *, timeout: float = 2.0) -> dict[str, object] | None:
    """Return what the daemon at a socket says of itself; None when none answers."""
    try:
        status, wire = quick.exchange(place, "", "/daemon", None, timeout=timeout)
    except OSError:
        return None
    return wire if status < 400 and isinstance(wire, dict) else None


def stop(place: str, *, timeout: float = 2.0) -> bool:
    """Ask the daemon at a socket to end when it has done what it began; False when none answers."""
    try:
        status, _ = quick.exchange(place, "", "/daemon/stop", {}, timeout=timeout)
    except OSError:
        return False
    return status < 400


def end(state: str, *, seconds: float = 10.0) -> None:
    """End the daemon of a home that is about to be removed, also one that only starts."""
    place, tried = os.path.join(state, quick.SOCKET_FILE), os.path.join(state, TRIED_FILE)
    deadline = time.monotonic() + seconds
    while not stop(place) and os.path.exists(tried) and time.monotonic() < deadline:
        time.sleep(_LOOK_SECONDS)


def settings_files(state: str) -> tuple[str, str]:
    """Return where a person's settings may be, seen from the state folder."""
    return os.path.join(state, "config.toml"), os.path.join(state, "..", "config.toml")


def _due(state: str) -> bool:
    """Tell whether it is time to try: not again a moment later, nor before the settings say otherwise."""
    try:
        tried = os.stat(os.path.join(state, TRIED_FILE))
    except FileNotFoundError:
        return True
    if not tried.st_size:
        return abs(time.time() - tried.st_mtime) >= RETRY_SECONDS
    for path in settings_files(state):
        try:
            if os.stat(path).st_mtime >= tried.st_mtime:
                return True
        except OSError:
            continue
    return False


def _wanted(state: str) -> bool:
    """Tell whether the person's settings leave it switched on; nobody else's are looked at."""
    for path in settings_files(state):
        try:
            with open(path, "rb", opener=quick.at_once) as file:
                text = file.read()
        except FileNotFoundError:
            continue
        if b"resident" in text:
            import tomllib

            section = tomllib.loads(text.decode()).get("daemon")
            if isinstance(section, dict) and section.get("resident") is False:
                return False
    return True


def _start(state: str, home: str | None, dialect: str | None, env: Mapping[str, str]) -> int:
    # -P: no folder that the process is started in stands in for a module.
    words = [sys.executable, "-P", "-m", MODULE]
    given = (("--home", home and os.path.abspath(os.path.expanduser(home))), ("--dialect", dialect))
    words += [word for name, value in given if value for word in (name, value)]
    kept = {name: env[name] for name in env if name in _KEPT or name.startswith("LC_")}
    for name in kept.keys() & _FOLDERS:  # it is started in another folder
        if not kept[name].startswith("~"):
            kept[name] = os.path.abspath(kept[name])
    kept |= _heap()
    log = os.path.join(state, LOG_FILE)
    writing = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, log, writing, 0o600),
    ]
    try:
        return os.posix_spawn(sys.executable, words, kept, file_actions=files, setsid=True)
    except NotImplementedError:  # the process makes a session of its own as soon as it runs
        return os.posix_spawn(sys.executable, words, kept, file_actions=files)


def _heap() -> dict[str, str]:
    """Return what lets Python take its memory from the C library, where that can give it back in pieces."""
    try:
        known = os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, ValueError, OSError):
        known = None
    return {HEAP: "malloc"} if known else {}


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
