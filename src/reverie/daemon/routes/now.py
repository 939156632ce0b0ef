"""Routes that remember, forget and dream while the caller waits, for programs of the same machine.

They run in the lane as tasks do, but leave no record: the answer is the verb's whole outcome. A
caller that cannot wait, or must not lose its words, queues a task. When tasks are at work for too
long, nothing is done and the caller is told, so that it can do it itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from starlette.responses import Response

from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, Fields, answer
from reverie.daemon.routes.tasks import check_ready
from reverie.daemon.routes.verbs import ASKING, QUERY
from reverie.daemon.routes.writing import changed
from reverie.daemon.work import results
from reverie.daemon.work.background import Stopped
from reverie.daemon.work.questions import outcome
from reverie.errors import (
    InvalidClientId,
    InvalidContent,
    InvalidInput,
    InvalidQuery,
    InvalidScope,
    LaneBusy,
    SecretRefused,
    StaleBase,
    TaskStopped,
    TopicNotFound,
    UntrustedFolder,
)
from reverie.memory import Memory
from reverie.types import Dreamed, Forgotten, Kind, Moved, Remembered, Scope, Skipped
from reverie.types.tasks import News

Outcome: TypeAlias = Remembered | Moved | Forgotten | Dreamed | Skipped
_MAX_IDS = 100
_MAX_LIMIT = 1000
_MAX_ID = 1000


async def remember(call: Call) -> Response:
    """Keep one thing."""
    fields = await call.fields()
    await check_ready(call)
    content = fields.text("content", InvalidContent)
    more: dict[str, Any] = {
        "scope": _scope(fields),
        "kind": fields.choice("kind", tuple(Kind), InvalidInput),
        **{name: fields.optional_text(name) for name in ("name", "why", "how", "replaces")},
        "clean": fields.flag("clean"),
        "dry_run": fields.flag("dryRun"),
    }
    return await _done(
        call, "remember", lambda memory, _: memory.remember(content, **more), once=True
    )


async def forget(call: Call) -> Response:
    """Remove what a query means, or the entries named."""
    fields = await call.fields()
    await check_ready(call)
    ids, erase = _ids(fields), fields.flag("erase")
    # Erasing without words finishes an erasure that was interrupted.
    query = (
        (fields.optional_text("query", InvalidQuery) or "")
        if ids or erase
        else (fields.text("query", InvalidQuery))
    )
    more: dict[str, Any] = {
        "ids": ids,
        "erase": erase,
        "everywhere": fields.flag("everywhere"),
        "limit": fields.whole("limit", low=1, high=_MAX_LIMIT),
        "scope": _scope(fields),
        "dry_run": fields.flag("dryRun"),
    }
    return await _done(call, "forget", lambda memory, _: memory.forget(query, **more))


async def update(call: Call) -> Response:
    """Put a new statement in the place of an entry."""
    fields = await call.fields()
    await check_ready(call)
    entry = fields.text("id", InvalidInput, limit=_MAX_ID)
    content = fields.text("content", InvalidContent)
    more: dict[str, Any] = {name: fields.optional_text(name) for name in ("why", "how")}
    more["dry_run"] = fields.flag("dryRun")
    return await _done(
        call, "update", lambda memory, _: memory.update(entry, content, **more), once=True
    )


async def move(call: Call) -> Response:
    """Move a memory into the other scope."""
    fields = await call.fields()
    await check_ready(call)
    entry = fields.text("id", InvalidInput, limit=_MAX_ID)
    to = fields.choice("to", tuple(Scope), InvalidScope)
    if to is None:
        raise InvalidScope("to is missing: say user or project")
    dry_run = fields.flag("dryRun")
    return await _done(call, "move", lambda memory, _: memory.move(entry, to=to, dry_run=dry_run))


async def dream(call: Call) -> Response:
    """Consolidate when it is time, or with `force` now."""
    fields = await call.fields()
    await check_ready(call)
    session = fields.optional_text("session") or ""
    force, dry_run = fields.flag("force"), fields.flag("dryRun")

    def work(memory: Memory, stopped: Stopped) -> Dreamed | Skipped:
        return memory.dream(session=session, force=force, dry_run=dry_run, cancelled=stopped)

    return await _done(call, "dream", work)


async def _done(
    call: Call, verb: str, work: Callable[[Memory, Stopped], Outcome], *, once: bool = False
) -> Response:
    client = await call.client()
    source = f"workspace_{verb}"
    news = News(source, client) if once else None
    done = await call.hosted.lane.between(
        work, patience=call.host.patience_seconds, caller=call.caller, news=news
    )
    if isinstance(done, Skipped) or not done.run or (news and call.hosted.bus.was_told()):
        return answer(outcome(done))
    told = () if isinstance(done, Moved) else results.of_outcome(done).scopes
    scopes = [Scope(name) for name in told] or list(Scope)  # a memory that moved touches both
    changed(call, scopes, done.run, source=source, client=client)
    return answer(outcome(done))


def _scope(fields: Fields) -> Scope | None:
    given = fields.choice("scope", tuple(Scope), InvalidScope)
    return Scope(given) if given else None


def _ids(fields: Fields) -> list[str] | None:
    ids = fields.values.get("ids")
    if ids is None:
        return None
    if (
        not isinstance(ids, list)
        or not 0 < len(ids) <= _MAX_IDS
        or not all(isinstance(item, str) for item in ids)
    ):
        raise InvalidInput(f"ids must be a list of 1 to {_MAX_IDS} names of entries or files")
    return ids


_DRY_RUN = {"dryRun": schemas.nullable(schemas.FLAG)}
_TEXTS = {name: schemas.nullable(schemas.TEXT) for name in ("name", "why", "how")}
_ERRORS = (InvalidClientId, UntrustedFolder, LaneBusy, TaskStopped, SecretRefused, StaleBase)

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "POST",
        "/workspace/remember",
        remember,
        "Remember now, and answer with the outcome",
        schemas.record({"summary": schemas.TEXT, "path": schemas.TEXT, "run": schemas.TEXT}),
        body=schemas.record(
            {"content": QUERY},
            {
                "scope": schemas.nullable(schemas.SCOPE),
                "kind": schemas.nullable(schemas.KIND),
                "clean": schemas.nullable(schemas.FLAG),
                "replaces": schemas.nullable(schemas.TEXT),
                **_TEXTS,
                **_DRY_RUN,
            },
        ),
        errors=(InvalidContent, InvalidScope, *_ERRORS, *ASKING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/forget",
        forget,
        "Forget now, and answer with the outcome; `erase` and `everywhere` leave no trace anywhere",
        schemas.record({"summary": schemas.TEXT, "run": schemas.TEXT}),
        body=schemas.record(
            {},
            {
                "query": schemas.nullable(schemas.TEXT),
                "ids": schemas.nullable(schemas.array(schemas.TEXT)),
                "erase": schemas.nullable(schemas.FLAG),
                "everywhere": schemas.nullable(schemas.FLAG),
                "limit": schemas.nullable(schemas.COUNT),
                "scope": schemas.nullable(schemas.SCOPE),
                **_DRY_RUN,
            },
        ),
        errors=(InvalidQuery, *_ERRORS, *ASKING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/update",
        update,
        "Put a new statement in the place of an entry, which is kept with its last day",
        schemas.record({"summary": schemas.TEXT, "path": schemas.TEXT, "run": schemas.TEXT}),
        body=schemas.record(
            {"id": schemas.TEXT, "content": QUERY},
            {
                "why": schemas.nullable(schemas.TEXT),
                "how": schemas.nullable(schemas.TEXT),
                **_DRY_RUN,
            },
        ),
        errors=(InvalidContent, TopicNotFound, *_ERRORS, *ASKING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/move",
        move,
        "Move a memory into the other scope, with its reason, dates, links and history",
        schemas.record({"summary": schemas.TEXT, "path": schemas.TEXT, "run": schemas.TEXT}),
        body=schemas.record({"id": schemas.TEXT, "to": schemas.SCOPE}, {**_DRY_RUN}),
        errors=(InvalidScope, TopicNotFound, *_ERRORS, *ASKING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/dream",
        dream,
        "Dream now if it is time, and answer with the outcome",
        {"type": "object"},
        body=schemas.record(
            {},
            {
                "session": schemas.nullable(schemas.TEXT),
                "force": schemas.nullable(schemas.FLAG),
                **_DRY_RUN,
            },
        ),
        body_required=False,
        errors=(*_ERRORS, *ASKING),
        scoped=True,
    ),
)
