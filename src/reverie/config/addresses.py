"""Addresses in settings, and the one way to show one.

Rules
- An address may carry a password, a token or a key: before the host, or after the question mark. It
  is shown by `shown_address` and by nothing else: on a terminal, in JSON, in an error, a log, an
  index's facts.
- What is shown is listed, not what is hidden: a parameter that nobody knows is a secret.
- A password that should have been escaped (`@`, `/`, `?`, `#`) must not leak for that reason, so
  whatever cannot be taken apart is hidden rather than shown.
"""

from __future__ import annotations

import re
from typing import Final

ADDRESS_KEYS: Final = frozenset({"embedder.url", "model.url", "engine.url"})
"""The settings whose values are addresses."""
HIDDEN: Final = "***"

# What a parameter may be called for its value to be shown; sslpassword, token, key, sig are not here.
_PLAIN: Final = frozenset({
    "api-version", "api_version", "application_name", "channel_binding", "connect_timeout", "dbname",
    "deployment", "gssencmode", "host", "hostaddr", "keepalives", "load_balance_hosts", "model", "port",
    "region", "sslmode", "sslnegotiation", "sslrootcert", "target_session_attrs", "user", "version",
})  # fmt: skip
_HOST: Final = re.compile(r"(?:[\w.~-]*|\[[\w:.%]*\])(?::\d{0,5})?(?:,[\w.:~,\[\]-]*)?")
_BARE: Final = re.compile(r"[\w.~-]*(?::\d{1,5})?(?:/[\w.~/-]*)?")
# A part of a path that looks like a key: some gateways want one there.
_KEY: Final = re.compile(
    r"(?<=/)(?:(?:sk|pk|hf|gsk|xai|key|ghp|gho|glpat)[-_][^/]{8,}"
    r"|(?=[^/]*\d)(?=[^/]*[a-z])(?=[^/]*[A-Z])[^/]{24,})"
)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://")
_WORD: Final = re.compile(r"\s*([A-Za-z_]+)\s*=\s*('(?:[^'\\]|\\.)*'|[^\s']*)")


def shown_address(address: str) -> str:
    """Return an address as it may be shown to anybody.

    >>> shown_address("postgresql://ada:s3same@db.example/memory?sslmode=require&sslpassword=x")
    'postgresql://ada:***@db.example/memory?sslmode=require&sslpassword=***'
    >>> shown_address("https://token@models.example/v1?key=x")
    'https://***@models.example/v1?key=***'
    >>> shown_address("host=db user=ada password='s3 same'")
    'host=db user=ada password=***'
    """
    scheme = _SCHEME.match(address)
    if scheme is None:
        return _shown_words(address)
    rest = address[scheme.end() :]
    place = re.split(r"[?#]", rest, maxsplit=1)[0]
    authority = place.split("/", 1)[0]
    person = ""
    if "@" in place or not _HOST.fullmatch(authority):
        source = place if "@" in place else rest
        person, at, _ = source.rpartition("@")
        if not at:
            return f"{scheme[0]}{HIDDEN}"
        rest = rest[len(person) + 1 :]
        person = _shown_person(person, scheme[0]) + "@"
    place = re.split(r"[?#]", rest, maxsplit=1)[0]
    shown = _KEY.sub(HIDDEN, place)
    return f"{scheme[0]}{person}{shown}{_shown_query(rest[len(place) :])}"


def shown_setting(key: str, value: object) -> object:
    """Return the value of a setting as it may be shown."""
    return shown_address(value) if key in ADDRESS_KEYS and isinstance(value, str) else value


def _shown_person(person: str, scheme: str) -> str:
    """A role of a database is a name; what stands before the host of a web service may be a token."""
    name, colon, _ = person.partition(":")
    if not scheme.lower().startswith("postgres") or not re.fullmatch(r"[\w.~-]*", name):
        return HIDDEN
    return f"{name}:{HIDDEN}" if colon else name


def _shown_query(query: str) -> str:
    if not query:
        return ""
    if query.startswith("#"):
        return f"#{HIDDEN}"
    pairs, hash_, _ = query[1:].partition("#")
    shown = []
    for pair in pairs.split("&"):
        name, equals, _ = pair.partition("=")
        plain = equals and re.fullmatch(r"[\w.-]{1,40}", name)
        if plain and name.lower() in _PLAIN:
            shown.append(pair)
        else:
            shown.append(f"{name}={HIDDEN}" if plain else HIDDEN if pair else "")
    return "?" + "&".join(shown) + (f"#{HIDDEN}" if hash_ else "")


def _shown_words(text: str) -> str:
    """Show the other form of a database's address: words and values."""
    if _BARE.fullmatch(text):
        return text
    shown, at, text = [], 0, text.rstrip()
    while at < len(text):
        word = _WORD.match(text, at)
        if word is None:
            return HIDDEN
        name = word[1]
        shown.append(f"{name}={word[2] if name.lower() in _PLAIN else HIDDEN}")
        at = word.end()
    return " ".join(shown)
