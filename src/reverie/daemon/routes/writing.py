"""Routes of the verbs that write at once, for programs without Python; each thin over `Memory`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, cast, get_args

from starlette.responses import Response

from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, Fields, answer, encoded
from reverie.daemon.routes.verbs import ASKING, QUERY, READING
from reverie.daemon.work.questions import outcome
from reverie.errors import (
    InvalidClientId,
    InvalidContent,
    InvalidInput,
    RunNotFound,
    SecretRefused,
    StaleBase,
    UndoConflict,
)
from reverie.types import Extracted, Moment, Scope

MOMENTS: Final = get_args(Moment)


async def extract(call: Call) -> Response:
    """Learn from the part of a conversation that was not read before."""
    fields = await call.fields()
    session = fields.text("session", InvalidInput, limit=200)
    messages = read_messages(fields)
    moment = cast("Moment", fields.choice("moment", MOMENTS, InvalidInput) or "asked")
    client = await call.client()
    done = await call.verb(
        lambda memory: memory.extract(messages, session=session, moment=moment), writes=True
    )
    if isinstance(done, Extracted) and done.runs:
        learned(call, done, client=client)
    return answer(outcome(done))


async def history(call: Call) -> Response:
    """Append one finished exchange to the agent's history."""
    from reverie.core.learning.chat_logs import read_exchange

    fields = await call.fields()
    session = fields.optional_text("session") or ""
    exchange = read_exchange(json.dumps(read_messages(fields)))
    done = await call.verb(
        lambda memory: memory.layers.append(exchange, session=session),
        writes=True,
    )
    turns = [{"seq": turn.seq, "id": turn.id} for turn in done.turns]
    return answer({"turns": turns, "redactions": done.redactions, "dropped": done.dropped})


async def undo(call: Call) -> Response:
    """Take a run back."""
    fields = await call.fields()
    run = fields.text("run", InvalidInput, limit=200)
    client = await call.client()
    applied = await call.verb(lambda memory: memory.undo(run), writes=True)
    changed(call, applied.scopes, applied.run, source="workspace_undo", client=client)
    return answer(outcome(applied))


def read_messages(fields: Fields) -> list[Any]:
    """Return the messages of a conversation that a request brought."""
    messages = fields.values.get("messages")
    if not isinstance(messages, list):
        raise InvalidContent("messages is missing, or not a list of messages")
    encoded(json.dumps(messages, ensure_ascii=False), "messages", InvalidContent)
    return messages


def changed(
    call: Call, scopes: Iterable[Scope | None], run: str, *, source: str, client: str
) -> None:
    """Tell readers of events that a verb changed managed memory."""
    touched = [scope.value for scope in Scope if scope in set(scopes)]
    if touched:
        data = {"scope": "managed", "source": source, "taskId": run, "touchedScopes": touched}
        call.hosted.bus.publish("memory_changed", data, client=client)


def learned(call: Call, done: Extracted, *, client: str) -> None:
    """Tell readers of events what was learned from a conversation."""
    scopes = {patch.scope for patch in done.patches if patch.action in ("added", "superseded")}
    changed(call, scopes, done.runs[-1], source="workspace_extract", client=client)


MESSAGES = schemas.array({"type": "object"})

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "POST",
        "/workspace/extract",
        extract,
        "Learn from the new part of a conversation",
        {"type": "object"},
        body=schemas.record(
            {"session": QUERY, "messages": MESSAGES},
            {"moment": schemas.nullable(schemas.one_of(MOMENTS))},
        ),
        errors=(InvalidContent, InvalidClientId, SecretRefused, StaleBase, *ASKING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/history",
        history,
        "Append one exchange to the agent's history",
        schemas.record(
            {
                "turns": schemas.array(schemas.record({"seq": schemas.COUNT, "id": schemas.TEXT})),
                "redactions": schemas.array({"type": "object"}),
                "dropped": schemas.array({"type": "object"}),
            }
        ),
        body=schemas.record({"messages": MESSAGES}, {"session": schemas.nullable(schemas.TEXT)}),
        errors=(InvalidContent, *READING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/undo",
        undo,
        "Take a run back",
        schemas.record(
            {
                "run": schemas.TEXT,
                "paths": schemas.array(schemas.TEXT),
                "scopes": schemas.array(schemas.SCOPE),
            }
        ),
        body=schemas.record({"run": QUERY}),
        errors=(InvalidClientId, RunNotFound, UndoConflict, *READING),
        scoped=True,
    ),
)
