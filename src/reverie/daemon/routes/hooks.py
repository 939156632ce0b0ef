"""Routes for hooks of agents, which start a process at every prompt and must be answered at once.

Rules
- The settings of hooks count here as they do in a hook that opens the memory itself.
- Nobody waits for a sentence model: while its weights are read, or vectors of new texts are made, the answer
  goes by words, and a later one by meaning.
- What an agent's own environment decides, or a process of its own has to wait for, is left to the hook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, answer
from reverie.daemon.routes.verbs import ASKING, QUERY
from reverie.daemon.routes.writing import MESSAGES, learned, read_messages
from reverie.errors import (
    InvalidClientId,
    InvalidContent,
    InvalidInput,
    InvalidQuery,
    SecretRefused,
    StaleBase,
)
from reverie.memory.afterwards import Afterwards, afterwards, is_for_a_daemon
from reverie.memory.briefing import session_briefing

if TYPE_CHECKING:
    from reverie.memory import Memory


async def prompt(call: Call) -> Response:
    """Bring back what matters for a prompt, as one block, and say how much room an agent has for it."""
    fields = await call.fields()
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
    agent = fields.optional_text("agent", InvalidInput) or ""
    made = await call.verb(lambda memory: session_briefing(memory, agent=agent))
    if made is None:
        return answer({"told": False, "text": "", "shown": []})
    return answer({"told": True, "text": made.text, "shown": list(made.shown)})


async def learn(call: Call) -> Response:
    """Learn from a conversation and keep it, one part of it at a time; say what is left to the hook."""
    fields = await call.fields()
    session = fields.text("session", InvalidInput, limit=200)
    agent = fields.optional_text("agent", InvalidInput) or ""
    messages, extracts, keeps = read_messages(fields), fields.flag("extracts"), fields.flag("keeps")
    client = await call.client()

    def done(memory: Memory) -> Afterwards | None:
        if not is_for_a_daemon(memory):
            return None
        return afterwards(
            memory,
            messages,
            session=session,
            agent=agent,
            extracts=extracts,
            keeps=keeps,
            whole=False,
        )

    left = await call.verb(done, writes=True)
    for outcome in left.learned if left else ():
        if outcome.runs:
            learned(call, outcome, client=client)
    return answer(
        {
            "done": left is not None,
            "remaining": left is not None and left.remaining,
            "asks": left is not None and left.asks,
            "reflects": left is not None and left.reflects,
            "idleSeconds": left.idle_seconds if left else 0.0,
        }
    )


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
    Endpoint(
        "POST",
        "/workspace/hooks/learn",
        learn,
        "Learn from the new part of a conversation and keep it as history, as a hook does",
        schemas.record(
            {
                "done": schemas.FLAG,
                "remaining": schemas.FLAG,
                "asks": schemas.FLAG,
                "reflects": schemas.FLAG,
                "idleSeconds": schemas.NUMBER,
            }
        ),
        body=schemas.record(
            {"session": QUERY, "messages": MESSAGES},
            {
                "agent": schemas.nullable(schemas.TEXT),
                "extracts": schemas.nullable(schemas.FLAG),
                "keeps": schemas.nullable(schemas.FLAG),
            },
        ),
        errors=(InvalidContent, InvalidClientId, SecretRefused, StaleBase, *ASKING),
        scoped=True,
    ),
)
