"""The OpenAPI description, made from the same table of endpoints that the application is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from reverie import __version__
from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Endpoint, Param
from reverie.errors import (
    BodyTooLarge,
    DiskFull,
    InvalidClientId,
    InvalidHost,
    InvalidInput,
    InvalidJson,
    OriginNotAllowed,
    Overloaded,
    RequestTimeout,
    ReverieError,
    TooManyConnections,
    Unauthorized,
    WorkspaceNotFound,
)

ALWAYS_ANSWERED = "/health"
"""What is answered however many connections are open."""
SCOPED_PREFIX = "/workspaces/{workspace}"
_WORKSPACE = Param(
    "workspace",
    "A workspace's id from /capabilities, or its folder, percent-encoded.",
    schemas.TEXT,
    where="path",
    required=True,
)


def scoped_path(path: str) -> str:
    """Return where an endpoint stands for a named workspace."""
    return SCOPED_PREFIX + path.removeprefix("/workspace")


def describe(
    endpoints: Iterable[Endpoint], *, client_header: str, epoch_header: str
) -> dict[str, Any]:
    """Write the description."""
    paths: dict[str, dict[str, Any]] = {}
    headers = (
        Param(client_header, "A registered client id; tasks with one are its own.", schemas.TEXT,
              where="header"),
    )  # fmt: skip
    stream = Param(epoch_header, "The epoch the last event belongs to.", schemas.TEXT, "header")
    for endpoint in endpoints:
        extra = headers if InvalidClientId in endpoint.errors else ()
        if endpoint.media == "text/event-stream":
            extra = (*extra, stream)
        operation = _operation(endpoint, extra, errors=common(endpoint))
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = operation
        if endpoint.scoped:
            named = _operation(
                endpoint, (_WORKSPACE, *extra), errors=(*common(endpoint), WorkspaceNotFound)
            )
            named["operationId"] += "_in_workspace"
            paths.setdefault(scoped_path(endpoint.path), {})[endpoint.method.lower()] = named
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Reverie",
            "version": __version__,
            "summary": "A memory for AI agents, over HTTP.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": schemas.ERROR},
        },
        "security": [{"token": []}],
    }


def common(endpoint: Endpoint) -> tuple[type[ReverieError], ...]:
    """Return what can go wrong before an endpoint is reached, and where it is to keep something."""
    found: list[type[ReverieError]] = [InvalidHost, OriginNotAllowed]
    if not endpoint.open:
        found.append(Unauthorized)
    found.append(InvalidInput)  # a key or a parameter that it does not have
    if endpoint.body is not None:
        found += [InvalidJson, BodyTooLarge, RequestTimeout]
    if endpoint.path != ALWAYS_ANSWERED:
        found.append(TooManyConnections)
    if not endpoint.bare:
        found.append(Overloaded)
    if not endpoint.reads:
        found.append(DiskFull)
    return tuple(found)


def _operation(
    endpoint: Endpoint, extra: Sequence[Param], *, errors: Sequence[type[ReverieError]]
) -> dict[str, Any]:
    words = [word.strip("{}") for word in endpoint.path.split("/") if word]
    operation: dict[str, Any] = {
        "operationId": "_".join([endpoint.method.lower(), *words]).replace(".", "_"),
        "summary": endpoint.summary,
        "responses": _responses(endpoint, errors),
    }
    params = [_param(item) for item in (*extra, *endpoint.params)]
    if params:
        operation["parameters"] = params
    if endpoint.body is not None:
        operation["requestBody"] = {
            "required": endpoint.body_required,
            "content": {"application/json": {"schema": _closed(endpoint)}},
        }
    if endpoint.open:
        operation["security"] = []
    return operation


def _closed(endpoint: Endpoint) -> Mapping[str, Any]:
    """Return the shape of a body with what is said of keys that it does not name."""
    return {**(endpoint.body or {}), "additionalProperties": endpoint.tolerant}


def _responses(endpoint: Endpoint, errors: Sequence[type[ReverieError]]) -> dict[str, Any]:
    good: dict[str, Any] = {"description": HTTPStatus(endpoint.status).phrase}
    if endpoint.answer is not None:
        good["content"] = {endpoint.media: {"schema": endpoint.answer}}
    elif endpoint.status != HTTPStatus.NO_CONTENT:
        good["content"] = {endpoint.media: {"schema": schemas.TEXT}}
    responses: dict[str, Any] = {str(endpoint.status): good}
    for status, codes in endpoint.codes(errors).items():
        responses[str(status)] = {
            "description": f"{HTTPStatus(status).phrase}: {', '.join(codes)}",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
    return responses


def _param(param: Param) -> Mapping[str, Any]:
    return {
        "name": param.name,
        "in": param.where,
        "required": param.required,
        "description": param.about,
        "schema": dict(param.schema),
    }
