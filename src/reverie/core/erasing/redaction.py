"""Redaction: words out of Markdown and JSON, which can be read afterwards as before.

Rules:

* What our own files are written with stays: keys, headings, labels, moments. Words that stand only
  there are no memory; whoever looks afterwards sees that they are still there, and tells it.
* Frontmatter is changed value by value, JSON text by text; no other byte of the file moves.
* Of two keys that lose what made them different the second gets a number.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from reverie import types
from reverie.core.erasing.occurrences import IN_NAMES, PLACEHOLDER, edited, edits
from reverie.core.layers.notes import LINKS, MAPPED
from reverie.core.layers.tree import SEMANTIC_HEADINGS, WORKING_HEADINGS
from reverie.core.markdown import frontmatter
from reverie.core.text.plain import digest
from reverie.core.text.positions import words_at

if TYPE_CHECKING:
    from reverie.core.erasing.occurrences import Edit, WordsToErase
    from reverie.core.markdown.frontmatter import Frontmatter

# Words of the keys and fixed values of our files that no value of ours is called by.
_MORE_KEYS: Final = (
    "aliases", "call", "cause", "checkpoint", "closed", "codes", "consolidate", "consolidated", "count",
    "dirty", "docs", "done", "dream", "error", "extraction", "failed", "failures", "finished", "ids",
    "input", "job", "last", "limit", "looked", "namespace", "notes", "patches", "queued", "quarantine",
    "reasoning", "recent", "report", "said", "schema", "selected", "seq", "since", "started", "success",
    "system", "tags", "tasks", "touched", "trigger", "triggers", "updated",
)  # fmt: skip
_FIXED: Final = frozenset({
    "action", "code", "form", "format", "job", "kind", "layer", "method", "mode", "op", "origin", "role",
    "scope", "status", "strategy", "type", "verb",
})  # fmt: skip
"""Keys whose values are words of ours, too."""
_OUR_VALUES: Final = frozenset({"id", "type", "limit", "created", "updated", "metadata.type"})
"""Values of frontmatter that files are known by."""
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,]*(?:Z|[+-]\d\d:?\d\d)?")
_HEADINGS: Final = (
    *("Working Memory", "Facts", "Preferences", "Projects", LINKS, MAPPED),
    *WORKING_HEADINGS,
    *(heading for found in SEMANTIC_HEADINGS.values() for heading in found),
)
_OUR_LINES: Final = re.compile(
    rf"^#{{1,6}}[ \t]++(?:[\w ]*Added Memories|{'|'.join(_HEADINGS)})[ \t]*$"
    r"|^[ \t]*(?:[-*][ \t]+)?\**(?:Why|How to apply)\**:",
    re.MULTILINE,
)
_BLOCK: Final = re.compile(r"^```json\r?\n(?P<json>.*?)^```[ \t]*\r?$", re.MULTILINE | re.DOTALL)
_WORDS: Final = re.compile(r"\w(?:.*\w)?", re.DOTALL)
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#[^\r\n]*", re.MULTILINE)
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"(?P<colon>\s*:\s*)?|[{}]', re.DOTALL)


@cache
def _our_words() -> frozenset[str]:
    """Return the words that keys and fixed values of ours are made of."""
    names: set[str] = set(_MORE_KEYS)
    for value in (getattr(types, name) for name in types.__all__):
        if dataclasses.is_dataclass(value):
            names |= {field.name for field in dataclasses.fields(value)}
        elif isinstance(value, enum.EnumMeta):
            members: Iterable[enum.Enum] = value
            names |= {str(item.value) for item in members}
    return frozenset(part.word for name in names for part in words_at(name))


def _is_ours(name: str) -> bool:
    return name.isascii() and all(part.word in _our_words() for part in words_at(name))


# --- Markdown -------------------------------------------------------------------------------------


def redact_markdown(text: str, to_erase: WordsToErase) -> str:
    """Take to_erase out of Markdown; its frontmatter and blocks of JSON stay readable."""
    text = to_erase.without_exact(text)
    head = frontmatter.read(text)
    body = head.body if head else 0
    spans = to_erase.spans(text)
    if not spans:
        return text
    found = [match for match in _BLOCK.finditer(text, body) if _read(match["json"]) is not None]
    blocks = [match.span("json") for match in found]
    ours = [match.span() for match in (*found, *_OUR_LINES.finditer(text, body))]
    kept = [(0, body), *ours]
    changes = edits(text, _trimmed(text, _outside(spans, kept)), PLACEHOLDER)
    changes += [(start, end, redact_json(text[start:end], to_erase)) for start, end in blocks]
    if head:
        changes.append((0, body, _redact_head(text[:body], head, spans)))
    return edited(text, changes)


def _redact_head(text: str, head: Frontmatter, spans: Sequence[tuple[int, int]]) -> str:
    """Take the words out of keys and values; what could not be read afterwards stays as it is."""
    keys, values, fixed = _scalars(text, head)
    comments = [match.span() for match in _COMMENT.finditer(text, head.inner.start, head.inner.end)]
    free = [*values, *_outside(comments, [*keys, *values, *fixed])]
    changes: list[Edit] = [(*place, IN_NAMES) for place in _trimmed(text, _inside(spans, free))]
    taken = {text[start:end] for start, end in keys}
    for start, end in keys:
        key = text[start:end]
        parts = [(one - start, two - start) for one, two in _inside(spans, [(start, end)])]
        if parts and not _is_ours(key):
            name = _free(edited(key, edits(key, parts, IN_NAMES)), taken)
            taken.add(name)
            changes.append((start, end, name))
    clean = edited(text, changes)
    after = frontmatter.read(clean)
    readable = (
        after is not None and after.body == len(clean) and after.problem in ("", head.problem)
    )
    return clean if readable and after and len(after.values) == len(head.values) else text


_Places = list[tuple[int, int]]


def _scalars(text: str, head: Frontmatter) -> tuple[_Places, _Places, _Places]:
    """Return where keys, values, and values that files are known by stand in frontmatter."""
    import yaml

    source = text[head.inner.start : head.inner.end]
    root = None
    if not head.problem and len(source) <= frontmatter.MAX_YAML_CHARS:
        root = yaml.compose(source, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        values = [
            (span.start, span.end) for key, span in head.spans.items() if key not in _OUR_VALUES
        ]
        return [], values, []
    found: tuple[_Places, _Places, _Places] = ([], [], [])

    def written(node: yaml.Node) -> tuple[int, int]:
        quotes = isinstance(node, yaml.ScalarNode) and node.style in ("'", '"')
        start, end = node.start_mark.index + quotes, node.end_mark.index - quotes
        return head.inner.start + start, head.inner.start + end

    def walk(node: yaml.Node, name: str) -> None:
        if isinstance(node, yaml.ScalarNode):
            place = written(node)
            known = name in _OUR_VALUES or _MOMENT.fullmatch(node.value)
            found[2 if known else 1].append(place)
        elif isinstance(node, yaml.SequenceNode):
            for item in node.value:
                walk(item, "")
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = key.value if isinstance(key, yaml.ScalarNode) else ""
                found[0].append(written(key))
                walk(value, f"{name}.{inner}" if name else inner)

    walk(root, "")
    return found


# --- JSON -----------------------------------------------------------------------------------------


def redact_json(text: str, to_erase: WordsToErase) -> str:
    """Take to_erase out of the texts and keys of JSON; what is no JSON is taken as plain text."""
    if not to_erase.may_stand_in(text):
        return text
    if _read(text) is None:
        return to_erase.redact(text)
    tokens = list(_TOKEN.finditer(text))
    known = {_decoded(token) for token in tokens if token["colon"]}
    changes: list[Edit] = []
    given: list[set[str]] = [set()]
    key, after = "", -1
    for token in tokens:
        if token[0] == "{":
            given.append(set())
        elif token[0] == "}":
            given.pop()
        elif token["colon"]:
            key, after = _decoded(token), token.end()
            name = _redact_key(key, to_erase)
            if name != key:
                name = _free(name, known | given[-1])
                given[-1].add(name)
                changes.append((*_literal(token), _encoded(name, token)))
        else:
            value = _decoded(token)
            clean = _redact_text(value, to_erase, key=key if token.start() == after else "")
            if clean != value:
                changes.append((*_literal(token), _encoded(clean, token)))
    return edited(text, changes)


def _redact_text(text: str, to_erase: WordsToErase, *, key: str) -> str:
    if _MOMENT.fullmatch(text) or (key in _FIXED and _is_ours(text)):
        return text
    return redact_json(text, to_erase) if text[:1] in ("{", "[") else to_erase.redact(text)


def _redact_key(key: str, to_erase: WordsToErase) -> str:
    clean = to_erase.redact(key)
    return key if clean == key or _is_ours(key) else clean


def redact_lines(text: str, to_erase: WordsToErase) -> str:
    """Take to_erase out of a file of one JSON value a line; our exports stay whole."""
    return "\n".join(_lines(text.split("\n"), to_erase))


def _lines(lines: Iterable[str], to_erase: WordsToErase) -> Iterator[str]:
    keys: dict[str, str] = {}
    for line in lines:
        clean = redact_json(line, to_erase)
        value = _read(line) if clean != line or keys else None
        yield _follow(value, clean, keys) if isinstance(value, dict) else clean


def _follow(value: Mapping[str, Any], clean: str, keys: dict[str, str]) -> str:
    """Runs of an export name their texts by digest: a text that changed gets another one."""
    if value.get("kind") == "text" and isinstance(value.get("text"), str):
        keys[digest(value["text"])] = digest(str(json.loads(clean)["text"]))
    sides = [delta.get(side) for delta in _deltas(value) for side in ("before", "after")]
    for old in {side for side in sides if isinstance(side, str) and side in keys}:
        clean = clean.replace(f'"{old}"', f'"{keys[old]}"')
    return clean


def _deltas(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = value.get("deltas") if value.get("kind") == "run" else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def clean_run(told: Sequence[str], to_erase: WordsToErase) -> list[str]:
    """Take to_erase out of what a run says of itself: its note, its detail (JSON), and names."""
    note, detail, *names = told
    clean = [to_erase.redact(name, IN_NAMES) for name in names]
    return [to_erase.redact(note), redact_json(detail, to_erase), *clean]


def _read(text: str) -> object:
    """Return what JSON says, or None where it is none that anybody could read."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _literal(token: re.Match[str]) -> tuple[int, int]:
    return token.start(), token.start("colon") if token["colon"] else token.end()


def _decoded(token: re.Match[str]) -> str:
    return str(json.loads(token.string[slice(*_literal(token))]))


def _encoded(text: str, token: re.Match[str]) -> str:
    """Write a text as the one before was written, and half a surrogate pair as UTF-8 can."""
    if token[0].isascii():
        return json.dumps(text)
    shown = json.dumps(text, ensure_ascii=False)
    return "".join(
        f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in shown
    )


# --- places ---------------------------------------------------------------------------------------


def _free(name: str, taken: Collection[str]) -> str:
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def _trimmed(text: str, places: Iterable[tuple[int, int]]) -> _Places:
    """Return what of the places are words, without the marks around them."""
    found = (_WORDS.search(text, *place) for place in places)
    return [match.span() for match in found if match]


def _inside(spans: Sequence[tuple[int, int]], places: Sequence[tuple[int, int]]) -> _Places:
    """Return the parts of spans that lie in one of the places."""
    return [
        (max(start, first), min(end, last))
        for first, last in places
        for start, end in spans
        if max(start, first) < min(end, last)
    ]


def _outside(spans: Iterable[tuple[int, int]], places: Iterable[tuple[int, int]]) -> _Places:
    """Return the parts of spans that lie in none of the places."""
    ordered = sorted(places)
    found: _Places = []
    first = 0
    for start, end in sorted(spans):
        while first < len(ordered) and ordered[first][1] <= start:
            first += 1
        at = start
        for place in ordered[first:]:
            if place[0] >= end:
                break
            found += [(at, place[0])] if at < place[0] else []
            at = max(at, place[1])
        found += [(at, end)] if at < end else []
    return found
