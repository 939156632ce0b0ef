"""Shapes of others over the same files, where `daemon.shapes` asks for them: mem0, Anthropic.

Each is thin over its adapter, so a program that talks to the daemon and one that imports the library
see the same memories. mem0 has two forms: its platform answers with bare lists below `/v1/` (and the
addresses end in a slash), its own server with `results`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import (
    Call,
    Endpoint,
    Fields,
    Param,
    Schema,
    answer,
    encoded,
    query_number,
)
from reverie.daemon.routes.tasks import check_ready
from reverie.daemon.routes.verbs import ASKING, QUERY
from reverie.daemon.routes.writing import changed
from reverie.errors import (
    BadSetting,
    ContentTooLarge,
    Draining,
    InvalidArgument,
    InvalidClientId,
    InvalidContent,
    InvalidQuery,
    InvalidScope,
    PathNotFound,
    PathTaken,
    PinnedFile,
    SecretRefused,
    StaleBase,
    TopicNotFound,
    UntrustedFolder,
)
from reverie.types import Applied, Scope

if TYPE_CHECKING:
    from reverie.adapters.mem0 import Memory as Mem0
    from reverie.memory import Memory

_IDS = ("user_id", "agent_id", "run_id")
_MAX_LIMIT = 1000
_LIMIT = 100


# --- mem0 -----------------------------------------------------------------------------------------


async def _ask(call: Call, work: Callable[[Mem0], Any], *, writes: bool = False) -> Any:
    from reverie.adapters.mem0 import Memory as Mem0

    return await call.verb(lambda memory: work(Mem0(memory)), writes=writes)


async def add(call: Call) -> Response:
    """Keep a text, or what is worth keeping of messages."""
    fields = await call.fields()
    messages = fields.values.get("messages")
    if not isinstance(messages, str | list | dict):
        raise InvalidContent("messages is missing, or neither a text nor a list of messages")
    if isinstance(messages, list) and not all(isinstance(item, dict) for item in messages):
        raise InvalidContent("messages must be objects with role and content")
    _readable(messages)
    metadata = _object(fields, "metadata")
    given = {name: fields.optional_text(name, InvalidArgument) for name in _IDS}
    infer = fields.values.get("infer") is not False
    await check_ready(call)
    done = await _ask(
        call, lambda mem: mem.add(messages, metadata=metadata, infer=infer, **given), writes=True
    )
    if _platform(call):
        return answer([{**item, "data": {"memory": item["memory"]}} for item in done["results"]])
    return answer(done)


async def listed(call: Call) -> Response:
    """List the memories of somebody, newest first."""
    params = call.request.query_params
    given: dict[str, Any] = {name: params.get(name) for name in _IDS}
    limit = query_number(call, "limit", default=_LIMIT, low=1, high=_MAX_LIMIT)
    done = await _ask(call, lambda mem: mem.get_all(limit=limit, **given))
    return answer(done["results"] if _platform(call) else done)


async def search(call: Call) -> Response:
    """Find the memories that answer a query."""
    fields = await call.fields()
    query = fields.text("query", InvalidQuery)
    given: dict[str, Any] = {name: fields.optional_text(name, InvalidArgument) for name in _IDS}
    filters = _object(fields, "filters")
    limit = fields.whole("top_k", low=1, high=_MAX_LIMIT) or fields.whole(
        "limit", low=1, high=_MAX_LIMIT
    )
    threshold = fields.number("threshold", low=0, high=1)
    done = await _ask(
        call,
        lambda mem: mem.search(
            query, limit=limit or _LIMIT, filters=filters, threshold=threshold, **given
        ),
    )
    return answer(done["results"] if _platform(call) else done)


async def one(call: Call) -> Response:
    """Return one memory."""
    name = _name(call)
    found = await _ask(call, lambda mem: mem.get(name))
    if found is None:
        raise TopicNotFound(f"there is no memory {name!r}")
    return answer(found)


async def update(call: Call) -> Response:
    """Give a memory another text."""
    fields = await call.fields()
    name = _name(call)
    known = [key for key in ("text", "data", "memory") if key in fields.values]
    text = fields.text(known[0] if known else "text", InvalidContent, trim=False)
    metadata = _object(fields, "metadata")
    await check_ready(call)
    return answer(await _ask(call, lambda mem: mem.update(name, text, metadata), writes=True))


async def delete(call: Call) -> Response:
    """Remove a memory; the journal can bring it back."""
    name = _name(call)
    await check_ready(call)
    return answer(await _ask(call, lambda mem: mem.delete(name), writes=True))


async def delete_all(call: Call) -> Response:
    """Remove every memory of somebody, as one run."""
    given = {name: call.request.query_params.get(name) for name in _IDS}
    await check_ready(call)
    return answer(await _ask(call, lambda mem: mem.delete_all(**given), writes=True))


async def history(call: Call) -> Response:
    """Tell what happened to a memory, as the journal has it."""
    name = _name(call)
    return answer(await _ask(call, lambda mem: mem.history(name)))


async def ping(call: Call) -> Response:
    """Answer what mem0's client asks first: that the key is good."""
    return answer({"status": "ok", "org_id": "", "project_id": call.hosted.id, "user_email": ""})


def _platform(call: Call) -> bool:
    return "/v1/" in str(call.request.scope.get("reverie.path", ""))


def _name(call: Call) -> str:
    return str(call.request.path_params["memory"])


def _object(fields: Fields, name: str) -> dict[str, Any] | None:
    value = fields.values.get(name)
    if value is not None and not isinstance(value, dict):
        raise InvalidArgument(f"{name} must be an object")
    _readable(value)
    return value


def _readable(value: object) -> None:
    """Refuse half a character anywhere in a value."""
    match value:
        case str():
            encoded(value, "a text", InvalidContent)
        case dict():
            for key, item in value.items():
                _readable(key)
                _readable(item)
        case list():
            for item in value:
                _readable(item)


# --- Anthropic ------------------------------------------------------------------------------------

_COMMANDS: dict[str, dict[str, type]] = {
    "view": {"path": str},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}


async def memory_tool(call: Call) -> Response:
    """Carry out one command of the memory tool."""
    fields = await call.fields()
    command = fields.choice("command", tuple(_COMMANDS), InvalidArgument)
    if command is None:
        raise InvalidArgument(f"command must be one of: {', '.join(_COMMANDS)}")
    given: dict[str, Any] = {}
    for name, kind in _COMMANDS[command].items():
        value = fields.values.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            wanted = "a whole number" if kind is int else "a text"
            raise InvalidArgument(f"{command} needs {name}, {wanted}")
        _readable(value)
        given[name] = value
    if command == "view":
        given["view_range"] = _range(fields)
    scope = Scope(fields.choice("scope", tuple(Scope), InvalidScope) or Scope.PROJECT)
    client = await call.client()
    if command != "view":
        await check_ready(call)

    def work(memory: Memory) -> tuple[str, Applied]:
        from reverie.adapters.memory_folder import MemoryFolder

        folder = MemoryFolder(memory, scope=scope)
        return getattr(folder, command)(**given), folder.applied

    told, applied = await call.verb(work, writes=command != "view")
    changed(call, applied.scopes, applied.run, source="anthropic_memory", client=client)
    return answer({"content": told})


def _range(fields: Fields) -> list[int] | None:
    value = fields.values.get("view_range")
    if value is None:
        return None
    if (
        not isinstance(value, list)
        or len(value) != 2
        or any(type(item) is not int for item in value)
    ):
        raise InvalidArgument("view_range must be two whole numbers: first line, last line (or -1)")
    return value


# --- tables ---------------------------------------------------------------------------------------

_ID = schemas.nullable(schemas.TEXT)
_OWNERS = dict.fromkeys(_IDS, _ID)
_OWNER_PARAMS = tuple(Param(name, "Whose memories.", schemas.TEXT) for name in _IDS)
_MEMORY = schemas.record(
    {"id": schemas.TEXT, "memory": schemas.TEXT, "created_at": schemas.TEXT},
    dict.fromkeys(_IDS, schemas.TEXT),
)
_ADDED = schemas.record({"id": schemas.TEXT, "memory": schemas.TEXT, "event": schemas.TEXT})
_MESSAGE = schemas.record({"message": schemas.TEXT})
_EVENT = schemas.record({"id": schemas.TEXT, "memory_id": schemas.TEXT, "event": schemas.TEXT})
_COUNT = schemas.nullable({"type": "integer", "minimum": 1, "maximum": _MAX_LIMIT})
_WHICH = Param("memory", "The memory's id.", schemas.TEXT, where="path", required=True)
_WRITING = (SecretRefused, StaleBase, ContentTooLarge, UntrustedFolder, Draining, *ASKING)


def _mem0(base: str, search_path: str, end: str, *, bare: bool) -> tuple[Endpoint, ...]:
    """Make the endpoints of one of mem0's two forms."""

    def many(item: Schema) -> Schema:
        found = schemas.array(item)
        return found if bare else schemas.record({"results": found})

    texts = {"anyOf": [schemas.TEXT, schemas.array({"type": "object"}), {"type": "object"}]}
    nullable = {"type": ["object", "null"]}
    single = f"{base}/{{memory}}"
    limit = schemas.limit_param(_LIMIT, _MAX_LIMIT)
    return (
        Endpoint(
            "POST", f"{base}{end}", add, "mem0: keep something", many(_ADDED),
            body=schemas.record(
                {"messages": texts},
                {**_OWNERS, "metadata": nullable, "infer": schemas.nullable(schemas.FLAG)},
            ),
            errors=(InvalidArgument, InvalidContent, *_WRITING), scoped=True,
        ),
        Endpoint(
            "GET", f"{base}{end}", listed, "mem0: list somebody's memories", many(_MEMORY),
            params=(*_OWNER_PARAMS, limit), errors=(InvalidArgument, *ASKING), scoped=True,
        ),
        Endpoint(
            "DELETE", f"{base}{end}", delete_all, "mem0: remove somebody's memories", _MESSAGE,
            params=_OWNER_PARAMS, errors=(InvalidArgument, *_WRITING), scoped=True,
        ),
        Endpoint(
            "POST", f"{search_path}{end}", search, "mem0: find memories", many(_MEMORY),
            body=schemas.record(
                {"query": QUERY},
                {
                    **_OWNERS, "filters": nullable, "limit": _COUNT, "top_k": _COUNT,
                    "threshold": schemas.nullable({"type": "number", "minimum": 0, "maximum": 1}),
                },
            ),
            errors=(InvalidQuery, InvalidArgument, *ASKING), scoped=True, asks=True,
        ),
        Endpoint(
            "GET", f"{single}{end}", one, "mem0: one memory", _MEMORY,
            params=(_WHICH,), errors=(TopicNotFound, *ASKING), scoped=True,
        ),
        Endpoint(
            "PUT", f"{single}{end}", update, "mem0: change a memory", _MESSAGE,
            body=schemas.record({"text": QUERY}, {"metadata": nullable}), params=(_WHICH,),
            errors=(TopicNotFound, InvalidArgument, InvalidContent, *_WRITING), scoped=True,
        ),
        Endpoint(
            "DELETE", f"{single}{end}", delete, "mem0: remove a memory", _MESSAGE,
            params=(_WHICH,), errors=(TopicNotFound, *_WRITING), scoped=True,
        ),
        Endpoint(
            "GET", f"{single}/history{end}", history, "mem0: what happened to a memory",
            schemas.array(_EVENT), params=(_WHICH,), errors=ASKING, scoped=True,
        ),
    )  # fmt: skip


_WORDS = ("path", "file_text", "old_str", "new_str", "insert_text", "old_path", "new_path")

SHAPES: dict[str, tuple[Endpoint, ...]] = {
    "mem0": (
        *_mem0("/v1/memories", "/v1/memories/search", "/", bare=True),
        Endpoint(
            "GET", "/v1/ping/", ping, "mem0: check the key",
            schemas.record({"status": schemas.TEXT}), scoped=True,
        ),
        *_mem0("/memories", "/search", "", bare=False),
    ),
    "anthropic": (
        Endpoint(
            "POST",
            "/anthropic/memory",
            memory_tool,
            "Anthropic: one command of the memory tool",
            schemas.record({"content": schemas.TEXT}),
            body=schemas.record(
                {"command": schemas.one_of(list(_COMMANDS))},
                {
                    **dict.fromkeys(_WORDS, schemas.TEXT),
                    "insert_line": {"type": "integer"},
                    "view_range": schemas.nullable(
                        {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
                    ),
                    "scope": schemas.nullable(schemas.SCOPE),
                },
            ),
            errors=(
                InvalidArgument, InvalidScope, InvalidClientId, PathNotFound, PathTaken, PinnedFile,
                *_WRITING,
            ),
            scoped=True,
        ),
    ),
}  # fmt: skip


def endpoints(wanted: Iterable[str]) -> Sequence[Endpoint]:
    """Return the endpoints of the shapes that are asked for, or raise `BadSetting`."""
    found: list[Endpoint] = []
    for name in dict.fromkeys(wanted):
        if name not in SHAPES:
            known = ", ".join(SHAPES)
            raise BadSetting(
                f"daemon.shapes has {name!r}; choose from: {known}", key="daemon.shapes"
            )
        found += SHAPES[name]
    return found
