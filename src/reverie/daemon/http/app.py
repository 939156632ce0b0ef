"""The application: the tables of endpoints, the gate before them, and errors as answers.

Order of the checks (it decides which code a bad request gets): Host, Origin, token, route, body,
workspace, words, client id, availability, queue.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import replace
from email.utils import formatdate
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote, unquote

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reverie.core.secrets.scanner import redact
from reverie.daemon.host import Host
from reverie.daemon.http.endpoint import Call, Endpoint, answer
from reverie.daemon.http.openapi import ALWAYS_ANSWERED, describe, scoped_path
from reverie.daemon.http.presence import CallerGone
from reverie.daemon.routes import (
    about,
    browse,
    context_files,
    edit,
    events,
    heard,
    hooks,
    layers,
    lookback,
    now,
    page,
    shapes,
    tasks,
    tool_calls,
    verbs,
    writing,
)
from reverie.errors import (
    MethodNotAllowed,
    NotFound,
    ReverieError,
    TenantMoving,
    TooBusy,
    TooManyConnections,
    Unavailable,
)

if TYPE_CHECKING:
    from reverie.daemon.hosted import Hosted

_log = logging.getLogger(__name__)
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}\Z")
_RETRY_SECONDS = {503: 1, 429: 5}
_HUNG_UP = 499
_ABOUT_ITSELF = frozenset({ALWAYS_ANSWERED, *(item.path for item in about.ENDPOINTS if item.bare)})

# Clients of the daemon whose routes these are, and of mem0, send more keys than are named.
_OTHERS: Final = (*tasks.ENDPOINTS, *context_files.ENDPOINTS, *events.ENDPOINTS)
ENDPOINTS: tuple[Endpoint, ...] = (
    *(replace(endpoint, tolerant=True) for endpoint in _OTHERS),
    *verbs.ENDPOINTS,
    *writing.ENDPOINTS,
    *heard.ENDPOINTS,
    *now.ENDPOINTS,
    *hooks.ENDPOINTS,
    *tool_calls.ENDPOINTS,
    *browse.ENDPOINTS,
    *lookback.ENDPOINTS,
    *edit.ENDPOINTS,
    *layers.ENDPOINTS,
    *about.ENDPOINTS,
)


def build_app(host: Host) -> Doorman:
    """Make the application of a host."""
    routes: list[BaseRoute] = []
    shaped = (replace(endpoint, tolerant=True) for endpoint in shapes.endpoints(host.shapes))
    endpoints = (*ENDPOINTS, *shaped)
    for endpoint in endpoints:
        routes.append(_route(endpoint, endpoint.path, host))
        if endpoint.scoped:
            routes.append(_route(endpoint, scoped_path(endpoint.path), host, qualified=True))

    app = Starlette(
        routes=[*routes, *host.mcp.routes(), *page.page_routes()],
        exception_handlers={
            HTTPException: _http_error,
            ClientDisconnect: _gone,
            CallerGone: _gone,
            Exception: _mistake,
        },
    )
    app.router.redirect_slashes = False
    names = host.dialect
    app.state.openapi = describe(
        endpoints, client_header=names.client_header, epoch_header=names.epoch_header
    )
    unlocked = {endpoint.path for endpoint in endpoints if endpoint.open}
    unlocked |= {*page.page_paths()}
    return Doorman(app, host=host, unlocked=frozenset(unlocked))


def _route(endpoint: Endpoint, path: str, host: Host, *, qualified: bool = False) -> Route:
    async def handle(request: Request) -> Response:
        request.scope["reverie.path"] = path
        try:
            selector = request.path_params.get("workspace")
            view: Host = request.scope.get("reverie.host", host)
            if not endpoint.reads:
                view.check_writing()
            # A bare endpoint is about the daemon; it never looks at the workspace.
            hosted = cast("Hosted", None) if endpoint.bare else await view.hosted(selector)
            if request.method == "HEAD" and endpoint.media == "text/event-stream":
                return Response(media_type=endpoint.media)
            endpoint.refuse_unknown(request.query_params, body=False)
            return await endpoint.handler(Call(request, view, hosted, qualified, endpoint))
        except ReverieError as error:
            return error_answer(error, request.scope)

    return Route(path, handle, methods=[endpoint.method])


@lru_cache(maxsize=1)
def _date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()


def error_answer(error: ReverieError, scope: Scope) -> Response:
    """Turn an error into its answer."""
    body: dict[str, Any] = {"error": redact(str(error))[0], "code": error.code}
    for key, value in error.evidence.items():
        if isinstance(value, str | int | float | list):
            body.setdefault(key, value)
    body["requestId"] = scope.get("reverie.request_id", "")
    headers = {}
    if isinstance(error, TooBusy | Unavailable | TenantMoving):
        known = error.evidence.get("retry_after", _RETRY_SECONDS.get(error.status, 1))
        headers["Retry-After"] = str(known)
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if error.status >= 500:
        # Where it came from matters only when nobody expected it: a full disk would fill the log.
        trace = error if error.status == 500 else None
        _log.error("request %s failed: %s", body["requestId"], body["error"], exc_info=trace)
    return answer(body, status=error.status, headers=headers)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  # registered for this class only
    if error.status_code == 405:
        known = MethodNotAllowed(f"{request.url.path} does not take {request.method}")
        response = error_answer(known, request.scope)
        response.headers.update(error.headers or {})
        return response
    return error_answer(NotFound(f"there is nothing at {request.url.path}"), request.scope)


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=_HUNG_UP)  # nobody reads this; it is for the log and the counters


async def _mistake(request: Request, _: Exception) -> Response:
    # Starlette logs the traceback; the caller learns only that it was not his fault.
    wrong = ReverieError("something went wrong in the daemon; its log says what")
    wrong.code = "internal_error"  # no class: nobody should ever catch it
    return answer(
        {
            "error": str(wrong),
            "code": wrong.code,
            "requestId": request.scope.get("reverie.request_id", ""),
        },
        status=500,
    )


def _know(connection: Mapping[str, Any]) -> None:
    """Note that a caller showed a good token; it may have come without a connection of ours."""
    presence = connection.get("presence")
    if presence is not None:
        presence.known = True


class Doorman:
    """Numbers every request, checks who it is, finds the workspace, and counts the answer."""

    def __init__(self, app: Starlette, *, host: Host, unlocked: frozenset[str]) -> None:
        self.app = app
        self._host = host
        self._unlocked = unlocked

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if _REQUEST_ID.match(given) else secrets.token_hex(8)
        scope["reverie.request_id"] = request_id
        crowded = scope.get("state", {}).get("crowded", False)
        began = time.monotonic()
        status = 0

        async def signed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                extra = {
                    b"x-request-id": request_id.encode(),
                    b"x-content-type-options": b"nosniff",
                    b"cache-control": b"no-store",
                    b"date": _date(int(time.time())),
                }
                if crowded:  # its place is for whoever asks next
                    extra[b"connection"] = b"close"
                known = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in extra.items() if name not in known),
                ]
            await send(message)

        try:
            answered = await self._answer(scope, headers)
            await answered(scope, receive, signed)
        finally:
            seconds = time.monotonic() - began
            path = scope.get("reverie.path", "unmatched")
            view: Host = scope.get("reverie.host", self._host)
            for metrics in {id(item): item for item in (self._host.metrics, view.metrics)}.values():
                metrics.note(scope["method"], path, status, seconds)
            _log.log(
                logging.INFO if status >= 400 else logging.DEBUG,
                "%s %s %d %.1fms %s",
                scope["method"],
                quote(scope["path"]),
                status,
                seconds * 1000,
                request_id,
            )

    async def _answer(self, scope: Scope, headers: Headers) -> ASGIApp:
        connection = scope.get("state", {})
        view = self._host
        try:
            if not connection.get("local", False):
                view.gate.check_place(headers)
            elif scope["path"] not in _ABOUT_ITSELF:
                view.check_caller(headers)
            if connection.get("crowded", False) and scope["path"] != ALWAYS_ANSWERED:
                most = view.max_connections
                raise TooManyConnections(f"{most} connections are open and busy; try again soon")
            if not connection.get("local", False) and scope["path"] not in self._unlocked:
                view = scope["reverie.host"] = await view.admit(headers)
                _know(connection)
            self._resolve(scope, view)
        except ReverieError as error:
            return error_answer(error, scope)
        return self.app

    def _resolve(self, scope: Scope, view: Host) -> None:
        """Put a workspace's id where its folder stands: an encoded slash must not split the path."""
        raw = scope.get("raw_path") or scope["path"].encode()
        prefix, _, rest = raw.partition(b"/workspaces/")
        if prefix or not rest:
            return
        selector, slash, tail = rest.partition(b"/")
        name = view.resolve(unquote(selector.decode("ascii", "replace")))
        scope["path"] = f"/workspaces/{name}" + unquote((slash + tail).decode("ascii"))
