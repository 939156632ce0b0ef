"""The routes of MCP servers on standard input and output: they hand to the daemon what clients ask."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, answer
from reverie.daemon.routes.tasks import check_ready
from reverie.daemon.routes.verbs import ASKING
from reverie.errors import (
    Draining,
    InvalidArgument,
    InvalidInput,
    NotFound,
    ReverieError,
    Unavailable,
    UntrustedFolder,
)

if TYPE_CHECKING:
    from reverie.memory import Memory

READS: Final = ("resources/list", "resources/read", "prompts/get")


async def call_tool(call: Call) -> Response:
    """Carry out one tool call, and answer as the tool does; its errors are answers, too."""
    from reverie.mcp import answers
    from reverie.mcp.caller import Caller, client_name
    from reverie.mcp.more import SURFACES

    fields = await call.fields()
    surface = fields.choice("surface", tuple(SURFACES), InvalidInput) or "default"
    tools = {tool.name: tool for tool in SURFACES[surface]}
    name = fields.text("name", InvalidInput)
    said = fields.optional_text("client") or ""
    tool = tools.get(name)
    if tool is None:
        return answer({"answer": answers.no_tool(name, tools), "run": ""})
    if not tool.read_only:
        await check_ready(call)
    presence = call.caller
    caller = Caller(
        client=client_name(*said.split("\n", 1)) if "\n" in said else "mcp",
        session=fields.optional_text("session") or "",
        cancelled=presence.left if presence is not None else _never,
    )
    try:
        given = answers.given(tool, fields.values.get("arguments") or {})
        work = partial(answers.carried_out, tool, given, caller)
        told, run = await call.verb(work, writes=not tool.read_only)
    except Unavailable:
        raise
    except ReverieError as error:
        told, run = answers.failed(error), ""
    return answer({"answer": told, "run": run})


async def read(call: Call) -> Response:
    """Answer what a client reads; `mark` stands for the list of resources as it is."""
    from reverie.mcp import answers, resources

    fields = await call.fields()
    method = fields.choice("method", READS, InvalidInput)
    given = fields.values.get("params")
    params = given if isinstance(given, dict) else {}

    def listed(memory: Memory) -> tuple[dict[str, Any], str]:
        rows = resources.rows_of(memory)
        return resources.listed(rows, params.get("cursor")), resources.mark_of(rows)

    def told(memory: Memory) -> tuple[dict[str, Any], str]:
        if method == "resources/read":
            return answers.resource_text(memory, str(params.get("uri"))), ""
        return answers.prompt_text(memory, str(params.get("name")), params.get("arguments")), ""

    try:
        found, mark = await call.verb(listed if method == "resources/list" else told)
    except resources.BadParams as error:
        raise InvalidInput(str(error)) from None
    return answer({"answer": found, "mark": mark})


def _never() -> bool:
    return False


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "POST",
        "/workspace/mcp/call",
        call_tool,
        "Carry out a tool call of an MCP server on standard input and output",
        schemas.record({"answer": {"type": "object"}, "run": schemas.TEXT}),
        body=schemas.record(
            {"name": schemas.TEXT},
            {
                "surface": schemas.nullable(schemas.one_of(["default", "full"])),
                "arguments": {"type": "object"},
                "client": schemas.nullable(schemas.TEXT),
                "session": schemas.nullable(schemas.TEXT),
            },
        ),
        errors=(InvalidArgument, UntrustedFolder, Draining, *ASKING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/mcp/read",
        read,
        "Answer what a client of an MCP server on standard input and output reads",
        schemas.record({"answer": {"type": "object"}, "mark": schemas.TEXT}),
        body=schemas.record(
            {"method": schemas.one_of(list(READS))}, {"params": {"type": "object"}}
        ),
        errors=(InvalidArgument, NotFound, *ASKING),
        scoped=True,
    ),
)
