"""Running the daemon: open the workspaces, take the port and the socket, say so, stop with grace.

Rules
- One daemon serves a workspace; a second one says who the first is.
- Standard output carries one line, the ready line; everything else goes to standard error.
- SIGTERM and SIGINT end it: no new work, streams end, the running task is finished or put back.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn

from reverie import __version__
from reverie.client.quick import SOCKET_FILE
from reverie.config import DaemonSettings
from reverie.daemon.host import Host
from reverie.daemon.http.app import build_app
from reverie.daemon.http.auth import Gate, Token, gate_for, load_token
from reverie.daemon.http.protocol import BoundedProtocol
from reverie.daemon.sockets import BACKLOG, bound_socket, socket_lock
from reverie.daemon.welcome import say_ready, welcome
from reverie.daemon.work.tidying import tidying
from reverie.dialect import Dialect
from reverie.errors import AlreadyRunning, DiskFull, Locked, PortTaken, ReadOnly
from reverie.local.disk.files import write_atomic
from reverie.local.disk.locks import file_lock
from reverie.local.settings import choose_dialect, load_settings
from reverie.local.store.paths import real_folder
from reverie.memory import Memory

_log = logging.getLogger(__name__)
FACTS_FILE = "daemon.json"
_OPEN_FILES = 1024
"""Some systems begin with 256, which the connections alone would use up."""
_OWN_FILES = 192
"""Files that the daemon needs besides its connections: databases, locks, the memory itself."""
_DRAIN_SECONDS = 5
_ACCEPT_AT_ONCE = 64
"""Fewer than may be open: each new connection is read before it could be the longest idle one."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the command line says."""

    workspaces: tuple[str, ...] = (".",)
    home: str | None = None
    dialect: str | None = None
    host: str | None = None
    port: int | None = None
    engine: str | None = None
    """`postgresql://...`: serve the memory of many from there, beside any number of daemons."""
    or_any: bool = False
    """Take any free port when another program has that one."""


def serve(options: ServeOptions, *, env: Mapping[str, str] = os.environ) -> None:
    """Serve until told to stop."""
    engine = options.engine or _configured_engine(options, env)
    if engine:
        from reverie.daemon.shared.serve import serve_shared

        serve_shared(replace(options, engine=engine), env=env)
        return
    openers = [
        partial(Memory.open, folder, home=options.home, dialect=options.dialect, env=dict(env))
        for folder in options.workspaces
    ]
    with ExitStack() as stack:
        first = stack.enter_context(openers[0]())
        settings, state = first.settings.daemon, Path(first.workspace.state)
        has_socket = stack.enter_context(socket_lock(state))
        for notice in first.notices:
            _log.warning("%s", notice.message)
        port = settings.port if options.port is None else options.port
        locks = [lane_file(first), *(_lock_file_of(opener) for opener in openers[1:])]
        listener = listen(options.host or settings.host, port, locks, or_any=options.or_any)
        stack.callback(listener.close)
        url = url_of(listener)
        for lock in dict.fromkeys(locks):
            stack.enter_context(_only_daemon(lock, url))
        token = load_token(state, dialect=first.dialect, env=env)
        host = Host(openers, gate=gate_of(listener, token, settings))
        fit_to_files(host)
        local = stack.enter_context(bound_socket(state / SOCKET_FILE)) if has_socket else None
        place = None if local is None else str(state / SOCKET_FILE)
        workspaces = [{"id": item.id, "cwd": item.cwd} for item in host.workspaces]
        facts = facts_of(url, token, host.dialect, socket=place, workspaces=workspaces)
        stack.enter_context(_facts_file(state / FACTS_FILE, facts, only=local is not None))
        sockets = [listener] if local is None else [listener, local]
        server = server_for(host, ready=partial(say_ready, facts, welcome(facts, token)))
        asyncio.run(run(host, server, sockets))


def url_of(listener: socket.socket) -> str:
    """Return the address of a daemon that listens there."""
    address, port = listener.getsockname()[:2]
    return f"http://{f'[{address}]' if ':' in address else address}:{port}"


def gate_of(listener: socket.socket, token: Token, limits: DaemonSettings) -> Gate:
    """Return who may come in; say so where that is more than a person may expect."""
    if token.notice:
        _log.warning("%s", token.notice)
    address, port = listener.getsockname()[:2]
    gate = gate_for(token.value, host=address, port=port, allowed=limits.allowed_hosts)
    if gate.hosts is None:  # pages of any name that leads here could ask for more than files
        _log.warning(
            "any name in the Host header is accepted; put the names of this daemon into"
            " daemon.allowed_hosts to keep rebound names out"
        )
    return gate


def raise_file_limit(wanted: int = _OPEN_FILES) -> int:
    """Ask for room for all connections and files; return how many files may be open now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    aim = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= aim:
        return soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (aim, hard))
    except (OSError, ValueError) as error:  # some systems have a lower bound of their own
        _log.warning("only %d files may be open: %s", soft, error)
        return soft
    return aim


def fit_to_files(host: Host) -> None:
    """Ask for as many files as the connections need; where fewer may be open, take fewer of those.

    Without this the last connection would take the file that the owner's next one, or the memory
    itself, needs.
    """
    reserved = host.socket_connections + _OWN_FILES
    room = raise_file_limit(max(_OPEN_FILES, host.max_connections + reserved))
    if room == resource.RLIM_INFINITY or room - reserved >= host.max_connections:
        return
    fitting = max(room - reserved, room // 4, 1)
    _log.warning(
        "only %d files may be open, so %d connections are accepted instead of %d (daemon.max_connections);"
        " raise the limit with `ulimit -n`",
        room,
        fitting,
        host.max_connections,
    )
    host.max_connections = fitting


def _configured_engine(options: ServeOptions, env: Mapping[str, str]) -> str:
    """Return the database that the settings name, if any: then files of this machine are not served."""
    dialect = choose_dialect(options.dialect, home=options.home, env=env)
    here = real_folder(options.workspaces[0])
    return load_settings(here, dialect=dialect, home=options.home, env=env).settings.engine.url


async def run(host: Host, server: Server, sockets: Sequence[socket.socket]) -> None:
    """Serve on sockets that are bound already, until the server is told to stop."""
    async with tidying(activity=host.metrics.activity):
        await host.start()
        try:
            await server.serve(list(sockets))
        finally:
            await host.stop()


def server_for(host: Host, *, ready: Callable[[], None]) -> Server:
    """Make the HTTP server of a host; `ready` is called when it answers."""
    protocol = type("HostProtocol", (BoundedProtocol,), {"host": host})
    config = uvicorn.Config(
        build_app(host),
        http=protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,  # the application writes it; the server would wake up for it every second
        timeout_keep_alive=host.idle_seconds,  # type: ignore[arg-type]  # it takes parts of seconds
        timeout_graceful_shutdown=_DRAIN_SECONDS,
        backlog=_ACCEPT_AT_ONCE,
    )
    server = Server(config, host=host, ready=ready)
    host.leave = server.leave
    return server


class Server(uvicorn.Server):
    """A server that tells when it is ready, ends event streams first, and exits with status 0.

    The original looks ten times a second whether it should exit; this one is told.
    """

    _loop: asyncio.AbstractEventLoop | None = None
    _told: asyncio.Event | None = None
    _exits = False

    def __init__(self, config: uvicorn.Config, *, host: Host, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._host = host
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, then say so."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)  # the loop set it to what it accepts at once
        self._ready()

    async def main_loop(self) -> None:
        """Sleep until told to stop."""
        self._loop, self._told = asyncio.get_running_loop(), asyncio.Event()
        if not self._exits:
            await self._told.wait()

    def leave(self) -> None:
        """Stop, as after a signal. May be called from any thread."""
        self.should_exit = True

    @property
    def should_exit(self) -> bool:
        """Whether to stop."""
        return self._exits

    @should_exit.setter
    def should_exit(self, value: bool) -> None:
        self._exits = value
        if value and self._loop is not None and self._told is not None:
            with suppress(RuntimeError):  # it has stopped already
                self._loop.call_soon_threadsafe(self._told.set)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening; event streams would otherwise keep their connections open."""
        self._host.end_streams()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM; unlike the original, a stop that was asked for is no failure."""
        loop = asyncio.get_running_loop()
        caught = (signal.SIGINT, signal.SIGTERM)
        with suppress(ValueError, RuntimeError):  # not the main thread: somebody else stops us
            for number in caught:
                loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            with suppress(ValueError, RuntimeError):
                for number in caught:
                    loop.remove_signal_handler(number)


def lane_file(memory: Memory) -> Path:
    """Return the lock of whoever serves a workspace."""
    return Path(memory.workspace.state) / f"lane-{memory.workspace.project_id}.lock"


def _lock_file_of(opener: Callable[[], Memory]) -> Path:
    with opener() as memory:
        return lane_file(memory)


def listen(host: str, port: int, locks: Sequence[Path], *, or_any: bool) -> socket.socket:
    """Take the port, or say who has it."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, proto)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        for lock in locks:
            with _only_daemon(lock, "looking"):
                pass
        if or_any and port:
            _log.warning("another program listens on %s:%d, so another port is used", host, port)
            return listen(host, 0, locks, or_any=False)
        raise PortTaken(
            f"another program listens on {host}:{port}; choose another port with --port, or 0 for any"
        ) from None
    listener.listen(BACKLOG)
    return listener


@contextmanager
def _only_daemon(lock: Path, url: str) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(file_lock(lock, wait=0.0, purpose=f"serving {url}"))
        except Locked as error:
            raise AlreadyRunning(
                f"{error.evidence.get('holder', 'another daemon')} already serves this workspace"
            ) from None
        except (ReadOnly, DiskFull) as error:  # where nothing can be written, two do no harm
            _log.warning("%s Memory can only be read.", error)
        yield


@contextmanager
def _facts_file(path: Path, facts: Mapping[str, Any], *, only: bool) -> Iterator[None]:
    """Leave a note where the daemon is, for whoever looks for it."""
    if not only:
        yield
        return
    try:
        write_atomic(path, (json.dumps(facts, indent=2) + "\n").encode())
    except (ReadOnly, DiskFull) as error:
        _log.warning("%s Programs that look for the daemon will not find it.", error)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def facts_of(url: str, token: Token, dialect: Dialect, **more: Any) -> dict[str, Any]:
    """Return what programs are told of a daemon."""
    return {
        "url": url,
        "pid": os.getpid(),
        "version": __version__,
        "dialect": dialect.name,
        "tokenSource": token.source,
        **more,
    }
