"""Routes: where text of ours may go, and what gives access there.

Rules
- A route is one scheme, one host and one port. A key belongs to its route and goes nowhere else.
- What an address carries besides host and path (a name with a password, parameters) is taken out of
  it: it is put on the wire by the client in `outbound` and is seen by nobody before.
- Without TLS a key goes to this machine only, unless the setting `plain_http` says otherwise.
- An address of this machine or its own network is asked directly, whatever proxy is set.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

from reverie.config import shown_address
from reverie.errors import BadSetting

KeyHeader: TypeAlias = Literal["Authorization", "x-api-key", "x-goog-api-key"]

_PORTS: Final = {"http": 80, "https": 443}
_LOCAL_NAMES: Final = (".localhost", ".localdomain", ".local", ".internal", ".home.arpa", ".lan")
_LOCAL_NETS: Final = (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.168.0.0/16", "::/127", "fc00::/7", "fe80::/10",
)  # fmt: skip
_KEY: Final = re.compile(r"[\x21-\x7e]+(?: [\x21-\x7e]+)*")


@dataclass(frozen=True, slots=True)
class Route:
    """A way to one host."""

    scheme: str
    host: str
    port: int
    url: str
    """Scheme, host and path: all that anybody but the wire needs to know."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Headers that give access."""
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False, compare=False)
    """Parameters of every request."""

    @property
    def name(self) -> str:
        """How the host is called in a message."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def route_to(
    address: str,
    *,
    setting: str,
    path: str = "",
    key: str = "",
    header: KeyHeader = "Authorization",
    plain_http: bool = False,
) -> Route:
    """Read an address; `BadSetting` says what is wrong with it, and never repeats a secret.

    Args:
        address: Where to, as it was set.
        setting: Which setting it came from, for messages.
        path: What is added to its path.
        key: What gives access there, empty for nothing.
        header: Which header takes the key.
        plain_http: Whether a key may leave this machine without TLS.
    """
    address = address.strip()
    shown = shown_address(address)
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise BadSetting(f"{setting} is not a readable address: {shown}", key=setting) from None
    if parts.scheme not in _PORTS or not _names_a_host(host):
        raise BadSetting(
            f"{setting} must begin with http:// or https:// and name a host: {shown}", key=setting
        )
    person = parts.netloc.rpartition("@")[0]
    secrets = _headers(key, header, person, setting)
    bare = not secrets and shown == address
    if parts.scheme == "http" and not (bare or is_loopback(host) or plain_http):
        raise BadSetting(_unprotected(shown, setting), key=setting)
    place = parts.netloc.rpartition("@")[2]
    return Route(
        parts.scheme,
        host.lower(),
        port or _PORTS[parts.scheme],
        f"{parts.scheme}://{place}{parts.path.rstrip('/')}{path}",
        secrets,
        tuple(parse_qsl(parts.query, keep_blank_values=True)),
    )


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine itself."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    return _within(name, ("127.0.0.0/8", "::1/128", "0.0.0.0/32", "::/128"))


def is_local(host: str) -> bool:
    """Say whether a host is this machine or on its own network, by its name alone."""
    name = host.lower().rstrip(".")
    if is_loopback(name) or name.endswith(_LOCAL_NAMES):
        return True
    if ":" not in name and "." not in name:  # no name of the internet: ollama, gpu-box
        return True
    return _within(name, _LOCAL_NETS)


def _within(name: str, nets: tuple[str, ...]) -> bool:
    from ipaddress import IPv6Address, ip_address, ip_network

    try:
        address = ip_address(_dotted(name) or name.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    return any(address in ip_network(net) for net in nets)


def _dotted(name: str) -> str:
    """Write an IPv4 address as the system's resolver reads it: `127.1`, `2130706433`, `0x7f.0.0.1`."""
    parts = name.split(".")
    if len(parts) > 4 or not all(re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}|\d{1,11}", p) for p in parts):
        return ""
    try:
        values = [int(p, 16 if p[:2] in ("0x", "0X") else 8 if p[0] == "0" else 10) for p in parts]
    except ValueError:  # 08 is no octal number
        return ""
    *firsts, last = values
    if any(value > 255 for value in firsts) or last >= 256 ** (5 - len(parts)):
        return ""
    number = sum(value << (24 - 8 * at) for at, value in enumerate(firsts)) + last
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))


def _names_a_host(host: str) -> bool:
    """Refuse what is no host, so that no odd character reaches the wire or a message."""
    return bool(re.fullmatch(r"[\w.~-]{1,253}|[0-9A-Fa-f:.]{2,45}(?:%[\w.~-]{1,30})?", host))


def _headers(key: str, header: KeyHeader, person: str, setting: str) -> dict[str, str]:
    key = key.strip()
    if key and person:
        raise BadSetting(
            f"{setting} holds a name or password, and there is a key as well: only one of them can be"
            " sent. Take one away.",
            key=setting,
        )
    if key:
        # A library would repeat the whole value in its error.
        if not _KEY.fullmatch(key):
            raise BadSetting(
                f"the key for {setting} has characters that no header can carry (a line break, or not"
                " ASCII); look at the variable it comes from",
                key=setting,
            )
        return {header: f"Bearer {key}" if header == "Authorization" else key}
    if person:
        name, _, password = person.partition(":")
        pair = f"{unquote(name)}:{unquote(password)}".encode()
        return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
    return {}


def _unprotected(shown: str, setting: str) -> str:
    section = setting.partition(".")[0]
    return (
        f"{setting} is {shown}: without TLS, everybody on the way could read the key. Use https://, or"
        f" send no key (set {section}.key_env to a variable that is empty), or allow it for a network"
        f" you trust with `reverie config set {section}.plain_http true`"
    )
