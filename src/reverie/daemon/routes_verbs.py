"""Routes of the verbs that answer at once, for programs without Python; each thin over `Memory`."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from reverie.core.wire import to_wire
from reverie.daemon import schemas
from reverie.daemon.endpoint import Call, Endpoint, Param, answer, query_choice, query_number
from reverie.errors import (
    InvalidClientId,
    InvalidInput,
    InvalidQuery,
    Locked,
    PathEscape,
    RunNotFound,
    StoreError,
    UndoConflict,
)
from reverie.memory import Memory
from reverie.types import Applied, ImportFormat, Skipped

_MAX_RESULTS = 1000
_FORMATS: dict[str, ImportFormat] = {"tree": "tree", "flat": "flat"}


def outcome(value: object) -> dict[str, Any]:
    """Shape an outcome; a skip says so instead of looking like an empty success."""
    if isinstance(value, Skipped):
        return {"status": "skipped", "reason": value.reason, "message": value.message}
    wire = to_wire(value)
    return wire if isinstance(wire, dict) else {"value": wire}


async def recall(call: Call) -> Response:
    """Bring back what matters for a turn."""
    fields = await call.fields()
    query = fields.text("query", InvalidQuery)
    limit = fields.whole("limit", low=1, high=100)
    return answer(outcome(await call.verb(lambda memory: memory.recall(query, limit=limit))))


async def context(call: Call) -> Response:
    """Assemble the context files."""
    chosen = query_choice(call, "format", tuple(_FORMATS))
    shown = _FORMATS[chosen] if chosen else None
    return answer(outcome(await call.verb(lambda memory: memory.context(format=shown))))


async def log(call: Call) -> Response:
    """List runs, newest first."""
    limit = query_number(call, "limit", default=50, low=1, high=_MAX_RESULTS)
    path = call.request.query_params.get("path") or None
    runs = await call.verb(lambda memory: memory.log(limit=limit, path=path))
    return answer({"runs": runs})


async def undo(call: Call) -> Response:
    """Take a run back."""
    fields = await call.fields()
    run = fields.text("run", InvalidInput, limit=200)
    client = await call.client()

    def work(memory: Memory) -> Applied:
        return memory.undo(run)

    applied = await call.verb(work)
    changed(call, applied, source="workspace_undo", client=client)
    return answer(outcome(applied))


def changed(call: Call, applied: Applied, *, source: str, client: str) -> None:
    """Tell readers of events that a verb changed managed memory."""
    if applied.scopes:
        call.hosted.bus.publish(
            "memory_changed",
            {
                "scope": "managed",
                "source": source,
                "taskId": applied.run,
                "touchedScopes": [scope.value for scope in applied.scopes],
            },
            client=client,
        )


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
_RUN = schemas.record(
    {
        "id": schemas.TEXT,
        "at": schemas.MOMENT,
        "verb": schemas.TEXT,
        "status": schemas.TEXT,
        "paths": schemas.array(schemas.TEXT),
    }
)

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
        body=schemas.record(
            {"query": {"type": "string", "minLength": 1}},
            {"limit": schemas.nullable({"type": "integer", "minimum": 1, "maximum": 100})},
        ),
        errors=(InvalidQuery, InvalidInput, StoreError),
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
        errors=(InvalidInput, StoreError),
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/log",
        log,
        "List what was written, newest first",
        schemas.record({"runs": schemas.array(_RUN)}),
        params=(
            schemas.limit_param(50, _MAX_RESULTS),
            Param("path", "Only runs that touched this file.", schemas.TEXT),
        ),
        errors=(InvalidInput, Locked, StoreError),
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
        body=schemas.record({"run": {"type": "string", "minLength": 1}}),
        errors=(
            InvalidInput,
            InvalidClientId,
            RunNotFound,
            UndoConflict,
            Locked,
            PathEscape,
            StoreError,
        ),
        scoped=True,
    ),
)
