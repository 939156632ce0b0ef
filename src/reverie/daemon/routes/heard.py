"""Routes of what was heard: list it, keep it, drop it."""

from __future__ import annotations

from starlette.responses import Response

from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, Fields, answer, encoded
from reverie.daemon.routes.verbs import READING
from reverie.daemon.routes.writing import changed
from reverie.daemon.work.questions import outcome
from reverie.errors import HeardNotFound, InvalidClientId, InvalidInput, SecretRefused, StaleBase

_MAX_IDS = 1000


async def heard(call: Call) -> Response:
    """List what was said and not kept."""
    return answer({"heard": await call.verb(lambda memory: memory.heard())})


async def keep(call: Call) -> Response:
    """Make memories of what was heard."""
    fields = await call.fields()
    ids, dry_run = _ids(fields), fields.flag("dryRun")
    client = await call.client()
    done = await call.verb(
        lambda memory: memory.keep_heard(*ids, dry_run=dry_run), writes=not dry_run
    )
    if done.run:
        scopes = {patch.scope for patch in done.patches}
        changed(call, scopes, done.run, source="workspace_heard_keep", client=client)
    return answer(outcome(done))


async def drop(call: Call) -> Response:
    """Remove what was heard."""
    fields = await call.fields()
    ids, dry_run = _ids(fields), fields.flag("dryRun")
    done = await call.verb(
        lambda memory: memory.drop_heard(*ids, dry_run=dry_run), writes=not dry_run
    )
    return answer(outcome(done))


def _ids(fields: Fields) -> list[str]:
    ids = fields.values.get("ids")
    if not isinstance(ids, list) or not ids or not all(isinstance(one, str) and one for one in ids):
        raise InvalidInput("ids must be a list of what was heard, by id")
    if len(ids) > _MAX_IDS:
        raise InvalidInput(f"ids names {len(ids):,} things, the limit is {_MAX_IDS:,}")
    for one in ids:
        encoded(one, "ids", InvalidInput)
    return ids


_ITEM = schemas.record(
    {
        "id": schemas.TEXT,
        "summary": schemas.TEXT,
        "kind": schemas.KIND,
        "scope": schemas.SCOPE,
        "said": schemas.MOMENT,
        "heard": schemas.MOMENT,
        "session": schemas.TEXT,
        "turn": schemas.TEXT,
    }
)
_IDS = {
    "type": "array",
    "items": {"type": "string", "minLength": 1},
    "minItems": 1,
    "maxItems": _MAX_IDS,
}
_BODY = schemas.record({"ids": _IDS}, {"dryRun": schemas.FLAG})
_DECIDED = schemas.record(
    {
        "action": schemas.one_of(["keep", "drop"]),
        "items": schemas.array(_ITEM),
        "patches": schemas.array({"type": "object"}),
        "dropped": schemas.array({"type": "object"}),
        "run": schemas.TEXT,
    }
)

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET",
        "/workspace/heard",
        heard,
        "List what was said and not kept, the oldest first; nothing recalls or searches it",
        schemas.record({"heard": schemas.array(_ITEM)}),
        errors=READING,
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/heard/keep",
        keep,
        "Make memories of what was heard",
        _DECIDED,
        body=_BODY,
        errors=(HeardNotFound, InvalidClientId, SecretRefused, StaleBase, *READING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/heard/drop",
        drop,
        "Remove what was heard; it is not heard again",
        _DECIDED,
        body=_BODY,
        errors=(HeardNotFound, StaleBase, *READING),
        scoped=True,
    ),
)
