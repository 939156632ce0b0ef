"""Routes for whoever looks through memory: figures, lists, one memory, context, settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from reverie.core.secrets.scanner import redact
from reverie.core.text.plain import digest
from reverie.core.text.words import estimate_tokens
from reverie.core.wire import to_wire
from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, Param, answer, query_choice, query_number
from reverie.daemon.routes.verbs import READING
from reverie.errors import InvalidInput, InvalidScope, ReverieError, TopicNotFound
from reverie.memory import Memory
from reverie.types import Kind, Scope

if TYPE_CHECKING:
    from reverie.types import BlameLine, ContextFile, Entry, Topic

MAX_PAGE = 500
DOCTOR_TOPICS = 1000
"""Beyond this many, comparing every memory with every other takes longer than a page may wait."""
_SCOPES = tuple(scope.value for scope in Scope)
_KINDS = tuple(kind.value for kind in Kind)


async def overview(call: Call) -> Response:
    """Count what is remembered, and say when it last changed by itself."""
    return answer(await call.verb(_overview))


def _overview(memory: Memory) -> dict[str, Any]:
    topics = memory.store.topics()
    count = Counter((item.scope, item.kind) for item in topics)
    entries: Counter[tuple[Scope, Kind]] = Counter()
    for item in topics:
        entries[item.scope, item.kind] += len(item.entries)
    meta = memory.state.read_state("meta.json")
    keys = ("lastExtractionAt", "lastExtractionStatus", "lastDreamAt", "lastDreamStatus")
    place = memory.workspace
    return {
        "memories": len(topics),
        "entries": entries.total(),
        "pinned": sum(item.pinned for item in topics),
        "counts": [
            {"scope": scope, "kind": kind, "memories": count[scope, kind],
             "entries": entries[scope, kind]}
            for scope in Scope
            for kind in Kind
        ],
        "growth": memory.growth(),
        "last": {key: meta[key] for key in keys if isinstance(meta.get(key), str)},
        "workspace": {
            "cwd": place.cwd,
            "base": place.base,
            "home": place.home,
            "projectMemory": memory.store.real(place.project_memory),
            "userMemory": memory.store.real(place.user_memory),
            "agent": place.agent,
            "dialect": memory.dialect.name,
            "enabled": memory.settings.memory.enabled,
        },
        "model": memory.about_model(),
        "notices": memory.notices,
    }  # fmt: skip


async def doctor(call: Call) -> Response:
    """Report problems in the memory."""

    def work(memory: Memory) -> dict[str, Any]:
        count = len(memory.store.topics())
        if count > DOCTOR_TOPICS:
            return {"findings": [], "checked": 0, "memories": count}
        return {"findings": memory.doctor(), "checked": count, "memories": count}

    return answer(await call.verb(work))


async def memories(call: Call) -> Response:
    """List matching memories, a page at a time."""
    scope = query_choice(call, "scope", _SCOPES)
    kind = query_choice(call, "kind", _KINDS)
    pinned = query_choice(call, "pinned", ("true", "false"))
    order = query_choice(call, "order", ("newest", "oldest", "name")) or "newest"
    words = call.request.query_params.get("q", "").casefold().split()
    offset = query_number(call, "offset", default=0, low=0, high=10**9 - 1)
    limit = query_number(call, "limit", default=100, low=1, high=MAX_PAGE)

    def work(memory: Memory) -> dict[str, Any]:
        found = [
            item
            for item in memory.store.topics(Scope(scope) if scope else None)
            if kind in (None, item.kind.value)
            and pinned in (None, "true" if item.pinned else "false")
            and (not words or _holds(item, words))
        ]
        if order == "oldest":
            found.reverse()
        elif order == "name":
            found.sort(key=lambda item: (item.name.casefold(), item.rel))
        page = found[offset : offset + limit]
        return {
            "memories": [_row(item) for item in page],
            "total": len(found),
            "offset": offset,
        }

    return answer(await call.verb(work))


def _holds(topic: Topic, words: Sequence[str]) -> bool:
    text = f"{topic.name}\n{topic.description}\n{topic.body}".casefold()
    return all(word in text for word in words)


def _row(topic: Topic) -> dict[str, Any]:
    summary = topic.entries[0].summary if topic.entries else topic.description
    return {
        "scope": topic.scope,
        "rel": topic.rel,
        "kind": topic.kind,
        "name": topic.name,
        "summary": summary[:400],
        "entries": len(topic.entries),
        "why": next((entry.why[:400] for entry in topic.entries if entry.why), ""),
        "how": next((entry.how[:400] for entry in topic.entries if entry.how), ""),
        "updated": topic.updated,
        "pinned": topic.pinned,
    }


async def topic(call: Call) -> Response:
    """Show one memory with where every entry came from, and every run that wrote it."""
    scope, rel = named_topic(call.request.query_params.get)
    return answer(await call.verb(lambda memory: _topic(memory, scope, rel)))


def named_topic(get: Any) -> tuple[Scope, str]:
    """Read which memory is meant from a query string or a body."""
    scope, rel = get("scope"), get("rel")
    if scope not in _SCOPES:
        raise InvalidScope(f"scope must be one of: {', '.join(_SCOPES)}")
    if not isinstance(rel, str) or not rel or "\x00" in rel:
        raise InvalidInput("rel is missing: the memory's file below its scope's folder")
    return Scope(scope), rel


def _topic(memory: Memory, scope: Scope, rel: str) -> dict[str, Any]:
    found = memory.topic(scope, rel)
    blame = memory.blame(found.path)
    return {
        **_row(found),
        "path": found.path,
        "description": found.description,
        "text": found.text,
        "bodyStart": len(found.text) - len(found.body),
        "base": digest(found.text),
        "tokens": estimate_tokens(found.text),
        "items": [
            {**_entry(item), "source": _source(found, item, blame)} for item in found.entries
        ],
        "history": memory.topic_history(found),
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {"id": entry.id, "summary": entry.summary, "why": entry.why, "how": entry.how}


def _source(topic: Topic, entry: Entry, blame: Sequence[BlameLine]) -> dict[str, Any] | None:
    """Name the run that said an entry: the newest that wrote its lines, moves and dreams aside."""
    first = topic.text.count("\n", 0, entry.span.start)
    last = topic.text.count("\n", 0, max(entry.span.end - 1, entry.span.start)) + 1
    lines = [line for line in blame[first:last] if line.run and line.text.strip()]
    said = [line for line in lines if line.verb not in ("dream", "undo", "pin", "unpin")] or lines
    newest = max(said, key=lambda line: (line.at is not None, line.at), default=None)
    if newest is None:
        return None
    return {
        "run": newest.run,
        "at": newest.at,
        "verb": newest.verb,
        "session": newest.session,
        "turn": newest.turn,
    }


def _shown(value: object) -> object:
    """Return a setting as anybody may see it: an address may hold a password."""
    return redact(value)[0] if isinstance(value, str) else value


async def settings(call: Call) -> Response:
    """List every setting, its value, and where it came from."""
    from reverie.config import PROJECT_MAY_SET, Settings, describe, keys
    from reverie.config.resolution import Resolved

    def work(memory: Memory) -> dict[str, Any]:
        usual = Resolved(Settings(), {})
        rows = [
            {
                "key": key,
                "value": _shown(memory.resolved.value(key)),
                "usual": usual.value(key),
                "origin": memory.resolved.origin(key),
                "about": describe(key),
                "project": key in PROJECT_MAY_SET,
            }
            for key in keys()
        ]
        return {"settings": rows}

    return answer(await call.verb(work))


async def context_tree(call: Call) -> Response:
    """Show the context files as a tree of imports, with what each costs."""
    return answer(await call.verb(_context_tree))


def _context_tree(memory: Memory) -> dict[str, Any]:
    context = memory.context()
    trust = memory.trusted()
    return {
        "files": [_context_file(memory, item) for item in context.files],
        "diagnostics": context.diagnostics,
        "dropped": context.dropped,
        "tokens": context.tokens,
        "text": context.text,
        "trust": trust,
        "used": context.trusted,
    }


def _context_file(memory: Memory, item: ContextFile) -> dict[str, Any]:
    return {
        "path": item.path,
        "shown": item.shown,
        "source": item.source,
        "tokens": item.tokens,
        "own": _own_tokens(memory, item.path),
        "imports": [
            {**_wired(found), "own": _own_tokens(memory, found.path)} for found in item.imports
        ],
    }


def _wired(value: object) -> dict[str, Any]:
    wire = to_wire(value)
    return wire if isinstance(wire, dict) else {}


def _own_tokens(memory: Memory, path: str) -> int:
    try:
        return estimate_tokens(memory.store.read(path) or "")
    except ReverieError:  # gone or unreadable since it was loaded; the context itself says so
        return 0


# --- the table ------------------------------------------------------------------------------------

_OBJECTS = schemas.array({"type": "object"})
_ROW = {
    "scope": schemas.SCOPE,
    "rel": schemas.TEXT,
    "kind": schemas.KIND,
    "name": schemas.TEXT,
    "summary": schemas.TEXT,
    "entries": schemas.COUNT,
    "updated": schemas.nullable(schemas.MOMENT),
    "pinned": schemas.FLAG,
}
SCOPE_PARAM = Param("scope", "Whose memory.", schemas.SCOPE)


def _page_param(name: str, about: str, default: int, low: int, high: int) -> Param:
    schema = {"type": "integer", "minimum": low, "maximum": high, "default": default}
    return Param(name, about, schema)


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET",
        "/workspace/overview",
        overview,
        "Count what is remembered, by scope and kind, and how it grew",
        schemas.record(
            {
                "memories": schemas.COUNT,
                "entries": schemas.COUNT,
                "counts": _OBJECTS,
                "growth": _OBJECTS,
                "last": {"type": "object"},
                "workspace": {"type": "object"},
                "model": schemas.TEXT,
                "notices": _OBJECTS,
            }
        ),
        errors=READING,
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/doctor",
        doctor,
        "Report problems in the memory",
        schemas.record({"findings": _OBJECTS, "checked": schemas.COUNT, "memories": schemas.COUNT}),
        errors=READING,
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/memories",
        memories,
        "List matching memories, a page at a time",
        schemas.record(
            {
                "memories": schemas.array(schemas.record(_ROW)),
                "total": schemas.COUNT,
                "offset": schemas.COUNT,
            }
        ),
        params=(
            SCOPE_PARAM,
            Param("kind", "Only this kind.", schemas.KIND),
            Param("q", "Only those that contain all these words.", schemas.TEXT),
            Param("pinned", "Only pinned ones, or only others.", schemas.one_of(["true", "false"])),
            Param("order", "How they are sorted.", schemas.one_of(["newest", "oldest", "name"])),
            _page_param("offset", "How many to skip.", 0, 0, 10**9 - 1),
            schemas.limit_param(100, MAX_PAGE),
        ),
        errors=READING,
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/memories/topic",
        topic,
        "Show one memory, where every entry came from, and its history",
        schemas.record(
            {
                **_ROW,
                "path": schemas.TEXT,
                "text": schemas.TEXT,
                "base": schemas.TEXT,
                "items": _OBJECTS,
                "history": _OBJECTS,
            }
        ),
        params=(
            Param("scope", "Whose memory.", schemas.SCOPE, required=True),
            Param(
                "rel",
                "The file below its scope's folder.",
                {"type": "string", "minLength": 1},
                required=True,
            ),
        ),
        errors=(InvalidScope, TopicNotFound, *READING),
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/settings",
        settings,
        "List every setting and where its value came from",
        schemas.record({"settings": _OBJECTS}),
        errors=READING,
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/context/tree",
        context_tree,
        "Show the context files as a tree, with tokens and trust",
        schemas.record(
            {
                "files": _OBJECTS,
                "diagnostics": _OBJECTS,
                "tokens": schemas.COUNT,
                "trust": {"type": "object"},
            }
        ),
        errors=READING,
        scoped=True,
    ),
)
