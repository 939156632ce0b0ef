"""Routes for hooks of agents, which start a process at every prompt and must be answered at once.

Rules
- The settings of hooks count here as they do in a hook that opens the memory itself.
- Nobody waits for a sentence model: while its weights are read, or vectors of new texts are made, the answer
  goes by words, and a later one by meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, answer
from reverie.daemon.routes.verbs import ASKING, QUERY
from reverie.errors import InvalidInput, InvalidQuery
from reverie.memory.briefing import session_briefing

if TYPE_CHECKING:
    from reverie.memory import Memory


async def prompt(call: Call) -> Response:
    """Bring back what matters for a prompt, as one block, and say how much room an agent has for it."""
    fields = await call.fields()
    fields.only("query")
    query, hosted = fields.text("query", InvalidQuery), call.hosted

    def recalled(memory: Memory) -> tuple[str, int, bool]:
        hooks, ready = memory.settings.hooks, memory.prepared and not hosted.preparing
        if not hooks.enabled:
            return "", hooks.context_chars, True
        return memory.recall(query, meaning=ready).block, hooks.context_chars, ready

    block, room, ready = await call.verb(recalled)
    if not ready:
        hosted.prepare()
    return answer({"block": block, "room": room})


async def briefing(call: Call) -> Response:
    """Say what a session should know from its beginning, and which memories stand in it."""
    fields = await call.fields()
    fields.only("agent")
    agent = fields.optional_text("agent", InvalidInput) or ""
    made = await call.verb(lambda memory: session_briefing(memory, agent=agent))
    if made is None:
        return answer({"told": False, "text": "", "shown": []})
    return answer({"told": True, "text": made.text, "shown": list(made.shown)})


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "POST",
        "/workspace/hooks/prompt",
        prompt,
        "Bring back what matters for a prompt, as a hook adds it",
        schemas.record({"block": schemas.TEXT, "room": schemas.COUNT}),
        body=schemas.record({"query": QUERY}),
        errors=(InvalidQuery, *ASKING),
        scoped=True,
        asks=True,
    ),
    Endpoint(
        "POST",
        "/workspace/hooks/briefing",
        briefing,
        "Say what a session should know from its beginning",
        schemas.record(
            {
                "told": schemas.FLAG,
                "text": schemas.TEXT,
                "shown": schemas.array(schemas.TEXT),
            }
        ),
        body=schemas.record({}, {"agent": schemas.nullable(schemas.TEXT)}),
        errors=ASKING,
        scoped=True,
        asks=True,
    ),
)
