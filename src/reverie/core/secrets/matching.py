"""Where tokens of known families stand in a text: patterns are tried only where they can match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from reverie.core.secrets.rules import LEFT_EDGE, RIGHT_EDGE, TOKEN_RULES, Rule, is_strong


@cache
def family_rules() -> tuple[Rule, ...]:
    """Return the rules that are made of the facts of public lists."""
    from reverie.core.secrets.families import FAMILIES

    return tuple(
        Rule(
            id,
            f"Token of {id.removesuffix('-token')}, known by its prefix",
            tuple(prefixes.split()),
            _family_pattern(prefixes.split(), body),
            digit=True,
            weak=True,
            begins=True,
        )
        for id, prefixes, body, _ in FAMILIES
    )


# Two letters or digits and a mark, as most beginnings of tokens have them.
_JOINT: Final = re.compile(r"[A-Za-z0-9]{2}[_.:/~+!$=-]")
# What a text must hold for the other hints to be looked for; most prose lacks all of it. A hint of one
# character stands everywhere, but the tokens it is for have twenty letters and digits in a row.
_RUN: Final = 20
_LONG, _CAPITALS, _DIGIT = "long", "capitals", "digit"
_NEEDED: Final = {_CAPITALS: re.compile(r"[A-Z]{2}"), _DIGIT: re.compile(r"[0-9]")}


@cache
def _by_hint() -> dict[str, tuple[int, ...]]:
    """Return which rules, by their place in the order, each hint is for."""
    found: dict[str, tuple[int, ...]] = {}
    for rank, rule in enumerate(all_rules()):
        for hint in rule.hints:
            found[hint] = (*found.get(hint, ()), rank)
    return found


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule that has a shape, the most telling first."""
    return (*TOKEN_RULES, *family_rules())


@cache
def _by_joint() -> dict[str, tuple[str, ...]]:
    """Return which hints each joint stands in; those without one stand under what else they need."""
    found: dict[str, tuple[str, ...]] = {}
    for hint in _by_hint():
        key = _needed_by(hint)
        found[key] = (*found.get(key, ()), hint)
    return found


def _needed_by(hint: str) -> str:
    if joint := _JOINT.search(hint):
        return joint[0]
    if len(hint) == 1:
        return _LONG
    return next((name for name, one in _NEEDED.items() if one.search(hint)), "")


def _present(text: str) -> list[str]:
    """List the hints that a text holds. A few searches tell which of most hints it cannot hold."""
    by_joint = _by_joint()
    there = {
        "",
        *_JOINT.findall(text),
        *(name for name, one in _NEEDED.items() if one.search(text)),
    }
    if max(map(len, text.split()), default=0) >= _RUN:
        there.add(_LONG)
    return [hint for key in there & by_joint.keys() for hint in by_joint[key] if hint in text]


def matches(text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
    """Yield what the patterns match, rule by rule; a text without their hints costs nearly nothing."""
    hints = _by_hint()
    for rank in sorted({rank for hint in _present(text) for rank in hints[hint]}):
        rule = all_rules()[rank]
        pattern = compiled(rule)
        if not rule.begins:
            for match in pattern.finditer(text):
                yield rule, match
            continue
        for hint in rule.hints:
            at = text.find(hint)
            while at >= 0:
                found = pattern.match(text, at)
                if found:
                    yield rule, found
                at = text.find(hint, found.end() if found else at + 1)


def _family_pattern(prefixes: list[str], body: str) -> str:
    left, right = ("", "") if all(map(is_strong, prefixes)) else (LEFT_EDGE, RIGHT_EDGE)
    return f"{left}(?:{'|'.join(map(re.escape, prefixes))}){body}{right}"


@cache
def compiled(rule: Rule) -> re.Pattern[str]:
    """Compile a rule's pattern the first time a text holds one of its hints."""
    return re.compile(rule.pattern)
