"""Former values: what held until a day, kept in the line below what took its place.

Rules

* `remember` and dreams write them as `Until DATE: ...`, each with its reason in brackets.
* A prompt gets what holds now. It gets a former value when it asks about the past, or names what only that
  value names. A file that is called by a former value is shown without its name.
"""

from __future__ import annotations

import re

from reverie.core.text.words import terms, words

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

_FORMER: Final = re.compile(
    r"(?:(?<=: )|(?<=; )|(?<=\()|^[ \t]*)(?:Until \d{4}-\d\d-\d\d|Before): "
)
"""Where a former value begins."""
_LABEL: Final = re.compile(r"[ \t]*(?:[-*+][ \t]+)?\**[\w ]*:?\**:?[ \t]*")
_PAST: Final = re.compile(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|used to|earlier|in the past|back then|until|history"
    r"|originally|old"
    r"|(?:did|was|were) (?:i|we|my|our|it|the)|(?:who|what|where|when) (?:was|were|did)|have (?:i|we) ever"
    r"|früher\w{0,2}|vorher\w{0,3}|ehemals|damals|bisher\w{0,2}|zuvor|auparavant|avant|anciens?|anciennes?"
    r"|antes|anterior"
    r"|anteriormente|solía|prima|precedente|in passato|раньше|прежде|прежн\w{2,3}|vroeger|eerder|wcześniej"
    r"|dawniej|eskiden)\b"
    r"|以前|之前|原来|曾经|過去|过去|前の|이전|예전|전에",
    re.I,
)
"""Words of a question about the past."""
_NAME: Final = re.compile(r"(?<=\S )[A-ZÀ-ÖØ-ÞА-Я][\w.+#-]{1,60}|\b[\w.+#-]{0,60}\d[\w.+#-]{0,60}")


def may_have_former(text: str) -> bool:
    """Say whether a text may have former values; most have none, and a pattern takes longer to tell."""
    return "Until " in text or "Before: " in text


def segments(line: str) -> list[tuple[int, int, str]]:
    """Return where former values stand in a line, each with its statement alone."""
    if not may_have_former(line):
        return []
    starts = [(match.start(), match.end()) for match in _FORMER.finditer(line)]
    found = []
    for at, (start, said) in enumerate(starts):
        end = starts[at + 1][0] if at + 1 < len(starts) else len(line)
        last = end if end == len(line) else end - (line[end - 1] == "(")
        part = line[said:last].rstrip(" ;\t\r\n")
        while part.count(")") > part.count("(") and part.endswith(")"):
            part = part[:-1].rstrip(" ;")
        statement = part
        while statement.count("(") > statement.count(")"):  # its reason, cut off by the next value
            statement = statement.rpartition("(")[0].rstrip()
        if statement:
            found.append((start, said + len(part), statement))
    return found


def without(text: str, goes: Callable[[int, int, str], bool]) -> str:
    """Return a text without some former values; what stood beside them stays.

    Args:
        goes: Tells by the place in the text and the statement whether a former value goes.
    """
    start = 0
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        found = segments(line)
        inside = [goes(start + first, start + last, said) for first, last, said in found]
        start += len(line)
        if not any(inside):
            lines.append(line)
            continue
        kept = [
            _balanced(line[first:last])
            for (first, last, _), gone in zip(found, inside, strict=True)
            if not gone
        ]
        before = line[: found[0][0]]
        end = line[len(line.rstrip("\r\n")) :]
        if kept:
            lines.append(f"{before}{'; '.join(kept)}{end}")
        elif not _LABEL.fullmatch(before):
            lines.append(before.rstrip(" ;(") + end)
        elif lines and not lines[-1].strip():
            lines.pop()  # the empty line between a statement and its reason
    return "".join(lines)


def what_holds(text: str, query: str) -> str:
    """Return what a memory says to a prompt: without the past, unless that is asked for."""
    if not may_have_former(text) or _PAST.search(query):
        return text
    asked = set(terms(query))
    now = set(terms(without(text, lambda *_: True)))

    def unasked(_first: int, _last: int, said: str) -> bool:
        names = {term for found in _NAME.finditer(said) for term in terms(found[0])}
        return asked.isdisjoint(names - now)

    kept = without(text, unasked)
    return text if kept == text else kept.rstrip()


def names_former(rel: str, text: str, shown: str) -> bool:
    """Tell whether a file is still called by what no longer holds, and what is shown of it does not say.

    Args:
        rel: Its path; a file keeps its name when what it says changes.
        text: All of its text.
        shown: What a prompt gets of it.
    """
    if not may_have_former(text):
        return False
    past = " ".join(said for line in text.splitlines() for _, _, said in segments(line))
    now = f"{without(text, lambda *_: True)} {shown}"
    stem = rel.rpartition("/")[2].removesuffix(".md").replace("-", " ")
    return not (set(words(stem)) & set(words(past))) <= set(words(now))


def _balanced(part: str) -> str:
    return part + ")" * (part.count("(") - part.count(")"))
