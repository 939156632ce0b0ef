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
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.secrets.matching import family_rules, matches
from reverie.core.secrets.rules import (
    CONTEXT_RULES,
    TOKEN_RULES,
)
from reverie.types import SecretFinding

if TYPE_CHECKING:
    from reverie.core.secrets.rules import (
        Found,
        Rule,
    )

__all__ = ["RULES", "Match", "added", "find", "redact", "scan"]

RULES: Final = {
    rule.id: rule.description
    for rule in (*family_rules(), *TOKEN_RULES, *CONTEXT_RULES)  # ours describe them better
}
"""Every rule by its id, with what it finds; the ids are what `secrets.allow` takes."""

# What is looked for again: a run without white space, quotes or signs that give a value.
_PIECE: Final = re.compile(r"[^\s\0\"'`<>|,;:=(){}\[\]/&]{8,}+")
_SENTENCE: Final = ".!?*_~"
_ROUNDS: Final = 8
_WIDER: Final = (None, re.compile(r"\S++"), re.compile(r"[^\n]++"), re.compile(r"(?s:.++)"))
"""What is cut out together with a value, when so many rounds were not enough each time."""
_BLOB_CHARS: Final = 24
_BLOB: Final = re.compile(rf"[A-Za-z0-9+/]{{{_BLOB_CHARS}}}")
_DIGEST: Final = re.compile(r"sha\d{1,3}[=:-]$")  # what follows is made of all letters, too
_REPEATED: Final = re.compile(r"(.)\1{7}")
_FILLER: Final = frozenset("x0*")
_STAND_IN: Final = re.compile(
    r"(?i)x{8,}|(?:^|[-_.])(?:your|example|placeholder|redacted|replace|insert)(?:$|[-_.])"
)


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
    from reverie.core.secrets.view import views  # only who writes pays for compiling the patterns

    found = [
        Match(*view.span(start, end), rule)
        for view in views(text)
        for start, end, rule in _found(view.text)
    ]
    if found:
        found += _again(text, found)
    return [match for match in _resolved(found) if match.rule not in allow]


def _again(text: str, found: Iterable[Match]) -> Iterator[Match]:
    """Yield the other places where a value stands that is known to be a secret: there it is one, too."""
    known = {text[match.start : match.end]: match.rule for match in found}
    known = {value: rule for value, rule in known.items() if _PIECE.fullmatch(value)}
    for piece in _PIECE.finditer(text) if known else ():
        value = piece[0] if piece[0] in known else piece[0].rstrip(_SENTENCE)
        if value in known:
            yield Match(piece.start(), piece.start() + len(value), known[value])


def scan(text: str, *, allow: Collection[str] = ()) -> list[SecretFinding]:
    """List the secrets in a text by rule and place (1-based line and column), never the value."""
    return _findings(text, find(text, allow=allow))


def redact(
    text: str, *, before: str | None = None, allow: Collection[str] = ()
) -> tuple[str, list[SecretFinding]]:
    """Put `[redacted:rule]` in place of each secret; say what was found and where it stood.

    With `before`, values that already stood in that text are left as they are.
    """
    old = _values(before)
    first = _fresh(text, find(text, allow=allow), old)
    if not first:
        return text, []
    redacted = _replaced(text, first)
    # Cutting one value out may lay open another beside it. Text that is made for that would take a round
    # for each of thousands, so after some rounds more goes at once: the words, the lines, everything.
    rounds = 0
    while more := _fresh(redacted, find(redacted, allow=allow), old):
        wider = _WIDER[min(rounds // _ROUNDS, len(_WIDER) - 1)]
        redacted = _replaced(redacted, _widened(redacted, more, wider) if wider else more)
        rounds += 1
    return redacted, _findings(text, first)


def added(before: str | None, after: str, *, allow: Collection[str] = ()) -> list[SecretFinding]:
    """List the secrets of `after` whose value did not already stand in `before`.

    A secret that was in the user's file must not block an edit of another line.
    """
    matches = find(after, allow=allow)
    return _findings(after, _fresh(after, matches, _values(before)) if matches else [])


def _found(text: str) -> Iterator[Found]:
    """Yield everything that any rule finds, the most telling rule first."""
    from reverie.core.secrets import surroundings as context
    from reverie.core.secrets.commands import commands

    yield from context.private_keys(text)
    yield from context.web_keys(text)
    for rule, match in matches(text):
        start, end = match.span(match.lastindex or 0)
        if _is_token(rule, text, start, end):
            yield start, end, rule.id
    yield from context.connections(text)
    yield from context.authorizations(text)
    yield from context.assignments(text)
    yield from context.stated(text)
    yield from commands(text)
    yield from context.elements(text)
    yield from context.pairs(text)
    yield from context.headers(text)
    yield from context.services(text)


def _is_token(rule: Rule, text: str, start: int, end: int) -> bool:
    """Tell a token of a known shape from one that only shows it, and from a piece of something else."""
    value = text[start:end]
    if not _is_filled(value, digit=rule.digit):
        return False
    if rule.weak:
        from reverie.core.secrets.given_values import is_of_words

        if is_of_words(value) or _REPEATED.search(value):
            return False
    if start and _DIGEST.search(text, max(0, start - 8), start):
        return False
    # Inside an encoded picture every short string stands somewhere.
    glued = start >= _BLOB_CHARS and text[start - 1].isalnum()
    return not glued or not _BLOB.match(text, start - _BLOB_CHARS, start)


def _is_filled(value: str, *, digit: bool) -> bool:
    """Tell a token of a known shape from one that only shows it: `ghp_xxxx`, `sk-your-key`."""
    if digit and not any(map(str.isdigit, value)):
        return False
    body = max(re.split(r"[-_.]", value), key=len).lower()
    return not _FILLER.issuperset(body) and not _STAND_IN.search(value)


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
    line, at, begin = 1, 0, 0
    for match in matches:
        line += text.count("\n", at, match.start)
        begin = max(begin, text.rfind("\n", at, match.start) + 1)
        at = match.start
        found.append(SecretFinding(match.rule, line, at - begin + 1))
    return found


def _values(text: str | None) -> frozenset[str]:
    return frozenset(text[match.start : match.end] for match in find(text)) if text else frozenset()


def _fresh(text: str, matches: Iterable[Match], old: Collection[str]) -> list[Match]:
    return [match for match in matches if text[match.start : match.end] not in old]


def _widened(text: str, found: Iterable[Match], unit: re.Pattern[str]) -> Iterator[Match]:
    """Yield the whole units of a text that the matches, which are in order, touch."""
    waiting = iter(found)
    match = next(waiting, None)
    for piece in unit.finditer(text):
        while match is not None and match.end <= piece.start():
            match = next(waiting, None)
        if match is None:
            return
        if match.start < piece.end():
            yield Match(piece.start(), piece.end(), match.rule)


def _replaced(text: str, matches: Iterable[Match]) -> str:
    pieces: list[str] = []
    at = 0
    for match in matches:
        pieces += (text[at : match.start], f"[redacted:{match.rule}]")
        at = match.end
    return "".join([*pieces, text[at:]])
