"""YAML frontmatter: read with a YAML library, edited by span so that nothing else moves.

Rules:

* Frontmatter is a first line `---` (after a byte order mark, if any) up to the next line `---`.
* Values are the scalars as written: `version: 1.10` is "1.10". A value inside one nested mapping
  has a dotted name (`metadata.type`). Of a key given twice the first counts.
* Broken YAML is read line by line instead and reported in `problem`; `description: a: b` is common.
* Plain `key: value` lines are read and set without loading the library: a hook starts at every prompt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from reverie.core.text.plain import newline_of, rejoined
from reverie.types import Span

if TYPE_CHECKING:
    import yaml

MAX_YAML_CHARS: Final = 64 * 1024  # longer is no frontmatter somebody wrote; read it line by line
MAX_YAML_BRACKETS: Final = 200  # the library takes quadratic time to find out that it is too deep

_NESTING: Final = re.compile(r"[\[{]")
_BLOCK: Final = re.compile(r"\ufeff?---[ \t]*\r?\n(?P<inner>(?:.*\n)*?)---[ \t]*(?:\r?\n|\Z)")
# A value YAML reads exactly as it stands: no indicator at its start, no `: ` or ` #` inside.
_UNPRINTABLE: Final = r"\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
_PLAIN: Final = rf"[^\W_](?:[^\x00-\x1f{_UNPRINTABLE}:#]|:(?=\S)|(?<=\S)#)*"
_PLAIN_VALUE: Final = re.compile(_PLAIN)
_SIMPLE_LINE: Final = re.compile(rf"([A-Za-z_][A-Za-z0-9_-]*):(?:[ ]+({_PLAIN}))?[ ]*")
_LOOSE_LINE: Final = re.compile(r"[ ]*(?P<key>[\w-]+)[ \t]*:[ \t]*(?P<value>[^\r\n]*)")
_INDENT: Final = re.compile(r"^[ ]*(?=[^\s#])", re.MULTILINE)
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_MUST_ESCAPE: Final = re.compile(f"[{_UNPRINTABLE}]")


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """What stands at the head of a file."""

    values: Mapping[str, str]
    inner: Span
    """The lines between the two fences."""
    body: int
    """Where the text after the frontmatter begins."""
    problem: str = ""
    """Why the YAML could not be read, if so; the values were then read line by line."""
    spans: Mapping[str, Span] = field(default_factory=dict)
    """Where each value stands; filled when the library or the line reader did the reading."""


def read(text: str) -> Frontmatter | None:
    """Read the frontmatter of a file; None when it has none."""
    match = _BLOCK.match(text)
    if not match:
        return None
    inner = Span(*match.span("inner"))
    simple = _read_simple(match["inner"])
    if simple is not None:
        return Frontmatter(simple, inner, match.end())
    return _read_yaml(text, inner, match.end())


def set_value(text: str, key: str, value: str) -> str:
    """Set one value, adding the key or the whole frontmatter where it is missing."""
    end = newline_of(text)
    match = _BLOCK.match(text)
    if not match:
        mark = text[:1] if text.startswith("\ufeff") else ""
        rest = text[len(mark) :]
        gap = "" if not rest or rest[0] in "\r\n" else end
        return f"{mark}---{end}{key}: {quote(value)}{end}---{end}{gap}{rest}"
    inner = Span(*match.span("inner"))
    spans = _simple_spans(text, inner, key)
    if spans is None:
        spans = _read_yaml(text, inner, match.end()).spans
    if key not in spans:
        at = inner.end
        first = _INDENT.search(text, inner.start, at)
        indent = first[0] if first else ""
        return f"{text[:at]}{indent}{key}: {quote(value)}{end}{text[at:]}"
    span = spans[key]
    gap = "" if text[span.start - 1] in " \t" else " "
    return text[: span.start] + gap + quote(value) + text[span.end :]


def quote(value: str) -> str:
    """Write a text as a YAML value on one line: plain where that is safe, else in double quotes."""
    if _PLAIN_VALUE.fullmatch(value) and value == value.strip() and value not in _NULLS:
        return value
    return escaped(json.dumps(value, ensure_ascii=False))


def escaped(written: str) -> str:
    """Escape in a JSON text what YAML takes for no character."""
    return _MUST_ESCAPE.sub(_escape, written)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _read_simple(inner: str) -> dict[str, str] | None:
    """Read lines of `key: plain value`; None when there is anything else."""
    values: dict[str, str] = {}
    for line in inner.split("\n"):
        line = line.removesuffix("\r")
        if not line:
            continue
        match = _SIMPLE_LINE.fullmatch(line)
        if not match:
            return None
        value = (match[2] or "").rstrip(" ")
        values.setdefault(match[1], "" if value in _NULLS else value)
    return values


def _simple_spans(text: str, inner: Span, key: str) -> Mapping[str, Span] | None:
    """Find where a value stands among lines of `key: plain value`; None where that takes the library."""
    known = _read_simple(text[inner.start : inner.end])
    if known is None or known.get(key) == "":
        return None
    if key not in known:
        return {}
    at = inner.start
    for line in text[inner.start : inner.end].split("\n"):
        if line.startswith(f"{key}:"):
            value = line[len(key) + 1 :].removesuffix("\r").rstrip(" ")
            start = at + len(key) + 1 + len(value) - len(value.lstrip(" "))
            return {key: Span(start, at + len(key) + 1 + len(value))}
        at += len(line) + 1
    return None


def _read_yaml(text: str, inner: Span, body: int) -> Frontmatter:
    import yaml

    source = text[inner.start : inner.end]
    try:
        if len(source) > MAX_YAML_CHARS or len(_NESTING.findall(source)) > MAX_YAML_BRACKETS:
            raise yaml.YAMLError("it is too long or too deep")
        root = yaml.compose(source, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return _read_lines(text, inner, body, _reason(error))
    if root is None:
        return Frontmatter({}, inner, body)
    if not isinstance(root, yaml.MappingNode):
        return _read_lines(text, inner, body, "it is not a list of keys and values")
    values: dict[str, str] = {}
    spans: dict[str, Span] = {}
    _collect(root, "", inner.start, source, values, spans)
    return Frontmatter(values, inner, body, spans=spans)


def _collect(
    node: yaml.MappingNode,
    prefix: str,
    offset: int,
    source: str,
    values: dict[str, str],
    spans: dict[str, Span],
) -> None:
    import yaml

    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or rejoined(prefix + key.value) in spans:
            continue
        name = rejoined(prefix + key.value)
        start, end = value.start_mark.index, value.end_mark.index
        # A block scalar ends where the next key begins; its own last line ends before that.
        end = max(start, len(source[:end].rstrip())) if end > start else end
        spans[name] = Span(offset + start, offset + end)
        if isinstance(value, yaml.ScalarNode):
            null = value.style is None and value.value in _NULLS
            values[name] = "" if null else rejoined(value.value)
        elif isinstance(value, yaml.MappingNode) and not prefix:
            _collect(value, f"{name}.", offset, source, values, spans)


def _read_lines(text: str, inner: Span, body: int, problem: str) -> Frontmatter:
    values: dict[str, str] = {}
    spans: dict[str, Span] = {}
    at = inner.start
    for line in text[inner.start : inner.end].splitlines(keepends=True):
        match = _LOOSE_LINE.match(line)
        if match and match["key"] not in values:
            value = match["value"].rstrip()
            values[match["key"]] = _unquote(value)
            start = at + match.start("value")
            spans[match["key"]] = Span(start, start + len(value))
        at += len(line)
    return Frontmatter(values, inner, body, problem, spans)


def _unquote(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        try:
            return rejoined(str(json.loads(value)))
        except ValueError:
            return value[1:-1]
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value


def _reason(error: BaseException) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
    return f"line {mark.line + 2}: {problem}" if mark is not None else str(problem)
