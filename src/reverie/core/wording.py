"""Wordings: what is to be erased, found in any text by its words and not by its letters alone.

Rules:

* A wording is a run of words. Case, accents, width, punctuation and line ends between them do not
  matter, so a quotation, a file name and a heading are all found; the same runs make the receipt.
* A run that other memories hold rightly is no wording of what goes.
* A single word counts only when it says enough, and never when our own files are written with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from reverie.core import scripts
from reverie.core.lexicon import STOP_WORDS
from reverie.core.receipts import run_size, runs_of
from reverie.core.text import width
from reverie.core.tokens import normalize, words

PLACEHOLDER: Final = "[erased]"
IN_NAMES: Final = "erased"
"""The placeholder inside names, links and frontmatter, where brackets mean something."""
MIN_COLUMNS: Final = 4
LONG_COLUMNS: Final = 8
"""A single word from here on is found inside longer words as well."""
# Words that topics, turns and state files are written with; without them they could not be read.
_STRUCTURE: Final = frozenset({
    "agent", "arguments", "assistant", "content", "created", "description", "false", "feedback",
    "history", "kind", "memory", "messages", "name", "none", "null", "parts", "project", "reference",
    "role", "session", "source", "status", "system", "text", "title", "tool", "true", "type", "updated",
    "user", "value", "working",
})  # fmt: skip
_ESCAPES: Final = re.compile(r'\\[nrtbf"/]')
_NAME_JOINTS: Final = "-_/"


@dataclass(frozen=True, slots=True)
class Wordings:
    """What to look for: runs of words, by how many words each has, and texts to be found as they are."""

    runs: Mapping[int, frozenset[str]] = field(default_factory=dict)
    exact: tuple[str, ...] = ()
    """Longest first; for copies of whole files, where also a short line can be told apart."""

    def __bool__(self) -> bool:
        return any(self.runs.values()) or bool(self.exact)

    def holds(self, text: str) -> bool:
        """Tell whether a text holds any of it."""
        return any(needle in text for needle in self.exact) or bool(self._spans(text))

    def redact(self, text: str, placeholder: str = PLACEHOLDER) -> str:
        """Put a placeholder where the wordings stand."""
        for needle in self.exact:
            text = text.replace(needle, placeholder)
        spans = self._spans(text)
        for start, end in reversed(spans):
            around = text[max(start - 1, 0) : start] + text[end : end + 1]
            joined = any(char in _NAME_JOINTS for char in around)
            shown = IN_NAMES if joined else placeholder
            text = text[:start] + shown + text[end:]
        return text

    def _spans(self, text: str) -> list[tuple[int, int]]:
        every = [run for found in self.runs.values() for run in found]
        if not every:
            return []
        plain = normalize(text)
        # Most texts lack the longest word of every run, and that is quickly seen.
        if not any(max(run.split(" "), key=len) in plain for run in every):
            return []
        firsts = {run.partition(" ")[0] for run in every}
        long = [run for run in self.runs.get(1, ()) if width(run) >= LONG_COLUMNS]
        spans: list[tuple[int, int]] = []
        # Inside JSON and quotations of it a line end is written as two characters.
        for view in {text, _ESCAPES.sub("  ", text)}:
            found = list(_located(view))
            for at, (word, start, end) in enumerate(found):
                spans += [_inside(part, word, start, end) for part in long if part in word]
                if word not in firsts:
                    continue
                for size, runs in self.runs.items():
                    piece = found[at : at + size]
                    if len(piece) == size and " ".join(item[0] for item in piece) in runs:
                        spans.append((start, piece[-1][2]))
        # A backslash before it would have no meaning, or another one, before the placeholder.
        spans = [(start - text.endswith("\\", 0, start), end) for start, end in spans]
        return _joined(spans)


def wordings_of(
    phrases: Iterable[str],
    *,
    whole: Iterable[str] = (),
    remaining: Iterable[str] = (),
    exact: Iterable[str] = (),
) -> Wordings:
    """Make wordings of phrases; runs that the `remaining` texts hold as well are left out.

    A phrase is recognised by any of its runs, one of `whole` only by all its words, wherever it stands.
    """
    runs: dict[int, set[str]] = {}
    for found in map(words, phrases):
        size = run_size(found)
        if size > 1 or (size and tells_enough(found[0])):
            runs.setdefault(size, set()).update(runs_of(found, size))
    others = [words(text) for text in remaining]
    for size, own in runs.items():
        own -= {run for text in others for run in runs_of(text, size)}
    for found in map(words, whole):
        runs.setdefault(len(found), set()).add(" ".join(found))
    kept = {size: frozenset(found) for size, found in runs.items() if size and found}
    return Wordings(kept, _longest_first(text for text in exact if text.strip()))


def tells_enough(phrase: str) -> bool:
    """Tell whether a phrase may be looked for by itself: two words, or one that is not common."""
    found = words(phrase)
    if len(found) != 1:
        return len(found) > 1
    word = found[0]
    return width(word) >= MIN_COLUMNS and word not in _STRUCTURE and word not in STOP_WORDS


def to_json(wordings: Wordings) -> dict[str, Any]:
    """Write wordings as JSON."""
    runs = {str(size): sorted(found) for size, found in wordings.runs.items()}
    return {"runs": runs, "exact": list(wordings.exact)}


def from_json(data: Mapping[str, Any]) -> Wordings:
    """Read wordings from JSON."""
    runs = {int(size): frozenset(found) for size, found in data.get("runs", {}).items()}
    return Wordings(runs, tuple(data.get("exact", ())))


def redact_value(value: object, wordings: Wordings) -> object:
    """Take wordings out of a JSON value: of its texts, its keys, and JSON written inside a text."""
    if isinstance(value, str):
        return _redact_string(value, wordings)
    if isinstance(value, list):
        return [redact_value(item, wordings) for item in value]
    if isinstance(value, dict):
        return {wordings.redact(key): redact_value(item, wordings) for key, item in value.items()}
    return value


def _redact_string(text: str, wordings: Wordings) -> str:
    if text[:1] in ("{", "["):
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            return wordings.redact(text)
        if isinstance(inner, dict | list):
            clean = redact_value(inner, wordings)
            return text if clean == inner else json.dumps(clean, ensure_ascii=False)
    return wordings.redact(text)


def _located(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of a text, each with its place."""
    pattern = scripts.ASCII_UNIT if text.isascii() else scripts.UNIT
    for match in pattern.finditer(text):
        unit, start = match[0], match.start()
        folded = unit.lower()
        at = 0
        for word in words(unit):
            found = folded.find(word, at) if len(folded) == len(unit) else -1
            if found < 0:  # written otherwise than it is read: then the whole unit stands for it
                yield word, start, match.end()
            else:
                at = found + len(word)
                yield word, start + found, start + at


def _inside(part: str, word: str, start: int, end: int) -> tuple[int, int]:
    """Return the place of a part of a word, or of all of it where it is written otherwise."""
    if len(word) != end - start:
        return start, end
    at = start + word.index(part)
    return at, at + len(part)


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _longest_first(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(texts), key=lambda text: (-len(text), text)))
