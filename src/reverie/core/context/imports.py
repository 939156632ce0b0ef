"""Imports in context files: how they are written, and where each one points.

Rules
- `<!-- @import: path -->` is always an import. Of bare `@path` tokens, `./`, `../`, `~/`, quotes and
  a text file's ending say plainly that a file is meant; anything else that could be a path (`@docs/a`,
  `@types/node`, `@app.route`) is one only if that file is there, and is passed over silently if not.
- An `@` inside a word (an e-mail address) and `\\@` never begin an import.
- A path is relative to the file it stands in.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from reverie.core.markdown.code import outside_code
from reverie.types import Span

__all__ = ["Directive", "directives", "is_url", "outside_code_only", "rebased", "resolved"]

_COMMENT: Final = re.compile(r"<!--\s*@import\b[ \t]*:?[ \t]*")
_LONGEST: Final = 1024  # characters of a path in a comment
# Sentence marks of scripts that put no space after them; they end a path, and may stand before one.
_WIDE_MARKS: Final = "。，、；：！？（）【】《》〈〉「」『』“”‘’…"
_STOP: Final = rf"\\[ ]|[^\s<>\"'`|{_WIDE_MARKS}]"
# The `@` comes first in the pattern, so that the search is one for a character.
_BARE: Final = re.compile(
    rf"""
    @ (?: (?<![^\s{_WIDE_MARKS}]@) (?P<path> (?=[\w./~+-]) (?:{_STOP})+ )
        | (?<![!-'+-Z\\^`-z}}~]@) (?: (?P<prefixed> (?:\.{{1,2}}|~)/ (?:{_STOP})+ )
                                   | "(?P<quoted>[^"\r\n]+)" | '(?P<single>[^'\r\n]+)' )
      )
    """,
    re.VERBOSE,
)
# Links and reference definitions, looked for near the token only: hostile text must not cost more.
_LINK_REACH: Final = 300
_LINK_BEFORE: Final = re.compile(r"\][(:][ \t]*<?$|(?P<label>\[[^\[\]\r\n]*)$")
_LINK_AFTER: Final = re.compile(r"[^\[\]\r\n]*\][(\[]")
_TRAILING: Final = ".,;:!?*_~"
_BRACKET: Final = re.compile(r"[()\[\]{}]")
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}
_TEXT_FILE: Final = re.compile(r"\.(?:md|markdown|txt)$", re.IGNORECASE)
_PATH_LIKE: Final = re.compile(r"/|\w\.\w+$")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:file|data|mailto):", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Directive:
    """One import as it is written: its characters, its path, and whether it can mean nothing else."""

    span: Span
    path: str
    explicit: bool
    comment: bool


def directives(text: str, *, limit: int | None = None) -> list[Directive]:
    """Find what reads like an import, code and all (see `outside_code_only`), the first `limit`."""
    if "@" not in text:
        return []
    comments = list(islice(_comments(text), limit)) if "@import" in text else []
    taken = {text.index("@", item.span.start) for item in comments}
    found = comments + list(islice(_bare(text, taken), limit))
    return sorted(found, key=lambda item: item.span.start)[:limit]


def _comments(text: str) -> Iterator[Directive]:
    for match in _COMMENT.finditer(text):
        end = text.find("-->", match.end(), match.end() + _LONGEST)
        path = text[match.end() : end].rstrip()
        if end >= 0 and "\n" not in path and "\r" not in path:
            yield Directive(Span(match.start(), end + 3), _unquoted(path), True, True)


def _bare(text: str, taken: set[int]) -> Iterator[Directive]:
    for match in _BARE.finditer(text):
        if match.start() in taken:
            continue
        quoted = match["quoted"] or match["single"]
        if quoted:
            yield Directive(Span(*match.span()), quoted, True, False)
            continue
        written = _trimmed(match["path"] or match["prefixed"])
        if _PATH_LIKE.search(written) and not _in_link(text, match.start(), len(written)):
            span = Span(match.start(), match.start() + 1 + len(written))
            path = written.replace("\\ ", " ")
            yield Directive(span, path, _is_explicit(path), False)


def outside_code_only(text: str, found: list[Directive]) -> list[Directive]:
    """Keep the imports that do not stand in code, links or other comments."""
    answers = outside_code(text, [item.span for item in found])
    return [item for item, answer in zip(found, answers, strict=True) if answer]


def is_url(path: str) -> bool:
    """Say whether a path is an address on a network, which is never imported."""
    return bool(_URL.match(path))


def resolved(path: str, *, folder: str, home: str) -> str:
    """Return the absolute path an import points to, from the folder of the file it stands in."""
    if path.startswith("~/"):
        path = posixpath.join(home, path[2:])
    return posixpath.normpath(posixpath.join(folder, path))


def rebased(text: str, *, folder: str, target: str, is_file: Callable[[str], bool]) -> str:
    """Return a text whose relative imports mean the same files when it is moved to another folder."""
    meant = [
        item
        for item in directives(text)
        if item.explicit or is_file(resolved(item.path, folder=folder, home=""))
    ]
    parts: list[str] = []
    done = 0
    for item in outside_code_only(text, meant):
        if item.path.startswith(("/", "~/")) or is_url(item.path) or not item.path:
            continue
        moved = posixpath.relpath(posixpath.join(folder, item.path), target)
        if not moved.startswith("../"):
            moved = f"./{moved}"
        if item.comment:
            written = text[item.span.start : item.span.end].replace(item.path, moved, 1)
        elif text[item.span.start + 1] in "\"'":
            quote = text[item.span.start + 1]
            written = f"@{quote}{moved}{quote}"
        else:
            written = "@" + moved.replace(" ", "\\ ")
        parts += [text[done : item.span.start], written]
        done = item.span.end
    return "".join([*parts, text[done:]])


def _in_link(text: str, at: int, size: int) -> bool:
    """Say whether a token is a link's address or stands in a link's label."""
    before = _LINK_BEFORE.search(text, max(0, at - _LINK_REACH), at)
    if before and before["label"]:
        end = at + 1 + size
        return bool(_LINK_AFTER.match(text, end, end + _LINK_REACH))
    return bool(before)


def _is_explicit(path: str) -> bool:
    return path.startswith(("./", "../", "~/")) or bool(_TEXT_FILE.search(path)) or is_url(path)


def _unquoted(path: str) -> str:
    if len(path) > 1 and path[0] == path[-1] and path[0] in "\"'":
        return path[1:-1]
    return path


def _trimmed(token: str) -> str:
    """Cut a token where a bracket closes that it did not open, and drop the sentence's marks."""
    open_ones: list[str] = []
    for match in _BRACKET.finditer(token):
        at, char = match.start(), match[0]
        if char in _PAIRS.values():
            open_ones.append(char)
        elif char in _PAIRS and (not open_ones or open_ones.pop() != _PAIRS[char]):
            token = token[:at]
            break
    return token.rstrip(_TRAILING)
