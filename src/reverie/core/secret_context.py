"""Secrets that no shape of their own gives away, only what stands around them.

A private key has its frame, a connection password its address, credentials their header, and a
password or token the name it is given to. Each function yields spans of the view it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from reverie.core.secret_names import Asks, How, given
from reverie.core.secret_rules import (
    ASSIGNMENT,
    AUTHORIZATION,
    CONNECTION,
    PASSWORD,
    PRIVATE_KEY,
)
from reverie.core.secret_values import TRAILING, is_mention, is_secret, value_span, whole
from reverie.core.secret_view import lower

if TYPE_CHECKING:
    from reverie.core.secret_rules import (
        Found,
    )

_KEY_HEAD: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_TAIL: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# A body that was cut off: lines of base64, perhaps quoted, indented or with written-out \n.
_KEY_LINES: Final = re.compile(r"(?:(?:[\s>|\"',*#]|\\[nr])*+[A-Za-z0-9+/=]{16,}+)+")
_KEY_LINE: Final = re.compile(
    r"(?:[ \t>|#]{0,20}(?:\r?\n|\\n)){1,3}[ \t>|#]{0,20}[A-Za-z0-9+/=]{4,200}[ \t]{0,9}(?:\r?\n|\\n|$)"
)
_KEY_INSIDE: Final = re.compile(r"[A-Za-z0-9+/=]{24}")
_BLANKS: Final = frozenset("xX0\\nr \t\r\n>|#*\"',")
_LONGEST_KEY: Final = 20_000

_USERINFO: Final = re.compile(
    r"://([^\s\0:/@?#<>\"'`]{0,100}):([^\s\0@/<>\"'`]{1,256})@([A-Za-z0-9_.\[-]{0,80})"
)
_CURL_USER: Final = re.compile(
    r"(?:-u|--user)[ \t=]{1,3}[\"']?([^\s:\"'\0]{1,80}):([^\s\"'\0]{4,128})()"
)
_STAND_INS: Final = frozenset(
    {"pass", "password", "passwd", "pwd", "pw", "secret", "token", "key", "p", "mypassword"}
)
_LOCAL: Final = frozenset(
    {"localhost", "127.0.0.1", "[", "db", "postgres", "mysql", "redis", "mongo"}
)

_SCHEME: Final = re.compile(
    r"(?:authorization[\"'`]{0,2}[ \t]{0,3}[:=][ \t]{0,3}[\"'`]{0,2}"
    r"(?:(basic|bearer|token|digest|apikey|bot)[ \t]{1,3})?|(?<![a-z])bearer[ \t]{1,3}[\"'`]?)"
)
_CREDENTIAL: Final = re.compile(r"[A-Za-z0-9._~+/=-]{12,}+")
_STATED: Final = (
    (  # hunter2abc is the password
        re.compile(
            r"(?i)(?<![^\s\"'`])([^\s\0\"'`<>|]{6,128})[\"'`]?[ \t](?:is|as|ist|est)[ \t]"
            r"(?:the|my|our|a|das|le)?[ \t]?(?:\w{1,16}[ \t])?pass(?:word|wort|phrase)"
            r"(?![\w-]|[ \t](?!for|of|to|on|für))"
        ),
        ("password", "passwort", "passphrase"),
    ),
    (  # login: admin / hunter2abc
        re.compile(
            r"(?i)(?<![a-z])(?:login|logins|credentials?|creds|user/pass(?:word)?|username/password|账号密码"
            r"|用户名密码)[*_`]{0,3}[ \t]?(?:is|are|[:=])[*_`]{0,3}[ \t]{0,3}[\w.@+-]{2,60}[ \t]?[/:|,][ \t]?"
            r"([^\s\0\"'`<>|]{6,128})"
        ),
        ("login", "credential", "creds", "user/pass", "username/pass", "账号密码", "用户名密码"),
    ),
)


def private_keys(text: str) -> Iterator[Found]:
    """Find private key blocks that have a body; a header in a sentence is only a mention."""
    heads = list(_KEY_HEAD.finditer(text))
    if not heads:
        return
    limits = [head.start() for head in heads[1:]] + [len(text)]
    for head, limit in zip(heads, limits, strict=True):
        body, limit = head.end(), min(limit, head.end() + _LONGEST_KEY)
        tail = _KEY_TAIL.search(text, body, limit)
        lines = _KEY_LINES.match(text, body, limit) or _KEY_LINE.match(text, body, limit)
        if lines and not set(lines[0]) - _BLANKS:
            continue
        if tail and (lines or _KEY_INSIDE.search(text, body, tail.start())):
            yield head.start(), tail.end(), PRIVATE_KEY.id
        elif lines:
            yield head.start(), lines.end(), PRIVATE_KEY.id


def connections(text: str) -> Iterator[Found]:
    """Find passwords in addresses (`scheme://user:password@host`) and after `curl -u`."""
    patterns = []
    if "://" in text and "@" in text:
        patterns.append(_USERINFO)
    if "curl" in text:
        patterns.append(_CURL_USER)
    for pattern in patterns:
        for match in pattern.finditer(text):
            user, password, host = match.groups()
            if not _is_shown(password) and not (password == user and host in _LOCAL):
                yield *match.span(2), CONNECTION.id


def authorizations(text: str) -> Iterator[Found]:
    """Find the credentials of an Authorization header, and tokens after `Bearer`."""
    lowered = lower(text)
    if "authorization" not in lowered and "bearer" not in lowered:
        return
    for scheme in _SCHEME.finditer(lowered):
        match = _CREDENTIAL.match(text, scheme.end())
        if match is None or is_mention(match[0]):
            continue
        mixed = any(map(str.isdigit, match[0]))
        if mixed or (scheme[1] == "basic" and not match[0].islower()):
            yield match.start(), match.end(), AUTHORIZATION.id


def assignments(text: str) -> Iterator[Found]:
    """Find concrete values given to names that ask for a password, a key or a token."""
    last = (0, 0)
    for place in given(lower(text)):
        if last[0] <= place.start < last[1]:  # a name inside a value, which may be very long
            continue
        span = value_span(text, place.start, query=place.query)
        if span and is_secret(text[slice(*span)], place.asks, place.how):
            last = whole(text, span)
            yield *last, (PASSWORD if place.asks is Asks.PASSWORD else ASSIGNMENT).id


def stated(text: str) -> Iterator[Found]:
    """Find passwords that stand before the word, and pairs of a user and a password."""
    lowered = lower(text)
    for pattern, words in _STATED:
        if any(word in lowered for word in words):
            for match in pattern.finditer(text):
                value = match[1].rstrip(TRAILING)
                if is_secret(value, Asks.PASSWORD, How.VERB):
                    yield match.start(1), match.start(1) + len(value), PASSWORD.id


def _is_shown(password: str) -> bool:
    """Tell whether an address only shows where the password goes; there, digits are a password."""
    if len(password) < 4 or password.isdigit():
        return len(password) < 4
    return password.lower() in _STAND_INS or is_mention(password)
