"""Routes of events and of the sessions that carry them."""

from __future__ import annotations

import re
from functools import partial

from starlette.responses import Response

from reverie.core.runs.planning import check_name
from reverie.daemon.events import MAX_QUEUED, QUEUED_RANGE
from reverie.daemon.hosted import Hosted
from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, Param, answer, query_number
from reverie.daemon.http.stream import EventStream
from reverie.errors import (
    InvalidClientId,
    InvalidInput,
    SessionNotFound,
    TooManySubscribers,
    WorkspaceMismatch,
)
from reverie.types.tasks import Session

_DIGITS = re.compile(r"[0-9]{1,15}\Z")


async def open_session(call: Call) -> Response:
    """Open an event channel and register a client id; no conversation begins."""
    fields = await call.fields()
    folder = fields.optional_text("cwd", WorkspaceMismatch)
    if folder is None:
        folder = fields.optional_text("workspaceCwd", WorkspaceMismatch)
    hosted = call.host.for_folder(folder) if folder else call.hosted
    wanted = call.declared_client()
    session = await hosted.bookkeeping.run(partial(_open, hosted, wanted))
    return answer(
        {
            "sessionId": session.id,
            "workspaceCwd": hosted.cwd,
            "attached": session.attached,
            "clientId": session.client,
            "createdAt": session.created,
            "eventEpoch": hosted.epoch,
        }
    )


def _open(hosted: Hosted, client: str) -> Session:
    check_name(client, hosted.secrets())
    return hosted.tasks.open_session(client)


async def close_session(call: Call) -> Response:
    """Close an event channel."""
    session = await _session(call)
    await call.bookkeeping(lambda: call.hosted.tasks.close_session(session.id))
    return Response(status_code=204)


async def session_events(call: Call) -> Response:
    """Stream the events of a session's workspace, as its client may see them."""
    session = await _session(call)
    return await _stream(call, session.client)


async def events(call: Call) -> Response:
    """Stream the events of a workspace; no session is needed."""
    return await _stream(call, await call.client())


async def _session(call: Call) -> Session:
    wanted = call.request.path_params["session"]
    for hosted in [call.hosted] if call.qualified else call.host.workspaces:
        session = await hosted.bookkeeping.run(partial(hosted.tasks.session, wanted))
        if session is not None:
            call.hosted = hosted
            return session
    raise SessionNotFound(f"there is no session {wanted!r}; `POST /session` opens one")


async def _stream(call: Call, client: str) -> Response:
    request, hosted = call.request, call.hosted
    low, high = QUEUED_RANGE
    max_queued = query_number(call, "maxQueued", default=MAX_QUEUED, low=low, high=high)
    # A resume point that is not a number says nothing about where the reader was: a fresh stream.
    last = request.headers.get("last-event-id", "")
    await hosted.outside_changes.look()  # what happened while nobody listened
    await hosted.bus.catch_up()
    reader = hosted.bus.subscribe(
        client=client,
        last_id=int(last) if _DIGITS.match(last) else None,
        epoch=request.headers.get(hosted.dialect.epoch_header, ""),
        max_queued=max_queued,
    )
    return EventStream(
        hosted.bus,
        reader,
        heartbeat=call.host.heartbeat_seconds,
        headers={hosted.dialect.epoch_header: hosted.epoch},
    )


_SESSION = Param("session", "The session's id.", schemas.TEXT, where="path", required=True)
_STREAM = (
    Param(
        "Last-Event-ID",
        "The last event seen; what came after it is sent first. Anything but digits is ignored.",
        schemas.TEXT,
        where="header",
    ),
    Param(
        "maxQueued",
        "How many events may wait for this reader before it is evicted.",
        {
            "type": "integer",
            "minimum": QUEUED_RANGE[0],
            "maximum": QUEUED_RANGE[1],
            "default": MAX_QUEUED,
        },
    ),
)

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "POST",
        "/session",
        open_session,
        "Open an event channel and register a client id",
        schemas.record(
            {
                "sessionId": schemas.TEXT,
                "workspaceCwd": schemas.TEXT,
                "attached": schemas.FLAG,
                "clientId": schemas.TEXT,
                "createdAt": schemas.MOMENT,
                "eventEpoch": schemas.TEXT,
            }
        ),
        body=schemas.record({}, {"cwd": schemas.nullable(schemas.TEXT)}),
        body_required=False,
        errors=(InvalidClientId, WorkspaceMismatch),
        scoped=True,
    ),
    Endpoint(
        "DELETE",
        "/session/{session}",
        close_session,
        "Close an event channel",
        None,
        204,
        params=(_SESSION,),
        errors=(SessionNotFound,),
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/session/{session}/events",
        session_events,
        "Stream events to a session",
        params=(_SESSION, *_STREAM),
        errors=(InvalidInput, SessionNotFound, TooManySubscribers),
        media="text/event-stream",
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/events",
        events,
        "Stream the events of the workspace",
        params=_STREAM,
        errors=(InvalidInput, InvalidClientId, TooManySubscribers),
        media="text/event-stream",
        scoped=True,
    ),
)
