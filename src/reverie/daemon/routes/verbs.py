"""Routes of the verbs that read, for programs without Python; each thin over `Memory`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from reverie.core.search.isolation import isolation_of
from reverie.core.search.tools import MAX_RESULTS
from reverie.core.wire import to_wire
from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import (
    Call,
    Endpoint,
    Fields,
    Param,
    Schema,
    answer,
    query_choice,
    query_number,
)
from reverie.daemon.work.questions import outcome
from reverie.errors import (
    Conflict,
    InvalidInput,
    InvalidLines,
    InvalidPath,
    InvalidQuery,
    Locked,
    ModelError,
    ModelTimeout,
    NotAllowed,
    NotFound,
    StoreError,
    TooLarge,
    UntrustedFolder,
)
from reverie.types import ImportFormat

if TYPE_CHECKING:
    from reverie.verbs.search import SourceName

_MAX_LISTED = 1000
_MAX_RECALLED = 100
_MAX_LINES = 100
_LINES = 20
_FORMATS: dict[str, ImportFormat] = {"tree": "tree", "flat": "flat"}
_SOURCES: dict[str, SourceName] = {
    "all": "all",
    "memory": "memory",
    "chat": "chat",
    "custom": "custom",
}


def outcome_fields(value: object) -> dict[str, Any]:
    """Return what an outcome is answered with, to add to it or take from it."""
    wire = to_wire(outcome(value))
    return wire if isinstance(wire, dict) else {}


async def progress(call: Call) -> Response:
    """Say how far the workspace's requests and tasks are; who waits for one asks this beside it."""
    working: list[dict[str, Any]] = []
    for step, left in call.hosted.board.working():
        told: dict[str, Any] = {"what": step.what, "done": step.done}
        if step.total:
            told["total"] = step.total
        if left is not None:
            told["secondsLeft"] = round(left)
        working.append(told)
    return answer({"working": working})


async def recall(call: Call) -> Response:
    """Bring back what matters for a turn."""
    fields = await call.fields()
    query = fields.text("query", InvalidQuery)
    limit = fields.whole("limit", low=1, high=_MAX_RECALLED)
    return await call.read("recall", query=query, limit=limit)


async def search(call: Call) -> Response:
    """Find what answers a query."""
    fields = await call.fields()
    query = fields.text("query", InvalidQuery)
    most = fields.whole("maxResults", low=1, high=MAX_RESULTS)
    least = fields.number("minScore", low=0, high=1)
    source = _SOURCES[fields.choice("source", tuple(_SOURCES), InvalidInput) or "all"]
    seen = isolation_of(fields.values)
    return await call.read(
        "search", query=query, max_results=most, min_score=least, source=source, isolation=seen
    )


async def get(call: Call) -> Response:
    """Read lines of a file that is searched."""
    fields = await call.fields()
    path = fields.text("path", InvalidPath, limit=4096)
    lines = _lines(fields)
    seen = isolation_of(fields.values)
    return await call.read("get", path=path, lines=lines, isolation=seen)


def _lines(fields: Fields) -> str:
    """Read a range as `lines: "42-56"`, or as `from` and a number of lines."""
    if isinstance(fields.values.get("lines"), str):
        return fields.optional_text("lines", InvalidLines) or ""
    first = fields.whole("from", low=1, high=10**9)
    count = fields.whole("lines", low=1, high=_MAX_LINES)
    if first is None and count is None:
        return ""
    begin = first or 1
    return f"{begin}-{begin + (count or _LINES) - 1}"


async def stats(call: Call) -> Response:
    """Count what is searched."""
    asked = call.request.query_params
    fields = Fields({name: asked[name] for name in asked if name != "allowedPaths"})
    paths = asked.getlist("allowedPaths") or None
    seen = isolation_of({**fields.values, "allowedPaths": paths})
    return await call.read("stats", isolation=seen)


async def context(call: Call) -> Response:
    """Assemble the context files."""
    chosen = query_choice(call, "format", tuple(_FORMATS))
    shown = _FORMATS[chosen] if chosen else None
    return await call.read("context", format=shown)


async def prompt(call: Call) -> Response:
    """Assemble the layered system prompt."""
    fields = await call.fields()
    query = fields.optional_text("query", InvalidQuery) or ""
    replay = fields.whole("replay", low=0, high=_MAX_LISTED)
    return await call.read("prompt", query=query, replay=replay)


async def log(call: Call) -> Response:
    """List runs, newest first."""
    limit = query_number(call, "limit", default=50, low=1, high=_MAX_LISTED)
    path = call.request.query_params.get("path") or None
    if path is not None and "\x00" in path:
        raise InvalidPath("the path contains a NUL character")
    return await call.read("log", limit=limit, path=path)


# --- the table ------------------------------------------------------------------------------------

QUERY = {"type": "string", "minLength": 1}
READING = (InvalidInput, NotAllowed, NotFound, Locked, Conflict, TooLarge, StoreError)
ASKING = (*READING, ModelError, ModelTimeout)
_TOPIC = schemas.record(
    {
        "path": schemas.TEXT,
        "scope": schemas.SCOPE,
        "kind": schemas.KIND,
        "name": schemas.TEXT,
        "text": schemas.TEXT,
        "lines": schemas.TEXT,
        "score": schemas.NUMBER,
    }
)
_HIT = schemas.record(
    {
        "path": schemas.TEXT,
        "lines": schemas.TEXT,
        "text": schemas.TEXT,
        "score": schemas.NUMBER,
        "source": schemas.one_of(["memory", "chat", "custom"]),
        "provenance": schemas.TEXT,
        "passages": schemas.array(
            schemas.record(
                {
                    "path": schemas.TEXT,
                    "lines": schemas.TEXT,
                    "text": schemas.TEXT,
                    "score": schemas.NUMBER,
                }
            )
        ),
    }
)
_RUN = schemas.record(
    {
        "id": schemas.TEXT,
        "at": schemas.MOMENT,
        "verb": schemas.TEXT,
        "status": schemas.TEXT,
        "paths": schemas.array(schemas.TEXT),
    }
)


def _whole(low: int, high: int) -> Schema:
    return schemas.nullable({"type": "integer", "minimum": low, "maximum": high})


_ISOLATION: dict[str, Schema] = {
    "allowedPaths": schemas.nullable(schemas.array(schemas.TEXT)),
    "userId": schemas.nullable(schemas.TEXT),
    "projectId": schemas.nullable(schemas.TEXT),
    "conversationId": schemas.nullable(schemas.TEXT),
}
_SEEN: dict[str, Schema] = {"isolation": schemas.record({}, _ISOLATION), **_ISOLATION}

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "POST",
        "/workspace/recall",
        recall,
        "Bring back what matters for a turn",
        schemas.record(
            {
                "strategy": schemas.TEXT,
                "topics": schemas.array(_TOPIC),
                "block": schemas.TEXT,
                "scanned": schemas.COUNT,
            }
        ),
        body=schemas.record({"query": QUERY}, {"limit": _whole(1, _MAX_RECALLED)}),
        errors=(InvalidQuery, *ASKING),
        scoped=True,
        asks=True,
    ),
    Endpoint(
        "POST",
        "/workspace/search",
        search,
        "Find what answers a query, with path and lines",
        schemas.record(
            {
                "query": schemas.TEXT,
                "results": schemas.array(_HIT),
                "totalFound": schemas.COUNT,
                "method": schemas.one_of(["hybrid", "keyword", "vector", "none"]),
                "stats": schemas.record(
                    {"totalFiles": schemas.COUNT, "totalChunks": schemas.COUNT}
                ),
            }
        ),
        body=schemas.record(
            {"query": QUERY},
            {
                "maxResults": _whole(1, MAX_RESULTS),
                "minScore": schemas.nullable({"type": "number", "minimum": 0, "maximum": 1}),
                "source": schemas.nullable(schemas.one_of(list(_SOURCES))),
                **_SEEN,
            },
        ),
        errors=(InvalidQuery, *ASKING),
        scoped=True,
        asks=True,
    ),
    Endpoint(
        "POST",
        "/workspace/get",
        get,
        "Read lines of a file that is searched",
        schemas.record(
            {
                "path": schemas.TEXT,
                "lines": schemas.TEXT,
                "text": schemas.TEXT,
                "found": schemas.FLAG,
                "totalLines": schemas.COUNT,
                "provenance": schemas.TEXT,
            }
        ),
        body=schemas.record(
            {"path": QUERY},
            {
                "lines": {"anyOf": [schemas.TEXT, _whole(1, _MAX_LINES)]},
                "from": _whole(1, 10**9),
                **_SEEN,
            },
        ),
        errors=(InvalidPath, InvalidLines, UntrustedFolder, *READING),
        scoped=True,
        asks=True,
    ),
    Endpoint(
        "GET",
        "/workspace/progress",
        progress,
        "Say how far requests and tasks are that take long",
        schemas.record(
            {
                "working": schemas.array(
                    schemas.record(
                        {"what": schemas.TEXT, "done": schemas.COUNT},
                        {"total": schemas.COUNT, "secondsLeft": schemas.COUNT},
                    )
                )
            }
        ),
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/stats",
        stats,
        "Count what is searched",
        schemas.record({"totalFiles": schemas.COUNT, "totalChunks": schemas.COUNT}),
        params=(
            Param(
                "allowedPaths", "Count only these files and folders", schemas.array(schemas.TEXT)
            ),
            Param("userId", "Leave out memory of any other user", schemas.TEXT),
            Param("projectId", "Leave out memory of any other project", schemas.TEXT),
            Param("conversationId", "Of the history, count only this", schemas.TEXT),
        ),
        errors=ASKING,
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/context",
        context,
        "Assemble the context files, imports expanded",
        schemas.record(
            {
                "text": schemas.TEXT,
                "files": schemas.array({"type": "object"}),
                "diagnostics": schemas.array({"type": "object"}),
                "tokens": schemas.COUNT,
            }
        ),
        params=(Param("format", "How imports are shown.", schemas.one_of(["tree", "flat"])),),
        errors=READING,
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/prompt",
        prompt,
        "Assemble the layered system prompt, with tokens per part",
        schemas.record(
            {
                "text": schemas.TEXT,
                "parts": schemas.array({"type": "object"}),
                "tokens": schemas.COUNT,
                "budget": schemas.COUNT,
            }
        ),
        body=schemas.record(
            {}, {"query": schemas.nullable(schemas.TEXT), "replay": _whole(0, _MAX_LISTED)}
        ),
        body_required=False,
        errors=(InvalidQuery, *ASKING),
        scoped=True,
        asks=True,
    ),
    Endpoint(
        "GET",
        "/workspace/log",
        log,
        "List what was written, newest first",
        schemas.record({"runs": schemas.array(_RUN)}),
        params=(
            schemas.limit_param(50, _MAX_LISTED),
            Param("path", "Only runs that touched this file.", schemas.TEXT),
        ),
        errors=(InvalidPath, *READING),
        scoped=True,
    ),
)
