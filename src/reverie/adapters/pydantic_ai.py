"""Pydantic AI: the tools of the MCP server as a toolset, without a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic_ai import FunctionToolset, ModelRetry
from pydantic_ai import Tool as FunctionTool

from reverie.errors import InvalidInput, ReverieError
from reverie.mcp.arguments import checked
from reverie.mcp.caller import Caller, calling, sign_all
from reverie.mcp.more import SURFACES
from reverie.mcp.tool import Tool, action_for

if TYPE_CHECKING:
    from reverie.memory import Memory


def toolset(memory: Memory, *, surface: str = "default", session: str = "") -> FunctionToolset[Any]:
    """Return memory as tools for an agent; a wrong argument lets the model try again."""
    sign_all(memory.store)
    caller = Caller(client="adapter:pydantic-ai", session=session)
    return FunctionToolset(
        [
            FunctionTool.from_schema(
                _function(tool, memory, caller),
                name=tool.name,
                description=tool.about,
                json_schema=dict(tool.takes),
            )
            for tool in SURFACES[surface]
        ],
        id="reverie",
    )


def _function(tool: Tool, memory: Memory, caller: Caller) -> Callable[..., str]:
    def call(**arguments: Any) -> str:
        try:
            given = checked(tool.name, tool.takes, arguments)
            with calling(caller):
                return tool.run(memory, given, caller).text
        except InvalidInput as error:
            raise ModelRetry(f"{error} {action_for(error)}") from error
        except ReverieError as error:
            return f"{error} [{error.code}]\n{action_for(error)}"

    return call
