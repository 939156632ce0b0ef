"""The tools `memory_search`, `memory_get` and `memory_stats`: schemas, arguments, answers.

Rules
- Names, defaults and answers are the search document's. `memory_get` takes its `lines: "42-56"` and the
  other common form, a first line `from` and a number of `lines`.
- Arguments come from a model, so every wrong one is an error that says what would be right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from reverie.core.search.isolation import isolation_of
from reverie.core.wire import to_wire
from reverie.errors import InvalidArgument, InvalidLines, InvalidPath, InvalidQuery

if TYPE_CHECKING:
    from reverie.types import Excerpt, IndexStats, Isolation, SearchOutcome

__all__ = ["TOOLS", "GetArguments", "SearchArguments", "get_arguments", "run", "search_arguments"]

MAX_RESULTS: Final = 20
_SOURCES: Final = ("all", "memory", "chat", "custom")
_LINES_AFTER: Final = 20  # how many lines `from` alone brings
_MOST_LINES: Final = 1_000_000

_ISOLATION: Final = {
    "allowedPaths": {"type": "array", "items": {"type": "string"}},
    "userId": {"type": "string"},
    "projectId": {"type": "string"},
    "conversationId": {"type": "string"},
}
_SEEN: Final = {
    "isolation": {
        "type": "object",
        "properties": _ISOLATION,
        "additionalProperties": False,
    },
    **_ISOLATION,
}

TOOLS: Final[tuple[dict[str, Any], ...]] = (
    {
        "name": "memory_search",
        "title": "Search memory",
        "description": (
            "Mandatory recall step: search before you answer about prior work, decisions, dates, people,"
            " preferences or open tasks. Returns passages of memory files and past conversations with"
            " path and lines. If nothing fits, say that you looked."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "A question, as a sentence."},
                "maxResults": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_RESULTS,
                    "default": 6,
                },
                "minScore": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1,
                    "default": 0.35,
                    "description": "Lower brings more.",
                },
                "source": {
                    "type": "string",
                    "enum": list(_SOURCES),
                    "default": "all",
                    "description": "chat: past conversations; custom: extra paths.",
                },
                **_SEEN,
            },
            "required": ["query"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "memory_get",
        "title": "Read memory",
        "description": (
            "Reads lines of a memory file or past conversation, by the path and lines that memory_search"
            " returned."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "E.g. memory/decisions.md.",
                },
                "lines": {
                    "type": ["string", "integer"],
                    "description": 'A range, "42-56"; or, with from, how many.',
                },
                "from": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The first line.",
                },
                **_SEEN,
            },
            "required": ["path"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "memory_stats",
        "title": "Memory statistics",
        "description": "What is indexed: files, chunks, sources, since when.",
        "inputSchema": {
            "type": "object",
            "properties": {**_SEEN},
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True},
    },
)


@dataclass(frozen=True, slots=True)
class SearchArguments:
    """Arguments of `memory_search`, checked."""

    query: str
    max_results: int = 6
    min_score: float = 0.35
    source: Literal["all", "memory", "chat", "custom"] = "all"
    isolation: Isolation | None = None


@dataclass(frozen=True, slots=True)
class GetArguments:
    """Arguments of `memory_get`, checked; `lines` is a range or empty."""

    path: str
    lines: str = ""
    isolation: Isolation | None = None


def search_arguments(arguments: Mapping[str, Any]) -> SearchArguments:
    """Check the arguments of `memory_search`."""
    given = _known("memory_search", arguments)
    query = given.get("query")
    if not isinstance(query, str) or not query.strip():
        raise InvalidQuery(f"query must be a text that says what to look for, not {query!r}")
    most = given.get("maxResults", 6)
    if not _whole(most) or not 1 <= most <= MAX_RESULTS:
        raise InvalidArgument(f"maxResults must be a whole number from 1 to 20, not {most!r}")
    least = given.get("minScore", 0.35)
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 <= least <= 1:
        raise InvalidArgument(f"minScore must be a number from 0 to 1, not {least!r}")
    source = given.get("source", "all")
    if source not in _SOURCES:
        raise InvalidArgument(f"source must be one of {', '.join(_SOURCES)}, not {source!r}")
    return SearchArguments(query, int(most), float(least), source, isolation_of(given))


def get_arguments(arguments: Mapping[str, Any]) -> GetArguments:
    """Check the arguments of `memory_get`, in either form."""
    given = _known("memory_get", arguments)
    path = given.get("path")
    if not isinstance(path, str) or not path.strip():
        raise InvalidPath(f"path must be the path of a memory file, not {path!r}")
    lines, first, seen = given.get("lines"), given.get("from"), isolation_of(given)
    if first is not None:
        count = _LINES_AFTER if lines is None else lines
        if not _whole(first) or first < 1:
            raise InvalidLines(f"from must be a line number, counted from 1, not {first!r}")
        if not _whole(count) or not 1 <= count <= _MOST_LINES:
            raise InvalidLines(f"with from, lines must say how many lines, not {count!r}")
        return GetArguments(path, f"{int(first)}-{int(first) + int(count) - 1}", seen)
    if lines is None:
        return GetArguments(path, isolation=seen)
    if _whole(lines):
        return GetArguments(path, f"1-{int(lines)}", seen)
    if not isinstance(lines, str):
        raise InvalidLines(f'lines must be a range such as "42-56", not {lines!r}')
    return GetArguments(path, lines, seen)


def run(
    name: str,
    arguments: Mapping[str, Any],
    *,
    search: Callable[..., SearchOutcome],
    get: Callable[..., Excerpt],
    stats: Callable[..., IndexStats],
) -> dict[str, Any]:
    """Carry out one tool call over the verbs of an opened memory, and shape the answer."""
    match name:
        case "memory_search":
            wanted = search_arguments(arguments)
            outcome = search(
                wanted.query,
                max_results=wanted.max_results,
                min_score=wanted.min_score,
                source=wanted.source,
                isolation=wanted.isolation,
            )
            return _wire(outcome)
        case "memory_get":
            place = get_arguments(arguments)
            return _wire(get(place.path, place.lines, isolation=place.isolation))
        case "memory_stats":
            given = _known("memory_stats", arguments)
            return _wire(stats(isolation=isolation_of(given)))
    names = ", ".join(str(tool["name"]) for tool in TOOLS)
    raise InvalidArgument(f"there is no tool {name!r}; there are {names}")


def _known(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is null, refuse what the schema does not have."""
    if not isinstance(arguments, Mapping):
        raise InvalidArgument(f"the arguments of {tool} must be an object, not {arguments!r}")
    schema = next(item for item in TOOLS if item["name"] == tool)["inputSchema"]["properties"]
    for key in arguments:
        if key not in schema:
            takes = ", ".join(schema) or "no arguments"
            raise InvalidArgument(f"{tool} has no argument {key!r}; it takes {takes}")
    return {key: value for key, value in arguments.items() if value is not None}


def _whole(value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _wire(value: object) -> dict[str, Any]:
    shaped = to_wire(value)
    return shaped if isinstance(shaped, dict) else {}
