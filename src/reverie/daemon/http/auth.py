"""Who may call the daemon: the token, and the checks that keep pages of other sites out.

Rules
- A token is always needed. It comes from the environment or a file for the owner alone, never from
  the command line, where other users of the machine can read it.
- On every loopback address the Host header must name the daemon: a page whose name was rebound to
  127.0.0.1 must not reach it. On other addresses `daemon.allowed_hosts` says which names do; without
  it any name leads there. An Origin other than the daemon's own is refused, `null` too.
- The Unix socket needs no token: only its owner can open it.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from pathlib import Path

from reverie.dialect import Dialect
from reverie.errors import DiskFull, InvalidHost, OriginNotAllowed, ReadOnly, Unauthorized
from reverie.local.disk.files import read_text, write_atomic
from reverie.local.disk.os_errors import explained

TOKEN_FILE = "token"  # noqa: S105  # the name of the file, not a token
NOWHERE = "nowhere"
"""The source of a token that could not be written down."""
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "host.docker.internal")
_TOKEN_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Token:
    """The secret, and where it came from."""

    value: str
    source: str
    fresh: bool = False
    """It was made just now, so its owner has to be told."""
    notice: str = ""
    """What its owner should know besides."""


def load_token(state: Path, *, dialect: Dialect, env: Mapping[str, str]) -> Token:
    """Find the token: the dialect's variables, then the file; make the file when there is none."""
    for name in dialect.token_env:
        given = env.get(name, "").strip()
        if given:
            return Token(given, f"environment {name}")
    path = state / TOKEN_FILE
    known = (read_text(path, limit=_TOKEN_BYTES) or "").strip()
    if known:
        return Token(known, str(path), notice=_tightened(path))
    made = secrets.token_urlsafe(32)
    try:
        write_atomic(path, f"{made}\n".encode())
    except (ReadOnly, DiskFull) as error:
        told = f"{error} The token is not stored: it is only for this run of the daemon."
        return Token(made, NOWHERE, fresh=True, notice=told)
    return Token(made, str(path), fresh=True)


def _tightened(path: Path) -> str:
    """Take a token that others could read from them; say so, for they may have read it."""
    with explained(path):
        if not path.stat().st_mode & 0o077:
            return ""
        try:
            path.chmod(0o600)
        except OSError as error:
            return f"other users of this machine can read {path} ({error.strerror}); make another token"
    return (
        f"other users of this machine could read {path}; now only you can. If one may have, remove the"
        " file and start the daemon again: it makes a new token."
    )


@dataclass(frozen=True, slots=True)
class Gate:
    """The three checks that come before everything else, in this order."""

    token: str
    hosts: frozenset[str] | None = None
    """Host headers that name the daemon; None allows any, for want of a rule."""
    origins: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    """Further names of the daemon, with whatever port: a proxy may have another one."""

    def check_place(self, headers: Mapping[str, str]) -> None:
        """Raise unless the request was meant for this daemon and comes from no foreign page."""
        host = headers.get("host", "").lower()
        if self.hosts is not None and host not in self.hosts and _name(host) not in self.names:
            raise InvalidHost(
                f"the Host header {host!r} does not name this daemon; put further names into"
                " daemon.allowed_hosts"
            )
        origin = headers.get("origin")
        if origin is not None and not self._own_page(origin.lower()):
            raise OriginNotAllowed(f"pages of {origin!r} may not call this daemon")

    def _own_page(self, origin: str) -> bool:
        scheme, _, host = origin.partition("://")
        return origin in self.origins or (scheme in ("http", "https") and _name(host) in self.names)

    def check_token(self, headers: Mapping[str, str]) -> None:
        """Raise unless the bearer token is right; takes the same time for every wrong one."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        wanted, offered = self.token.encode(), given.strip().encode("utf-8", "surrogateescape")
        # mem0's client says `Token` where everybody else says `Bearer`.
        if not hmac.compare_digest(wanted, offered) or scheme.lower() not in ("bearer", "token"):
            raise Unauthorized("Unauthorized")


def gate_for(token: str, *, host: str, port: int, allowed: Sequence[str] = ()) -> Gate:
    """Make the gate of a daemon that listens on an address and may be called by further names."""
    own = (f"[{host}]" if ":" in host else host).lower()
    further = frozenset(name.lower() for name in allowed) - {"*"}
    named, exact = (
        frozenset(name for name in further if (_name(name) == name) is wanted)
        for wanted in (True, False)
    )
    if not _is_loopback(host):
        hosts = exact | {f"{own}:{port}"} if further and "*" not in allowed else None
        origins = frozenset(f"http://{name}" for name in (f"{own}:{port}", *exact))
        return Gate(token, hosts, origins, named)
    names = {*_LOOPBACK, own}
    hosts = frozenset(f"{name}:{port}" for name in names) | exact
    if port == 80:
        hosts |= names
    origins = frozenset(f"http://{name}" for name in hosts)
    return Gate(token, None if "*" in allowed else hosts, origins, named)


def _is_loopback(host: str) -> bool:
    """Say whether only this machine can reach an address: all of 127.0.0.0/8, and ::1."""
    if host.lower() == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def _name(host: str) -> str:
    """Return a Host header without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() and not name.endswith(":") else host
