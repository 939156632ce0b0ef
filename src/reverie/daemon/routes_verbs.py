"""Routes of the verbs that answer at once, for programs without Python; each thin over `Memory`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from reverie.core.wire import to_wire
from reverie.daemon import schemas
from reverie.daemon.endpoint import (
    Call,
    Endpoint,
    Fields,
    Param,
    Schema,
    answer,
    encoded,
    query_choice,
    query_number,
)
from reverie.errors import (
    Conflict,
    InvalidClientId,
    InvalidContent,
    InvalidInput,
    InvalidLines,
    InvalidPath,
    InvalidQuery,
    Locked,
    ModelError,
    ModelTimeout,
    NotAllowed,
    NotFound,
    RunNotFound,
    SecretRefused,
    StaleBase,
    StoreError,
    TooLarge,
    UndoConflict,
)
from reverie.types import Extracted, ImportFormat, Scope, Skipped

if TYPE_CHECKING:
    from reverie.verbs.search import SourceName

_MAX_LISTED = 1000
_MAX_HITS = 100
_MAX_LINES = 100
_LINES = 20
_FORMATS: dict[str, ImportFormat] = {"tree": "tree", "flat": "flat"}
_SOURCES: dict[str, SourceName] = {
    "all": "all",
    "memory": "memory",
    "chat": "chat",
    "custom": "custom",
}


def outcome(value: object) -> dict[str, Any]:
    """Shape an outcome; a skip says so instead of looking like an empty success."""
    if isinstance(value, Skipped):
        return {"status": "skipped", "reason": value.reason, "message": value.message}
    wire = to_wire(value)
    return wire if isinstance(wire, dict) else {"value": wire}


# --- reading --------------------------------------------------------------------------------------


async def recall(call: Call) -> Response:
    """Bring back what matters for a turn."""
    fields = await call.fields()
    query = fields.text("query", InvalidQuery)
    limit = fields.whole("limit", low=1, high=_MAX_HITS)
    return answer(outcome(await call.verb(lambda memory: memory.recall(query, limit=limit))))


async def search(call: Call) -> Response:
    """Find what answers a query."""
    fields = await call.fields()
    query = fields.text("query", InvalidQuery)
    most = fields.whole("maxResults", low=1, high=_MAX_HITS)
    least = fields.number("minScore", low=0, high=1)
    source = _SOURCES[fields.choice("source", tuple(_SOURCES), InvalidInput) or "all"]
    found = await call.verb(
        lambda memory: memory.search(query, max_results=most, min_score=least, source=source),
        "search_index",
    )
    return answer(outcome(found))


async def get(call: Call) -> Response:
    """Read lines of a file that is searched."""
    fields = await call.fields()
    path = fields.text("path", InvalidPath, limit=4096)
    lines = _lines(fields)
    found = await call.verb(lambda memory: memory.get(path, lines), "search_index")
    return answer(outcome(found))


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
    return answer(outcome(await call.verb(lambda memory: memory.stats(), "search_index")))


async def context(call: Call) -> Response:
    """Assemble the context files."""
    chosen = query_choice(call, "format", tuple(_FORMATS))
    shown = _FORMATS[chosen] if chosen else None
    return answer(outcome(await call.verb(lambda memory: memory.context(format=shown))))


async def prompt(call: Call) -> Response:
    """Assemble the layered system prompt."""
    fields = await call.fields()
    query = fields.optional_text("query", InvalidQuery) or ""
    replay = fields.whole("replay", low=0, high=_MAX_LISTED)
    made = await call.verb(lambda memory: memory.prompt(query, replay=replay), "layers")
    return answer(outcome(made))


async def log(call: Call) -> Response:
    """List runs, newest first."""
    limit = query_number(call, "limit", default=50, low=1, high=_MAX_LISTED)
    path = call.request.query_params.get("path") or None
    if path is not None and "\x00" in path:
        raise InvalidPath("the path holds a NUL character")
    runs = await call.verb(lambda memory: memory.log(limit=limit, path=path))
    return answer({"runs": runs})


# --- writing --------------------------------------------------------------------------------------


async def extract(call: Call) -> Response:
    """Learn from the part of a conversation that was not read before."""
    fields = await call.fields()
    session = fields.text("session", InvalidInput, limit=200)
    messages = _messages(fields)
    client = await call.client()
    done = await call.verb(lambda memory: memory.extract(messages, session=session), "state")
    if isinstance(done, Extracted) and done.runs:
        scopes = {patch.scope for patch in done.patches if patch.action in ("added", "updated")}
        changed(call, scopes, done.runs[-1], source="workspace_extract", client=client)
    return answer(outcome(done))


async def history(call: Call) -> Response:
    """Append one finished exchange to the agent's history."""
    from reverie.core.chatlogs import read_exchange

    fields = await call.fields()
    session = fields.optional_text("session") or ""
    exchange = read_exchange(json.dumps(_messages(fields)))
    done = await call.verb(lambda memory: memory.layers.append(exchange, session=session), "layers")
    turns = [{"seq": turn.seq, "id": turn.id} for turn in done.turns]
    return answer({"turns": turns, "redactions": done.redactions, "dropped": done.dropped})


async def undo(call: Call) -> Response:
    """Take a run back."""
    fields = await call.fields()
    run = fields.text("run", InvalidInput, limit=200)
    client = await call.client()
    applied = await call.verb(lambda memory: memory.undo(run))
    changed(call, applied.scopes, applied.run, source="workspace_undo", client=client)
    return answer(outcome(applied))


def _messages(fields: Fields) -> list[Any]:
    messages = fields.values.get("messages")
    if not isinstance(messages, list):
        raise InvalidContent("messages is missing, or not a list of messages")
    encoded(json.dumps(messages, ensure_ascii=False), "messages", InvalidContent)
    return messages


def changed(
    call: Call, scopes: Iterable[Scope | None], run: str, *, source: str, client: str
) -> None:
    """Tell readers of events that a verb changed managed memory."""
    touched = [scope.value for scope in Scope if scope in set(scopes)]
    if touched:
        data = {"scope": "managed", "source": source, "taskId": run, "touchedScopes": touched}
        call.hosted.bus.publish("memory_changed", data, client=client)


# --- the table ------------------------------------------------------------------------------------

_QUERY = {"type": "string", "minLength": 1}
_READING = (InvalidInput, NotAllowed, NotFound, Locked, Conflict, TooLarge, StoreError)
_ASKING = (*_READING, ModelError, ModelTimeout)
_MESSAGES = schemas.array({"type": "object"})
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
        body=schemas.record({"query": _QUERY}, {"limit": _whole(1, _MAX_HITS)}),
        errors=(InvalidQuery, *_ASKING),
        scoped=True,
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
            {"query": _QUERY},
            {
                "maxResults": _whole(1, _MAX_HITS),
                "minScore": schemas.nullable({"type": "number", "minimum": 0, "maximum": 1}),
                "source": schemas.nullable(schemas.one_of(list(_SOURCES))),
            },
        ),
        errors=(InvalidQuery, *_ASKING),
        scoped=True,
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
            }
        ),
        body=schemas.record(
            {"path": _QUERY},
            {
                "lines": {"anyOf": [schemas.TEXT, _whole(1, _MAX_LINES)]},
                "from": _whole(1, 10**9),
            },
        ),
        errors=(InvalidPath, InvalidLines, *_READING),
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/stats",
        stats,
        "Count what is searched",
        schemas.record({"totalFiles": schemas.COUNT, "totalChunks": schemas.COUNT}),
        errors=_ASKING,
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
        errors=_READING,
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
        errors=(InvalidQuery, *_ASKING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/extract",
        extract,
        "Learn from the new part of a conversation",
        {"type": "object"},
        body=schemas.record({"session": _QUERY, "messages": _MESSAGES}),
        errors=(InvalidContent, InvalidClientId, SecretRefused, StaleBase, *_ASKING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/history",
        history,
        "Append one exchange to the agent's history",
        schemas.record(
            {
                "turns": schemas.array(schemas.record({"seq": schemas.COUNT, "id": schemas.TEXT})),
                "redactions": schemas.array({"type": "object"}),
                "dropped": schemas.array({"type": "object"}),
            }
        ),
        body=schemas.record({"messages": _MESSAGES}, {"session": schemas.nullable(schemas.TEXT)}),
        errors=(InvalidContent, *_READING),
        scoped=True,
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
        errors=(InvalidPath, *_READING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/undo",
        undo,
        "Take a run back",
        schemas.record(
            {
                "run": schemas.TEXT,
                "paths": schemas.array(schemas.TEXT),
                "scopes": schemas.array(schemas.SCOPE),
            }
        ),
        body=schemas.record({"run": _QUERY}),
        errors=(InvalidClientId, RunNotFound, UndoConflict, *_READING),
        scoped=True,
    ),
)
