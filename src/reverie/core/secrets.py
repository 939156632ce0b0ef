"""The one secret scanner: every text is read by it before it is written anywhere.

Rules:

* It finds values, not mentions; a finding names the rule and the place, never the value.
* It reads through disguises: invisible characters and full-width letters inside a token, and
  Markdown marks or joined string literals between its parts.
* Redaction puts a visible placeholder in place of the value and changes nothing else; a placeholder
  is never part of a finding, so what was redacted is clean.
* Time is linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reverie.core.secret_rules import (
    ASSIGNMENT,
    AUTHORIZATION,
    CONNECTION,
    PASSWORD,
    PRIVATE_KEY,
    RULES,
    TOKEN_RULES,
    compiled,
)
from reverie.core.secret_values import (
    BARE,
    FLAG,
    GIVES,
    NAMES,
    QUOTED,
    Asks,
    is_mention,
    is_secret,
    trimmed,
)
from reverie.types import SecretFinding

__all__ = ["RULES", "Match", "added", "find", "redact", "scan"]

_PLACEHOLDER: Final = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]+"
)
# Marks that split a token on the page but not in the eye: **ghp_**abc, `sk-`abc, "AKIA" + "...", \_
_JOINTS: Final = re.compile(
    r"(?<=[A-Za-z0-9_-])(?:[*`~]{1,3}|\\(?=[_*-])|\"[ \t]{0,3}[+.&]?[ \t]{0,3}\"|'[ \t]{0,3}[+.&]?[ \t]{0,3}')"
    r"(?=[A-Za-z0-9_-])"
)
_PEM: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY: Final = re.compile(r"(?:(?:[\s>|\"',*#]|\\[nr])*+[A-Za-z0-9+/=]{16,}+)+")
_PEM_LINE: Final = re.compile(r"(?:[ \t>|#]*(?:\r?\n|\\n)){1,3}[ \t>|#]*[A-Za-z0-9+/=]{4,}[ \t]*(?:\r?\n|\\n|$)")
_PEM_MAX: Final = 20_000
_USERINFO: Final = re.compile(
    r"://([^\s\0:/@?#<>\"'`]{0,100}):([^\s\0@/<>\"'`]{1,256})@([A-Za-z0-9_.\[-]{0,80})"
)
_COMMON_PASSWORDS: Final = frozenset({"pass", "password", "passwd", "pwd", "pw", "secret", "token", "key"})
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "[", "db", "postgres", "mysql", "redis"})
_SCHEME: Final = re.compile(
    r"(?:authorization[\"'`]{0,2}[ \t]{0,3}[:=][ \t]{0,3}[\"'`]{0,2}(?:(basic|bearer|token|digest|apikey|bot)[ \t]{1,3})?"
    r"|(?<![a-z])(bearer)[ \t]{1,3}[\"'`]?)"
)
_CREDENTIAL: Final = re.compile(r"[A-Za-z0-9._~+/=-]{8,4096}")
_CURL_USER: Final = re.compile(r"(?:-u|--user)[ \t=]{1,3}[\"']?([^\s:\"'\0]{1,80}):([^\s\"'\0]{4,128})")


@dataclass(frozen=True, slots=True)
class Match:
    """Which characters of the text are a secret, and by which rule."""

    start: int
    end: int
    rule: str


def find(text: str, *, allow: Collection[str] = ()) -> list[Match]:
    """Find the spans of the secrets in a text, in order; they never overlap.

    `allow` names rules whose findings are left out.
    """
    view = _seen(text)
    found = list(_matches(view))
    if _JOINTS.search(view.text):
        found += _matches(_without(view, _JOINTS))
    return [match for match in _resolved(found) if match.rule not in allow]


def scan(text: str, *, allow: Collection[str] = ()) -> list[SecretFinding]:
    """List the secrets in a text by rule and place (1-based line and column), never the value."""
    return _findings(text, find(text, allow=allow))


def redact(
    text: str, *, before: str | None = None, allow: Collection[str] = ()
) -> tuple[str, list[SecretFinding]]:
    """Put `[redacted:rule]` in place of each secret; say what was found and where it stood.

    With `before`, values that already stood in that text are left as they are.
    """
    old = _values(before, find(before)) if before else frozenset()
    first = _fresh(text, find(text, allow=allow), old)
    redacted = _replaced(text, first)
    # Cutting one value out may lay open another beside it; each round leaves fewer characters.
    while more := _fresh(redacted, find(redacted, allow=allow), old):
        redacted = _replaced(redacted, more)
    return redacted, _findings(text, first)


def added(
    before: str | None, after: str, *, allow: Collection[str] = ()
) -> list[SecretFinding]:
    """List the secrets of `after` whose value did not already stand in `before`.

    A secret that was in the user's file must not block an edit of another line.
    """
    matches = find(after, allow=allow)
    if before and matches:
        matches = _fresh(after, matches, _values(before, find(before)))
    return _findings(after, matches)


# --- the text as it is seen ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _View:
    """A folded text and the way back to the characters it came from."""

    text: str
    cuts: tuple[int, ...] = (0,)
    shifts: tuple[int, ...] = (0,)
    parent: _View | None = None

    def source(self, at: int) -> int:
        here = at + self.shifts[bisect_right(self.cuts, at) - 1]
        return self.parent.source(here) if self.parent else here

    def match(self, start: int, end: int, rule: str) -> Match:
        return Match(self.source(start), self.source(end - 1) + 1, rule)


def _seen(text: str) -> _View:
    """Fold width and fonts one to one, blank out placeholders, drop what is invisible."""
    folded = _PLACEHOLDER.sub(lambda match: "\0" * len(match[0]), text)
    if folded.isascii():
        return _View(folded)
    folded = folded.translate(_folding())
    view = _View(folded)
    return _without(view, _INVISIBLE) if _INVISIBLE.search(folded) else view


def _without(view: _View, pattern: re.Pattern[str]) -> _View:
    pieces: list[str] = []
    cuts, shifts = [0], [0]
    at = kept = 0
    for match in pattern.finditer(view.text):
        pieces.append(view.text[at : match.start()])
        kept += match.start() - at
        at = match.end()
        if cuts[-1] == kept:
            cuts.pop(), shifts.pop()
        cuts.append(kept)
        shifts.append(at - kept)
    pieces.append(view.text[at:])
    return _View("".join(pieces), tuple(cuts), tuple(shifts), view)


@lru_cache(maxsize=1)
def _folding() -> dict[int, str]:
    """Map full-width and mathematical letters, and every kind of space, to plain ones."""
    table = dict.fromkeys((0xA0, 0x3000, 0x202F, 0x205F, *range(0x2000, 0x200B)), " ")
    for code in (*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800)):
        plain = unicodedata.normalize("NFKC", chr(code))
        if plain.isascii() and len(plain) == 1:
            table[code] = plain
    return table


def _lower(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


# --- the rules -------------------------------------------------------------------------------------


def _matches(view: _View) -> Iterator[Match]:
    """Yield every match, the most telling rule first."""
    text = view.text
    yield from _private_keys(view)
    for rule in TOKEN_RULES:
        if not any(hint in text for hint in rule.hints):
            continue
        for match in compiled(rule).finditer(text):
            group = 1 if match.re.groups else 0
            value = match[group]
            if not _is_dummy(value) and (not rule.digit or any(map(str.isdigit, value))):
                yield view.match(*match.span(group), rule.id)
    lowered = _lower(text)
    yield from _connections(view)
    yield from _authorizations(view, lowered)
    yield from _assignments(view, lowered)


def _is_dummy(value: str) -> bool:
    """Tell whether a token of a known shape is filled with nothing: `ghp_xxxx...`, `sk-your-key`."""
    body = re.split(r"[-_.]", value)[-1].lower()
    return len(set(body) - set("x0*.-_")) == 0 or bool(
        re.search(r"(?i)x{8,}|(?:^|[-_.])(?:your|example|placeholder|redacted|replace|insert)(?:$|[-_.])", value)
    )


def _private_keys(view: _View) -> Iterator[Match]:
    text = view.text
    if "PRIVATE KEY" not in text:
        return
    heads = list(_PEM.finditer(text))
    limits = [head.start() for head in heads[1:]] + [len(text)]
    for head, limit in zip(heads, limits, strict=True):
        limit = min(limit, head.end() + _PEM_MAX)
        end = _PEM_END.search(text, head.end(), limit)
        body = _PEM_BODY.match(text, head.end(), end.start() if end else limit)
        line = _PEM_LINE.match(text, head.end(), limit)
        inside = end and re.search(r"[A-Za-z0-9+/=]{24}", text[head.end() : end.start()])
        if end and (inside or line):
            yield view.match(head.start(), end.end(), PRIVATE_KEY.id)
        elif found := body or line:
            yield view.match(head.start(), found.end(), PRIVATE_KEY.id)


def _connections(view: _View) -> Iterator[Match]:
    if "://" in view.text and "@" in view.text:
        for match in _USERINFO.finditer(view.text):
            user, password, host = match[1], match[2], match[3]
            shown = password.lower() in _COMMON_PASSWORDS or is_mention(password)
            default = password == user and host in _LOCAL
            if not (shown or default) or password.isdigit() and len(password) > 3:
                yield view.match(*match.span(2), CONNECTION.id)
    if "curl" in view.text:
        for match in _CURL_USER.finditer(view.text):
            if match[2].lower() not in _COMMON_PASSWORDS and not is_mention(match[2]):
                yield view.match(*match.span(2), CONNECTION.id)


def _authorizations(view: _View, lowered: str) -> Iterator[Match]:
    if "authorization" not in lowered and "bearer" not in lowered:
        return
    for scheme in _SCHEME.finditer(lowered):
        value = _CREDENTIAL.match(view.text, scheme.end())
        if value is None or is_mention(value[0]):
            continue
        mixed = any(map(str.isdigit, value[0])) and len(value[0]) >= 12
        if mixed or scheme[1] == "basic" and len(value[0]) >= 12 and not value[0].islower():
            yield view.match(value.start(), scheme.end() + len(trimmed(value[0])), AUTHORIZATION.id)


def _assignments(view: _View, lowered: str) -> Iterator[Match]:
    text = view.text
    for name in NAMES.finditer(lowered):
        asks = Asks(name.lastgroup)
        gives = GIVES.match(lowered, name.end())
        said = gives is not None and gives["sign"] is None
        if gives is None:
            if not _is_flag(text, name.start()):
                continue
            gives = FLAG.match(text, name.end())
        if gives is None:
            continue
        span = _value(text, gives.end(), query=text[name.start() - 1 : name.start()] in ("?", "&"))
        before = lowered[max(0, name.start() - 24) : name.start()]
        if span and is_secret(text[slice(*span)], asks, before=before, said=said):
            rule = PASSWORD if asks is Asks.PASSWORD else ASSIGNMENT
            yield view.match(*span, rule.id)


def _is_flag(text: str, start: int) -> bool:
    """Tell whether the name is a command's option (`--db-password value`)."""
    return re.search(r"(?:^|[\s\"'])--?[A-Za-z-]{0,24}$", text[max(0, start - 28) : start]) is not None


def _value(text: str, start: int, *, query: bool) -> tuple[int, int] | None:
    """Return the span of the value that begins here: to the closing quote, else to white space."""
    quote = text[start - 1]
    if (inner := QUOTED.get(quote)) and (quoted := inner.match(text, start)) and " " not in quoted[0]:
        value = quoted[0].rstrip("\\")
    elif bare := BARE.match(text, start):
        value = bare[0]
        if query or re.search(r"&[\w.-]{1,40}=", value):
            value = re.split(r"[&#]", value, maxsplit=1)[0]
        value = trimmed(re.split(r";(?=[\w ]{1,30}=|$)", value, maxsplit=1)[0])
    else:
        return None
    return (start, start + len(value)) if value else None


# --- from matches to findings ----------------------------------------------------------------------


def _resolved(found: Iterable[Match]) -> list[Match]:
    """Join overlapping matches into one span under the rule that came first."""
    ranked = sorted(enumerate(found), key=lambda item: (item[1].start, item[1].end))
    joined: list[tuple[int, Match]] = []
    for rank, match in ranked:
        if joined and match.start < joined[-1][1].end:
            best, last = joined[-1]
            rule = match.rule if rank < best else last.rule
            joined[-1] = (min(rank, best), Match(last.start, max(last.end, match.end), rule))
        else:
            joined.append((rank, match))
    return [match for _, match in joined]


def _findings(text: str, matches: Iterable[Match]) -> list[SecretFinding]:
    found: list[SecretFinding] = []
    line, at = 1, 0
    for match in matches:
        line += text.count("\n", at, match.start)
        at = match.start
        found.append(SecretFinding(match.rule, line, at - (text.rfind("\n", 0, at) + 1) + 1))
    return found


def _values(text: str, matches: Iterable[Match]) -> frozenset[str]:
    return frozenset(text[match.start : match.end] for match in matches)


def _fresh(text: str, matches: Iterable[Match], old: Collection[str]) -> list[Match]:
    return [match for match in matches if text[match.start : match.end] not in old]


def _replaced(text: str, matches: Iterable[Match]) -> str:
    pieces: list[str] = []
    at = 0
    for match in matches:
        pieces += (text[at : match.start], f"[redacted:{match.rule}]")
        at = match.end
    return "".join([*pieces, text[at:]])
