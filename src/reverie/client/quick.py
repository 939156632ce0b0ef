"""Asking a daemon on this machine from a process that must start fast: no library, few imports.

Rules
- A hook starts a process at every prompt, so this imports neither `typing` nor an HTTP library, and
  nothing of Reverie. The few names it needs of each dialect are repeated here; a test compares them.
- None means: do it yourself. Nobody is there, or whoever is there does not serve this folder, or
  this process has settings in its environment that the daemon does not have, or it refused.
- After a timeout the request may still be carried out. Ask only for what may be asked twice.
- The socket is for its owner alone and needs no token; one of somebody else is not used.
- Every request says which version of Reverie asks, and what its environment says about meaning. A daemon
  that started by itself answers only its like, so that nobody gets another answer than without it.
"""

from __future__ import annotations

import os
import time

# With `_json` and `_signal` this saves a hook 12 ms of 29: docs/adr/0010-hooks.md.
from _socket import AF_UNIX, SOCK_STREAM
from _socket import socket as Socket  # noqa: N812  # it is a class

from reverie import __version__
from reverie.client import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SOCKET_FILE = "daemon.sock"
LOCK_FILE = "daemon.lock"
"""Held by whoever has the socket."""
SOCKET_PATH_BYTES = 104
"""What every system allows for the path of a Unix socket (macOS the least)."""
CALLER_HEADER = "X-Reverie-Caller"
_MAX_ANSWER = 64 * 1024 * 1024
_PIECE = 1 << 16
_MOMENT_SECONDS = 2.0
_LOOK_SECONDS = 0.2
"""How often somebody who may give up is asked whether they did."""

# dialect: (folder in HOME, state folder below it, variables of the base folder, ours to respect)
PLACES = {
    "reverie": (
        ".reverie", "state", ("REVERIE_HOME",),
        ("REVERIE_MEMORY_LOCAL", "REVERIE_MEMORY_PROJECT_SCOPE"),
    ),
    "qwen": (
        ".qwen", "reverie", ("QWEN_CODE_MEMORY_BASE_DIR", "QWEN_RUNTIME_DIR"),
        ("QWEN_CODE_MEMORY_LOCAL", "QWEN_CODE_MEMORY_PROJECT_SCOPE"),
    ),
    "claude": (
        ".claude", "reverie", ("CLAUDE_CONFIG_DIR",),
        ("REVERIE_MEMORY_LOCAL", "REVERIE_MEMORY_PROJECT_SCOPE"),
    ),
}  # fmt: skip


class Unanswered(OSError):
    """Nobody answered, or what answered is not a daemon."""

    sent = False
    """The request went out, so it may be carried out all the same."""


def ask(
    home: str | None,
    workspace: str,
    path: str,
    body: Mapping[str, object] | None = None,
    *,
    timeout: float,
    dialect: str | None = None,
    env: Mapping[str, str] = os.environ,
) -> dict[str, object] | None:
    """Return a running daemon's answer for a folder, or None when the caller has to do it itself.

    `home` is the base folder, None for the usual one. `path` is a route of the reference, such as
    `/workspace/recall`; without a body it is a GET.
    """
    try:
        place = socket_of(home, dialect=dialect, env=env)
        if place is None:
            return None
        folder = project_of(workspace)
        status, wire = exchange(place, folder, path, body, timeout=timeout)
    except OSError:
        return None
    return wire if status < 400 and isinstance(wire, dict) else None


def socket_of(home: str | None, *, dialect: str | None, env: Mapping[str, str]) -> str | None:
    """Return where the daemon's socket is; None when there is none that we may use."""
    state = shared_state_of(home, dialect=dialect, env=env)
    if not state:
        return None
    place = os.path.join(state, SOCKET_FILE)
    try:
        mine = os.stat(place).st_uid == os.geteuid()
    except OSError:
        return None
    return place if mine else None


def shared_state_of(home: str | None, *, dialect: str | None, env: Mapping[str, str]) -> str:
    """Return the state folder, empty when this process has settings that are its own alone."""
    if "REVERIE_ENGINE" in env or any(name.startswith("REVERIE_") and "__" in name for name in env):
        return ""
    name = dialect or env.get("REVERIE_DIALECT") or _configured(_base("reverie", home, env))
    if name not in PLACES or any(variable in env for variable in PLACES[name][3]):
        return ""
    return os.path.join(_base(name, home, env), PLACES[name][1])


def caller_of(env: Mapping[str, str]) -> str:
    """Say who asks, as far as an answer depends on it."""
    return f"{__version__} {env.get('REVERIE_EMBEDDER', '')}".strip()


def state_of(home: str | None, *, dialect: str | None, env: Mapping[str, str]) -> str:
    """Return the state folder; ValueError when the dialect is none of ours."""
    name = dialect or env.get("REVERIE_DIALECT") or _configured(_base("reverie", home, env))
    if name not in PLACES:
        raise ValueError(f"there is no dialect {name!r}")
    return os.path.join(_base(name, home, env), PLACES[name][1])


def project_of(folder: str) -> str:
    """Return the root of the project around a folder, else the folder itself."""
    here = current = os.path.realpath(folder)
    while True:
        try:
            kind = os.lstat(os.path.join(current, ".git")).st_mode & 0o170000
        except OSError:
            kind = 0
        if kind in (0o040000, 0o100000):  # a folder, or the file of a worktree or submodule
            return current
        above = os.path.dirname(current)
        if above == current:
            return here
        current = above


def exchange(
    place: str,
    folder: str,
    path: str,
    body: Mapping[str, object] | None,
    *,
    timeout: float,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[int, object]:
    """Send one request through a socket; return status and JSON, or raise `Unanswered`.

    Args:
        folder: Whose memory; empty when it is about the daemon itself.
        cancelled: Says that nobody wants the answer any more.
    """
    deadline = time.monotonic() + timeout
    data, sent = b"", False
    try:
        with Connection(place, timeout=timeout) as connection:
            sent = True
            connection.sendall(request(folder, path, body))
            for piece in _pieces(connection, deadline, cancelled):
                data += piece
        head, _, payload = data.partition(b"\r\n\r\n")
        return int(head.split()[1]), plainjson.loads(payload) if payload.strip() else None
    except (OSError, ValueError, IndexError) as error:
        broken = Unanswered(f"no daemon answers at {place}: {error}")
        broken.sent = sent
        raise broken from None


def progress(place: str, folder: str) -> object:
    """Ask how far a daemon is with what takes long; None where it cannot say that."""
    try:
        status, told = exchange(place, folder, "/workspace/progress", None, timeout=_MOMENT_SECONDS)
    except Unanswered:
        return None
    return told if status == 200 else None


class Connection(Socket):
    """A connection to a Unix socket, however long its path is."""

    def __init__(self, place: str, *, timeout: float) -> None:
        super().__init__(AF_UNIX, SOCK_STREAM)
        self.settimeout(timeout)
        try:
            with ShortPath(place) as short:
                self.connect(short)
        except OSError:
            self.close()
            raise

    def __enter__(self) -> Connection:
        """Return the connection, which is open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up."""
        self.close()


class ShortPath:
    """A path for a socket's address, which has little room: by the open folder where it is longer."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._folder = -1

    def __enter__(self) -> str:
        """Return the path, or raise OSError where this system has no way to shorten it."""
        if len(os.fsencode(self._place)) < SOCKET_PATH_BYTES:
            return self._place
        if not os.path.isdir("/proc/self/fd"):
            raise OSError(f"{self._place} is too long for a Unix socket")
        above, name = os.path.split(self._place)
        self._folder = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return f"/proc/self/fd/{self._folder}/{name}"

    def __exit__(self, *_: object) -> None:
        """Close the folder."""
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1


def request(folder: str, path: str, body: Mapping[str, object] | None) -> bytes:
    """Write a request as it goes through the socket."""
    target = f"/workspaces/{_quoted(folder)}{path.removeprefix('/workspace')}" if folder else path
    content = b"" if body is None else plainjson.dumps(body).encode()
    head = (
        f"{'GET' if body is None else 'POST'} {target} HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        f"{CALLER_HEADER}: {_quoted(caller_of(os.environ))}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + content


def _pieces(
    connection: Connection, deadline: float, cancelled: Callable[[], bool] | None
) -> Iterator[bytes]:
    room = _MAX_ANSWER
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        connection.settimeout(min(left, _LOOK_SECONDS) if cancelled else left)
        try:
            piece = connection.recv(_PIECE)
        except TimeoutError:
            if cancelled is None or cancelled():
                raise
            continue
        room -= len(piece)
        if room < 0:
            raise OSError("the answer is too large")
        if not piece:
            return
        yield piece


def _quoted(text: str) -> str:
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in os.fsencode(text))


def _base(dialect: str, home: str | None, env: Mapping[str, str]) -> str:
    folder, _, variables, _ = PLACES[dialect]
    person = env.get("HOME") or os.path.expanduser("~")
    chosen = home or next((env[name] for name in variables if env.get(name)), None)
    if chosen is None:
        chosen = os.path.join(person, folder)
    elif chosen == "~" or chosen.startswith("~/"):
        chosen = person + chosen[1:]
    return os.path.abspath(chosen)


def at_once(path: str, flags: int) -> int:
    """Open a file as `open` does, but never wait: a named pipe in its place has nothing to say."""
    return os.open(path, flags | os.O_NONBLOCK)


def _configured(base: str) -> str:
    """Read the dialect's name from the user's settings; only its plain form is understood here."""
    try:
        with open(os.path.join(base, "config.toml"), encoding="utf-8", opener=at_once) as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return "reverie"
    except ValueError:
        return ""
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip(" \t\"'") == "dialect":
            return value.partition("#")[0].strip(" \t\"'")
        if line.lstrip().startswith("["):
            break  # top-level keys come first
    return "reverie"
