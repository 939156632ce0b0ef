"""Who may call the daemon: the token, and the checks that keep pages of other sites out.

Rules
- A token is always needed. It comes from the environment or a file for the owner alone, never from
  the command line, where other users of the machine can read it.
- On a loopback address the Host header must name the daemon: a page whose name was rebound to
  127.0.0.1 must not reach it. An Origin other than the daemon's own is refused, `null` too.
- The Unix socket needs no token: only its owner can open it.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reverie.dialect import Dialect
from reverie.errors import InvalidHost, OriginNotAllowed, Unauthorized
from reverie.local.disk import read_text, write_atomic
from reverie.local.oserrors import explained

TOKEN_FILE = "token"  # noqa: S105  # the name of the file, not a token
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "host.docker.internal")
_TOKEN_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Token:
    """The secret, and where it came from."""

    value: str
    source: str
    fresh: bool = False
    """It was made just now, so its owner has to be told."""


def load_token(state: Path, *, dialect: Dialect, env: Mapping[str, str]) -> Token:
    """Find the token: the dialect's variables, then the file; make the file when there is none."""
    for name in dialect.token_env:
        given = env.get(name, "").strip()
        if given:
            return Token(given, f"environment {name}")
    path = state / TOKEN_FILE
    known = (read_text(path, limit=_TOKEN_BYTES) or "").strip()
    if known:
        with explained(path):
            if path.stat().st_mode & 0o077:
                path.chmod(0o600)
        return Token(known, str(path))
    made = secrets.token_urlsafe(32)
    write_atomic(path, f"{made}\n".encode())
    return Token(made, str(path), fresh=True)


@dataclass(frozen=True, slots=True)
class Gate:
    """The three checks that come before everything else, in this order."""

    token: str
    hosts: frozenset[str] | None = None
    """Host headers that name the daemon; None on an address that is not loopback."""
    origins: frozenset[str] = frozenset()

    def check_place(self, headers: Mapping[str, str]) -> None:
        """Raise unless the request was meant for this daemon and comes from no foreign page."""
        host = headers.get("host", "").lower()
        if self.hosts is not None and host not in self.hosts:
            raise InvalidHost(f"the Host header {host!r} does not name this daemon")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self.origins:
            raise OriginNotAllowed(f"pages of {origin!r} may not call this daemon")

    def check_token(self, headers: Mapping[str, str]) -> None:
        """Raise unless the bearer token is right; takes the same time for every wrong one."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        wanted, offered = self.token.encode(), given.strip().encode("utf-8", "surrogateescape")
        # mem0's client says `Token` where everybody else says `Bearer`.
        if not hmac.compare_digest(wanted, offered) or scheme.lower() not in ("bearer", "token"):
            raise Unauthorized("Unauthorized")


def gate_for(token: str, *, host: str, port: int) -> Gate:
    """Make the gate of a daemon that listens on an address."""
    names = set(_LOOPBACK)
    if host not in ("127.0.0.1", "::1", "localhost"):
        own = f"[{host}]" if ":" in host else host
        return Gate(token, None, frozenset({f"http://{own.lower()}:{port}"}))
    hosts = {f"{name}:{port}" for name in names}
    if port == 80:
        hosts |= names
    return Gate(token, frozenset(hosts), frozenset(f"http://{name}" for name in hosts))
