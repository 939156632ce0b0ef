"""What the two clients share: where the daemon is, who asks, and where a broken stream goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from reverie.client.calls import UNPACKED, Call, Calls, error_of
from reverie.client.nearby import reachable
from reverie.client.pace import Backoff
from reverie.client.sse import DaemonEvent, SseReader
from reverie.errors import DaemonUnreachable, NotAllowed, ReverieError

DEFAULT_URL = "http://127.0.0.1:4170"
REQUEST_SECONDS = 30.0
SILENCE_SECONDS = 45.0
"""A stream that is silent for longer than three heartbeats is dead."""


class Connection:
    """A daemon and the one who asks it, before the first request."""

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        workspace: str = "",
        client_id: str = "",
        header_prefix: str = "X-Reverie",
        socket: str | Path | None = None,
        timeout: float = REQUEST_SECONDS,
    ) -> None:
        self._calls = Calls(
            workspace=workspace,
            header_prefix=header_prefix,
            client_id=client_id,
            token=token_or_environment(token) if socket is None else "",
        )
        self._stack = ExitStack()
        self._timeout = timeout
        base = base_url(url) if socket is None else "http://localhost"
        checked = needs_certificates(base)
        path = None if socket is None else reachable(socket, self._stack)
        self._connect(
            None if path is None else {"uds": path, "verify": checked},
            {"base_url": base, "verify": checked, "trust_env": False, "headers": UNPACKED},
        )

    def _connect(self, transport: dict[str, Any] | None, options: dict[str, Any]) -> None:
        """Make the HTTP client of this colour; a transport is for a Unix socket."""
        raise NotImplementedError

    @property
    def client_id(self) -> str:
        """The registered client id, empty before `register`."""
        return self._calls.client_id


class Listening:
    """A stream of events that may break: what was seen, and whether another try makes sense."""

    def __init__(self, calls: Calls, last: int | None, *, reconnect: bool) -> None:
        self._calls = calls
        self._last = last
        self._reconnect = reconnect
        self._epoch = ""
        self._met = False
        self._backoff = Backoff()
        self._reader = SseReader()

    def call(self) -> Call[None]:
        """Return the request for what comes after the last event seen."""
        return self._calls.events(last_id=self._last, epoch=self._epoch)

    def begin(self, headers: Mapping[str, str]) -> None:
        """Take note that the daemon answered."""
        self._epoch = headers.get(self._calls.epoch_header, self._epoch)
        self._met, self._backoff, self._reader = True, Backoff(), SseReader()

    def feed(self, piece: bytes) -> Iterator[DaemonEvent]:
        """Yield the events that a piece completes."""
        for event in self._reader.feed(piece):
            self._last = event.id if event.id is not None else self._last
            yield event

    def broke(self, error: Exception) -> None:
        """Raise, unless this daemon answered before and may answer again."""
        if not (self._reconnect and self._met) or isinstance(error, NotAllowed):
            raise unreachable(error) from error

    def pause(self) -> float:
        """Return how long to wait before the next try, which misses nothing."""
        self._last = 0 if self._last is None else self._last
        return self._backoff.next()


def base_url(url: str | None) -> str:
    """Return where the daemon is: the address given, the one in the environment, or the usual one."""
    return (url or os.environ.get("REVERIE_SERVER_URL") or DEFAULT_URL).rstrip("/")


def needs_certificates(url: str) -> bool:
    """Say whether certificates are checked: always but for plain HTTP, where loading them is in vain."""
    return not url.lower().startswith("http:")


def token_or_environment(token: str | None) -> str:
    """Return the token given, or the one in the environment."""
    names = ("REVERIE_SERVER_TOKEN", "QWEN_SERVER_TOKEN")
    return token or next((os.environ[name] for name in names if os.environ.get(name)), "")


def raise_for(status: int, content: bytes) -> None:
    """Raise the error that an answer names."""
    try:
        wire = json.loads(content)
    except (ValueError, RecursionError):
        wire = None
    raise error_of(status, wire)


def unreachable(error: Exception) -> ReverieError:
    """Say that nobody answered; an error of ours stays what it is."""
    if isinstance(error, ReverieError):
        return error
    return DaemonUnreachable(f"no daemon answered: {error}. Start one with `reverie serve`.")
