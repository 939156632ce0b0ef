"""JSON shapes of requests and answers, for the OpenAPI description; tests hold answers against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reverie.daemon.http.endpoint import Param, Schema
from reverie.types import Kind, Scope, TaskKind, TaskStatus

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
MOMENT: Schema = {"type": "string", "format": "date-time"}
SCOPE: Schema = {"type": "string", "enum": [scope.value for scope in Scope]}
KIND: Schema = {"type": "string", "enum": [kind.value for kind in Kind]}


def record(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Describe an object; it may have more keys than are named."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **(optional or {})},
    }


def array(items: Schema) -> Schema:
    """Describe a list."""
    return {"type": "array", "items": items}


def one_of(values: Sequence[str]) -> Schema:
    """Describe a text that is one of several."""
    return {"type": "string", "enum": list(values)}


def nullable(schema: Schema) -> Schema:
    """Allow null too."""
    return {"anyOf": [schema, {"type": "null"}]}


ERROR = record({"error": TEXT, "code": TEXT, "requestId": TEXT})

FAILURE = record({"code": TEXT, "message": TEXT}, {"details": TEXT})
RESULTS: Mapping[TaskKind, Schema] = {
    TaskKind.REMEMBER: record(
        {"summary": TEXT, "filesTouched": array(TEXT), "touchedScopes": array(SCOPE)}
    ),
    TaskKind.FORGET: record(
        {
            "summary": TEXT,
            "removedEntries": array(record({"topic": KIND, "summary": TEXT, "filePath": TEXT})),
            "touchedTopics": array(KIND),
            "touchedScopes": array(SCOPE),
        }
    ),
    TaskKind.DREAM: record(
        {"summary": TEXT, "touchedTopics": array(KIND), "dedupedEntries": COUNT}
    ),
}


def task(kind: TaskKind, *, accepted: bool = False) -> Schema:
    """Describe a task record of a kind."""
    required: dict[str, Schema] = {
        "taskId": {"type": "string", "pattern": f"^{kind.value}-"},
        "status": one_of([status.value for status in TaskStatus]),
        "createdAt": MOMENT,
        "updatedAt": MOMENT,
    }
    if kind is TaskKind.REMEMBER:
        required["contextMode"] = one_of(["workspace", "clean"])
    optional: dict[str, Schema] = {"scope": SCOPE} if kind is TaskKind.REMEMBER else {}
    if not accepted:
        optional |= {"result": nullable(RESULTS[kind]), "error": nullable(FAILURE)}
    return record(required, optional)


LISTED_TASK = record(
    {
        "taskId": TEXT,
        "kind": one_of([kind.value for kind in TaskKind]),
        "status": one_of([status.value for status in TaskStatus]),
        "createdAt": MOMENT,
        "updatedAt": MOMENT,
    },
    {"result": nullable({"type": "object"}), "error": nullable(FAILURE)},
)


TASK_ID = Param("task", "The task's id.", TEXT, where="path", required=True)
KEY = Param(
    "Idempotency-Key",
    "Sending the same request again with the same key returns the first task; no second one is queued.",
    {"type": "string", "minLength": 1, "maxLength": 255},
    where="header",
)


def limit_param(default: int, high: int) -> Param:
    """Describe how many results are wanted."""
    schema: dict[str, Any] = {
        "type": "integer",
        "minimum": 1,
        "maximum": high,
        "default": default,
    }
    return Param("limit", "How many at most.", schema)
