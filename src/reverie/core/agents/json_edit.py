"""Editing JSON by span: one member or element is put in or taken out, every other byte stays.

Rules:

* Comments (`//`, `/* */`) and trailing commas are allowed, as agents' settings have them. To find our
  way they are blanked with spaces of the same length, and the `json` module reads the rest.
* What is put in looks like its surroundings: indent, line ends, one line or several.
* Taking out what was put in gives the text before it, byte for byte.
* Where a text has another type than the edit needs, nothing is guessed: it is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from reverie.core.text.plain import newline_of
from reverie.errors import ConfigUnreadable

Path: TypeAlias = tuple[str, ...]

_LEXEME: Final = re.compile(
    r'"(?:\\.|[^"\\])*+(?:"|\Z)|//[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)', re.DOTALL
)
_TRAILING: Final = re.compile(r'"(?:\\.|[^"\\])*+(?:"|\Z)|,(?=\s*+[}\]])', re.DOTALL)
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Part:
    """A member of an object or an element of an array."""

    key: str
    """Empty for an element."""
    begin: int
    """Where its key, or the element, begins."""
    start: int
    """Where its value begins."""
    end: int


def read(text: str) -> Any:
    """Return what a text holds; None for an empty one."""
    plain = _plain(text)
    if not plain.strip():
        return None
    try:
        return json.loads(plain)
    except (ValueError, RecursionError) as error:
        raise ConfigUnreadable(f"it is not valid JSON: {error}") from None


def put(text: str, path: Path, value: object) -> str:
    """Set the member at a path; objects on the way are made where they are missing."""
    text = _begun(text)
    start = _root(text)
    for depth, key in enumerate(path):
        part = _find(_parts(text, start, "object", path[:depth]), key)
        if part is None:
            whole: object = value
            for name in reversed(path[depth + 1 :]):
                whole = {name: whole}
            return _insert(text, start, whole, key=key)
        if depth == len(path) - 1:
            return text[: part.start] + _rendered(text, part.begin, value) + text[part.end :]
        start = part.start
    return text


def append(text: str, path: Path, element: object) -> str:
    """Add an element to the array at a path, which is made where it is missing."""
    place = _value_at(text, path)
    if place is None:
        return put(text, path, [element])
    _parts(text, place.start, "array", path)  # anything but an array is an error
    return _insert(text, place.start, element)


def remove(text: str, path: Path) -> str:
    """Take out the member at a path, if there is one."""
    if not _plain(text).strip():
        return text
    start = _root(text)
    for depth, key in enumerate(path):
        parts = _parts(text, start, "object", path[:depth])
        part = _find(parts, key)
        if part is None:
            return text
        if depth == len(path) - 1:
            return _cut(text, start, parts, part)
        start = part.start
    return text


def discard(text: str, path: Path, unwanted: Callable[[Any], bool]) -> str:
    """Take every element that is unwanted out of the array at a path."""
    while True:
        place = _value_at(text, path)
        if place is None:
            return text
        parts = _parts(text, place.start, "array", path)
        plain = _plain(text)
        part = next(
            (item for item in parts if unwanted(json.loads(plain[item.start : item.end]))), None
        )
        if part is None:
            return text
        text = _cut(text, place.start, parts, part)


# --- finding the way ------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _plain(text: str) -> str:
    """Return the text with comments and trailing commas blanked, at the same length."""

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        if found[0] == '"' or (found[:2] == "/*" and (len(found) < 4 or found[-2:] != "*/")):
            return found  # what is written behind a comment that nobody closed would be part of it
        return re.sub(r"[^\r\n]", " ", found)

    plain = _LEXEME.sub(blank, text) if "//" in text or "/*" in text else text
    if re.search(r",\s*[}\]]", plain):
        plain = _TRAILING.sub(blank, plain)
    return " " + plain[1:] if plain.startswith("\ufeff") else plain


def _begun(text: str) -> str:
    """Return a text with at least an empty object in it."""
    if _plain(text).strip():
        return text
    gap = "" if not text.strip("\ufeff") or text.endswith("\n") else newline_of(text)
    return f"{text}{gap}{{}}{newline_of(text)}"


def _root(text: str) -> int:
    read(text)  # names what is wrong with it
    return _skip(_plain(text), 0)


def _value_at(text: str, path: Path) -> _Part | None:
    if not _plain(text).strip():
        return None
    start, part = _root(text), None
    for depth, key in enumerate(path):
        part = _find(_parts(text, start, "object", path[:depth]), key)
        if part is None:
            return None
        start = part.start
    return part


def _find(parts: Sequence[_Part], key: str) -> _Part | None:
    return next((part for part in reversed(parts) if part.key == key), None)


def _parts(text: str, start: int, kind: str, path: Path) -> list[_Part]:
    """List what is in the object or array that begins at a place."""
    plain = _plain(text)
    opening, closing = ("{", "}") if kind == "object" else ("[", "]")
    if plain[start] != opening:
        where = ".".join(path) or "the file"
        article = "an" if kind[0] in "ao" else "a"
        raise ConfigUnreadable(f"{where} is not {article} {kind}, as it should be")
    parts: list[_Part] = []
    at = _skip(plain, start + 1)
    while plain[at] != closing:
        begin, key = at, ""
        if kind == "object":
            key, at = _DECODER.raw_decode(plain, at)
            at = _skip(plain, _skip(plain, at) + 1)
        _, end = _DECODER.raw_decode(plain, at)
        parts.append(_Part(key, begin, at, end))
        at = _skip(plain, end)
        if plain[at] == ",":
            at = _skip(plain, at + 1)
    return parts


def _skip(plain: str, at: int) -> int:
    match = _SPACE.match(plain, at)
    return match.end() if match else at


def _close(plain: str, start: int) -> int:
    """Return where the object or array that begins at a place ends, before its bracket."""
    return int(_DECODER.raw_decode(plain, start)[1]) - 1


# --- changing -------------------------------------------------------------------------------------


def _insert(text: str, start: int, value: object, *, key: str = "") -> str:
    """Put a member or an element behind the last one of the object or array at a place."""
    plain = _plain(text)
    kind = "object" if plain[start] == "{" else "array"
    parts = _parts(text, start, kind, ())
    close = _close(plain, start)
    name = f"{json.dumps(key, ensure_ascii=False)}: " if key else ""
    outer = _indent_at(text, start)
    end = newline_of(text)
    if not parts:
        inner = outer + _unit(text)
        body = _lines(name, value, inner, _unit(text), end)
        if text[start + 1 : close].strip():  # nothing but a comment in it: that stays first
            return f"{text[:close].rstrip()}{end}{inner}{body}{end}{outer}{text[close:]}"
        return f"{text[: start + 1]}{end}{inner}{body}{end}{outer}{text[close:]}"
    last = parts[-1]
    if "\n" not in text[start : last.begin]:
        written = json.dumps(value, ensure_ascii=False)
        return f"{text[: last.end]}, {name}{written}{text[last.end :]}"
    inner = _indent_at(text, last.begin)
    body = _lines(name, value, inner, _unit(text), end)
    after = _after_comma(text, last.end, close)
    if after is not None:  # it ends with a trailing comma, so ours does too
        return f"{text[:after]}{end}{inner}{body},{text[after:]}"
    line = last.end + len(re.split(r"\r?\n", text[last.end : close], maxsplit=1)[0])
    if line == close:  # the bracket is in the same line
        line = last.end
    return f"{text[: last.end]},{text[last.end : line]}{end}{inner}{body}{text[line:]}"


def _after_comma(text: str, at: int, close: int) -> int | None:
    """Return the place behind a trailing comma, if there is one."""
    between = _LEXEME.sub(lambda match: " " * len(match[0]), text[at:close])
    comma = between.find(",")
    return None if comma < 0 else at + comma + 1


def _cut(text: str, start: int, parts: Sequence[_Part], part: _Part) -> str:
    close = _close(_plain(text), start)
    place = parts.index(part)
    comma = _after_comma(text, part.end, close)
    if place < len(parts) - 1:  # comments around the others stay where they are
        gap = re.compile(r"[ \t]*\r?\n[ \t]*|[ \t]*").match(text, comma or part.end)
        return text[: part.begin] + text[gap.end() if gap else part.end :]
    if place == 0:
        above = text[start + 1 : part.begin].rstrip()
        rest = text[comma or part.end :]
        return text[: start + 1] + (above + rest if above else rest.lstrip())
    before = parts[place - 1].end
    between = text[before : part.begin].rstrip()
    if comma is not None:  # ours ended with a comma, and so does the one before
        return text[:before] + between + text[comma:]
    at = _after_comma(text, before, part.begin) or before + 1
    return text[: at - 1] + text[at : before + len(between)] + text[part.end :]


def _rendered(text: str, begin: int, value: object) -> str:
    line = text[text.rfind("\n", 0, begin) + 1 : begin]
    if line.strip():  # in a line with others
        return json.dumps(value, ensure_ascii=False)
    return _lines("", value, _indent_at(text, begin), _unit(text), newline_of(text))


def _lines(name: str, value: object, indent: str, unit: str, end: str) -> str:
    written = json.dumps(value, ensure_ascii=False, indent=unit)
    return name + written.replace("\n", f"{end}{indent}")


def _indent_at(text: str, at: int) -> str:
    """Return the white space before the line that a place is in."""
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return one step of indent as the file has it."""
    match = re.search(r"\n([ \t]+)\S", _plain(text))
    return match[1] if match else "  "
