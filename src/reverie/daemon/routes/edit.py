"""Routes by which a person steers memory: edit, pin, forget with a preview, a dream's plan, trust."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, answer, encoded
from reverie.daemon.routes.browse import named_topic
from reverie.daemon.routes.lookback import DELTAS, shown_deltas
from reverie.daemon.routes.verbs import ASKING, READING, outcome_fields
from reverie.daemon.routes.writing import changed
from reverie.daemon.work.questions import outcome
from reverie.errors import (
    InvalidClientId,
    InvalidContent,
    InvalidInput,
    InvalidQuery,
    InvalidScope,
    MemoryUnavailable,
    SecretRefused,
    StaleBase,
    TopicNotFound,
)
from reverie.memory import Memory
from reverie.types import Forgotten, Skipped
from reverie.verbs.edit import Pinned

_MAX_IDS = 1000


async def edit(call: Call) -> Response:
    """Replace a memory's text, unless it changed since it was read."""
    fields = await call.fields()
    scope, rel = named_topic(fields.values.get)
    text = fields.values.get("text")
    if not isinstance(text, str):
        raise InvalidContent("text is missing")
    encoded(text, "text", InvalidContent)
    base = fields.text("base", InvalidInput, limit=200)
    client = await call.client()
    applied = await call.verb(lambda memory: memory.edit(scope, rel, text, base=base), writes=True)
    changed(call, applied.scopes, applied.run, source="workspace_edit", client=client)
    return answer(outcome(applied))


async def pin(call: Call) -> Response:
    """Pin a memory, or let it go."""
    fields = await call.fields()
    scope, rel = named_topic(fields.values.get)
    wanted = fields.flag("pinned")
    client = await call.client()
    done = await call.verb(lambda memory: memory.pin(scope, rel, pinned=wanted), writes=True)
    if isinstance(done, Pinned):
        run = done.applied.run
        changed(call, done.applied.scopes, run, source="workspace_pin", client=client)
        return answer({"rel": done.rel, "pinned": done.pinned, "run": run})
    return answer({"rel": rel, "pinned": wanted, "run": ""})


async def forget(call: Call) -> Response:
    """Forget what a query means, or the entries named; a dry run shows what would go."""
    fields = await call.fields()
    query = fields.optional_text("query", InvalidQuery) or ""
    ids = fields.values.get("ids") or []
    if not isinstance(ids, list) or not all(isinstance(item, str) and item for item in ids):
        raise InvalidInput("ids must be a list of entries' ids")
    if len(ids) > _MAX_IDS:
        raise InvalidInput(f"ids names {len(ids):,} entries, the limit is {_MAX_IDS:,}")
    for one in ids:
        encoded(one, "ids", InvalidInput)
    if not query.strip() and not ids:
        raise InvalidQuery("say what to forget: words in query, or the ids of entries")
    erase, everywhere, dry_run = (fields.flag(name) for name in ("erase", "everywhere", "dryRun"))
    client = await call.client()

    def work(memory: Memory) -> Forgotten:
        return memory.forget(
            query, ids=ids or None, erase=erase, everywhere=everywhere, dry_run=dry_run
        )

    done = await call.verb(work, writes=not dry_run)
    if done.run:
        source = "workspace_memory_forget"
        changed(call, done.touched_scopes, done.run, source=source, client=client)
    wire = outcome_fields(done)
    wire["files"] = shown_deltas(done.deltas)
    del wire["deltas"]
    return answer(wire)


async def dream_plan(call: Call) -> Response:
    """Plan a dream and show it; nothing is written."""
    await call.fields()
    planned = await call.verb(lambda memory: memory.dream(force=True, dry_run=True))
    wire = outcome_fields(planned)
    if not isinstance(planned, Skipped):
        wire["files"] = shown_deltas(planned.deltas)
        del wire["deltas"]
    return answer(wire)


async def trust(call: Call) -> Response:
    """Say that the workspace's folder is trusted, that it is not, or neither."""
    fields = await call.fields()
    if "trusted" not in fields.values:
        raise InvalidInput("trusted is missing: true, false, or null for neither")
    given = fields.values["trusted"]
    wanted = None if given is None else fields.flag("trusted")
    await call.verb(lambda memory: memory.trust(trusted=wanted), writes=True)
    call.hosted.forget_trust()
    now = await call.verb(lambda memory: memory.trusted())
    told: dict[str, Any] = {"path": now.path, "trusted": now.trusted, "verdict": now.verdict}
    call.hosted.bus.publish("trust_changed", told)
    return answer({**told, "decidedBy": now.decided_by})


_NAME = {"type": "string", "minLength": 1}
_RUN = schemas.record({"run": schemas.TEXT, "paths": schemas.array(schemas.TEXT)})
_NAMED = {"scope": schemas.SCOPE, "rel": _NAME}
_FINDING = (InvalidScope, TopicNotFound, InvalidClientId)

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "POST",
        "/workspace/memories/edit",
        edit,
        "Replace a memory's text, unless it changed since it was read",
        _RUN,
        body=schemas.record({**_NAMED, "text": schemas.TEXT, "base": _NAME}),
        errors=(InvalidContent, SecretRefused, StaleBase, *_FINDING, *READING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/memories/pin",
        pin,
        "Pin a memory so that automatic writers leave it alone, or unpin it",
        schemas.record({"rel": schemas.TEXT, "pinned": schemas.FLAG, "run": schemas.TEXT}),
        body=schemas.record({**_NAMED, "pinned": schemas.FLAG}),
        errors=(StaleBase, *_FINDING, *READING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/memories/forget",
        forget,
        "Forget at once, by words or ids; `dryRun` shows what would go, `erase` leaves no trace",
        schemas.record(
            {
                "summary": schemas.TEXT,
                "removedEntries": schemas.array({"type": "object"}),
                "candidates": schemas.array({"type": "object"}),
                "run": schemas.TEXT,
                "receipt": schemas.nullable({"type": "object"}),
                "places": schemas.array({"type": "object"}),
                "left": schemas.array({"type": "object"}),
                "files": DELTAS,
            }
        ),
        body=schemas.record(
            {},
            {
                "query": schemas.nullable(schemas.TEXT),
                "ids": schemas.nullable({**schemas.array(_NAME), "maxItems": _MAX_IDS}),
                "erase": schemas.FLAG,
                "everywhere": schemas.FLAG,
                "dryRun": schemas.FLAG,
            },
        ),
        errors=(
            InvalidQuery,
            TopicNotFound,
            InvalidClientId,
            MemoryUnavailable,
            StaleBase,
            *ASKING,
        ),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/dream/plan",
        dream_plan,
        "Plan a dream and show it as a diff; nothing is written",
        {"type": "object"},
        body={"type": "object"},
        body_required=False,
        errors=(MemoryUnavailable, *ASKING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/trust",
        trust,
        "Trust the workspace's folder, distrust it, or with null remove the verdict",
        schemas.record(
            {
                "path": schemas.TEXT,
                "trusted": schemas.FLAG,
                "decidedBy": schemas.TEXT,
                "verdict": schemas.TEXT,
            }
        ),
        body=schemas.record({"trusted": schemas.nullable(schemas.FLAG)}),
        errors=READING,
        scoped=True,
    ),
)
