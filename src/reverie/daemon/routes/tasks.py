"""Routes of the queue: remember, forget and dream tasks, their polling, listing and cancelling."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from reverie.core.tasks import lane_rules as rules
from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import (
    Call,
    Endpoint,
    Param,
    answer,
    query_choice,
    query_number,
)
from reverie.errors import (
    DiskFull,
    Draining,
    InvalidClientId,
    InvalidContent,
    InvalidContextMode,
    InvalidInput,
    InvalidQuery,
    InvalidScope,
    KeyReused,
    MemoryUnavailable,
    QueueFull,
    SecretRefused,
    StoreError,
    TaskFailed,
    TaskNotFound,
    TaskOver,
    TenantMoving,
    UntrustedFolder,
)
from reverie.types import Scope, Task, TaskKind, TaskStatus

_SCOPES = tuple(scope.value for scope in Scope)
_KINDS = tuple(kind.value for kind in TaskKind)
_STATES = tuple(status.value for status in TaskStatus)
_MAX_LISTED = 1000


def shape(task: Task, *, accepted: bool = False, listed: bool = False) -> dict[str, Any]:
    """Write a task as the document shows it: result and error are null until it is over."""
    wire: dict[str, Any] = {"taskId": task.id}
    if listed:
        wire["kind"] = task.kind.value
    wire["status"] = task.status.value
    if task.kind is TaskKind.REMEMBER:
        wire["contextMode"] = task.payload.get("contextMode", "workspace")
    if task.payload.get("scope"):
        wire["scope"] = task.payload["scope"]
    wire |= {"createdAt": _moment(task.created), "updatedAt": _moment(task.updated)}
    if accepted:
        return wire
    match task.status:
        case TaskStatus.COMPLETED:
            wire["result"] = task.result
        case TaskStatus.FAILED if task.failure is not None:
            wire["error"] = {"code": task.failure.code, "message": task.failure.message}
            if task.failure.details:
                wire["error"]["details"] = task.failure.details
        case _:
            wire |= {"result": None, "error": None}
    return wire


async def remember(call: Call) -> Response:
    """Queue a fact."""
    fields = await call.fields()
    await _check_available(call, TaskKind.REMEMBER)
    payload = {
        "content": fields.text("content", InvalidContent),
        "contextMode": fields.choice("contextMode", ("workspace", "clean"), InvalidContextMode)
        or "workspace",
    }
    scope = fields.choice("scope", _SCOPES, InvalidScope)
    if scope is not None:
        payload["scope"] = scope
    return await _accept(call, TaskKind.REMEMBER, payload)


async def forget(call: Call) -> Response:
    """Queue what is to be forgotten."""
    fields = await call.fields()
    await _check_available(call, TaskKind.FORGET)
    payload = {"query": fields.text("query", InvalidQuery)}
    scope = fields.choice("scope", _SCOPES, InvalidScope)
    if scope is not None:
        payload["scope"] = scope
    return await _accept(call, TaskKind.FORGET, payload)


async def dream(call: Call) -> Response:
    """Queue a dream."""
    await call.fields()
    await _check_available(call, TaskKind.DREAM)
    return await _accept(call, TaskKind.DREAM, {})


async def check_ready(call: Call) -> None:
    """Check what comes before the words: the daemon goes on, and the folder is trusted.

    Through a resident come only commands of its owner, who may do without it what they want.
    """
    if call.hosted.lane.draining:
        raise Draining("the daemon is stopping; send this again when it is back")
    if call.host.resident or call.hosted.is_known_trusted:
        return
    if not await call.bookkeeping(call.hosted.trusted):
        raise UntrustedFolder(
            f"{call.hosted.base} is not trusted, so nothing is remembered for it; `reverie trust`"
            " changes that"
        )


async def _check_available(call: Call, kind: TaskKind) -> None:
    """Check what comes before the words of a task; a memory that cannot be opened fails the task."""
    try:
        await check_ready(call)
    except (TenantMoving, DiskFull):
        raise
    except StoreError as error:
        raise TaskFailed(str(error), verb=kind.value) from error


async def _accept(call: Call, kind: TaskKind, payload: dict[str, Any]) -> Response:
    key = call.key()
    client = await call.client()
    try:
        enabled = await call.bookkeeping(call.hosted.enabled)
    except (TenantMoving, DiskFull):
        raise
    except StoreError as error:
        raise TaskFailed(str(error), verb=kind.value) from error
    if not enabled:
        raise MemoryUnavailable("managed memory is switched off for this workspace")
    task = await call.hosted.lane.accept(kind, payload, client=client, key=key)
    place = quote(call.request.scope["path"]) + f"/{task.id}"
    return answer(shape(task, accepted=True), status=202, headers={"Location": place})


async def _visible(call: Call, kind: TaskKind) -> Task:
    client = await call.client()
    wanted = call.request.path_params["task"]
    task = await call.bookkeeping(lambda: call.hosted.tasks.get(wanted))
    if task is None or task.kind is not kind or not rules.visible(task, client=client):
        raise TaskNotFound(f"there is no {kind.value} task {wanted!r}", verb=kind.value)
    return task


def _poll(kind: TaskKind) -> Any:
    async def poll(call: Call) -> Response:
        return answer(shape(await _visible(call, kind)))

    return poll


def _cancel(kind: TaskKind) -> Any:
    async def cancel(call: Call) -> Response:
        task = await _visible(call, kind)
        return answer(shape(await call.hosted.lane.cancel(task)))

    return cancel


async def tasks(call: Call) -> Response:
    """List the tasks the caller may see, newest first."""
    kind = query_choice(call, "kind", _KINDS)
    status = query_choice(call, "status", _STATES)
    limit = query_number(call, "limit", default=100, low=1, high=_MAX_LISTED)
    client = await call.client()
    known = await call.bookkeeping(call.hosted.tasks.tasks)
    chosen = [
        shape(task, listed=True)
        for task in reversed(known)
        if rules.visible(task, client=client)
        and kind in (None, task.kind.value)
        and status in (None, task.status.value)
    ]
    return answer({"tasks": chosen[:limit], "total": len(chosen)})


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def _of_kind(kind: TaskKind) -> Iterator[Endpoint]:
    path = f"/workspace/memory/{kind.value}/{{task}}"
    seen = (InvalidClientId, TaskNotFound)
    yield Endpoint(
        "GET",
        path,
        _poll(kind),
        f"Poll a {kind.value} task",
        schemas.task(kind),
        params=(schemas.TASK_ID,),
        errors=seen,
        scoped=True,
        verb=kind.value,
    )
    yield Endpoint(
        "DELETE",
        path,
        _cancel(kind),
        f"Cancel a {kind.value} task that has not ended",
        schemas.task(kind),
        params=(schemas.TASK_ID,),
        errors=(*seen, TaskOver),
        scoped=True,
        verb=kind.value,
    )


_QUEUE_ERRORS = (
    InvalidClientId,
    InvalidInput,
    SecretRefused,
    UntrustedFolder,
    MemoryUnavailable,
    KeyReused,
    QueueFull,
    Draining,
    TaskFailed,
    TenantMoving,
)

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "POST",
        "/workspace/memory/remember",
        remember,
        "Queue a fact to remember",
        schemas.task(TaskKind.REMEMBER, accepted=True),
        202,
        schemas.record(
            {"content": {"type": "string", "minLength": 1}},
            {
                "contextMode": schemas.nullable(schemas.one_of(["workspace", "clean"])),
                "scope": schemas.nullable(schemas.SCOPE),
            },
        ),
        params=(schemas.KEY,),
        errors=(InvalidContent, InvalidContextMode, InvalidScope, *_QUEUE_ERRORS),
        scoped=True,
        verb="remember",
    ),
    Endpoint(
        "POST",
        "/workspace/memory/forget",
        forget,
        "Queue a description of what to forget",
        schemas.task(TaskKind.FORGET, accepted=True),
        202,
        schemas.record(
            {"query": {"type": "string", "minLength": 1}},
            {"scope": schemas.nullable(schemas.SCOPE)},
        ),
        params=(schemas.KEY,),
        errors=(InvalidQuery, InvalidScope, *_QUEUE_ERRORS),
        scoped=True,
        verb="forget",
    ),
    Endpoint(
        "POST",
        "/workspace/memory/dream",
        dream,
        "Queue a dream, whether or not one is due",
        schemas.task(TaskKind.DREAM, accepted=True),
        202,
        {"type": "object"},
        body_required=False,
        params=(schemas.KEY,),
        errors=_QUEUE_ERRORS,
        scoped=True,
        verb="dream",
    ),
    Endpoint(
        "GET",
        "/workspace/memory/tasks",
        tasks,
        "List tasks, newest first",
        schemas.record({"tasks": schemas.array(schemas.LISTED_TASK), "total": schemas.COUNT}),
        params=(
            Param("kind", "Only this kind.", schemas.one_of(_KINDS)),
            Param("status", "Only tasks in this state.", schemas.one_of(_STATES)),
            schemas.limit_param(100, _MAX_LISTED),
        ),
        errors=(InvalidClientId, InvalidInput),
        scoped=True,
    ),
    *(endpoint for kind in TaskKind for endpoint in _of_kind(kind)),
)
