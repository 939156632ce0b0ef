"""Routes about the daemon itself: what it can, how it is, what it serves."""

from __future__ import annotations

import os
from typing import Any

from starlette.responses import Response

from reverie import __version__
from reverie.core.tasks.lane_rules import MAX_TEXT_BYTES
from reverie.daemon.events import RING_EVENTS
from reverie.daemon.hosted import Hosted
from reverie.daemon.http import metrics, schemas
from reverie.daemon.http.endpoint import Call, Endpoint, answer
from reverie.errors import EngineUnavailable, NotAllowed, StoreError

_FEATURES = (
    "health",
    "capabilities",
    "session_create",
    "session_events",
    "session_close",
    "workspace_events",
    "workspace_memory",
    "workspace_memory_remember",
    "workspace_memory_remember_project_scope",
    "workspace_memory_remember_user_scope",
    "workspace_memory_forget",
    "workspace_memory_dream",
    "workspace_memory_tasks",
    "workspace_memory_task_cancel",
    "workspace_memory_idempotency_key",
    "workspace_memory_at_once",
    "workspace_recall",
    "workspace_search",
    "workspace_extract",
    "workspace_context",
    "workspace_prompt",
    "workspace_history",
    "workspace_journal",
    "multi_workspace",
    "mcp",
)


async def health(call: Call) -> Response:
    """Say that the daemon is alive; needs no token and tells nothing else."""
    await call.host.check_health()
    return answer({"status": "draining" if call.host.draining else "ok"})


async def capabilities(call: Call) -> Response:
    """Say what the daemon can do, within which limits, for which workspaces."""
    spaces = [await _workspace(hosted) for hosted in call.host.workspaces]
    limits = call.hosted.tasks.limits
    return answer(
        {
            "v": 1,
            "protocolVersions": {"current": "v1", "supported": ["v1"]},
            "reverieVersion": __version__,
            "mode": "native",
            "dialect": call.hosted.dialect.name,
            "features": list(_FEATURES),
            "modes": {"workspace_memory_remember": ["workspace", "clean"]},
            "limits": {
                "maxRegisteredWorkspaces": len(spaces),
                "maxPendingMemoryTasks": limits.pending,
                "maxPendingForgetAndDreamTasks": limits.pending_other,
                "maxMemoryTaskRecords": limits.records,
                "maxMemoryTextBytes": MAX_TEXT_BYTES,
                "maxBodyBytes": call.host.max_body_bytes,
                "maxEventSubscribers": call.hosted.bus.most,
                "maxConnections": call.host.max_connections,
                "maxWaitingReads": call.hosted.reads.most,
                "maxWaitingWrites": call.hosted.writes.most,
                "eventRing": RING_EVENTS,
            },
            "modelServices": [],
            "transports": ["rest-sse"],
            "workspaceCwd": call.hosted.cwd,
            "workspaces": spaces,
            "eventEpoch": call.hosted.epoch,
        }
    )


async def workspaces(call: Call) -> Response:
    """List the workspaces the daemon serves."""
    return answer({"workspaces": [await _workspace(hosted) for hosted in call.host.workspaces]})


async def _workspace(hosted: Hosted) -> dict[str, Any]:
    trusted = await hosted.bookkeeping.run(hosted.trusted)
    return {
        "id": hosted.id,
        "cwd": hosted.cwd,
        "primary": hosted.primary,
        "trusted": trusted,
    }


async def daemon(call: Call) -> Response:
    """Say which process this is and since when, whether it started by itself, and what it takes."""
    _check_owner(call)
    host = call.host
    return answer(
        {
            "pid": os.getpid(),
            "version": __version__,
            "resident": host.resident,
            "startedAt": host.metrics.began,
            "bytes": metrics.resident_bytes(),
            "workspaces": len(host.workspaces),
        }
    )


async def stop(call: Call) -> Response:
    """End the daemon when it has done what it began; asked by its owner alone."""
    _check_owner(call)
    call.host.leave()
    return answer({"stopping": True}, status=202)


def _check_owner(call: Call) -> None:
    if call.caller is None or not call.caller.local:
        raise NotAllowed("this is answered through the Unix socket only")


async def metrics_page(call: Call) -> Response:
    """Answer with every counter in Prometheus' text format."""
    text = await call.host.metrics_page()
    return Response(text, headers={"Content-Type": metrics.CONTENT_TYPE})


async def openapi(call: Call) -> Response:
    """Describe every route."""
    return answer(call.request.app.state.openapi)


_WORKSPACE = schemas.record(
    {
        "id": schemas.TEXT,
        "cwd": schemas.TEXT,
        "primary": schemas.FLAG,
        "trusted": schemas.FLAG,
    }
)

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET",
        "/health",
        health,
        "Say that the daemon is alive",
        schemas.record({"status": schemas.one_of(["ok", "draining"])}),
        open=True,
        bare=True,
        errors=(EngineUnavailable,),
    ),
    Endpoint(
        "GET",
        "/capabilities",
        capabilities,
        "Say what the daemon can do",
        schemas.record(
            {
                "v": {"const": 1},
                "protocolVersions": schemas.record(
                    {"current": schemas.TEXT, "supported": schemas.array(schemas.TEXT)}
                ),
                "mode": schemas.TEXT,
                "features": schemas.array(schemas.TEXT),
                "modes": {"type": "object"},
                "limits": {"type": "object"},
                "workspaceCwd": schemas.TEXT,
                "workspaces": schemas.array(_WORKSPACE),
            }
        ),
        errors=(StoreError,),
    ),
    Endpoint(
        "GET",
        "/workspaces",
        workspaces,
        "List the workspaces the daemon serves",
        schemas.record({"workspaces": schemas.array(_WORKSPACE)}),
        errors=(StoreError,),
    ),
    Endpoint(
        "GET",
        "/metrics",
        metrics_page,
        "Counters for Prometheus",
        media="text/plain",
        errors=(StoreError,),
        bare=True,
    ),
    Endpoint(
        "GET",
        "/daemon",
        daemon,
        "Say which process this is, and whether it started by itself; through the Unix socket only",
        schemas.record(
            {
                "pid": schemas.COUNT,
                "version": schemas.TEXT,
                "resident": schemas.FLAG,
                "startedAt": schemas.MOMENT,
                "bytes": schemas.COUNT,
                "workspaces": schemas.COUNT,
            }
        ),
        errors=(NotAllowed,),
        bare=True,
    ),
    Endpoint(
        "POST",
        "/daemon/stop",
        stop,
        "End the daemon when it has done what it began; through the Unix socket only",
        schemas.record({"stopping": schemas.FLAG}),
        status=202,
        errors=(NotAllowed,),
        bare=True,
    ),
    Endpoint("GET", "/openapi.json", openapi, "This description", {"type": "object"}, bare=True),
)
